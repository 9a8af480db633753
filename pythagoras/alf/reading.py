"""A variant's text, read in its parent's place: on the same header and context, and by the reader of parents."""

from __future__ import annotations

from pythagoras.alf.mutating import parent_of
from pythagoras.alf.variants import Parent
from pythagoras.corpus.records import Formalisation


def in_place_of(parent: Parent, text: str) -> Parent:
    """The statement of that text, and what it means as far as that can be told. Raises InputError where it is none."""
    given = parent.statement
    return parent_of(Formalisation("", text, "", header=given.header, context=given.context))
