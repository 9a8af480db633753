"""Where a proof that a model writes is over."""

from __future__ import annotations

import pytest

from pythagoras.generate.texts import proof_end


@pytest.mark.parametrize(
    ("text", "proof"),
    [
        ("by omega", None),
        ("by omega\n", None),
        ("by\n  intro h\n\n  omega\n", None),
        ("by omega\n\ntheorem", "by omega\n"),
        ("by\n  omega\n-- next", "by\n  omega"),
        ("by\n  omega\n/-- next -/", "by\n  omega"),
        ("by omega\n```", "by omega"),
        ("fun h =>\n  h\nend", "fun h =>\n  h"),
        ("\n\nby omega\n  <;> simp\nx", "\n\nby omega\n  <;> simp"),
        ("/- First,\nthen\n\nso it is. -/\nby omega", None),
        ("/- First,\nthen. -/\nby omega\ntheorem", "/- First,\nthen. -/\nby omega"),
        ("/- it /- nests\n-/\nby -/\nby omega", None),
        ("-- because\n-- of this\nby omega\nx", "-- because\n-- of this\nby omega"),
        ("/- never closed\nby omega\ntheorem t", None),
        ("/-- of nothing -/\nby omega\nx", "/-- of nothing -/\nby omega"),
        ("by\n  /- its lines\nbegin anywhere -/\n  omega\nx", "by\n  /- its lines\nbegin anywhere -/\n  omega"),
        ('by\n  exact f "a\nb"\nx', 'by\n  exact f "a\nb"'),
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
        (" omega\nx", " omega"),
        ("\nomega", ""),
        ("\n  /- a\nb -/\n  omega", None),
    ],
)
def test_a_proof_that_the_prompt_began(text: str, proof: str | None) -> None:
    end = proof_end(text, begun=True)
    assert (None if end is None else text[:end]) == proof
