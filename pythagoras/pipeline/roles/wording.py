"""Rules about words that hold for every problem in natural language, whoever wrote it.

A problem is mathematics in words: no Lean in it, no question about a proof that the reader has not seen, nothing that
stands elsewhere. The rules go by wording, so they can be wrong; they refuse rather than let code into the corpus.
"""

from __future__ import annotations

import re

from pythagoras.pipeline.roles.answers import shortened
from pythagoras.pipeline.roles.role import Fault, Refused

SHORTEST = 20
LONGEST = 4_000
"""Characters of a problem."""

_TACTICS = (
    *("simp", "simpa", "simp_all", "dsimp", "rw", "rwa", "erw", "linarith", "nlinarith", "norm_num", "norm_cast"),
    *("push_cast", "ring_nf", "field_simp", "rcases", "rintro", "interval_cases", "native_decide", "aesop", "gcongr"),
    *("positivity", "exact_mod_cast", "omega", "sorry", "nlinarith", "zify", "push_neg", "by_contra", "fin_cases"),
)
_AFTER_BY = ("decide", "ring", "grind", "rfl", "exact", "intro", "intros", "induction", "cases", "apply", "refine")
_CODE = (
    r"`+",
    r":=|=>|<;>|⊢|▸|⟨|⟩|←|λ\s*\w+\s*[,.]|\bfun\s+\w+\s*↦",
    rf"(?<![\w\\])(?:{'|'.join(_TACTICS)})(?!\w)",
    rf"\bby\s+(?:{'|'.join(_AFTER_BY)})(?:\s*[.;,]?\s*$|\s+\[|\s+at\b|\s+(?:h\w?|using)\b|\s*<)",
    r"\b(?:theorem|lemma|def|example|instance|structure|inductive)\s+[\w'.]+\s*(?:[({\[][^()]{1,60}\s:|:\s)",
    r"\bhave\s+\w+\s*:\s*\S+\s*[=<>≤≥≠∣∈].{0,300}\bby\b",
    r"\b(?:Nat|Int|Rat|Real|Finset|List|Set|Function|Fin|Polynomial|Matrix)\.[A-Za-z_]\w*",
    r"\bimport\s+(?:Mathlib|Lean|Aesop)|\bMathlib\b|\bLean(?:\s*4)?\b|#(?:eval|check|print)\b",
    r"\b[a-z]{2,}_[a-z]{2,}\w*",
    r"\btactics?\b|\bmetavariable|\btype ?class\b|\belaborat|\btype[- ]check",
)
_CODE_PATTERN = re.compile("|".join(f"(?:{pattern})" for pattern in _CODE), re.MULTILINE)
_DIAGNOSTIC = re.compile(
    r"\bwhy\b|\bwhat (?:went|goes|is) wrong\b|\bwhat (?:causes|caused)\b"
    r"|\bexplain\b.{0,40}\b(?:error|fail|mistake|wrong)"
    r"|\b(?:what|which) missing\b"
    r"|\b(?:what|which) (?:is the )?(?:\w+ ){0,2}(?:approach|strategy|step|mistake|error|flaw|lemma|reason)\b"
    r"|\b(?:identify|find|spot|describe|name) (?:the|an?) (?:\w+ ){0,2}(?:error|mistake|flaw|gap|bug)\b"
    r"|\b(?:did|does|do) (?:\w+ ){1,8}fail\b|\bhow (?:can|could|should|would|do) (?:\w+ ){1,6}(?:proof|argument) be\b"
    r"|\b(?:fix|repair|debug|correct) (?:the|this) (?:proof|argument|error|statement)\b",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\b(?:the|this) (?:original|previous|preceding|earlier|above|given|failed|same) (?:problem|question|theorem|proof|"
    r"statement|attempt|exercise|goal|hypothes[ie]s)\b|\bgoal state\b"
    r"|\b(?:proof|theorem|problem|question|statement|goal|hypothes[ie]s|assumptions?|definition|sequence) above\b"
    r"|\bas (?:stated |given |defined )?above\b|\bproof attempt\b|\bthe (?:code|compiler|prover)\b|\berror message",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?|\b(?:prove|show|verify|establish|demonstrate|deduce|derive|conclude|check|confirm|justify|find|calculate|"
    r"compute|determine|evaluate|work out|solve|simplify|expand|factori[sz]e|express|convert|count|list|decide whether|"
    r"give|write|what is|how many|how much)\b",
    re.IGNORECASE,
)
_SUBSTANCE = re.compile(r"[\d=<>≤≥≠]|\b[b-zA-HJ-Z]\b")
"""A number, a relation or a variable: what a question that can be solved has at least one of."""
_LABEL = re.compile(
    r"(?:#+\s*)?\**(?:the\s+)?(?:problem|question|statement|informal statement|natural language)\**\s*:\**\s*",
    re.IGNORECASE,
)
_SIGN = re.compile(r"[^\w]+")


def code_in(text: str) -> str:
    """The first piece of a text that is Lean rather than mathematics in words; empty when there is none."""
    found = _CODE_PATTERN.search(text)
    return shortened(found[0], 60) if found else ""


def problem_fault(text: str) -> Refused | None:
    """Why a text is no problem in words; None when it is one."""
    if len(text) < SHORTEST:
        return Refused(Fault.TOO_SHORT, f"{len(text)} characters")
    if len(text) > LONGEST:
        return Refused(Fault.TOO_LONG, f"{len(text):,} characters")
    if code := code_in(text):
        return Refused(Fault.HAS_CODE, f"{code} in the problem")
    return None


def question_fault(text: str, source: str) -> Refused | None:
    """Why a text is no question that stands for itself; None when it is one. `source` is what it was made from."""
    if fault := problem_fault(text):
        return fault
    if found := _DIAGNOSTIC.search(text):
        return Refused(Fault.ASKS_WHY, shortened(found[0], 60))
    if found := _ELSEWHERE.search(text):
        return Refused(Fault.WRONG_FIELDS, f"the question does not stand for itself: {shortened(found[0], 60)}")
    if not _ASKS.search(text):
        return Refused(Fault.WRONG_FIELDS, "the question asks for nothing")
    if not _SUBSTANCE.search(text):
        return Refused(Fault.WRONG_FIELDS, "the question has neither numbers nor variables")
    if same_words(text, source):
        return Refused(Fault.REPEATS, "the question is the problem that it was made from")
    return None


def same_words(one: str, other: str) -> bool:
    """Whether two texts differ in spaces, punctuation and letters' size only."""
    return bool(other.strip()) and _words(one) == _words(other)


def without_label(text: str) -> str:
    """A text without the heading that models like to put before it."""
    return text[found.end() :].lstrip() if (found := _LABEL.match(text)) else text


def _words(text: str) -> str:
    """Letters and digits alone; signs between digits stay, for 2-3 is not 23."""
    return _SIGN.sub(lambda sign: sign[0].strip().strip(".,;:!?*") or " ", text.casefold()).strip()
