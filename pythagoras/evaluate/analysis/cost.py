"""What attempts cost: the paper's effective token complexity, and beside it what the paper says that it leaves out.

ETC(m, a) = m a + a (a + 1) / 2 counts the pairs that attention makes while a tokens are generated behind m others;
rounds add up, and pass@N costs N times as much. FLOPs, with and without a prefix cache, come from the architecture;
seconds of Lean, of the sampler and of the whole run from what was recorded. Curves and matched budgets: `cost_curves`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pythagoras.errors import InputError
from pythagoras.evaluate.analysis.passn import PassAt, pass_at
from pythagoras.evaluate.results import Flags, Floats, Results
from pythagoras.llm.architectures import Architecture

_MOST_TOKENS = 1e15
"""Squares of more, times attempts and FLOPs, would not be numbers any more."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round of an attempt: tokens that were given, and tokens that were generated. Means may be fractions."""

    prompt: float
    generated: float

    def __post_init__(self) -> None:
        for what, value in (("prompt", self.prompt), ("generated", self.generated)):
            if not 0 <= value <= _MOST_TOKENS:
                raise InputError(
                    f"a round can't have {value:g} {what} tokens: give a number from 0 to {_MOST_TOKENS:g}"
                )


@dataclass(frozen=True, slots=True)
class CostCurve:
    """Share of problems solved against the mean cost of a problem, for growing N. Intervals are of the share."""

    label: str
    measure: str
    unit: str
    n: tuple[int, ...]
    cost: tuple[float, ...]
    solved: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RoundCost:
    """What the attempts' rounds of one number have in common."""

    round: int
    """From 1, as the paper counts."""
    share: float
    """Of the attempts, those that came to it."""
    prompt_tokens: float
    generated_tokens: float
    """Means of those."""
    etc: float
    """Of the means."""


@dataclass(frozen=True, slots=True)
class EtcCost:
    """Effective token complexity. A run has both; of given means, nothing but the means is known.

    The mean of a round's ETC is the ETC of its mean lengths and, on top, var(a) / 2 + cov(m, a): lengths that differ
    usually cost more than their means tell. They cost less where long answers follow short prompts so much that
    cov(m, a) < -var(a) / 2. The paper uses means.
    """

    means_per_attempt: float
    means_per_problem: float
    per_attempt: float | None = None
    per_problem: float | None = None
    total: float | None = None


@dataclass(frozen=True, slots=True)
class Compute:
    """FLOPs and cache, of one architecture."""

    architecture: str
    prefill_per_problem: float
    decode_per_problem: float
    per_attempt: float
    per_problem: float
    total: float
    cached_per_attempt: float
    """The same with a prefix cache."""
    cached_per_problem: float
    cached_total: float
    caching: str
    """`recorded` where the sampler told what it found in its cache; else `modelled`, see `cached_prefixes`."""
    cache_bytes_per_token: int
    cache_peak_bytes: float
    """Of one sequence, at its longest."""
    cache_read_bytes_per_attempt: float
    """Each generated token reads all that is kept of those before it: what decoding waits for in small batches."""


@dataclass(frozen=True, slots=True)
class CostReport:
    """What a run cost, or what given rounds would. Means a problem are over the problems that Lean takes."""

    label: str
    n: float
    """Attempts a problem."""
    problems: int
    attempts: int
    rounds: tuple[RoundCost, ...]
    prompt_tokens: float
    generated_tokens: float
    etc: EtcCost
    compute: Compute | None
    cached_tokens: int | None = None
    lean_seconds: float | None = None
    """Each different proof is checked once."""
    lean_seconds_without_sharing: float | None = None
    """If each attempt's had been."""
    sampler_seconds: float | None = None
    wall_seconds: float | None = None
    tokens_per_second: float | None = None
    """Generated tokens a second of the sampler's."""
    score: float | None = None
    """The paper's S: pass@N of the run's N, on all problems, times that."""
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON. `etc` is that of a problem's attempts: of their counts, or of the given means."""
        plain, found = asdict(self), self.etc
        return plain | {
            "etc": found.means_per_problem if found.per_problem is None else found.per_problem,
            "etc_per_attempt": found.means_per_attempt if found.per_attempt is None else found.per_attempt,
            "etc_detail": plain["etc"],
        }


# --- effective token complexity ------------------------------------------------------------------


def etc(prompt: float, generated: float) -> float:
    """ETC(m, a): the paper's equation."""
    one = Round(prompt, generated)
    return one.prompt * one.generated + one.generated * (one.generated + 1) / 2


def etc_of_rounds(rounds: Sequence[Round], n: int = 1) -> float:
    """ETC of N attempts of these rounds."""
    _check_given(rounds, n)
    return n * sum(etc(one.prompt, one.generated) for one in rounds)


def parse_round(text: str) -> Round:
    """`284.88,18741.80`: prompt tokens, then generated ones."""
    parts = text.split(",")
    try:
        prompt, generated = map(float, parts)
    except ValueError:
        raise InputError(
            f"{text!r} is no round: write prompt tokens, a comma and generated tokens, like 284.88,18741.80, "
            "without separators for thousands"
        ) from None
    return Round(prompt, generated)


def throughput_score(accuracy: float, tokens_per_second: float) -> float:
    """The paper's S: accuracy, as a share, times tokens a second. It takes attempts to be about equally long."""
    if not 0 <= accuracy <= 1:
        raise InputError(f"an accuracy of {accuracy} is no share: give a number from 0 to 1")
    if not math.isfinite(tokens_per_second) or tokens_per_second < 0:
        raise InputError(f"{tokens_per_second} tokens a second can't be: give a number that is 0 or more")
    return accuracy * tokens_per_second


def throughput(results: Results) -> float:
    """Generated tokens a second of the sampler's. Of requests that run beside each other, each one's own second."""
    seconds = float(results.rounds.milliseconds.sum()) / 1000
    if not seconds > 0:
        raise InputError(f"the run {results.label!r} has no record of the sampler's time: its throughput can't be told")
    return float(results.rounds.generated_tokens.sum()) / seconds


# --- FLOPs ---------------------------------------------------------------------------------------


def prefill_flops(model: Architecture, prompt: Floats, cached: Floats) -> Floats:
    """Of reading prompts of which the first tokens are in the cache."""
    pairs = (prompt * (prompt + 1) - cached * (cached + 1)) / 2
    return 2 * model.layer_weights * (prompt - cached) + model.prefill_flops_per_pair * pairs


def decode_flops(model: Architecture, prompt: Floats, generated: Floats) -> Floats:
    """Of generating tokens behind prompts. Its part of attention is ETC times what one pair takes."""
    weights = model.layer_weights + model.head_weights
    return 2 * weights * generated + model.decode_flops_per_pair * etc_of(prompt, generated)


def etc_of(prompt: Floats, generated: Floats) -> Floats:
    """ETC, element by element."""
    return prompt * generated + generated * (generated + 1) / 2


def cached_prefixes(prompt: Floats, generated: Floats, first: Flags, *, conversation: bool = True) -> Floats:
    """By round, in the order of an attempt: tokens of the prompt that an ideal cache has from the rounds before it.

    `first` marks first rounds. Their prompt is the same for all attempts at a problem, so all of it is in the cache,
    but for one attempt. A later prompt that is long enough holds all of the conversation so far; a shorter one was
    cut, and only the first prompt is sure to be the same. Without a conversation, nothing is.
    """
    if not conversation:
        return np.where(first, prompt, 0.0)
    before = np.concatenate([[0.0], prompt + generated])[:-1]
    starts = np.maximum.accumulate(np.where(first, np.arange(len(prompt)), 0))
    known = np.where(before <= prompt, before, np.minimum(prompt[starts], prompt))
    return np.where(first, prompt, known)


# --- reports -------------------------------------------------------------------------------------


def given_cost(rounds: Sequence[Round], n: int, model: Architecture | None = None) -> CostReport:
    """What N attempts at a problem cost whose rounds have these mean lengths."""
    _check_given(rounds, n)
    prompt = np.array([one.prompt for one in rounds])
    generated = np.array([one.generated for one in rounds])
    per_attempt = etc_of_rounds(rounds)
    compute = None
    if model is not None:
        first = np.arange(len(rounds)) == 0
        cached = cached_prefixes(prompt, generated, first)
        once = float(prefill_flops(model, prompt[:1], np.zeros(1)).sum())
        prefill = n * float(prefill_flops(model, prompt, np.zeros(len(rounds))).sum())
        decode = n * float(decode_flops(model, prompt, generated).sum())
        compute = _compute(
            model,
            prefill=prefill,
            decode=decode,
            with_cache=once + n * float(prefill_flops(model, prompt, cached).sum()) + decode,
            caching="modelled",
            pairs=n * per_attempt,
            longest=float((prompt + generated).max()),
            problems=1,
            attempts=n,
        )
    return CostReport(
        label="given",
        n=n,
        problems=1,
        attempts=n,
        rounds=tuple(
            RoundCost(at, 1.0, one.prompt, one.generated, etc(one.prompt, one.generated))
            for at, one in enumerate(rounds, start=1)
        ),
        prompt_tokens=n * float(prompt.sum()),
        generated_tokens=n * float(generated.sum()),
        etc=EtcCost(per_attempt, n * per_attempt),
        compute=compute,
        notes=("lengths are means: attempts that differ in length usually cost more than this", *_model_notes(model)),
    )


def cost_report(results: Results, model: Architecture | None = None) -> CostReport:
    """What a run cost, by what it recorded."""
    prompt, generated = tokens(results)
    rounds = results.rounds
    attempts = len(results.last_rounds)
    problems = int(results.fit.sum())
    if not attempts or not problems:
        raise InputError(f"the run {results.label!r} has no attempts: there is no cost to tell")
    by_round = _by_round(results, prompt, generated, attempts)
    means = sum(one.share * one.etc for one in by_round)
    total = float(etc_of(prompt, generated).sum())
    sampler_seconds = float(rounds.milliseconds.sum()) / 1000
    speed = throughput(results) if sampler_seconds > 0 else None
    accuracy = pass_at(results, max(1, results.manifest.n))
    return CostReport(
        label=results.label,
        n=attempts / problems,
        problems=problems,
        attempts=attempts,
        rounds=by_round,
        prompt_tokens=float(prompt.sum()),
        generated_tokens=float(generated.sum()),
        etc=EtcCost(means, means * attempts / problems, total / attempts, total / problems, total),
        compute=_recorded_compute(results, model, problems, attempts) if model else None,
        cached_tokens=int(rounds.cached_tokens.sum()),
        lean_seconds=sum(judged.milliseconds for judged in results.judgements) / 1000,
        lean_seconds_without_sharing=float(lean_seconds(results).sum()),
        sampler_seconds=sampler_seconds,
        wall_seconds=results.manifest.wall_seconds,
        tokens_per_second=speed,
        score=throughput_score(accuracy.share, speed) if speed else None,
        notes=(*_notes(results, generated, accuracy), *_model_notes(model)),
    )


def tokens(results: Results) -> tuple[Floats, Floats]:
    """By row of `rounds`: prompt and generated tokens."""
    rounds = results.rounds
    for column in (rounds.prompt_tokens, rounds.generated_tokens, rounds.cached_tokens):
        if column.min(initial=0) < 0:
            raise InputError(f"the run {results.label!r} has attempts with fewer than 0 tokens: its folder is damaged")
    return rounds.prompt_tokens.astype(np.float64), rounds.generated_tokens.astype(np.float64)


def lean_seconds(results: Results) -> Floats:
    """By row of `rounds`: how long Lean took for its proof, though others may have had the same."""
    taken = np.array([*(judged.milliseconds for judged in results.judgements), 0.0])  # -1, no judgement, is the last
    seconds: Floats = taken[results.rounds.judgement] / 1000
    return seconds


def flops_with_cache(results: Results, model: Architecture) -> tuple[Floats, Floats, str]:
    """By row of `rounds`, FLOPs with a prefix cache; by goal, those that are spent once; and how it is known."""
    prompt, generated = tokens(results)
    rounds = results.rounds
    once = np.zeros(len(results.goals))
    if rounds.cached_tokens.any():
        cached = np.minimum(rounds.cached_tokens.astype(np.float64), prompt)
        caching = "recorded"
    else:
        first = rounds.round == 0
        conversation = all(part.repair != "infill" for part in results.manifest.protocol.parts)
        cached = cached_prefixes(prompt, generated, first, conversation=conversation)
        read = prefill_flops(model, prompt, np.zeros(len(prompt)))
        np.maximum.at(once, rounds.goal[first], read[first])
        caching = "modelled"
    return prefill_flops(model, prompt, cached) + decode_flops(model, prompt, generated), once, caching


def _by_round(results: Results, prompt: Floats, generated: Floats, attempts: int) -> tuple[RoundCost, ...]:
    found = []
    for number in np.unique(results.rounds.round).tolist():
        here = results.rounds.round == number
        means = (float(prompt[here].mean()), float(generated[here].mean()))
        found.append(RoundCost(number + 1, int(here.sum()) / attempts, *means, etc(*means)))
    return tuple(found)


def _recorded_compute(results: Results, model: Architecture, problems: int, attempts: int) -> Compute:
    prompt, generated = tokens(results)
    each, once, caching = flops_with_cache(results, model)
    return _compute(
        model,
        prefill=float(prefill_flops(model, prompt, np.zeros(len(prompt))).sum()),
        decode=float(decode_flops(model, prompt, generated).sum()),
        with_cache=float(each.sum() + once.sum()),
        caching=caching,
        pairs=float(etc_of(prompt, generated).sum()),
        longest=float((prompt + generated).max()),
        problems=problems,
        attempts=attempts,
    )


def _compute(
    model: Architecture,
    *,
    prefill: float,
    decode: float,
    with_cache: float,
    caching: str,
    pairs: float,
    longest: float,
    problems: int,
    attempts: int,
) -> Compute:
    """From totals over all attempts, and the longest sequence."""
    total = prefill + decode
    return Compute(
        architecture=model.name,
        prefill_per_problem=prefill / problems,
        decode_per_problem=decode / problems,
        per_attempt=total / attempts,
        per_problem=total / problems,
        total=total,
        cached_per_attempt=with_cache / attempts,
        cached_per_problem=with_cache / problems,
        cached_total=with_cache,
        caching=caching,
        cache_bytes_per_token=model.cache_bytes_per_token,
        cache_peak_bytes=model.cache_bytes_per_token * longest,
        cache_read_bytes_per_attempt=model.cache_bytes_per_token * pairs / attempts,
    )


def _notes(results: Results, generated: Floats, accuracy: PassAt) -> tuple[str, ...]:
    notes = []
    refused = len(results.goals) - int(results.fit.sum())
    if refused:
        notes.append(f"means are of the problems that Lean takes, without {refused:,} that it refuses")
    if accuracy.short:
        notes.append(f"S is a lower bound: {accuracy.short:,} unsolved problems lack attempts or verdicts")
    if not generated.any():
        notes.append("the sampler counted no tokens: ETC and FLOPs are 0 because nothing was recorded")
    counted = {str(sampler.settings.get("token_counts", "")) for sampler in results.manifest.samplers} - {""}
    notes += [f"tokens are counted by {how}" for how in sorted(counted)]
    if len(results.manifest.samplers) > 1:
        notes.append("several samplers took part; FLOPs are counted as if all were of the same architecture")
    if results.manifest.stop_when_solved:
        notes.append("solved problems got no further attempts: a run with all N would have cost more")
    return tuple(notes)


def _model_notes(model: Architecture | None) -> tuple[str, ...]:
    if model is None:
        return ()
    latent = ["FLOPs of latent attention depend on the engine: prompts are counted with keys and values written out"]
    memory = [f"not read anywhere: {fact}" for fact in model.from_memory]
    return (*(latent if model.is_latent else []), *memory)


def _check_given(rounds: Sequence[Round], n: int) -> None:
    if not rounds:
        raise InputError("an attempt has at least one round: give prompt and generated tokens of each")
    if n < 1:
        raise InputError(f"N = {n} attempts cost nothing: give 1 or more")
