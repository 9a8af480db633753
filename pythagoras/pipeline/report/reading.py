"""The figures of a build, read from its folder: what each stage stored, counted and took."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from pythagoras.corpus.files import read_records
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Instance, Problem, Record, Rejected, formal_text, informal_text
from pythagoras.corpus.rows import from_line
from pythagoras.corpus.store import Store, open_store
from pythagoras.errors import InputError
from pythagoras.lean.diagnostics import ErrorClass
from pythagoras.lookup import choose
from pythagoras.pipeline.case import origin_of
from pythagoras.pipeline.report.figures import Bar, Figures, Step
from pythagoras.pipeline.run_folder import CORPUS, FUNNEL, HELD_OUT
from pythagoras.pipeline.stage_runner import STAGES, read_costs

_CLASSES = frozenset(error.value for error in ErrorClass)


def read_figures(folder: Path) -> Figures:
    """What a finished build did. Raises InputError where there is none."""
    if not (folder / FUNNEL).is_file():
        if (folder / STAGES).is_dir():
            raise InputError(f"{folder} is not finished: run `pythagoras corpus build` again, it goes on")
        raise InputError(f"{folder} is no build: make one with `pythagoras corpus build -o {folder}`, or name another")
    stores = stage_stores(folder)
    costs = read_costs(folder)
    told = json.loads((folder / FUNNEL).read_text(encoding="utf-8"))
    examined = stores["examine"].manifest.funnel[-1]
    by = _grouping(stores["source"])
    errors, no_class = _errors(stores["formalise-medium"], stores["prove-medium"])
    return Figures(
        name=str(told["recipe"]),
        seed=_bars(stores["source"], stores["prove-medium"], by),
        synthetic=_bars(stores["new-easy"], stores["prove-easy"], "origin"),
        hard=_bars(stores["new-hard"], stores["prove-hard"], by) if "new-hard" in stores else (),
        errors=errors,
        formalised_seed=_formalised(stores, "source", "formalise-medium"),
        formalised_synthetic=_formalised(stores, "new-easy", "formalise-easy"),
        failed=examined.read,
        actionable=examined.kept,
        final={f"{side}, {tier}": count for side, tiers in told["corpus"].items() for tier, count in tiers.items()},
        steps=tuple(_step(name, store, costs.get(name, {})) for name, store in stores.items()),
        no_class=no_class,
    )


def stage_stores(folder: Path) -> dict[str, Store]:
    """The stores of a build's stages by name, in order; those of the finished corpus last."""
    places = [*sorted((folder / STAGES).iterdir()), folder / HELD_OUT, folder / CORPUS / "train"]
    stores = [open_store(place) for place in (*places, folder / CORPUS / "validation") if place.is_dir()]
    return {store.manifest.stage: store for store in stores}


def _step(name: str, store: Store, costs: dict[str, float]) -> Step:
    step = store.manifest.funnel[-1]
    size = float(sum(shard.bytes for shard in store.shards))
    if "worker_s" not in costs:  # cheap stages are done by one process, whoever else there is
        wall = costs.get("wall_s", 0.0)
        costs = {**costs, "worker_s": wall, "alone_s": wall}
    costs = {**costs, "bytes": size}
    return Step(name, step.read, step.kept, dict(step.dropped), dict(step.tally), costs)


def _grouping(source: Store) -> str:
    """By source where there are several, else by topic."""
    sources = {record.source for record in _records(source, "problem") if isinstance(record, Problem)}
    return "source" if len(sources) > 1 else "topic"


def _bars(asked: Store, proved: Store, by: str) -> tuple[Bar, ...]:
    """Problems that were to be proved, and those that were."""
    total = Counter(_group(record, by) for record in _records(asked, "problem"))
    accepted = Counter(_group(record, by) for record in _records(proved, "instance"))
    return tuple(Bar(name, accepted[name], count - accepted[name]) for name, count in sorted(total.items()))


def _group(record: Record, by: str) -> str:
    if by == "origin":
        assert isinstance(record, Problem | Instance)
        return origin_of(record)
    return str(getattr(record, by)) or "(none)"


def _records(store: Store, kind: str) -> Iterable[Record]:
    """The records of one kind that a stage kept; none where it has none."""
    return read_records(store.folder, kind) if store.rows(kind) else ()


def _errors(formalised: Store, proved: Store) -> tuple[dict[str, int], int]:
    """The seven classes among statements that Lean refused and failed attempts at those that stayed unproved.

    And how many of them have no class.
    """
    steps = [store.manifest.funnel[-1] for store in (formalised, proved)]
    found = Counter[str]()
    for step in steps:
        found.update({name.removeprefix("error/"): n for name, n in step.tally.items() if name.startswith("error/")})
    classes = {name: count for name, count in found.items() if name in _CLASSES}
    refused = steps[0].dropped.get(Reason.REFUSED_BY_LEAN.value, 0)
    named = sum(count for name, count in steps[0].tally.items() if name.startswith("error/"))
    return classes, found.total() - sum(classes.values()) + refused - named


def _formalised(stores: dict[str, Store], asked: str, formalised: str) -> tuple[int, int]:
    return stores[formalised].rows("formalisation"), stores[asked].rows("problem")


def rejected(folder: Path, stage: str) -> Iterator[Rejected]:
    """What a stage of a build dropped, in order. Raises InputError for an unknown stage."""
    for record in _records(choose("stage", stage, stage_stores(folder)), "rejected"):
        assert isinstance(record, Rejected)
        yield record


def text_of(dropped: Rejected) -> str:
    """What was dropped, in words where it has them, else in Lean."""
    record = from_line(dropped.row)
    return informal_text(record) or formal_text(record)
