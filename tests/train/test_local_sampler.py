"""The model in this process as a sampler: families, endings, counts, conversations, stopping."""

from __future__ import annotations

import itertools
import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pythagoras.corpus import prompts
from pythagoras.corpus.records import Formalisation
from pythagoras.errors import InputError
from pythagoras.generate.local import TRAINED, LocalSampler, LocalSettings, Trained, model_folder, trained_with
from pythagoras.generate.raw import proof_end
from pythagoras.generate.sampler import Ability, Finish, Hole, Request, Sample, Stoppable, Turn
from pythagoras.generate.samplers import open_sampler
from pythagoras.generate.texts import Texts
from pythagoras.llm.sampling import Sampling
from pythagoras.llm.weights import Weights, load_weights
from tests.train.tiny import make_model

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

GOALS = [Formalisation(f"t{n}", f"theorem t{n} (n : ℕ) : n + {n} = {n} + n", "made") for n in range(4)]
LEARNED = "/- Both sides\nare equal. -/\nby\n  omega"
BEHIND = "\n\ntheorem next : 1 = 1 := by rfl"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    made = tmp_path_factory.mktemp("tiny") / "model"
    make_model(made)
    yield made
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def weights(folder: Path) -> Weights:
    return load_weights(folder)


def settings(prompt: str = "compact", max_tokens: int = 24, batch: int = 4, **sampling: Any) -> LocalSettings:
    return LocalSettings(prompt, Sampling(max_tokens=max_tokens, **sampling), batch)


def sampler(weights: Weights, *args: Any, trained: str | None = "compact", **named: Any) -> LocalSampler:
    return LocalSampler(weights, settings(*args, **named), trained=Trained(trained) if trained else None)


def drawn(one: LocalSampler, count: int = 1, goals: list[Formalisation] = GOALS) -> list[Sample]:
    wanted = [Request(goal, number, seed=100 * at + number) for number in range(count) for at, goal in enumerate(goals)]
    found = {sample.request: sample for sample in one.sample(wanted)}
    return [found[request] for request in wanted]


def test_counts_finishes_and_shared_prompts(weights: Weights) -> None:
    """A token a byte, so that everything can be counted again; a random model ends a text now and then."""
    samples = drawn(sampler(weights, max_tokens=150), 6)
    for sample in samples:
        prompt = prompts.shown(sample.request.goal, "compact")
        assert isinstance(prompt, str)
        assert sample.prompt_tokens == len(prompt.encode())
        assert sample.finish is (Finish.LENGTH if sample.generated_tokens == 150 else Finish.STOP)
        assert sample.seconds > 0
    assert {sample.finish for sample in samples} == {Finish.LENGTH, Finish.STOP}
    assert [sum(s.cached_tokens == 0 for s in samples if s.request.goal is goal) for goal in GOALS] == [1] * 4
    assert {sample.cached_tokens for sample in samples} == {0, samples[0].prompt_tokens}


def test_the_batch_and_the_order_change_nothing(weights: Weights) -> None:
    alone = [sample.text for sample in drawn(sampler(weights, batch=1), 3)]
    assert [sample.text for sample in drawn(sampler(weights, batch=12), 3)] == alone
    assert [sample.text for sample in drawn(sampler(weights, batch=5), 3)] == alone
    backwards = [Request(goal, 0, seed=100 * at) for at, goal in enumerate(GOALS)][::-1]
    assert sorted(sample.text for sample in sampler(weights).sample(backwards)) == sorted(alone[:4])
    assert len(set(alone)) == 12


def learned(folder: Path, copy: Path, text: str) -> Weights:
    """The tiny model, taught to write one text behind every prompt, without a token that ends it."""
    shutil.copytree(folder, copy)
    weights = load_weights(copy)
    model, texts = weights.model, Texts(weights.tokenizer, "compact", marked=False)
    rows = []
    for goal in GOALS:
        prompt = texts.tokens(prompts.shown(goal, "compact"))
        rows.append((len(prompt), [*prompt, *weights.tokenizer(text)["input_ids"]]))
    tokens = torch.tensor([row for _, row in rows])
    labels = torch.tensor([[-100] * prompt + row[prompt:] for prompt, row in rows])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    model.train()
    for _ in range(300):
        loss = model(tokens, labels=labels, use_cache=False).loss
        if loss < 0.01:
            break
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.eval()
    return weights


def test_a_raw_text_stops_at_the_end_of_the_proof(folder: Path, tmp_path: Path) -> None:
    weights = learned(folder, tmp_path / "taught", LEARNED + BEHIND)
    samples = drawn(sampler(weights, max_tokens=100, temperature=0.0))
    assert {sample.text.rstrip() for sample in samples} == {LEARNED}
    assert {sample.finish for sample in samples} == {Finish.STOP}
    assert {sample.generated_tokens for sample in samples} == {len(LEARNED) + len("\n\ntheorem ")}
    (cut, *_) = drawn(sampler(weights, max_tokens=len(LEARNED) + 2, temperature=0.0))
    assert (cut.text.rstrip(), cut.finish) == (LEARNED, Finish.LENGTH)


@pytest.mark.parametrize(
    ("family", "text"),
    [("compact", LEARNED + BEHIND), ("compact", "by\n  omega\n\n  -- x\nend\n"), ("noncot", "\n  omega\n```\n\nDone.")],
)
def test_what_watches_notices_the_first_word_behind_the_proof(weights: Weights, family: str, text: str) -> None:
    texts = Texts(weights.tokenizer, family)
    ends = texts.watch()
    tokens = weights.tokenizer(text)["input_ids"]
    at = next(at for at, token in enumerate(tokens) if ends(token))
    end = proof_end(text[: at + 1], begun=family == "noncot", partial=True)
    assert end is not None
    assert proof_end(text[:at], begun=family == "noncot", partial=True) is None
    prompt = prompts.shown(GOALS[0], family)
    completion = texts.text(prompt, tuple(tokens[: at + 1]))
    assert completion.endswith(text[:end])
    assert completion.startswith("```lean4\ntheorem t0") is (family == "noncot")


def test_chats_and_their_turns(weights: Weights) -> None:
    one = sampler(weights, "pythagoras", trained=None)
    assert one.abilities == {Ability.TURNS}
    first = Request(GOALS[0], 0, seed=1)
    later = Request(GOALS[0], 0, round=1, turns=(Turn("it is so", "no"),), seed=1)
    short, long = sorted(one.sample([first, later]), key=lambda sample: sample.prompt_tokens)
    assert long.request is later
    assert long.prompt_tokens - short.prompt_tokens == len("it is so\nuser\nno\nassistant\n") + 4  # and four marks
    raw = sampler(weights)
    assert raw.abilities == frozenset()
    (refused,) = raw.sample([later])
    assert refused.finish is Finish.FAILED
    assert "no chat" in refused.failure


def test_a_model_without_a_template(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "bare")
    (tmp_path / "bare" / "chat_template.jinja").unlink()
    weights = load_weights(tmp_path / "bare")
    with pytest.raises(InputError, match=r"no chat template.*choose noncot or compact"):
        sampler(weights, "pythagoras", trained=None)
    trained = Texts(weights.tokenizer, "pythagoras", marked=False)  # on ChatML, which the other's template writes
    chat = prompts.shown(GOALS[0], "pythagoras")
    assert trained.tokens(chat) == Texts(load_weights(folder).tokenizer, "pythagoras").tokens(chat)


def test_what_can_not_be_asked_fails_and_the_others_do_not(weights: Weights) -> None:
    long = Formalisation("long", f"theorem long : {'1 + ' * 1100}1 = 1", "made")
    wanted = [
        Request(GOALS[0], 0, seed=1),
        Request(long, 0, seed=2),
        Request(GOALS[1], 0, hole=Hole("by ", ""), seed=3),
        Request(GOALS[2], 0, seed=4),
    ]
    samples = {sample.request.seed: sample for sample in sampler(weights).sample(wanted)}
    assert [samples[seed].finish is Finish.FAILED for seed in (1, 2, 3, 4)] == [False, True, True, False]
    assert "leaves no room in the model's context of 4,096" in samples[2].failure
    assert "fills no holes" in samples[3].failure
    assert [sample.finish for sample in sampler(weights).sample(wanted[1:2])] == [Finish.FAILED]


def test_it_is_stopped_from_another_thread(weights: Weights) -> None:
    one = sampler(weights, "pythagoras", max_tokens=4000, batch=2, trained=None)
    assert isinstance(one, Stoppable)
    endless = (Request(GOALS[0], number, seed=number) for number in itertools.count())
    timer = threading.Timer(0.3, one.stop)
    timer.start()
    assert len(list(one.sample(endless))) < 1000
    timer.join()
    not_begun = one.sample(endless)
    one.stop()
    assert list(not_begun) == []
    assert len(list(one.sample([Request(GOALS[0], 0, seed=1)]))) == 1  # and begins again


def test_settings_say_what_samples_depend_on(weights: Weights) -> None:
    told = sampler(weights, temperature=0.5).settings
    assert json.loads(json.dumps(told)) == told
    assert told["fingerprint"] == weights.fingerprint
    assert (told["prompt"], told["temperature"], told["top_p"], told["max_tokens"]) == ("compact", 0.5, 0.95, 24)
    with pytest.raises(InputError, match="1 or more"):
        sampler(weights, batch=0)


def test_a_folder_names_a_sampler(folder: Path, tmp_path: Path) -> None:
    run = tmp_path / "my-run"
    (run / "work").mkdir(parents=True)
    (run / "training.json").write_text("{}")
    with pytest.raises(InputError, match="not finished"):
        model_folder(run)
    shutil.copytree(folder, run / "model")
    (run / "model" / TRAINED).write_text('{"prompt": "compact"}')
    with open_sampler(f"local:{run}", local=settings("")) as one:
        assert one.name == "my-run"
        assert one.settings["prompt"] == "compact"
        assert len(list(one.sample([Request(GOALS[0], 0)]))) == 1
    with open_sampler(f"local:{run}", name="other", local=settings("noncot")) as one:
        assert (one.name, one.settings["prompt"]) == ("other", "noncot")
    with open_sampler(f"local:{folder}", local=settings("")) as one:
        assert one.settings["prompt"] == prompts.DEFAULT
    with pytest.raises(InputError, match="local:FOLDER"):
        open_sampler("local")
    with pytest.raises(InputError, match="no model in"), open_sampler(f"local:{tmp_path}"):
        pass


def test_what_training_says_about_a_model(tmp_path: Path) -> None:
    assert trained_with(tmp_path) is None
    (tmp_path / TRAINED).write_text('{"prompt": "noncot", "more": 1}')
    assert trained_with(tmp_path) == Trained("noncot")
    Trained("noncot", marked=True).write(tmp_path)
    assert trained_with(tmp_path) == Trained("noncot", marked=True)
    for wrong, message in (
        ("{", "does not say"),
        ("[]", "does not say"),
        ('{"prompt": "compact", "marked": 1}', "does not say"),
        ('{"prompt": "compactt"}', "did you mean"),
    ):
        (tmp_path / TRAINED).write_text(wrong)
        with pytest.raises(InputError, match=message):
            trained_with(tmp_path)
