"""What a raw prompt leaves open, and where a proof that a model writes is over."""

from __future__ import annotations

import pytest

from pythagoras.corpus.prompts import shown
from pythagoras.generate.raw import completed, open_block, proof_end
from tests.unit.corpora import formalisation


@pytest.mark.parametrize(
    ("text", "proof"),
    [
        ("by omega", None),
        ("by omega\n", None),
        ("by\n  intro h\n\n  omega\n", None),
        ("by omega\n\ntheorem", "by omega\n"),
        ("by omega\nprivate theorem x", "by omega"),
        ("by omega\n@[simp] theorem x", "by omega"),
        ("by omega\n#print x", "by omega"),
        ("by omega\nopen Nat\n", "by omega"),
        ("by\n  omega\n/-- next -/", "by\n  omega"),
        ("by omega\n```", "by omega"),
        ("fun h =>\n  h\nend", "fun h =>\n  h"),
        ("\n\nby omega\n  <;> simp\nend", "\n\nby omega\n  <;> simp"),
        ("/- First,\nthen\n\nso it is. -/\nby omega", None),
        ("/- First,\nthen. -/\nby omega\ntheorem", "/- First,\nthen. -/\nby omega"),
        ("/- it /- nests\n-/\nby -/\nby omega", None),
        ("-- because\n-- of this\nby omega\nend", "-- because\n-- of this\nby omega"),
        ("/- never closed\nby omega\ntheorem t", None),
        ("/-- of nothing -/\nby omega\nend", "/-- of nothing -/\nby omega"),
        ("by\n  /- its lines\nend anywhere -/\n  omega\nend", "by\n  /- its lines\nend anywhere -/\n  omega"),
        ('by\n  exact f "a\nend"\nend', 'by\n  exact f "a\nend"'),
        ("by\n\tomega\n\u00a0x", None),
    ],
)
def test_a_proof_ends_where_something_else_begins(text: str, proof: str | None) -> None:
    end = proof_end(text)
    assert (None if end is None else text[:end]) == proof


@pytest.mark.parametrize(
    ("text", "proof"),
    [
        ("\n  omega\n```\nmore", "\n  omega"),
        (" omega\nend", " omega"),
        ("\nomega", None),
        ("\n  /- a\nend -/\n  omega", None),
    ],
)
def test_a_proof_that_the_prompt_began(text: str, proof: str | None) -> None:
    end = proof_end(text, begun=True)
    assert (None if end is None else text[:end]) == proof


@pytest.mark.parametrize(
    "proof",
    [
        "by\n  cases n with\n| zero => rfl\n| succ n => rfl",
        "by\nsimp",
        "by\nclassical\nsimp",
        "by\n  skip\n-- at the left\n  simp",
        "by\nopen Nat in\nsimp",
        "by\n  first\n  | simp\n<;> rfl",
    ],
)
def test_what_stands_at_the_left_and_is_no_command_belongs_to_the_proof(proof: str) -> None:
    assert proof_end(proof) is None
    assert proof_end(proof + "\ntheorem x") == len(proof)


def test_a_word_that_is_still_being_written_is_not_taken_for_a_shorter_one() -> None:
    assert proof_end("by\nclass", partial=True) is None
    assert proof_end("by\nclassical\n", partial=True) is None
    assert proof_end("by\n  simp\nclass ", partial=True) == len("by\n  simp")


def test_words_about_a_problem_do_not_open_a_block_of_code() -> None:
    for words in ("Code: ```x``` is it.", "One ``` alone.", "```\nof lines\n```"):
        goal = formalisation(docstring=words)
        prompt = shown(goal, "noncot")
        assert isinstance(prompt, str)
        assert open_block(prompt).startswith("```lean4\n")
        assert completed(prompt, "\n  simp\n```\nDone.") == f"{open_block(prompt)}\n  simp"


def test_a_prompt_without_a_block_leaves_none_open() -> None:
    assert open_block("theorem goal : True :=\n") == ""
    assert open_block("As in\n```lean4\nexample : True := trivial\n```\ntheorem goal : True :=\n") == ""
