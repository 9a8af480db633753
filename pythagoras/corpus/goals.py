"""The statement of an instance without its proof: what a prover is asked."""

from __future__ import annotations

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
