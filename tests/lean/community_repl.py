"""`pythagoras lean repl` with no more than the community's `repl` has: no word about declarations, no limits.

Stands in for the binary, with real Lean behind it: answers over several lines, each state kept, unknown fields ignored.
"""

from __future__ import annotations

import json
import sys

from pythagoras.lean.headers import NONE
from pythagoras.lean.repl import _Repl, blocks

_TAKEN = ("cmd", "env", "allTactics", "infotree")
_GIVEN = ("env", "message", "messages", "sorries", "tactics", "infotree")


def main() -> None:
    with _Repl(NONE, 600.0) as repl:
        for block in blocks(sys.stdin.buffer):
            request = {key: value for key, value in json.loads(block).items() if key in _TAKEN}
            answer = repl.answer(json.dumps(request).encode())
            print(json.dumps({key: answer[key] for key in _GIVEN if key in answer}, indent=1) + "\n", flush=True)


if __name__ == "__main__":
    main()
