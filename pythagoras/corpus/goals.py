"""Statements without their proofs: what a prover is asked, and what reinforcement learning has for problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pythagoras.corpus.records import Formalisation, Instance
from pythagoras.lean import signatures
from pythagoras.lean.scopes import joined
from pythagoras.lean.tokens import Sort, tokens


def without_proof(instance: Instance) -> Formalisation:
    """An instance's statement. Lemmas that its proof brought along are gone with it."""
    return Formalisation(
        name=instance.name,
        text=instance.statement,
        source=instance.source,
        header=instance.header,
        context=without_lemmas(instance.context, instance.statement),
        docstring=instance.informal,
        topic=instance.topic,
        tier=instance.tier,
        provenance=instance.provenance,
    )


def as_problem(goal: Formalisation) -> Instance:
    """A statement as an instance whose proof is still to be found."""
    return Instance(
        name=goal.name,
        statement=goal.text,
        proof="",
        source=goal.source,
        tier=goal.tier,
        verified=False,
        informal=goal.docstring,
        header=goal.header,
        context=goal.context,
        topic=goal.topic,
        provenance=goal.provenance,
    )


def each_once(problems: Iterable[Instance]) -> Iterator[tuple[Instance, str]]:
    """The statements, each once, with the text that a proof is judged by."""
    seen: set[int] = set()  # 2 million hashes are 150 MB at the most
    for problem in problems:
        key = hash((problem.header, problem.context, problem.statement))
        if key not in seen:
            seen.add(key)
            context = f"{problem.context.strip()}\n\n" if problem.context.strip() else ""
            yield problem, f"{context}{problem.statement} := sorry"


def without_lemmas(context: str, statement: str) -> str:
    """What the statement rests on. Lemmas before it are the proof's, unless it, or a definition, is made with them."""
    commands = signatures.commands(context)
    needed = _parts_of_names(statement)
    kept: list[signatures.Command] = []
    for command in reversed(commands):
        own_name = (command.written_name or "").rpartition(".")[2]
        if command.word not in signatures.THEOREMS or own_name in needed:
            kept.append(command)
            needed |= _parts_of_names(context[command.start : command.end])
    return context if len(kept) == len(commands) else joined(context, reversed(kept))


def _parts_of_names(text: str) -> set[str]:
    return {part for token in tokens(text) if token.sort is Sort.NAME for part in token.text.split(".")}
