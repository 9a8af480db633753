"""A model behind an OpenAI-compatible address: vLLM, SGLang, llama.cpp, `transformers serve`, or a hosted one.

Chats go to `chat/completions`, raw text to `completions`; a completion a request, several at a time. What a server may
be forgiven (it is busy, broken for a moment, cuts the connection, answers with rubbish) is tried again with growing
pauses. When that is of no use, or a request runs out of time, a plain question tells whose fault it is: a server that
answers it fails that request alone. An address, key or model that is wrong raises, and so does a server that does not
answer the plain question, or that breaks over or refuses one request after the other: no other would fare better. What
a server says is quoted, but never the key, nor anything that it says about a key.
"""

from __future__ import annotations

import queue
import re
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

import httpx

from pythagoras.errors import InputError
from pythagoras.llm.answers import Unusable, model_names, quoted, read_answer, wanted_pause_s
from pythagoras.llm.chat import ChatRequest, Completion, Ending, Message
from pythagoras.llm.limits import UNLIMITED, Limiter, estimated_tokens, total_tokens
from pythagoras.llm.patience import PATIENT, Retries
from pythagoras.llm.sampling import DEFAULT_SAMPLING, Sampling

_TRY_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_KEY_REFUSED = {
    401: "it wants a valid API key, in the environment variable that was named",
    402: "whoever the API key belongs to has nothing left to pay with",
    403: "it wants a valid API key for that, in the environment variable that was named",
}
_MOST_REFUSALS = 20
"""In a row, without an answer in between: then none will come."""
_MOST_BREAKDOWNS = 5
"""Requests in a row that a server breaks over in every try, though it answers a plain question."""
_PLAIN = "Hello."
_PLAIN_TOKENS = 16
_POLL_S = 0.1
_CONNECT_S = 10.0
_LARGEST_ANSWER = 256 * 2**20
"""Bytes: no completion is as long, so a server that goes on is broken."""
_SEEDS = 2**31
"""Some servers keep a seed in 32 bits, with a sign or without."""
_KEY = re.compile(r"[!-~]+")
_OURS = frozenset({"model", "messages", "prompt", "n", "stream", "seed", "temperature", "top_p", "max_tokens"})


class _Failed(Exception):
    """A try that brought no completion."""

    def __init__(
        self,
        why: str,
        *,
        again: bool = False,
        gone: bool = False,
        refused: bool = False,
        worked: bool = False,
        late: bool = False,
        pause_s: float | None = None,
    ) -> None:
        super().__init__(why)
        self.again = again
        """Whether another try may help."""
        self.gone = gone
        """Whether there is nobody who could answer any request."""
        self.refused = refused
        """Whether somebody is there, and does not want to."""
        self.worked = worked
        """Whether the server took the request, and so its tokens."""
        self.late = late
        """Whether it ran out of time: the request took too long, or the server hangs."""
        self.pause_s = pause_s


class Endpoint:
    """A chat backend over HTTP. Use it in a `with` block, which also finds out whether the server is there."""

    def __init__(
        self,
        url: str,
        model: str,
        sampling: Sampling = DEFAULT_SAMPLING,
        *,
        extra: Mapping[str, Any] | None = None,
        api_key: str | None = None,
        concurrency: int = 8,
        timeout_s: float = 3600.0,
        retries: Retries = PATIENT,
        limiter: Limiter = UNLIMITED,
    ) -> None:
        """Without a model, the only one that the server has; `extra` are further fields of each request.

        Endpoints that draw on the same account share a limiter.
        """
        if taken := _OURS & set(extra or {}):
            raise InputError(f"the extra field {min(taken)!r} is set already: give it as the setting of that name")
        if concurrency < 1:
            raise InputError(f"{concurrency} requests at a time are none: ask for 1 or more")
        if not timeout_s > 0:
            raise InputError(f"no server answers within {timeout_s:g} s: give it more")
        if api_key and not _KEY.fullmatch(api_key):  # errors of the HTTP library would quote it
            raise InputError("the API key holds blanks or letters that no key has: look at the variable it is in")
        self.url = base_url(url)
        self.model = model
        self._body = {
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
            **(extra or {}),
        }
        self._concurrency = concurrency
        self._timeout_s = timeout_s
        self._retries = retries
        self._limiter = limiter
        self._most_new = sampling.max_tokens
        self._key = api_key or ""
        self._closed = threading.Event()
        self._stopped = threading.Event()
        self._answered = False
        """Whether any request has been: then what a server refuses says nothing of the others."""
        self._refusals = 0
        """Since the last answer."""
        self._breakdowns = 0
        """Since the last answer, that to a plain question aside."""
        self._client = httpx.Client(
            headers={"Authorization": f"Bearer {api_key}"} if api_key else {},
            limits=httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency),
            timeout=httpx.Timeout(timeout_s, connect=_CONNECT_S),
        )

    @property
    def settings(self) -> Mapping[str, Any]:
        """Without the address: a server that moves is the same model."""
        return {"backend": "endpoint", "model": self.model, **self._body}

    def __enter__(self) -> Self:
        try:
            self._greet()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give up waiting, and end the connections."""
        self._closed.set()
        self._client.close()

    def stop(self) -> None:
        """Let `complete` hand out what is ready, and end: whoever interrupts does not wait for an hour's completion."""
        self._stopped.set()

    def models(self) -> tuple[str, ...]:
        """What the server calls its models; nothing where it does not say."""
        try:
            return model_names(self._client.get(f"{self.url}/models", timeout=_CONNECT_S))
        except httpx.HTTPError:
            return ()

    def complete(self, requests: Iterable[ChatRequest]) -> Iterator[Completion]:
        """Completions as they are ready. As many requests are read as are asked at a time."""
        self._stopped.clear()  # at once: whoever stops it before the first completion means this call
        return self._completions(iter(requests))

    # --- inside --------------------------------------------------------------------------------

    def _completions(self, waiting: Iterator[ChatRequest]) -> Iterator[Completion]:
        todo: queue.SimpleQueue[ChatRequest | None] = queue.SimpleQueue()
        done: queue.SimpleQueue[Completion | BaseException] = queue.SimpleQueue()
        threads = under_way = 0
        try:
            while True:
                while (
                    under_way < self._concurrency
                    and not self._stopped.is_set()
                    and (request := next(waiting, None)) is not None
                ):
                    if threads == under_way:
                        self._start(todo, done)
                        threads += 1
                    todo.put(request)
                    under_way += 1
                if not under_way:
                    return
                found = self._next(done)
                if found is None:
                    return
                under_way -= 1
                if isinstance(found, BaseException):
                    yield from _ready(done)
                    raise found
                yield found
        finally:
            for _ in range(threads):
                todo.put(None)

    def _next(self, done: queue.SimpleQueue[Completion | BaseException]) -> Completion | BaseException | None:
        """What is ready next; None when nothing is, and it was stopped."""
        while True:
            try:
                return done.get(timeout=_POLL_S)
            except queue.Empty:
                if self._stopped.is_set():
                    return None

    def _start(
        self, todo: queue.SimpleQueue[ChatRequest | None], done: queue.SimpleQueue[Completion | BaseException]
    ) -> None:
        def work() -> None:
            while (request := todo.get()) is not None:
                try:
                    done.put(self._answer(request))
                except BaseException as error:  # whatever it is, whoever waits must hear of it
                    done.put(error)

        # A daemon: whoever interrupts a run does not wait for an hour's completion.
        threading.Thread(target=work, name="llm-endpoint", daemon=True).start()

    def _greet(self) -> None:
        """Find out whether somebody is there, in one try: whoever starts work wants to know at once."""
        names: tuple[str, ...] = ()  # not every server lists its models
        try:
            response = self._client.get(f"{self.url}/models", timeout=_CONNECT_S)
            names = model_names(response)
            self._refuse_a_wrong_key(response)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise InputError(f"{self.url} can't be reached ({_said(error)}): start the server or correct it") from None
        except httpx.HTTPError:
            pass  # somebody is there
        if not self.model:
            if len(names) != 1:
                listed = f"one of {', '.join(names)}" if names else "it does not say which it has"
                raise InputError(f"which model of {self.url} is to answer? Name it: {listed}")
            self.model = names[0]

    def _answer(self, request: ChatRequest) -> Completion:
        """The completion, or why there is none. Raises InputError where no request would get one."""
        began = time.monotonic()
        failed = _Failed("it was given up")
        for failures in range(1, self._retries.tries + 1):
            try:
                completion = self._ask_in_turn(request, self._most_new)
            except _Failed as error:
                failed = error
            else:
                self._answered, self._refusals, self._breakdowns = True, 0, 0
                return replace(completion, seconds=time.monotonic() - began)
            if not failed.again:
                break
            last = failures == self._retries.tries
            if last or self._closed.wait(self._retries.pause_s(failures, failed.pause_s)):
                break
        tries = f", {failures} times in a row" if failures > 1 else ""
        if failed.gone and not self._closed.is_set():
            raise InputError(f"{failed}{tries}: start the server again, then go on")
        if (failed.again or failed.late) and not self._closed.is_set():
            self._breakdowns += failed.again
            if not self._answers_plainly(request) and not self._closed.is_set():
                raise InputError(f"{failed}{tries}, nor does it answer a plain question: mend the server, then go on")
            if self._breakdowns >= _MOST_BREAKDOWNS:
                raise InputError(
                    f"{failed}{tries}, and so it did {self._breakdowns} requests in a row: mend the server, then go on"
                )
        elif failed.refused:
            self._refusals += 1
            if self._refusals >= _MOST_REFUSALS:
                raise InputError(f"{failed}, and so it did {self._refusals} requests in a row: ask the server why")
        return Completion(request, "", Ending.FAILED, seconds=time.monotonic() - began, failure=f"{failed}{tries}")

    def _answers_plainly(self, request: ChatRequest) -> bool:
        """Whether the server is in order, though it broke over this request. One try: there were several before."""
        plain = _PLAIN if isinstance(request.prompt, str) else (Message("user", _PLAIN),)
        try:
            self._ask_in_turn(ChatRequest(request.number, plain), min(_PLAIN_TOKENS, self._most_new))
        except _Failed as error:
            return error.refused and not error.again  # it has a reason of its own to say no
        return True

    def _ask_in_turn(self, request: ChatRequest, most_new: int) -> Completion:
        """One try, when the limits allow for it. Raises like `_ask`."""
        guess = estimated_tokens(request.prompt, most_new)
        if self._closed.wait(self._limiter.reserve_s(guess)):
            raise _Failed("the endpoint was closed")
        took: int | None = 0  # what was refused did not cost tokens
        try:
            completion = self._ask(request, most_new)
            took = total_tokens(completion)
            return completion
        except _Failed as error:
            took = None if error.worked else 0
            raise
        finally:
            self._limiter.correct(guess, guess if took is None else took)

    def _ask(self, request: ChatRequest, most_new: int) -> Completion:
        """One try. Raises _Failed, or InputError where no request would be answered."""
        body = self._body | {"model": self.model, "max_tokens": most_new}
        if request.seed is not None:
            body["seed"] = request.seed % _SEEDS
        if isinstance(request.prompt, str):
            response = self._post("completions", body | {"prompt": request.prompt})
        else:
            messages = [message.as_dict() for message in request.prompt]
            response = self._post("chat/completions", body | {"messages": messages})
        if response.status_code == 200:
            try:
                return read_answer(request, response)
            except Unusable as error:
                raise _Failed(f"{self.url} {error}", again=True, worked=True) from None
        self._refuse_a_wrong_key(response)
        said = f"{self.url} answers {response.status_code} ({quoted(response)})"
        if response.status_code in _TRY_AGAIN:
            raise _Failed(said, again=True, refused=True, pause_s=wanted_pause_s(response))
        if response.status_code == 404 and not self._answered:
            raise InputError(f"{said}: {self._right_model()}")
        raise _Failed(said, refused=True)

    def _post(self, path: str, body: Mapping[str, Any]) -> httpx.Response:
        """The server's answer, all of it. A server that dribbles gets no more time than one that is silent."""
        deadline = time.monotonic() + self._timeout_s
        late = f"{self.url} did not answer within {self._timeout_s:g} s"
        try:
            with self._client.stream("POST", f"{self.url}/{path}", json=body) as response:
                content = bytearray()
                for part in response.iter_bytes():
                    content += part
                    if time.monotonic() > deadline:
                        raise _Failed(late, worked=True, late=True)
                    if len(content) > _LARGEST_ANSWER:
                        raise _Failed(f"{self.url} answers with more than {_LARGEST_ANSWER >> 20} MB", worked=True)
                told = bytes(content).replace(self._key.encode(), b"...") if self._key else bytes(content)
                return httpx.Response(response.status_code, headers=_told(response), content=told)
        except httpx.ReadTimeout:  # it took the request: asking again would double its work
            raise _Failed(late, worked=True, late=True) from None
        except (httpx.TransportError, httpx.DecodingError) as error:
            gone = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
            raise _Failed(f"{self.url} can't be reached ({_said(error)})", again=True, gone=gone) from None
        except UnicodeEncodeError:
            raise _Failed("the prompt holds half of a surrogate pair, which can't be sent") from None
        except RuntimeError:
            if not self._closed.is_set():
                raise
            raise _Failed("the endpoint was closed") from None

    def _refuse_a_wrong_key(self, response: httpx.Response) -> None:
        """Raise InputError where the key is no good. What the server says about it may have the key in it."""
        if response.status_code in _KEY_REFUSED:
            raise InputError(f"{self.url} answers {response.status_code}: {_KEY_REFUSED[response.status_code]}")

    def _right_model(self) -> str:
        names = self.models()
        if not names:
            return f"is {self.model!r} its model, and the address right?"
        return f"its models are {', '.join(names)}; {self.model!r} was asked for"


def base_url(url: str) -> str:
    """The address that paths are put behind: a bare host has its API below /v1. Raises InputError for what is none."""
    try:
        parsed = httpx.URL(url.strip())
    except httpx.InvalidURL as error:
        raise InputError(f"{url!r} is no address of a server ({error}): write it as http://HOST:PORT/v1") from None
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise InputError(f"{url!r} is no address of a server: write it as http://HOST:PORT/v1")
    if parsed.userinfo:
        raise InputError("an address with a password in it would end up in logs: put the key into the environment")
    if parsed.query or parsed.fragment:
        behind = "#" if parsed.fragment else "?"
        raise InputError(f"the address of a server ends before {behind!r}: write it as http://HOST:PORT/v1")
    path = parsed.path.rstrip("/").removesuffix("/completions").removesuffix("/chat").rstrip("/")
    return str(parsed.copy_with(path=path or "/v1"))


def _ready(done: queue.SimpleQueue[Completion | BaseException]) -> Iterator[Completion]:
    """What others got before one found out that there is no point."""
    while not done.empty():
        found = done.get()
        if isinstance(found, Completion):
            yield found


def _told(response: httpx.Response) -> dict[str, str]:
    """The headers that are read; the body is decoded already."""
    return {name: response.headers[name] for name in ("Retry-After", "Date") if name in response.headers}


def _said(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
