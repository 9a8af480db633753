"""Talk to Lean: install it, keep processes of it, ask them. Imports no sibling package."""
