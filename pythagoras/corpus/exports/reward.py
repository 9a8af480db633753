"""Lean as a reward for verl: 1 iff `pythagoras lean serve` says that the rollout proves the statement.

This file is copied into exports and stands alone. PYTHAGORAS_LEAN_SERVER names the server (http://127.0.0.1:8000),
LEAN_SERVER_API_KEY its key, PYTHAGORAS_LEAN_TIMEOUT the seconds that a proof may take (60).

A server that can't be reached, is overloaded for too long, breaks down or does not understand the statement raises
RewardError: none of that says anything about the proof, and a score of 0 would train on it.
"""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.request
from typing import Any

_LONGEST = 200_000
"""Characters of a rollout that the server reads; a longer one is no proof that anybody wants."""
_TRIES = 6
_FIRST_PAUSE_S = 1.0
_TRY_AGAIN = frozenset({408, 429, 500, 502, 503, 504})


class RewardError(RuntimeError):
    """There is no verdict, so there is no reward."""


def compute_score(
    data_source: str, solution_str: str, ground_truth: str, extra_info: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The score of a rollout. `ground_truth` is the statement, `extra_info` says which header it stands on."""
    if len(solution_str) > _LONGEST:
        return scored("rejected", "too_long")
    extra = extra_info or {}
    asked: dict[str, Any] = {
        "statement": ground_truth,
        "header": extra.get("header") or "core",
        "timeout": float(os.environ.get("PYTHAGORAS_LEAN_TIMEOUT", "60")),
        "submissions": [{"id": "rollout", "text": solution_str}],
    }
    if extra.get("name"):
        asked["theorem"] = extra["name"]
    result = _ask(asked)["results"][0]
    if result["outcome"] is None:
        raise RewardError(f"Lean gave no verdict about {extra.get('name') or 'a statement'}: {result['failure']}")
    return scored(result["outcome"], result["reason"])


def scored(outcome: str, reason: str) -> dict[str, Any]:
    """A verdict as verl takes it; `acc` is what its filter of groups looks at, the others are logged."""
    score = float(outcome == "proved")
    return {"score": score, "acc": score, "outcome": outcome, "reason": reason}


def _ask(asked: dict[str, Any]) -> Any:
    server = os.environ.get("PYTHAGORAS_LEAN_SERVER", "http://127.0.0.1:8000").rstrip("/")
    headers = {"Content-Type": "application/json"}
    if key := os.environ.get("LEAN_SERVER_API_KEY"):
        headers["Authorization"] = f"Bearer {key}"
    request = urllib.request.Request(f"{server}/api/verdict", json.dumps(asked).encode(), headers)
    why = ""
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_FIRST_PAUSE_S * 2 ** (attempt - 1))
        try:
            # Waiting for a turn is the server's business; this is only the end of all patience.
            with urllib.request.urlopen(request, timeout=asked["timeout"] + 600) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            why = f"HTTP {error.code}: {error.read(500).decode('utf-8', 'replace')}"
            if error.code not in _TRY_AGAIN:
                raise RewardError(f"{server} refused to judge: {why}") from error
        except OSError as error:  # unreachable, reset, timed out
            why = str(error)
    raise RewardError(f"{server} gave no answer in {_TRIES} tries ({why}): is `pythagoras lean serve` running?")
