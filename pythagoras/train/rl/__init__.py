"""Reinforcement learning from Lean: GRPO with DAPO's dynamic filter, Lean judging while the model writes and learns."""
