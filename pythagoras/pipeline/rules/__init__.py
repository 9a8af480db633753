"""Deterministic code in the place of language models, so that the whole pipeline runs offline with real Lean."""
