"""Reading what OpenAI-compatible servers answer. Nothing in it is trusted to be there, or to be what it should."""

from __future__ import annotations

import email.utils
import math
from datetime import UTC, datetime
from typing import Any

import httpx

from pythagoras.llm.chat import ChatRequest, Completion, Ending

_LONGEST_QUOTE = 200
_REASONING = ("reasoning_content", "reasoning")
"""What servers that take the thinking out of an answer call it."""


class Unusable(ValueError):
    """An answer that says it is one, but is not."""


def read_answer(request: ChatRequest, response: httpx.Response) -> Completion:
    """The completion in an answer. Raises Unusable."""
    answer = _json(response)
    if not isinstance(answer, dict):
        raise Unusable("answers with something that is no JSON object (is it an OpenAI-compatible server?)")
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        error = answer.get("error")
        raise Unusable(f"answers with an error: {_error(error)}" if error else "answers without a choice")
    choice = choices[0]
    ending = Ending.LENGTH if choice.get("finish_reason") == "length" else Ending.STOP
    message = choice.get("message")
    text = _message_text(message, ending) if isinstance(message, dict) else _text(choice.get("text"))
    usage = _dict(answer.get("usage"))
    prompt_tokens = _count(usage.get("prompt_tokens"))
    cached = _count(_dict(usage.get("prompt_tokens_details")).get("cached_tokens"))
    return Completion(
        request,
        text.encode("utf-8", "replace").decode("utf-8"),  # JSON can say half characters, files can't
        ending,
        prompt_tokens=prompt_tokens,
        generated_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=min(cached or 0, prompt_tokens or 0),
    )


def model_names(response: httpx.Response) -> tuple[str, ...]:
    """The models that an answer lists; nothing where it does not."""
    data = _dict(_json(response)).get("data")
    rows = data if response.status_code == 200 and isinstance(data, list) else []
    return tuple(str(row["id"]) for row in rows if isinstance(row, dict) and row.get("id"))


def quoted(response: httpx.Response) -> str:
    """What a server says to a request that it refuses, on one short line."""
    return _error(_dict(_json(response)).get("error")) or _short(response.text) or response.reason_phrase


def wanted_pause_s(response: httpx.Response) -> float | None:
    """How long the server wants us to wait: `Retry-After`, in seconds or as a date."""
    text = response.headers.get("Retry-After", "").strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = (email.utils.parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):  # no date, or one without a zone
            return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def _message_text(message: dict[str, Any], ending: Ending) -> str:
    """All that the model wrote: the thinking that a server took out of it goes back in."""
    content = _text(message.get("content"))
    thought = next((text for name in _REASONING if (text := _text(message.get(name)))), "")
    if not thought:
        return content
    cut = ending is Ending.LENGTH and not content
    return f"<think>\n{thought}" if cut else f"<think>\n{thought.rstrip()}\n</think>\n\n{content}"


def _text(content: Any) -> str:
    """Text as it is, or in parts; an empty answer is one."""
    if isinstance(content, list):
        return "".join(_text(_dict(part).get("text")) for part in content)
    return content if isinstance(content, str) else ""


def _error(error: Any) -> str:
    """What an `error` field says: servers have a text in it, or an object with a message."""
    said = error.get("message") if isinstance(error, dict) else error
    return _short(said) if isinstance(said, str) else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_QUOTE else line[: _LONGEST_QUOTE - 3] + "..."


def _json(response: httpx.Response) -> Any:
    try:
        return response.json()
    except (ValueError, RecursionError):
        return None


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    """A number of tokens, within what a row can hold."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63 else None
