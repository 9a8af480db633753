"""Augmented Lean Formalisation: one verified statement becomes several new ones."""
