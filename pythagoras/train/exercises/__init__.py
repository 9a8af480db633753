"""Theorems with proofs by rule, for a base model to learn Lean's grammar from: true by construction, not checked."""
