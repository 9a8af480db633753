"""The command line: one file a noun, no logic. Heavy imports stand inside the commands that need them."""
