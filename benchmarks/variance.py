"""How noisy masked diffusion is: `python -m benchmarks.variance [MODEL] [CORPUS] [--picture FILE]`.

Of the loss, over masking draws at a fixed time, against the paper's L(1 - t)/t for tokens, times the mean length of a
span for tactics (the mean over tokens, each with its own span's, is what a sum over spans gives). Of the gradient, over
draws of times and masks, as the trace of its covariance, alone and over the square of its mean (settings that only make
all weights smaller gain nothing by that): for the paper's setting and for each switch, at a length and at twice it.

Proofs of the corpus are joined to sequences of the wanted lengths. The loss is that of a step: the sum over its proofs,
over all that could have been masked.
"""

from __future__ import annotations

import argparse
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy

from pythagoras.corpus.picture import check_name, save
from pythagoras.generate.local import model_folder
from pythagoras.lean.backends import open_checker
from pythagoras.stages.corpora import records
from pythagoras.train import threads
from pythagoras.train.diffusion.layout import Sheet
from pythagoras.train.diffusion.noise import corrupt, masked_at
from pythagoras.train.diffusion.objective import Objective
from pythagoras.train.diffusion.proofs import Proof, ProofReader
from pythagoras.train.examples import Instances
from pythagoras.train.model import load_for_training
from pythagoras.train.settings import Diffusion, Noise
from pythagoras.train.trainer import learned_in, summed_loss

CORPUS = Path(__file__).parents[1] / "data" / "embedded" / "train"
LENGTHS = (64, 128, 256)
TIMES = (0.1, 0.3, 0.5, 0.8)
DRAWS, SEQUENCES = 40, 4
GRADIENT_LENGTH, GRADIENT_DRAWS, STEP = 64, 32, 4
BLOCK = 32
SETTINGS: dict[str, Noise] = {
    "paper": Noise(),
    "tokens": Noise(unit="token"),
    "stratified": Noise(times="stratified"),
    "antithetic": Noise(times="antithetic"),
    "floor 0.2": Noise(floor=0.2),
    "per block": Noise(per_block=True),
    "at most 4": Noise(heaviest=4.0),
    "four copies": Noise(copies=4),
    "four copies, stratified": Noise(copies=4, times="stratified"),
    "four copies, stratified, floor 0.2": Noise(copies=4, times="stratified", floor=0.2),
    "four copies, stratified, at most 4": Noise(copies=4, times="stratified", heaviest=4.0),
}


def proofs_of(corpus: Path, folder: Path, tokenizer: Any) -> list[Proof]:
    """Those with two tactics or more, as the model in the folder reads them."""
    with open_checker("embedded", jobs=1) as checker:
        found = ProofReader(Diffusion(context=512), folder, tokenizer, checker).read(records([corpus]), Instances())
    return [proof for proof in found if len(proof.spans) > 1]


def joined(proofs: Sequence[Proof], length: int, count: int) -> Iterator[Proof]:
    """Sequences of so many tokens with their ends: proofs behind each other, under the first one's statement."""
    left = iter(proofs)
    for _ in range(count):
        first = next(left)
        tokens, spans = list(first.tokens[: first.prompt]), list[range]()
        one = first
        while len(tokens) - first.prompt < length - 1:
            at, room = len(tokens) - first.prompt, length - 1 - (len(tokens) - first.prompt)
            own = list(one.tokens[one.prompt : -1])[:room]
            spans += [
                range(at + span.start, min(at + span.stop, length - 1)) for span in one.spans if span.start < len(own)
            ]
            tokens += own
            one = next(left)
        yield Proof(array("i", [*tokens, first.tokens[-1]]), first.prompt, first.key, spans=tuple(spans))


class Measure:
    """One model, in evaluation mode: nothing is random but what is masked."""

    def __init__(self, folder: Path, corpus: Path) -> None:
        self.model, self.tokenizer = load_for_training(folder)
        self.model.eval()
        self.proofs = proofs_of(corpus, folder, self.tokenizer)
        numpy.random.default_rng(0).shuffle(self.proofs)
        self.positions = 0
        """That the last loss took."""

    def loss(self, sheets: Sequence[Sheet], how: Noise) -> Any:
        """The sum over masked tokens, by their weights, and how many tokens could have been masked."""
        parts = Objective(Diffusion(noise=how, block=BLOCK), self.tokenizer, 0).parts(sheets)
        losses = [summed_loss(self.model, part) for part in parts if len(part["targets"])]
        self.positions = sum(part["input_ids"].numel() for part in parts)
        return sum(losses) if losses else None, sum(map(learned_in, parts))

    def losses(self, proof: Proof, time: float, how: Noise, draws: int) -> list[float]:
        import torch

        with torch.inference_mode():
            found = [
                self.loss([[masked_at(proof, time, how, BLOCK, numpy.random.default_rng((7, at)))]], how)[0]
                for at in range(draws)
            ]
        return [0.0 if one is None else float(one) for one in found]

    def gradient_noise(self, proofs: Sequence[Proof], how: Noise, draws: int) -> tuple[float, float]:
        """The trace of the gradient's covariance over a step's draws, and the square of its mean's norm."""
        import torch

        parameters = [one for one in self.model.parameters() if one.requires_grad]
        total = [torch.zeros_like(one) for one in parameters]
        squares = 0.0
        for at in range(draws):
            value, learned = self.loss(corrupt(proofs, how, [BLOCK], numpy.random.default_rng((11, at))), how)
            if value is None:
                continue
            for one, gradient in zip(total, torch.autograd.grad(value / learned, parameters), strict=True):
                one += gradient
                squares += float(gradient.square().sum())
        mean = sum(float((one / draws).square().sum()) for one in total)
        variance = max(0.0, (squares / draws - mean) * draws / (draws - 1))
        return variance, max(mean - variance / draws, 1e-12)


def loss_table(measure: Measure) -> list[dict[str, float]]:
    rows = []
    for length in LENGTHS:
        proofs = list(joined(measure.proofs, length, SEQUENCES))
        spans = [len(span) for proof in proofs for span in proof.spans]
        for time in TIMES:
            row: dict[str, float] = {"length": length, "time": time, "mean span": float(numpy.mean(spans))}
            row["span of a token"] = float(numpy.average(spans, weights=spans))
            for unit in ("token", "tactic"):
                how = Noise(unit=unit)
                drawn = [measure.losses(proof, time, how, DRAWS) for proof in proofs]
                row[unit] = float(numpy.mean([numpy.var(one, ddof=1) for one in drawn]))
                row[f"{unit} loss"] = float(numpy.mean(drawn))
            rows.append(row)
    return rows


def gradient_table(measure: Measure) -> Iterator[dict[str, Any]]:
    for length in (GRADIENT_LENGTH, 2 * GRADIENT_LENGTH):
        proofs = list(joined(measure.proofs, length, STEP))
        for name, how in SETTINGS.items():
            variance, mean = measure.gradient_noise(proofs, how, GRADIENT_DRAWS)
            found = {"variance": variance, "relative": variance / mean, "positions": measure.positions}
            yield {"length": length, "setting": name, **found}


def draw(rows: Sequence[dict[str, float]], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    for length, colour in zip(LENGTHS, ("#31688e", "#4c9f70", "#c8553d"), strict=True):
        own = [row for row in rows if row["length"] == length]
        for unit, dashes in (("token", "-"), ("tactic", "--")):
            scaled = [row[unit] / (length * (1 - row["time"]) / row["time"]) for row in own]
            left.plot(TIMES, [row[unit] for row in own], dashes, color=colour, label=f"{unit}, L = {length}")
            right.plot(TIMES, scaled, dashes, color=colour)
    left.set(yscale="log", xlabel="t", ylabel="variance of the loss")
    right.set(yscale="log", xlabel="t", ylabel="variance / (L (1 - t) / t)")
    left.legend(fontsize=7)
    save(figure, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", default="embedded")
    parser.add_argument("corpus", nargs="?", type=Path, default=CORPUS)
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    if given.picture is not None:
        check_name(given.picture)
    threads.prepare()
    measure = Measure(model_folder(Path(given.model)), given.corpus)
    rows = loss_table(measure)
    print("variance of the loss over masking draws, and by L(1 - t)/t")
    for row in rows:
        scale = row["length"] * (1 - row["time"]) / row["time"]
        print(
            f"L {row['length']:>4.0f}  t {row['time']:.1f}  tokens {row['token']:>10.1f} {row['token'] / scale:>8.3f}"
            f"  tactics {row['tactic']:>10.1f} {row['tactic'] / scale:>8.3f}"
            f"  ratio {row['tactic'] / row['token']:.2f}  mean span {row['mean span']:.2f}"
            f", a token's {row['span of a token']:.2f}"
        )
    if given.picture is not None:
        draw(rows, given.picture)
    print("the gradient's variance over draws of a step, alone and over the square of its mean")
    for found in gradient_table(measure):
        print(
            f"L {found['length']:>4}  {found['setting']:<36}{found['variance']:>12.5f}{found['relative']:>10.3f}"
            f"{found['positions']:>8,} positions"
        )


if __name__ == "__main__":
    main()
