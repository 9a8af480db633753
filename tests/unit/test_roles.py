"""Parsers of the roles: what models really write is read or refused with a reason, and no text at all raises."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.lean.diagnostics import ErrorClass, Level
from pythagoras.pipeline.roles.align import Aligned
from pythagoras.pipeline.roles.distil import Distilled
from pythagoras.pipeline.roles.role import Fault, Refused, RoleName, Task, Written
from pythagoras.pipeline.roles.roles import ROLES
from pythagoras.pipeline.roles.vary import Varied

SOURCE = "Let n be a natural number such that n > 3. Prove that n^2 > 9."
FIELDS = {"problem": SOURCE, "name": "wanted", "header": "", "statement": "theorem t : 1 = 1", "number": "0"}
GOOD: dict[str, str] = {
    "root_cause": "line 1, column 8: linear arithmetic can't square",
    "level": "proof",
    "category": "tactic failure",
    "question": "Let n be a natural number such that n = 5. Prove that n^2 > 9.",
    "solution": "Put 5 in place of n. Then n^2 = 25, and 25 > 9.",
}


def read(role: str, text: str, fields: Mapping[str, str] = FIELDS) -> object:
    return ROLES[RoleName(role)].read(Written(Task(fields), text))


def fault(role: str, text: str) -> Fault:
    found = read(role, text)
    assert isinstance(found, Refused), found
    return found.fault


# --- every role ------------------------------------------------------------------------------------

_LONG = 99_000
_HOSTILE = {
    "signs, then a word": json.dumps({"verdict": "same", "discrepancy": "!" * _LONG + "a"}),
    "a word of signs": json.dumps({"verdict": "different", "discrepancy": "no " + "a" * _LONG}),
    "an indented statement": f"theorem wanted :\n{' ' * _LONG}1 = 1",
    "blank lines": "theorem wanted :" + " \t\n" * (_LONG // 3) + "1 = 1",
    "one comment": f"```lean4\ntheorem wanted : 1 = /- {'a ' * (_LONG // 2)} -/ 1 := by sorry\n```",
    "many fields": "{" + ", ".join(f'"k{at}": 1' for at in range(8_000)) + "}",
    "many objects": '{"a": 1} ' * (_LONG // 9),
    "open objects": '{"a": ' * (_LONG // 6),
    "backslashes": "\\" * _LONG,
    "a solution of steps": json.dumps({**GOOD, "solution": "have x : y = " * 1_500}),
    "a question of stars": json.dumps({**GOOD, "question": "*" * _LONG}),
    "a change of blanks": json.dumps({"question": GOOD["question"], "change": " \n" * (_LONG // 3)}),
    "giving up": "CAN'T" + " " * _LONG + "x",
}
"""Texts on which a search that begins again at every place would not come to an end."""


@pytest.mark.parametrize("role", RoleName)
@pytest.mark.parametrize("kind", _HOSTILE)
def test_long_texts_are_read_in_one_go(role: RoleName, kind: str) -> None:
    read(role, _HOSTILE[kind])


_PIECES = st.sampled_from(
    [
        *(
            "```lean4\n",
            "```json\n",
            "```",
            "\n",
            "theorem ",
            "wanted ",
            "(x : ℕ) ",
            ": ",
            ":= by sorry",
            "example ",
            "def ",
        ),
        *(
            "{",
            "}",
            '{"question": "',
            '", ',
            '"solution": ',
            '"verdict": "same"',
            "[",
            "]",
            '"',
            "\\",
            "\\u12",
            "\\frac",
        ),
        *(
            "<think>",
            "</think>",
            "CAN'T: ",
            "/-",
            "-/",
            "--",
            "«",
            "»",
            "import ",
            "open ",
            "in ",
            "@[",
            "|",
            "=>",
            "where ",
        ),
        *(
            "\ud800",
            "\x00",
            "\r\n",
            "h ",
            "∃ ",
            "⟨",
            "1",
            " ",
            "namespace ",
            "end ",
            "mutual ",
            "set_option ",
            "`",
            "#eval ",
        ),
    ]
)
_ANYTHING = st.one_of(st.text(), st.lists(_PIECES, max_size=40).map("".join))


@pytest.mark.parametrize("role", ROLES)
@given(text=_ANYTHING)
def test_any_text_is_read_or_refused(role: RoleName, text: str) -> None:
    found = ROLES[role].parse(text, FIELDS)
    assert isinstance(found, str | Aligned | Distilled | Varied | Refused)


@given(st.dictionaries(st.sampled_from([*GOOD, "verdict", "other"]), st.one_of(st.text(), st.none(), st.integers())))
def test_any_object_is_read_or_refused(made: dict[str, object]) -> None:
    for role in (RoleName.ALIGN, RoleName.DISTIL, RoleName.VARY):
        found = ROLES[role].parse(json.dumps(made), FIELDS)
        assert isinstance(found, Aligned | Distilled | Varied | Refused)


@pytest.mark.parametrize("role", ROLES)
def test_long_and_deep_answers_are_refused(role: RoleName) -> None:
    for text in (
        '{"a":' * 20_000,
        "{" * 90_000,
        "x" * 1_000_000,
        '{"":1}' * 16_000,
        "(" * 50_000,
        "```lean4\n" * 10_000,
    ):
        assert isinstance(ROLES[role].parse(text, FIELDS), Refused)


@pytest.mark.parametrize("role", ROLES)
def test_nothing_and_giving_up(role: RoleName) -> None:
    assert fault(role, "  \n") is Fault.NO_ANSWER
    assert fault(role, "<think>It is easy.</think>\n") is Fault.NO_ANSWER
    assert fault(role, "<think>Let me see, and see, and") is Fault.CUT_OFF
    assert ROLES[role].read(Written(Task(FIELDS), "some text", cut_off=True)) == Refused(
        Fault.CUT_OFF, "after 0 tokens"
    )
    assert ROLES[role].read(Written(Task(FIELDS), "", failure="HTTP 500")) == Refused(Fault.NO_ANSWER, "HTTP 500")
    for text in (
        "CAN'T: there is a picture",
        "<think>hm</think> **CAN’T: there is a picture",
        "CANNOT: there is a picture",
    ):
        assert read(role, text) == Refused(Fault.CAN_NOT, "there is a picture")


# --- formalise -------------------------------------------------------------------------------------

STATEMENT = "theorem wanted (n : ℕ) (h : n > 3) : n ^ 2 > 9"


@pytest.mark.parametrize(
    "text",
    [
        "```lean4\ntheorem wanted (n : ℕ) (h : n > 3) : n ^ 2 > 9 := by sorry\n```",
        "```lean4\ntheorem wanted (n : ℕ) (h : n > 3) : n ^ 2 > 9\n```",
        "```lean\nimport Mathlib\nopen Nat Real\n\nlemma foo (n : ℕ) (h : n > 3) : n ^ 2 > 9 := by\n  sorry\n```\nOK!",
        "<think>\n```lean4\ntheorem bad : False := by sorry\n```\n</think>\nHere it is:\n```lean4\n"
        "theorem A.b (n : ℕ) (h : n > 3) : n ^ 2 > 9 := sorry\n```",
        "theorem wanted (n : ℕ) (h : n > 3) : n ^ 2 > 9 := by sorry",
        "```lean4\n/-- Squares grow. -/\ntheorem wanted (n : ℕ) (h : n > 3) :  -- a remark\n    n ^ 2 > 9 := by\n"
        "  nlinarith\n```",
        "```lean4\nset_option maxHeartbeats 400000\ntheorem wanted (n : ℕ) (h : n > 3) : n ^ 2 > 9 := by sorry",
        "First try:\n```lean4\ntheorem x : 1 = 2 := by sorry\n```\nBetter:\n```lean4\n"
        "theorem wanted (n : ℕ) (h : n > 3) : n ^ 2 > 9 := by sorry\n```",
    ],
)
def test_statements_are_read(text: str) -> None:
    found = read("formalise", text)
    assert isinstance(found, str)
    assert " ".join(found.split()) == STATEMENT


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The theorem wanted says that n ^ 2 > 9.", Fault.NO_BLOCK),
        ("```lean4\nn ^ 2 > 9\n```", Fault.NO_STATEMENT),
        ("```python\nprint(1)\n```", Fault.NO_BLOCK),
        ("```lean4\ntheorem a : 1 = 1 := by sorry\ntheorem b : 2 = 2 := by sorry\n```", Fault.SEVERAL_STATEMENTS),
        ("```lean4\ntheorem wanted : 1 = 1 := by sorry\nexample : 2 = 2 := rfl\n```", Fault.SEVERAL_STATEMENTS),
        ("```lean4\naxiom cheat : False\ntheorem wanted : 1 = 1 := by sorry\n```", Fault.NO_STATEMENT),
        ("```lean4\ndef f := 1\ntheorem wanted : f = 1 := by sorry\n```", Fault.NO_STATEMENT),
        ('```lean4\nlocal notation "q" => 1\ntheorem wanted : q = 1 := by sorry\n```', Fault.NO_STATEMENT),
        ("```lean4\nvariable (n : ℕ)\ntheorem wanted : n = n := by sorry\n```", Fault.NO_STATEMENT),
        ("```lean4\nopen Nat in\ntheorem wanted : 1 = 1 := by sorry\n```", Fault.NO_STATEMENT),
        ("```lean4\n@[simp] theorem wanted : 1 = 1 := by sorry\n```", Fault.NO_STATEMENT),
        ("```lean4\ntheorem wanted (x : ℕ) : x = sorry := by sorry\n```", Fault.NO_STATEMENT),
        ("```lean4\ntheorem wanted : (by native_decide : 1 = 1) = rfl := by sorry\n```", Fault.NO_STATEMENT),
        ("```lean4\ntheorem wanted := by sorry\n```", Fault.NO_STATEMENT),
        ("```lean4\ntheorem wanted : ∀ n : ℕ, n = n\n  | 0 => rfl\n  | n + 1 => rfl\n```", Fault.HAS_PROOF),
        ("```lean4\ntheorem wanted : 1 = 1 := by sorry\n#eval 1\n```", Fault.NO_STATEMENT),
        (f"```lean4\ntheorem wanted : {'1 + ' * 2000}1 = 1 := by sorry\n```", Fault.TOO_LONG),
    ],
)
def test_what_is_no_statement_is_refused(text: str, wanted: Fault) -> None:
    assert fault("formalise", text) is wanted


# --- informalise -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "before", ["", "**Problem:** ", "<think>Hm, `simp`.</think>\n\n", "Problem: ", "### Question: "]
)
def test_problems_in_words_are_read(before: str) -> None:
    assert read("informalise", before + SOURCE) == SOURCE


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("n > 9", Fault.TOO_SHORT),
        ("Show that n > 9. " * 300, Fault.TOO_LONG),
        ("The theorem `t` says that n^2 > 9 for every n > 3.", Fault.HAS_CODE),
        ("theorem t (n : ℕ) (h : n > 3) : n ^ 2 > 9", Fault.HAS_CODE),
        ("Show that Nat.gcd 12 18 = 6 holds for these numbers.", Fault.HAS_CODE),
        ("In Lean 4, this says that n^2 > 9 for every n > 3.", Fault.HAS_CODE),
        ("Let total := 3 · 16. Show that total = 48.", Fault.HAS_CODE),
    ],
)
def test_what_is_no_problem_in_words_is_refused(text: str, wanted: Fault) -> None:
    assert fault("informalise", text) is wanted


# --- align -----------------------------------------------------------------------------------------


def test_verdicts_are_read() -> None:
    assert read("align", '{"verdict": "same", "discrepancy": ""}') == Aligned(True, "")
    assert read("align", 'I think:\n```json\n{"verdict": "Same", "discrepancy": "None."}\n```') == Aligned(True, "")
    assert read("align", '{"discrepancy": "x > 3, not ≥", "verdict": "different"}') == Aligned(False, "x > 3, not ≥")
    drafts = '{"verdict": "same", "discrepancy": ""} No, wait. {"verdict": "different", "discrepancy": "ℤ for ℕ"}'
    assert read("align", drafts) == Aligned(False, "ℤ for ℕ")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("They say the same.", Fault.NO_JSON),
        ('{"verdict": "same"}', Fault.WRONG_FIELDS),
        ('{"verdict": true, "discrepancy": ""}', Fault.WRONG_FIELDS),
        ('{"verdict": "same", "verdict": "different", "discrepancy": "x"}', Fault.NO_JSON),
        ('{"verdict": "maybe", "discrepancy": ""}', Fault.NO_VERDICT),
        ('{"verdict": "same", "discrepancy": "n is an integer"}', Fault.NO_VERDICT),
        ('{"verdict": "different", "discrepancy": "none"}', Fault.NO_VERDICT),
        ('{"verdict": "same", "discrepancy": ""} {"verdict": "differ', Fault.NO_JSON),
        ('{"verdict": "same", "discrepancy": "", "confidence": "high"}', Fault.WRONG_FIELDS),
        ("{'verdict': 'same', 'discrepancy': ''}", Fault.NO_JSON),
    ],
)
def test_what_is_no_verdict_is_refused(text: str, wanted: Fault) -> None:
    assert fault("align", text) is wanted


# --- distil and vary -------------------------------------------------------------------------------


def test_distilled_problems_are_read() -> None:
    wanted = Distilled(GOOD["question"], GOOD["solution"], ErrorClass.TACTIC_FAILURE, Level.PROOF, GOOD["root_cause"])
    assert read("distil", json.dumps(GOOD)) == wanted
    assert read("distil", f"<think>{{}}</think>Here:\n```json\n{json.dumps(GOOD, indent=2)}\n```\nGood luck!") == wanted
    assert read("distil", json.dumps(GOOD | {"category": "Tactic_Failure", "level": "Proof error"})) == wanted
    with_breaks = json.dumps(GOOD).replace("n^2 = 25, and", "n^2 = 25,\nand")
    assert isinstance(read("distil", with_breaks), Distilled)


def test_latex_with_single_backslashes_is_read_as_it_was_meant() -> None:
    text = json.dumps(GOOD).replace("n^2 = 25", r"n^2 = \frac{50}{2} \times 1 \alpha \\beta")
    found = read("distil", text)
    assert isinstance(found, Distilled)
    assert r"\frac{50}{2} \times 1 \alpha \beta" in found.solution


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({"question": SOURCE}, Fault.REPEATS),
        ({"question": SOURCE.upper().replace(".", "!")}, Fault.REPEATS),
        ({"question": "Why does omega fail when n = 5?"}, Fault.HAS_CODE),
        ({"question": "Why does the linear step fail when n = 5?"}, Fault.ASKS_WHY),
        ({"question": "What missing logical step is needed to show that 25 > 9?"}, Fault.ASKS_WHY),
        ({"question": "Identify the mistake in the claim that 3^2 > 9."}, Fault.ASKS_WHY),
        ({"question": "Prove the original theorem for n = 5, namely 25 > 9."}, Fault.WRONG_FIELDS),
        ({"question": "The square of the number 5 is greater than 9."}, Fault.WRONG_FIELDS),
        ({"question": "Prove that the sum is positive."}, Fault.WRONG_FIELDS),
        ({"question": "Prove 25 > 9."}, Fault.TOO_SHORT),
        ({"question": "Prove that `n^2 > 9` for n = 5 and for n = 6."}, Fault.HAS_CODE),
        ({"question": "Let n be 5. Use nlinarith to prove that n^2 > 9."}, Fault.HAS_CODE),
        ({"question": "Prove that " + "1 + " * 2000 + "1 > 0."}, Fault.TOO_LONG),
        ({"solution": ""}, Fault.NO_SOLUTION),
        ({"solution": "This is trivial."}, Fault.NO_SOLUTION),
        ({"solution": "It is left to the reader. The reader will see that 25 > 9."}, Fault.NO_SOLUTION),
        ({"solution": "since n = 5 we get that n^2 = 25 is more than 9"}, Fault.NO_SOLUTION),
        ({"solution": "First, have h : n = 5 := by simp. Then norm_num closes it."}, Fault.HAS_CODE),
        ({"root_cause": " "}, Fault.WRONG_FIELDS),
        ({"category": "arithmetic"}, Fault.WRONG_FIELDS),
        ({"level": "both"}, Fault.WRONG_FIELDS),
        ({"hint": "square"}, Fault.WRONG_FIELDS),
    ],
)
def test_what_breaks_the_rubric_is_refused(change: dict[str, str], wanted: Fault) -> None:
    assert fault("distil", json.dumps(GOOD | change)) is wanted


@pytest.mark.parametrize(
    "question",
    [
        "Let x and y be integers. We have x + y = 4 and, by cases, x = 1. Show that y = 3.",
        "By induction we may assume that 2^k > k. Show that 2^(k + 1) > k + 1.",
        "Let f be the function that sends x to 3x + 1. Find f(f(2)), and show that it is 22.",
        "Decide whether 91 is prime, and prove that it is 7 · 13.",
        "Given that x > 5 and y = -2, prove that the sum of x and y is strictly positive.",
        "Consider the ring of integers modulo 6. Show that 2 · 3 is 0 there.",
        "The exact value of x_1 + x_2 is 5 and x_1 = 2. What is x_2?",
    ],
)
def test_plain_mathematics_passes(question: str) -> None:
    found = read("distil", json.dumps(GOOD | {"question": question}))
    assert isinstance(found, Distilled)
    assert found.question == question


def test_variants_are_read_or_refused() -> None:
    made = {"question": "Let n be a natural number such that n > 4. Prove that n^3 > 64.", "change": "the exponent"}
    assert read("vary", json.dumps(made)) == Varied(made["question"], made["change"])
    assert fault("vary", json.dumps(made | {"change": ""})) is Fault.WRONG_FIELDS
    assert fault("vary", json.dumps(made | {"question": SOURCE})) is Fault.REPEATS
    assert fault("vary", json.dumps({"question": made["question"]})) is Fault.WRONG_FIELDS
