"""Proving a theorem: samplers and a search write, Lean judges what they write, the first proof that holds ends it."""
