"""Tests that need neither Lean, nor a network, nor torch."""
