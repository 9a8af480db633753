"""Which Lean a setting names, and what a wrong one is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from pythagoras.errors import InputError
from pythagoras.lean.backends import KEY_VARIABLE, kind_of, open_checker
from pythagoras.lean.kimina.checker import CONCURRENCY, KiminaChecker
from pythagoras.lean.native.checker import NativeChecker
from pythagoras.lean.pool import LeanPool


def test_the_embedded_lean_is_the_default() -> None:
    assert isinstance(open_checker(), LeanPool)
    checker = open_checker("embedded", jobs=3)
    assert isinstance(checker, LeanPool)
    assert checker.hosts == 3


def test_a_native_lean(tmp_path: Path) -> None:
    checker = open_checker(f"native:{tmp_path}", jobs=2)
    assert isinstance(checker, NativeChecker)
    assert checker.processes == 2
    with pytest.raises(InputError, match="no lakefile"), checker:
        pass


@pytest.mark.parametrize("setting", ["kimina:http://127.0.0.1:9", "http://127.0.0.1:9", " https://lean.example/x "])
def test_a_server(setting: str) -> None:
    checker = open_checker(setting)
    assert isinstance(checker, KiminaChecker)
    assert checker.concurrency == CONCURRENCY
    assert checker._http.url == setting.strip().removeprefix("kimina:")


def test_the_key_comes_from_the_caller_or_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    def key(**settings: str) -> str | None:
        checker = open_checker("http://127.0.0.1:9", **settings)  # type: ignore[arg-type]
        assert isinstance(checker, KiminaChecker)
        found: str | None = checker._http._client.headers.get("Authorization")
        return found

    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    assert key() is None
    monkeypatch.setenv(KEY_VARIABLE, "from outside")
    assert key() == "Bearer from outside"
    assert key(api_key="given") == "Bearer given"


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("embeded", "no Lean is called 'embeded': did you mean 'embedded'? choose one of embedded, kimina, native"),
        ("nativ:x", "no Lean is called 'nativ': did you mean 'native'? choose one of embedded, kimina, native"),
        ("", "no Lean is called '': choose one of embedded, kimina, native"),
        ("embedded:x", "the embedded Lean takes no place ('x' was given): write just 'embedded'"),
        ("native", "a native Lean needs the folder of its lake project: write native:FOLDER"),
        ("native:", "a native Lean needs the folder of its lake project: write native:FOLDER"),
        (
            "kimina:localhost:8000",
            "'localhost:8000' is no address of a Kimina Lean Server: "
            "write kimina:http://HOST:PORT, or the address alone",
        ),
    ],
)
def test_a_wrong_setting(setting: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        open_checker(setting)
    assert str(caught.value) == told


def test_a_wrong_number_or_header() -> None:
    with pytest.raises(InputError, match="ask for 1 or more"):
        open_checker(jobs=0)
    with pytest.raises(InputError, match="did you mean 'core'"):
        open_checker(header="cor")


@pytest.mark.parametrize(
    ("setting", "kind"),
    [("embedded", "embedded"), ("native:/a/b", "native"), ("kimina:http://h", "kimina"), (" https://h:1 ", "kimina")],
)
def test_the_kind_of_a_setting(setting: str, kind: str) -> None:
    assert kind_of(setting) == kind


@pytest.mark.parametrize("setting", ["kimina:http://ada:secret@host", "https://ada:secret@host:99999999"])
def test_no_password_in_an_address(setting: str) -> None:
    with pytest.raises(InputError, match="LEAN_SERVER_API_KEY") as raised:
        open_checker(setting)
    assert "secret" not in str(raised.value)
