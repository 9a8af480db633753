"""The stages of a recipe: what a single command and `pythagoras run` both do, and all of them in order."""
