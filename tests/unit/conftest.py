"""Settings shared by the unit tests."""

from __future__ import annotations

from hypothesis import settings

# A slow machine is not a failing test, and a test that passed once shall pass again.
settings.register_profile("unit", deadline=None, derandomize=True, database=None)
settings.load_profile("unit")
