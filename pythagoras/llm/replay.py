"""Recorded traffic: a backend that writes down what is said, and one that answers from such a file.

A line is a JSON object: `settings` (the backend's), `prompt`, `seed`, `answer`. Lines are appended whole, by whichever
thread or process; one that a crash cut short is passed over when the file is read, and ended when it is written on.
What failed is not recorded: it says something about that day, and nothing about the model.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from pythagoras.errors import InputError
from pythagoras.llm.chat import ChatBackend, ChatRequest, Completion, Ending
from pythagoras.llm.stored import Answer, first_words, key_of, prompt_fields, request_key


class Line(BaseModel):
    """One request with its answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    settings: dict[str, Any]
    prompt: str | list[dict[str, str]]
    seed: int | None
    answer: Answer


class Recorder:
    """Writes traffic down. An answer that the file has already is not written again, so a resumed run adds nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = {key_of(line.settings, line.prompt, line.seed): line.answer.text for line in _written(path)}

    def write(self, settings: Mapping[str, Any], completion: Completion) -> None:
        """Append what a backend of these settings answered, if it did."""
        if completion.ending is Ending.FAILED:
            return
        request = completion.request
        key = request_key(settings, request)
        if self._known.get(key) == completion.text:
            return
        line = Line(
            settings=dict(settings),
            prompt=prompt_fields(request.prompt),
            seed=request.seed,
            answer=Answer.of(completion),
        )
        _append(self._path, line.model_dump_json())
        self._known[key] = completion.text


class Recording:
    """A backend whose traffic is written down, each answer before it is handed on."""

    def __init__(self, backend: ChatBackend, path: Path) -> None:
        self._backend = backend
        self._recorder = Recorder(path)

    @property
    def settings(self) -> Mapping[str, Any]:
        return self._backend.settings

    def complete(self, requests: Iterable[ChatRequest]) -> Iterator[Completion]:
        for completion in self._backend.complete(requests):
            self._recorder.write(self.settings, completion)
            yield completion


class Replay:
    """A backend that says what was recorded, with the recorded backend's settings. What was not fails."""

    def __init__(self, path: Path, model: str = "") -> None:
        """`model` chooses among several that were recorded into one file. Raises InputError."""
        if not path.exists():
            raise InputError(f"there is no recorded traffic {path}: name a file that a recording wrote")
        lines = [line for line in _written(path) if model in ("", line.settings.get("model"))]
        if not lines:
            whose = f" of the model {model!r}" if model else ""
            raise InputError(f"{path} holds no recorded traffic{whose}: record it first")
        kinds = {json.dumps(line.settings, sort_keys=True): line.settings for line in lines}
        if len(kinds) > 1:
            raise InputError(
                f"{path} holds the traffic of {len(kinds)} backends (models {_models(kinds.values())}): "
                "record each into its own file, or name a model"
            )
        self._path = path
        self._settings = lines[0].settings
        self._answers = {key_of(line.settings, line.prompt, line.seed): line.answer for line in lines}

    @property
    def settings(self) -> Mapping[str, Any]:
        return self._settings

    def complete(self, requests: Iterable[ChatRequest]) -> Iterator[Completion]:
        for request in requests:
            answer = self._answers.get(request_key(self._settings, request))
            if answer is None:
                why = f"{self._path.name} has no answer to {first_words(request.prompt)!r} with the seed {request.seed}"
                yield Completion(request, "", Ending.FAILED, failure=why)
            else:
                yield answer.to(request, from_cache=True)


def _models(kinds: Iterable[Mapping[str, Any]]) -> str:
    return ", ".join(sorted({str(settings.get("model")) for settings in kinds}))


def _append(path: Path, line: str) -> None:
    """Write a line in one piece, behind the end of one that was cut short."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            end = file.seek(0, os.SEEK_END)
            if end:
                file.seek(end - 1)
                line = line if file.read(1) == b"\n" else f"\n{line}"
            file.write(f"{line}\n".encode())
    except OSError as error:
        raise InputError(f"nothing can be recorded in {path} ({error.strerror}): name another file") from None


def _written(path: Path) -> Iterator[Line]:
    """The lines that are whole. Raises InputError for a file of something else."""
    try:
        content = path.read_bytes() if path.exists() else b""
    except OSError as error:
        raise InputError(f"the recorded traffic {path} can't be read ({error.strerror}): name another file") from None
    for number, text in enumerate(content.split(b"\n"), 1):
        if not text.strip():
            continue
        try:
            json.loads(text)
        except ValueError:
            continue  # cut short by a crash
        try:
            yield Line.model_validate_json(text)
        except ValidationError as error:
            why = error.errors()[0]
            where = ".".join(map(str, why["loc"]))
            raise InputError(f"line {number} of {path} is no recorded traffic ({where}: {why['msg']})") from None
