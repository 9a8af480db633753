"""What Lean saw in a proof: its tactics with the goals before and after each, as trace mutations need them.

What happens inside of a tactic is told only where that tactic tries nothing (`_HOLDING`). Lean also keeps what it saw
in a branch that it gave up (`first | (left; omega) | right`), where a tactic that failed looks as if it had succeeded.

One question to Lean for a parent, all of them streamed through a checker. A trace is no verdict: whoever wrote the
proof may have made goals look as they like, so what comes of it is judged like any other statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pythagoras.corpus.records import Formalisation, Instance
from pythagoras.lean.pool import Check, Checked, Checker, Status
from pythagoras.lean.wire import PROOFS_ONLY, Limits

MOST_STEPS = 400
LONGEST_GOAL = 4_000
"""Characters; steps with longer ones have none of their goals."""
_WRAPPERS = frozenset({"byTactic", "tacticSeq", "tacticSeq1Indented", "cdotTk", "cdot", "paren", "«tactic_<;>_»"})
"""What only holds tactics together."""
RULE, ARM = "rule", "arm"
"""Kinds that Lean has no name for: one rewriting of a `rw`, one case of an `induction ... with`."""
_REWRITERS = frozenset({"rwSeq", "rewriteSeq", "erwSeq"})
SEES_ONLY_NAMES = frozenset(
    [
        *("exact", "rwSeq", "rewriteSeq", "simp", "normNum", "decide", "nativeDecide", "tacticRfl", "eqRefl", "ring"),
        *("ring1", "ringNF", "intro", "rintro", "refine", "constructor", "show", "tacticShow_", "tacticHave__", "have"),
        *("obtain", "rcases", "change", "unfold", "dsimp", "normCast0", "tacticNorm_cast__", RULE, ARM),
    ]
)
"""Kinds of tactics that use of the context what they name and nothing else."""
_HOLDING = frozenset(
    [
        *_WRAPPERS,
        *SEES_ONLY_NAMES,
        *("", "erwSeq", "tacticRwa__", "apply", "tacticSuffices_", "suffices", "calcTactic", "calc", "calcSteps"),
        *("induction", "cases", "case", "tacticNext_=>_", "focus", "allGoals", "simpa", "linarith", "nlinarith"),
    ]
)
"""Kinds whose parts are run once, and fail the proof when they fail."""
_DISCHARGING = frozenset({"simp", "simpa", "dsimp", "normNum"})
"""Those that may have `(disch := tactic)`, which is tried and may fail."""


@dataclass(frozen=True, slots=True)
class Step:
    """One tactic of a proof."""

    text: str
    kind: str
    """The last part of its syntax kind in Lean, such as `omega`, `tacticHave__`, `rwSeq`; or RULE, or ARM."""
    depth: int
    """How many tactics are around it."""
    before: tuple[str, ...]
    """The goals before it, as Lean prints them: hypotheses line by line, then `⊢`."""
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """The tactics of a verified proof, in the order of the text; what is inside of one follows it, deeper."""

    steps: tuple[Step, ...]

    def inside(self, at: int) -> tuple[Step, ...]:
        """The steps inside of the one at this place."""
        end = at + 1
        while end < len(self.steps) and self.steps[end].depth > self.steps[at].depth:
            end += 1
        return self.steps[at + 1 : end]


@dataclass(frozen=True, slots=True)
class Untraced:
    """Why there is no trace."""

    reason: str


def traces(
    records: Iterable[Formalisation | Instance], checker: Checker, limits: Limits = Limits(timeout_s=60)
) -> Iterator[Trace | Untraced]:
    """The trace of each record's proof, or why there is none, in order and streaming."""
    asked: list[tuple[str, int] | None] = []  # what Lean was asked, and where the theorem begins; None: nothing

    def checks() -> Iterator[Check]:
        for record in records:
            code = _code(record)
            asked.append(code)
            if code is not None:
                yield Check(code[0], record.header, limits, infotree="original", refuse=PROOFS_ONLY)

    answers = iter(checker.check(checks()))
    at = 0
    while True:
        checked = next(answers, None)
        while at < len(asked) and asked[at] is None:
            yield Untraced("it has no proof by tactics")
            at += 1
        if checked is None:
            return
        found = asked[at]
        assert found is not None
        yield _trace(checked, *found)
        at += 1


def _code(record: Formalisation | Instance) -> tuple[str, int] | None:
    """The proved theorem on its context, and the line on which it begins."""
    if not isinstance(record, Instance) or not record.proof.strip().startswith("by"):
        return None
    before = f"{record.context}\n\n" if record.context else ""
    return f"{before}{record.statement} := {record.proof}", before.count("\n") + 1


def _trace(checked: Checked, code: str, first_line: int) -> Trace | Untraced:
    answer = checked.answer
    if checked.status is not Status.ANSWERED or answer is None:
        return Untraced(checked.failure or checked.status.value)
    if answer.refused is not None:
        return Untraced(f"Lean was not asked: {answer.refused.kind}")
    if answer.errors:
        return Untraced(f"Lean reports an error: {answer.errors[0].data.splitlines()[0]}")
    lines = code.split("\n")
    found = tuple(_steps(answer.infotree, lines, first_line, 0, ""))
    return Trace(found) if len(found) <= MOST_STEPS else Untraced(f"its proof has more than {MOST_STEPS} steps")


def _steps(
    nodes: Sequence[Mapping[str, Any]], lines: Sequence[str], first_line: int, depth: int, around: str
) -> Iterator[Step]:
    """The steps of these nodes and of those inside of them. `around` is the kind of the step that they stand in."""
    for entry in nodes:
        node = entry["node"]
        span = node["stx"]["range"]
        kind = _kind(node["name"], around)
        before, after = tuple(node["goalsBefore"]), tuple(node["goalsAfter"])
        fits = all(len(goal) <= LONGEST_GOAL for goal in (*before, *after))
        own = kind not in _WRAPPERS and bool(kind) and before != after and span["start"]["line"] >= first_line
        if own:
            yield Step(_text(lines, span), kind, depth, before if fits else (), after if fits else ())
        tries = kind in _DISCHARGING and "disch" in _text(lines, span)
        if kind in _HOLDING and not tries:
            yield from _steps(entry["children"], lines, first_line, depth + own, kind if own else around)


def _kind(name: str | None, around: str) -> str:
    if name == "null":
        return RULE if around in _REWRITERS else ARM
    return (name or "").rpartition("Tactic.")[2].rpartition("Lean.")[2].rpartition("Term.")[2]


def _text(lines: Sequence[str], span: Mapping[str, Any]) -> str:
    """The tactic as it stands in the text, without the indentation that it has there."""
    first, begin = int(span["start"]["line"]) - 1, int(span["start"]["column"])
    last, end = int(span["finish"]["line"]) - 1, int(span["finish"]["column"])
    if first == last:
        return lines[first][begin:end]
    margin = " " * begin
    inner = (*lines[first + 1 : last], lines[last][:end])
    return "\n".join([lines[first][begin:], *(line.removeprefix(margin) for line in inner)])
