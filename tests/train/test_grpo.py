"""The loss against what it should be: by hand, against TRL's own, and however a batch is split."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest

from pythagoras.errors import InputError
from pythagoras.train import threads
from pythagoras.train.model import new_model
from pythagoras.train.rl import grpo
from pythagoras.train.rl.grpo import Clip, Group, advantages, backward, log_probabilities, remembered, surrogate, update
from pythagoras.train.settings import Shape
from pythagoras.train.tokenizer import train_tokenizer

torch: Any = pytest.importorskip("torch")
CLIP = Clip(0.2, 0.28)
SHAPE = Shape(hidden=32, layers=2, heads=2, key_heads=1, head=16, inner=64)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> None:
    threads.prepare(1)


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return train_tokenizer(["theorem t : 1 + 1 = 2 := by rfl"] * 3, 400)


def made_model(tokenizer: Any, seed: int = 0) -> Any:
    model: Any = new_model(SHAPE, tokenizer, 128, seed)
    return model.eval()


def made_groups(count: int, seed: int = 0, rollouts: int = 8) -> list[Group]:
    dice = random.Random(seed)
    return [
        Group(
            tuple(dice.randrange(5, 250) for _ in range(dice.randint(4, 12))),
            tuple(tuple(dice.randrange(5, 250) for _ in range(dice.randint(1, 9))) for _ in range(rollouts)),
            tuple(float(at < dice.randint(1, 5)) for at in range(rollouts)),
        )
        for _ in range(count)
    ]


def gradient(model: Any) -> Any:
    return torch.cat([parameter.grad.flatten().clone() for parameter in model.parameters()])


def test_an_advantage_is_how_far_a_reward_is_from_the_groups_mean() -> None:
    found = advantages([1.0, 0.0, 0.0, 0.0])
    assert found == pytest.approx([0.75 / (0.5 + 1e-4), *[-0.25 / (0.5 + 1e-4)] * 3])
    assert advantages([1.0, 1.0, 1.0]) == [0.0, 0.0, 0.0]
    assert advantages([1.0]) == [0.0]


@pytest.mark.parametrize(
    ("ratio", "advantage", "loss", "slope"),
    [
        (1.0, 2.0, -2.0, -2.0),
        (1.2, 2.0, -2.4, -2.4),
        (1.5, 2.0, -2.56, 0.0),  # better than the group, and likelier by more than the upper clip: enough
        (0.5, 2.0, -1.0, -1.0),
        (1.5, -1.0, 1.5, 1.5),
        (0.5, -1.0, 0.8, 0.0),  # worse, and unlikelier by more than the lower clip
    ],
)
def test_the_ratio_is_clipped_where_that_helps_nobody(
    ratio: float, advantage: float, loss: float, slope: float
) -> None:
    now = torch.tensor([[math.log(ratio)]], requires_grad=True)
    found: Any = surrogate(now, torch.zeros(1, 1), torch.tensor([[advantage]]), CLIP)
    found.sum().backward()
    assert float(found.detach()) == pytest.approx(loss)
    assert float(now.grad) == pytest.approx(slope, abs=1e-6)


class TwoTokens:
    """A policy of one number: it writes 1 with the probability s(x), else 0, whatever was before."""

    def __init__(self) -> None:
        self.x = torch.tensor(0.4, requires_grad=True)

    def parameters(self) -> list[Any]:
        return [self.x]


def test_a_whole_case_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    model: Any = TwoTokens()

    def chances(policy: Any, prompt: Any, completions: Any, temperature: float) -> Any:
        log_one = torch.nn.functional.logsigmoid(policy.x)
        log_none = torch.nn.functional.logsigmoid(-policy.x)
        width = max(map(len, completions))
        rows = [[log_one if token else log_none for token in row] for row in completions]
        return torch.stack([torch.stack(row + [log_one] * (width - len(row))) for row in rows])

    monkeypatch.setattr(grpo, "log_probabilities", chances)
    group = Group((7,), ((1, 1, 0), (0,)), (1.0, 0.0))
    loss = backward(model, group, CLIP) / group.tokens
    worth = 0.5 / (math.sqrt(0.5) + 1e-4)  # of the first; the second's is its opposite
    one = 1 / (1 + math.exp(-0.4))
    assert loss == pytest.approx(-(3 * worth - worth) / 4)  # all ratios are 1: the mean over the four tokens
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    slope = -(worth * (2 * (1 - one) - one) - worth * -one) / 4
    assert update(model, optimizer, group.tokens, clip_norm=1.0) == pytest.approx(abs(slope), rel=1e-5)
    assert float(model.x.detach()) == pytest.approx(0.4 - slope, rel=1e-5)


def test_a_shared_prompt_changes_nothing(tokenizer: Any) -> None:
    model = made_model(tokenizer)
    (group,) = made_groups(1, seed=3)
    shared = log_probabilities(model, group.prompt, group.completions, 0.7)
    for row, completion in zip(shared, group.completions, strict=True):
        alone = model(torch.tensor([[*group.prompt, *completion]])).logits[0, len(group.prompt) - 1 : -1] / 0.7
        wanted = alone.log_softmax(-1).gather(-1, torch.tensor(completion)[:, None])[:, 0]
        assert torch.allclose(row[: len(completion)], wanted, atol=1e-5)


def test_a_batch_may_be_split_in_any_way(tokenizer: Any) -> None:
    groups = made_groups(3)
    found = []
    for micro_tokens in (1, 40, 100_000):
        model = made_model(tokenizer)
        losses = [backward(model, group, CLIP, micro_tokens=micro_tokens) for group in groups]
        found.append((sum(losses), gradient(model)))
    for loss, grad in found[1:]:
        assert loss == pytest.approx(found[0][0], rel=1e-5)
        assert torch.allclose(grad, found[0][1], atol=1e-4 * float(grad.abs().max()))


def test_what_is_no_number_is_not_learned_from(tokenizer: Any) -> None:
    model = made_model(tokenizer)
    (group,) = made_groups(1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    backward(model, group, CLIP)
    weights = [parameter.detach().clone() for parameter in model.parameters()]
    next(model.parameters()).grad[0, 0] = math.inf
    with pytest.raises(InputError, match=r"the gradient's norm is (inf|nan), .*: lower the learning rate"):
        update(model, optimizer, group.tokens, 1.0)
    assert all(bool((now == then).all()) for now, then in zip(model.parameters(), weights, strict=True))
    with torch.no_grad():
        next(model.parameters()).fill_(math.nan)
    with pytest.raises(InputError, match="the loss is nan, "):
        backward(model, group, CLIP)


def test_what_was_remembered_is_what_the_ratio_is_taken_to(tokenizer: Any) -> None:
    model = made_model(tokenizer)
    (group,) = made_groups(1)
    before = remembered(model, group, micro_tokens=30)
    assert [len(row) for row in before] == [len(completion) for completion in group.completions]
    at_once = backward(model, group, CLIP)
    fresh = gradient(model)
    model.zero_grad()
    assert backward(model, group, CLIP, before=before) == pytest.approx(at_once, abs=1e-4)
    assert torch.allclose(gradient(model), fresh, atol=1e-5)
    model.zero_grad()
    shifted = [row + 5.0 for row in before]  # every token is far unlikelier than when it was drawn
    backward(model, group, CLIP, before=shifted)
    worse = [reward for reward in group.rewards if reward == 0.0]
    assert worse
    assert not torch.allclose(gradient(model), fresh, atol=1e-3)


def test_loss_and_gradient_are_those_of_trl(tokenizer: Any, tmp_path: Path) -> None:
    from datasets import Dataset
    from trl.trainer.grpo_config import GRPOConfig
    from trl.trainer.grpo_trainer import GRPOTrainer

    groups = made_groups(2, seed=5)
    tokens = sum(group.tokens for group in groups)
    model = made_model(tokenizer)
    before = [[row + 0.3 * (-1) ** at for at, row in enumerate(remembered(model, group))] for group in groups]
    ours = sum(backward(model, group, CLIP, before=rows) for group, rows in zip(groups, before, strict=True)) / tokens
    wanted = gradient(model) / tokens

    other = made_model(tokenizer)
    config = GRPOConfig(
        output_dir=str(tmp_path), per_device_train_batch_size=16, num_generations=8, loss_type="dapo", beta=0.0,
        epsilon=CLIP.low, epsilon_high=CLIP.high, bf16=False, gradient_checkpointing=False, use_cpu=True,
        report_to="none", max_completion_length=16, disable_tqdm=True,
    )  # fmt: skip
    made: Any = GRPOTrainer
    trainer = made(
        model=other,
        reward_funcs=lambda completions, **_: [0.0] * len(completions),
        args=config,
        train_dataset=Dataset.from_dict({"prompt": ["x"] * 16}),
        processing_class=tokenizer,
    )
    trainer.current_gradient_accumulation_steps = 1
    other.train()
    theirs = trainer.compute_loss(other, _as_trl(groups, before, tokens))
    theirs.backward()
    assert ours == pytest.approx(float(theirs.detach()), rel=1e-4)
    assert torch.allclose(gradient(other), wanted, atol=1e-5 * max(1.0, float(wanted.abs().max())))


def _as_trl(groups: list[Group], before: list[list[Any]], tokens: int) -> dict[str, Any]:
    """The same rollouts as TRL keeps them: prompts padded at the left, completions at the right."""
    rows = [(group.prompt, completion) for group in groups for completion in group.completions]
    left, right = max(len(prompt) for prompt, _ in rows), max(len(completion) for _, completion in rows)
    drawn = [row for rows in before for row in rows]
    return {
        "prompt_ids": torch.tensor([[0] * (left - len(prompt)) + list(prompt) for prompt, _ in rows]),
        "prompt_mask": torch.tensor([[0] * (left - len(prompt)) + [1] * len(prompt) for prompt, _ in rows]),
        "completion_ids": torch.tensor([list(each) + [0] * (right - len(each)) for _, each in rows]),
        "completion_mask": torch.tensor([[1] * len(each) + [0] * (right - len(each)) for _, each in rows]),
        "advantages": torch.tensor([worth for group in groups for worth in advantages(group.rewards)]),
        "old_per_token_logps": torch.stack([torch.nn.functional.pad(row, (0, right - len(row))) for row in drawn]),
        "num_items_in_batch": torch.tensor(float(tokens)),
    }
