"""Map work over worker processes: on this machine, or over a Ray cluster. Same results, in the same order."""
