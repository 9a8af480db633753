"""The parts of the tactic search: goals and their shape, moves, what is asked of Lean, and how a proof is written."""
