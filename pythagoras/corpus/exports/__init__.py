"""Corpora as trainers read them: LLaMA-Factory, verl, TRL, JSON lines, Parquet, Hugging Face `datasets`."""
