"""The length filter: three cases at the exact boundary, and the naive ones beside it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.corpus import prompts
from pythagoras.corpus.files import read_records
from pythagoras.corpus.length import Case, LengthFilter, Mode, read_tally
from pythagoras.corpus.prompts import names, render, sequence
from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Instance, Problem, Provenance, Record, Tier, record_id, settings_text
from pythagoras.corpus.stages import Dropped, run_stage
from pythagoras.corpus.tokenizers import ByteCounter, LeanCounter, TokenCounter
from pythagoras.errors import InputError

INSTANCE = Instance(
    name="t",
    statement="theorem t (n : ℕ) : n + 0 = n",
    proof="by\n  simp",
    source="handmade",
    tier=Tier.EASY,
    verified=True,
    reasoning="Adding nothing changes nothing. The simplifier knows that.",
    provenance=Provenance(parent="p", maker="family", settings=settings_text({"dial": 3}), run="r"),
)
COUNTERS: tuple[TokenCounter, ...] = (ByteCounter(), LeanCounter())


def length(instance: Instance, counter: TokenCounter, prompt: str, *, with_reasoning: bool) -> int:
    """Written out once more: prompt and completion, and the end of raw text."""
    rendered = render(instance, prompt, with_reasoning=with_reasoning)
    return counter.count(["".join(sequence(rendered))])[0] + (0 if prompts.prompt(prompt).is_chat else 1)


def decided(lengths: LengthFilter, *instances: Record) -> list[Record | Dropped]:
    return list(lengths.decide(instances))


def cases(lengths: LengthFilter) -> dict[Case, int]:
    return {case: count for case, count in read_tally(lengths.tally).cases[Tier.EASY].items() if count}


@pytest.mark.parametrize("prompt", [name for name in names() if name != "noncot"])
@pytest.mark.parametrize("counter", COUNTERS, ids=lambda counter: counter.name)
def test_the_three_cases_at_their_boundaries(counter: TokenCounter, prompt: str) -> None:
    whole = length(INSTANCE, counter, prompt, with_reasoning=True)
    proof = length(INSTANCE, counter, prompt, with_reasoning=False)
    assert proof < whole
    wanted = {
        whole + 1: Case.BOTH,
        whole: Case.BOTH,
        whole - 1: Case.PROOF_ONLY,
        proof: Case.PROOF_ONLY,
        proof - 1: Case.DROPPED,
        1: Case.DROPPED,
    }
    for budget, case in wanted.items():
        lengths = LengthFilter(counter, budget, prompt=prompt)
        (decision,) = decided(lengths, INSTANCE)
        assert cases(lengths) == {case: 1}, budget
        match case:
            case Case.BOTH:
                assert decision is INSTANCE
            case Case.PROOF_ONLY:
                assert isinstance(decision, Instance)
                assert decision == replace(INSTANCE, reasoning="", provenance=decision.provenance)
            case _:
                assert isinstance(decision, Dropped)
                assert (decision.record, decision.reason) == (INSTANCE, Reason.PROOF_TOO_LONG)
                assert decision.detail == f"{proof} tokens of {counter.name}, the budget is {budget}"


@given(
    reasoning=st.text(max_size=200),
    tactic=st.text(st.sampled_from("abc ∀ℕ⟨⟩"), max_size=200),
    budget=st.integers(1, 500),
    prompt=st.sampled_from(names()),
)
def test_what_is_kept_fits_and_what_is_dropped_does_not(reasoning: str, tactic: str, budget: int, prompt: str) -> None:
    instance = replace(INSTANCE, reasoning=reasoning, proof=f"by {tactic}x")
    for mode in Mode:
        (decision,) = decided(LengthFilter(LeanCounter(), budget, mode, prompt), instance)
        whole = length(instance, LeanCounter(), prompt, with_reasoning=True)
        if isinstance(decision, Dropped):
            shortest = mode is Mode.DYNAMIC
            assert length(instance, LeanCounter(), prompt, with_reasoning=not shortest) > budget
        else:
            assert isinstance(decision, Instance)
            assert decision.proof == instance.proof or mode is Mode.TRUNCATE
            assert (decision == instance) == (whole <= budget)
            if decision.proof:
                assert length(decision, LeanCounter(), prompt, with_reasoning=True) <= budget


def test_an_instance_without_reasoning_is_counted_apart() -> None:
    plain = replace(INSTANCE, reasoning="")
    lengths = LengthFilter(ByteCounter())
    assert decided(lengths, plain, INSTANCE) == [plain, INSTANCE]
    assert cases(lengths) == {Case.PLAIN: 1, Case.BOTH: 1}
    lengths = LengthFilter(ByteCounter(), 10)
    assert isinstance(decided(lengths, plain)[0], Dropped)


def test_the_naive_ways() -> None:
    whole = length(INSTANCE, ByteCounter(), "compact", with_reasoning=True)
    for mode in ("drop", "truncate"):
        assert decided(LengthFilter(ByteCounter(), whole, mode, "compact"), INSTANCE) == [INSTANCE]
    (dropped,) = decided(LengthFilter(ByteCounter(), whole - 1, "drop", "compact"), INSTANCE)
    assert isinstance(dropped, Dropped)
    assert dropped.reason is Reason.TOO_LONG


@pytest.mark.parametrize("prompt", names())
def test_truncation_cuts_the_sequence_at_the_budget(prompt: str) -> None:
    instance = replace(INSTANCE, statement="theorem t (n : Nat) : n + 0 = n")  # a byte a character
    rendered = render(instance, prompt)
    shown, completion = sequence(rendered)
    sizes = ByteCounter().count([shown, shown + completion])
    for budget in range(sizes[0] + 1, sizes[1]):
        lengths = LengthFilter(ByteCounter(), budget, "truncate", prompt)
        (cut,) = decided(lengths, instance)
        assert isinstance(cut, Instance)
        assert cases(lengths) == {Case.TRUNCATED: 1}
        assert not cut.verified  # whatever is left, it is no proof
        text = "".join(sequence(render(cut, prompt)))
        assert len(text) == min(budget, len(shown) + len(rendered.completion))
        assert (shown + completion).startswith(text)
    lengths = LengthFilter(ByteCounter(), sizes[0], "truncate", prompt)
    (dropped,) = decided(lengths, instance)  # nothing to learn is left
    assert isinstance(dropped, Dropped)
    assert dropped.reason is Reason.TOO_LONG


def test_the_change_is_noted_and_the_maker_stays() -> None:
    whole = length(INSTANCE, ByteCounter(), "compact", with_reasoning=True)
    (changed,) = decided(LengthFilter(ByteCounter(), whole - 1, prompt="compact"), INSTANCE)
    assert isinstance(changed, Instance)
    was = INSTANCE.provenance
    assert (changed.provenance.parent, changed.provenance.maker, changed.provenance.run) == ("p", "family", "r")
    settings = json.loads(changed.provenance.settings)
    assert settings["dial"] == json.loads(was.settings)["dial"]
    assert settings["length"] == {
        "budget": whole - 1,
        "case": "proof only",
        "mode": "dynamic",
        "of": record_id(INSTANCE),
        "prompt": "compact",
        "tokenizer": "bytes",
        "tokens": length(INSTANCE, ByteCounter(), "compact", with_reasoning=False),
    }


@pytest.mark.parametrize("settings", ["", "no JSON", "[1]"])
def test_settings_of_any_kind_are_kept(settings: str) -> None:
    odd = replace(INSTANCE, provenance=Provenance(settings=settings))
    (changed,) = decided(LengthFilter(ByteCounter(), 100, prompt="compact"), odd)
    assert isinstance(changed, Instance)
    assert json.loads(changed.provenance.settings).get("settings", "") == settings


def many() -> list[Instance]:
    tiers = list(Tier)
    return [
        replace(
            INSTANCE, name=f"t{n}", tier=tiers[n % 4], reasoning="why " * (n % 50), proof="by\n" + "  simp\n" * (n % 67)
        )
        for n in range(200)
    ]


def test_decisions_do_not_depend_on_batches() -> None:
    def run(size: int) -> tuple[list[Record | Dropped], Counter[str]]:
        lengths = LengthFilter(LeanCounter(), 120, prompt="compact")
        instances = many()
        batches: Sequence[Sequence[Instance]] = [instances[at : at + size] for at in range(0, len(instances), size)]
        return [decision for batch in batches for decision in lengths.decide(batch)], lengths.tally

    assert run(1) == run(7) == run(200)


def test_the_report_counts_by_tier_and_is_read_back_from_a_store(tmp_path: Path) -> None:
    lengths = LengthFilter(LeanCounter(), 120, prompt="compact")
    store = run_stage(
        many(),
        tmp_path / "kept",
        stage="length",
        settings=lengths.settings,
        inputs={},
        decide=lengths.decide,
        tally=lengths.tally,
        piece_rows=60,
    )
    (step,) = store.manifest.funnel
    report = read_tally(step.tally)
    assert report == read_tally(lengths.tally)
    assert list(report.cases) == list(Tier)
    assert all(sum(counts.values()) == 50 for counts in report.cases.values())
    assert all(sum(counts.values()) == 50 for counts in report.lengths.values())
    dropped = sum(counts[Case.DROPPED] for counts in report.cases.values())
    assert step.dropped == {Reason.PROOF_TOO_LONG: dropped}
    kept = list(read_records(tmp_path / "kept"))
    assert len(kept) == 200 - dropped
    bare = sum(isinstance(record, Instance) and "proof only" in record.provenance.settings for record in kept)
    assert bare == sum(counts[Case.PROOF_ONLY] for counts in report.cases.values()) > 0


def test_what_is_unreadable_is_dropped_with_a_reason_and_costs_nothing_else() -> None:
    headless = replace(INSTANCE, header="mathlb")
    problem = Problem("text", "source")
    chatty = replace(INSTANCE, informal="x<|im_end|>\n<|im_start|>assistant\nhi")
    lengths = LengthFilter(ByteCounter())
    decisions = decided(lengths, headless, INSTANCE, problem, chatty, INSTANCE)
    assert decisions[1] is decisions[4] is INSTANCE
    dropped = [decision for decision in decisions if isinstance(decision, Dropped)]
    assert [each.record for each in dropped] == [headless, problem, chatty]
    assert {each.reason for each in dropped} == {Reason.UNREADABLE}
    wanted = ("did you mean 'mathlib'", "of the kind problem", "its informal holds '<|im_end|>'")
    assert all(part in each.detail for part, each in zip(wanted, dropped, strict=True))
    assert cases(lengths) == {Case.BOTH: 2}


def test_a_prompt_without_a_place_for_reasoning_keeps_none() -> None:
    lengths = LengthFilter(ByteCounter(), prompt="noncot")
    assert decided(lengths, INSTANCE) == [INSTANCE]
    assert cases(lengths) == {Case.PLAIN: 1}


def test_histogram_bins() -> None:
    lengths = LengthFilter(ByteCounter(), prompt="compact")
    short = length(replace(INSTANCE, reasoning=""), ByteCounter(), "compact", with_reasoning=True)
    padded = [
        replace(INSTANCE, reasoning="", proof=INSTANCE.proof + "x" * (size - short)) for size in (64, 65, 128, 129)
    ]
    decided(lengths, *padded)
    assert read_tally(lengths.tally).lengths == {Tier.EASY: {64: 1, 128: 2, 256: 1}}


def test_wrong_use() -> None:
    with pytest.raises(InputError, match="did you mean 'dynamic'"):
        LengthFilter(ByteCounter(), 10, "dynamical")
    with pytest.raises(InputError, match="no room"):
        LengthFilter(ByteCounter(), 0)
    with pytest.raises(InputError, match="no prompt is called"):
        LengthFilter(ByteCounter(), prompt="x")
