"""Tickets: a link that a browser opens can't carry the key, so it carries a proof that somebody with the key got it.

A ticket is for one address and for some hours, and worth nothing to another server.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time

_HOURS = 12
_SECONDS = 3600


class Tickets:
    """Made and known by one server."""

    def __init__(self) -> None:
        self._secret = secrets.token_bytes(32)

    def ticket(self, path: str) -> str:
        """One for an address, from now on."""
        return self._made(path, self._hour())

    def holds(self, path: str, ticket: str) -> bool:
        hour = self._hour()
        made = (self._made(path, hour - ago) for ago in range(_HOURS))
        return any(hmac.compare_digest(one.encode(), ticket.encode(errors="replace")) for one in made)

    def _made(self, path: str, hour: int) -> str:
        return hmac.new(self._secret, f"{hour} {path}".encode(errors="replace"), hashlib.sha256).hexdigest()[:32]

    def _hour(self) -> int:
        return int(time.monotonic() // _SECONDS)
