"""Other claims from a claim: other numbers, fewer hypotheses, single steps, each worked out or known to follow."""
