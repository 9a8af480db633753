"""Choosing by name: what is there is found, what is not gets a helpful word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.errors import InputError
from pythagoras.lean import headers
from pythagoras.lookup import choose

FRUIT = {"pear": 1, "apple": 2, "quince": 3}


def test_a_name_is_found() -> None:
    assert [choose("fruit", name, FRUIT) for name in FRUIT] == [1, 2, 3]


def test_a_value_may_be_false() -> None:
    assert choose("fruit", "none", {"none": None}) is None


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("aple", "no fruit is called 'aple': did you mean 'apple'? choose one of apple, pear, quince"),
        ("quinces", "no fruit is called 'quinces': did you mean 'quince'? choose one of apple, pear, quince"),
        ("zebra", "no fruit is called 'zebra': choose one of apple, pear, quince"),
        ("", "no fruit is called '': choose one of apple, pear, quince"),
    ],
)
def test_a_wrong_name_is_explained(name: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        choose("fruit", name, FRUIT)
    assert str(caught.value) == message


def test_what_else_would_do_is_told() -> None:
    with pytest.raises(InputError, match=r"choose one of apple, pear, quince, or bring your own$"):
        choose("fruit", "zebra", FRUIT, beside="bring your own")


NAMES = st.text(max_size=8)


@given(st.dictionaries(NAMES, st.integers(), min_size=1, max_size=6), NAMES)
def test_any_name_is_found_or_explained(choices: dict[str, int], name: str) -> None:
    if name in choices:
        assert choose("thing", name, choices) == choices[name]
        return
    with pytest.raises(InputError) as caught:
        choose("thing", name, choices)
    text = str(caught.value)
    assert text.startswith(f"no thing is called {name!r}: ")
    assert text.endswith(f"choose one of {', '.join(sorted(choices))}")


def test_headers_are_chosen_by_name() -> None:
    assert headers.header("none") == headers.NONE
    assert headers.header("core") is headers.core()
    with pytest.raises(InputError, match="no header is called 'Core': did you mean 'core'"):
        headers.header("Core")


def test_the_core_header_is_its_file_in_two_parts() -> None:
    core = headers.core()
    assert core.text == core.library + core.scope
    assert "theorem" in core.library
    assert core.scope.startswith("/-! ## Scope")
    assert "\nopen " in core.scope
    assert "theorem" not in core.scope


def test_a_compiled_header_changes_its_name_with_its_declarations() -> None:
    one = headers.Header("x", "def a := 1", "open Nat")
    assert one.module == headers.Header("x", "def a := 1", "").module
    assert one.module != headers.Header("x", "def a := 2", "open Nat").module
    assert one.module != headers.Header("y", "def a := 1", "open Nat").module
    assert one.module.isidentifier()
