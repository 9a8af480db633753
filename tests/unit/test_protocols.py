"""Protocols: read from files, cast with samplers, and which part of a mixture makes which attempt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pythagoras.errors import InputError
from pythagoras.evaluate.running.protocols import (
    Part,
    Protocol,
    available,
    check_samplers,
    known_protocols,
    load_protocol,
    place_of,
    with_rounds,
    writer,
)
from pythagoras.generate.portfolio import Portfolio
from pythagoras.generate.sampler import Ability, Request, Sample

# --- files ---------------------------------------------------------------------------------------


def test_known_protocols() -> None:
    known = known_protocols()
    assert list(known) == [
        "restart",
        "self-correction",
        "infill",
        "infill-wider",
        "restart-and-correct",
        "portfolio-first",
    ]
    assert all(name == protocol.name and protocol.about for name, protocol in known.items())
    assert known["restart"].parts == (Part(),)
    assert known["self-correction"].parts == (Part(repair="turns", rounds=3),)  # as Goedel-Prover in the paper
    assert known["infill"].parts == (Part(repair="infill", rounds=3),)
    assert known["infill-wider"].parts == (Part(repair="infill", rounds=4, widens=True),)
    assert {path.stem for path in (Path(load_protocol.__code__.co_filename).parent / "protocol_files").iterdir()} == {
        *known
    }


def test_a_wrong_name_is_guessed() -> None:
    with pytest.raises(InputError, match=r"no protocol is called 'restrat': did you mean 'restart'\? choose one of "):
        load_protocol("restrat")


def test_a_protocol_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[[parts]]\nsampler = "a"\nat_most = 3\n[[parts]]\nrepair = "infill"\nrounds = 2\nrepairer = "a"\n')
    assert load_protocol(str(file)) == Protocol(
        name="mine", parts=(Part(sampler="a", at_most=3), Part(repair="infill", rounds=2, repairer="a"))
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[parts]]\nwieght = 2", "'parts.1.wieght' is no key of it: did you mean 'weight'? choose one of sampler, "),
        ("note = 1\n[[parts]]", "'note' is no key of it: choose one of name, about, parts"),
        ("[[parts]]\n[[parts]]\nrounds = '3'", 'parts.2.rounds: Input should be a valid integer, not "3"'),
        ("[[parts]]\nweight = true", "parts.1.weight: Input should be a valid integer, not true"),
        ("[[parts]]\nweight = 2.0", "parts.1.weight: Input should be a valid integer, not 2.0"),
        ("[[parts]]\nweight = 0", "parts.1.weight: Input should be greater than or equal to 1, not 0"),
        ("[[parts]]\nweight = inf", "parts.1.weight: "),
        ("[[parts]]\nat_most = 2020-01-01", 'parts.1.at_most: Input should be a valid integer, not "2020-01-01"'),
        ("[[parts]]\nrounds = 101", "parts.1.rounds: Input should be less than or equal to 100, not 101"),
        ("[[parts]]\nrounds = 3", "parts.1: more than one round and a way to repair belong together"),
        ('[[parts]]\nrepair = "turns"', "parts.1: more than one round and a way to repair belong together"),
        ('[[parts]]\nrepairer = "a"', "parts.1: a repairer needs a way to repair"),
        ('[[parts]]\nrepair = "luck"\nrounds = 2', "parts.1.repair: Input should be '', 'turns' or 'infill', not"),
        ("", "parts: Field required: write it"),
        ('"pa\\nrts" = 1\n[[parts]]', r"'pa\nrts' is no key of it"),
        ("parts = []", "parts: Tuple should have at least 1 item"),
        ("parts = 3", "parts: Input should be a valid array, not 3"),
        ('name = ""\n[[parts]]', "name: "),
        ('name = "a\\nb"\n[[parts]]', "name: "),
        (f'name = "{"x" * 5000}"\n[[parts]]', "name: "),
        ("[[parts", "is no TOML: "),
        ("x = " + "[" * 20_000, "is no TOML: "),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_a_line(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(InputError) as raised:
        load_protocol(str(file))
    message = str(raised.value)
    assert message.startswith(f"the protocol {file}")
    assert said in message
    assert "\n" not in message
    assert len(message) < 400


def test_files_that_cant_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe9"')
    (tmp_path / "folder.toml").mkdir()
    for name, said in [("latin", "no UTF-8"), ("folder", "can't be read"), ("none", "can't be read"), ("a\0b", "null")]:
        with pytest.raises(InputError, match=said):
            load_protocol(str(tmp_path / f"{name}.toml"))


def test_another_number_of_rounds() -> None:
    known = known_protocols()
    assert with_rounds(known["self-correction"], 2).parts == (Part(repair="turns", rounds=2),)
    assert with_rounds(known["restart-and-correct"], 5).parts == (Part(), Part(repair="turns", rounds=5))
    assert with_rounds(known["infill"], 1).parts == known["restart"].parts
    assert with_rounds(known["restart"], 1) == known["restart"]
    with pytest.raises(InputError, match=r"restart repairs nothing.*choose self-correction, infill or infill-wider$"):
        with_rounds(known["restart"], 2)
    for rounds in (0, -1, 101):
        with pytest.raises(InputError, match="from 1 to 100"):
            with_rounds(known["infill"], rounds)


# --- samplers ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Able:
    """A sampler that is never asked."""

    name: str
    abilities: frozenset[Ability]
    most: int | None = None

    @property
    def settings(self) -> Mapping[str, Any]:
        return {}

    def sample(self, requests: Iterable[Request]) -> Iterator[Sample]:
        raise AssertionError


MODEL = Able("model", frozenset({Ability.TURNS}))
PORTFOLIO = Portfolio()


def test_samplers_that_can() -> None:
    check_samplers(load_protocol("restart"), {"portfolio": PORTFOLIO})
    check_samplers(load_protocol("infill"), {"portfolio": PORTFOLIO})
    check_samplers(load_protocol("self-correction"), {"model": MODEL})
    check_samplers(load_protocol("portfolio-first"), {"model": MODEL, "portfolio": PORTFOLIO})
    helped = Protocol(name="helped", parts=(Part(repair="infill", rounds=2, repairer="portfolio"),))
    check_samplers(helped, {"model": MODEL, "portfolio": PORTFOLIO})


@pytest.mark.parametrize(
    ("protocol", "samplers", "said"),
    [
        (
            "self-correction",
            {"portfolio": PORTFOLIO},
            "the protocol self-correction repairs by turns, and the sampler portfolio can't hold a conversation: "
            "choose the protocol restart, infill or infill-wider, or name another repairer",
        ),
        (
            "infill",
            {"model": MODEL, "portfolio": PORTFOLIO},
            "the protocol infill repairs by infill, and the sampler model can't fill holes: "
            "choose the protocol restart or self-correction, or name another repairer",
        ),
        (
            "portfolio-first",
            {"model": MODEL},
            "the protocol portfolio-first needs the sampler 'portfolio', and the run has model: "
            "add --sampler portfolio",
        ),
        (
            "restart",
            {"model": MODEL, "portfolio": PORTFOLIO},
            "the protocol restart has nothing to do for the sampler portfolio: leave it out, or choose a protocol "
            "whose parts name it",
        ),
        ("restart", {}, "the protocol restart needs a sampler: name one"),
    ],
)
def test_samplers_that_cant(protocol: str, samplers: Mapping[str, Any], said: str) -> None:
    with pytest.raises(InputError) as raised:
        check_samplers(load_protocol(protocol), samplers)
    assert str(raised.value) == said


# --- mixtures ------------------------------------------------------------------------------------


def order(protocol: Protocol, count: int, most: Mapping[str, int | None]) -> list[int]:
    return [place_of(protocol, number, most)[0] for number in range(count)]


def test_the_portfolio_first() -> None:
    most = {"model": None, "portfolio": 15}
    assert order(load_protocol("portfolio-first"), 40, most) == [0] * 15 + [1] * 25
    assert order(load_protocol("portfolio-first"), 40, most | {"portfolio": 4}) == [0] * 4 + [1] * 36
    assert available(load_protocol("portfolio-first"), 40, {"model": 8, "portfolio": 15}) == 23
    assert available(load_protocol("portfolio-first"), 40, {"portfolio": 15}) == 15  # is both parts' sampler


@pytest.mark.parametrize("order", [("model", "portfolio"), ("portfolio", "model")])
def test_a_part_without_a_name_is_for_whoever_no_part_names(order: tuple[str, str]) -> None:
    protocol = load_protocol("portfolio-first")
    assert [writer(protocol, part, dict.fromkeys(order)) for part in protocol.parts] == ["portfolio", "model"]
    helped = Protocol(name="helped", parts=(Part(repair="infill", rounds=2, repairer="portfolio"),))
    assert writer(helped, helped.parts[0], dict.fromkeys(order)) == "model"


def test_turns() -> None:
    mixed = Protocol(name="mixed", parts=(Part(weight=2), Part(sampler="b", at_most=3), Part(sampler="c", weight=3)))
    most = {"a": None, "b": 100, "c": 4}
    assert order(mixed, 20, most) == [0, 0, 1, 2, 2, 2, 0, 0, 1, 2, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    assert [place_of(mixed, number, most)[1] for number in range(10)] == [0, 1, 0, 0, 1, 2, 2, 3, 1, 3]


def test_there_is_no_attempt_behind_the_last() -> None:
    few = Protocol(name="few", parts=(Part(at_most=2), Part(at_most=1)))
    assert order(few, 3, {"a": None}) == [0, 1, 0]
    with pytest.raises(IndexError, match="only 3"):
        place_of(few, 3, {"a": None})


def test_a_far_attempt_is_found_at_once() -> None:
    mixed = Protocol(name="mixed", parts=(Part(weight=7), Part(at_most=10**9), Part(weight=3)))
    assert place_of(mixed, 10**15, {"a": None}) == (0, 10**15)


NAMES = ("a", "b", "c")
LIMITS = st.none() | st.integers(1, 12)
PARTS = st.builds(
    Part, sampler=st.sampled_from(("", *NAMES)), weight=st.integers(1, 5), at_most=st.none() | st.integers(1, 12)
)
PROTOCOLS = st.builds(Protocol, name=st.just("x"), parts=st.lists(PARTS, min_size=1, max_size=4).map(tuple))
SUPPLIES = st.fixed_dictionaries(dict.fromkeys(NAMES, LIMITS))


def played(protocol: Protocol, most: Mapping[str, int | None], enough: int) -> list[tuple[int, int]]:
    """Attempt by attempt what `place_of` tells at once, until `enough` are there or all parts are used up."""
    made: list[tuple[int, int]] = []
    of_part: Counter[int] = Counter()
    of_sampler: Counter[str] = Counter()
    while len(made) < enough:
        before = len(made)
        for index, part in enumerate(protocol.parts):
            name = writer(protocol, part, most)
            for _ in range(part.weight):
                limit = most[name]
                if of_part[index] == part.at_most or of_sampler[name] == limit:
                    break
                made.append((index, of_sampler[name]))
                of_part[index] += 1
                of_sampler[name] += 1
        if len(made) == before:
            break
    return made[:enough]


@given(PROTOCOLS, SUPPLIES)
def test_every_attempt_has_one_part(protocol: Protocol, most: dict[str, int | None]) -> None:
    expected = played(protocol, most, 80)
    count = available(protocol, 80, most)
    assert [place_of(protocol, number, most) for number in range(count)] == expected
    if count < 80:
        with pytest.raises(IndexError):
            place_of(protocol, count, most)


@given(PROTOCOLS, SUPPLIES)
def test_nobody_makes_more_than_there_are(protocol: Protocol, most: dict[str, int | None]) -> None:
    made = Counter(order(protocol, available(protocol, 80, most), most))
    of_sampler: Counter[str] = Counter()
    for index, part in enumerate(protocol.parts):
        assert part.at_most is None or made[index] <= part.at_most
        of_sampler[writer(protocol, part, most)] += made[index]
    assert all(limit is None or of_sampler[name] <= limit for name, limit in most.items())


@given(PROTOCOLS, SUPPLIES, st.integers(0, 80), st.integers(0, 80))
def test_raising_n_changes_no_attempt(protocol: Protocol, most: dict[str, int | None], one: int, other: int) -> None:
    few, many = sorted((available(protocol, one, most), available(protocol, other, most)))
    assert order(protocol, many, most)[:few] == order(protocol, few, most)
    assert available(protocol, few, most) == few


@given(PROTOCOLS, st.integers(1, 400))
def test_shares_approach_the_weights(protocol: Protocol, count: int) -> None:
    assume(all(part.at_most is None for part in protocol.parts))
    weights = [part.weight for part in protocol.parts]
    made = Counter(order(protocol, count, dict.fromkeys(NAMES)))
    for index, weight in enumerate(weights):  # never further from its share than a turn
        assert abs(made[index] - count * weight / sum(weights)) <= weight
