"""Measure Lean on this machine, in one run: a cold process a proof, one warm host, the pool, the server before it.

The proofs are a fixed set written for this purpose (`data/bench_proofs.jsonl`). Ratios within one run mean something on
a noisy machine; single times do not.
"""

from __future__ import annotations

import importlib.resources
import json
import statistics
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx

from pythagoras.errors import PythagorasError
from pythagoras.lean import headers
from pythagoras.lean.host import LeanHost
from pythagoras.lean.kimina.wire import CheckRequest, CheckResponse, Snippet
from pythagoras.lean.pool import Check, LeanPool, Status
from pythagoras.lean.server.app import ServerSettings, serving
from pythagoras.lean.statements import parse_statement
from pythagoras.lean.theorems import report
from pythagoras.lean.verifier import CheckedVerifier, Submission
from pythagoras.lean.wire import Answer

Progress = Callable[[str, float], None]
_CLIENTS_PER_HOST = 4
_REQUEST_S = 600.0
_PARTS = 6


@dataclass(frozen=True, slots=True)
class BenchProof:
    """A proof of the fixed set, and whether Lean accepts it."""

    name: str
    kind: str
    code: str
    proved: bool


def bench_proofs() -> list[BenchProof]:
    """The fixed set, in its order."""
    data = importlib.resources.files(__package__) / "data" / "bench_proofs.jsonl"
    return [BenchProof(**json.loads(line)) for line in data.read_text(encoding="utf-8").splitlines()]


def measure(jobs: int | None, cold: int, soak: int, progress: Progress) -> dict[str, Any]:
    """All figures of one run, as plain data."""
    proofs = bench_proofs()
    result: dict[str, Any] = {"proofs": len(proofs)}
    result["cold"] = _cold(proofs, cold, progress)
    result["host"] = _one_host(proofs, soak, progress)
    result["pool"] = _pool(proofs, jobs, progress)
    for cold_rate in result["cold"].values():
        cold_rate["warm_pool_is_faster"] = round(result["pool"]["warm"]["per_second"] / cold_rate["per_second"], 1)
    return result


def _cold(proofs: list[BenchProof], count: int, progress: Progress) -> dict[str, Any]:
    """What a check costs when each gets a process of its own: start, header, proof. A spread sample of the set.

    Measured twice: with the header compiled at install time, as this project does it; and, on fewer proofs, with the
    header elaborated from its text in each process, as it is where headers are text.
    """
    quick = [proof for proof in proofs if proof.kind not in ("slow", "wrong")]
    sample = quick[:: max(1, len(quick) // count)][:count]
    plain = sample[:: max(1, len(sample) // 3)][:3]
    compiled_times, plain_times = [], []
    for proof in sample:
        began = time.monotonic()
        with LeanHost() as host:
            _agree(proof, host.check(proof.code, headers.core()))
        compiled_times.append(time.monotonic() - began)
        progress("cold", len(compiled_times) / (len(sample) + len(plain)))
    for proof in plain:
        began = time.monotonic()
        with LeanHost() as host:
            env = host.request({"cmd": headers.core().text}, 600)["env"]
            answer = host.request({"cmd": proof.code, "env": env, "declarations": True}, 600)
            _agree(proof, Answer.model_validate(answer))
        plain_times.append(time.monotonic() - began)
        progress("cold", (len(sample) + len(plain_times)) / (len(sample) + len(plain)))
    return {"compiled_header": _cold_rate(compiled_times), "text_header": _cold_rate(plain_times)}


def _cold_rate(times: list[float]) -> dict[str, Any]:
    mean = statistics.mean(times)
    return {"sample": len(times), "seconds": round(mean, 2), "per_second": round(1 / mean, 4)}


def _one_host(proofs: list[BenchProof], soak: int, progress: Progress) -> dict[str, Any]:
    with LeanHost() as host:
        began = time.monotonic()
        host.keep_header(headers.core())
        header_seconds = time.monotonic() - began
        times = _timed(host, proofs, lambda share: progress("host", share))
        result: dict[str, Any] = {
            "ready_seconds": round(host.start_seconds + header_seconds, 2),
            "start_seconds": round(host.start_seconds, 2),
            "header_seconds": round(header_seconds, 2),
            **_rates(times, sum(times)),
            "memory_mb": round(host.memory_mb()),
        }
        if soak:
            result["soak"] = _soak(host, proofs, soak, progress)
        return result


def _timed(host: LeanHost, proofs: Iterable[BenchProof], progress: Callable[[float], None]) -> list[float]:
    times = []
    proofs = list(proofs)
    for number, proof in enumerate(proofs):
        began = time.monotonic()
        _agree(proof, host.check(proof.code, headers.core()))
        times.append(time.monotonic() - began)
        progress((number + 1) / len(proofs))
    return times


def _soak(host: LeanHost, proofs: list[BenchProof], count: int, progress: Progress) -> dict[str, Any]:
    """Memory of one host over many checks: does it grow?"""
    quick = [proof for proof in proofs if proof.kind != "slow"]
    marks: list[int] = []
    for number in range(count):
        if number % max(1, count // 10) == 0:
            marks.append(round(host.memory_mb()))
            progress("soak", number / count)
        proof = quick[number % len(quick)]
        _agree(proof, host.check(proof.code, headers.core()))
    progress("soak", 1.0)
    return {"checks": count, "memory_mb": [*marks, round(host.memory_mb())]}


def _pool(proofs: list[BenchProof], jobs: int | None, progress: Progress) -> dict[str, Any]:
    """The set twice: while V8 still compiles Lean's code, and after. A comment keeps the second from being a repeat."""
    with LeanPool(jobs, spare=False) as pool:
        result: dict[str, Any] = {"hosts": pool.hosts}
        for number, run in enumerate(("first", "warm")):
            checks = (Check(f"{proof.code}\n-- {run}") for proof in proofs)
            began, times = time.monotonic(), []
            for proof, checked in zip(proofs, pool.check(checks), strict=True):
                if checked.status is not Status.ANSWERED or checked.answer is None:
                    raise PythagorasError(f"bench: {proof.name} ended as {checked.status.value}: {checked.failure}")
                _agree(proof, checked.answer)
                times.append(checked.seconds)
                progress("pool", (number + len(times) / len(proofs)) / 2)
            result[run] = _rates(times, time.monotonic() - began)
        result["server"] = _server(proofs, pool, progress)
        result["verdicts"] = _verdicts(proofs, pool, progress)
        return result


def _server(proofs: list[BenchProof], pool: LeanPool, progress: Progress) -> dict[str, Any]:
    """The set once more, each proof a request of its own to a server before the same, warm pool.

    Compared with the pool itself part by part, one right behind the other, so that a noisy machine slows both.
    """
    clients = _CLIENTS_PER_HOST * pool.hosts
    times: list[float] = []
    served, alone = 0.0, 0.0
    with serving(pool, ServerSettings()) as address, httpx.Client(base_url=address, timeout=_REQUEST_S) as client:

        def ask(proof: BenchProof) -> float:
            snippet = Snippet(id=proof.name, code=f"import Mathlib\n{proof.code}\n-- server")
            began = time.monotonic()
            response = client.post("/api/check", json=CheckRequest(snippets=(snippet,), timeout=60).model_dump())
            response.raise_for_status()
            _agree_served(proof, CheckResponse.model_validate_json(response.content))
            return time.monotonic() - began

        with ThreadPoolExecutor(clients) as threads:
            for part in (proofs[start::_PARTS] for start in range(_PARTS)):
                began = time.monotonic()
                for _ in pool.check(Check(f"{proof.code}\n-- beside the server") for proof in part):
                    pass
                between = time.monotonic()
                times.extend(threads.map(ask, part))
                alone, served = alone + between - began, served + time.monotonic() - between
                progress("server", len(times) / len(proofs))
    return {"clients": clients, **_rates(times, served), "of_the_pool": round(alone / served, 3)}


def _verdicts(proofs: list[BenchProof], pool: LeanPool, progress: Progress) -> dict[str, Any]:
    """What a verdict costs beyond a plain check: for the first attempt at a statement, and for later ones.

    The first asks Lean what the statement is, too. Part by part, each kind right behind the other.
    """
    statements = {proof.name: parse_statement(proof.code) for proof in proofs}
    verifier = CheckedVerifier(pool)
    seconds = {"plain": 0.0, "first": 0.0, "later": 0.0}
    for number in range(_PARTS):
        part = proofs[number::_PARTS]
        began = time.monotonic()
        for _ in pool.check(Check(f"{proof.code}\n-- beside the verdicts") for proof in part):
            pass
        seconds["plain"] += time.monotonic() - began
        for attempt in ("first", "later"):
            began = time.monotonic()
            submissions = [Submission(statements[proof.name], f"{proof.code}\n-- {attempt}") for proof in part]
            for proof, judged in zip(part, verifier.verify(submissions), strict=True):
                if (judged.verdict is not None and judged.verdict.proved) != proof.proved:
                    raise PythagorasError(f"bench: the verdict about {proof.name} is wrong: the verifier is broken")
            seconds[attempt] += time.monotonic() - began
        progress("verdicts", (number + 1) / _PARTS)
    first, later = (seconds[attempt] / seconds["plain"] - 1 for attempt in ("first", "later"))
    eight = (first + 7 * later) / 8
    return {
        "first_attempt": round(first, 3),
        "later_attempts": round(later, 3),
        "eight_attempts": round(eight, 3),
        "per_second": round(len(proofs) / seconds["later"], 2),
    }


def _agree_served(proof: BenchProof, answer: CheckResponse) -> None:
    """The protocol carries messages and sorries, which is all that the set's proofs need."""
    (result,) = answer.results
    if result.response is None:
        raise PythagorasError(f"bench: the server could not check {proof.name}: {result.error}")
    wrong = any(message.severity == "error" for message in result.response.messages or ())
    if (not wrong and not result.response.sorries) != proof.proved:
        raise PythagorasError(f"bench: Lean behind the server disagrees about {proof.name}: the server is broken")


def _agree(proof: BenchProof, answer: Answer) -> None:
    if report(answer).proved != proof.proved:
        said = "; ".join(message.data.splitlines()[0] for message in answer.errors) or "no error"
        raise PythagorasError(
            f"bench: Lean disagrees about {proof.name} ({said}): the installation or the set is broken"
        )


def _rates(times: list[float], total: float) -> dict[str, float]:
    ordered = sorted(times)
    return {
        "per_second": round(len(times) / total, 2),
        "p50_ms": round(1000 * ordered[len(ordered) // 2]),
        "p95_ms": round(1000 * ordered[int(len(ordered) * 0.95)]),
        "max_ms": round(1000 * ordered[-1]),
    }


def rows(result: dict[str, Any]) -> list[tuple[str, str]]:
    """The figures as a table for people."""
    cold, host, pool = result["cold"], result["host"], result["pool"]
    table = [
        ("proofs", f"{result['proofs']}"),
        ("cold process a proof", _cold_row(cold["compiled_header"])),
        ("... that elaborates its header", _cold_row(cold["text_header"])),
        ("one host, just started", _rate_row(host)),
        (f"pool of {pool['hosts']}, just started", _rate_row(pool["first"])),
        (f"pool of {pool['hosts']}, warm", _rate_row(pool["warm"])),
        (f"server before it, {pool['server']['clients']} clients", _server_row(pool["server"])),
        ("verdicts on that pool", _verdict_row(pool["verdicts"])),
        ("ready", f"{host['ready_seconds']} s ({host['start_seconds']} s process, {host['header_seconds']} s header)"),
        ("memory of a host", f"{host['memory_mb']} MB"),
    ]
    if "soak" in host:
        marks = host["soak"]["memory_mb"]
        table.append((f"memory over {host['soak']['checks']} checks", f"{' '.join(map(str, marks))} MB"))
    return table


def _cold_row(cold: dict[str, Any]) -> str:
    each = f"{cold['seconds']} s each, {cold['sample']} tried"
    return f"{cold['per_second']:.2f}/s ({each}); the warm pool does {cold['warm_pool_is_faster']} times as many"


def _verdict_row(verdicts: dict[str, Any]) -> str:
    first, later, eight = (verdicts[f"{kind}"] for kind in ("first_attempt", "later_attempts", "eight_attempts"))
    over = f"{100 * later:+.0f} % over a plain check, {100 * first:+.0f} % for the first at a statement"
    return f"{verdicts['per_second']:.1f}/s, {over} ({100 * eight:+.0f} % over eight attempts)"


def _server_row(server: dict[str, Any]) -> str:
    return f"{server['per_second']:.1f}/s, {100 * server['of_the_pool']:.0f} % of the pool's own"


def _rate_row(rate: dict[str, Any]) -> str:
    return f"{rate['per_second']:.1f}/s (p50 {rate['p50_ms']} ms, p95 {rate['p95_ms']} ms)"
