"""Train, run and measure Lean 4 theorem provers on little compute."""
