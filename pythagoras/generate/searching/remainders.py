"""What is given of a variable's remainder, and the variable written by it."""

from __future__ import annotations

from dataclasses import replace

from pythagoras.generate.searching.goals import Goal
from pythagoras.generate.searching.proofs import Step
from pythagoras.generate.searching.terms import Term, name, number, sign, value


def told_remainder(claim: Term) -> tuple[str, int, int] | None:
    """Variable, modulus and remainder that a fact tells."""
    if claim.is_call("Even", "Odd") and claim.right.kind == "name":
        return claim.right.name, 2, int(claim.left.name == "Odd")
    if claim.is_sign("=") and claim.left.is_sign("%") and claim.left.left.kind == "name":
        modulus, rest = value(claim.left.right), value(claim.right)
        if modulus and rest is not None:
            return claim.left.left.name, modulus, rest % modulus
    if claim.is_sign("≡") and claim.left.kind == "name":
        modulus, rest = value(claim.parts[2]), value(claim.right)
        if modulus and rest is not None:
            return claim.left.name, modulus, rest % modulus
    if claim.is_sign("∣") and claim.right.kind == "name" and (modulus := value(claim.left)):
        return claim.right.name, modulus, 0
    return None


def as_multiple(goal: Goal, variable: str, modulus: int, rest: int) -> tuple[Step, Goal]:
    """The goal with `modulus * k + rest` in the place of the variable."""
    quotient = goal.fresh("k")
    form = sign("*", number(modulus), name(quotient))
    if rest:
        form = sign("+", form, number(rest))
    claim = f"∃ {quotient}, {variable} = {form}"
    shifted = f"({variable} - {rest})" if rest >= modulus else variable
    step = Step(
        f"obtain ⟨{quotient}, rfl⟩ : {claim} := ⟨{shifted} / {modulus}, by omega⟩", f"Write `{variable} = {form}`."
    )
    variables = tuple(replace(each, name=quotient) if each.name == variable else each for each in goal.variables)
    return step, replace(goal.replaced(variable, form), variables=variables)
