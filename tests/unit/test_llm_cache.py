"""The cache of completions around a real endpoint: what is asked of the server and what is not, kills included."""

from __future__ import annotations

import itertools
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from pythagoras.errors import InputError
from pythagoras.llm.cache import Cached
from pythagoras.llm.chat import ChatRequest, Completion, Ending, Message
from pythagoras.llm.endpoint import Endpoint
from pythagoras.llm.patience import Retries
from pythagoras.llm.sampling import Sampling
from tests.unit.model_server import ModelServer, Play, answers, chat, model_server

QUICK = Retries(tries=2, first_pause_s=0.001)
WAIT_S = 30.0


def wanted(number: int, text: str = "Prove it.", seed: int | None = None) -> ChatRequest:
    return ChatRequest(number, (Message("user", text),), number if seed is None else seed)


def numbered() -> Play:
    """Another answer each time."""
    count = itertools.count()

    def play(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        answers(chat(f"answer {next(count)}"))(handler, asked)

    return play


def held(go: threading.Event, came: threading.Event, body: Any, status: int = 200) -> Play:
    """Says that it was asked, and answers when it may."""

    def play(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        came.set()
        go.wait(WAIT_S)
        answers(body, status)(handler, asked)

    return play


def in_thread(work: Callable[[], Iterable[Completion]], meanwhile: Callable[[], None]) -> list[Completion]:
    found: list[Completion] = []
    thread = threading.Thread(target=lambda: found.extend(work()), daemon=True)
    thread.start()
    meanwhile()
    thread.join(WAIT_S)
    assert not thread.is_alive()
    return found


def endpoint(server: ModelServer, **settings: Any) -> Endpoint:
    return Endpoint(server.url, **{"model": "tiny", "retries": QUICK, "timeout_s": WAIT_S, **settings})


def completed(server: ModelServer, path: Path, requests: list[ChatRequest], **settings: Any) -> list[Completion]:
    with endpoint(server, **settings) as opened, Cached(opened, path) as cached:
        return sorted(cached.complete(requests), key=lambda completion: completion.request.number)


def told(completion: Completion) -> tuple[object, ...]:
    return (completion.request, completion.text, completion.ending, completion.prompt_tokens, completion.seconds)


# --- what is asked -------------------------------------------------------------------------------


def test_a_second_run_asks_nothing(tmp_path: Path) -> None:
    path = tmp_path / "new" / "answers.sqlite"
    requests = [wanted(number) for number in range(20)]
    with model_server(numbered()) as server:
        first = completed(server, path, requests)
        assert len(server.asked) == 20
        again = completed(server, path, requests)
        assert len(server.asked) == 20
    assert list(map(told, again)) == list(map(told, first))
    assert {completion.from_cache for completion in first} == {False}
    assert {completion.from_cache for completion in again} == {True}


def test_a_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    with model_server(numbered()) as server:
        completed(server, tmp_path / "c", [wanted(number) for number in range(0, 20, 2)])
        done = completed(server, tmp_path / "c", [wanted(number) for number in range(20)])
        assert len(server.asked) == 20
    assert [completion.from_cache for completion in done] == [True, False] * 10


@pytest.mark.parametrize(
    ("request_", "settings"),
    [
        (wanted(1, "Prove that."), {}),
        (wanted(1, seed=2), {}),
        (ChatRequest(1, "Prove it.", 1), {}),
        (ChatRequest(1, (Message("system", "Prove it."),), 1), {}),
        (ChatRequest(1, (Message("user", "Prove it."),)), {}),
        (wanted(1), {"model": "big"}),
        (wanted(1), {"sampling": Sampling(temperature=0.5)}),
        (wanted(1), {"sampling": Sampling(max_tokens=7)}),
        (wanted(1), {"extra": {"top_k": 3}}),
    ],
)
def test_what_an_answer_depends_on(tmp_path: Path, request_: ChatRequest, settings: dict[str, Any]) -> None:
    with model_server(numbered()) as server:
        completed(server, tmp_path / "c", [wanted(1)])
        (other,) = completed(server, tmp_path / "c", [request_], **settings)
        assert len(server.asked) == 2
    assert not other.from_cache


def test_what_it_does_not_depend_on(tmp_path: Path) -> None:
    with model_server(numbered()) as server:
        completed(server, tmp_path / "c", [wanted(1)])
    with model_server(numbered()) as moved:
        (known,) = completed(moved, tmp_path / "c", [wanted(5, seed=1)], concurrency=1)
        assert moved.asked == []
    assert (known.text, known.request.number) == ("answer 0", 5)


def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    with model_server(answers("no", 400), answers(chat("yes"))) as server:
        (failed,) = completed(server, tmp_path / "c", [wanted(1)])
        (fine,) = completed(server, tmp_path / "c", [wanted(1)])
    assert (failed.ending, failed.from_cache) == (Ending.FAILED, False)
    assert (fine.text, fine.from_cache) == ("yes", False)


def test_a_cut_answer_is_kept_as_one(tmp_path: Path) -> None:
    with model_server(answers(chat("by", "length", {}))) as server:
        completed(server, tmp_path / "c", [wanted(1)])
        (known,) = completed(server, tmp_path / "c", [wanted(1)])
    assert (known.ending, known.prompt_tokens, known.from_cache) == (Ending.LENGTH, None, True)


# --- streams -------------------------------------------------------------------------------------


def test_requests_are_read_as_there_is_room(tmp_path: Path) -> None:
    read: list[int] = []

    def endless() -> Iterator[ChatRequest]:
        for number in itertools.count():
            read.append(number)
            yield wanted(number % 1000)

    with model_server(numbered()) as server:
        completed(server, tmp_path / "c", [wanted(number) for number in range(50)])
        with endpoint(server, concurrency=4) as opened, Cached(opened, tmp_path / "c") as cached:
            stream = cached.complete(endless())
            known = [next(stream) for _ in range(50)]
            assert all(completion.from_cache for completion in known)
            assert len(read) <= 51
            assert not any(next(stream).from_cache for _ in range(10))
            assert len(read) <= 50 + 10 + 4 + 1


def test_an_abandoned_stream_keeps_what_it_asked(tmp_path: Path) -> None:
    go, came = threading.Event(), threading.Event()
    late = held(go, came, chat("late"))

    def play(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        (late if asked["seed"] else answers(chat("soon")))(handler, asked)

    with (
        model_server(play) as server,
        endpoint(server, concurrency=2) as opened,
        Cached(opened, tmp_path / "c") as cached,
    ):
        stream = cached.complete([wanted(0), wanted(1)])
        assert next(stream).text == "soon"
        assert came.wait(WAIT_S)
        del stream
        (other,) = in_thread(lambda: cached.complete([wanted(1)]), go.set)
        assert (other.text, len(server.asked)) == ("late", 2)


def test_what_makes_every_request_pointless_raises(tmp_path: Path) -> None:
    with (
        model_server(answers("no key", 401)) as server,
        endpoint(server) as opened,
        Cached(opened, tmp_path / "c") as cached,
        pytest.raises(InputError, match="API key"),
    ):
        list(cached.complete([wanted(1)]))


# --- in flight -----------------------------------------------------------------------------------


def test_the_same_request_twice_in_a_stream_is_asked_once(tmp_path: Path) -> None:
    with model_server(numbered()) as server:
        done = completed(server, tmp_path / "c", [wanted(number, seed=7) for number in range(6)])
        assert len(server.asked) == 1
    assert [completion.request.number for completion in done] == list(range(6))
    assert {completion.text for completion in done} == {"answer 0"}
    assert sum(not completion.from_cache for completion in done) == 1


@pytest.mark.parametrize(("body", "status", "ending"), [(chat("yes"), 200, Ending.STOP), ("no", 400, Ending.FAILED)])
def test_the_same_request_in_two_threads_is_asked_once(tmp_path: Path, body: Any, status: int, ending: Ending) -> None:
    go, came = threading.Event(), threading.Event()
    with (
        model_server(held(go, came, body, status)) as server,
        endpoint(server) as opened,
        Cached(opened, tmp_path / "c") as cached,
    ):
        second: list[Completion] = []

        def requests() -> Iterator[ChatRequest]:
            yield wanted(2, seed=1)
            yield wanted(3, seed=1)
            go.set()  # now that both wait

        def meanwhile() -> None:
            assert came.wait(WAIT_S)  # the first is under way
            second.extend(cached.complete(requests()))

        first = in_thread(lambda: cached.complete([wanted(1)]), meanwhile)
        assert len(server.asked) == 1
    assert [(completion.ending, completion.from_cache) for completion in first] == [(ending, False)]
    known = ending is Ending.STOP
    assert [(completion.ending, completion.from_cache) for completion in second] == [(ending, known)] * 2


def test_a_stream_does_not_wait_for_one_that_its_own_thread_has_left_standing(tmp_path: Path) -> None:
    with (
        model_server(numbered()) as server,
        endpoint(server, concurrency=2) as opened,
        Cached(opened, tmp_path / "c") as cached,
    ):

        def both() -> Iterator[Completion]:
            standing = cached.complete(wanted(number) for number in range(20))
            yield next(standing)  # of the first two requests, which are asked together
            yield from cached.complete([wanted(0), wanted(1)])
            yield from standing

        done = in_thread(both, lambda: None)
    assert len(done) == 22
    assert len({(one.request.number, one.text) for one in done}) == 20  # who came second got the first one's answer


# --- processes -----------------------------------------------------------------------------------

ASKS = """
import sys
from pathlib import Path
from pythagoras.llm.cache import Cached
from pythagoras.llm.chat import ChatRequest, Message
from pythagoras.llm.endpoint import Endpoint

url, path, count = sys.argv[1:]
requests = (ChatRequest(number, (Message("user", "Prove it."),), number) for number in range(int(count)))
with Endpoint(url, "tiny") as endpoint, Cached(endpoint, Path(path)) as cached:
    for completion in cached.complete(requests):
        print(completion.request.number, completion.text, flush=True)
"""


def asking(server: ModelServer, path: Path, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", ASKS, server.url, str(path), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def sound(path: Path) -> bool:
    with sqlite3.connect(path) as file:
        return bool(file.execute("PRAGMA integrity_check").fetchone() == ("ok",))


def test_what_a_killed_process_saw_is_never_asked_again(tmp_path: Path) -> None:
    seen: set[str] = set()
    with model_server(numbered()) as server:
        for kill_after in (1, 7, 40):  # lines more than the one before saw
            with asking(server, tmp_path / "c", 100_000) as process:
                assert process.stdout is not None
                seen |= set(itertools.islice(process.stdout, len(seen) + kill_after))
                process.send_signal(signal.SIGKILL)
                seen |= {line for line in process.stdout if line.endswith("\n")}
        assert sound(tmp_path / "c")
        known = {line.split()[0]: line for line in seen}
        assert len(known) == len(seen) >= 48  # nothing was answered in two ways
        before = len(server.asked)
        again = completed(server, tmp_path / "c", [wanted(int(number)) for number in known])
        assert len(server.asked) == before
    assert {f"{completion.request.number} {completion.text}\n" for completion in again} == seen


def test_two_processes_agree(tmp_path: Path) -> None:
    with model_server(numbered()) as server:
        with asking(server, tmp_path / "c", 300) as one, asking(server, tmp_path / "c", 300) as other:
            first, _ = one.communicate(timeout=WAIT_S)
            second, _ = other.communicate(timeout=WAIT_S)
        assert (one.returncode, other.returncode) == (0, 0)
        assert sorted(first.splitlines()) == sorted(second.splitlines())
        assert len(first.splitlines()) == 300
        asked = len(server.asked)
        third = completed(server, tmp_path / "c", [wanted(number) for number in range(300)])
        assert len(server.asked) == asked
    assert sound(tmp_path / "c")
    assert {f"{completion.request.number} {completion.text}" for completion in third} == set(first.splitlines())


# --- files that are none -------------------------------------------------------------------------


def test_a_file_of_something_else(tmp_path: Path) -> None:
    (tmp_path / "c").write_text("not a database " * 100)
    with model_server() as server, pytest.raises(InputError, match="can't be used"):
        completed(server, tmp_path / "c", [wanted(1)])


@pytest.mark.parametrize("row", ["no JSON", '{"text": 7}', b"\xff\xfe", 7])
def test_a_row_that_holds_no_answer_is_asked_again_and_mended(tmp_path: Path, row: object) -> None:
    with model_server(numbered()) as server:
        completed(server, tmp_path / "c", [wanted(1)])
        with sqlite3.connect(tmp_path / "c") as file:
            file.execute("UPDATE answers SET answer = ?", (row,))
        (asked,) = completed(server, tmp_path / "c", [wanted(1)])
        (known,) = completed(server, tmp_path / "c", [wanted(1)])
        assert len(server.asked) == 2
    assert (asked.text, asked.from_cache) == ("answer 1", False)
    assert (known.text, known.from_cache) == ("answer 1", True)


def test_a_file_that_breaks_is_told_in_one_line(tmp_path: Path) -> None:
    with (
        model_server(numbered()) as server,
        endpoint(server) as opened,
        Cached(opened, tmp_path / "c") as cached,
    ):
        with sqlite3.connect(tmp_path / "c") as file:
            file.execute("DROP TABLE answers")
        with pytest.raises(InputError) as raised:
            list(cached.complete([wanted(1)]))
    assert "can't be read (no such table: answers): remove it" in str(raised.value)


def test_leaving_it_waits_for_nobody_and_keeps_what_is_there(tmp_path: Path) -> None:
    """The backend is closed first; when the file is closed, no thread writes any more."""
    go, came = threading.Event(), threading.Event()
    late = held(go, came, chat("late"))

    def play(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        (late if asked["seed"] else answers(chat("soon")))(handler, asked)

    with model_server(play) as server, endpoint(server, concurrency=2) as opened:
        with Cached(opened, tmp_path / "c") as cached:
            stream = cached.complete([wanted(0), wanted(1)])
            assert next(stream).text == "soon"
            assert came.wait(WAIT_S)
        assert [thread for thread in threading.enumerate() if thread.name == "llm-cache"] == []
        go.set()
        assert list(stream) == []
    with model_server() as other:
        (known,) = completed(other, tmp_path / "c", [wanted(0)])
    assert (known.text, known.from_cache) == ("soon", True)


def test_a_file_of_another_version(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "c") as file:
        file.execute("PRAGMA user_version = 7")
    with model_server() as server, pytest.raises(InputError, match="version 7"):
        completed(server, tmp_path / "c", [wanted(1)])
