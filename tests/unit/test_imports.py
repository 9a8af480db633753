"""Which imports a piece of Lean has, and which header it gets; and that nothing else of it moves."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.lean.imports import header_for, split_imports


@pytest.mark.parametrize(
    ("code", "modules"),
    [
        ("", ()),
        ("theorem t : True := trivial", ()),
        ("import Mathlib\ntheorem t : True := trivial", ("Mathlib",)),
        ("\n\n  import Mathlib.Tactic.Ring\n\nimport Aesop\nopen Nat", ("Mathlib.Tactic.Ring", "Aesop")),
        ("import A import B\ndef x := 1", ("A", "B")),
        ("import\n  A\ndef x := 1", ("A",)),
        ("-- import No\nimport A -- import No\n/- import No -/ import B", ("A", "B")),
        ("/- outer /- import No -/ import No -/\nimport A", ("A",)),
        ("/- never closed\nimport No", ()),
        ("/-! documentation ends the imports -/\nimport No", ()),
        ("/-- so does this -/\nimport No", ()),
        ("def x := 1\nimport No", ()),
        ("importMathlib", ()),
        ("import", ()),
        ("open import No", ()),
        ("public meta import all A\ndef x := 1", ("A",)),
        ("module\nimport No", ()),
        ("prelude\nimport No", ()),
        ("import «a b».C", ("«a b».C",)),
        ("import Mathlib\r\nimport Aesop\r\n", ("Mathlib", "Aesop")),
    ],
)
def test_imports_are_found(code: str, modules: tuple[str, ...]) -> None:
    assert split_imports(code)[0] == modules


@pytest.mark.parametrize(
    ("code", "header", "rest"),
    [
        ("theorem t : True := trivial", "none", "theorem t : True := trivial"),
        ("import Mathlib\ndef x := 1", "core", "              \ndef x := 1"),
        ("import Mathlib.Data.Nat.Prime -- why\nimport Aesop", "core", " " * 29 + " -- why\n" + " " * 12),
        ("import Batteries\nimport Qq", "core", " " * 16 + "\n" + " " * 9),
        ("import Lean\ndef x := 1", "none", "import Lean\ndef x := 1"),
        ("import Mathlib\nimport Lean", "none", "import Mathlib\nimport Lean"),
        ("import Mathlibrary", "none", "import Mathlibrary"),
        ("import Init", "none", "import Init"),
    ],
)
def test_mathlib_and_its_family_become_the_core_header(code: str, header: str, rest: str) -> None:
    assert header_for(code) == (header, rest)


PIECES = st.sampled_from(
    [
        "import Mathlib",
        "import Aesop",
        "import Lean",
        "\n",
        "\r\n",
        " ",
        "-- ℕ import X\n",
        "/- import Y -/",
        "/-! d -/",
    ]
)


@given(st.lists(PIECES | st.text(max_size=5), max_size=12).map("".join))
def test_whatever_the_code_is_lines_and_columns_stay(code: str) -> None:
    modules, body = split_imports(code)
    assert len(body) == len(code)
    changed = [at for at, (before, after) in enumerate(zip(code, body, strict=True)) if before != after]
    assert all(body[at] == " " and not code[at].isspace() for at in changed)
    assert re.sub(r"\s", "", "".join(code[at] for at in changed)).count("import") >= len(modules)
    if not modules:
        assert body == code
    assert split_imports(body) == ((), body)


@given(st.text(max_size=60))
def test_any_text_has_a_header(code: str) -> None:
    header, rest = header_for(code)
    assert header == "none"
    assert rest == code
