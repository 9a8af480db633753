"""The endpoint's sampler against a real server: `transformers serve` with a tiny model that is made on the spot.

Its weights are random, so what it writes is noise; how tokens are counted, how it ends and what seeds do is real.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from pythagoras.corpus.prompts import names
from pythagoras.corpus.records import Formalisation
from pythagoras.errors import InputError
from pythagoras.generate.endpoint import EndpointSampler, EndpointSettings
from pythagoras.generate.sampler import Finish, Request, Sample, Turn
from pythagoras.llm.endpoint import Sampling
from pythagoras.llm.patience import Retries

pytest.importorskip("transformers")
pytest.importorskip("openai")  # `transformers serve` needs both
pytest.importorskip("accelerate")

GOAL = Formalisation("two", "theorem two (a b : ℕ) (h : a < b) : a + 1 ≤ b", "handmade", header="mathlib")
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
TOKENS = 24
START_S = 120.0


def make_model(folder: Path) -> None:
    """A Qwen3 of two layers whose tokens are bytes, so that every count can be told from the text."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({token: at for at, token in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast: Any = PreTrainedTokenizerFast  # it comes without types, like the model below
    wrapped = fast(tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    wrapped.add_special_tokens({"additional_special_tokens": special})
    wrapped.chat_template = TEMPLATE
    wrapped.save_pretrained(folder)
    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=len(wrapped),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=16,
        max_position_embeddings=4096,
        eos_token_id=wrapped.convert_tokens_to_ids("<|im_end|>"),
        pad_token_id=wrapped.convert_tokens_to_ids("<|endoftext|>"),
        bos_token_id=None,
    )
    causal: Any = Qwen3ForCausalLM
    model = causal(config)
    model.generation_config.do_sample = True
    model.save_pretrained(folder)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a running server, and its model's name."""
    folder = tmp_path_factory.mktemp("serve")
    make_model(folder / "model")
    (folder / "home" / "hub").mkdir(parents=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    variables = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "home"), "OMP_NUM_THREADS": "1"}
    options = ["--device", "cpu", "--dtype", "float32", "--host", "127.0.0.1", "--port", str(port)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [Path(sys.executable).with_name("transformers"), "serve", folder / "model", *options],
            env={**os.environ, **variables},
            stdout=log,
            stderr=log,
        )
        try:
            _wait(f"http://127.0.0.1:{port}", process, folder / "log")
            yield f"http://127.0.0.1:{port}", str(folder / "model")
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            httpx.get(f"{address}/health", timeout=5)
            return
        except httpx.TransportError:
            time.sleep(0.2)
    pytest.fail(f"the server did not start: {log.read_text(errors='replace')[-2000:]}")


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
