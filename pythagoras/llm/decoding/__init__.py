"""Writing tokens with a model in this process: many sequences at a time, none of which waits for another."""
