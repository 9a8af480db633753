"""Who plays a role: rules, a model behind an address, a model in this process, or recorded traffic.

A model's player fills the role's prompt and hands on what comes back; reading it is the role's business. Answers that
were paid for are kept in the cache folder. An API key comes from the environment alone, so that no recipe holds one.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from pythagoras.errors import InputError
from pythagoras.generate.endpoint import KEY_VARIABLE
from pythagoras.llm.accounts import Account, Prices
from pythagoras.llm.cache import Cached
from pythagoras.llm.chat import ChatBackend, ChatRequest, Completion, Ending
from pythagoras.llm.endpoint import Endpoint, Sampling
from pythagoras.llm.limits import Limiter
from pythagoras.llm.local import LocalModel, load_weights
from pythagoras.llm.replay import Recorder, Recording, Replay
from pythagoras.pipeline import recipe
from pythagoras.pipeline.roles.role import Player, RoleName, Task, Written
from pythagoras.pipeline.roles.templates import render, template
from pythagoras.pipeline.rules.player import RulesPlayer

CACHE_FILE = "answers.sqlite"


class ChatPlayer:
    """A model in a role."""

    def __init__(self, role_name: RoleName, backend: ChatBackend, name: str, account: Account | None = None) -> None:
        """`name` stands in provenances; `account` is told what each answer took."""
        self._role = role_name
        self._backend = backend
        self._name = name
        self._account = account or Account()

    @property
    def name(self) -> str:
        return self._name

    @property
    def settings(self) -> Mapping[str, Any]:
        prompt = hashlib.sha256(template(self._role).model_dump_json().encode()).hexdigest()[:16]
        return {**self._backend.settings, "prompt": f"{self._role.value}-{prompt}"}

    def write(self, tasks: Iterable[Task]) -> Iterator[Written]:
        asked: dict[int, Task] = {}

        def prompted() -> Iterator[ChatRequest]:
            for number, task in enumerate(tasks):
                asked[number] = task
                yield ChatRequest(number, render(self._role, task.fields), _seed(task))

        for completion in self._backend.complete(prompted()):
            self._account.note(completion)
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
def open_player(
    role_name: RoleName, settings: recipe.Player, cache_folder: Path | None, account: Account | None = None
) -> Iterator[Player]:
    """The player that the settings describe. Raises InputError.

    Without a folder, no answer is kept, and limits hold for this player alone; with one, players of all processes that
    use it share both. `account` takes what is spent.
    """
    if settings.backend == "rules":
        yield _rules(role_name, settings.recording)
        return
    with ExitStack() as stack:
        backend = _backend(role_name, settings, cache_folder, stack)
        if settings.recording is not None and settings.backend != "replay":
            backend = Recording(backend, settings.recording)
        name = str(backend.settings["model"])
        prices = Prices(settings.price_in, settings.price_out)
        yield ChatPlayer(role_name, backend, name, account or Account(prices))


def _backend(role_name: RoleName, settings: recipe.Player, cache_folder: Path | None, stack: ExitStack) -> ChatBackend:
    if settings.backend == "replay":
        return _replay(role_name, settings)
    asked: ChatBackend = (
        stack.enter_context(_endpoint(role_name, settings, cache_folder))
        if settings.backend == "endpoint"
        else _local(role_name, settings)
    )
    return asked if cache_folder is None else stack.enter_context(Cached(asked, cache_folder / CACHE_FILE))


def _endpoint(role_name: RoleName, settings: recipe.Player, cache_folder: Path | None) -> Endpoint:
    _require(role_name, settings, "url", "the address of a server, as http://HOST:PORT/v1")
    _require(role_name, settings, "model", "what the server calls it")
    limits = (settings.requests_per_minute, settings.tokens_per_minute)
    shared = hashlib.sha256(repr((settings.url, *limits)).encode()).hexdigest()[:16]
    return Endpoint(
        settings.url,
        settings.model,
        _sampling(settings),
        api_key=os.environ.get(KEY_VARIABLE),
        concurrency=settings.concurrency,
        timeout_s=settings.timeout_s,
        limiter=Limiter(*limits, path=cache_folder and cache_folder / f"limits-{shared}"),
    )


def _local(role_name: RoleName, settings: recipe.Player) -> LocalModel:
    _require(role_name, settings, "model", "a folder that transformers wrote, or a GGUF file")
    return LocalModel(load_weights(Path(settings.model)), _sampling(settings), batch=settings.concurrency)


def _rules(role_name: RoleName, recording: Path | None) -> Player:
    player = RulesPlayer(role_name)
    return player if recording is None else RecordedPlayer(role_name, player, recording)


def _replay(role_name: RoleName, settings: recipe.Player) -> Replay:
    if settings.recording is None:
        raise InputError(f"who replays {role_name.value} has nothing to: set `recording` to a file of recorded traffic")
    return Replay(settings.recording, settings.model)


def _sampling(settings: recipe.Player) -> Sampling:
    return Sampling(settings.temperature, settings.top_p, settings.max_tokens)


def _require(role_name: RoleName, settings: recipe.Player, field: str, what: str) -> None:
    if not getattr(settings, field):
        raise InputError(f"the {settings.backend} that plays {role_name.value} has no `{field}`: set it to {what}")
