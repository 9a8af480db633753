"""The embedded source: problems made by rule, each with an informal text and a Lean statement whose truth is known."""
