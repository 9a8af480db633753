"""Exercises with numbers: computed, rewritten, added up, chained, split into cases, by induction.

Python computes what a theorem says; the proof is one of the usual ways to say why.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd
from random import Random

from pythagoras.train.exercises.exercise import Exercise, pick, tactics

_LETTERS = ("abcd", "xyzw", "mnkl", "nmkj", "uvwt")
_HYPOTHESES = (("h₁", "h₂", "h₃", "h₄"), ("h", "h'", "h''", "k"), ("ha", "hb", "hc", "hd"), ("h1", "h2", "h3", "h4"))


def computed(rng: Random) -> Exercise:
    """Nothing is unknown."""
    a, b, c = (rng.randint(2, pick(rng, (12, 60, 400))) for _ in range(3))
    small = rng.randint(2, 5)
    equations = (
        (f"{a} + {b} * {c}", a + b * c),
        (f"({a} + {b}) * {c}", (a + b) * c),
        (f"{a} * {b} + {c}", a * b + c),
        (f"{a + b} - {b}", a),
        (f"{a * b + c % b} % {b}", c % b),
        (f"{a} / {b}", a // b),
        (f"{a % 13} ^ {small}", (a % 13) ** small),
        (f"Nat.gcd {a} {b}", gcd(a, b)),
    )
    term, value = pick(rng, equations)
    goals = (
        (f"{term} = {value}", ("decide", "rfl", "decide", "decide +kernel")),
        (f"{term} < {value + rng.randint(1, 9)}", ("decide", "decide +kernel")),
        (f"{term} ≠ {value + rng.randint(1, 9)}", ("decide", "decide +kernel")),
        (f"{a} ∣ {a * b}", ("decide", "decide", "omega")),
        (f"¬ {a} ∣ {a * b + 1}", ("decide", "decide", "omega")),
        (f"(-{a} : ℤ) * {b} + {c} = {c - a * b}", ("decide", "rfl", "omega")),
    )
    goal, ways = pick(rng, goals)
    return Exercise((), goal, tactics(pick(rng, ways)))


def rewritten(rng: Random) -> Exercise:
    """A value is known, and put in."""
    kind = pick(rng, ("ℕ", "ℤ", "ℚ"))
    x, y, *_ = tuple(pick(rng, _LETTERS))
    h, k, *_ = pick(rng, _HYPOTHESES)
    a, b, c = (rng.randint(2, 20) for _ in range(3))
    if rng.random() < 0.5:
        value = a * b + c
        term = pick(rng, ((f"{b} * {x} + {c}", value), (f"{x} * {b} + {c}", value), (f"{x} + {c}", a + c)))
        goal = f"{term[0]} = {term[1]}"
        ways: tuple[tuple[str, ...], ...] = ((f"rw [{h}]",), (f"subst {h}", "rfl"), (f"simp [{h}]",))
        ways = (*ways, ("omega",)) if kind != "ℚ" else (("grind",), (f"rw [{h}]", "grind"))
        return Exercise((f"({x} : {kind})", f"({h} : {x} = {a})"), goal, tactics(*pick(rng, ways)))
    goal = f"{x} = {a * b + c}"
    given = (f"({h} : {y} = {a})", f"({k} : {x} = {b} * {y} + {c})")
    last = "grind" if kind == "ℚ" else pick(rng, ("omega", "grind", "omega"))
    ways = ((last,), (f"rw [{k}, {h}]",) if kind != "ℚ" else (last,), (f"subst {h}", last))
    return Exercise((f"({x} {y} : {kind})", *given), goal, tactics(*pick(rng, ways)))


def linear(rng: Random) -> Exercise:
    """Inequalities that are added up, each so many times."""
    kind = pick(rng, ("ℕ", "ℤ", "ℤ"))
    names = pick(rng, _LETTERS)[: rng.randint(2, 3)]
    hypotheses: list[str] = []
    total, bound = dict.fromkeys(names, 0), 0
    for h in pick(rng, _HYPOTHESES)[: rng.randint(1, 3)]:
        own = {name: rng.randint(0, 4) for name in names}
        if not any(own.values()):
            own[names[0]] = 1
        limit, times = rng.randint(1, 30), rng.randint(1, 2)
        hypotheses.append(f"({h} : {_sum(own)} ≤ {limit})")
        total = {name: total[name] + times * own[name] for name in names}
        bound += times * limit
    slack = pick(rng, (0, 0, rng.randint(1, 5)))
    sign, bound = ("<", bound + 1) if rng.random() < 0.3 else ("≤", bound)
    goal = f"{_sum(total)} {sign} {bound + slack}"
    return Exercise(
        (f"({' '.join(names)} : {kind})", *hypotheses), goal, tactics(pick(rng, ("omega", "omega", "grind")))
    )


def _sum(form: dict[str, int]) -> str:
    return " + ".join(name if times == 1 else f"{times} * {name}" for name, times in form.items() if times)


def chained(rng: Random) -> Exercise:
    """From the first to the last, step by step."""
    kind, prefix = pick(rng, (("ℕ", "Nat"), ("ℤ", "Int")))
    names = pick(rng, _LETTERS)[: rng.randint(3, 4)]
    own = pick(rng, _HYPOTHESES)[: len(names) - 1]
    sign, rule = pick(rng, (("≤", f"{prefix}.le_trans"), ("<", f"{prefix}.lt_trans"), ("=", "Eq.trans")))
    steps = [(f"{x} {sign} {y}", h) for x, y, h in zip(names, names[1:], own, strict=False)]
    binders = (f"({' '.join(names)} : {kind})", *(f"({h} : {text})" for text, h in steps))
    term = own[0]
    for h in own[1:]:
        term = f"{rule} {_argument(term)} {h}"
    calc = [
        "calc",
        f"  {steps[0][0]} := {own[0]}",
        *(f"  _ {sign} {y} := {h}" for y, h in zip(names[2:], own[1:], strict=True)),
    ]
    ways = [(f"exact {term}",), ("omega",), tuple(calc)]
    if sign == "=":
        ways.append((f"rw [{', '.join(own)}]",))
    return Exercise(binders, f"{names[0]} {sign} {names[-1]}", pick(rng, (term, *(tactics(*way) for way in ways))))


def witnessed(rng: Random) -> Exercise:
    """There is one, and here it is."""
    x, y, *_ = tuple(pick(rng, _LETTERS))
    a, b = rng.randint(2, 40), rng.randint(2, 20)
    value = rng.randint(2, 60)
    way = rng.random()
    if way < 0.4:
        goal, found = f"∃ {x} : ℕ, {a} * {x} + {b} = {a * value + b}", str(value)
    elif way < 0.6:
        goal, found = f"∃ {x} {y} : ℕ, {x} + {a} * {y} = {value + a * b} ∧ {y} = {b}", f"{value}, {b}"
    elif way < 0.8:
        goal, found = f"∃ {x} : ℕ, {x} ^ 2 = {value * value}", str(value)
    else:
        goal, found = f"∃ {x} : ℕ, {x} > {value} ∧ {b} ∣ {x}", str((value // b + 1) * b)
    ends = ("decide", "rfl") if "∧" not in goal and way < 0.8 else ("decide", "omega") if way < 0.6 else ("decide",)
    ways = (
        f"by exact ⟨{found}, by decide⟩",
        f"⟨{found}, by decide⟩",
        tactics(f"refine ⟨{found}, ?_⟩", pick(rng, ends)),
    )
    return Exercise((), goal, pick(rng, ways))


def expanded(rng: Random) -> Exercise:
    """Two forms of a polynomial."""
    kind = pick(rng, ("ℤ", "ℚ", "ℕ"))
    x, y, *_ = tuple(pick(rng, _LETTERS))
    a, b, c = (rng.randint(1, 12) for _ in range(3))
    identities = (
        (f"({x} + {a}) * ({x} + {b})", f"{x} ^ 2 + {a + b} * {x} + {a * b}"),
        (f"({x} + {a}) ^ 2", f"{x} ^ 2 + {2 * a} * {x} + {a * a}"),
        (f"({x} + {y}) ^ 2", f"{x} ^ 2 + 2 * {x} * {y} + {y} ^ 2"),
        (f"{a} * ({x} + {b}) + {c} * {x}", f"{a + c} * {x} + {a * b}"),
        (f"({a} * {x} + {b}) * {y}", f"{a} * ({x} * {y}) + {b} * {y}"),
    )
    left, right = pick(rng, identities)
    if rng.random() < 0.3:
        left, right = right, left
    names = f"{x} {y}" if y in left else x
    return Exercise((f"({names} : {kind})",), f"{left} = {right}", tactics("grind"))


def divided(rng: Random) -> Exercise:
    """Remainders, and what follows for other remainders."""
    kind = pick(rng, ("ℕ", "ℤ"))
    x, *_ = tuple(pick(rng, _LETTERS))
    h, *_ = pick(rng, _HYPOTHESES)
    modulus, times, more = rng.randint(2, 9), rng.randint(1, 9), rng.randint(0, 9)
    remainder = rng.randrange(modulus)
    if rng.random() < 0.3:
        cases = [f"{x} % {modulus} = {value}" for value in range(modulus)]
        return Exercise((f"({x} : {kind})",), " ∨ ".join(cases), tactics("omega"))
    if rng.random() < 0.4:
        given = f"({h} : {modulus * times} ∣ {x})"
        return Exercise((f"({x} : {kind})", given), f"{modulus} ∣ {x}", tactics("omega"))
    term = f"{times} * {x} + {more}" if more else f"{times} * {x}"
    goal = f"({term}) % {modulus} = {(times * remainder + more) % modulus}"
    given = f"({h} : {x} % {modulus} = {remainder})"
    return Exercise((f"({x} : {kind})", given), goal, tactics("omega"))


def by_cases(rng: Random) -> Exercise:
    """A polynomial's remainder, for each remainder of its variable."""
    kind, rules = pick(rng, (("ℕ", "Nat.add_mod, Nat.mul_mod"), ("ℤ", "Int.add_emod, Int.mul_emod")))
    x, *_ = tuple(pick(rng, _LETTERS))
    h, *_ = pick(rng, _HYPOTHESES)
    modulus = pick(rng, (2, 2, 3))
    more = rng.randint(0, 5)
    values = sorted({(value * value + more) % modulus for value in range(modulus)})
    term = f"{x} * {x} + {more}" if more else f"{x} * {x}"
    goal = " ∨ ".join(f"({term}) % {modulus} = {value}" for value in values)
    cases = " ∨ ".join(f"{x} % {modulus} = {value}" for value in range(modulus))
    split = " | ".join([h] * modulus)
    lines = (f"have {h} : {cases} := by omega", f"rcases {h} with {split} <;> simp [{rules}, {h}]")
    return Exercise((f"({x} : {kind})",), goal, tactics(*lines))


def by_induction(rng: Random) -> Exercise:
    """From 0, and from each number to the next."""
    n, i = tuple(pick(rng, ("nm", "ki", "mj", "nk", "tk")))
    a, b = rng.randint(2, 12), rng.randint(1, 12)
    step = f"| succ {n} ih =>"
    way = rng.random()
    if way < 0.25:
        given = ("(f : ℕ → ℕ)", f"(h₀ : f 0 = {b})", f"(h₁ : ∀ {i}, f ({i} + 1) = f {i} + {a})", f"({n} : ℕ)")
        lines = (
            f"induction {n} with",
            "| zero => simp [h₀]",
            step,
            "  rw [h₁, ih]",
            f"  {pick(rng, ('omega', 'grind'))}",
        )
        return Exercise(given, f"f {n} = {a} * {n} + {b}", tactics(*lines))
    if way < 0.5:
        goal = f"∑ {i} ∈ Finset.range {n}, {a} = {pick(rng, (f'{a} * {n}', f'{n} * {a}'))}"
        lines = (f"induction {n} with", "| zero => rfl", step, "  rw [Finset.sum_range_succ, ih]", "  grind")
        return Exercise((f"({n} : ℕ)",), goal, tactics(*lines))
    if way < 0.75:
        lines = (f"induction {n} with", "| zero => decide", step, "  rw [Nat.pow_succ]", "  omega")
        return Exercise((f"({n} : ℕ)",), f"0 < {a} ^ {n}", tactics(*lines))
    lines = (f"induction {n} with", "| zero => simp", step, "  rw [Nat.pow_succ]", "  omega")
    return Exercise((f"({n} : ℕ)",), f"{n} < {a} ^ {n}", tactics(*lines))


def _argument(term: str) -> str:
    return f"({term})" if " " in term else term


ARITHMETIC: tuple[Callable[[Random], Exercise], ...] = (
    *(computed, rewritten, linear, chained, witnessed),
    *(expanded, divided, by_cases, by_induction),
)
