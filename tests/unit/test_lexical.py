"""Lean text taken apart: pieces that tile it, what each is, and when the reading may be relied upon."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pythagoras.lean.lexical import Kind, read

LEAN_LIKE = st.lists(
    st.sampled_from(
        [*("/-", "-/", "--", "/--", "/-!", '"', "\\", "'", "«", "»", 'r"', 'r#"', '"#'), *"{}\n a←-", "x'"]
    ),
    max_size=40,
).map("".join)


@given(st.one_of(st.text(max_size=200), LEAN_LIKE))
@example("")
@example("/-")
@example('"')
@example('r#"')
@example("'")
@example("«")
@example("--")
def test_pieces_tile_the_text(text: str) -> None:
    reading = read(text)
    assert "".join(text[piece.start : piece.end] for piece in reading.pieces) == text
    assert all(piece.start < piece.end for piece in reading.pieces)
    ends = [0, *(piece.end for piece in reading.pieces)]
    assert [piece.start for piece in reading.pieces] == ends[:-1]


@given(st.one_of(st.text(max_size=200), LEAN_LIKE))
def test_blanking_keeps_every_place(text: str) -> None:
    code = read(text).code
    assert len(code) == len(text)
    assert all(now in (before, " ") for before, now in zip(text, code, strict=True))
    assert [i for i, c in enumerate(code) if c == "\n"] == [i for i, c in enumerate(text) if c == "\n"]


@given(LEAN_LIKE)
def test_code_follows_no_code(text: str) -> None:
    kinds = [piece.kind for piece in read(text).pieces]
    assert (Kind.CODE, Kind.CODE) not in itertools.pairwise(kinds)


def pieces(text: str) -> list[tuple[Kind, str]]:
    return [(piece.kind, text[piece.start : piece.end]) for piece in read(text).pieces]


@pytest.mark.parametrize(
    ("text", "kind", "piece"),
    [
        ("x -- to the end\ny", Kind.COMMENT, "-- to the end"),
        ("x /- in /- nested -/ still -/ y", Kind.COMMENT, "/- in /- nested -/ still -/"),
        ("/- -- -/ x", Kind.COMMENT, "/- -- -/"),
        ('/- " -/ x', Kind.COMMENT, '/- " -/'),
        ("/-- doc -/ theorem", Kind.DOC_COMMENT, "/-- doc -/"),
        ("/- open", Kind.COMMENT, "/- open"),
        ("/-/ still open -/ x", Kind.COMMENT, "/-/ still open -/"),
        ('x "a -- b" y', Kind.STRING, '"a -- b"'),
        (r'x "\"" y', Kind.STRING, r'"\""'),
        (r'x "\\" y', Kind.STRING, r'"\\"'),
        ('x "two\nlines" y', Kind.STRING, '"two\nlines"'),
        ('x "open', Kind.STRING, '"open'),
        (r'x r"\" y', Kind.STRING, r'r"\"'),
        ('x r#"a " b"# y', Kind.STRING, 'r#"a " b"#'),
        ("x 'a' y", Kind.CHARACTER, "'a'"),
        (r"x '\n' y", Kind.CHARACTER, r"'\n'"),
        (r"x '\x41' y", Kind.CHARACTER, r"'\x41'"),
        (r"x '\u0041' y", Kind.CHARACTER, r"'\u0041'"),
        ("x '\"' y", Kind.CHARACTER, "'\"'"),
        ("x «any thing» y", Kind.QUOTED_NAME, "«any thing»"),
    ],
)
def test_what_is_not_code(text: str, kind: Kind, piece: str) -> None:
    found = pieces(text)
    assert (kind, piece) in found
    assert [other for other, _ in found if other not in (kind, Kind.CODE)] == []


@pytest.mark.parametrize(
    "text", ["theorem h' (x' y'' : ℕ) : x' = y''", "f'a' b", "1 - 2 / 3", "a /b- c", "x - -1", "r x", "for' r'"]
)
def test_all_code(text: str) -> None:
    assert pieces(text) == [(Kind.CODE, text)]


def test_quoted_names_stay_in_the_code_and_strings_do_not() -> None:
    assert read('«sorry» "sorry" -- sorry').code == "«sorry»" + " " * 17


@pytest.mark.parametrize(
    "text",
    [
        "",
        "theorem t : 1 = 1 := by\n  -- a comment\n  rfl",
        "/- a -/ x /- b /- c -/ -/\n-- d",
        "/-- doc -/\ntheorem t : 1 = 1 := rfl",
        'f "plain" ("also plain")',
        "f 'a' ('b')",
        "«a b»",
        "h' h''",
    ],
)
def test_certain(text: str) -> None:
    assert read(text).certain


@pytest.mark.parametrize(
    "text",
    [
        "rw [<--sorry\n]",  # `<-` and `-sorry` to Lean
        "x//- a -/",  # may be `//` and `-`
        "/- open",
        's!"{ x }"',
        '"{x}"',
        r'"\""',
        '"a\nb"',
        'r"a"',
        'r#"a"#',
        '"open',
        'f"a"',
        "f '\"'",
        r"f '\n'",
        "'-'",
        '«a"b»',
        "«a--b»",
        "«a/-b»",
    ],
)
def test_not_certain(text: str) -> None:
    assert not read(text).certain


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("/--/ -- -/ axiom cheat : False", id="empty doc comment"),
        pytest.param("/-- -- -/\nx -- -/ axiom cheat : False", id="line comment behind /--"),
        pytest.param("/-! -- -/\nx -- -/ axiom cheat : False", id="line comment behind /-!"),
        pytest.param("def «a\n-- » : ℕ := 1 axiom cheat : False", id="line break in a quoted name"),
    ],
)
def test_what_lean_reads_differently_is_not_certain(text: str) -> None:
    reading = read(text)
    assert "axiom" in reading.code or not reading.certain
