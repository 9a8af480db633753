"""A stand-in for a REPL binary: speaks the protocol, knows no Lean, and misbehaves when the code says so.

Run as `fake_repl.py KIND LOG`: `ours` reports on declarations, `community` does not, `fork` does in another shape, and
`old` can't elaborate the audit. Each request is a line of JSON in LOG.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_COMMAND = re.compile(r'#PythagorasAudit_\w+ "(\w+)" "(.*)"')


def main(kind: str, log: Path) -> None:
    env, silent = 0, False
    for block in iter(lambda: sys.stdin.readline(), ""):
        if not block.strip():
            continue
        request = json.loads(block)
        with log.open("a") as lines:
            lines.write(json.dumps({"pid": os.getpid(), **request}) + "\n")
        code = request["cmd"]
        misbehave(code, log)
        answer: dict[str, Any] = {"env": env}
        env += 1
        if audit := _COMMAND.match(code):
            if not silent:
                answer["messages"] = [message("info", json.dumps(report(*audit.groups())))]
        elif kind == "old" and "namespace PythagorasAudit" in code:
            answer["messages"] = [message("error", "unknown constant\n  Lean.Json")]
        elif "import Nowhere" in code:
            answer = {"message": "unknown module prefix 'Nowhere'\n\nNo directory"}
        silent = "SILENT" in code
        if "ERROR" in code:
            answer["messages"] = [message("error", "wrong")]
        if kind == "ours" and request.get("declarations"):
            answer["declarations"] = [declaration(name) for name in re.findall(r"theorem (\w+)", code)]
        if kind == "fork":
            answer["declarations"] = [{"fullName": "t", "kind": "theorem", "range": {}}]
        unasked = '\n{"env": 99}\n' if "NOISE" in code else ""  # in the same write: it must be there in time
        print(json.dumps(answer, indent=1) + "\n" + unasked, flush=True)


def misbehave(code: str, log: Path) -> None:
    marker = log.with_suffix(".once")
    if "SPAWN" in code:
        child = subprocess.Popen(["sleep", "600"], start_new_session=True)
        log.with_suffix(".child").write_text(str(child.pid))
    if "HANG" in code or "SPAWN" in code:
        time.sleep(60)
    if "GROW" in code:
        _ballast = bytearray(os.urandom(1)) * (400 << 20)
        time.sleep(60)
    if "DIE" in code and not ("ONCE" in code and marker.exists()):
        marker.touch()
        sys.stderr.write("Lean exited in a hurry\n")
        sys.stderr.flush()
        os._exit(3)
    if "GARBAGE" in code:
        print("Processing...\n", flush=True)
    if "LOST" in code:
        print('{"message": "Unknown environment."}\n', flush=True)
        time.sleep(60)


def message(severity: str, data: str) -> dict[str, Any]:
    return {"severity": severity, "pos": {"line": 1, "column": 0}, "endPos": None, "data": data}


def declaration(name: str) -> dict[str, Any]:
    return {"name": name, "kind": "theorem", "type": "(sort 0)", "typeKey": "key", "axioms": []}


def report(nonce: str, request: str) -> dict[str, Any]:
    """What `audit.lean` would say of theorems of these names."""
    names = [line.split("\\t")[1::2] for line in request.split("\\n") if line]
    constants = [{"name": n, "kind": "theorem", "type": 0, "value": None, "constructors": []} for n in names]
    targets = [{"name": name, "axioms": [["propext"]]} for name in names]
    return {"nonce": nonce, "targets": targets, "constants": constants, "nodes": [["sort", "0"]]}


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
