"""Drop a pair whose reasoning contradicts how its proof closes: the filter of the paper's appendix.

The paper discards "pairs whose reasoning trace is inconsistent with its closing tactic sequence" and does not say how
that is told. Here it is told by rules over words, without a model, and only a positive contradiction counts: the
reasoning commits itself to a tactic, method, witness, answer, lemma or text, and the proof has another. What is hedged
("might", "instead of", "fails") commits to nothing. Reasoning that is merely poor, or about something else, is not
noticed. Sentences and blocks of Lean that are very long are passed over, so that no text takes more than its length's
worth of time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import zip_longest

from pythagoras.corpus.reasons import Reason
from pythagoras.corpus.records import Instance, Record, statement_of
from pythagoras.corpus.stages import Dropped
from pythagoras.errors import InputError
from pythagoras.lean import lexical, signatures
from pythagoras.lean.gate import uses_sorry
from pythagoras.lean.tokens import Sort, Token, tokens


class Finding(StrEnum):
    """How a reasoning contradicts its proof."""

    OTHER_TACTIC = "other closing tactic"
    OTHER_METHOD = "other method"
    OTHER_WITNESS = "other witness"
    OTHER_ANSWER = "other answer"
    OTHER_LEMMA = "other lemma"
    OTHER_PROOF = "other proof text"
    GIVES_UP = "says that there is no proof"


@dataclass(frozen=True, slots=True)
class Contradiction:
    """What the reasoning says that the proof does not do."""

    finding: Finding
    said: str
    """The sentence, or the line of Lean."""

    def __str__(self) -> str:
        return f"{self.finding}: {self.said!r}"


class _Pair:
    """Reasoning and proof. They are taken apart when a rule asks: most pairs make no claim that needs the proof."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self._text = instance.reasoning.replace("\r\n", "\n")

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """Of the prose, in order, without remarks in brackets, with one blank between words."""
        ends = [0, *(block.end for block in self._blocks)]
        starts = [*(block.start for block in self._blocks), len(self._text)]
        prose = "\n".join(self._text[end:start] for end, start in zip(ends, starts, strict=True))
        found = (" ".join(sentence.split()) for sentence in _SENTENCE_END.split(_REMARK.sub(" ", prose)))
        return tuple(sentence for sentence in found if 0 < len(sentence) <= _LONGEST_SENTENCE)

    @cached_property
    def lean(self) -> tuple[tuple[str, str], ...]:
        """Each Lean block of the reasoning, and the prose behind it."""
        return tuple(
            (block.text, self._text[block.end : behind.start if behind else len(self._text)])
            for block, behind in zip_longest(self._blocks, self._blocks[1:])
            if block.language.lower() in ("lean", "lean4")
        )

    @cached_property
    def _blocks(self) -> tuple[_Block, ...]:
        return tuple(_blocks(self._text))

    @cached_property
    def words(self) -> frozenset[str]:
        """Every name in the proof, and every part of a dotted one."""
        names = _DOTTED.findall(lexical.read(self.instance.proof).code)
        return frozenset([*names, *(part for name in names for part in name.split("."))])


@dataclass(frozen=True, slots=True)
class _Block:
    """What stands between fences, and the place of the whole."""

    language: str
    text: str
    start: int
    end: int


def _blocks(text: str) -> Iterator[_Block]:
    """In order. One that is never closed reaches to the end; a fence on the last line opens none."""
    at = 0
    while (start := text.find("```", at)) >= 0 and (line_end := text.find("\n", start)) >= 0:
        language = _LANGUAGE.match(text, start + 3)
        assert language is not None
        closing = _CLOSING_FENCE.search(text, line_end)
        last, at = closing.span() if closing else (len(text), len(text))
        yield _Block(language[0], text[line_end + 1 : last], start, at)


_LANGUAGE = re.compile(r"\w*")
_CLOSING_FENCE = re.compile(r"\n[ \t]*```")
_REMARK = re.compile(r"\([A-Za-z]\w{2,}\s[^()]*\)")
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")
_DOTTED = re.compile(r"[^\W\d][\w'!?.]*")
_CONCLUSION = 6
"""Sentences at the end of a reasoning that count as its conclusion."""
_LONGEST_SENTENCE = 1_000
"""Patterns look for one thing anywhere behind another, which takes the square of a sentence's length."""
_LONGEST_LEAN = 20_000
"""Of a block or a statement, for the same reason; characters, as above."""

_HEDGED = re.compile(
    r"\b(?:not|never|neither|nor|no|cannot|could|might|may|maybe|perhaps|possibly|would|should|try|tries|tried|trying"
    r"|attempt\w*|fail\w*|instead|rather|without|unless|if|whether|suppose\w*|assum\w*|alternatively|also|almost|unlike"
    r"|enough|possible|can be|thought|expected|believ\w*|avoid\w*|had|were|seem\w*|hope\w*"
    r"|unnecessary|overkill)\b|n't\b|\?",
    re.IGNORECASE,
)

# --- tactics -----------------------------------------------------------------------------------------

_SAME: dict[str, frozenset[str]] = {
    name: group
    for group in (
        frozenset({"omega", "lia", "cutsat"}),
        frozenset({"simp", "simp_all", "simpa", "simp_arith", "simp_rw", "dsimp", "norm_num", "norm_num1"}),
        frozenset({"linarith", "nlinarith", "polyrith", "linear_combination"}),
        frozenset({"ring", "ring_nf", "ring1", "noncomm_ring"}),
        frozenset({"decide", "native_decide", "decide!"}),
        frozenset({"rfl", "eq_refl", "refl"}),
        frozenset({"aesop", "tauto", "itauto"}),
        frozenset({"grind"}),
        frozenset({"positivity"}),
        frozenset({"field_simp"}),
        frozenset({"contradiction", "absurd", "nomatch", "exfalso"}),
        frozenset({"assumption", "trivial"}),
    )
    for name in group
}
"""Tactics that close goals, each with those that a text may well mean by it."""
_QUOTED_ONLY = frozenset(
    {"ring", "decide", "contradiction", "assumption", "trivial", "absurd", "refl", "positivity", "exfalso"}
)
"""Those that are English words as well: they count between backticks only."""
_SPAN = re.compile(r"`([^`\n]+)`")
_WORD = re.compile(r"[^\W\d][\w'!?]*")
_CLOSES = r"(?:clos|finish|discharg|settl|solv|dispatch|complet|conclud|end)(?:e|es|ed|s|ing)?"
_CLOSING_CLAIM = re.compile(
    rf"\b{_CLOSES}\b.*\b(?:with|by|using|via|calling)\b"
    rf"|\b\w+`?\s+(?:(?:then|now|immediately|directly|itself|tactic)\s+)*{_CLOSES}\b",
    re.IGNORECASE,
)


def _other_tactic(pair: _Pair) -> Contradiction | None:
    """The last sentence that says what closes the goal names tactics, and the proof has none of them."""
    for sentence in reversed(pair.sentences):
        if _CLOSING_CLAIM.search(sentence) and (named := _tactics_named(sentence)):
            meant = frozenset[str]().union(*(_SAME[name] for name in named))
            if _HEDGED.search(sentence) or meant & pair.words:
                return None
            return Contradiction(Finding.OTHER_TACTIC, sentence)
    return None


def _tactics_named(sentence: str) -> set[str]:
    quoted = {word for span in _SPAN.findall(sentence) for word in _WORD.findall(span)}
    return (quoted | {word for word in _WORD.findall(sentence) if word not in _QUOTED_ONLY}) & _SAME.keys()


# --- methods -----------------------------------------------------------------------------------------

_OWN = (
    r"(?:\b(?:we|i)(?:'ll| will| shall| now| then| can)?|^\W*(?:\d\W+)?(?:now|then|so|let us|let's)?)\s*"
    r"\b(?:prove|proceed|argue|use|do|perform|apply|go|show)\b"
)
"""Somebody says what the proof at hand does, not what could be done or what a library does."""
_PROOF_IS = r"\bproof\s+(?:(?:is|goes|proceeds|works|runs)\s+)?"
_BY_INDUCTION = re.compile(
    rf"{_OWN}.*\binduction\b(?!\s+hypothes)|{_PROOF_IS}by (?:\w+ )?induction\b|^\W*by (?:\w+ )?induction on\b"
    r"|\b(?:we|i)\b.*\binduct on\b",
    re.IGNORECASE,
)
_INDUCTIVE = re.compile(r"induc|(?:^|\.)rec(?:On|_on)?$|^match$|^termination_by$|^decreasing_by$|^fix$", re.IGNORECASE)
_BY_CONTRADICTION = re.compile(rf"{_OWN}.*\bby contradiction\b|{_PROOF_IS}by contradiction\b", re.IGNORECASE)
_REFUTING = frozenset(
    [
        *("by_contra", "by_contra!", "by_contradiction", "contradiction", "absurd", "exfalso", "False", "nomatch"),
        *("omega", "lia", "grind", "linarith", "nlinarith", "positivity", "simp_all", "aesop", "tauto", "decide"),
        *("contrapose", "contrapose!", "push_neg", "byContradiction", "Not", "not_lt", "not_le", "native_decide"),
    ]
)
_NEGATIVE = frozenset({"¬", "≠", "False", "∉", "Not"})


def _other_method(pair: _Pair) -> Contradiction | None:
    """It says that the proof is by induction or by contradiction, and nothing in the proof is."""
    for word, pattern, done in (("induct", _BY_INDUCTION, _inducts), ("contradict", _BY_CONTRADICTION, _refutes)):
        claims = [sentence for sentence in pair.sentences if word in sentence and pattern.search(sentence)]
        if claims and not any(_HEDGED.search(sentence) for sentence in claims) and not done(pair):
            return Contradiction(Finding.OTHER_METHOD, claims[-1])
    return None


def _inducts(pair: _Pair) -> bool:
    return any(_INDUCTIVE.search(word) for word in pair.words) or pair.instance.name in pair.words


def _refutes(pair: _Pair) -> bool:
    negative = not _NEGATIVE.isdisjoint(token.text for token in tokens(pair.instance.statement))
    return negative or not _REFUTING.isdisjoint(pair.words)


# --- numbers -----------------------------------------------------------------------------------------

_WITNESS_CLAIM = re.compile(
    r"\bwitness\b|(?:^|: )\W*(?:so |then |we |now |here )*(?:take|choose|pick|use|set)\b", re.IGNORECASE
)
_ASSIGNED = re.compile(
    r"(?:\b[a-z]\w?\s*:?=|\bwitness(?:\s+(?:is|be|to be|will be|for \w+ is))?)\s*[`$]?-?(\d+)(?![\d^/*+]|\.\d)"
)
_WITNESS_PLACE = re.compile(r"(?:⟨|\buse\s|\bexists\s|\bExists\.intro\s)\s*([^\n⟩]*)")
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
_CONNECTIVES = frozenset({"∧", "∨", "∃", "∀", "↔", "→", "¬"})
_ANSWER = re.compile(
    r"(?:\banswer\s*(?:is|:|=|to the problem is)|\\boxed\s*\{)\s*\**\s*\$?\s*\\?(?:boxed\{)?\s*(-?\d[\d,]*)"
    r"(?![\w/^.]*[\d/^])",
    re.IGNORECASE,
)


def _other_witness(pair: _Pair) -> Contradiction | None:
    """It names numbers as witnesses, and the proof gives other numbers."""
    if "∃" not in pair.instance.statement:
        return None
    for sentence in reversed(pair.sentences):
        named = set(_ASSIGNED.findall(sentence))
        if named and _WITNESS_CLAIM.search(sentence):
            given = set(_NUMBER.findall(" ".join(_WITNESS_PLACE.findall(pair.instance.proof))))
            if not given or _HEDGED.search(sentence) or named & given:
                return None
            return Contradiction(Finding.OTHER_WITNESS, sentence)
    return None


def _other_answer(pair: _Pair) -> Contradiction | None:
    """Its answer is a whole number, the goal ends with `= ` another one, and the statement has no such number."""
    claims = [(found[1], sentence) for sentence in pair.sentences for found in _ANSWER.finditer(sentence)]
    if not claims or not _states_a_number(pair.instance):
        return None
    answer, sentence = claims[-1]
    known = answer.replace(",", "").lstrip("-") in _NUMBER.findall(pair.instance.statement)
    return None if known or _HEDGED.search(sentence) else Contradiction(Finding.OTHER_ANSWER, sentence)


def _states_a_number(instance: Instance) -> bool:
    """Whether the goal says which whole number something is, and nothing else."""
    if len(instance.context) + len(instance.statement) > _LONGEST_LEAN:
        return False
    try:
        goal = tokens(statement_of(instance).goal)
    except InputError:
        return False
    if len(goal) < 2 or not _CONNECTIVES.isdisjoint(token.text for token in goal):
        return False
    return goal[-1].sort is Sort.NUMBER and goal[-2].text == "="


# --- lemmas and texts --------------------------------------------------------------------------------

_LEMMA_CLAIM = re.compile(
    r"\b(?:follows|is|exactly|conclude|close|finish|apply|applying)\b[^.]*?`(?=[A-Za-z][\w']*[._][\w'])([A-Za-z][\w'.]*)`",
    re.IGNORECASE,
)
_AUTOMATION = _SAME.keys() - {"rfl", "eq_refl", "refl", "assumption", "trivial"} | {
    *("norm_cast", "gcongr", "bound", "interval_cases", "fin_cases", "exact?", "apply?")
}
_RETRACTED = re.compile(
    r"\b(?:however|but|fail\w*|error\w*|instead|wrong|wait|fix\w*|actually|revis\w*|refin\w*|simplif\w*|replac\w*|better"
    r"|draft|sketch\w*|attempt\w*|improv\w*|alternativ\w*|clean\w*|short\w*)\b",
    re.IGNORECASE,
)


def _other_lemma(pair: _Pair) -> Contradiction | None:
    """It says that the goal is a certain lemma, and the proof uses lemmas, but not that one."""
    conclusion = pair.sentences[-_CONCLUSION:]
    claims = [(found[1], sentence) for sentence in conclusion for found in _LEMMA_CLAIM.finditer(sentence)]
    if not claims or not _AUTOMATION.isdisjoint(pair.words):  # automation may use any lemma
        return None
    if not any("." in word or "_" in word for word in pair.words):
        return None
    lemma, sentence = claims[-1]
    if _HEDGED.search(sentence) or lemma in _SAME or lemma.rpartition(".")[2] in pair.words or lemma in pair.words:
        return None
    return Contradiction(Finding.OTHER_LEMMA, sentence)


def _other_proof(pair: _Pair) -> Contradiction | None:
    """Its last Lean block is a whole proof of the theorem that ends in another line than ours does."""
    if not pair.lean:
        return None
    block, behind = pair.lean[-1]
    if len(block) > _LONGEST_LEAN or uses_sorry(block) or _RETRACTED.search(behind):
        return None
    stated = [command for command in signatures.commands(block) if command.word in signatures.THEOREMS]
    if not stated or stated[-1].written_name != pair.instance.name:
        return None
    theirs, ours = _last_line(stated[-1].tokens), _last_line(tokens(pair.instance.proof))
    if theirs == ours:
        return None
    return Contradiction(Finding.OTHER_PROOF, " ".join(theirs))


def _last_line(line: Sequence[Token]) -> tuple[str, ...]:
    """The tokens of the last line, without what it begins with if that is the proof's own `:= by`."""
    start = max((index for index, token in enumerate(line) if token.first), default=0)
    texts = [token.text for token in line[start:]]
    if ":=" in texts:
        texts = texts[len(texts) - texts[::-1].index(":=") :]
    return tuple(texts[1:] if texts[:1] == ["by"] else texts)


_SUBJECT = r"(?:the|this|our)\s+(?:given\s+|formal\s+|original\s+)?(?:statement|theorem|claim|goal|proposition)"
_NO_PROOF = re.compile(
    rf"\b{_SUBJECT}\s+(?:as (?:stated|written|given)\s+)?(?:is|turns out to be)\s+(?:\w+\s+)?"
    r"(?:false|not true|wrong|unprovable|not provable|incorrect|not correct)\b"
    rf"|\bthere is no (?:valid )?proof\b|\b{_SUBJECT}\s+(?:cannot|can't|can not) be (?:proved|proven|shown)\b"
    r"|\bI (?:was|am) (?:unable|not able) to (?:find a proof|prove|complete)\b"
    r"|\bI (?:could not|couldn't|cannot|can't) (?:find a proof|prove (?:it|this|the)|complete (?:it|this|the proof))\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:suppos\w*|assum\w*|if|were|contradiction|contrary|whether|unless|over the)\b|\?", re.IGNORECASE
)


def _gives_up(pair: _Pair) -> Contradiction | None:
    """Its conclusion is that the statement is false or can't be proved."""
    for sentence in pair.sentences[-_CONCLUSION:]:
        if _NO_PROOF.search(sentence) and not _SUPPOSED.search(sentence):
            return Contradiction(Finding.GIVES_UP, sentence)
    return None


# --- the stage ---------------------------------------------------------------------------------------

RULES: tuple[Callable[[_Pair], Contradiction | None], ...] = (
    _gives_up,
    _other_proof,
    _other_witness,
    _other_answer,
    _other_method,
    _other_tactic,
    _other_lemma,
)


def contradictions(instance: Instance) -> list[Contradiction]:
    """Every way in which the reasoning contradicts the proof. None for an instance without either."""
    if not instance.reasoning.strip() or not instance.proof.strip():
        return []
    pair = _Pair(instance)
    return [found for rule in RULES if (found := rule(pair)) is not None]


class ConsistencyFilter:
    """The stage: hand `decide` to `run_stage`, and `tally` with it, which counts findings."""

    def __init__(self) -> None:
        self.tally: Counter[str] = Counter()

    def decide(self, batch: Sequence[Record]) -> Iterator[Record | Dropped]:
        """One decision a record, in order. Records without reasoning pass."""
        for record in batch:
            found = contradictions(record) if isinstance(record, Instance) else []
            self.tally.update(each.finding.value for each in found)
            if found:
                yield Dropped(record, Reason.INCONSISTENT_REASONING, detail="; ".join(map(str, found)))
            else:
                yield record
