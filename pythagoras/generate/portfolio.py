"""A fixed list of tactics as a sampler: attempt k is the k-th of them. The baseline that a learned prover must beat.

A list of one's own is a text file: a tactic a line, or a proof body that begins with `by`; indented lines go on with
the one above. Blank lines and lines that begin with `--` are none. A term is written as `exact TERM`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pythagoras.corpus.tokenizers import LeanCounter
from pythagoras.errors import InputError
from pythagoras.generate.sampler import Ability, Finish, Request, Sample

_TACTICS = ("rfl", "decide", "omega", "simp", "grind", "simp_all", "trivial")
ONE_LINERS = (*_TACTICS, "decide +kernel", *(f"intros; {tactic}" for tactic in _TACTICS))
"""The fifteen that anybody tries first."""


class Portfolio:
    """Tactics in the place of a model. They cost no prompt; what counts as generated are Lean's words and signs."""

    abilities = frozenset({Ability.INFILL})

    def __init__(self, tactics: Sequence[str] = ONE_LINERS, name: str = "portfolio") -> None:
        if not tactics:
            raise InputError("a portfolio without tactics makes no attempts: give one at least")
        self.name = name
        self._tactics = tuple(tactics)
        self._counter = LeanCounter()

    @property
    def settings(self) -> Mapping[str, Any]:
        return {"tactics": list(self._tactics), "token_counts": self._counter.name}

    @property
    def most(self) -> int:
        return len(self._tactics)

    def sample(self, requests: Iterable[Request]) -> Iterator[Sample]:
        return map(self._sample, requests)

    def _sample(self, request: Request) -> Sample:
        if request.hole is not None:  # other rounds of an attempt try other tactics
            tactic = self._tactics[(request.number + request.round) % len(self._tactics)]
            return self._written(request, tactic)
        if request.turns:
            return _failed(request, f"{self.name} can't be talked to: it has the same tactics whatever it is told")
        if request.number >= len(self._tactics):
            why = f"{self.name} has {len(self._tactics)} attempts: there is no {request.number}"
            return Sample(request, "", Finish.NONE, failure=why)
        return self._written(request, _body(self._tactics[request.number]))

    def _written(self, request: Request, text: str) -> Sample:
        return Sample(request, text, generated_tokens=self._counter.count([text])[0])


def read_tactics(path: Path) -> tuple[str, ...]:
    """The tactics of a user's file. Raises InputError, with the line where there is one to name."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "it is no UTF-8"
        raise InputError(f"the tactics in {path} can't be read ({said}): name a text file, a tactic a line") from None
    found: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("--"):
            continue
        if not line[0].isspace():
            found.append(line.rstrip())
        elif found:
            found[-1] += f"\n{line.rstrip()}"
        else:
            raise InputError(
                f"{path}, line {number}: it is indented, but there is no tactic above that it goes on with"
            )
    if not found:
        raise InputError(f"{path} has no tactics: write one a line")
    if repeated := [tactic for tactic, times in Counter(found).items() if times > 1]:
        raise InputError(f"{path} has {min(repeated)!r} more than once: attempts would repeat themselves")
    return tuple(found)


def _body(tactic: str) -> str:
    """The tactic as a proof body."""
    if tactic.split(maxsplit=1)[0] == "by":
        return tactic
    lines = tactic.split("\n")
    return "\n".join(["by", *(f"  {line}" for line in lines)]) if len(lines) > 1 else f"by {tactic}"


def _failed(request: Request, why: str) -> Sample:
    return Sample(request, "", Finish.FAILED, failure=why)
