"""A small world in which a whole build can be followed by hand: sums, players that follow a script, a Lean of words.

Problems read "Prove that 3 + 4 = 7." and may end in words that say what happens to them:
    unwritten     the formaliser can't            refused      Lean refuses the statement
    unread        it is not read back             otherwise    it is read back as something else
    second        the first attempt fails         never        all fail
    dies          Lean breaks down over proofs    barren       nothing can be distilled from its failure
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pythagoras.corpus.records import Instance, Problem, Record, formal_text, informal_text
from pythagoras.corpus.rows import to_line
from pythagoras.errors import HostDied
from pythagoras.generate.sampler import Ability, Request, Sample, Sampler
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.pool import Check, Checker
from pythagoras.lean.wire import Answer, Limits
from pythagoras.pipeline.recipe import Recipe
from pythagoras.pipeline.roles.role import Player, Task, Written

WORDS = ("", "plain", "second", "never", "unwritten", "refused", "unread", "otherwise", "dies", "barren")
_SUM = re.compile(r"Prove that (\d+) \+ (\d+) = (\d+)(?:, (\w+))?\.")


@dataclass(frozen=True)
class FakeTools:
    """Tools of that world. Pickled, they are the same again."""

    def lean(self) -> nullcontext[Checker]:
        return nullcontext(FakeChecker(lean))

    def limits(self) -> Limits:
        return Limits()

    @contextmanager
    def players(self, *parts: str) -> Iterator[tuple[Player, ...]]:
        yield tuple(ScriptedPlayer(part) for part in parts)

    def prover(self, checker: Checker) -> nullcontext[Sampler]:
        return nullcontext(ScriptedProver())


class ScriptedPlayer:
    """Answers by a function of the fields."""

    def __init__(self, part: str) -> None:
        self.name = f"scripted {part}"
        self.settings: Mapping[str, Any] = {}
        self._answer = ANSWERS[part.partition("_")[0]]

    def write(self, tasks: Iterable[Task]) -> Iterator[Written]:
        for task in reversed(list(tasks)):  # in whatever order
            yield Written(task, self._answer(task), prompt_tokens=7, generated_tokens=3, seconds=0.5)


class ScriptedProver:
    name = "scripted prover"
    settings: Mapping[str, Any] = {}
    abilities = frozenset[Ability]()
    most = None

    def sample(self, requests: Iterable[Request]) -> Iterator[Sample]:
        for request in requests:
            word = _word(request.goal.docstring)
            fails = word in ("never", "barren") or (word == "second" and request.number == 0)
            body = "by dies" if word == "dies" else "by wrong" if fails else "by simp"
            text = f"It is a sum, so computing it is enough.\n\n```lean4\n{request.goal.text} := {body}\n```"
            yield Sample(request, text, generated_tokens=9, seconds=0.25)


def _word(text: str) -> str:
    found = _SUM.search(text)
    return (found and found[4]) or ""


def _formalise(task: Task) -> str:
    first, second, total, word = _SUM.findall(task.fields["problem"])[0]
    if word == "unwritten":
        return "CAN'T: it is beyond me"
    marker = {"refused": "(bad : 1 = 1)", "unread": "(dark : 1 = 1)", "otherwise": "(twist : 1 = 1)"}.get(word, "")
    note = f"(_ : {word} = {word})" if word and not marker else marker
    return f"```lean4\ntheorem {task.fields['name']} {note} : {first} + {second} = {total} := by sorry\n```"


def _informalise(task: Task) -> str:
    statement = task.fields["statement"]
    if "dark" in statement:
        return "CAN'T: what is this?"
    first, second, total = re.findall(r": (\d+) \+ (\d+) = (\d+)", statement)[-1]
    return f"Prove that {first} + {second} = {int(total) + ('twist' in statement)}."


def _align(task: Task) -> str:
    said, read = (_SUM.findall(task.fields[name])[0][:3] for name in ("problem", "read_back"))
    same = said == read
    return json.dumps({"verdict": "same" if same else "different", "discrepancy": "" if same else "another total"})


def _distil(task: Task) -> str:
    first, second, _, word = _SUM.findall(task.fields["problem"])[0]
    if word == "barren":
        return "no JSON at all"
    shift = 0 if task.fields["size"] == "large" and task.number == 0 else 10 * task.number
    one = int(first) + 100 + shift + (task.fields["size"] == "small")
    question = f"Prove that {one} + {second} = {one + int(second)}."
    return json.dumps(
        {
            "root_cause": "the sum was not computed",
            "level": task.fields["level"],
            "category": task.fields["category"],
            "question": question,
            "solution": f"Start with {one}. Count {second} further. This gives the claimed total.",
        }
    )


def _vary(task: Task) -> str:
    first, second, _, _ = _SUM.findall(task.fields["problem"])[0]
    one = int(first) + 1000 * (task.number + 1)
    if task.number == 3:  # another name for the neighbour, which is held out
        one = int(first) + 1
    return json.dumps({"question": f"Prove that {one} + {second} = {one + int(second)}.", "change": "the first number"})


ANSWERS: dict[str, Callable[[Task], str]] = {
    "formalise": _formalise,
    "informalise": _informalise,
    "align": _align,
    "distil": _distil,
    "vary": _vary,
}


def text(first: int, second: int, word: str = "") -> str:
    return f"Prove that {first} + {second} = {first + second}{f', {word}' if word else ''}."


def a_recipe(folder: Path, *, words: Sequence[str] = WORDS, hard: int = 10, **more: Any) -> Recipe:
    """A recipe over two files: a problem of each word, twice; and neighbours, with one of the others among them."""
    folder.mkdir(parents=True, exist_ok=True)
    medium = [Problem(text(at, 2, word), "made", "sums") for at, word in enumerate([*words, *words])]
    harder = [Problem(text(at, 3), "contest") for at in range(50, 50 + hard)]
    for name, problems in (("medium", medium), ("hard", [*harder, Problem(text(0, 2), "contest")] if hard else [])):
        (folder / f"{name}.jsonl").write_text("".join(f"{to_line(problem)}\n" for problem in problems))
    settings: dict[str, Any] = {
        "name": "sums",
        "source": {"files": [folder / "medium.jsonl"]},
        "hard_source": {"files": [folder / "hard.jsonl"]} if hard else None,
        "finish": {"embedder": "none", "against": [], "validation_share": 0.3},
    }
    return Recipe.model_validate(settings | more)


def lean(check: Check) -> Answer | Exception:
    """Takes all but what has the words `wrong`, `bad` or `dies` in it; a type is the text without names."""
    if "versionString" in check.code:
        return _said("info", '"4.28.0"')
    name = check.names[0] if check.names else ""
    if "by dies" in check.code:
        return HostDied("the host died")
    if "wrong" in check.code or "(bad" in check.code:
        return _said("error", "unsolved goals\nn : ℕ\nh : 3 < n\n⊢ 3 + n = 7", max(check.code.find("wrong"), 8))
    stated = re.split(r":=|\|", check.code.partition(f"theorem {name}")[2])[0]
    key = hashlib.md5(re.sub(r"\(.*?\)|\s", "", stated).encode()).hexdigest()
    declared = {"name": name, "kind": "theorem", "type": "T", "typeKey": key, "axioms": []}
    return Answer.model_validate({"declarations": [declared]})


def _said(severity: str, text: str, column: int = 0) -> Answer:
    place = {"line": 1, "column": column}
    return Answer.model_validate({"messages": [{"severity": severity, "pos": place, "data": text}]})


# --- what a leak is, found without the pipeline's own means ---------------------------------------

_ALIKE = 0.9
"""Texts that share so many of their runs of five signs say the same, unless their numbers differ."""


def told_again(instances: Iterable[Instance], held: Iterable[Record]) -> list[tuple[str, str]]:
    """Texts of a corpus beside those held out that they repeat: in words with the same numbers, or in Lean."""
    held = list(held)
    words = [(told, _runs(told), re.findall(r"\d+", told)) for record in held if (told := informal_text(record))]
    statements = {_nameless(told): told for record in held if (told := formal_text(record))}
    found = []
    for instance in instances:
        runs, numbers = _runs(instance.informal), re.findall(r"\d+", instance.informal)
        found += [
            (instance.informal, told)
            for told, theirs, same in words
            if numbers == same and len(runs & theirs) >= _ALIKE * len(runs | theirs)
        ]
        if (again := statements.get(_nameless(instance.statement))) is not None:
            found.append((instance.statement, again))
    return found


def _runs(text: str) -> set[str]:
    """Runs of five signs; every single letter is the same one."""
    plain = re.sub(r"\b[a-z]\b", "v", re.sub(r"[^\w+*/^=<>≤≥≠-]+", " ", text.lower()))
    return {plain[at : at + 5] for at in range(max(1, len(plain) - 4))}


def _nameless(statement: str) -> str:
    """A theorem without its name, its binders in an order of their own, its variables numbered as they come."""
    text = " ".join(statement.split()).partition(" ")[2].partition(" ")[2]
    binders = re.findall(r"\(([^():]+) : ((?:[^()]|\([^()]*\))*)\)(?=.* : )", text)
    names = {name for own, _ in binders for name in own.split()}
    claim = text[text.rfind(") : ") + 4 :] if ") : " in text else text.removeprefix(": ")
    parts = [kind for own, kind in binders for _ in own.split()]
    masked = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, sorted(names)))})(?![\w'])") if names else None
    if masked is None:
        return claim
    ordered = [claim, *sorted(parts, key=lambda part: masked.sub("v", part))]
    numbers: dict[str, str] = {}
    return masked.sub(lambda name: numbers.setdefault(name[0], f"v{len(numbers)}"), " | ".join(ordered))


def digest(folder: Path) -> dict[str, str]:
    """Every file of a build by its hash, but locks and costs."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if path.name != ".lock" and path.parent.name != "costs"
    }
