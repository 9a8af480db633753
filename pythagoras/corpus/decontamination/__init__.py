"""Keeping benchmarks out of training: the paper's five stages, each with its evidence."""
