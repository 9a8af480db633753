"""Who plays a role: rules, a model behind an address, a model in this process, or recorded traffic.

A model's player fills the role's prompt and hands on what comes back; reading it is the role's business. Answers that
were paid for are kept in the cache folder, each machine's in a file of its own: a machine under another name asks again
for what no finished piece of a build holds. An API key comes from the environment alone, so that no recipe holds one;
on a cluster, from the environment of its nodes.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import platform
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias

from pythagoras.errors import InputError
from pythagoras.llm.cache import Cached
from pythagoras.llm.chat import ChatBackend, ChatRequest, Completion, Ending, Message
from pythagoras.llm.endpoint import Endpoint
from pythagoras.llm.keys import api_key
from pythagoras.llm.limits import Limiter
from pythagoras.llm.local import LocalModel
from pythagoras.llm.replay import Recorder, Recording, Replay
from pythagoras.llm.sampling import Sampling
from pythagoras.llm.weights import load_weights
from pythagoras.pipeline import recipe
from pythagoras.pipeline.roles.role import Player, RoleName, Task, Written
from pythagoras.pipeline.roles.templates import named, render, template
from pythagoras.pipeline.rules.player import RulesPlayer

Model: TypeAlias = recipe.Player | recipe.Prover
"""Settings of whoever is asked."""


Prompted: TypeAlias = Callable[[Mapping[str, str]], tuple[Message, ...]]
"""The turns that a model is shown, by a task's fields."""


class ChatPlayer:
    """A model behind a prompt."""

    def __init__(self, prompt: str, prompted: Prompted, backend: ChatBackend) -> None:
        """`prompt` names the prompt's very words; `prompted` fills it in."""
        self._prompt = prompt
        self._prompted = prompted
        self._backend = backend

    @property
    def name(self) -> str:
        return str(self._backend.settings["model"])

    @property
    def settings(self) -> Mapping[str, Any]:
        return {**self._backend.settings, "prompt": self._prompt}

    def write(self, tasks: Iterable[Task]) -> Iterator[Written]:
        asked: dict[int, Task] = {}

        def prompted() -> Iterator[ChatRequest]:
            for number, task in enumerate(tasks):
                asked[number] = task
                yield ChatRequest(number, self._prompted(task.fields), _seed(task))

        for completion in self._backend.complete(prompted()):
            yield Written(
                asked.pop(completion.request.number),
                completion.text,
                failure=completion.failure,
                cut_off=completion.ending is Ending.LENGTH,
                prompt_tokens=completion.prompt_tokens or 0,
                generated_tokens=completion.generated_tokens or 0,
                seconds=completion.seconds,
                from_cache=completion.from_cache,
            )


def _seed(task: Task) -> int:
    """Another one for each of several answers to the same fields; small enough for any server."""
    return int.from_bytes(hashlib.sha256(f"{task.seed} {task.number}".encode()).digest()[:4]) >> 1


class RecordedPlayer:
    """Rules whose answers are written down as if a model had been asked, so that they can be replayed."""

    def __init__(self, role_name: RoleName, player: Player, path: Path) -> None:
        self._role = role_name
        self._player = player
        self._recorder = Recorder(path)

    @property
    def name(self) -> str:
        return self._player.name

    @property
    def settings(self) -> Mapping[str, Any]:
        return self._player.settings

    def write(self, tasks: Iterable[Task]) -> Iterator[Written]:
        settings = {**self.settings, "backend": "rules", "model": self.name}
        for written in self._player.write(tasks):
            task = written.task
            request = ChatRequest(task.number, render(self._role, task.fields), _seed(task))
            ending = Ending.FAILED if written.failure else Ending.LENGTH if written.cut_off else Ending.STOP
            self._recorder.write(settings, Completion(request, written.text, ending, failure=written.failure))
            yield written


@contextlib.contextmanager
def open_player(role_name: RoleName, settings: recipe.Player, cache_folder: Path | None) -> Iterator[Player]:
    """The player that the settings describe. Raises InputError. The folder is as for `open_model`."""
    if settings.backend == "rules":
        yield _rules(role_name, settings.recording)
        return
    with open_model(f"plays {role_name.value}", settings, cache_folder) as backend:
        prompt = named(role_name.value, template(role_name))
        yield ChatPlayer(prompt, functools.partial(render, role_name), backend)


@contextlib.contextmanager
def open_model(does: str, settings: Model, cache_folder: Path | None) -> Iterator[ChatBackend]:
    """The model that the settings describe; errors say what it `does`. Raises InputError.

    Without a folder, no answer is kept, and limits hold for this model alone; with one, models of all processes that
    use it share both.
    """
    with ExitStack() as stack:
        backend = _backend(does, settings, cache_folder, stack)
        if settings.recording is not None and settings.backend != "replay":
            backend = Recording(backend, settings.recording)
        yield backend


def _backend(does: str, settings: Model, cache_folder: Path | None, stack: ExitStack) -> ChatBackend:
    asked: ChatBackend
    if settings.backend == "endpoint":
        asked = stack.enter_context(_endpoint(does, settings, cache_folder))
    elif settings.backend == "local":
        asked = _local(does, settings)
    elif settings.backend == "replay":
        return _replay(does, settings)
    else:
        raise AssertionError(f"{settings.backend} is no model")
    return asked if cache_folder is None else stack.enter_context(Cached(asked, answer_file(cache_folder)))


def answer_file(cache_folder: Path) -> Path:
    """This machine's own: SQLite and file systems that several machines share do not go together."""
    host = re.sub(r"[^\w.-]", "-", platform.node()) or "here"
    return cache_folder / f"answers-{host}.sqlite"


def _endpoint(does: str, settings: Model, cache_folder: Path | None) -> Endpoint:
    _require(does, settings, "url", "the address of a server, as http://HOST:PORT/v1")
    _require(does, settings, "model", "what the server calls it")
    limits = (settings.requests_per_minute, settings.tokens_per_minute)
    account = (settings.url, settings.api_key_env, *limits)
    shared = hashlib.sha256(repr(account).encode()).hexdigest()[:16]
    return Endpoint(
        settings.url,
        settings.model,
        _sampling(settings),
        api_key=api_key(settings.api_key_env),
        concurrency=settings.concurrency,
        timeout_s=settings.timeout_s,
        limiter=Limiter(*limits, path=cache_folder and cache_folder / f"limits-{shared}"),
    )


def _local(does: str, settings: recipe.Player) -> LocalModel:
    _require(does, settings, "model", "a folder that transformers wrote, or a GGUF file")
    return LocalModel(load_weights(Path(settings.model)), _sampling(settings), batch=settings.batch)


def _rules(role_name: RoleName, recording: Path | None) -> Player:
    player = RulesPlayer(role_name)
    return player if recording is None else RecordedPlayer(role_name, player, recording)


def _replay(does: str, settings: Model) -> Replay:
    if settings.recording is None:
        raise InputError(f"the replay that {does} has no `recording`: set `recording` to a file of recorded traffic")
    return Replay(settings.recording, settings.model)


def _sampling(settings: Model) -> Sampling:
    return Sampling(settings.temperature, settings.top_p, settings.max_tokens)


def _require(does: str, settings: Model, field: str, what: str) -> None:
    if not getattr(settings, field):
        raise InputError(f"the {settings.backend} that {does} has no `{field}`: set it to {what}")
