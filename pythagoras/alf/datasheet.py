"""A benchmark that was made by mutation as files: rows in MiniF2F's shape, what was refused, and a datasheet.

`NAME.jsonl` has the statements, with parent and operator; `NAME.refused.jsonl` every candidate that is not among them,
with the reason; `NAME.md` says for people what it is, how it was made, and what its numbers are. Until all is done,
`NAME.partial.jsonl` has what is.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import mean, median
from types import TracebackType
from typing import Any, Self, TypeAlias

from filelock import FileLock, Timeout

from pythagoras.alf.benchmark import Kept, Outcome, Plan, Turned
from pythagoras.alf.diversity import NEAR
from pythagoras.alf.reals import is_real
from pythagoras.alf.variants import Variant
from pythagoras.corpus.records import Formalisation, Instance, Tier
from pythagoras.errors import InputError
from pythagoras.language.reading import NotRead
from pythagoras.language.spoken import say
from pythagoras.lean.headers import MATHLIB, core, header

_LEVELS = {Tier.EASY: 1, Tier.MEDIUM: 2, Tier.HARD: 3}


@dataclass(frozen=True, slots=True)
class About:
    """What a datasheet says beyond the outcomes."""

    original: str
    """The original benchmark's name."""
    original_sha256: str
    lean: str
    header: str
    """The header that took the place of the originals' own on this Lean; empty where none did."""
    drafter: str
    settings: Mapping[str, Any]
    """The drafter's."""
    judge: str
    embedder: str
    prover: str
    plan: Plan
    canary: str = ""
    """What every row says, so that nobody trains on it."""
    prover_settings: Mapping[str, Any] = field(default_factory=dict)
    part: str = ""
    """Of the original, in words; empty for all of it."""
    judge_settings: Mapping[str, Any] = field(default_factory=dict)


Line: TypeAlias = dict[str, Any]
"""What became of one problem, as `line` says it."""


def line(outcome: Outcome, original: Formalisation | Instance, canary: str = "") -> Line:
    """The outcome of a problem as JSON; `original` is the problem as its benchmark has it."""
    return {
        "problem": original.name,
        "fault": outcome.fault,
        "one_line": outcome.one_line,
        "rows": [row(one, original, canary) for one in outcome.kept],
        "refused": [_refused_row(original.name, one, canary) for one in outcome.refused],
        "missing": [f"{one.category.value}: {one.reason.value}" for one in outcome.missing],
    }


class Journal:
    """What is done of a benchmark that is being made: a line a problem, so that a kill costs little.

    To be used in a `with` block: inside of it the benchmark is this process's alone.
    """

    def __init__(self, path: Path, about: About) -> None:
        self.path = journal_of(path)
        self.lines: list[Line] = []
        self._head = json.dumps(asdict(about), ensure_ascii=False, sort_keys=True)
        self._lock = FileLock(self.path.with_name(f".{self.path.name}.lock"))

    def __enter__(self) -> Self:
        """Raises InputError where it can't be written, or belongs to a benchmark that was begun otherwise."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._lock.acquire(timeout=0)
        except Timeout:
            raise InputError(f"{self.path} is being written by another process: wait for it") from None
        except OSError as error:
            raise InputError(f"{self.path} can't be written ({error.strerror}): choose another place") from None
        try:
            self._resume()
        except BaseException:
            self._release()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._release()

    def _release(self) -> None:
        self._lock.release()
        Path(self._lock.lock_file).unlink(missing_ok=True)

    def _resume(self) -> None:
        written = self.path.read_bytes() if self.path.exists() else b""
        whole = written[: written.rfind(b"\n") + 1]  # behind the last break, a kill cut it short
        if not whole:
            self.path.write_text(f"{self._head}\n", encoding="utf-8")
            return
        try:
            head, *lines = whole.decode().splitlines()
            self.lines = [json.loads(one) for one in lines]
        except ValueError:
            raise InputError(f"{self.path} is damaged: put it back, or delete it to begin anew") from None
        if head != self._head:
            raise InputError(f"{self.path} was begun with other settings: use those, or delete it to begin anew")
        if whole != written:
            self.path.write_bytes(whole)

    def add(self, made: Line) -> None:
        self.lines.append(made)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(made, ensure_ascii=False) + "\n")


def files_of(path: Path) -> tuple[Path, Path, Path]:
    """The rows, what was refused, the datasheet."""
    return path, path.with_suffix(".refused.jsonl"), path.with_suffix(".md")


def journal_of(path: Path) -> Path:
    """What is done, while it is made."""
    return path.with_suffix(".partial.jsonl")


def write_benchmark(
    path: Path, lines: Sequence[Line], about: About, check: Callable[[Path], None] = lambda rows: None
) -> tuple[Path, ...]:
    """Write the three files. `check` sees the rows, and may raise, before they take the place of others."""
    files = files_of(path)
    rows, refused = (_lines(row for one in lines for row in one[part]) for part in ("rows", "refused"))
    drafts = [file.with_name(f".new-{file.name}") for file in files]
    try:
        for draft, text in zip(drafts, (rows, refused, datasheet(path.stem, lines, about)), strict=True):
            draft.write_text(text, encoding="utf-8")
        check(drafts[0])
        for draft, file in zip(drafts, files, strict=True):
            draft.replace(file)
    finally:
        for draft in drafts:
            draft.unlink(missing_ok=True)
    return files


def row(kept: Kept, original: Formalisation | Instance, canary: str = "") -> dict[str, Any]:
    """A kept variant in MiniF2F's shape. Its informal text is said from its meaning; empty where there is none."""
    variant = kept.draft.variant
    said = _said(variant)
    return {
        "name": kept.name,
        "split": original.source.rpartition("/")[2] if "/" in original.source else "",
        "informal_prefix": f"/-- {said} -/\n" if said else "",
        "formal_statement": f"{kept.text} := by\n",
        "goal": kept.goal,
        "header": _header(original),
        "parent": original.name,
        "operator": variant.operator,
        "category": variant.category.value,
        "perturbed": list(kept.draft.perturbed),
        "truth": kept.truth.value,
        "distance": round(kept.distance, 4),
        **({"topic": original.topic} if original.topic else {}),
        **({"level": _LEVELS[original.tier]} if original.tier in _LEVELS else {}),
        **({"canary": canary} if canary else {}),
    }


def summary(lines: Sequence[Line]) -> dict[str, Any]:
    """The counts: drafted = kept + refused, and problems = those with so many variants + those that Lean refuses."""
    kept = [row for one in lines for row in one["rows"]]
    refused = Counter(row["reason"] for one in lines for row in one["refused"])
    sound = [one for one in lines if not one["fault"]]
    return {
        "problems": len(lines),
        "refused_by_lean": len(lines) - len(sound),
        "by_variants": {str(count): many for count, many in sorted(Counter(len(one["rows"]) for one in sound).items())},
        "drafted": len(kept) + refused.total(),
        "kept": len(kept),
        "refused": dict(refused.most_common()),
        "categories": _counted(row["category"] for row in kept),
        "operators": _counted(row["operator"] for row in kept),
        "perturbed": _counted(" and ".join(row["perturbed"]) or "neither" for row in kept),
        "truth": _counted(row["truth"] for row in kept),
        "one_line_originals": sum(bool(one["one_line"]) for one in sound),
        "distance": _distances(row["distance"] for row in kept),
        "near": sum(row["distance"] < NEAR for row in kept),
    }


def datasheet(name: str, lines: Sequence[Line], about: About) -> str:
    """The page."""
    counts = summary(lines)
    plan, moved = about.plan, f" The header `{about.header}` stands for the originals' own." if about.header else ""
    known = "Only what is promised or proved was kept. " if plan.known_true else ""
    by_variants = ", ".join(f"{many} with {count}" for count, many in counts["by_variants"].items())
    page = [
        f"# {name}",
        "",
        f"{counts['kept']} Lean 4 statements, made by mutation from the {counts['problems']} of {about.original} "
        f"{f'({about.part}) ' if about.part else ''}"
        f"(SHA-256 {about.original_sha256[:12]}).",
        *(["", f"{about.canary}."] if about.canary else []),
        "",
        "## What it is for",
        "",
        "To tell provers that understand from provers that remember: compare what is solved here with what is solved",
        "of the originals (`pythagoras eval compare`). Every row names its original (`parent`) and the operator that",
        "changed it. It is for measuring, not for training: whoever has seen these statements is measured by nothing.",
        "",
        "## What is in it",
        "",
        f"Problems: {by_variants or 'none'}; {counts['refused_by_lean']} whose original this Lean does not accept.",
        f"One-line tactics prove {counts['one_line_originals']} of the originals that it accepts.",
        "",
        *_table("category", counts["categories"]),
        *_table("operator", counts["operators"]),
        *_table("also changed", counts["perturbed"]),
        *_table("truth", counts["truth"]),
        "`promised`: true if the original is, by the nature of the operator. `proved`: Lean accepts a proof, which is",
        "not part of the benchmark. `unknown`: nothing speaks against it, and nobody has shown it.",
        "",
        f"Cosine distance from the original, bound names set aside: {counts['distance']}.",
        f"Nearer than {NEAR}, because nothing else stood the tests: {counts['near']}.",
        "",
        *_short(lines, plan.keep),
        "## How it was made",
        "",
        f"Drafted by {about.drafter}, at most {plan.rounds} rounds of five a problem; judged by {about.judge}; ranked",
        f"by cosine distance with the embedder {about.embedder}; the {plan.keep} most divergent kept, by different",
        f"operators where that is possible. {known}",
        f"Lean {about.lean} accepts every statement.{moved}",
        f"Truth that no operator promises was tried by: {_prover(about)}.",
        f"Settings: `{_json(about.settings)}`.",
        "",
        f"Of {counts['drafted']} candidates {counts['kept']} were kept. The others:",
        "",
        *_table("refused", counts["refused"]),
        "## Limits",
        "",
        "A variant may be easier or harder than its original: nobody measured that but by one-line tactics. Refuting",
        "by small numbers finds many false statements, not all. Informal texts are said from the meaning by rules, and",
        "empty where the language has no words for it.",
        "",
    ]
    return "\n".join(one.rstrip() for one in page)


def _prover(about: About) -> str:
    if not about.prover:
        return "nobody"
    attempts = f"{about.plan.attempts} attempt{'s' if about.plan.attempts > 1 else ''} a statement"
    return f"{about.prover}, {attempts}, `{_json(about.prover_settings)}`"


def _json(settings: Mapping[str, Any]) -> str:
    return json.dumps(dict(settings), ensure_ascii=False, sort_keys=True)


def _short(lines: Sequence[Line], keep: int) -> list[str]:
    """Which problems have too few variants, and what became of the others."""
    short = [one for one in lines if not one["fault"] and len(one["rows"]) < keep]
    if not short:
        return []
    return [
        f"Problems with fewer than {keep}, and why:",
        "",
        "| problem | variants | refused candidates |",
        "| --- | ---: | --- |",
        *(f"| {one['problem']} | {len(one['rows'])} | {_reasons(one) or 'nothing was drafted'} |" for one in short),
        "",
    ]


def _reasons(line: Line) -> str:
    return "; ".join(f"{count} {why}" for why, count in Counter(one["reason"] for one in line["refused"]).most_common())


def _refused_row(parent: str, turned: Turned, canary: str) -> dict[str, Any]:
    variant = turned.draft.variant
    return {
        "parent": parent,
        "operator": variant.operator,
        "category": variant.category.value,
        "perturbed": list(turned.draft.perturbed),
        "refused_statement": variant.text,
        "reason": turned.why.value,
        "detail": turned.detail,
        **({"canary": canary} if canary else {}),
    }


def _said(variant: Variant) -> str:
    if variant.claim is None:
        return ""
    try:
        said = say(variant.claim)
    except NotRead:
        return ""
    return said.replace("rational number", "real number") if is_real(variant.text) else said


def _header(original: Formalisation | Instance) -> str:
    """What stands before the statement. For `core` it is MiniF2F's own header, on which it means the same."""
    text = (MATHLIB if original.header == core().id else header(original.header)).text + "\n"
    return f"{text}{original.context}\n\n" if original.context else text


def _lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rows)


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())


def _distances(distances: Iterable[float]) -> str:
    found = sorted(distances)
    if not found:
        return "none"
    return f"mean {mean(found):.3f}, median {median(found):.3f}, from {found[0]:.3f} to {found[-1]:.3f}"


def _table(heading: str, counts: Mapping[str, int]) -> list[str]:
    if not counts:
        return []
    return [
        f"| {heading} | count |",
        "| --- | ---: |",
        *(f"| {name} | {count} |" for name, count in counts.items()),
        "",
    ]
