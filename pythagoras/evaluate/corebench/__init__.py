"""CoreBench: competition-style statements over ℕ, ℤ and ℚ, written by hand, that any machine can check."""
