"""Proofs as trees: steps with the words that explain them, and the goals that are still open in them.

A tree is written as Lean with one step a line, cases under bullets, and told as a text from the words of its steps.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, groupby

from pythagoras.generate.searching.goals import Goal

_LONGEST = 110
_INDENT = "  "
_WIDEST = 96
_FOLD = "    "
_BREAKS = re.compile(r"(?<= )(?:∨ |\| |<;> |:= (?!by))|(?<=,) ")


@dataclass(frozen=True, slots=True)
class Open:
    """A goal that nothing closes yet."""

    goal: Goal
    closers: tuple[Proof, ...] = ()
    """What may close it, likely ones first; Lean is asked about all of them at once."""
    last: bool = False
    """Whether nothing else is worth a try when none of them does."""


@dataclass(frozen=True, slots=True)
class Case:
    """A proof inside of another one."""

    opening: str
    """What stands before it: `·`, `| zero =>`, or nothing behind a step that ends with `by`."""
    proof: Proof
    said: str = ""
    """What the case is about, in words."""


@dataclass(frozen=True, slots=True)
class Step:
    """A tactic, and what it does."""

    tactic: str
    """Its text, which may have more lines; behind `by` its one case follows."""
    said: str = ""
    """A sentence, or nothing where the step goes without saying. With `among`, what stands in its list."""
    cases: tuple[Case, ...] = ()
    spare: bool = False
    """Whether the proof may well do without it: worth a try to leave it out."""
    among: str = ""
    """A sentence about this step and those next to it that have the same, with places for `listed` and `are`."""


Proof = tuple[Step | Open, ...]
Filling = Callable[[Open], list[str]]


def holes(proof: Proof) -> Iterator[Open]:
    """The open goals, in the order of the text."""
    for step in proof:
        if isinstance(step, Open):
            yield step
        else:
            for case in step.cases:
                yield from holes(case.proof)


def steps(proof: Proof) -> Iterator[Step]:
    """All steps, outer before inner."""
    for step in proof:
        if isinstance(step, Step):
            yield step
            for case in step.cases:
                yield from steps(case.proof)


def filled(proof: Proof, found: Callable[[Open], Proof | None]) -> Proof:
    """The proof with proofs in the place of open goals, where there are any."""
    whole: list[Step | Open] = []
    for step in proof:
        if isinstance(step, Open):
            whole.extend(found(step) or (step,))
        else:
            cases = tuple(replace(case, proof=filled(case.proof, found)) for case in step.cases)
            whole.append(replace(step, cases=cases))
    return tuple(whole)


def lines(proof: Proof, filling: Filling | None = None) -> list[str]:
    """The proof as lines of tactics. `filling` says what stands in the place of an open goal, if there is any."""
    found: list[str] = []
    for step in proof:
        if isinstance(step, Open):
            assert filling is not None
            found.extend(filling(step))
        else:
            found.extend(_step_lines(step, filling))
    return found


def _step_lines(step: Step, filling: Filling | None) -> list[str]:
    found = [part for line in step.tactic.split("\n") for part in _folded(line)]
    for case in step.cases:
        inner = lines(case.proof, filling)
        before = case.opening or found.pop()
        alone = len(inner) == 1 and len(before) + len(inner[0]) < _LONGEST
        if case.opening == "·":
            found.extend([f"· {inner[0]}", *(_INDENT + line for line in inner[1:])])
        elif alone:
            found.append(f"{before} {inner[0]}")
        else:
            found.extend([before, *(_INDENT + line for line in inner)])
    return found


def _folded(line: str) -> list[str]:
    """A long line in shorter ones, broken where Lean goes on reading."""
    found = []
    while len(line) > _WIDEST:
        ends = [match.end() for match in _BREAKS.finditer(line, len(_FOLD) + 1, _WIDEST)]
        if not ends:
            break
        found.append(line[: ends[-1]].rstrip())
        line = _FOLD + line[ends[-1] :]
    return [*found, line]


def body(proof: Proof, filling: Filling | None = None) -> str:
    """The proof as what stands behind `:=`."""
    written = lines(proof, filling)
    if len(written) == 1 and len(written[0]) < _LONGEST - 20:
        return f"by {written[0]}"
    return "\n".join(["by", *(_INDENT + line for line in written)])


def told(proof: Proof) -> list[str]:
    """The sentences of its steps, each once in a row."""
    said: list[str] = []
    for among, group in groupby((step for step in proof if isinstance(step, Step)), key=lambda step: step.among):
        together = list(group)
        said.extend(_of_all(among, together) if among else _of_each(together))
    return [sentence for index, sentence in enumerate(said) if index == 0 or sentence != said[index - 1]]


def _of_all(among: str, together: Sequence[Step]) -> list[str]:
    """One sentence for steps that do the same."""
    listed = list(dict.fromkeys(step.said for step in together))
    return [among.format(listed=joined(listed), are="is" if len(listed) == 1 else "are")]


def _of_each(proof: Iterable[Step]) -> list[str]:
    said: list[str] = []
    for step in proof:
        if step.said:
            said.append(step.said)
        for case in step.cases:
            inner = told(case.proof)
            said.extend([f"{case.said}: {_lowered(inner[0])}", *inner[1:]] if case.said and inner else inner)
    return said


def joined(parts: Sequence[str]) -> str:
    """`a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _lowered(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:] if sentence[1:2].islower() else sentence


def size(proof: Proof) -> tuple[int, int]:
    """How long it is: its steps, then its characters."""
    return sum(1 for _ in steps(proof)), sum(len(step.tactic) for step in steps(proof))


def spare(proof: Proof) -> int:
    """How many steps it may well do without."""
    return sum(step.spare for step in steps(proof))


def without(proof: Proof, dropped: Collection[int]) -> Proof:
    """The proof without some of its spare steps, given by their numbers, outer before inner."""
    return _without(proof, dropped, count())


def _without(proof: Proof, dropped: Collection[int], numbers: Iterator[int]) -> Proof:
    whole: list[Step | Open] = []
    for step in proof:
        if isinstance(step, Open):
            whole.append(step)
            continue
        is_kept = not (step.spare and next(numbers) in dropped)
        cases = tuple(replace(case, proof=_without(case.proof, dropped, numbers)) for case in step.cases)
        if is_kept:
            whole.append(replace(step, cases=cases))
    return tuple(whole)
