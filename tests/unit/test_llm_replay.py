"""Recorded traffic: what a server said is said again without it."""

from __future__ import annotations

import json
import multiprocessing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pythagoras.errors import InputError
from pythagoras.llm.chat import ChatRequest, Completion, Ending, Message
from pythagoras.llm.endpoint import Endpoint
from pythagoras.llm.patience import Retries
from pythagoras.llm.replay import Recorder, Recording, Replay
from pythagoras.llm.sampling import Sampling
from tests.unit.model_server import Play, answers, chat, model_server

SAMPLED = {"temperature": 1.0, "top_p": 0.95, "max_tokens": 30_000}
SETTINGS = {"backend": "endpoint", "model": "tiny"}


def wanted(number: int, text: str = "Prove it. ℕ") -> ChatRequest:
    return ChatRequest(number, (Message("system", "Be brief."), Message("user", text)), number)


REQUESTS = [wanted(0), wanted(1), ChatRequest(2, "theorem t : True := by"), wanted(3, "And this\ntoo.")]


def recorded(path: Path, *plays: Play, model: str = "tiny", **settings: Any) -> list[Completion]:
    with (
        model_server(*plays) as server,
        Endpoint(server.url, model, concurrency=1, retries=Retries(1), **settings) as opened,
    ):
        return list(Recording(opened, path).complete(REQUESTS))


def test_what_was_said_is_said_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "traffic.jsonl"
    said = recorded(path, answers(chat("by\nomega")), answers("no", 400), answers(chat("∑", "length", {})))
    replay = Replay(path)
    again = {completion.request.number: completion for completion in replay.complete(reversed(REQUESTS))}
    assert [completion.ending for completion in said] == [Ending.STOP, Ending.FAILED, Ending.LENGTH, Ending.LENGTH]
    answered = [completion for completion in said if completion.ending is not Ending.FAILED]
    assert [again[one.request.number] for one in answered] == [replace(one, from_cache=True) for one in answered]
    assert "no answer to" in again[1].failure  # what failed was not recorded
    assert len(path.read_text().splitlines()) == 3
    assert replay.settings == {"backend": "endpoint", "model": "tiny", **SAMPLED}


def test_a_line_is_plain_json(tmp_path: Path) -> None:
    recorded(tmp_path / "t", answers(chat("by omega")))
    line = json.loads((tmp_path / "t").read_text().splitlines()[0])
    assert line["settings"] == {"backend": "endpoint", "model": "tiny", **SAMPLED}
    assert line["prompt"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Prove it. ℕ"},
    ]
    assert line["seed"] == 0
    counts = {"prompt_tokens": 11, "generated_tokens": 7, "cached_tokens": 0}
    assert line["answer"].items() >= {"text": "by omega", "ending": "stop", **counts}.items()


@pytest.mark.parametrize(("text", "seed"), [("Prove that.", 0), ("Prove it. ℕ", 9), ("Prove it. ℕ", None)])
def test_what_was_not_recorded_fails_and_says_what(tmp_path: Path, text: str, seed: int | None) -> None:
    recorded(tmp_path / "t")
    (failed,) = Replay(tmp_path / "t").complete([replace(wanted(0, text), seed=seed)])
    assert failed.ending is Ending.FAILED
    assert f"no answer to '{text}' with the seed {seed}" in failed.failure


def test_the_same_again_adds_nothing_and_another_answer_counts_from_then_on(tmp_path: Path) -> None:
    recorded(tmp_path / "t", answers(chat("first")))
    before = (tmp_path / "t").read_bytes()
    recorded(tmp_path / "t", answers(chat("first")))
    assert (tmp_path / "t").read_bytes() == before
    recorded(tmp_path / "t", answers(chat("second")))
    assert {completion.text for completion in Replay(tmp_path / "t").complete(REQUESTS)} == {"second"}


@pytest.mark.parametrize("cut", [1, 2, 40, 300])
def test_a_line_that_a_crash_cut_short(tmp_path: Path, cut: int) -> None:
    """It is as if it had never been said; and what is written later is whole."""
    recorded(tmp_path / "t", answers(chat("by omega")))
    whole = (tmp_path / "t").read_bytes()
    assert len(whole.splitlines()[-1]) > 300
    (tmp_path / "t").write_bytes(whole[:-cut])
    endings = [completion.ending for completion in Replay(tmp_path / "t").complete(REQUESTS)]
    lost = Ending.STOP if cut == 1 else Ending.FAILED  # without its newline it is still all there
    assert endings == [Ending.STOP] * 3 + [lost]
    recorded(tmp_path / "t", answers(chat("by omega")))
    assert all(completion.text for completion in Replay(tmp_path / "t").complete(REQUESTS))


def _record(path: Path, first: int) -> None:
    recorder = Recorder(path)
    for number in range(first, first + 100):
        recorder.write(SETTINGS, Completion(wanted(number), f"answer {number} " * 500))


def test_processes_write_into_one_file(tmp_path: Path) -> None:
    starting = multiprocessing.get_context("spawn")
    processes = [starting.Process(target=_record, args=(tmp_path / "t", first)) for first in (0, 100)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    done = Replay(tmp_path / "t").complete(wanted(number) for number in range(200))
    assert [completion.text for completion in done] == [f"answer {number} " * 500 for number in range(200)]


# --- files that are none -------------------------------------------------------------------------


def test_several_models_in_one_file(tmp_path: Path) -> None:
    recorded(tmp_path / "t", answers(chat("small")))
    recorded(tmp_path / "t", answers(chat("large")), model="large")
    with pytest.raises(InputError, match="large, tiny"):
        Replay(tmp_path / "t")
    assert {completion.text for completion in Replay(tmp_path / "t", "large").complete(REQUESTS)} == {"large"}
    with pytest.raises(InputError, match="no recorded traffic of the model 'huge'"):
        Replay(tmp_path / "t", "huge")
    recorded(tmp_path / "t", model="large", sampling=Sampling(max_tokens=3))
    with pytest.raises(InputError, match="2 backends"):
        Replay(tmp_path / "t", "large")


@pytest.mark.parametrize("content", ["", "\n\n", "no JSON at all\n"])
def test_a_file_without_traffic(tmp_path: Path, content: str) -> None:
    (tmp_path / "t").write_text(content)
    with pytest.raises(InputError, match="no recorded traffic"):
        Replay(tmp_path / "t")


def test_a_file_of_something_else(tmp_path: Path) -> None:
    (tmp_path / "t").write_text('{"settings": {}, "prompt": "x", "seed": 1}\n')
    with pytest.raises(InputError, match=r"line 1 of .* is no recorded traffic .answer"):
        Replay(tmp_path / "t")


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no recorded traffic"):
        Replay(tmp_path / "t")
    with pytest.raises(InputError, match="can't be read"):
        Replay(tmp_path)
    with pytest.raises(InputError, match="nothing can be recorded"):
        Recorder(Path("/dev/null/t")).write(SETTINGS, Completion(wanted(0), "x"))
