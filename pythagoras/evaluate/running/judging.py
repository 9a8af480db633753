"""Who judges what samplers wrote, and by which rules. What is kept of a verdict is `pythagoras.corpus.judgements`'."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pythagoras.evaluate.runs import LeanInfo
from pythagoras.lean.backends import kind_of
from pythagoras.lean.pool import Checker
from pythagoras.lean.verdict import STANDARD, Policy
from pythagoras.lean.verifier import CheckedVerifier
from pythagoras.lean.version import lean_version
from pythagoras.lean.wire import Limits


@dataclass(frozen=True, slots=True)
class Judge:
    """Who judges, and by which rules. The checker is running."""

    checker: Checker
    backend: str = "embedded"
    """A setting of `lean.backends`; a run remembers which kind of Lean that is."""
    header: str = ""
    """The header that was put in the place of the benchmark's own; empty: as the benchmark gives it."""
    policy: Policy = STANDARD
    limits: Limits = Limits()

    def info(self) -> LeanInfo:
        """For the manifest; asks the checker for its version."""
        return LeanInfo(
            backend=kind_of(self.backend),
            version=lean_version(self.checker),
            header=self.header,
            timeout_s=self.limits.timeout_s,
            policy=policy_settings(self.policy, self.limits),
        )

    def verifier(self) -> CheckedVerifier:
        return CheckedVerifier(self.checker, self.policy, self.limits)


def policy_settings(policy: Policy, limits: Limits) -> dict[str, Any]:
    """What differs from the defaults, JSON-ready: empty for the standard policy and limits."""
    found: dict[str, Any] = {
        name: getattr(policy, name)
        for name in ("compiler", "search", "answers", "gate", "replay")
        if getattr(policy, name) != getattr(STANDARD, name)
    }
    if policy.axioms != STANDARD.axioms:
        found["axioms"] = sorted(policy.axioms)
    return found | limits.model_dump(exclude_none=True)  # without the clock, which has its own place
