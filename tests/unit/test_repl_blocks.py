"""The REPL's requests: pieces between blank lines, and what becomes of those that are no request."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pythagoras.lean.headers import NONE
from pythagoras.lean.repl import _Repl, blocks

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8"), max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab\n\r ", max_size=4), inner, max_size=3),
    max_leaves=6,
)
REQUESTS = st.lists(st.tuples(JSON, st.sampled_from([None, 0, 2])), max_size=5)
BLANK_LINES = st.lists(st.sampled_from(["", " ", "\t", "  \t "]), min_size=1, max_size=3)


def pieces(text: bytes) -> list[bytes]:
    return list(blocks(io.BytesIO(text)))


@given(REQUESTS, st.sampled_from(["\n", "\r\n"]), BLANK_LINES, st.booleans(), st.booleans())
@example([({"cmd": "a\n\nb"}, None), ({"cmd": "c"}, None)], "\n", [""], False, False)
@example([({"cmd": "a\r\n\r\nb"}, 2), ({"cmd": "c"}, 2)], "\r\n", [""], True, True)
def test_requests_come_out_as_they_went_in(
    requests: list[tuple[Any, int | None]], line_end: str, blank: list[str], blank_first: bool, blank_last: bool
) -> None:
    texts = [json.dumps(request, indent=indent).replace("\n", line_end) for request, indent in requests]
    between = line_end + "".join(line + line_end for line in blank)
    stream = (between if blank_first else "") + between.join(texts) + (between if blank_last else "")
    assert [json.loads(piece) for piece in pieces(stream.encode())] == [request for request, _ in requests]


@given(st.lists(st.binary(max_size=8)), st.sampled_from([b"\n", b"\r\n"]))
def test_nothing_is_lost_but_blank_lines(lines: list[bytes], line_end: bytes) -> None:
    stream = line_end.join(lines)
    told = b"".join(line for line in stream.splitlines(keepends=True) if b"\n" in line or line)
    kept = [line for line in io.BytesIO(told) if line.strip()]
    assert b"".join(pieces(stream)) == b"".join(kept)
    assert all(line.strip() for piece in pieces(stream) for line in io.BytesIO(piece))


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (b"", []),
        (b"\n\r\n \n", []),
        (b"a", [b"a"]),
        (b"a\n\nb", [b"a\n", b"b"]),
        (b"a\r\n\r\nb\r\n", [b"a\r\n", b"b\r\n"]),
        (b"a\r\n\nb", [b"a\r\n", b"b"]),
        (b"a\nb\n\n\n\nc\n\n", [b"a\nb\n", b"c\n"]),
        (b"\n\na\n \t\nb", [b"a\n", b"b"]),
    ],
)
def test_blank_lines_divide(stream: bytes, expected: list[bytes]) -> None:
    assert pieces(stream) == expected


def test_a_piece_is_handed_on_as_soon_as_its_blank_line_came() -> None:
    """A client that waits for the answer sends nothing more."""

    class Talk(io.BytesIO):
        asked = 0

        def __next__(self) -> bytes:
            self.asked += 1
            return super().__next__()

    talk = Talk(b"first\n\nsecond\n\n")
    assert next(blocks(talk)) == b"first\n"
    assert talk.asked == 2


# --- what is no request is answered too, without Lean -----------------------------------------------


def answered(block: bytes) -> str:
    answer = _Repl(NONE, 1.0).answer(block)
    assert list(answer) == ["message"]
    return str(answer["message"])


@pytest.mark.parametrize("block", [b"{", b"theorem t : True := trivial\n", b'{"cmd": "\xff"}', b"{}{}"])
def test_what_is_no_json_is_answered(block: bytes) -> None:
    assert answered(block).startswith("Could not parse JSON: ")


@pytest.mark.parametrize("block", [b"[]", b"3", b"null", b'"cmd"'])
def test_what_is_no_object_is_answered(block: bytes) -> None:
    assert answered(block) == "A request is a JSON object."


@pytest.mark.parametrize("env", ["0", "17", '"0"', "-1", "1.5"])
def test_an_unknown_state_is_answered(env: str) -> None:
    assert answered(b'{"cmd": "#eval 1", "env": %b}' % env.encode()) == "Unknown environment."


def test_a_file_that_can_not_be_read_is_answered(tmp_path: Any) -> None:
    block = json.dumps({"path": str(tmp_path / "missing.lean")}).encode()
    assert answered(block) == f"{tmp_path / 'missing.lean'} can't be read: No such file or directory"


@pytest.mark.parametrize(
    "request_",
    [
        {"cmd": "", "env": [0]},
        {"cmd": "", "env": {}},
        {"drop": [[0]]},
        {"cmd": "", "limits": [1]},
        {"cmd": "", "limits": {"timeoutMs": "soon"}},
        {"path": "a\0b"},
    ],
    ids=json.dumps,
)
def test_a_field_of_another_type_is_answered(request_: dict[str, Any]) -> None:
    answered(json.dumps(request_).encode())
