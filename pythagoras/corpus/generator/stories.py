"""Word problems: chains of `let` that follow a story step by step, and ages as unknowns.

Divisions come out even and subtractions stay above zero, so that ℕ says what the story says.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import gcd, lcm
from random import Random

from pythagoras.corpus.generator.family import EASY, MEDIUM, Draft, Family, Variables
from pythagoras.corpus.generator.surface import (
    Number,
    Said,
    letters,
    math,
    nonzero,
    number,
    off_by,
    pick,
    relation,
    terms,
)

TOPIC = "word problems"

_PEOPLE = ("Mira", "Tomas", "Aisha", "Jonas", "Lena", "Oskar", "Priya", "Emil", "Noor", "Clara", "Hugo", "Yuki", "Ivan")


def _chain(
    rng: Random,
    variables: Variables,
    kind: str,
    steps: list[tuple[str, str]],
    value: str,
    story: str,
    question: str,
    false: bool,
) -> Draft:
    """A `let` for each step; the last one is asked for."""
    lines = [f"let {name} : {kind} := {text}" for name, text in steps]
    goal = relation(rng, steps[-1][0], "=", value).lean
    said = math(value)
    ending = pick(
        rng,
        (
            f"{question} Show that the answer is {said}.",
            f"{question} Prove that it is {said}.",
            f"Show that the answer to the following question is {said}: {question[0].lower()}{question[1:]}",
        ),
    )
    return Draft(variables, (), "\n    ".join([*lines, goal]), f"{story} {ending}", said, not false)


_GROUPS = (
    ("orchard", "trees", "apple trees", "plum trees", "were pruned this spring", "rows"),
    ("choir", "singers", "sopranos", "altos", "wear a red scarf", "voice groups"),
    ("library", "books", "novels", "atlases", "are out on loan", "shelves"),
    ("harbour", "boats", "sailing boats", "motor boats", "were repainted", "jetties"),
    ("bakery", "loaves", "rye loaves", "wheat loaves", "were sold before noon", "trays"),
    ("museum", "paintings", "portraits", "landscapes", "are on display", "halls"),
    ("farm", "animals", "goats", "hens", "are kept indoors", "barns"),
    ("workshop", "lamps", "desk lamps", "wall lamps", "need a new bulb", "crates"),
)


def _name(words: str) -> str:
    return words.replace(" ", "_")


def story_shares(rng: Random, level: int, false: bool) -> Draft:
    """A whole in two parts by a fraction, and fractions of those; of any multiple of the whole."""
    place, whole, first, second, did, rows = pick(rng, _GROUPS)
    q, s, u = rng.randint(2, 6), rng.randint(2, 6), rng.randint(2, 6)
    p, r, t = (pick(rng, [top for top in range(1, below) if gcd(top, below) == 1]) for below in (q, s, u))
    count = q * lcm(s, u) * rng.randint(1, 6 if level > EASY else 30)
    ones = p * count // q
    others = count - ones
    marked, unmarked = r * ones // s, t * others // u
    # For exact division: q divides the count, and s and u divide both parts.
    variables: Variables = ()
    unit, times = "", ""
    if level > MEDIUM:
        (k,) = letters(rng, 1)
        variables, unit, times = (((k,), "ℕ"),), k, f" * {k}"
        story = f"{_a(place)} has {k} {rows} with {count} {whole} each, where {k} is a natural number."
    else:
        story = f"{_a(place)} has {count} {whole}."
    story += f" {_part(p, q)} of the {whole} are {first}, the others are {second}."
    steps = [(_name(whole), f"{count}{times}"), (_name(first), _share(p, _name(whole), q))]
    steps.append((_name(second), f"{_name(whole)} - {_name(first)}"))
    if level == EASY:
        value = off_by(rng, others, 4, 0) if false else others
        question = f"How many {second} are there in the {place}?"
        return _chain(rng, (), "ℕ", steps, str(value), story, question, false)
    story += f" {_part(r, s)} of the {first} and {_part(t, u).lower()} of the {second} {did}."
    chosen = [f"chosen_{_name(first)}", f"chosen_{_name(second)}"]
    steps += [(chosen[0], _share(r, _name(first), s)), (chosen[1], _share(t, _name(second), u))]
    steps.append(("total", " + ".join(chosen)))
    total = marked + unmarked
    total = off_by(rng, total, 4, 1) if false else total
    question = f"How many of the {whole} in the {place} {did}?"
    return _chain(rng, variables, "ℕ", steps, terms([(total, unit)]), story, question, false)


def _a(place: str) -> str:
    return f"{'An' if place[0] in 'aeiou' else 'A'} {place}"


def _part(p: int, q: int) -> str:
    return "Half" if (p, q) == (1, 2) else f"{p}/{q}"


def _share(p: int, whole: str, q: int) -> str:
    return f"{whole} / {q}" if p == 1 else f"{p} * {whole} / {q}"


_GOODS = (
    ("notebook", "notebooks"),
    ("candle", "candles"),
    ("melon", "melons"),
    ("postcard", "postcards"),
    ("ticket", "tickets"),
    ("brush", "brushes"),
    ("seedling", "seedlings"),
    ("battery", "batteries"),
)


def story_purchase(rng: Random, level: int, false: bool) -> Draft:
    """A bill: two goods; a voucher and the change; one price unknown."""
    who = pick(rng, _PEOPLE)
    (one, ones), (_, others) = rng.sample(_GOODS, 2)
    a, b, c, d = rng.randint(2, 15), rng.randint(2, 15), rng.randint(2, 40), rng.randint(2, 40)
    names = [f"cost_of_{ones}", f"cost_of_{others}"]
    if level > MEDIUM:
        (x,) = letters(rng, 1)
        story = (
            f"One {one} costs {x} coins, where {x} is a natural number, and each of the {others} costs {d} coins more. "
            f"{who} buys {a} {ones} and {b} {others}."
        )
        steps = [(names[0], f"{a} * {x}"), (names[1], f"{b} * ({x} + {d})"), ("total", " + ".join(names))]
        rest = off_by(rng, b * d, 4, 0) if false else b * d
        value = terms([(a + b, x), (rest, "")])
        return _chain(rng, (((x,), "ℕ"),), "ℕ", steps, value, story, f"What does {who} pay in total, in coins?", false)
    story = f"{who} buys {a} {ones} at {c} coins each and {b} {others} at {d} coins each."
    steps = [(names[0], f"{a} * {c}"), (names[1], f"{b} * {d}"), ("total", " + ".join(names))]
    total = a * c + b * d
    if level == EASY:
        total = off_by(rng, total, 5, 0) if false else total
        return _chain(rng, (), "ℕ", steps, str(total), story, f"What does {who} pay in total, in coins?", false)
    off = rng.randint(1, min(total, 20))
    paid = (total // 100 + rng.randint(1, 3)) * 100
    story += f" A voucher takes {off} coins off the bill, and {who} hands over {paid} coins."
    steps += [("bill", f"total - {off}"), ("change", f"{paid} - bill")]
    change = paid - total + off
    change = off_by(rng, change, 5, 0) if false else change
    return _chain(rng, (), "ℕ", steps, str(change), story, f"How many coins does {who} get back?", false)


def story_journey(rng: Random, level: int, false: bool) -> Draft:
    """Speeds and times: a distance; an average speed over two legs; there and back over any distance."""
    who, how = pick(rng, _PEOPLE), pick(rng, ("cycles", "drives", "walks", "rows", "skis"))
    u, v = rng.sample(range(3, 60), 2)
    s, t = Fraction(rng.randint(1, 12), pick(rng, (1, 2, 4))), Fraction(rng.randint(1, 12), pick(rng, (1, 2, 3)))
    if level > MEDIUM:
        (x,) = letters(rng, 1)
        mean: Number = Fraction(2 * u * v, u + v)
        mean += 1 if false else 0
        lines = [
            f"let time_out : ℚ := {x} / {u}",
            f"let time_back : ℚ := {x} / {v}",
            f"let average : ℚ := 2 * {x} / (time_out + time_back)",
            f"average = {number(mean)}",
        ]
        text = (
            f"{who} {how} {x} kilometres at {u} kilometres an hour and comes back the same way at {v} kilometres an "
            f"hour, where {x} is a positive rational number. Show that the average speed over both ways, the whole "
            f"distance divided by the whole time, is {math(number(mean))} kilometres an hour."
        )
        return Draft((((x,), "ℚ"),), (f"{x} > 0",), "\n    ".join(lines), text, math(number(mean)), not false)
    story = (
        f"{who} {how} for {math(number(s))} hours at {u} kilometres an hour, then for {math(number(t))} hours at "
        f"{v} kilometres an hour."
    )
    steps = [
        ("first_leg", f"{u} * {_bracketed(s)}"),
        ("second_leg", f"{v} * {_bracketed(t)}"),
        ("distance", "first_leg + second_leg"),
    ]
    value = u * s + v * t
    question = f"How far does {who} get, in kilometres?"
    if level == MEDIUM:
        steps += [("hours", f"{number(s)} + {number(t)}"), ("average", "distance / hours")]
        value /= s + t
        question = f"What is the average speed of {who} over the whole time, in kilometres an hour?"
    value += pick(rng, (Fraction(1), Fraction(2), Fraction(1, 2))) if false else 0
    return _chain(rng, (), "ℚ", steps, number(value), story, question, false)


def _bracketed(value: Fraction) -> str:
    return number(value) if value.denominator == 1 else f"({number(value)})"


_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_THINGS = ("marbles", "stamps", "shells", "coins", "cards", "beads", "buttons", "pebbles")


def story_ledger(rng: Random, level: int, false: bool) -> Draft:
    """Something grows and shrinks from day to day; at the hardest level from an unknown start."""
    who, things = pick(rng, _PEOPLE), pick(rng, _THINGS)
    (x,) = letters(rng, 1)
    slope, value = (rng.randint(1, 6) * 2, rng.randint(5, 40) * 2) if level > MEDIUM else (0, rng.randint(20, 200))
    start = terms([(slope, x), (value, "")])
    steps = [(_DAYS[0], start)]
    story = [f"On Monday {who} has {math(start)} {things}{f', where {x} is a natural number' if slope else ''}."]
    for before, day in pairwise(_DAYS[: 3 + level]):
        choices = ["gain", "lose"] if level == EASY else ["gain", "lose", "times", "half", "gain", "lose"]
        what = pick(rng, choices)
        amount = rng.randint(2, 40)
        if what == "half" and (slope % 2 or value % 2):
            what = "gain"
        if what == "lose" and value < 3:
            what = "gain"
        if what == "gain":
            value, text, said = value + amount, f"{before} + {amount}", f"{who} gets {amount} more"
        elif what == "lose":
            amount = rng.randint(2, max(2, min(value - 1, 60)))
            value, text, said = value - amount, f"{before} - {amount}", f"{who} gives {amount} away"
        elif what == "times":
            factor = rng.randint(2, 4)
            slope, value = slope * factor, value * factor
            text, said = f"{factor} * {before}", f"the number grows to {factor} times that of the day before"
        else:
            slope, value = slope // 2, value // 2
            text, said = f"{before} / 2", f"{who} loses half of them"
        steps.append((day, text))
        story.append(f"On {day.capitalize()} {said}.")
    value = off_by(rng, value, 4, 0) if false else value
    variables: Variables = (((x,), "ℕ"),) if level > MEDIUM else ()
    question = f"How many {things} does {who} have on {steps[-1][0].capitalize()}?"
    return _chain(rng, variables, "ℕ", steps, terms([(slope, x), (value, "")]), " ".join(story), question, false)


def story_ages(rng: Random, level: int, false: bool) -> Draft:
    """Ages as unknowns: a sum and a difference; multiples now and later; three people."""
    who = rng.sample(_PEOPLE, 3)
    names = tuple(one[0].lower() for one in who)
    if len(set(names)) < 3 or level < 3:
        names = letters(rng, 2 if level < 3 else 3)
    who = who[: len(names)]
    if level == EASY:
        young, gap = rng.randint(3, 60), rng.randint(1, 40)
        ages = [young + gap, young]
        given = [
            _said(rng, names[0], terms([(1, names[1]), (gap, "")]), f"{who[0]} is {_years(gap)} older than {who[1]}"),
            _said(rng, " + ".join(names), str(sum(ages)), f"together they are {sum(ages)} years old"),
        ]
    elif level == MEDIUM:
        later, now = rng.randint(2, 6), rng.randint(1, 9)
        now += later  # a = now b, and a + t = later (b + t)
        young = (later - 1) * rng.randint(1, 12)
        wait = young * (now - later) // (later - 1)
        ages = [now * young, young]
        given = [
            _said(rng, names[0], terms([(now, names[1])]), f"{who[0]} is {now} times as old as {who[1]}"),
            _said(
                rng,
                f"{names[0]} + {wait}",
                f"{later} * ({names[1]} + {wait})",
                f"in {_years(wait)} {who[0]} will be {later} times as old as {who[1]}",
            ),
        ]
    else:
        young, gap, factor = rng.randint(2, 30), rng.randint(1, 20), rng.randint(2, 5)
        ages = [factor * (young + gap), young + gap, young]
        given = [
            _said(rng, names[0], terms([(factor, names[1])]), f"{who[0]} is {factor} times as old as {who[1]}"),
            _said(rng, names[1], f"{names[2]} + {gap}", f"{who[1]} is {_years(gap)} older than {who[2]}"),
            _said(rng, " + ".join(names), str(sum(ages)), f"all three together are {sum(ages)} years old"),
        ]
    if false:
        at = rng.randrange(len(ages))
        ages[at] += nonzero(rng, 1, 3)
    parts = [relation(rng, name, "=", str(age)) for name, age in zip(names, ages, strict=True)]
    claim = " ∧ ".join(one.lean for one in parts)
    called = ", ".join(f"{name} for the age of {one}" for name, one in zip(names, who, strict=True))
    text = (
        f"{'. '.join(one.words[0].upper() + one.words[1:] for one in given)}. All ages are natural numbers of years. "
        f"Write {called}. Show that {' and '.join(one.words for one in parts)}."
    )
    answer = ", ".join(map(str, ages))
    return Draft(((names, "ℕ"),), tuple(one.lean for one in given), claim, text, answer, not false)


def _years(count: int) -> str:
    return "1 year" if count == 1 else f"{count} years"


def _said(rng: Random, left: str, right: str, words: str) -> Said:
    return Said(relation(rng, left, "=", right).lean, words)


FAMILIES = (
    Family("story_shares", TOPIC, story_shares),
    Family("story_purchase", TOPIC, story_purchase),
    Family("story_journey", TOPIC, story_journey),
    Family("story_ledger", TOPIC, story_ledger),
    Family("story_ages", TOPIC, story_ages),
)
