"""Training provers: a tokenizer and a base model from scratch, curriculum SFT, reinforcement learning from Lean."""
