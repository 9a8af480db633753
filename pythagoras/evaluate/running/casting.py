"""Who makes which attempt of a run: a protocol's parts, cast with samplers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from pythagoras.errors import InputError
from pythagoras.evaluate.running.protocols import Part, Protocol, available, check_samplers, place_of, repairer, writer
from pythagoras.generate.sampler import Sampler


class Cast:
    """The samplers in their parts. Raises InputError where one of them can't do what the protocol asks."""

    def __init__(self, protocol: Protocol, samplers: Sequence[Sampler], n: int) -> None:
        self.samplers = {sampler.name: sampler for sampler in samplers}
        if len(self.samplers) < len(samplers):
            raise InputError("two samplers of the run have the same name: write NAME=... before one of them")
        check_samplers(protocol, self.samplers)
        self._protocol = protocol
        most = {name: sampler.most for name, sampler in self.samplers.items()}
        self.n = available(protocol, n, most)
        """Attempts at each statement that can be made: fewer than asked for where samplers have no more."""
        self.rounds = max(part.rounds for part in protocol.parts)
        places = [place_of(protocol, number, most) for number in range(self.n)]
        self._parts = [protocol.parts[index] for index, _ in places]
        self._own_numbers = [own for _, own in places]

    def part(self, number: int) -> Part:
        return self._parts[number]

    def author(self, number: int, round_: int) -> str:
        """Name of the sampler that writes this round."""
        return (repairer if round_ else writer)(self._protocol, self._parts[number], self.samplers)

    def own_number(self, number: int, round_: int) -> int:
        """Which attempt it is to the sampler that writes it, which counts its own from 0."""
        at_home = self.author(number, round_) == self.author(number, 0)
        return self._own_numbers[number] if at_home else number


def seed_of(run_seed: int, goal: str, number: int, round_: int) -> int:
    """63 bits for one round of one attempt at the goal of that id: the same however many others are made."""
    text = f"{run_seed} {goal} {number} {round_}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1
