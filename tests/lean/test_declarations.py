"""What a piece of code declared, from Lean's environment: kinds, canonical types, axioms, commands, spans."""

from __future__ import annotations

import pytest

from pythagoras.lean.headers import core
from pythagoras.lean.wire import Answer, Declaration
from tests.lean.conftest import SharedHost


def declared(answer: Answer, name: str) -> Declaration:
    return next(declaration for declaration in answer.declarations if declaration.name == name)


def type_key(shared: SharedHost, code: str, name: str = "t") -> str:
    answer = shared.check(code)
    assert not answer.errors, answer.errors
    return declared(answer, name).type_key


def test_kinds(shared: SharedHost) -> None:
    code = (
        "axiom ax : 1 = 1\ntheorem th : 1 = 1 := rfl\ndef de := 1\nopaque op : Nat\n"
        "inductive In\n  | one\n  | two (n : In)\nstructure St where\n  x : Nat"
    )
    kinds = {declaration.name: declaration.kind for declaration in shared.check(code).declarations}
    expected = {"ax": "axiom", "th": "theorem", "de": "definition", "op": "opaque", "In": "inductive"}
    expected |= {"In.one": "constructor", "In.rec": "recursor", "St": "inductive", "St.x": "definition"}
    assert {name: kinds[name] for name in expected} == expected


def test_only_what_the_code_itself_declares_is_listed(shared: SharedHost) -> None:
    answer = shared.check("theorem t : Even (4 : ℕ) := ⟨2, rfl⟩", core())
    assert [declaration.name for declaration in answer.declarations] == ["t"]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("theorem t (a b : Nat) (h : a < b) : a ≤ b := sorry", "theorem t (x y : Nat) (k : x < y) : x ≤ y := sorry"),
        ("theorem t (a : Nat) : a = a := rfl", "theorem t {a : Nat} : a = a := rfl"),
        ("theorem t (a : Nat) : a = a := rfl", "theorem t : ∀ a : Nat, a = a := fun _ => rfl"),
        ("theorem t.{u} (α : Type u) (a : α) : a = a := rfl", "theorem t.{v} (β : Type v) (b : β) : b = b := rfl"),
        ("theorem t : 2 + 2 = 4 := rfl", "open Nat in\ntheorem t : (2 + 2 : Nat) = 4 := by decide"),
    ],
)
def test_the_key_does_not_depend_on_names_binders_or_proofs(shared: SharedHost, left: str, right: str) -> None:
    assert type_key(shared, left) == type_key(shared, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("theorem t (a b : Nat) : a = b := sorry", "theorem t (a b : Nat) : b = a := sorry"),
        ("theorem t (a b : Nat) (h : a < b) : a ≤ b := sorry", "theorem t (a b : Nat) (h : a ≤ b) : a ≤ b := sorry"),
        ("theorem t : (2 : Nat) = 2 := rfl", "theorem t : (2 : Int) = 2 := rfl"),
        ("theorem t : 12345678901234567890 = x := sorry", "theorem t : 12345678901234567891 = x := sorry"),
        ('theorem t : "a" = "a" := rfl', 'theorem t : "b" = "b" := rfl'),
        # the same text over different definitions of the submission's own
        ("def P (n : Nat) := n = n\ntheorem t : P 1 := rfl", "def P (_ : Nat) := True\ntheorem t : P 1 := trivial"),
        (
            "inductive C | a | b\ntheorem t (c d : C) : c = d := sorry",
            "inductive C | a\ntheorem t (c d : C) : c = d := sorry",
        ),
        # what differs stands in the other half of a mutual definition
        (
            "mutual\ninductive A | mk : B → A\ninductive B | nil | mk : A → B\nend\n"
            "theorem t (x y : B) : x = y := sorry",
            "mutual\ninductive A | mk : B → A | more : Nat → A\ninductive B | nil | mk : A → B\nend\n"
            "theorem t (x y : B) : x = y := sorry",
        ),
        (
            'local notation "ONE" => 1\ntheorem t : ONE = 1 := rfl',
            'local notation "ONE" => 2\ntheorem t : ONE = 1 := sorry',
        ),
    ],
)
def test_the_key_tells_different_statements_apart(shared: SharedHost, left: str, right: str) -> None:
    left, right = (f"variable (x : Nat)\n{code}" for code in (left, right))
    assert type_key(shared, left) != type_key(shared, right)


def test_the_canonical_text_is_readable(shared: SharedHost) -> None:
    answer = shared.check("theorem t (n : Nat) : n = n := rfl")
    expected = "(forall (const Nat ) (app (app (app (const Eq S0) (const Nat )) (# 0)) (# 0)))"
    assert declared(answer, "t").type == expected


def test_a_huge_type_has_a_key_but_no_text(shared: SharedHost) -> None:
    sum_ = " + ".join(["x"] * 400)
    answer = shared.check(f"theorem t (x : Nat) : {sum_} = 0 → True := fun _ => trivial")
    assert not answer.errors
    assert declared(answer, "t").type is None
    assert len(declared(answer, "t").type_key) == 64


@pytest.mark.parametrize(
    ("code", "axioms"),
    [
        ("theorem t : 1 = 1 := rfl", ()),
        ("theorem t (a b : Nat) : a + b = b + a := by omega", ()),
        ("theorem t : 1 = 2 := sorry", ("sorryAx",)),
        ("theorem t : 1 = 2 := by sorry", ("sorryAx",)),
        ("theorem t : 1 = 2 := by decide", ("sorryAx",)),  # the error is recovered from with a sorry
        ("axiom cheat : False\ntheorem t : 1 = 2 := cheat.elim", ("cheat",)),
        ("axiom cheat : False\ntheorem a : 1 = 2 := cheat.elim\ntheorem t : 1 = 2 := a", ("cheat",)),
        ("axiom c.«d.e» : False\ntheorem t : 1 = 2 := c.«d.e».elim", ("c.«d.e»",)),
        ("theorem t : 2 ^ 10 = 1024 := by native_decide", ("Lean.ofReduceBool",)),
        ("def d : Nat := Classical.choice ⟨1⟩\ntheorem t : d = d := rfl", ("Classical.choice",)),
        ("theorem t (p q : Prop) (h : p ↔ q) : p = q := propext h", ("propext",)),
        ("opaque o : Nat := (sorry : Nat)\ntheorem t : o = o := rfl", ("sorryAx",)),
        ("set_option warn.sorry false in\ntheorem t : 1 = 2 := sorry", ("sorryAx",)),
    ],
)
def test_axioms(shared: SharedHost, code: str, axioms: tuple[str, ...]) -> None:
    assert declared(shared.check(code), "t").axioms == axioms


def test_axioms_of_older_states_are_found_through_them(shared: SharedHost) -> None:
    host = shared.living()
    for proof, axioms in (("trivial", []), ("sorry", ["sorryAx"])):  # the same names in two states
        base = host.request({"cmd": f"theorem older : True := {proof}"}, 30)["env"]
        answer = host.request({"cmd": "theorem t : True := older", "env": base, "declarations": True}, 30)
        assert [d["axioms"] for d in answer["declarations"]] == [axioms]


def test_a_library_name_in_one_state_says_nothing_about_the_same_name_in_another(shared: SharedHost) -> None:
    host = shared.living()
    library = "import Std.Data.HashMap\ntheorem t : True := let _ := @Std.HashMap.size_empty; trivial"
    assert "message" not in host.request({"cmd": library, "declarations": True, "keep": False}, 60)
    base = host.request({"cmd": "axiom Std.HashMap.size_empty : False"}, 30)["env"]
    cheat = {"cmd": "theorem t : False := Std.HashMap.size_empty", "env": base, "declarations": True}
    assert [d["axioms"] for d in host.request(cheat, 30)["declarations"]] == [["Std.HashMap.size_empty"]]


def test_the_kernel_sees_every_declaration(shared: SharedHost) -> None:
    """An option of Lean that skips it is switched off."""
    code = (
        "set_option debug.skipKernelTC true\n"
        "theorem t : False := by\n  have : (1 : Nat) = 2 := by decide +kernel\n  omega"
    )
    answer = shared.check(code)
    assert answer.errors or "sorryAx" in declared(answer, "t").axioms


def test_header_theorems_rest_on_nothing_foreign(shared: SharedHost) -> None:
    answer = shared.check("theorem t : Nat.Prime 7 := by decide", core())
    assert not answer.errors
    assert set(declared(answer, "t").axioms) <= {"propext", "Quot.sound", "Classical.choice"}


def test_commands_say_what_each_declared_and_where(shared: SharedHost) -> None:
    code = (
        "namespace N\nset_option maxHeartbeats 400 in\n/-- doc -/\ntheorem a : 1 = 1 := rfl\nend N\n"
        "example : 1 = 1 := rfl\ntheorem b (x : Missing) : x = x := rfl"
    )
    commands = shared.check(code).commands
    assert [(c.kind, c.name) for c in commands] == [
        *[("namespace", None), ("theorem", "a"), ("end", None), ("example", None), ("theorem", "b")]
    ]
    assert commands[1].declares == ("N.a",)
    assert (commands[1].pos.line, commands[1].end_pos.line) == (2, 4)


def test_spans_cover_nested_tactics_with_their_parents(shared: SharedHost) -> None:
    code = (
        "theorem t (α : Prop) (p q : Prop) (h : p ∧ q) : q ∧ p := by\n"
        "  obtain ⟨hp, hq⟩ := h\n"
        "  constructor <;> first | exact hq | skip\n"
        "  · exact (by assumption)\n"
    )
    answer = shared.check(code, spans=True)
    texts = [code[span.start : span.end] for span in answer.spans]
    assert texts == [
        "obtain ⟨hp, hq⟩ := h",
        "constructor <;> first | exact hq | skip",
        "constructor",
        "first | exact hq | skip",
        "exact hq",
        "skip",
        "· exact (by assumption)",
        "exact (by assumption)",
        "assumption",
    ]
    assert [span.parent for span in answer.spans] == [None, None, 1, 1, 3, 3, None, 6, 7]
    assert answer.spans[0].kind == "Lean.Parser.Tactic.obtain"
    assert (answer.spans[3].pos.line, answer.spans[3].pos.column) == (3, 18)


def test_spans_come_from_the_parser_even_where_elaboration_fails(shared: SharedHost) -> None:
    answer = shared.check("theorem t : 1 = 2 := by\n  decide\n  omega\n", spans=True)
    assert answer.errors
    assert [span.kind.split(".")[-1] for span in answer.spans] == ["decide", "omega"]
