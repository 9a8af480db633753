"""Open what a prover needs: Lean at once, the model when it is wanted, each on a thread of its own.

Importing torch takes longer than proving an easy theorem; so it waits until the theorem has turned out not to be one.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pythagoras.corpus.prompts import DEFAULT, prompt
from pythagoras.errors import InputError
from pythagoras.generate.portfolio import ONE_LINERS, Portfolio
from pythagoras.lean.backends import check_place, default_header, kind_of, open_checker
from pythagoras.lean.headers import header
from pythagoras.lean.pool import Checker, default_hosts
from pythagoras.llm.sampling import Sampling
from pythagoras.prove.later import Later
from pythagoras.prove.proving import Prover

if TYPE_CHECKING:
    from pythagoras.generate.sampler import Sampler

EMBEDDED = "embedded"
"""The model that ships."""
NO_MODEL = "none"
_LIKELY = ("omega", "simp", "decide", "grind", "rfl")
_MATHLIB_ONE_LINERS = ("norm_num", "linarith", "nlinarith", "positivity", "ring", "field_simp", "aesop")
_SERVED_AT_A_TIME = 4
"""Proofs that a Lean of somebody else judges at a time, where nobody says how many."""


SAMPLING = Sampling(max_tokens=8192)


@dataclass(frozen=True, slots=True)
class Means:
    """Who writes proofs, and which Lean judges them."""

    model: str | None = None
    """A model's folder, `embedded`, or `none`. None: the embedded one, if torch is there to run it."""
    endpoint: str = ""
    """The address of a server whose model takes the place of one in this process."""
    endpoint_model: str = ""
    """What the server calls it. Empty: the only one that it has."""
    api_key_env: str = ""
    """The environment variable that has the server's key. Empty: PYTHAGORAS_API_KEY, if it is set."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of each request to the server."""
    request_timeout_s: float = 600.0
    prompt: str = ""
    """Family of `pythagoras.corpus.prompts`. Empty: what a local model was trained on, else the default."""
    sampling: Sampling = SAMPLING
    search: bool = True
    """Whether the tactic search takes part."""
    backend: str = "embedded"
    """A setting of `lean.backends`."""
    jobs: int | None = None
    """Lean processes. None: one a core, as memory allows."""
    eager: bool = False
    """For those that stay: the model is opened at once, and a Lean process kept warm in case that one is lost."""


_DEFAULT = Means()


@contextmanager
def open_prover(means: Means = _DEFAULT) -> Iterator[Prover]:
    """A prover, in a `with` block. What it holds open is closed at the end.

    Raises InputError at once for a model or a Lean that is not there; what only opening shows, `prove` raises.
    """
    if means.model is not None and means.endpoint:
        raise InputError("a model here and one behind an endpoint are two: name one of them")
    if means.prompt:
        prompt(means.prompt)
    check_place(means.backend)
    judges = _judges(means)
    lean: Later[Checker] = Later(lambda: open_checker(means.backend, jobs=judges, spare=means.eager))
    lean.start()
    model: Later[Sampler] | None = None
    try:
        notes: list[str] = []
        name = means.model or EMBEDDED
        if means.endpoint:
            name, model = means.endpoint, Later(lambda: _endpoint(means))
        elif name != NO_MODEL:
            missing = next((one for one in ("torch", "transformers") if importlib.util.find_spec(one) is None), "")
            if missing and means.model is None:
                notes.append(f"without a model: {name} needs {missing}, pip install '.[models]'")
            else:
                _check_model(name)
                model = Later(lambda: _local(name, means))
        if model is not None and means.eager:
            model.start()
        prover = Prover(
            lean,
            portfolio=Portfolio(one_liners(default_header(means.backend))),
            model=model,
            model_name=name,
            search=means.search,
            judges=judges,
            brief=not means.endpoint,
            header=default_header(means.backend),
            notes=tuple(notes),
        )
        try:
            yield prover
        finally:
            prover.close()
    finally:
        if model is not None:
            model.close(wait=False)
        lean.close(wait=True)


def one_liners(header_id: str) -> tuple[str, ...]:
    """What is tried first on a header, likely ones before others."""
    own = _MATHLIB_ONE_LINERS if header(header_id).has_imports else ()
    return tuple(dict.fromkeys((*_LIKELY, *own, *ONE_LINERS)))


def _judges(means: Means) -> int:
    if means.jobs is not None:
        return means.jobs
    return default_hosts(spare=means.eager) if kind_of(means.backend) == "embedded" else _SERVED_AT_A_TIME


def _check_model(name: str) -> None:
    """Raises InputError where there is no model. Loads nothing."""
    from pythagoras.generate.local import model_folder, trained_with
    from pythagoras.llm.weights import fingerprint_of

    folder = model_folder(Path(name).expanduser())
    fingerprint_of(folder)
    trained_with(folder)


def _local(name: str, means: Means) -> AbstractContextManager[Sampler]:
    from pythagoras.generate.local import LocalSettings
    from pythagoras.generate.samplers import open_sampler

    return open_sampler(f"local:{name}", local=LocalSettings(means.prompt, means.sampling))


def _endpoint(means: Means) -> AbstractContextManager[Sampler]:
    from pythagoras.generate.endpoint import EndpointSettings
    from pythagoras.generate.samplers import open_sampler

    settings = EndpointSettings(
        model=means.endpoint_model,
        prompt=means.prompt or DEFAULT,
        sampling=means.sampling,
        extra=means.extra,
        timeout_s=means.request_timeout_s,
        api_key_env=means.api_key_env,
    )
    return open_sampler(f"endpoint:{means.endpoint}", endpoint=settings)
