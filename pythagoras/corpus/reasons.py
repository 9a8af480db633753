"""Why a stage drops a record: one closed list for the whole corpus."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """Each reason belongs to one stage; the value is what stands in files and tables."""

    # reading
    UNREADABLE = "unreadable"
    FILTERED_BY_SOURCE = "filtered by source"
    # deduplication
    SAME_TEXT = "same text"
    SAME_UP_TO_NAMES = "same up to names"
    NEAR_DUPLICATE = "near duplicate"
    # decontamination, by the paper's five stages
    SURFACE_HASH = "surface hash"
    NGRAM = "n-gram"
    EMBEDDING = "embedding"
    STRUCTURE = "structure"
    PROOF_TEMPLATE = "proof template"
    # length
    PROOF_TOO_LONG = "proof too long"
    TOO_LONG = "too long"
    INCONSISTENT_REASONING = "reasoning contradicts proof"
    # evaluation
    REFUSED_BY_LEAN = "refused by Lean"
    # building the seed corpus
    NOT_FORMALISED = "not formalised"
    NOT_READ_BACK = "not read back"
    NOT_ALIGNED = "not aligned"
    NOT_PROVED = "not proved"
    NO_VERDICT = "no verdict"
    """Lean broke down, or a worker did: it says nothing about the record."""
    NOT_ACTIONABLE = "not actionable"
    NOT_DISTILLED = "not distilled"
    NOT_VARIED = "not varied"
    HELD_OUT = "held out"
    """The same as a problem that is kept for reinforcement learning."""
    HARDER_TIER = "in a harder tier"
    # mutation and self-distillation
    NO_VARIANT = "no variant"
    NOT_CHECKED = "neither believed nor checked"
    """An unverified pair that the audit gives too little hope, and for which there was no Lean time left."""
