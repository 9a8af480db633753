"""A diffusion prover as a whole: Lean says where tactics stand, it trains, is killed, writes proofs and fills holes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from pythagoras.corpus.records import Formalisation, Instance
from pythagoras.errors import InputError
from pythagoras.generate.diffusion import DiffusionSampler
from pythagoras.generate.local import LocalSettings, model_folder, trained_with
from pythagoras.generate.sampler import Ability, Finish, Hole, Request, Turn
from pythagoras.generate.samplers import open_sampler
from pythagoras.lean.backends import open_checker
from pythagoras.lean.pool import Checker
from pythagoras.lean.tactics import parsed_proofs
from pythagoras.llm.decoding.blocks import Blocks
from pythagoras.llm.sampling import Sampling
from pythagoras.stages.corpora import records
from pythagoras.train.diffusion.proofs import Proof, ProofReader
from pythagoras.train.diffusion.training import train_diffusion
from pythagoras.train.examples import Instances
from pythagoras.train.model import load_for_training
from pythagoras.train.run_folder import opened, read_log
from pythagoras.train.settings import Diffusion, Training
from tests.train.learners import CONTEXT, make_learner, proofs

COUNT = 12
HOW = Diffusion.model_validate(
    {
        "context": CONTEXT,
        "block": 8,
        "batch_tokens": 512,
        "learning_rate": 5e-3,
        "epochs": 120,
        "noise": {"structure": 1.0, "times": "stratified"},
        "causal": 0.5,  # so that it can rank as well
    }
)


@pytest.fixture(scope="module")
def checker() -> Iterator[Checker]:
    with open_checker("embedded", jobs=1) as found:
        yield found


@pytest.fixture(scope="module")
def learner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_learner(tmp_path_factory.mktemp("learner"))


def instances() -> list[Instance]:
    return [replace(one, reasoning="") for one in proofs(COUNT)]


def train(folder: Path, learner: Path, checker: Checker, how: Diffusion = HOW, stop_at: int = 0) -> None:
    class Stopped(Exception):
        pass

    def tell(line: Any) -> None:
        if line["step"] == stop_at:
            raise Stopped

    settings = Training(diffusion=how)
    with opened(folder, "diffusion", settings, {}) as run:
        if stop_at:
            with pytest.raises(Stopped):
                train_diffusion(settings, instances(), learner, checker, run, tell, save_every=5)
        else:
            train_diffusion(settings, instances(), learner, checker, run, tell, save_every=5)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, learner: Path, checker: Checker) -> Path:
    folder = tmp_path_factory.mktemp("trained") / "run"
    train(folder, learner, checker)
    return folder


# --- spans ----------------------------------------------------------------------------------------


def test_spans_of_tokens_say_what_lean_parsed(learner: Path, checker: Checker) -> None:
    _, tokenizer = load_for_training(learner)
    account = Instances()
    found = ProofReader(HOW, learner, tokenizer, checker).read(proofs(150), account)
    assert account.kept == len(found) > 100
    for one in found:
        check_spans(one, tokenizer)
    several = next(one for one in found if len(one.spans) > 2)
    assert all(said(several, span, tokenizer).strip() for span in several.spans)


def test_spans_on_the_whole_corpus_that_ships(checker: Checker) -> None:
    folder = model_folder(Path("embedded"))
    _, tokenizer = load_for_training(folder)
    corpus = Path(__file__).parents[2] / "data" / "embedded" / "train"
    account = Instances()
    found = ProofReader(HOW, folder, tokenizer, checker).read(records([corpus]), account)
    assert account.kept == len(found) > 6_000
    for one in {tuple(one.tokens[one.prompt :]): one for one in found}.values():
        check_spans(one, tokenizer)
    assert max(len(one.spans) for one in found) > 10


@pytest.mark.parametrize(
    ("proof", "parts"),
    [
        ("by have h : 1 = 1 := by simp\n   exact h", ["have h : 1 = 1 := by", "simp", "exact h"]),
        (
            "by\n  induction n with\n  | zero => rfl\n  | succ n ih =>\n    simp\n    omega",
            ["induction n with\n  | zero =>", "rfl", "| succ n ih =>", "simp", "omega"],
        ),
        ("by\n  constructor\n  · omega\n  · simp [h]", ["constructor", "·", "omega", "·", "simp [h]"]),
        ("fun h => ⟨by omega, h⟩", ["fun h => ⟨by", "omega", ", h⟩"]),
        ("rfl", ["rfl"]),
    ],
)
def test_a_character_belongs_to_the_innermost_tactic(checker: Checker, proof: str, parts: list[str]) -> None:
    (found,) = parsed_proofs([proof], checker, "core")
    assert found is not None
    assert [proof[one.start : one.end] for one in found] == parts


def test_what_lean_cant_read_has_no_spans(checker: Checker) -> None:
    assert list(parsed_proofs(["by simp (", "by", "rfl\n#eval 1"], checker, "core")) == [None, None, None]


@pytest.mark.parametrize("wrong", [{"smallest": 64}, {"smallest": 5}, {"length": "truncate"}, {"noise": {"copies": 0}}])
def test_settings_that_make_no_sense(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Diffusion.model_validate(wrong)


@pytest.mark.parametrize("prompt", ["pythagoras", "noncot"])
def test_prompts_whose_completions_are_no_proofs_are_refused(prompt: str, learner: Path, checker: Checker) -> None:
    _, tokenizer = load_for_training(learner)
    with pytest.raises(InputError, match="no whole proofs"):
        ProofReader(Diffusion(prompt=prompt), learner, tokenizer, checker)


def check_spans(one: Proof, tokenizer: Any) -> None:
    places = [place for span in one.spans for place in span]
    assert places == sorted(set(places))  # in order, and no two overlap
    assert places
    assert places[-1] < one.length - 1  # inside of the proof, which its end follows
    text = said(one, range(one.length - 1), tokenizer)
    if text.startswith("by"):
        assert 0 in one.structure()
    for place in one.structure():  # what is left is words and signs between tactics, or blank
        assert said(one, range(place, place + 1), tokenizer).strip() in ("", "by", ";", "--")


def said(one: Proof, places: range, tokenizer: Any) -> str:
    return str(tokenizer.decode([one.tokens[one.prompt + place] for place in places]))


def test_what_lean_cannot_parse_is_left_out_and_counted(learner: Path, checker: Checker) -> None:
    _, tokenizer = load_for_training(learner)
    account = Instances()
    broken = replace(proofs(1)[0], proof="by\n  simp (")
    assert len(ProofReader(HOW, learner, tokenizer, checker).read([broken, *proofs(3)], account)) == 3
    assert (account.read, account.kept) == (4, 3)
    assert "Lean can't parse" in account.told[0]


# --- training -------------------------------------------------------------------------------------


def test_it_learns_proofs_and_writes_them(trained: Path) -> None:
    log = read_log(trained)
    assert sum(line["loss"] for line in log[-20:]) < 0.1 * sum(line["loss"] for line in log[:20])
    how = trained_with(trained / "model")
    assert how is not None
    assert (how.prompt, how.block) == ("compact", 8)
    wanted = {one.name: one.proof for one in instances()}
    requests = [Request(goal(one), 0, seed=1) for one in instances()]
    with open_sampler(f"local:{trained}", local=LocalSettings(sampling=Sampling(0.0, 1.0, 100))) as sampler:
        assert isinstance(sampler, DiffusionSampler)
        samples = list(sampler.sample(requests))
    right = [one for one in samples if one.text.strip() == wanted[one.request.goal.name].strip()]
    assert len(right) >= 0.75 * COUNT
    assert all(one.finish is Finish.STOP for one in right)


def goal(one: Instance) -> Formalisation:
    return Formalisation(one.name, one.statement, one.source)


def test_it_goes_on_where_it_was_killed(tmp_path: Path, learner: Path, checker: Checker) -> None:
    short = HOW.model_copy(update={"epochs": 20})
    train(tmp_path / "whole", learner, checker, short)
    train(tmp_path / "killed", learner, checker, short, stop_at=8)
    train(tmp_path / "killed", learner, checker, short)
    losses = [[line["loss"] for line in read_log(tmp_path / name)] for name in ("whole", "killed")]
    assert losses[0] == losses[1]
    weights = [(tmp_path / name / "model" / "model.safetensors").read_bytes() for name in ("whole", "killed")]
    assert weights[0] == weights[1]
    told = json.loads((tmp_path / "whole" / "examples.json").read_text())
    assert (told["kept"], told["stages"][0]["stage"]) == (COUNT, "diffusion")


def test_a_tokenizer_without_a_mask(tmp_path: Path, learner: Path, checker: Checker) -> None:
    import shutil

    other = tmp_path / "other"
    shutil.copytree(learner, other)
    path = other / "tokenizer_config.json"
    path.write_text(
        json.dumps({key: value for key, value in json.loads(path.read_text()).items() if key != "mask_token"})
    )
    with pytest.raises(InputError, match="mask token"):
        train(tmp_path / "run", other, checker)


# --- sampling -------------------------------------------------------------------------------------


def test_a_hole_is_filled_in_its_place(trained: Path) -> None:
    one = next(one for one in instances() if one.proof.startswith("by\n") and one.proof.count("\n") == 1)
    hole = Hole(f"{one.statement} := by\n  ", "")
    with open_sampler(f"local:{trained}") as sampler:
        assert Ability.INFILL in sampler.abilities
        requests = [Request(goal(one), 0, round=number, hole=hole, seed=number) for number in range(12)]
        samples = list(sampler.sample(requests))
    assert all(sample.finish is not Finish.FAILED for sample in samples), samples[0].failure
    assert any(sample.text == one.proof.removeprefix("by\n  ") for sample in samples)


def test_a_hole_inside_has_about_the_length_of_what_was_cut(trained: Path) -> None:
    one = instances()[0]
    short, long = "simp", "simp only [Nat.add_comm, Nat.mul_comm]"
    sizes = {}
    with open_sampler(f"local:{trained}") as sampler:
        for cut in (short, long):
            hole = Hole(f"{one.statement} := by\n  ", "\n  omega", cut)
            requests = [Request(goal(one), number, hole=hole, seed=number) for number in range(24)]
            samples = list(sampler.sample(requests))
            assert all(sample.finish is not Finish.FAILED for sample in samples), samples[0].failure
            sizes[cut] = {sample.generated_tokens for sample in samples}
    assert len(sizes[short]) > 1
    assert max(sizes[long]) > max(sizes[short])


def test_the_likeliest_of_several_fillings_is_chosen(trained: Path) -> None:
    """A hole in the middle: the ranking model has learned what stood there."""
    long = [one for one in instances() if one.proof.startswith("by\n") and one.proof.count("\n") >= 2]
    requests = []
    for one in long:
        head, first, *rest = one.proof.split("\n")
        hole = Hole(f"{one.statement} := {head}\n  ", "\n" + "\n".join(rest), first.strip())
        requests += [Request(goal(one), number, hole=hole, seed=number) for number in range(4)]
    right = {}
    for setting in (f"local:{trained}", f"hybrid:{trained},{trained}"):
        with open_sampler(setting, local=LocalSettings(sampling=Sampling(1.6, 1.0, 60), drafts=6)) as sampler:
            assert Ability.INFILL in sampler.abilities
            samples = list(sampler.sample(requests))
        assert all(sample.finish is not Finish.FAILED for sample in samples), samples[0].failure
        right[setting[:6]] = sum(
            sample.request.hole is not None and sample.text.strip() == sample.request.hole.cut for sample in samples
        )
    assert right["hybrid"] > right["local:"], right


def test_blocks_larger_than_those_of_training_are_refused(trained: Path) -> None:
    with pytest.raises(InputError, match="blocks of 8 tokens"):
        open_sampler(f"local:{trained}", local=LocalSettings(blocks=Blocks(16))).__enter__()


def test_the_likeliest_of_several_drafts_is_chosen(trained: Path, learner: Path, tmp_path: Path) -> None:
    """Ranked by the model that learned the proofs, bold drafts become right more often than they are alone."""
    bold = LocalSettings(sampling=Sampling(1.6, 1.0, 60), drafts=6)
    wanted = {one.name: one.proof.strip() for one in instances()}
    requests = [Request(goal(one), number, seed=number) for one in instances() for number in range(3)]
    right = {}
    for setting in (f"local:{trained}", f"hybrid:{trained},{trained}"):
        with open_sampler(setting, local=bold) as sampler:
            samples = list(sampler.sample(requests))
        assert {id(sample.request) for sample in samples} == {id(request) for request in requests}
        right[setting[:6]] = sum(sample.text.strip() == wanted[sample.request.goal.name] for sample in samples)
    assert right["hybrid"] > right["local:"], right
    with pytest.raises(InputError, match="no diffusion model"):
        open_sampler(f"hybrid:{learner},{trained}").__enter__()
    with pytest.raises(InputError, match="write hybrid"):
        open_sampler(f"hybrid:{trained}")


def test_what_it_cannot_be_asked(trained: Path) -> None:
    one = instances()[0]
    wrong = [
        Request(goal(one), 0, turns=(Turn("by simp", "wrong"),)),
        Request(goal(one), 1, hole=Hole("nothing ", "")),
        Request(goal(one), 2, hole=Hole(f"{one.statement} := by simp", "\n  omega" * 200)),
    ]
    with open_sampler(f"local:{trained}") as sampler:
        failures = {sample.request.number: sample.failure for sample in sampler.sample(wrong)}
    assert "choose the protocol infill" in failures[0]
    assert "not inside" in failures[1]
    assert "no room" in failures[2]
    with pytest.raises(InputError, match="is a chat"):
        open_sampler(f"local:{trained}", local=LocalSettings("pythagoras")).__enter__()
