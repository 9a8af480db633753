"""What runs say: pass@N, cost, comparisons and whether they may be chance. Numbers in, numbers out."""
