"""The seed corpus: formalise, read back and align, prove, learn from failures, harden."""
