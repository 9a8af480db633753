"""The roles that models, or rules, play in the pipeline: a prompt each, and a parser that refuses malformed answers."""
