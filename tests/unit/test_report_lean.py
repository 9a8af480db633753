"""Highlighting of Lean, in the Node that is there for Lean anyway."""

from __future__ import annotations

import importlib.resources
import json
import random
import subprocess
from collections.abc import Sequence

from pythagoras.lean.node import node_path
from tests.report_runs import HOSTILE


def pieces(texts: Sequence[str]) -> list[list[list[str]]]:
    """What lean.js makes of each text: pieces as kind and text."""
    source = (importlib.resources.files("pythagoras.evaluate.report") / "lean.js").read_text(encoding="utf-8")
    program = (
        f"{source}\nlet given = '';\nprocess.stdin.on('data', (part) => (given += part));\n"
        "process.stdin.on('end', () => process.stdout.write(JSON.stringify(JSON.parse(given).map(leanPieces))));"
    )
    done = subprocess.run(
        [node_path(), "-e", program],
        input=json.dumps(list(texts)),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    found: list[list[list[str]]] = json.loads(done.stdout)
    return found


KINDS = [
    ("theorem foo.bar' : x", [("keyword", "theorem"), ("declared", "foo.bar'"), ("name", "x")]),
    ("by omega", [("keyword", "by"), ("tactic", "omega")]),
    ("h'.simp_all", [("name", "h'.simp_all")]),
    ("simp_all only", [("tactic", "simp_all"), ("name", "only")]),
    ("exact? ", [("tactic", "exact?")]),
    ("a -- by omega\nb", [("name", "a"), ("comment", "-- by omega"), ("name", "b")]),
    ("/- a /- b -/ c -/ d", [("comment", "/- a /- b -/ c -/"), ("name", "d")]),
    ("/-- says -/ def f", [("doc", "/-- says -/"), ("keyword", "def"), ("declared", "f")]),
    ("/- never closed", [("comment", "/- never closed")]),
    (r'"a \" -- b" c', [("string", r'"a \" -- b"'), ("name", "c")]),
    ('r#"a"b"# c', [("string", 'r#"a"b"#'), ("name", "c")]),
    ("'a' h' x'y", [("string", "'a'"), ("name", "h'"), ("name", "x'y")]),
    ("0x1F 1_000 2.5e-3 h₀", [("number", "0x1F"), ("number", "1_000"), ("number", "2.5e-3"), ("name", "h₀")]),
    ("Prop sorry λ «a b».c", [("sort", "Prop"), ("hole", "sorry"), ("keyword", "λ"), ("name", "«a b».c")]),
    ("𝕜 ℝ α₁", [("name", "𝕜"), ("name", "ℝ"), ("name", "α₁")]),
]


def test_pieces_have_kinds() -> None:
    found = pieces([text for text, _ in KINDS])
    told = [[(kind, piece) for kind, piece in each if kind not in ("plain", "sign")] for each in found]
    assert told == [expected for _, expected in KINDS]


def test_pieces_joined_are_the_text() -> None:
    dice = random.Random(7)
    parts = ["/-", "-/", "--", "\n", '"', "'", "\\", "r#", "#", "by", "𝕜", "\ud800 ", "«", "»", "0x", "1.", " ", "λ"]
    texts = [HOSTILE, "", *("".join(dice.choices(parts, k=40)) for _ in range(500))]
    assert ["".join(piece for _, piece in found) for found in pieces(texts)] == texts


def test_long_texts_take_no_long_time() -> None:
    """A pattern that goes back and forth would not come to an end."""
    texts = [
        "'" * 100_000,
        '"' * 99_999,
        "/-" * 50_000,
        "«" * 100_000,
        "a." * 50_000,
        "#" * 100_000,
        "r" + "#" * 100_000,
    ]
    assert [len("".join(piece for _, piece in found)) for found in pieces(texts)] == [len(text) for text in texts]
