"""What exactly a run measured, and how: the facts that stand with every number, in tables and on the page."""

from __future__ import annotations

import json
import re
from typing import Any

from pythagoras.evaluate.results import Results
from pythagoras.evaluate.running.protocols import Part, Protocol
from pythagoras.evaluate.variants import differing


def facts_of(run: Results) -> dict[str, str]:
    """Each fact by its name, in the order they are told; what there is nothing to say about is left out."""
    manifest, benchmark, lean = run.manifest, run.manifest.benchmark, run.manifest.lean
    there = differing(run.goals) if benchmark.name.startswith("minif2f") else ()
    told = {
        "benchmark": benchmark.name + (", a mutation of another" if benchmark.mutation else ""),
        "variant": benchmark.variant,
        "file": benchmark.file,
        "SHA-256": benchmark.sha256,
        "statements": f"{benchmark.items:,}",
        "chosen from": f"{benchmark.of:,} ({benchmark.filter})" if benchmark.of is not None else "",
        "variants differ in": f"{len(there)} of them" if there else "",
        "attempts (N)": f"{manifest.n:,} a statement" + (", none after a solution" * manifest.stop_when_solved),
        "protocol": _protocol(manifest.protocol),
    }
    for at, sampler in enumerate(manifest.samplers, 1):
        name = "sampler" if len(manifest.samplers) == 1 else f"sampler {at}"
        told[name] = f"{sampler.name} {_settings(sampler.settings)}".strip()
    told |= {
        "seed": str(manifest.seed),
        "Lean": f"{_short(lean.version)} ({lean.backend}), {lean.timeout_s:g} s a proof",
        "header": lean.header or "as the benchmark gives it",
        "policy": _settings(lean.policy) or "standard",
        "versions": _settings(manifest.versions),
        "started": manifest.started,
        "wall clock": f"{manifest.wall_seconds:,.0f} s",
    }
    told |= {name: f"{count:,}" for name, count in manifest.notes.items()}
    return {name: text for name, text in told.items() if text}


def _short(version: str) -> str:
    """A version with no more than the beginning of its commit."""
    return re.sub(r"([0-9a-f]{12})[0-9a-f]+", r"\1", version)


def _protocol(protocol: Protocol) -> str:
    """Its name, and where its parts are more than restarts, what they are."""
    if protocol.parts == (Part(),):
        return protocol.name
    return f"{protocol.name}: {' + '.join(map(_part, protocol.parts))}"


def _part(part: Part) -> str:
    rounds = f"up to {part.rounds} rounds ({part.repair})" if part.rounds > 1 else "restarts"
    by = f" by {part.repairer}" if part.repairer else ""
    most = f", at most {part.at_most}" if part.at_most else ""
    weight = f", weight {part.weight}" if part.weight > 1 else ""
    return f"{f'{part.sampler}: ' if part.sampler else ''}{rounds}{by}{weight}{most}"


def _settings(settings: dict[str, Any]) -> str:
    return ", ".join(
        f"{name} {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in settings.items()
        if value not in (None, "")
    )
