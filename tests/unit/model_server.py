"""An OpenAI-compatible server on loopback that plays what a test writes down, faults included."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Play = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]
"""What the server does with a request and its body."""


@dataclass(slots=True)
class ModelServer:
    """What was asked, and what is played for it: the plays in their order, the last one for ever."""

    plays: list[Play]
    models: Play
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


def chat(text: str | None = "by omega", finish: str = "stop", usage: Any = None, **message: Any) -> dict[str, Any]:
    """A chat completion as servers write it."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
    told = {"prompt_tokens": 11, "completion_tokens": 7} if usage is None else usage
    return {"id": "x", "object": "chat.completion", "choices": [choice], "usage": told}


def answers(body: Any, status: int = 200, **headers: str) -> Play:
    """Send this: text as it is, anything else as JSON."""
    content = (body if isinstance(body, str) else json.dumps(body)).encode()

    def play(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(content)

    return play


def cuts(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
    """Promise an answer and hang up in the middle of it."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.wfile.flush()
    handler.connection.shutdown(socket.SHUT_RDWR)


def dribbles(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
    """Send a blank now and then for three seconds, so that no single wait is long, and then the answer."""
    content = json.dumps(chat()).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(300 + len(content)))
    handler.end_headers()
    for _ in range(300):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.01)
    handler.wfile.write(content)


MODELS = answers({"object": "list", "data": [{"id": "tiny-prover"}, {"id": "big-prover"}]})


@contextlib.contextmanager
def model_server(*plays: Play, models: Play = MODELS) -> Iterator[ModelServer]:
    """A server that is there until the block ends."""
    state = ModelServer(list(plays) or [answers(chat())], models)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            state.models(self, {})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with state.lock:
                play = state.plays[min(len(state.asked), len(state.plays) - 1)]
                state.asked.append(body)
                state.paths.append(self.path)
                state.headers.append(dict(self.headers))
            with contextlib.suppress(OSError):  # whoever asked has gone
                play(self, body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    class Server(ThreadingHTTPServer):
        block_on_close = False

        def handle_error(self, request: object, client_address: object) -> None:
            pass  # a client that goes is what some tests are about

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
