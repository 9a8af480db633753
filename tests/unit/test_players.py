"""Whoever plays a role, as recipes name them: models behind a server on loopback, rules, and recorded traffic."""

from __future__ import annotations

import platform
import sqlite3
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pythagoras.errors import InputError
from pythagoras.llm.keys import KEY_VARIABLE
from pythagoras.llm.weights import Weights
from pythagoras.pipeline import recipe
from pythagoras.pipeline.roles import players
from pythagoras.pipeline.roles.players import open_player
from pythagoras.pipeline.roles.role import Fault, Refused, RoleName, Task, Written
from pythagoras.pipeline.roles.roles import ROLES
from pythagoras.pipeline.roles.templates import render
from tests.unit.model_server import ModelServer, answers, chat, model_server
from tests.unit.role_tasks import FIELDS, STATEMENT


def playing(server: ModelServer, **settings: Any) -> recipe.Player:
    chosen = {"backend": "endpoint", "url": server.url, "model": "tiny", "max_tokens": 64, **settings}
    return recipe.Player.model_validate(chosen)


def tasks(role: RoleName, count: int = 3) -> list[Task]:
    return [Task(FIELDS[role], number, 11) for number in range(count)]


def written(role: RoleName, settings: recipe.Player, cache: Path | None, count: int = 3) -> list[Written]:
    with open_player(role, settings, cache) as player:
        return sorted(player.write(tasks(role, count)), key=lambda one: one.task.number)


@pytest.mark.parametrize("role", list(RoleName))
def test_a_model_is_shown_the_roles_prompt(role: RoleName) -> None:
    with model_server(answers(chat("An answer."))) as server:
        done = written(role, playing(server), None)
    assert [one.task for one in done] == tasks(role)
    assert {(one.text, one.failure, one.cut_off, one.from_cache) for one in done} == {("An answer.", "", False, False)}
    assert {(one.prompt_tokens, one.generated_tokens) for one in done} == {(11, 7)}
    turns = [message.as_dict() for message in render(role, FIELDS[role])]
    assert [asked["messages"] for asked in server.asked] == [turns] * 3
    assert {(asked["model"], asked["max_tokens"], asked["temperature"]) for asked in server.asked} == {
        ("tiny", 64, 0.7)
    }
    assert len({asked["seed"] for asked in server.asked}) == 3  # one for each of several answers


def test_a_resumed_run_asks_the_server_nothing(tmp_path: Path) -> None:
    with model_server(answers(chat("An answer."))) as server:
        first = {role: written(role, playing(server), tmp_path) for role in RoleName}
        asked = len(server.asked)
        again = {role: written(role, playing(server), tmp_path) for role in RoleName}
        assert len(server.asked) == asked == 3 * len(RoleName)
    for role in RoleName:
        assert [one.text for one in again[role]] == [one.text for one in first[role]]
        assert all(one.from_cache for one in again[role])


def test_another_seed_or_prompt_or_model_is_asked_again(tmp_path: Path) -> None:
    with model_server() as server:
        written(RoleName.VARY, playing(server), tmp_path)
        written(RoleName.VARY, playing(server, model="big"), tmp_path)
        written(RoleName.INFORMALISE, playing(server), tmp_path)
        with open_player(RoleName.VARY, playing(server), tmp_path) as player:
            list(player.write([Task(FIELDS[RoleName.VARY], 0, 12)]))
        assert len(server.asked) == 3 + 3 + 3 + 1


def test_what_fails_and_what_is_cut_off_is_refused(tmp_path: Path) -> None:
    def play(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        longest = max(len(message["content"]) for message in asked["messages"])
        short = answers(chat("Show that", "length"))
        (answers("too much", 400) if longest > 50_000 else short)(handler, asked)

    role = ROLES[RoleName.INFORMALISE]
    with (
        model_server(play) as server,
        open_player(RoleName.INFORMALISE, playing(server), tmp_path) as player,
    ):
        (cut,) = player.write([Task({"statement": STATEMENT})])
        (failed,) = player.write([Task({"statement": STATEMENT * 1000})])
    assert role.read(cut) == Refused(Fault.CUT_OFF, "after 7 tokens")
    refused = role.read(failed)
    assert isinstance(refused, Refused)
    assert refused.fault is Fault.NO_ANSWER
    assert "answers 400 (too much)" in refused.detail


def test_each_machine_has_a_file_of_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with model_server() as server:
        for host in ("one", "two", "two"):
            monkeypatch.setattr(platform, "node", lambda host=host: host)
            written(RoleName.VARY, playing(server), tmp_path)
        assert len(server.asked) == 2 * 3
    for host in ("one", "two"):
        with sqlite3.connect(tmp_path / f"answers-{host}.sqlite") as file:
            assert file.execute("SELECT count(*) FROM answers").fetchone() == (3,)


@pytest.mark.parametrize(("settings", "batch"), [({}, 1), ({"concurrency": 8}, 1), ({"batch": 4}, 4)])
def test_a_local_model_answers_alone_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any], batch: int
) -> None:
    """What else is in a batch changes answers by rounding, and a resumed run has other batches."""
    model = SimpleNamespace(config=SimpleNamespace(), generation_config=SimpleNamespace(eos_token_id=0))
    weights = Weights("tiny", "0", model, SimpleNamespace(eos_token_id=0))
    monkeypatch.setattr(players, "load_weights", lambda path: weights)
    chosen = recipe.Player.model_validate({"backend": "local", "model": "tiny", **settings})
    with open_player(RoleName.VARY, chosen, None) as player:
        assert player.settings["batch"] == batch


def test_settings_are_all_that_answers_depend_on(tmp_path: Path) -> None:
    with model_server() as server:
        with open_player(RoleName.VARY, playing(server, concurrency=3), tmp_path) as player:
            settings = dict(player.settings)
            assert player.name == "tiny"
        with open_player(RoleName.ALIGN, playing(server), None) as other:
            assert settings.pop("prompt") != other.settings["prompt"]
    assert settings == {"backend": "endpoint", "model": "tiny", "temperature": 0.7, "top_p": 0.95, "max_tokens": 64}


def test_the_key_comes_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "secret-of-mine")
    with model_server() as server:
        written(RoleName.VARY, playing(server, recording=tmp_path / "said"), tmp_path / "cache")
        assert {headers["Authorization"] for headers in server.headers} == {"Bearer secret-of-mine"}
    kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(kept) >= 2
    assert not any(b"secret-of-mine" in content for content in kept)


def test_each_server_sees_its_own_key_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    monkeypatch.setenv("KEY_OF_ONE", "secret-of-one")
    monkeypatch.setenv("KEY_OF_TWO", "secret-of-two")
    with model_server() as one, model_server() as two, model_server() as open_to_all:
        written(RoleName.VARY, playing(one, api_key_env="KEY_OF_ONE"), tmp_path)
        written(RoleName.ALIGN, playing(two, api_key_env="KEY_OF_TWO"), tmp_path)
        written(RoleName.INFORMALISE, playing(open_to_all), tmp_path)
    seen = [{headers.get("Authorization") for headers in server.headers} for server in (one, two, open_to_all)]
    assert seen == [{"Bearer secret-of-one"}, {"Bearer secret-of-two"}, {None}]
    kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert kept
    assert not any(b"secret" in content for content in kept)


def test_a_variable_without_a_key_is_named_and_a_key_is_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    nowhere = {"backend": "endpoint", "url": "http://127.0.0.1:1", "model": "tiny"}
    settings = recipe.Player.model_validate({**nowhere, "api_key_env": "NO_SUCH_KEY"})
    with pytest.raises(InputError, match="NO_SUCH_KEY holds no API key"), open_player(RoleName.VARY, settings, None):
        pass
    with pytest.raises(InputError) as refused:
        recipe.load_recipe("small", ("prover.api_key_env=sk-so-secret",))
    assert "prover.api_key_env" in str(refused.value)
    assert "sk-so-secret" not in str(refused.value)


def test_limits_are_shared_through_the_cache_folder(tmp_path: Path) -> None:
    with model_server() as server:
        for role in RoleName:
            written(role, playing(server, requests_per_minute=1e6, tokens_per_minute=1e9), tmp_path, 1)
    assert len(list(tmp_path.glob("limits-*"))) == 1


# --- recorded traffic ----------------------------------------------------------------------------


def test_a_model_recorded_and_replayed(tmp_path: Path) -> None:
    said = tmp_path / "said.jsonl"
    with model_server(answers(chat("An answer."))) as server:
        first = written(RoleName.VARY, playing(server, recording=said), tmp_path)
        with open_player(RoleName.VARY, playing(server), None) as player:
            name, settings = player.name, player.settings
    replaying = recipe.Player(backend="replay", recording=said)
    again = written(RoleName.VARY, replaying, None)
    assert [(one.task, one.text, one.prompt_tokens) for one in again] == [
        (one.task, one.text, one.prompt_tokens) for one in first
    ]
    with open_player(RoleName.VARY, replaying, None) as player:
        assert (player.name, player.settings) == (name, settings)
    (unknown,) = written(RoleName.ALIGN, replaying, None, 1)
    assert "no answer to" in unknown.failure


def test_a_recording_is_whole_though_the_cache_knows_answers(tmp_path: Path) -> None:
    said = tmp_path / "said.jsonl"
    with model_server() as server:
        written(RoleName.VARY, playing(server), tmp_path)
        written(RoleName.VARY, playing(server, recording=said), tmp_path)
    assert not any(one.failure for one in written(RoleName.VARY, recipe.Player(backend="replay", recording=said), None))


def test_rules_recorded_and_replayed(tmp_path: Path) -> None:
    said = tmp_path / "said.jsonl"
    plain = written(RoleName.FORMALISE, recipe.Player(), None)
    first = written(RoleName.FORMALISE, recipe.Player(recording=said), None)
    again = written(RoleName.FORMALISE, recipe.Player(backend="replay", recording=said), None)
    assert [one.text for one in again] == [one.text for one in first] == [one.text for one in plain]
    assert "problem_1" in plain[0].text
    with open_player(RoleName.FORMALISE, recipe.Player(), None) as player:
        assert player.name == "rules"


# --- settings that are wrong ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"backend": "endpoint", "model": "tiny"}, "plays vary has no `url`"),
        ({"backend": "endpoint", "url": "http://127.0.0.1:1"}, "plays vary has no `model`"),
        ({"backend": "local"}, "plays vary has no `model`"),
        ({"backend": "local", "model": "nowhere"}, "no model in nowhere"),
        ({"backend": "replay"}, "set `recording`"),
        ({"backend": "replay", "recording": "nowhere.jsonl"}, r"no recorded traffic nowhere\.jsonl"),
        ({"backend": "endpoint", "model": "tiny", "url": "nowhere"}, "no address"),
    ],
)
def test_what_is_missing_is_said(settings: dict[str, Any], said: str, tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match=said),
        open_player(RoleName.VARY, recipe.Player.model_validate(settings), tmp_path),
    ):
        pass
