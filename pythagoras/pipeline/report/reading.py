"""The figures of a build, read from its folder: what each stage stored, counted and took."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from pythagoras.corpus.files import read_records
from pythagoras.corpus.records import Instance, Problem, Record
from pythagoras.corpus.store import Store, open_store
from pythagoras.errors import InputError
from pythagoras.lean.diagnostics import ErrorClass
from pythagoras.pipeline.building import CORPUS, FUNNEL, HELD_OUT
from pythagoras.pipeline.case import origin_of
from pythagoras.pipeline.report.figures import Bar, Figures, Step
from pythagoras.pipeline.stage_runner import STAGES, read_costs

_CLASSES = frozenset(error.value for error in ErrorClass)


def read_figures(folder: Path) -> Figures:
    """What a finished build did. Raises InputError where there is none."""
    if not (folder / FUNNEL).is_file():
        begun = (folder / STAGES).is_dir()
        raise InputError(
            f"{folder} is {'not finished: run `pythagoras corpus build` again, it goes on' if begun else 'no build'}"
        )
    stores = stage_stores(folder)
    costs = read_costs(folder)
    told = json.loads((folder / FUNNEL).read_text(encoding="utf-8"))
    examined = stores["examine"].manifest.funnel[-1]
    by = _grouping(stores["source"])
    return Figures(
        name=str(told["recipe"]),
        seed=_bars(stores["source"], stores["prove-medium"], by),
        synthetic=_bars(stores["new-easy"], stores["prove-easy"], "origin"),
        hard=_bars(stores["new-hard"], stores["prove-hard"], by) if "new-hard" in stores else (),
        errors=_errors(stores["prove-medium"]),
        formalised_seed=_formalised(stores, "source", "formalise-medium"),
        formalised_synthetic=_formalised(stores, "new-easy", "formalise-easy"),
        failed=examined.read,
        actionable=examined.kept,
        final={f"{side}, {tier}": count for side, tiers in told["corpus"].items() for tier, count in tiers.items()},
        steps=tuple(_step(name, store, costs.get(name, {})) for name, store in stores.items()),
    )


def stage_stores(folder: Path) -> dict[str, Store]:
    """The stores of a build's stages by name, in order; those of the finished corpus last."""
    places = [*sorted((folder / STAGES).iterdir()), folder / HELD_OUT, folder / CORPUS / "train"]
    stores = [open_store(place) for place in (*places, folder / CORPUS / "validation") if place.is_dir()]
    return {store.manifest.stage: store for store in stores}


def _step(name: str, store: Store, costs: dict[str, float]) -> Step:
    step = store.manifest.funnel[-1]
    size = float(sum(shard.bytes for shard in store.shards))
    costs = {"worker_s": costs.get("wall_s", 0.0), **costs, "bytes": size}  # cheap stages are done by one
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


def _errors(proved: Store) -> dict[str, int]:
    """The seven classes among the failed attempts at statements that stayed unproved."""
    tally = proved.manifest.funnel[-1].tally
    found = {name.removeprefix("error/"): count for name, count in tally.items() if name.startswith("error/")}
    return {name: count for name, count in found.items() if name in _CLASSES}


def _formalised(stores: dict[str, Store], asked: str, formalised: str) -> tuple[int, int]:
    return stores[formalised].rows("formalisation"), stores[asked].rows("problem")
