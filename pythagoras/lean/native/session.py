"""A REPL process and the states that checks start from: each header elaborated once, and the audit before the scope.

`pythagoras lean repl` reports on declarations by itself. The community's `repl` does not, and gets the audit: its
definitions on top of a header's declarations, its command on the state that a check left behind, as a second request of
its own whose answer nothing but Lean's next command can write to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from pythagoras.errors import HostDied, HostHung, InputError
from pythagoras.lean.headers import NONE, Header
from pythagoras.lean.host import GRACE_S
from pythagoras.lean.imports import split_imports
from pythagoras.lean.native.audit import NO_REPORT, Audit, new_nonce, with_report
from pythagoras.lean.native.process import ReplProcess
from pythagoras.lean.pool import Check
from pythagoras.lean.wire import Answer, Limits

START_TIMEOUT_S = 600.0
"""For starting the process and for a header: a first `import Mathlib` reads gigabytes."""
AUDIT_TIMEOUT_S = 120.0
_PROBE = "pythagoras_probe"


@dataclass(frozen=True, slots=True)
class Base:
    """What a check stands on: text with imports, and text without."""

    library: str
    scope: str
    what: str = field(compare=False)
    """What it is called in messages."""

    @classmethod
    def of(cls, check: Check, header: Header) -> tuple[Base, str]:
        """The base of a check, and the code to put on it: imports can only stand at the very beginning."""
        if header != NONE:
            return cls(header.library, header.scope, f"the header {header.id}"), check.code
        modules, body = split_imports(check.code)
        return cls("".join(f"import {module}\n" for module in modules), "", "the code's imports"), body


class ReplSession:
    """A REPL with its kept states. After an error other than InputError the process is gone."""

    def __init__(self, process: ReplProcess) -> None:
        self.process = process
        self._audit: Audit | None = None
        self._states: dict[Base, int] = {}
        self._limited: dict[tuple[Base, int | None, int | None], int] = {}

    def start(self) -> None:
        """Start the process and find out whether it reports on declarations."""
        self.process.start()
        answer = self._ask({"cmd": f"theorem {_PROBE} : True := True.intro", "declarations": True}, "its start")
        self._audit = None if _reports(answer) else Audit.new()

    @property
    def reports(self) -> bool:
        """Whether the process tells of declarations by itself."""
        return self._audit is None

    def prepare(self, base: Base) -> int:
        """The state behind a base, made on first use."""
        if base not in self._states:
            self._states[base] = self._plain(base) if self._audit is None else self._audited(base, self._audit)
        return self._states[base]

    def check(self, check: Check, header: Header) -> Answer:
        """Elaborate a check's code; HostHung when its time is over."""
        base, code = Base.of(check, header)
        env = self._with_limits(base, check.limits)
        wire: dict[str, Any] = {"cmd": code, "env": env, "allTactics": check.tactics}
        if check.infotree is not None:
            wire["infotree"] = check.infotree
        if self._audit is None:
            wire |= {"keep": False, "declarations": True, "holes": list(check.holes), "refuse": list(check.refuse)}
            wire |= {"replay": check.replay, "spans": check.spans, "signatures": check.signatures}
            wire["limits"] = check.limits.to_wire()
            return _answer(self.process.request(wire, check.limits.timeout_s + GRACE_S))
        answer = _answer(self.process.request(wire, check.limits.timeout_s), ours=False)
        return self._with_audit(answer, check, self._audit)

    # --- the audit -------------------------------------------------------------------------------

    def _with_audit(self, answer: Answer, check: Check, audit: Audit) -> Answer:
        if not check.names:
            return answer
        if answer.env is None:
            raise HostDied("the REPL gave no state behind the code")
        nonce = new_nonce()
        request = {"cmd": audit.command(nonce, check.names), "env": answer.env}
        try:
            told = _answer(self.process.request(request, max(AUDIT_TIMEOUT_S, check.limits.timeout_s)), ours=False)
        except HostHung as error:  # not the submission's time
            raise HostDied("the audit behind the code did not end within its time") from error
        return with_report(answer, told.messages, nonce, check.holes)

    def _audited(self, base: Base, audit: Audit) -> int:
        """A state with the audit in it, which has shown that it works there."""
        env = self._elaborate(f"import Lean\n{base.library}", None, base.what)
        env = self._elaborate(audit.definitions, env, "the audit")
        if base.scope:
            env = self._elaborate(base.scope, env, base.what)
        nonce = new_nonce()
        told = _answer(self._ask({"cmd": audit.command(nonce, ()), "env": env}, "the audit"), ours=False)
        silent = [m.data for m in with_report(Answer(), told.messages, nonce, ()).messages if m.kind == NO_REPORT]
        if silent:
            raise InputError(f"this Lean does not run the audit on {base.what} ({silent[0]}): use another Lean version")
        return env

    # --- states ----------------------------------------------------------------------------------

    def _plain(self, base: Base) -> int:
        return self._elaborate(base.library + base.scope, None, base.what)

    def _with_limits(self, base: Base, limits: Limits) -> int:
        """The base's state with heartbeats and recursion depth as options; made once for each pair."""
        options = {"maxHeartbeats": limits.heartbeats, "maxRecDepth": limits.rec_depth}
        text = "\n".join(f"set_option {name} {value}" for name, value in options.items() if value is not None)
        env = self.prepare(base)
        if not text or self.reports:  # a process of ours takes limits with each request
            return env
        key = (base, limits.heartbeats, limits.rec_depth)
        if key not in self._limited:
            self._limited[key] = self._elaborate(text, env, "the limits")
        return self._limited[key]

    def _elaborate(self, text: str, env: int | None, what: str) -> int:
        """The state behind a text of ours. A Lean that rejects it is the wrong one for it."""
        answer = self._ask({"cmd": text} if env is None else {"cmd": text, "env": env}, what)
        errors = [m for m in answer.get("messages") or () if m.get("severity") == "error"]
        said = f"line {errors[0]['pos']['line']}: {errors[0]['data']}" if errors else str(answer.get("message", ""))
        if said:
            raise InputError(
                f"this Lean rejects {what} ({first_line(said)}): build the project with what it imports, "
                "or choose another header"
            )
        if not isinstance(answer.get("env"), int):
            raise HostDied(f"the REPL gave no state behind {what}")
        return int(answer["env"])

    def _ask(self, request: Mapping[str, Any], what: str) -> dict[str, Any]:
        """An answer to something of ours, for which no check's clock runs."""
        try:
            return self.process.request(request, START_TIMEOUT_S)
        except HostHung as error:
            raise HostDied(f"the REPL took more than {START_TIMEOUT_S:g} s for {what}: it was killed") from error


def first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def _reports(answer: Mapping[str, Any]) -> bool:
    """Whether these declarations are in our shape; there are REPLs with others."""
    try:
        return any(declared.name == _PROBE for declared in Answer.model_validate(answer).declarations)
    except ValidationError:
        return False


def _answer(wire: dict[str, Any], *, ours: bool = True) -> Answer:
    """An answer about a state that must be there: a REPL that says no more than a `message` has lost it."""
    if "message" in wire:
        raise HostDied(f"the REPL gave up ({first_line(str(wire['message']))})")
    if not ours:
        wire.pop("declarations", None)
    try:
        return Answer.model_validate(wire)
    except ValidationError as error:
        raise HostDied(f"the REPL said something unexpected ({error.errors()[0]['loc']})") from error
