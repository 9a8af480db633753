"""Our own HTTP server: the Kimina Lean Server's endpoints, and verdicts."""
