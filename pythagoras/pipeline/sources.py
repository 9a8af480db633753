"""Where a build's problems come from: the generator's texts, or records that were imported.

Of the generator only the words are taken. Its own Lean would make the formaliser's work, and the judge's, a sham.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice

from pythagoras.corpus.dedup import DedupSettings, find_duplicates
from pythagoras.corpus.embedding.role import Embedder
from pythagoras.corpus.files import check_corpus, fingerprint, read_items
from pythagoras.corpus.generator.generate import Drawn, generate
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Problem, Tier, record_id
from pythagoras.corpus.rows import Fault
from pythagoras.corpus.stages import Dropped, Item
from pythagoras.errors import InputError
from pythagoras.pipeline.recipe import Source


def problems(source: Source, tier: Tier) -> Iterator[Problem | Fault]:
    """The problems of a source, in their order, all in one tier; what can't be read stands between them."""
    if source.files:
        for item in islice(read_items(source.files, "problem"), source.count):
            yield replace(item, tier=tier) if isinstance(item, Problem) else _fault(item)
        return
    for made in _drawn(source):
        yield replace(made.problem, tier=tier)


def check(source: Source) -> None:
    """Raises InputError for a source that nothing can be read from, before anything is."""
    if not source.files:
        _drawn(source)
    for path in source.files:
        if not path.exists():
            raise InputError(f"the source {path} is not there: `pythagoras corpus import` writes such, or name another")
        check_corpus(path)


def _drawn(source: Source) -> Iterator[Drawn]:
    """The generator's problems; what can't be drawn is told at once."""
    if source.count is None:
        raise InputError("the generator has no end of problems: say in the recipe how many (count)")
    return generate(
        source.count,
        source.seed,
        families=source.families or None,
        levels=source.levels,
        false_share=source.false_share,
    )


def inputs_of(source: Source) -> dict[str, str]:
    """The files of a source, with what shows that they changed."""
    return {str(path): fingerprint(path) for path in source.files}


def distinct(items: Iterable[Problem | Fault]) -> Iterator[Item]:
    """The same, each text once."""
    found = list(items)
    yield from find_duplicates(lambda: found, None).decided(found)


def below(
    harder: Iterable[Problem], items: Iterable[Problem | Fault], embedder: Embedder | None, tau: float
) -> Iterator[Item]:
    """The items, each text once, without those that are, or nearly are, among the harder problems.

    The paper gives what is in both sources to the hard tier. Near duplicates among the items themselves stay for now.
    """
    above, found = list(harder), list(items)
    ids = {record_id(problem) for problem in above}
    settings = DedupSettings(tau=tau, linkage="direct")
    both = list(chain(above, found))
    decisions = find_duplicates(lambda: both, embedder, settings).decided(both)
    for item, decision in zip(found, islice(decisions, len(above), None), strict=True):
        if isinstance(decision, Dropped) and decision.other in ids:
            yield replace(decision, reason=Reason.HARDER_TIER, detail=decision.reason.value)
        elif isinstance(decision, Dropped) and decision.reason is Reason.NEAR_DUPLICATE:
            yield item
        else:
            yield decision


def _fault(item: object) -> Fault:
    assert isinstance(item, Fault)
    return item
