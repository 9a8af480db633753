"""Chat backends. They know messages and tokens, nothing of Lean or of corpora."""
