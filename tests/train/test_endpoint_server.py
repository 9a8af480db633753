"""The endpoint's sampler against a real server: `transformers serve` with a tiny model that is made on the spot.

Its weights are random, so what it writes is noise; how tokens are counted, how it ends and what seeds do is real.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pythagoras.corpus.prompts import names
from pythagoras.corpus.records import Formalisation
from pythagoras.errors import InputError
from pythagoras.generate.endpoint import EndpointSampler, EndpointSettings
from pythagoras.generate.sampler import Finish, Request, Sample, Turn
from pythagoras.llm.patience import Retries
from pythagoras.llm.sampling import Sampling
from tests.train.served import serving
from tests.train.tiny import make_model

pytest.importorskip("transformers")
pytest.importorskip("openai")  # `transformers serve` needs both
pytest.importorskip("accelerate")

GOAL = Formalisation("two", "theorem two (a b : ℕ) (h : a < b) : a + 1 ≤ b", "handmade", header="mathlib")
TOKENS = 24


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a running server, and its model's name."""
    folder = tmp_path_factory.mktemp("serve")
    make_model(folder / "model")
    with serving(folder / "model", folder) as served:
        yield served.url, served.model


def sampled(server: tuple[str, str], *requests: Request, prompt: str = "pythagoras") -> list[Sample]:
    url, model = server
    settings = EndpointSettings(
        model, prompt, Sampling(max_tokens=TOKENS), concurrency=1, timeout_s=120, retries=Retries(2, 0.1)
    )
    with EndpointSampler(url, settings) as sampler:
        return sorted(sampler.sample(requests), key=lambda sample: sample.request.number)


@pytest.mark.parametrize("prompt", [names(chat=True)[0], names(chat=False)[0]])
def test_attempts_with_their_tokens(server: tuple[str, str], prompt: str) -> None:
    samples = sampled(server, *(Request(GOAL, number, seed=number) for number in range(3)), prompt=prompt)
    assert [sample.failure for sample in samples] == [""] * 3
    assert all(1 <= sample.generated_tokens <= TOKENS for sample in samples)
    assert all((sample.finish is Finish.LENGTH) == (sample.generated_tokens == TOKENS) for sample in samples)
    assert len({sample.text for sample in samples}) == 3
    assert len({sample.prompt_tokens for sample in samples}) == 1
    assert samples[0].prompt_tokens > len(GOAL.text.encode())  # a token a byte
    assert all(sample.seconds > 0 for sample in samples)


def test_a_seed_gives_the_same_attempt_again(server: tuple[str, str]) -> None:
    first, again, other = sampled(server, *(Request(GOAL, number, seed=seed) for number, seed in enumerate([7, 7, 8])))
    assert first.text == again.text != other.text


def test_a_second_round_has_the_first_in_its_prompt(server: tuple[str, str]) -> None:
    turns = (Turn("by rfl", "The proof (Round 0) is not correct."),)
    first, second = sampled(server, Request(GOAL, 0), Request(GOAL, 1, 1, turns))
    special = (
        len("<|im_start|>assistant\n<|im_end|>\n<|im_start|>user\n<|im_end|>\n") - len("<|im_start|><|im_end|>") * 2
    )
    grown = len("by rfl") + len("The proof (Round 0) is not correct.") + special + 4
    assert second.prompt_tokens - first.prompt_tokens == grown


def test_a_wrong_model_is_said(server: tuple[str, str]) -> None:
    settings = EndpointSettings("nobody/nothing", timeout_s=60, retries=Retries(1))
    with EndpointSampler(server[0], settings) as sampler:
        try:
            (sample,) = sampler.sample([Request(GOAL, 0)])
        except InputError as error:
            said = str(error)
        else:
            said = sample.failure
    assert "answers" in said
