"""A prover behind a server, as a recipe names it: paid for once, within its limits, with its own key, and recorded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pythagoras.corpus.records import Formalisation
from pythagoras.errors import InputError
from pythagoras.generate.sampler import Finish, Request, Sample
from pythagoras.lean.fake import FakeChecker
from pythagoras.lean.wire import Answer
from pythagoras.pipeline.recipe import Prover, Recipe
from pythagoras.pipeline.run_folder import settings as lasting
from pythagoras.pipeline.tools import RecipeTools
from tests.unit.model_server import ModelServer, answers, chat, model_server

GOAL = Formalisation("small", "theorem small (n : Nat) : n < n + 1", "handmade")
REQUESTS = [Request(GOAL, number, seed=10 + number) for number in range(3)]


def proving(server: ModelServer, **settings: Any) -> Prover:
    return Prover.model_validate({"backend": "endpoint", "url": server.url, "model": "tiny-prover", **settings})


def drawn(prover: Prover, cache: Path | None) -> list[Sample]:
    with RecipeTools(Recipe(name="r", prover=prover), cache).prover(FakeChecker(lambda check: Answer())) as sampler:
        assert sampler.name == "tiny-prover"
        return sorted(sampler.sample(REQUESTS), key=lambda sample: sample.request.number)


def test_a_resumed_prover_asks_the_server_nothing(tmp_path: Path) -> None:
    with model_server(answers(chat("```lean4\nby omega\n```"))) as server:
        first = drawn(proving(server), tmp_path)
        assert len(server.asked) == len(REQUESTS)
        assert drawn(proving(server), tmp_path) == [replace(sample, from_cache=True) for sample in first]
        assert len(server.asked) == len(REQUESTS)
    assert [(sample.text, sample.finish, sample.prompt_tokens, sample.generated_tokens) for sample in first] == [
        ("```lean4\nby omega\n```", Finish.STOP, 11, 7)
    ] * 3


def test_what_it_said_can_be_replayed_without_a_server(tmp_path: Path) -> None:
    said = tmp_path / "said.jsonl"
    with model_server() as server:
        first = drawn(proving(server, recording=said), None)
    again = drawn(Prover(backend="replay", recording=said), None)
    assert again == [replace(sample, from_cache=True) for sample in first]


def test_it_keeps_to_its_limits_and_shows_its_own_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHAGORAS_API_KEY", "secret-of-others")
    monkeypatch.setenv("KEY_OF_PROVER", "secret-of-prover")
    with model_server() as server:
        drawn(proving(server, api_key_env="KEY_OF_PROVER", requests_per_minute=1e6, tokens_per_minute=1e9), tmp_path)
        assert {headers["Authorization"] for headers in server.headers} == {"Bearer secret-of-prover"}
    assert len(list(tmp_path.glob("limits-*"))) == 1


def test_an_address_must_be_there() -> None:
    with pytest.raises(InputError, match="the endpoint that proves has no `url`"):
        drawn(Prover(backend="endpoint", model="tiny"), None)


def test_a_build_goes_on_with_another_server_key_or_price() -> None:
    one = Prover(backend="endpoint", url="http://a", model="m")
    other = one.model_copy(update={"url": "http://b", "api_key_env": "MINE", "price_in": 1.0, "timeout_s": 5.0})
    assert lasting(one) == lasting(other)
    assert lasting(one) != lasting(one.model_copy(update={"temperature": 0.1}))
