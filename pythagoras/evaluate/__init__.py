"""Measure provers: benchmarks today; protocols, pass@N and cost are to come."""
