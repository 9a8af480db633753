"""How long to wait before a server is asked again."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Retries:
    """How patient to be with a server that can't be reached, is too busy or broken."""

    tries: int = 6
    first_pause_s: float = 1.0
    longest_pause_s: float = 60.0
    longest_wanted_s: float = 300.0
    """At most this long, however long the server asks for."""

    def pause_s(self, failures: int, wanted_s: float | None) -> float:
        """Before the next try: what the server asked for, or twice as long each time; never all at the same moment."""
        if wanted_s is not None:
            return min(wanted_s, self.longest_wanted_s) * random.uniform(1.0, 1.1)
        pause = min(self.first_pause_s * 2.0 ** (failures - 1), self.longest_pause_s)
        return pause * random.uniform(0.5, 1.0)


PATIENT = Retries()
