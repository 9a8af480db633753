"""The Kimina Lean Server's protocol, and a checker that asks such a server."""
