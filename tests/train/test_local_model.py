"""A model in this process: seeds, batches, endings and counts, on a tiny model whose tokens are bytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pythagoras.errors import InputError
from pythagoras.llm.chat import ChatRequest, Completion, Ending, Message
from pythagoras.llm.local import LocalModel
from pythagoras.llm.sampling import Sampling
from pythagoras.llm.weights import Weights, load_weights
from tests.train.tiny import make_model

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

TOKENS = 24


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Weights]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # several wait for each other when a core is busy
    folder = tmp_path_factory.mktemp("tiny")
    make_model(folder)
    yield load_weights(folder)
    torch.set_num_threads(threads)


def wanted(number: int, seed: int | None = None, text: str = "") -> ChatRequest:
    text = text or "Prove it. " * (number % 5)  # of several lengths
    return ChatRequest(number, (Message("user", text),), number if seed is None else seed)


def completed(
    weights: Weights, requests: list[ChatRequest], sampling: Sampling | None = None, batch: int = 1
) -> list[Completion]:
    model = LocalModel(weights, sampling or Sampling(max_tokens=TOKENS), batch=batch)
    return sorted(model.complete(requests), key=lambda completion: completion.request.number)


def said(completions: list[Completion]) -> list[tuple[object, ...]]:
    return [(one.text, one.ending, one.prompt_tokens, one.generated_tokens) for one in completions]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_an_answer_does_not_depend_on_its_batch(weights: Weights, temperature: float) -> None:
    requests = [wanted(number) for number in range(7)]
    sampling = Sampling(temperature, 0.95, TOKENS)
    alone = completed(weights, requests, sampling)
    assert said(completed(weights, requests, sampling, batch=4)) == said(alone)
    assert said(completed(weights, requests[::-1], sampling, batch=7)) == said(alone)


def test_seeds(weights: Weights) -> None:
    first, again, other = completed(weights, [wanted(number, seed, "x") for number, seed in enumerate([7, 7, 8])])
    assert first.text == again.text != other.text
    assert len({one.text for one in completed(weights, [ChatRequest(number, "x") for number in range(4)])}) == 4


def test_without_temperature_seeds_change_nothing(weights: Weights) -> None:
    sampling = Sampling(0.0, max_tokens=TOKENS)
    assert len({one.text for one in completed(weights, [wanted(n, n, "x") for n in range(4)], sampling)}) == 1


def test_endings_and_counts(weights: Weights) -> None:
    """A token a byte, so prompts can be counted again; a random model ends its turn now and then."""
    requests = [wanted(number, text="ℕ") for number in range(12)]
    done = completed(weights, requests, Sampling(max_tokens=200), batch=12)
    prompt = "user\nℕ\nassistant\n"
    assert {one.prompt_tokens for one in done} == {len(prompt.encode()) + 3}  # and three marks
    assert {one.generated_tokens for one in done if one.ending is Ending.LENGTH} == {200}
    stopped = [one for one in done if one.ending is Ending.STOP]
    assert 0 < len(stopped) < 12
    shortest = min(stopped, key=lambda one: one.generated_tokens or 0)
    assert shortest.generated_tokens is not None
    (again,) = completed(weights, [shortest.request], Sampling(max_tokens=shortest.generated_tokens))
    assert said([again]) == said([shortest])
    (cut,) = completed(weights, [shortest.request], Sampling(max_tokens=shortest.generated_tokens - 1))
    assert (cut.text, cut.ending) == (shortest.text, Ending.LENGTH)  # all but the mark of its end
    assert all(one.seconds > 0 for one in done)


def test_raw_text_goes_without_a_template(weights: Weights) -> None:
    raw, half = completed(weights, [ChatRequest(0, "theorem t", 1), ChatRequest(1, "theorem \ud835", 1)])
    assert raw.prompt_tokens == half.prompt_tokens == len("theorem t")  # half of a character can't be shown


def test_a_prompt_that_does_not_fit_fails_and_the_others_do_not(weights: Weights) -> None:
    done = completed(weights, [wanted(0), wanted(1, text="x" * 4090), wanted(2)], batch=3)
    assert [one.ending is Ending.FAILED for one in done] == [False, True, False]
    assert "more than the 4,096 of its context" in done[1].failure
    assert said([done[0], done[2]]) == said(completed(weights, [wanted(0), wanted(2)]))


def test_a_prompt_is_read_once(weights: Weights) -> None:
    model = LocalModel(weights, Sampling(max_tokens=2))
    first, again = (next(model.complete([wanted(number, text="x")])) for number in range(2))
    assert (first.cached_tokens, again.cached_tokens) == (0, first.prompt_tokens)


def test_requests_are_read_a_batch_at_a_time(weights: Weights) -> None:
    waiting = iter([wanted(number) for number in range(9)])
    stream = LocalModel(weights, Sampling(max_tokens=2), batch=3).complete(waiting)
    next(stream)
    assert next(waiting).number == 3


def test_weights_in_use_are_shared(weights: Weights, tmp_path: Path) -> None:
    make_model(tmp_path)
    one = load_weights(tmp_path)
    assert load_weights(tmp_path) is one is not weights
    assert one.fingerprint == weights.fingerprint  # the same files
    (tmp_path / "generation_config.json").write_text("{}")
    del one
    assert load_weights(tmp_path).fingerprint != weights.fingerprint


def test_models_that_are_none(weights: Weights, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no model in"):
        load_weights(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(InputError, match="can't load"):
        load_weights(tmp_path)
    make_model(tmp_path)
    torch.save({}, tmp_path / "pytorch_model.bin")
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(InputError, match=r"can't load .*safetensors"):  # what is pickled is a program
        load_weights(tmp_path)
    (tmp_path / "x.gguf").write_bytes(b"GGUF")
    with pytest.raises(InputError, match="can't load"):
        load_weights(tmp_path / "x.gguf")


def test_a_model_that_can_not_chat(tmp_path: Path) -> None:
    make_model(tmp_path)
    (tmp_path / "chat_template.jinja").unlink()
    with pytest.raises(InputError, match="no chat template"):
        completed(load_weights(tmp_path), [wanted(0)])
