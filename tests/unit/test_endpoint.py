"""The endpoint against a real server on loopback that plays faults."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler
from typing import Any

import httpx
import pytest

from pythagoras.errors import InputError
from pythagoras.llm.answers import wanted_pause_s
from pythagoras.llm.chat import ChatRequest, Completion, Ending, Message
from pythagoras.llm.endpoint import Endpoint
from pythagoras.llm.patience import Retries
from pythagoras.llm.sampling import Sampling
from tests.unit.model_server import ModelServer, Play, answers, chat, cuts, dribbles, model_server

QUICK = Retries(tries=3, first_pause_s=0.001)
HELLO = (Message("user", "Prove it."),)


def endpoint(server: ModelServer, model: str = "tiny-prover", **settings: Any) -> Endpoint:
    return Endpoint(server.url, model, **{"retries": QUICK, "timeout_s": 20.0, **settings})


def ask(server: ModelServer, count: int = 1, **settings: Any) -> list[Completion]:
    with endpoint(server, **settings) as opened:
        return list(opened.complete(ChatRequest(number, HELLO, seed=number) for number in range(count)))


def only(*plays: Play, **settings: Any) -> Completion:
    with model_server(*plays) as server:
        (completion,) = ask(server, **settings)
    return completion


# --- what is asked -------------------------------------------------------------------------------


def test_a_chat_and_a_raw_text() -> None:
    raw = {"choices": [{"text": " omega", "finish_reason": "length"}], "usage": {}}
    with (
        model_server(answers(chat("by omega")), answers(raw)) as server,
        endpoint(
            server,
            sampling=Sampling(0.5, 0.9, 100),
            extra={"chat_template_kwargs": {"enable_thinking": False}},
            api_key="secret",
            concurrency=1,
        ) as opened,
    ):
        prompts: list[tuple[Message, ...] | str] = [(Message("system", "Be brief."), *HELLO), "theorem t : True := by"]
        done = list(opened.complete(ChatRequest(at, prompt, 2**40 + at) for at, prompt in enumerate(prompts)))
    shared = {"model": "tiny-prover", "temperature": 0.5, "top_p": 0.9, "max_tokens": 100}
    shared["chat_template_kwargs"] = {"enable_thinking": False}
    turns = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Prove it."}]
    assert server.asked == [
        {**shared, "seed": 0, "messages": turns},
        {**shared, "seed": 1, "prompt": "theorem t : True := by"},
    ]
    assert server.paths == ["/v1/chat/completions", "/v1/completions"]
    assert {headers["Authorization"] for headers in server.headers} == {"Bearer secret"}
    assert [(one.text, one.ending) for one in done] == [("by omega", Ending.STOP), (" omega", Ending.LENGTH)]
    assert [(one.prompt_tokens, one.generated_tokens) for one in done] == [(11, 7), (None, None)]
    assert all(one.seconds > 0 for one in done)


def test_the_defaults_are_the_papers() -> None:
    with model_server() as server:
        ask(server)
    (asked,) = server.asked
    assert (asked["temperature"], asked["top_p"], asked["max_tokens"]) == (1.0, 0.95, 30_000)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("http://host:8000", "http://host:8000/v1"),
        ("http://host:8000/", "http://host:8000/v1"),
        ("https://host/v1/", "https://host/v1"),
        ("https://host/openai/v1beta", "https://host/openai/v1beta"),
        ("http://host/v1/chat/completions", "http://host/v1"),
        ("http://host/v1/completions", "http://host/v1"),
    ],
)
def test_addresses(written: str, meant: str) -> None:
    assert Endpoint(written, "m").url == meant


@pytest.mark.parametrize(
    ("url", "settings", "said"),
    [
        ("host:8000", {}, "'host:8000' is no address of a server: write it as http://HOST:PORT/v1"),
        ("http://", {}, "is no address"),
        ("http://host:notaport", {}, "is no address"),
        ("http://ada:secret@host", {}, "put the key into the environment"),
        ("http://host/v1?api-version=2", {}, "ends before '?'"),
        ("http://host", {"api_key": "two words"}, "the API key holds blanks"),
        ("http://host", {"extra": {"temperature": 2}}, "'temperature' is set already"),
        ("http://host", {"concurrency": 0}, "0 requests at a time"),
        ("http://host", {"timeout_s": 0}, "within 0 s"),
    ],
)
def test_wrong_settings(url: str, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as raised:
        Endpoint(url, "m", **settings)
    assert said in str(raised.value)
    assert "secret" not in str(raised.value)
    assert "two words" not in str(raised.value)


@pytest.mark.parametrize("wrong", [{"temperature": -1}, {"temperature": float("nan")}, {"top_p": 0}, {"max_tokens": 0}])
def test_wrong_sampling(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Sampling(**wrong)


# --- several at a time ---------------------------------------------------------------------------


def test_requests_run_together_and_come_out_as_they_are_ready() -> None:
    """The first is answered only after the others were."""
    others = threading.Semaphore(0)

    def play(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        if asked["seed"] == 0:
            for _ in range(3):
                assert others.acquire(timeout=20)
        answers(chat())(handler, asked)
        others.release()

    with model_server(play) as server:
        numbers = [one.request.number for one in ask(server, 4, concurrency=4)]
    assert sorted(numbers) == [0, 1, 2, 3]
    assert numbers[-1] == 0


def test_requests_are_read_as_there_is_room() -> None:
    read = []

    def requests() -> Iterator[ChatRequest]:
        for number in range(100):
            read.append(number)
            yield ChatRequest(number, HELLO)

    with model_server() as server, endpoint(server, concurrency=3) as opened:
        completions = opened.complete(requests())
        for taken in range(1, 6):
            next(completions)
            assert len(read) <= taken + 2
        completions.close()  # type: ignore[attr-defined]


def test_many_more_requests_than_threads() -> None:
    before = threading.active_count()
    with model_server() as server, endpoint(server, concurrency=4) as opened:
        done = list(opened.complete(ChatRequest(number, HELLO) for number in range(200)))
    assert sorted(one.request.number for one in done) == list(range(200))
    for thread in threading.enumerate():
        if thread.name == "llm-endpoint":
            thread.join(10)
    assert threading.active_count() <= before + 4  # the server's own end by themselves


# --- faults --------------------------------------------------------------------------------------

BROKEN: dict[str, tuple[Play, str]] = {
    "too busy": (answers({"error": {"message": "slow down"}}, 429, Retry_After="0"), "429 (slow down)"),
    "broken": (answers("<html>Internal\nerror</html>", 500), "500 (<html>Internal error</html>)"),
    "a timeout of its own": (answers("", 408), "408 (Request Timeout)"),
    "cut": (cuts, "can't be reached"),
    "no JSON": (answers("hello"), "no JSON object"),
    "deep JSON": (answers("[" * 100_000), "no JSON object"),
    "a list": (answers([1]), "no JSON object"),
    "no choices": (answers({"choices": []}), "without a choice"),
    "odd choices": (answers({"choices": "none"}), "without a choice"),
    "an error that says it is none": (answers({"error": {"message": "overloaded"}}), "an error: overloaded"),
    "no gzip": (answers("plain", Content_Encoding="gzip"), "can't be reached"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_what_may_pass_is_tried_again(fault: str) -> None:
    play, _ = BROKEN[fault]
    with model_server(play, play, answers(chat("by simp"))) as server:
        (completion,) = ask(server)
    assert (completion.text, completion.ending, completion.failure) == ("by simp", Ending.STOP, "")
    assert len(server.asked) == 3
    assert server.asked[0] == server.asked[2]


@pytest.mark.parametrize("fault", BROKEN)
def test_what_does_not_pass_fails_with_a_word(fault: str) -> None:
    play, said = BROKEN[fault]
    with model_server(play, play, play, answers(chat())) as server:
        (completion,) = ask(server)
    assert (completion.text, completion.ending) == ("", Ending.FAILED)
    assert said in completion.failure
    assert completion.failure.endswith(", 3 times in a row")
    assert "\n" not in completion.failure
    assert len(server.asked) == 3 + 1
    assert server.asked[3]["messages"] == [{"role": "user", "content": "Hello."}]
    assert server.asked[3]["max_tokens"] == 16


@pytest.mark.parametrize("fault", BROKEN)
def test_a_server_that_answers_nothing_ends_it(fault: str) -> None:
    """With the first request: a build of few rows would else be finished, and empty."""
    play, said = BROKEN[fault]
    with model_server(play) as server, pytest.raises(InputError) as raised:
        ask(server)
    assert said in str(raised.value)
    assert str(raised.value).endswith(
        ", 3 times in a row, nor does it answer a plain question: mend the server, then go on"
    )
    assert len(server.asked) == 3 + 1


@pytest.mark.parametrize("prompt", [HELLO, "theorem t"])
def test_a_server_that_breaks_over_a_few_requests_is_forgiven_and_over_many_in_a_row_is_not(
    prompt: tuple[Message, ...] | str,
) -> None:
    broken = [*[answers("oh", 500)] * 3, answers(chat())]  # in every try, but for the plain question
    with (
        model_server(*broken * 4, answers(chat()), *broken * 5) as server,
        endpoint(server, concurrency=1) as opened,
    ):
        completions = opened.complete(ChatRequest(number, prompt) for number in range(100))
        endings = [next(completions).ending for _ in range(9)]
        with pytest.raises(InputError, match=r"500 \(oh\), 3 times in a row, and so it did 5 requests in a row: mend"):
            next(completions)
    assert endings == [*[Ending.FAILED] * 4, Ending.STOP, *[Ending.FAILED] * 4]
    assert len(set(server.paths)) == 1


@pytest.mark.parametrize("slow", ["hangs", "dribbles"])
def test_a_request_that_takes_too_long_fails_alone_and_is_not_asked_again(slow: str) -> None:
    """A server that answers the plain question is in order; one that does not hangs, and will do so on others."""
    stop = threading.Event()

    def hangs(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        stop.wait(20)

    late = dribbles if slow == "dribbles" else hangs
    with model_server(late, answers(chat()), late) as server:
        (completion,) = ask(server, timeout_s=0.3)
        assert completion.failure == f"{server.url}/v1 did not answer within 0.3 s"
        assert len(server.asked) == 2
        with pytest.raises(
            InputError, match=r"did not answer within 0\.3 s, nor does it answer a plain question: mend"
        ):
            ask(server, timeout_s=0.3)
        assert len(server.asked) == 4
        stop.set()


def test_a_request_that_is_refused_fails_alone() -> None:
    said = {"error": {"message": "This model's maximum context length is 40960 tokens."}}
    with model_server(answers(said, 400), answers(chat())) as server:
        first, second = ask(server, 2, concurrency=1)
    assert first.failure == f"{server.url}/v1 answers 400 (This model's maximum context length is 40960 tokens.)"
    assert second.ending is Ending.STOP
    assert len(server.asked) == 2


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key_ends_it(status: int) -> None:
    with model_server(answers({"error": "bad key sk-123"}, status)) as server, pytest.raises(InputError) as raised:
        ask(server, 50, api_key="sk-123")
    assert f"answers {status}: it wants a valid API key" in str(raised.value)
    assert "sk-123" not in str(raised.value)
    assert len(server.asked) < 50


def test_a_wrong_key_is_noticed_before_the_first_request() -> None:
    with model_server(models=answers("", 401)) as server, pytest.raises(InputError, match="valid API key"):
        ask(server)
    assert server.asked == []


def test_a_wrong_model_ends_it_and_the_right_ones_are_listed() -> None:
    missing = answers({"error": {"message": "The model `tiny` does not exist."}}, 404)
    with model_server(missing) as server, pytest.raises(InputError) as raised:
        ask(server, model="tiny")
    assert str(raised.value).endswith("its models are tiny-prover, big-prover; 'tiny' was asked for")


def test_a_server_that_goes_ends_it() -> None:
    """It makes all other requests pointless, unlike one that is out of order for a moment."""
    with contextlib.ExitStack() as serving:
        server = serving.enter_context(model_server(answers(chat(), Connection="close")))
        opened = endpoint(server, concurrency=1)
        completions = opened.complete(ChatRequest(number, HELLO) for number in range(10))
        assert next(completions).ending is Ending.STOP
    with pytest.raises(InputError, match=r"can't be reached .*, 3 times in a row: start the server again"):
        list(completions)


def test_after_an_answer_a_refusal_is_about_its_request() -> None:
    with model_server(answers(chat()), answers("", 404), answers("", 400), answers(chat())) as server:
        endings = [one.ending for one in ask(server, 4, concurrency=1)]
    assert endings == [Ending.STOP, Ending.FAILED, Ending.FAILED, Ending.STOP]


@pytest.mark.parametrize("status", [401, 402, 403])
def test_a_key_that_stops_working_ends_it(status: int) -> None:
    said = answers({"error": {"message": "Incorrect API key provided: Bearer sk-123"}}, status)
    done: list[Completion] = []
    with (
        model_server(answers(chat()), said) as server,
        endpoint(server, api_key="sk-123", concurrency=1) as opened,
        pytest.raises(InputError) as raised,
    ):
        done.extend(opened.complete(ChatRequest(number, HELLO) for number in range(50)))
    assert "Incorrect" not in str(raised.value)
    assert "sk-123" not in str(raised.value)
    assert len(server.asked) == 2


def test_a_key_that_a_server_echoes_is_not_quoted() -> None:
    padding = "x" * 190  # the quote ends within the key
    said = answers({"error": {"message": f"{padding} sk-0123456789"}}, 400)
    with model_server(said) as server:
        (refused,) = ask(server, api_key="sk-0123456789")
    assert "400" in refused.failure
    assert "sk-0" not in refused.failure
    with pytest.raises(InputError, match=r"answers with an error: no \.\.\."):
        only(answers({"error": "no sk-0123456789"}), api_key="sk-0123456789")


def test_one_refusal_after_the_other_ends_it() -> None:
    refusals = [answers("no", 400)] * 19
    with (
        model_server(answers(chat()), *refusals, answers(chat()), answers("no", 400)) as server,
        endpoint(server, concurrency=1) as opened,
        pytest.raises(InputError, match="20 requests in a row"),
    ):
        list(opened.complete(ChatRequest(number, HELLO) for number in range(100)))
    assert len(server.asked) == 1 + 19 + 1 + 20


def test_whoever_stops_it_gets_what_is_ready_and_does_not_wait() -> None:
    hangs = threading.Event()

    def hang(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        hangs.wait(60)

    with model_server(answers(chat()), hang) as server, endpoint(server, concurrency=2) as opened:
        completions = opened.complete(ChatRequest(number, HELLO) for number in range(5))
        assert next(completions).ending is Ending.STOP
        opened.stop()
        assert list(completions) == []
        waiting = iter([ChatRequest(0, HELLO)])
        not_begun = opened.complete(waiting)
        opened.stop()
        assert list(not_begun) == []
        assert len(list(waiting)) == 1  # nothing was asked
        hangs.set()
        server.plays = [answers(chat())]
        assert len(list(opened.complete([ChatRequest(0, HELLO)]))) == 1


def test_nobody_there() -> None:
    with model_server() as server:
        pass
    with pytest.raises(InputError, match=r"/v1 can't be reached \(.*\): start the server or correct it"):
        ask(server)


def test_a_server_without_a_list_of_models_will_do() -> None:
    with model_server(models=answers("oh", 500)) as server:
        assert ask(server)[0].ending is Ending.STOP


def test_without_a_name_the_only_model_is_meant() -> None:
    with model_server(models=answers({"data": [{"id": "single"}, 7, {}]})) as server:
        ask(server, model="")
    assert server.asked[0]["model"] == "single"
    with model_server() as server, pytest.raises(InputError, match="Name it: one of tiny-prover, big-prover"):
        ask(server, model="")
    with model_server(models=answers("")) as server, pytest.raises(InputError, match="it does not say which"):
        ask(server, model="")


# --- what is answered ----------------------------------------------------------------------------


def test_a_very_long_completion() -> None:
    text = "∀ " * 500_000
    assert only(answers(chat(text))).text == text


@pytest.mark.parametrize(
    ("answer", "text", "ending"),
    [
        (chat(""), "", Ending.STOP),
        (chat(None), "", Ending.STOP),
        (chat("x", "length"), "x", Ending.LENGTH),
        (chat("x", "content_filter"), "x", Ending.STOP),
        (chat("proof", reasoning_content="I think."), "<think>\nI think.\n</think>\n\nproof", Ending.STOP),
        (chat("proof", reasoning="I think.\n"), "<think>\nI think.\n</think>\n\nproof", Ending.STOP),
        (chat(None, "length", reasoning_content="I thi"), "<think>\nI thi", Ending.LENGTH),
        (chat("x", reasoning_content=None), "x", Ending.STOP),
        (chat([{"type": "text", "text": "a"}, {"text": "b"}, 3]), "ab", Ending.STOP),  # type: ignore[arg-type]
        ({"choices": [{"message": {}}]}, "", Ending.STOP),
        ({"choices": [{}]}, "", Ending.STOP),
        (chat("half \ud835"), "half ?", Ending.STOP),
    ],
)
def test_texts(answer: Any, text: str, ending: Ending) -> None:
    completion = only(answers(answer))
    assert (completion.text, completion.ending) == (text, ending)


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        (
            {"prompt_tokens": 300, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 256}},
            (300, 20, 256),
        ),
        ({"prompt_tokens": 3, "completion_tokens": 2, "prompt_tokens_details": None}, (3, 2, 0)),
        ({"prompt_tokens": 3, "prompt_tokens_details": {"cached_tokens": 9}}, (3, None, 3)),
        ({"prompt_tokens": "many", "completion_tokens": -1}, (None, None, 0)),
        ({"prompt_tokens": True, "completion_tokens": 2**70}, (None, None, 0)),
        ("none", (None, None, 0)),
    ],
)
def test_token_counts(usage: Any, counts: tuple[int | None, int | None, int]) -> None:
    completion = only(answers(chat(usage=usage)))
    assert (completion.prompt_tokens, completion.generated_tokens, completion.cached_tokens) == counts


# --- pauses --------------------------------------------------------------------------------------


def test_pauses_grow_and_vary_and_have_an_end() -> None:
    retries = Retries(first_pause_s=1, longest_pause_s=10, longest_wanted_s=50)
    for failures, most in [(1, 1), (2, 2), (3, 4), (4, 8), (5, 10), (60, 10)]:
        pauses = [retries.pause_s(failures, None) for _ in range(50)]
        assert most / 2 <= min(pauses) <= max(pauses) <= most
        assert len(set(pauses)) > 1
    assert 7 <= retries.pause_s(1, 7) <= 7.7
    assert retries.pause_s(1, 10_000) <= 55


def test_the_server_says_how_long_to_wait() -> None:
    def wanted(text: str) -> float | None:
        return wanted_pause_s(httpx.Response(429, headers={"Retry-After": text}))

    assert (wanted("7"), wanted("0.5"), wanted("-3")) == (7, 0.5, 0)
    assert [wanted(text) for text in ("", "soon", "nan", "inf")] == [None] * 4
    in_a_minute = wanted(format_datetime(datetime.now(UTC) + timedelta(minutes=1), usegmt=True))
    assert in_a_minute is not None
    assert 50 < in_a_minute <= 60
    assert wanted("Mon, 01 Jan 2001 00:00:00 GMT") == 0
    assert wanted("Mon, 01 Jan 2001 00:00:00") is None


def test_a_wish_of_the_servers_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    wished: list[float | None] = []

    def pause(self: Retries, failures: int, wanted_s: float | None) -> float:
        wished.append(wanted_s)
        return 0

    monkeypatch.setattr(Retries, "pause_s", pause)
    only(answers("", 429, Retry_After="12"), answers("", 503), answers(chat()))
    assert wished == [12, None]
