"""Intervals for shares that were counted on a sample."""

from __future__ import annotations

import math

_Z95 = 1.959963984540054
"""What a standard normal variable exceeds in size once in twenty."""


def wilson(successes: int, total: int) -> tuple[float, float]:
    """Wilson's 95 % interval for a share. Of nothing, nothing is known."""
    if total == 0:
        return 0.0, 1.0
    share = successes / total
    width = _Z95 * math.sqrt(share * (1 - share) / total + _Z95**2 / (4 * total**2))
    middle = share + _Z95**2 / (2 * total)
    scale = 1 + _Z95**2 / total
    low, high = (middle - width) / scale, (middle + width) / scale
    return (0.0 if successes == 0 else low), (1.0 if successes == total else high)  # exact there, but for rounding
