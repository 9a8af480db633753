"""The taxonomy of errors on recorded messages, each judged by hand, and the rules about causes on answers made up here.

`golden/diagnostics.jsonl` is what the embedded Lean said about wrong snippets; `golden/diagnostics_older.jsonl` is how
older versions word it.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.lean.diagnostics import Diagnosis, ErrorClass, Level, Link, classify, diagnose
from pythagoras.lean.wire import Answer, Message, Position

GOLDEN = Path(__file__).parent / "golden"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / name).read_text(encoding="utf-8").splitlines()]


EMBEDDED, OLDER = rows("diagnostics.jsonl"), rows("diagnostics_older.jsonl")


def judged(row: dict[str, Any], tagged: bool = True) -> dict[str, Any]:
    """What `classify` makes of a row, as far as the row says what it should."""
    place = row.get("pos", {"line": 1, "column": 0})
    kind = row.get("kind") if tagged else None
    message = Message.model_validate({"severity": "error", "pos": place, "data": row["message"], "kind": kind})
    found = classify(message, row.get("code", ""))
    said = {"class": found.error.value, "tactic": found.tactic, "subject": found.subject}
    more = {"actual": found.actual, "expected": found.expected, "goals": len(found.goals)}
    return said | {key: value for key, value in more.items() if key in row}


def wanted(row: dict[str, Any]) -> dict[str, Any]:
    more = {key: row[key] for key in ("actual", "expected", "goals") if key in row}
    return {"class": row["class"], "tactic": row.get("tactic"), "subject": row.get("subject")} | more


@pytest.mark.parametrize("number", range(len(EMBEDDED)), ids=lambda number: f"line {number + 1}")
def test_messages_of_the_embedded_lean(number: int) -> None:
    row = EMBEDDED[number]
    assert judged(row) == wanted(row), row["message"]
    assert judged(row, tagged=False) == wanted(row), f"without Lean's tag: {row['message']}"


@pytest.mark.parametrize("number", range(len(OLDER)), ids=lambda number: f"line {number + 1}")
def test_messages_of_older_versions(number: int) -> None:
    row = OLDER[number]
    assert judged(row) == wanted(row), f"{row['version']}: {row['message']}"


def test_the_golden_files_cover_every_class() -> None:
    embedded, older = (Counter(row["class"] for row in table) for table in (EMBEDDED, OLDER))
    assert len(EMBEDDED) >= 150
    assert len(OLDER) >= 40
    for error in ErrorClass:
        assert embedded[error.value] >= 12, error
        assert older[error.value] >= 4, error
    assert {"4.9", "4.15", "4.22"} <= {row["version"] for row in OLDER}


def test_a_tag_of_lean_outweighs_words_that_nobody_knows() -> None:
    row = {"message": "No such thing: `foo`", "kind": "lean.unknownIdentifier._namedError"}
    assert judged(row)["class"] == "unknown name"
    assert judged(row, tagged=False)["class"] == "other"


def test_goals_come_with_their_hypotheses() -> None:
    text = "unsolved goals\ncase left\nn : ℕ\nh :\n  n = 2\n⊢ n =\n    2\n\nm : ℕ\n⊢ m = 1"
    found = classify(Message(severity="error", pos=Position(line=1, column=0), data=text))
    assert found.goals == ("case left\nn : ℕ\nh :\n  n = 2\n⊢ n =\n    2", "m : ℕ\n⊢ m = 1")


MOULDS = (
    "unsolved goals",
    "tactic '",
    "`simp` failed",
    "unknown identifier `",
    "failed to synthesize",
    "invalid field '",
)
PIECES = (
    "⊢ ",
    "case a",
    "x : ℕ",
    "has type",
    "expected to have type",
    "theorem t",
    ":=",
    "sorry",
    "`",
    "'",
    "--",
    "/-",
)
WORDS = st.sampled_from((*MOULDS, *PIECES, "\n", "\n  ", "-/"))
TEXTS = st.text() | st.lists(WORDS | st.text(max_size=3), max_size=30).map("".join)
PLACES = st.builds(Position, line=st.integers(-1, 9), column=st.integers(-1, 30))
KINDS = st.none() | st.sampled_from(["Tactic.unsolvedGoals", "lean.invalidField._namedError", "[anonymous]"])
MESSAGES = st.builds(Message, severity=st.just("error"), pos=PLACES, end_pos=st.none() | PLACES, data=TEXTS, kind=KINDS)


@given(MESSAGES, TEXTS)
def test_any_text_has_one_class(message: Message, code: str) -> None:
    found = classify(message, code)
    assert found.error in ErrorClass
    assert found.text == message.data.strip()


@given(st.lists(MESSAGES, max_size=6), TEXTS, st.none() | PLACES)
def test_any_errors_have_one_root(messages: list[Message], code: str, proof_start: Position | None) -> None:
    found = diagnose(Answer(messages=tuple(messages)), code, proof_start)
    assert len(found.errors) == len(messages) == len(found.independent) + len(found.downstream)
    assert found.root is (found.independent[0] if messages else None)
    assert (found.level is None) == (found.root is None or proof_start is None)


# --- causes, without Lean: messages in the order of their report, and no spans -------------------


def diagnosed(code: str, *messages: tuple[int, int, int, int, str], proof: tuple[int, int] | None = None) -> Diagnosis:
    """The diagnosis of errors given as line, column, end line, end column, text."""
    wire = [
        {
            "severity": "error",
            "pos": {"line": line, "column": column},
            "endPos": {"line": last_line, "column": last_column},
            "data": text,
        }
        for line, column, last_line, last_column, text in messages
    ]
    start = Position(line=proof[0], column=proof[1]) if proof is not None else None
    return diagnose(Answer.model_validate({"messages": wire}), code, start)


def links(found: Diagnosis) -> list[tuple[int, Link, int]]:
    return [(each.error.pos.line, each.link, each.cause.pos.line) for each in found.downstream]


def test_no_errors() -> None:
    found = diagnosed("theorem t : True := trivial", proof=(1, 20))
    assert (found.errors, found.root, found.level, found.downstream) == ((), None, None, ())


def test_warnings_are_no_errors() -> None:
    answer = Answer.model_validate(
        {"messages": [{"severity": "warning", "pos": {"line": 1, "column": 0}, "data": "unsolved goals"}]}
    )
    assert diagnose(answer, "theorem t : True := sorry").root is None


BY = "theorem t (n : ℕ) : n = 1 := by\n  rw [foo]\n  simp\n"


def test_goals_of_the_block_follow_from_the_step() -> None:
    found = diagnosed(BY, (2, 6, 2, 9, "unknown identifier 'foo'"), (1, 29, 3, 6, "unsolved goals\nn : ℕ\n⊢ n = 1"))
    assert found.root is not None
    assert found.root.subject == "foo"
    assert links(found) == [(1, Link.ENCLOSING, 2)]


def test_the_order_of_the_text_decides_among_independent_errors() -> None:
    late, early = (3, 2, 3, 6, "simp made no progress"), (2, 6, 2, 9, "unknown identifier 'foo'")
    found = diagnosed(BY, late, early)
    assert [error.pos.line for error in found.independent] == [2, 3]


def test_before_the_body_it_is_the_statement() -> None:
    error = (1, 15, 1, 16, "unknown identifier 'ℕ'")
    assert diagnosed(BY, error, proof=(1, 29)).level is Level.FORMALISATION
    assert diagnosed(BY, error, proof=(1, 15)).level is Level.PROOF
    assert diagnosed(BY, error).level is None


def test_termination_is_about_the_body_though_reported_at_the_name() -> None:
    found = diagnosed(BY, (1, 8, 1, 9, "fail to show termination for\n  t"), proof=(1, 29))
    assert found.level is Level.PROOF


def test_an_error_in_the_statement_explains_goals_but_no_wrong_names() -> None:
    statement = (1, 15, 1, 16, "failed to synthesize\n  Foo ℕ")
    found = diagnosed(BY, statement, (3, 2, 3, 6, "simp made no progress"), proof=(1, 29))
    assert links(found) == [(3, Link.STATEMENT, 1)]
    found = diagnosed(BY, statement, (2, 6, 2, 9, "unknown identifier 'foo'"), proof=(1, 29))
    assert links(found) == []


TWO = "def f (n : ℕ) : ℕ := n + foo\n\ntheorem t (n : ℕ) : f n = n := by\n  simp [f]\n"


def test_uses_of_a_broken_declaration_follow_from_it() -> None:
    definition = (1, 25, 1, 28, "unknown identifier 'foo'")
    assert links(diagnosed(TWO, definition, (4, 2, 4, 10, "simp made no progress"))) == [(4, Link.DECLARATION, 1)]
    assert links(diagnosed(TWO, definition, (3, 20, 3, 21, "unknown identifier 'f'"))) == [(3, Link.DECLARATION, 1)]
    theorem = TWO.replace("def f (n : ℕ) : ℕ", "theorem f (n : ℕ) : ℕ")  # only its proof is wrong
    assert links(diagnosed(theorem, definition, (4, 2, 4, 10, "simp made no progress"))) == []
    unused = TWO.replace("simp [f]", "simp [g]")
    assert links(diagnosed(unused, definition, (4, 2, 4, 10, "simp made no progress"))) == []


def test_a_sorry_that_nobody_wrote_comes_from_an_error() -> None:
    hole = (4, 2, 4, 10, "unsolved goals\n⊢ sorry () = 0")
    first = (1, 25, 1, 28, "unknown identifier 'foo'")
    code = TWO.replace("simp [f]", "simp")
    assert links(diagnosed(code, first, hole)) == [(4, Link.HOLE, 1)]
    assert links(diagnosed(code + "example : 1 = 1 := sorry", first, hole)) == []


def test_a_cascade_of_parse_errors_has_one_root() -> None:
    code = "theorem t (n : ℕ : n = 1 := by\n  simp )\ntheorem u (n : ℕ : n = 1 := by simp\n"
    colon, bracket = "unexpected token ':'; expected ')'", "unexpected token ')'; expected command"
    found = diagnosed(code, (1, 17, 1, 17, colon), (2, 7, 2, 7, bracket), (3, 17, 3, 17, colon))
    assert links(found) == [(2, Link.UNPARSED, 1)]
    assert len(found.independent) == 2


def test_a_name_that_is_missing_twice_is_one_fault() -> None:
    twice = diagnosed(BY, (2, 6, 2, 9, "unknown identifier 'foo'"), (3, 2, 3, 6, "unknown identifier 'foo'"))
    assert links(twice) == [(3, Link.REPEATED, 2)]
    other = diagnosed(BY, (2, 6, 2, 9, "unknown identifier 'foo'"), (3, 2, 3, 6, "unknown identifier 'bar'"))
    assert links(other) == []


def test_the_kernel_complains_about_what_an_error_left() -> None:
    kernel = (1, 8, 1, 9, "(kernel) declaration has metavariables 't'")
    found = diagnosed(BY, (2, 6, 2, 9, "unknown identifier 'foo'"), kernel, proof=(1, 29))
    assert links(found) == [(1, Link.HOLE, 2)]
    assert diagnosed(BY, kernel, proof=(1, 29)).level is Level.PROOF


def test_comments_are_not_declarations() -> None:
    code = "/-\ntheorem foo is not here\n-/\ntheorem t : 1 = 2 := by\n  exact foo\n"
    found = diagnosed(code, (2, 0, 2, 7, "unexpected token"), (5, 8, 5, 11, "unknown identifier 'foo'"))
    assert Link.DECLARATION not in {each.link for each in found.downstream}
