"""Cost: the paper's figures as printed, FLOPs against published sizes and by hand, reports of made runs."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.errors import InputError
from pythagoras.evaluate.analysis.cost import (
    CostReport,
    Round,
    cached_prefixes,
    cost_report,
    decode_flops,
    etc,
    etc_of_rounds,
    given_cost,
    parse_round,
    prefill_flops,
    throughput,
    throughput_score,
)
from pythagoras.evaluate.results import Results, Rounds, load
from pythagoras.evaluate.running.protocols import Part
from pythagoras.llm.architectures import Architecture, architecture, known
from tests.made_runs import make_run

GOEDEL = (Round(284.88, 18367.83), Round(7838.74, 21638.70), Round(8309.06, 23835.80))
RESTART = (Round(284.88, 18741.80),)
TINY = {
    "model_type": "qwen3",
    "hidden_size": 8,
    "intermediate_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 4,
    "vocab_size": 10,
}
TINY_LAYERS = 2 * (8 * 8 + 8 * 4 + 8 * 4 + 8 * 8 + 3 * 8 * 16)  # q, k, v, o and the three of the feed-forward part
TINY_HEAD = 8 * 10


def tiny() -> Architecture:
    return Architecture(name="tiny", **TINY)


# --- effective token complexity ------------------------------------------------------------------


def test_the_papers_figures_as_printed() -> None:
    assert [f"{etc(one.prompt, one.generated):.4e}" for one in GOEDEL] == ["1.7393e+08", "4.0375e+08", "4.8214e+08"]
    assert f"{etc_of_rounds(GOEDEL, 184):.2e}" == "1.95e+11"
    assert f"{etc(284.88, 18741.80):.4e}" == "1.8098e+08"
    assert f"{etc_of_rounds(RESTART, 1024):.4e}" == "1.8532e+11"
    assert f"{etc_of_rounds(RESTART, 1024) / etc_of_rounds(GOEDEL, 184):.2f}" == "0.95"
    assert given_cost(GOEDEL, 184).etc.means_per_problem == etc_of_rounds(GOEDEL, 184)


@given(st.integers(0, 300), st.integers(0, 300))
def test_etc_is_the_sum_over_generated_tokens(prompt: int, generated: int) -> None:
    assert etc(prompt, generated) == sum(prompt + at for at in range(1, generated + 1))


def test_the_papers_throughput_scores() -> None:
    autoregressive, diffusion = throughput_score(0.8607, 4.10), throughput_score(0.6325, 10.56)
    assert (f"{autoregressive:.2f}", f"{diffusion:.2f}", f"{diffusion / autoregressive:.2f}") == (
        "3.53",
        "6.68",
        "1.89",
    )


@pytest.mark.parametrize("text", ["284.88,18741.80", " 284.88 , 18741.80 "])
def test_a_round_is_read(text: str) -> None:
    assert parse_round(text) == RESTART[0]


@pytest.mark.parametrize(
    "text", ["", "5", "1,2,3", "284.88,18,741.80", "a,b", "1;2", "nan,1", "1,inf", "1e999,1", "-1,2"]
)
def test_a_round_that_is_none_gets_a_word(text: str) -> None:
    with pytest.raises(InputError, match=r"is no round: write|can't have .* tokens") as caught:
        parse_round(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
def test_tokens_are_numbers_from_0(value: float) -> None:
    for bad in ((value, 1.0), (1.0, value)):
        with pytest.raises(InputError, match="tokens"):
            etc(*bad)


def test_attempts_have_rounds_and_runs_have_attempts() -> None:
    with pytest.raises(InputError, match="at least one round"):
        etc_of_rounds([], 4)
    for n in (0, -1):
        with pytest.raises(InputError, match=f"N = {n}"):
            given_cost(RESTART, n)


@pytest.mark.parametrize(("accuracy", "tps"), [(86.07, 4.1), (-0.1, 1), (math.nan, 1), (0.5, -1), (0.5, math.inf)])
def test_scores_of_impossible_numbers_are_refused(accuracy: float, tps: float) -> None:
    with pytest.raises(InputError):
        throughput_score(accuracy, tps)


# --- architectures -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "all_weights", "without_embeddings"),
    [  # in billions, as the model cards say
        ("qwen3-4b", "4.0", "3.6"),
        ("qwen3-8b", "8.2", "6.9"),
        ("qwen3-32b", "32.8", "31.2"),
        ("qwen2.5-72b", "72.7", "70.2"),
        ("deepseek-v3", "671.0", None),
    ],
)
def test_shapes_give_the_published_numbers_of_weights(
    name: str, all_weights: str, without_embeddings: str | None
) -> None:
    model = architecture(name)
    assert f"{model.parameters / 1e9:.1f}" == all_weights
    embeddings = model.head_weights * (1 if model.tie_word_embeddings else 2)
    if without_embeddings is not None:
        assert f"{(model.parameters - embeddings) / 1e9:.1f}" == without_embeddings
        assert model.layer_weights == model.parameters - embeddings
    assert model.source


def test_of_experts_those_that_a_token_visits_are_counted() -> None:
    model = architecture("deepseek-v3")
    assert 36.5e9 < model.layer_weights + model.head_weights < 38e9  # its report says 37B
    assert model.cache_bytes_per_token == 61 * 576 * 2
    assert model.prefill_flops_per_pair == 2 * 61 * 128 * (192 + 128)
    assert model.decode_flops_per_pair == 2 * 61 * 128 * (576 + 512)


def test_flops_by_hand() -> None:
    model = tiny()
    assert (model.layer_weights, model.head_weights) == (TINY_LAYERS, TINY_HEAD)
    assert model.cache_bytes_per_token == 2 * 2 * 2 * 1 * 4
    one = np.ones(1)
    pair = 4 * 2 * 2 * 4
    assert prefill_flops(model, 5 * one, 0 * one)[0] == 2 * TINY_LAYERS * 5 + pair * 15
    assert prefill_flops(model, 5 * one, 3 * one)[0] == 2 * TINY_LAYERS * 2 + pair * (4 + 5)
    assert decode_flops(model, 5 * one, 2 * one)[0] == 2 * (TINY_LAYERS + TINY_HEAD) * 2 + pair * (6 + 7)


def test_attention_while_decoding_is_etc_times_a_pair() -> None:
    model = architecture("qwen3-32b")
    prompt, generated = np.array([284.88]), np.array([18741.80])
    weights = 2 * (model.layer_weights + model.head_weights) * generated
    attention = decode_flops(model, prompt, generated) - weights
    assert attention[0] == pytest.approx(4 * 64 * 64 * 128 * etc(284.88, 18741.80))


def test_a_local_config_is_read(tmp_path: Path) -> None:
    path = tmp_path / "model" / "config.json"
    path.parent.mkdir()
    path.write_text(json.dumps({**TINY, "rope_scaling": None, "sliding_window": None, "use_cache": True}))
    for name in (path, path.parent):
        found = architecture(str(name))
        assert (found.name, found.layer_weights) == ("model", TINY_LAYERS)
    path.write_text(json.dumps({"model_type": "sees", "text_config": TINY}))
    assert architecture(str(path)).layer_weights == TINY_LAYERS
    llama = {key: value for key, value in TINY.items() if key not in ("head_dim", "num_key_value_heads")}
    path.write_text(json.dumps({**llama, "model_type": "llama"}))
    assert architecture(str(path)).layer_weights == 2 * (4 * 8 * 8 + 3 * 8 * 16)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"model_type": "gpt_neox"}, "model_type 'gpt_neox' is none of"),
        ({"hidden_size": None}, "hidden_size: Field required"),
        ({"hidden_size": -8}, "hidden_size"),
        ({"vocab_size": "many"}, "vocab_size"),
        ({"layer_types": ["full_attention", "linear_attention"]}, "without full attention"),
        ({"use_sliding_window": True, "sliding_window": 4096}, "without full attention"),
        ({"num_experts": 4}, "num_experts_per_tok"),
        ({"kv_lora_rank": 4}, "kv_lora_rank"),
        ({"head_dim": None, "hidden_size": 7}, "no multiple of"),
    ],
)
def test_a_config_that_can_not_be_counted_gets_a_word(tmp_path: Path, change: dict[str, Any], word: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**TINY, **change}))
    with pytest.raises(InputError, match=word) as caught:
        architecture(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "[1]", "\udcff", "{"])
def test_a_config_that_is_none_gets_a_word(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match=r"config\.json"):
        architecture(str(path))


def test_unknown_architectures(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="did you mean 'qwen3-4b'"):
        architecture("qwen3-4")
    with pytest.raises(InputError, match="there is no file"):
        architecture(str(tmp_path / "config.json"))
    with pytest.raises(InputError, match=r"config\.json"):
        architecture(str(tmp_path))
    assert set(known()) == {"qwen3-4b", "qwen3-8b", "qwen3-32b", "qwen2.5-72b", "deepseek-v3"}


# --- caching -------------------------------------------------------------------------------------


def test_what_an_ideal_cache_holds() -> None:
    prompt = np.array([100.0, 400.0, 150.0, 90.0, 100.0, 320.0])
    generated = np.array([200.0, 50.0, 10.0, 10.0, 220.0, 5.0])
    first = np.array([True, False, False, False, True, False])
    # the conversation so far (300 of 400); cut, so only the first prompt; all of a shorter one; the next attempt
    assert cached_prefixes(prompt, generated, first).tolist() == [100, 300, 100, 90, 100, 320]
    assert cached_prefixes(prompt, generated, first, conversation=False).tolist() == [100, 0, 0, 0, 100, 0]


def test_a_shared_prompt_is_read_once() -> None:
    model = tiny()
    found = given_cost([Round(100, 50)], 8, model).compute
    assert found is not None
    read = float(prefill_flops(model, np.array([100.0]), np.zeros(1))[0])
    written = float(decode_flops(model, np.array([100.0]), np.array([50.0]))[0])
    assert found.per_problem == 8 * (read + written)
    assert found.cached_per_problem == read + 8 * written
    assert (found.prefill_per_problem, found.decode_per_problem) == (8 * read, 8 * written)
    assert found.cache_peak_bytes == 150 * model.cache_bytes_per_token
    assert found.cache_read_bytes_per_attempt == etc(100, 50) * model.cache_bytes_per_token


def test_a_report_says_what_is_approximate() -> None:
    assert len(given_cost(RESTART, 8, architecture("qwen3-4b")).notes) == 1
    notes = given_cost(RESTART, 8, architecture("deepseek-v3")).notes
    assert ["latent attention" in notes[1], "not read anywhere" in notes[2]] == [True, True]


# --- recorded runs -------------------------------------------------------------------------------


def with_rounds(run: Results, **columns: Any) -> Results:
    """The run with other numbers in some columns of its rounds."""
    rounds: Rounds = replace(run.rounds, **{name: np.asarray(values) for name, values in columns.items()})
    return Results(run.folder, run.manifest, run.goals, run.unfit, rounds, run.judgements)


@pytest.fixture
def restarts(tmp_path: Path) -> Results:
    """Two problems, two attempts each."""
    run = load(make_run(tmp_path / "restarts", [[False, True], [False, False]]))
    return with_rounds(
        run, prompt_tokens=[10, 10, 20, 20], generated_tokens=[4, 6, 0, 8], milliseconds=[100.0, 200.0, 300.0, 400.0]
    )


def test_a_report_of_a_run(restarts: Results) -> None:
    found = cost_report(restarts, tiny())
    by_attempt = [etc(10, 4), etc(10, 6), etc(20, 0), etc(20, 8)]
    assert (found.problems, found.attempts, found.n) == (2, 4, 2.0)
    assert (found.prompt_tokens, found.generated_tokens) == (60, 18)
    assert found.etc.total == sum(by_attempt)
    assert (found.etc.per_attempt, found.etc.per_problem) == (sum(by_attempt) / 4, sum(by_attempt) / 2)
    assert found.etc.means_per_attempt == etc(15, 4.5)
    assert found.etc.means_per_problem == 2 * etc(15, 4.5)
    assert (found.sampler_seconds, found.tokens_per_second) == (1.0, 18.0)
    assert throughput(restarts) == 18.0
    assert found.lean_seconds == pytest.approx(sum(judged.milliseconds for judged in restarts.judgements) / 1000)
    assert found.wall_seconds == 120
    assert found.compute is not None
    assert found.compute.caching == "modelled"
    reads = prefill_flops(tiny(), np.array([10.0, 20.0]), np.zeros(2))
    assert found.compute.total - found.compute.cached_total == pytest.approx(reads.sum())  # once instead of twice
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["etc_detail"]["total"] == sum(by_attempt)


def test_the_mean_cost_is_above_the_cost_of_means_by_variance_and_covariance(restarts: Results) -> None:
    found = cost_report(restarts)
    prompt, generated = np.array([10, 10, 20, 20]), np.array([4, 6, 0, 8])
    above = generated.var() / 2 + np.cov(prompt, generated, bias=True)[0, 1]
    assert found.etc.per_attempt is not None
    assert found.etc.per_attempt - found.etc.means_per_attempt == pytest.approx(above)


def test_proofs_that_are_the_same_are_checked_once(restarts: Results) -> None:
    run = with_rounds(restarts, judgement=[0, 1, 0, -1])
    taken = [judged.milliseconds / 1000 for judged in run.judgements]
    found = cost_report(run)
    assert found.lean_seconds_without_sharing == pytest.approx(2 * taken[0] + taken[1])


def test_rounds_add_up(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "run", [[False, True], [True, False]], rounds=3, seed=5))
    found = cost_report(run, tiny())
    made = len(run.rounds)
    assert made > 4
    assert sum(one.share for one in found.rounds) == pytest.approx(made / 4)
    assert [one.round for one in found.rounds] == list(range(1, len(found.rounds) + 1))
    assert found.etc.total == sum(
        etc(float(m), float(a)) for m, a in zip(run.rounds.prompt_tokens, run.rounds.generated_tokens, strict=True)
    )
    assert found.etc.means_per_attempt == pytest.approx(
        sum(one.share * etc(one.prompt_tokens, one.generated_tokens) for one in found.rounds)
    )


def test_recorded_cached_tokens_are_believed(restarts: Results) -> None:
    run = with_rounds(restarts, cached_tokens=[0, 10, 0, 99])
    found = cost_report(run, tiny()).compute
    assert found is not None
    assert found.caching == "recorded"
    reads = prefill_flops(tiny(), np.array([10.0, 20.0]), np.zeros(2))
    assert found.total - found.cached_total == pytest.approx(reads.sum())  # no more than the prompt


def test_infilling_is_no_conversation(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "run", [[False, False]], rounds=2))
    infill = run.manifest.protocol.model_copy(update={"parts": (Part(rounds=2, repair="infill"),)})
    manifest = run.manifest.model_copy(update={"protocol": infill})
    filled = Results(run.folder, manifest, run.goals, run.unfit, run.rounds, run.judgements)
    costs = [cost_report(one, tiny()).compute for one in (run, filled)]
    assert costs[0] is not None
    assert costs[1] is not None
    assert costs[0].total == costs[1].total
    assert costs[0].cached_total < costs[1].cached_total < costs[1].total


def test_runs_without_records_get_a_word(tmp_path: Path, restarts: Results) -> None:
    empty = load(make_run(tmp_path / "empty", [[], []]))
    with pytest.raises(InputError, match="no attempts"):
        cost_report(empty)
    with pytest.raises(InputError, match="no record of the sampler's time"):
        throughput(empty)
    silent = with_rounds(restarts, generated_tokens=[0] * 4, milliseconds=[0.0] * 4)
    found: CostReport = cost_report(silent)
    assert (found.etc.total, found.tokens_per_second) == (0, None)
    assert "counted no tokens" in found.notes[0]
    with pytest.raises(InputError, match="damaged"):
        cost_report(with_rounds(restarts, prompt_tokens=[-1, 0, 0, 0]))
