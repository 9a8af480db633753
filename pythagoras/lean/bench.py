"""Measure Lean on this machine, in one run: a cold process a proof, one warm host, the pool.

The proofs are a fixed set written for this purpose (`data/bench_proofs.jsonl`). Ratios within one run mean something on
a noisy machine; single times do not.
"""

from __future__ import annotations

import importlib.resources
import json
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from pythagoras.errors import PythagorasError
from pythagoras.lean import headers
from pythagoras.lean.host import LeanHost
from pythagoras.lean.pool import Check, LeanPool, Status
from pythagoras.lean.theorems import report
from pythagoras.lean.wire import Answer

Progress = Callable[[str, float], None]


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
    result["pool_over_cold"] = round(result["pool"]["per_second"] / result["cold"]["per_second"], 1)
    result["pool_over_host"] = round(result["pool"]["per_second"] / result["host"]["per_second"], 2)
    return result


def _cold(proofs: list[BenchProof], count: int, progress: Progress) -> dict[str, Any]:
    """What a check costs when each gets a process of its own: start, header, proof. A spread sample of the set."""
    quick = [proof for proof in proofs if proof.kind not in ("slow", "wrong")]
    sample = quick[:: max(1, len(quick) // count)][:count]
    times = []
    for number, proof in enumerate(sample):
        began = time.monotonic()
        with LeanHost() as host:
            _agree(proof, host.check(proof.code, headers.core()))
        times.append(time.monotonic() - began)
        progress("cold", (number + 1) / len(sample))
    return {
        "sample": len(times),
        "seconds": round(statistics.mean(times), 2),
        "per_second": round(1 / statistics.mean(times), 4),
    }


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
    with LeanPool(jobs, spare=False) as pool:
        began = time.monotonic()
        times = []
        for number, (proof, checked) in enumerate(
            zip(proofs, pool.check(Check(proof.code) for proof in proofs), strict=True)
        ):
            if checked.status is not Status.ANSWERED or checked.answer is None:
                raise PythagorasError(f"bench: {proof.name} ended as {checked.status.value}: {checked.failure}")
            _agree(proof, checked.answer)
            times.append(checked.seconds)
            progress("pool", (number + 1) / len(proofs))
        return {"hosts": pool.hosts, **_rates(times, time.monotonic() - began)}


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
        ("cold process a proof", f"{cold['per_second']:.2f}/s ({cold['seconds']} s each, {cold['sample']} tried)"),
        ("one host", f"{host['per_second']:.1f}/s (p50 {host['p50_ms']} ms, p95 {host['p95_ms']} ms)"),
        (f"pool of {pool['hosts']}", f"{pool['per_second']:.1f}/s (p50 {pool['p50_ms']} ms, p95 {pool['p95_ms']} ms)"),
        ("pool over cold", f"{result['pool_over_cold']} times"),
        ("ready", f"{host['ready_seconds']} s ({host['start_seconds']} s process, {host['header_seconds']} s header)"),
        ("memory of a host", f"{host['memory_mb']} MB"),
    ]
    if "soak" in host:
        marks = host["soak"]["memory_mb"]
        table.append((f"memory over {host['soak']['checks']} checks", f"{' '.join(map(str, marks))} MB"))
    return table
