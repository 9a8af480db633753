"""Which sampler writes: one setting chooses it.

portfolio            fifteen one-line tactics
portfolio:FILE       tactics of one's own, one a line
search               tactic search on the embedded Lean: two attempts at a statement
search:CHECKS        the same, with so many questions to Lean in each
recorded:PATH        attempts that somebody recorded: a file or a folder, a run of ours among them
endpoint:URL         a model behind an OpenAI-compatible address; the address alone will do
local:FOLDER         a model in this process: a training run (also of a diffusion model), a folder that transformers
                     wrote, or a GGUF file
hybrid:FOLDER,FOLDER a diffusion model drafts each attempt several times, and another model chooses the likeliest
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from pythagoras.errors import InputError
from pythagoras.generate.diffusion import DiffusionSampler
from pythagoras.generate.endpoint import EndpointSampler, EndpointSettings
from pythagoras.generate.hybrid import HybridSampler
from pythagoras.generate.local import LocalSampler, LocalSettings, model_folder, trained_with
from pythagoras.generate.portfolio import Portfolio, read_tactics
from pythagoras.generate.recorded import RecordedSampler, read_recording
from pythagoras.generate.sampler import Sampler
from pythagoras.generate.search import CHECKS, TacticSearch
from pythagoras.lean.backends import open_checker
from pythagoras.llm.weights import load_weights
from pythagoras.lookup import choose

DEFAULT = "portfolio"
_DEFAULT_ENDPOINT = EndpointSettings()
_DEFAULT_LOCAL = LocalSettings()


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is known of a sampler before it is opened."""

    where: str
    name: str
    endpoint: EndpointSettings
    local: LocalSettings
    tokenizer: str


def open_sampler(
    setting: str = DEFAULT,
    *,
    name: str = "",
    endpoint: EndpointSettings = _DEFAULT_ENDPOINT,
    local: LocalSettings = _DEFAULT_LOCAL,
    tokenizer: str = "bytes",
) -> AbstractContextManager[Sampler]:
    """The sampler that a setting names, to be used in a `with` block.

    `name` is what it is called in the place of its own; `tokenizer` counts where attempts come without counts.
    """
    kind, colon, where = setting.strip().partition(":")
    if kind in ("http", "https"):
        kind, where = "endpoint", setting.strip()
    return choose("sampler", kind, SAMPLERS)(_Wanted(where if colon else "", name, endpoint, local, tokenizer))


def _portfolio(wanted: _Wanted) -> AbstractContextManager[Sampler]:
    if not wanted.where:
        return nullcontext(Portfolio(name=wanted.name or "portfolio"))
    path = Path(wanted.where).expanduser()
    return nullcontext(Portfolio(read_tactics(path), wanted.name or path.stem))


def _search(wanted: _Wanted) -> AbstractContextManager[Sampler]:
    if wanted.where and (not wanted.where.isdecimal() or not int(wanted.where)):
        raise InputError(f"{wanted.where!r} is no number of questions: write search, or search:{CHECKS}")
    return _searching(wanted.name or "search", int(wanted.where or CHECKS))


@contextmanager
def _searching(name: str, checks: int) -> Iterator[Sampler]:
    """With a Lean of its own: what it asks is no judgement, and the judge's Lean has other things to do."""
    with open_checker("embedded", jobs=1, spare=False) as checker:
        yield TacticSearch(checker, name=name, checks=checks)


def _recorded(wanted: _Wanted) -> AbstractContextManager[Sampler]:
    if not wanted.where:
        raise InputError("recorded attempts stand in a file or a folder: write recorded:PATH")
    recording = read_recording(Path(wanted.where).expanduser())
    return nullcontext(RecordedSampler(recording, tokenizer=wanted.tokenizer, name=wanted.name))


def _endpoint(wanted: _Wanted) -> AbstractContextManager[Sampler]:
    if not wanted.where:
        raise InputError("an endpoint needs its address: write endpoint:http://HOST:PORT/v1, or the address alone")
    return EndpointSampler(wanted.where, wanted.endpoint, name=wanted.name, tokenizer=wanted.tokenizer)


def _local(wanted: _Wanted) -> AbstractContextManager[Sampler]:
    if not wanted.where:
        raise InputError("a model in this process needs its folder: write local:FOLDER")
    return _loaded(Path(wanted.where).expanduser(), wanted)


@contextmanager
def _loaded(folder: Path, wanted: _Wanted) -> Iterator[Sampler]:
    """Named by the folder that the user named: inside of a training run all models are called the same."""
    model = model_folder(folder)
    name = wanted.name or folder.resolve().name
    trained = trained_with(model)
    if trained is not None and trained.block:
        yield DiffusionSampler(load_weights(model), wanted.local, trained, name=name)
    else:
        yield LocalSampler(load_weights(model), wanted.local, name=name, trained=trained)


def _hybrid(wanted: _Wanted) -> AbstractContextManager[Sampler]:
    drafter, comma, ranker = wanted.where.partition(",")
    if not drafter or not comma or not ranker:
        raise InputError("drafts need who writes and who chooses: write hybrid:DIFFUSION_FOLDER,FOLDER")
    return _drafting(Path(drafter).expanduser(), Path(ranker).expanduser(), wanted)


@contextmanager
def _drafting(drafter: Path, ranker: Path, wanted: _Wanted) -> Iterator[Sampler]:
    places = model_folder(drafter), model_folder(ranker)
    writes, ranks = (trained_with(place) for place in places)
    if writes is None or not writes.block:
        raise InputError(f"{drafter} is no diffusion model, and only such ones draft: name one of `train diffusion`")
    drafting = DiffusionSampler(load_weights(places[0]), wanted.local, writes, name=drafter.resolve().name)
    name = wanted.name or f"{drafting.name} ranked by {ranker.resolve().name}"
    yield HybridSampler(drafting, load_weights(places[1]), ranks, drafts=wanted.local.drafts, name=name)


SAMPLERS: dict[str, Callable[[_Wanted], AbstractContextManager[Sampler]]] = {
    "portfolio": _portfolio,
    "search": _search,
    "recorded": _recorded,
    "endpoint": _endpoint,
    "local": _local,
    "hybrid": _hybrid,
}
"""Every kind of sampler by its name; each takes what stands behind the colon of a setting."""
