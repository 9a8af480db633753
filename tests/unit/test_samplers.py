"""Samplers: the portfolio, the endpoint's, and how they are chosen. Recorded attempts have a file of their own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pythagoras.corpus.records import Formalisation, statement_of
from pythagoras.errors import InputError
from pythagoras.evaluate.running.holes import filled
from pythagoras.generate.endpoint import EndpointSampler, EndpointSettings
from pythagoras.generate.portfolio import ONE_LINERS, Portfolio, read_tactics
from pythagoras.generate.sampler import Ability, Finish, Hole, Request, Sample, Sampler, Turn
from pythagoras.generate.samplers import open_sampler
from pythagoras.lean.submission import Assembly, prepare
from pythagoras.lean.verdict import Policy
from pythagoras.llm.patience import Retries
from pythagoras.llm.sampling import Sampling
from tests.unit.model_server import answers, chat, model_server

GOAL = Formalisation("two", "theorem two (a b : ℕ) (h : a < b) : a + 1 ≤ b", "handmade", docstring="Small steps.")
HOLE = Hole(f"{GOAL.text} := by\n    ", "\n  done")


def texts(sampler: Sampler, *requests: Request) -> list[str]:
    return [sample.text for sample in sampler.sample(requests)]


def is_json(settings: Mapping[str, Any]) -> bool:
    """What a run's manifest must give back as it was: only then does a run go on."""
    return bool(json.loads(json.dumps(dict(settings))) == settings)


# --- the portfolio -------------------------------------------------------------------------------


def test_the_portfolio_is_fifteen_proof_bodies() -> None:
    with open_sampler() as sampler:
        assert (sampler.name, sampler.most) == ("portfolio", 15)
        samples = list(sampler.sample(Request(GOAL, number) for number in range(15)))
        assert is_json(sampler.settings)
    assert [sample.text for sample in samples] == [f"by {tactic}" for tactic in ONE_LINERS]
    assert len(set(ONE_LINERS)) == 15
    assert (samples[2].text, samples[2].prompt_tokens, samples[2].generated_tokens) == ("by omega", 0, 2)
    assert all(sample.finish is Finish.STOP for sample in samples)


def test_the_portfolio_says_what_it_can_not() -> None:
    beyond, told = Portfolio().sample([Request(GOAL, 15), Request(GOAL, 0, 1, (Turn("by rfl", "No."),))])
    assert (beyond.finish, beyond.failure) == (Finish.NONE, "portfolio has 15 attempts: there is no 15")
    assert told.finish is Finish.FAILED
    assert Portfolio.abilities == {Ability.INFILL}


def test_rounds_of_an_attempt_try_other_tactics() -> None:
    """However many rounds and attempts there are: whoever wrote the first round may make more than fifteen."""
    holes = [Request(GOAL, number, round_, hole=HOLE) for number in (0, 13, 40) for round_ in range(1, 4)]
    found = texts(Portfolio(), *holes)
    assert found[:3] == ["decide", "omega", "simp"]
    assert all(len(set(found[at : at + 3])) == 3 for at in (0, 3, 6))


def test_tactics_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("-- first\nomega\n\nby\n  intros\n  omega\nrcases h with h | h\n  -- both\n  · simp\n  · omega\n")
    assert read_tactics(file) == ("omega", "by\n  intros\n  omega", "rcases h with h | h\n  · simp\n  · omega")
    with open_sampler(f"portfolio:{file}") as sampler:
        assert (sampler.name, sampler.most) == ("mine", 3)
        bodies = texts(sampler, *(Request(GOAL, number) for number in range(3)))
        fillings = texts(sampler, *(Request(GOAL, number, hole=HOLE) for number in range(3)))
    assert bodies[2] == "by\n  rcases h with h | h\n    · simp\n    · omega"
    assert all(isinstance(prepare(statement_of(GOAL), body, Policy()), Assembly) for body in bodies)
    assert filled(HOLE, fillings[1]) == f"{GOAL.text} := by\n    intros\n    omega\n  done"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"  omega\n", "line 1: it is indented"),
        (b"\n-- nothing\n", "has no tactics: write one a line"),
        (b"omega\nsimp\nomega\n", "'omega' more than once"),
        (b"\xff", "it is no UTF-8"),
        (None, "No such file"),
    ],
)
def test_tactics_that_can_not_be_read(tmp_path: Path, content: bytes | None, said: str) -> None:
    file = tmp_path / "mine.txt"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputError, match=said):
        open_sampler(f"portfolio:{file}")


# --- choosing ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("portfolo", "no sampler is called 'portfolo': did you mean 'portfolio'?"),
        ("recorded", "write recorded:PATH"),
        ("recorded:nowhere.jsonl", "nowhere.jsonl does not exist"),
        ("endpoint", "write endpoint:http://HOST:PORT/v1"),
        ("endpoint:localhost", "'localhost' is no address"),
    ],
)
def test_settings_that_choose_nothing(setting: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        open_sampler(setting)
    assert said in str(raised.value)


def test_a_sampler_can_be_called_something_else() -> None:
    with open_sampler(name="baseline") as sampler:
        assert sampler.name == "baseline"


# --- a model behind an endpoint ------------------------------------------------------------------

QUICK = EndpointSettings("tiny-prover", concurrency=1, timeout_s=20, retries=Retries(2, 0.001))


def asked(body: Any, *requests: Request, prompt: str = "pythagoras") -> tuple[list[Sample], list[dict[str, Any]]]:
    settings = EndpointSettings("tiny-prover", prompt, concurrency=1, timeout_s=20, retries=Retries(2, 0.001))
    with model_server(answers(body)) as server, EndpointSampler(server.url, settings) as sampler:
        return list(sampler.sample(requests)), server.asked


def test_a_goal_is_shown_as_the_family_shows_it() -> None:
    (sample,), (body,) = asked(chat("```lean4\nby omega\n```"), Request(GOAL, 3, seed=5))
    (message,) = body["messages"]
    assert message["role"] == "user"
    assert message["content"].startswith(
        f"Complete the following Lean 4 code:\n\n```lean4\n/-- Small steps. -/\n{GOAL.text} := by\n  sorry\n```\n\n"
    )
    assert (body["model"], body["seed"]) == ("tiny-prover", 5)
    assert (sample.request.number, sample.text, sample.finish) == (3, "```lean4\nby omega\n```", Finish.STOP)
    assert (sample.prompt_tokens, sample.generated_tokens) == (11, 7)


def test_later_rounds_are_turns_of_the_chat() -> None:
    turns = (Turn("First.", "Wrong."), Turn("Second.", "Still wrong."))
    _, (body,) = asked(chat(), Request(GOAL, 0, 2, turns), prompt="kimina")
    roles = [message["role"] for message in body["messages"]]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]
    assert [message["content"] for message in body["messages"][2:]] == ["First.", "Wrong.", "Second.", "Still wrong."]


def test_a_raw_completion_goes_on_with_the_prompts_own_block() -> None:
    raw = {"choices": [{"text": "\n  omega\n```", "finish_reason": "stop"}]}
    (sample,), (body,) = asked(raw, Request(GOAL, 0), prompt="noncot")
    assert body["prompt"].endswith(":= by")
    assert sample.text == f"```lean4\n/-- Small steps. -/\n{GOAL.text} := by\n  omega"
    made = prepare(statement_of(GOAL), sample.text, Policy())
    assert isinstance(made, Assembly)
    assert made.text.endswith(":= by\n  omega\n")
    (sample,), _ = asked({"choices": [{"text": "by omega"}]}, Request(GOAL, 0), prompt="compact")
    assert sample.text == "by omega"


def test_without_the_servers_counts_texts_are_counted() -> None:
    (sample,), (body,) = asked(chat("by omega", usage={}), Request(GOAL, 0))
    assert sample.prompt_tokens == len(body["messages"][0]["content"].encode())
    assert sample.generated_tokens == len("by omega")


def test_what_can_not_be_asked_fails_alone() -> None:
    hole, turn = Request(GOAL, 0, hole=HOLE), Request(GOAL, 1, 1, (Turn("a", "b"),))
    odd = Request(Formalisation("odd", "theorem odd : True", "x", header="unheard"), 2)
    samples, bodies = asked({"choices": [{"text": "by simp"}]}, hole, turn, odd, Request(GOAL, 3), prompt="noncot")
    by_number = {sample.request.number: sample for sample in samples}
    assert len(samples) == 4
    assert len(bodies) == 1
    assert by_number[3].finish is Finish.STOP
    assert "fills no holes" in by_number[0].failure
    assert "is no chat" in by_number[1].failure
    assert "no header is called 'unheard'" in by_number[2].failure
    only_refused, _ = asked(chat(), hole)
    assert [sample.finish for sample in only_refused] == [Finish.FAILED]


def test_a_failure_of_the_servers_is_told() -> None:
    broken = [*[answers("", 503)] * 2, answers(chat())]  # in both tries, but for a plain question
    with model_server(*broken) as server, EndpointSampler(server.url, QUICK) as sampler:
        (sample,) = sampler.sample([Request(GOAL, 0)])
    assert (sample.finish, sample.text, sample.prompt_tokens) == (Finish.FAILED, "", 0)
    assert "answers 503" in sample.failure


def test_the_address_and_the_key_are_no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-secret")
    settings = EndpointSettings("m", "goedel", Sampling(0.7), {"top_k": 5}, api_key_env="MY_KEY")
    with model_server() as server, open_sampler(f"endpoint:{server.url}", endpoint=settings) as sampler:
        list(sampler.sample([Request(GOAL, 0)]))
        assert sampler.name == "m"
        assert sampler.settings == {
            "model": "m",
            "prompt": "goedel",
            "temperature": 0.7,
            "top_p": 0.95,
            "max_tokens": 30_000,
            "extra": {"top_k": 5},
            "token_counts": "the server's, else bytes",
        }
        assert is_json(sampler.settings)
        assert (sampler.most, sampler.abilities) == (None, frozenset({Ability.TURNS}))
    assert server.headers[0]["Authorization"] == "Bearer sk-secret"
    assert server.asked[0]["top_k"] == 5


def test_keys_come_from_the_environment_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
    monkeypatch.delenv("PYTHAGORAS_API_KEY", raising=False)
    with model_server() as server, EndpointSampler(server.url, QUICK) as sampler:
        list(sampler.sample([Request(GOAL, 0)]))
        monkeypatch.setenv("PYTHAGORAS_API_KEY", "ours")
        with EndpointSampler(server.url, QUICK) as sampler:
            list(sampler.sample([Request(GOAL, 0)]))
    assert [headers.get("Authorization") for headers in server.headers] == [None, "Bearer ours"]
    with pytest.raises(InputError, match="the environment variable NO_SUCH_KEY holds no API key"):
        EndpointSampler(server.url, EndpointSettings("m", api_key_env="NO_SUCH_KEY"))


def test_the_only_model_gives_its_name() -> None:
    one = answers({"data": [{"id": "only-prover"}]})
    with model_server(models=one) as server, open_sampler(server.url) as sampler:
        assert sampler.name == "only-prover"
        assert sampler.settings["model"] == "only-prover"
