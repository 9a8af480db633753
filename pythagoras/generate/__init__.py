"""Samplers: whatever writes attempts at proofs. None of them judges; that is `pythagoras.lean`'s business."""
