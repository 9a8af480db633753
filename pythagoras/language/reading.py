"""What readers raise."""

from __future__ import annotations


class NotRead(ValueError):
    """A text that is not read; says in one line why, and at which words."""
