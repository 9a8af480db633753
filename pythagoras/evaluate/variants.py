"""MiniF2F's variants: whoever compares results must know which statements were measured on.

Published files differ in 15 of the 244 test statements. Their texts are not kept here, so which variant a file agrees
with is told by its hash, by the mapping that reads it, and by how many of those statements are in it at all.
"""

from __future__ import annotations

from collections.abc import Iterable

from pythagoras.corpus.records import Formalisation
from pythagoras.evaluate.runs import BenchmarkInfo

DIFFERING = frozenset(
    [
        *("aime_1994_p3", "algebra_cubrtrp1oncubrtreq3_rcubp1onrcubeq5778", "algebra_ineq_nto1onlt2m1on"),
        *("amc12a_2020_p10", "amc12a_2020_p7", "amc12a_2021_p18", "amc12a_2021_p9"),
        *("induction_pord1p1on2powklt5on2", "induction_prod1p1onk3le3m1onn"),
        *("mathd_algebra_158", "mathd_algebra_275", "mathd_algebra_314", "mathd_algebra_342"),
        *("mathd_numbertheory_343", "mathd_numbertheory_618"),
    ]
)
"""Test statements that say something else in Goedel-Prover-V2's dataset/minif2f.jsonl than in DeepSeek-Prover-V1.5's
datasets/minif2f.jsonl, found by comparing the two."""
_HASH_SHOWN = 12


def differing(goals: Iterable[Formalisation]) -> tuple[str, ...]:
    """The statements among these, or whose mutations are, in which MiniF2F's variants differ; sorted."""
    return tuple(sorted({goal.provenance.parent or goal.name for goal in goals} & DIFFERING))


def note(info: BenchmarkInfo, goals: Iterable[Formalisation]) -> str:
    """One sentence for reports: what was measured on, exactly."""
    variant = f", variant {info.variant}" if info.variant else ""
    file = f", {'file ' + info.file if info.file else 'rows'} with SHA-256 {info.sha256[:_HASH_SHOWN]}"
    part = f" ({info.items} of its {info.of} statements: {info.filter})" if info.of is not None else ""
    there = len(differing(goals))
    if not info.name.startswith("minif2f"):
        warning = ""
    elif there:
        warning = (
            f"; it has {there} of the {len(DIFFERING)} test statements in which MiniF2F's variants differ, "
            "so results on other variants are about other statements there"
        )
    else:
        warning = f"; none of the {len(DIFFERING)} test statements in which MiniF2F's variants differ is in it"
    return f"{info.name}{part}{variant}{file if info.sha256 else ''}{warning}."
