"""The seed corpus, from problems to two sides of a finished corpus: every stage in its order.

    with open_engine("local") as engine:
        built = build(load_recipe("embedded"), Path("runs/seed"), engine, benchmarks=items)

    folder/corpus/train/  corpus/validation/    instances in three tiers
    folder/held_out/                            hard problems and their formalisations, for reinforcement learning
    folder/funnel.json                          what each stage read, kept, dropped and counted

Killed at any moment, it goes on when it is called again, and ends with the same bytes. The engine and the number of its
workers change nothing in them either.
"""

from __future__ import annotations

import functools
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeVar

from pythagoras.corpus import prompts
from pythagoras.corpus.embedding.embedders import NO_EMBEDDER
from pythagoras.corpus.files import read_records
from pythagoras.corpus.linkage import LINKAGES
from pythagoras.corpus.records import Formalisation, Instance, Problem, Record, Tier, group_of, record_id
from pythagoras.corpus.stages import Item
from pythagoras.corpus.store import Step, Store, write_json
from pythagoras.engine.engine import Engine
from pythagoras.errors import InputError
from pythagoras.lean.backends import check_place, open_checker
from pythagoras.lean.headers import header_names
from pythagoras.llm.endpoint import base_url
from pythagoras.lookup import choose
from pythagoras.pipeline import sources
from pythagoras.pipeline.case import root_of
from pythagoras.pipeline.distilling import (
    SIZES,
    Distilling,
    Examining,
    FailedGoal,
    count_failed,
    failed_goals,
    wanted_problems,
)
from pythagoras.pipeline.finishing import (
    Sweeping,
    deduplicated,
    new_problems,
    one_of_each_type,
    open_embedder,
    sweeping,
    validation_roots,
)
from pythagoras.pipeline.formalising import Formalising
from pythagoras.pipeline.hardening import Varying, wanted_variants
from pythagoras.pipeline.held_out import HeldOut, held_out
from pythagoras.pipeline.proving import Proving
from pythagoras.pipeline.recipe import Player, Prover, Recipe, Source
from pythagoras.pipeline.roles.role import RoleName
from pythagoras.pipeline.roles.templates import template
from pythagoras.pipeline.run_folder import CORPUS, FUNNEL, HELD_OUT, opened, recordings, settings
from pythagoras.pipeline.stage_runner import OnProgress, OnStage, StageRunner
from pythagoras.pipeline.tools import RecipeTools, Tools

_TIER = "tier/"
_MODELS = frozenset({"endpoint", "local", "replay"})
_NEEDED = {"endpoint": ("url", "model"), "local": ("model",), "replay": ("recording",)}
"""What a model of each backend can't be without."""
T = TypeVar("T", bound=Record)


@dataclass(frozen=True, slots=True)
class Built:
    """A finished build."""

    folder: Path
    funnel: tuple[Step, ...]
    """What each stage did, in order."""
    stages: dict[str, Store]
    """Their stores, by name."""
    train: Store
    validation: Store
    held_out: Store


def build(
    recipe: Recipe,
    folder: Path,
    engine: Engine,
    *,
    benchmarks: Sequence[Record] = (),
    cache: Path | None = None,
    tools: Tools | None = None,
    overwrite: bool = False,
    on_stage: OnStage = lambda stage, total: None,
    on_progress: OnProgress = lambda stage, read, kept, dropped: None,
) -> Built:
    """Build what a recipe describes, or go on with it. Raises InputError where the folder is another recipe's.

    `benchmarks` are the items of those that the recipe names in `finish.against`: this package can't reach ours.
    `cache` is where answers of models are kept; `tools` are others than the recipe's, for tests. With `overwrite`,
    what another build left in the folder makes room.
    """
    check(recipe)
    if overwrite:
        _check_apart(recipe, folder)
    if bool(benchmarks) != bool(recipe.finish.against):
        named = ", ".join(recipe.finish.against) or "none"
        raise InputError(f"the recipe is cleaned of {named}, and {len(benchmarks)} items were given: give those")
    with opened(folder, recipe, overwrite=overwrite):
        runner = StageRunner(folder, engine, on_stage, on_progress)
        return _Build(recipe, folder, runner, tools or RecipeTools(recipe, cache), tuple(benchmarks)).run()


def check(recipe: Recipe) -> None:
    """Raises InputError for what can't be built, before anything is: names that nobody has, places where nothing is.

    Whether a server answers, a Lean runs and a model can be loaded shows when it is opened.
    """
    for source in (recipe.source, recipe.hard_source):
        if source is not None:
            sources.check(source)
    finish = recipe.finish
    choose("linkage", finish.linkage, LINKAGES)
    open_embedder(finish.embedder)
    choose("header", recipe.lean.header, dict.fromkeys(header_names()))
    open_checker(recipe.lean.backend, jobs=1, header=recipe.lean.header, spare=False)
    check_place(recipe.lean.backend)
    prompts.prompt(recipe.prover.prompt)
    models: dict[str, Player | Prover] = {**dict(recipe.roles), "prover": recipe.prover}
    for part, model in models.items():
        place = part if part == "prover" else f"roles.{part}"
        missing = [name for name in _NEEDED.get(model.backend, ()) if not getattr(model, name)]
        if missing:
            raise InputError(f"{place} is {model.backend!r} without {missing[0]!r}: set {place}.{missing[0]}")
        if model.backend == "endpoint":
            try:
                base_url(model.url)
            except InputError as error:
                raise InputError(f"{place}.url: {error}") from None
    recordings(**models)


def _check_apart(recipe: Recipe, folder: Path) -> None:
    """Refuse to take away what is to be read."""
    hard = recipe.hard_source.files if recipe.hard_source is not None else ()
    for path in (*recipe.source.files, *hard, *map(Path, recipe.finish.against)):
        if path.exists() and path.resolve().is_relative_to(folder.resolve()):
            raise InputError(f"{folder} can't be begun anew while {path} is read: choose a folder apart from it")


class _Build:
    """The stages of one build, each a method that names what it reads."""

    def __init__(
        self, recipe: Recipe, folder: Path, runner: StageRunner, tools: Tools, benchmarks: tuple[Record, ...]
    ) -> None:
        self.recipe = recipe
        self.folder = folder
        self.runner = runner
        self.tools = tools
        self.benchmarks = benchmarks
        self.hard: Store | None = None
        self.originals: Store | None = None

    @functools.cached_property
    def held(self) -> HeldOut:
        """What is held out: reading all of it takes a while, so it is done when a stage has something to do."""
        if self.hard is None or self.originals is None:
            return HeldOut()
        return held_out(_read(self.hard, Problem), _read(self.originals, Formalisation))

    @property
    def held_inputs(self) -> dict[str, str]:
        return _inputs(self.hard, self.originals)

    def run(self) -> Built:
        hard = self.hard_source()
        source = self.source(hard)
        originals = self.formalise("originals", hard) if hard is not None else None
        self.hard, self.originals = hard, originals
        medium = self.first_pass(source)
        easy = self.rubric(source, *medium)
        varied = self.harden(hard) if hard is not None else None
        clean = self.finish([store for store in (varied, medium[1], easy) if store is not None])
        return self.deliver(clean, self.hold_out(hard, originals))

    # --- sources ---------------------------------------------------------------------------------

    def hard_source(self) -> Store | None:
        source = self.recipe.hard_source
        if source is None:
            return None
        return self.runner.sift(
            "hard-source",
            lambda: sources.distinct(sources.problems(source, Tier.HARD)),
            settings={"source": settings(source)},
            inputs=sources.inputs_of(source),
            total=_count(source),
        )

    def source(self, hard: Store | None) -> Store:
        source, finish = self.recipe.source, self.recipe.finish

        def items() -> Iterator[Item]:
            found = sources.problems(source, Tier.MEDIUM)
            if hard is None:
                return sources.distinct(found)
            return sources.below(_read(hard, Problem), found, open_embedder(finish.embedder), finish.tau)

        return self.runner.sift(
            "source",
            items,
            settings={"source": settings(source), "embedder": finish.embedder, "tau": finish.tau},
            inputs=sources.inputs_of(source) | _inputs(hard),
            total=_count(source),
        )

    # --- the paper's two stages ------------------------------------------------------------------

    def formalise(self, name: str, problems: Store) -> Store:
        recipe = self.recipe
        players = {part: getattr(recipe.roles, part) for part in ("formalise", "informalise", "align")}
        return self.runner.map(
            f"formalise-{name}",
            Formalising(self.tools, recipe.seed, recipe.lean.header),
            lambda: _read(problems, Problem),
            problems.rows("problem"),
            settings={
                "seed": recipe.seed,
                "lean": settings(recipe.lean),
                "roles": _roles(players),
            },
            inputs=_inputs(problems) | recordings(**players),
            batch=_batch(*players.values()),
        )

    def prove(self, name: str, formalised: Store) -> Store:
        """Prove what does not say what a problem held out says."""
        apart = self.runner.sift(
            f"apart-{name}",
            lambda: self.held.decide(_read(formalised, Formalisation)),
            settings={},
            inputs=_inputs(formalised) | self.held_inputs,
            total=formalised.rows("formalisation"),
        )
        recipe = self.recipe
        return self.runner.map(
            f"prove-{name}",
            Proving(self.tools, recipe.seed, recipe.prover.attempts),
            lambda: _read(apart, Formalisation),
            apart.rows("formalisation"),
            settings={"seed": recipe.seed, "lean": settings(recipe.lean), "prover": settings(recipe.prover)},
            inputs=_inputs(apart) | recordings(prover=recipe.prover),
            batch=recipe.prover.concurrency if recipe.prover.backend in _MODELS else 1,
        )

    def first_pass(self, source: Store) -> tuple[Store, Store]:
        formalised = self.formalise("medium", source)
        return formalised, self.prove("medium", formalised)

    def rubric(self, source: Store, formalised: Store, proved: Store) -> Store:
        """Easier problems from what failed, through the same two stages."""
        recipe, rubric = self.recipe, self.recipe.rubric
        refused = self.runner.sift(  # they never came to where the others are told apart
            "apart-refused",
            lambda: self.held.decide(failed.goal for failed in failed_goals(formalised)),
            settings={},
            inputs=_inputs(formalised) | self.held_inputs,
            total=count_failed(formalised),
        )

        def failed() -> Iterator[FailedGoal]:
            allowed = {record_id(goal) for goal in _read(refused, Formalisation)}
            return chain(failed_goals(formalised, allowed), failed_goals(proved))

        examined = self.runner.map(
            "examine",
            Examining(self.tools),
            failed,
            refused.rows("formalisation") + count_failed(proved),
            settings={"lean": settings(recipe.lean)},
            inputs=_inputs(refused, proved),
        )
        players = {f"distil_{size}": getattr(recipe.roles, f"distil_{size}") for size in SIZES}
        failures = min(examined.rows("formalisation"), rubric.most or examined.rows("formalisation"))
        distilled = self.runner.map(
            "distil",
            Distilling(self.tools, recipe.seed),
            lambda: wanted_problems(islice(_read(examined, Formalisation), failures), rubric.variants),
            failures * len(SIZES) * rubric.variants,
            settings={
                "seed": recipe.seed,
                "rubric": settings(rubric),
                "roles": _roles(players),
            },
            inputs=_inputs(examined) | recordings(**players),
            batch=_batch(*players.values()),
        )
        fresh = self.new("easy", distilled, source, recipe.finish.embedder, rubric.tau)
        return self.prove("easy", self.formalise("easy", fresh))

    def harden(self, hard: Store) -> Store:
        """Variants of the hard problems, through the same two stages."""
        recipe = self.recipe
        varied = self.runner.map(
            "vary",
            Varying(self.tools, recipe.seed),
            lambda: wanted_variants(_read(hard, Problem), recipe.hard.variants),
            hard.rows("problem") * recipe.hard.variants,
            settings={
                "seed": recipe.seed,
                "hard": settings(recipe.hard),
                "roles": _roles({"vary": recipe.roles.vary}),
            },
            inputs=_inputs(hard) | recordings(vary=recipe.roles.vary),
            batch=_batch(recipe.roles.vary),
        )
        fresh = self.new("hard", varied, None, NO_EMBEDDER, 1.0)
        return self.prove("hard", self.formalise("hard", fresh))

    def new(self, name: str, made: Store, known: Store | None, embedder: str, tau: float) -> Store:
        """Of problems that somebody made, those that are neither known, nor held out, nor near one held out.

        `embedder` and `tau` are for near ones among themselves; what is held out has the recipe's.
        """

        def items() -> Iterator[Item]:
            found = list(_read(made, Problem))
            others = _read(known, Problem) if known is not None else ()
            return new_problems(found, others, self.apart, open_embedder(embedder), tau)

        return self.runner.sift(
            f"new-{name}",
            items,
            settings={"embedder": embedder, "tau": tau, "held_out": self.apart_settings},
            inputs=_inputs(made, known) | self.held_inputs,
            total=made.rows("problem"),
        )

    def apart(self, items: Iterable[Item]) -> Iterator[Item]:
        """The items, with those that say, or nearly say, what a problem held out says as dropped."""
        return self.held.decide_near(
            self.held.decide(items), open_embedder(self.recipe.finish.embedder), self.recipe.finish.tau
        )

    @property
    def apart_settings(self) -> dict[str, Any]:
        return {"embedder": self.recipe.finish.embedder, "tau": self.recipe.finish.tau}

    # --- the corpus as a whole -------------------------------------------------------------------

    def finish(self, proved: Sequence[Store]) -> Store:
        """`proved` has the harder tiers first."""
        finish = self.recipe.finish
        gathered = self.runner.sift(
            "gather",
            lambda: one_of_each_type(chain.from_iterable(_read(store, Instance) for store in proved)),
            settings={},
            inputs=_inputs(*proved),
            total=sum(store.rows("instance") for store in proved),
        )
        single = self.runner.sift(
            "dedup",
            lambda: deduplicated(
                lambda: _read(gathered, Instance), open_embedder(finish.embedder), finish.tau, finish.linkage
            ),
            settings={"embedder": finish.embedder, "tau": finish.tau, "linkage": finish.linkage},
            inputs=_inputs(gathered),
            total=gathered.rows("instance"),
        )
        clean = self.decontaminate(single) if self.benchmarks else single
        return self.runner.sift(
            "leaks",
            lambda: self.apart(_read(clean, Instance)),
            settings=self.apart_settings,
            inputs=_inputs(clean) | self.held_inputs,
            total=clean.rows("instance"),
        )

    def decontaminate(self, corpus: Store) -> Store:
        with self.sweeping(corpus) as sweep:
            return self.runner.sift(
                "decontaminate",
                lambda: _read(corpus, Instance),
                settings=sweep.settings,
                inputs=_inputs(corpus),
                total=corpus.rows("instance"),
                decide=sweep.decide,
                tally=sweep.tally,
            )

    def sweeping(self, corpus: Store) -> AbstractContextManager[Sweeping]:
        return sweeping(self.benchmarks, self.recipe.finish, self.tools.lean, lambda: _read(corpus, Instance))

    def hold_out(self, hard: Store | None, originals: Store | None) -> Store:
        """The hard problems and their formalisations, swept as the corpus is: they are trained on as well."""
        corpus = self.runner.stores["dedup"]
        with self.sweeping(corpus) as sweep:
            return self.runner.sift(
                "held-out",
                lambda: chain(
                    _read(hard, Problem) if hard is not None else (),
                    _read(originals, Formalisation) if originals is not None else (),
                ),
                settings=sweep.settings,
                inputs=self.held_inputs | (_inputs(corpus) if self.benchmarks else {}),
                decide=sweep.decide,
                tally=sweep.tally,
                folder=self.folder / HELD_OUT,
            )

    def deliver(self, clean: Store, held: Store) -> Built:
        """The finished corpus, and what is held out, where people look for them."""
        share, seed = self.recipe.finish.validation_share, self.recipe.seed
        roots = functools.cache(lambda: validation_roots(_read(clean, Instance), share, seed))
        train, validation = self.side("train", clean, roots), self.side("validation", clean, roots)
        write_json(
            self.folder / FUNNEL,
            {
                "recipe": self.recipe.name,
                "stages": [step.as_dict() for step in self.runner.funnel],
                "held_out": {kind: held.rows(kind) for kind in ("problem", "formalisation")},
                "corpus": {name: _tiers(store) for name, store in (("train", train), ("validation", validation))},
            },
        )
        return Built(self.folder, self.runner.funnel, dict(self.runner.stores), train, validation, held)

    def side(self, name: str, clean: Store, roots: Callable[[], frozenset[str]]) -> Store:
        """One of the two sides of the corpus; `roots` are those of the one for validation."""
        share, seed = self.recipe.finish.validation_share, self.recipe.seed
        tally = Counter[str]()

        def decide(batch: Sequence[Record]) -> Sequence[Record]:
            tally.update(f"{_TIER}{group_of(record, 'tier')}" for record in batch)
            return batch

        def own() -> Iterator[Instance]:
            wanted = name == "validation"
            return (one for one in _read(clean, Instance) if (root_of(one) in roots()) is wanted)

        return self.runner.sift(
            name,
            own,
            settings={"validation_share": share, "seed": seed},
            inputs=_inputs(clean),
            decide=decide,
            tally=tally,
            folder=self.folder / CORPUS / name,
        )


def _read(store: Store, kind: type[T]) -> Iterator[T]:
    """The records of one kind, in their order."""
    for record in read_records(store.folder, kind.__name__.lower()):
        assert isinstance(record, kind)
        yield record


def _inputs(*stores: Store | None) -> dict[str, str]:
    """Which stores a stage reads, with what shows that they changed."""
    return {store.manifest.stage: store.fingerprint for store in stores if store is not None}


def _count(source: Source) -> int | None:
    """How many problems a source has, where that is known beforehand."""
    return None if source.files else source.count


def _roles(players: Mapping[str, Player]) -> dict[str, Any]:
    """Who plays, as it stands in files; of a model, with what shows that its prompt changed."""
    found = {part: settings(player) for part, player in players.items()}
    for part, player in players.items():
        if player.backend in _MODELS:
            prompt = template(RoleName(part.partition("_")[0])).model_dump_json()
            found[part]["prompt"] = hashlib.sha256(prompt.encode()).hexdigest()[:16]
    return found


def _batch(*players: Player) -> int:
    """Rows to be worked on side by side: models answer several at a time, rules have nothing to wait for."""
    return max((player.concurrency for player in players if player.backend in _MODELS), default=1)


def _tiers(store: Store) -> dict[str, int]:
    tally = store.manifest.funnel[-1].tally
    return {name.removeprefix(_TIER): count for name, count in tally.items() if name.startswith(_TIER)}
