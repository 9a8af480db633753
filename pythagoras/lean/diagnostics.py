"""What kind of error Lean reports, which one is the root cause, and which ones merely follow.

The seven classes are those of the paper's rubric. They are read off Lean's wording, which changes from version to
version, so this is for people, for distillation prompts and for statistics of training, never for verdicts. The
wording stands in one table, for Lean 4.9, 4.15 and 4.2x; where Lean tags a message itself, the tag decides.

An error is downstream when one that Lean reported before explains it. The rules (`Link`) go by places, names and the
spans of the answer; without spans only the coarser ones apply. Nothing is run again, so they can be wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

from pythagoras.lean.wire import Answer, Message, Position, Span


class ErrorClass(Enum):
    """The seven classes. Parse errors are `OTHER`, as are placeholders left open and tactics that find no goal left."""

    INVALID_FIELD = "invalid field"
    UNSOLVED_GOALS = "unsolved goals"
    TACTIC_FAILURE = "tactic failure"
    TYPE_MISMATCH = "type mismatch"
    FAILED_SYNTHESIS = "failed to synthesise"
    UNKNOWN_NAME = "unknown name"
    OTHER = "other"


class Level(Enum):
    """What an error says is wrong: the statement, or the attempt to prove it."""

    FORMALISATION = "formalisation"
    PROOF = "proof"


class Link(Enum):
    """Why an error is taken for a consequence of an earlier one."""

    UNPARSED = "a parse error cut off the text around it"
    SAME_STEP = "a part of the same tactic or term had failed before"
    ENCLOSING = "goals are left in a block where a step failed"
    LATER_STEP = "an earlier step of the same tactic block failed and left another state"
    DECLARATION = "it uses a declaration that has an error (for theorems: in the statement)"
    STATEMENT = "it is about a goal, and the statement has an error"
    HOLE = "it is about a `sorry`, or a metavariable, that Lean put where the earlier error stands"
    REPEATED = "the same name, field or instance was missing before"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One error of Lean, classified. What the message does not say is None or empty."""

    error: ErrorClass
    pos: Position
    text: str
    tactic: str | None = None
    """The tactic that failed: as the message names it, or a variant of it (`nlinarith`) that stands in the source."""
    subject: str | None = None
    """The unknown name (or tactic), the field that is not there, or the instance that was not found."""
    actual: str | None = None
    """The type of the term that does not fit, or of the expression whose field was asked for."""
    expected: str | None = None
    goals: tuple[str, ...] = ()
    """Goals that the message shows, each with its hypotheses."""


@dataclass(frozen=True, slots=True)
class Consequence:
    """An error that another one explains."""

    error: Diagnostic
    cause: Diagnostic
    link: Link


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All errors of an attempt, in the order of the text; goals count as left where their block ends."""

    errors: tuple[Diagnostic, ...]
    root: Diagnostic | None
    """The first error that no other explains; None without errors."""
    level: Level | None
    """Of the root. None also when it is not known where the proof begins."""
    downstream: tuple[Consequence, ...]

    @property
    def independent(self) -> tuple[Diagnostic, ...]:
        """Errors that no other explains; the root is the first."""
        explained = {id(consequence.error) for consequence in self.downstream}
        return tuple(error for error in self.errors if id(error) not in explained)


# --- one message ---------------------------------------------------------------------------------

_F, _G, _T, _M, _S, _U, _O = ErrorClass
_SUBJECT = r"[`'](?P<subject>[^`\n]+?)[`'](?=[\s.,:;]|$)"
_BLOCK = r"[^\n]*(?:\n(?P<subject>(?:  .*(?:\n|$))+))?"
_TACTIC = r"(?:the )?[`'‘]?(?P<tactic>[a-z]\w*[?!]?)[`'’]?"
_PARSE = r"unexpected (?:token|identifier|end of input|character)|expected (?!type|struct)|unterminated|unknown tactic"
_LIMIT = r"maximum recursion depth|\(deterministic\) timeout|maximum number of heartbeats"

# Class, how a message of it begins (in either case), and the tactic that says so where the words do not name it.
# Named groups are fields of the Diagnostic. The first line that fits decides: what says least comes last.
_RULES: tuple[tuple[ErrorClass, str, str], ...] = (
    (_O, _PARSE, ""),
    (_F, rf"invalid field {_SUBJECT}", ""),  # 4.9: invalid field 'foo', the environment does not contain ...
    (_F, r"invalid (?:use of )?field notation", ""),
    (_F, r"invalid projection(?:: Index `(?P<subject>\d+)`)?", ""),  # 4.9: invalid projection, structure expected
    (_F, rf"{_SUBJECT} is not a (?:valid )?field of structure [`'](?P<actual>[^`'\n]+)", ""),
    (_F, rf"structure [`'](?P<actual>[^`'\n]+)[`'] does not have a field named {_SUBJECT}", ""),
    (_G, r"unsolved goals", ""),
    (_U, rf"unknown (?:identifier|constant|namespace|universe level|declaration) {_SUBJECT}", ""),
    (_U, r"function expected at\n(?s:.*)\nHint: The identifier `(?P<subject>[^`]+)` is unknown", ""),
    (_S, rf"failed to synthesi[sz]e\b{_BLOCK}", ""),  # 4.9: failed to synthesize instance; 4.2x: instance of type class
    (_S, rf"type ?class instance problem is stuck{_BLOCK}", ""),
    (_S, r"could not synthesi[sz]e a .* instance for type\s+(?P<actual>.+)", ""),
    (_M, r"(?:application )?type mismatch|(?:mod_cast|'calc' expression) has type", ""),
    (_M, r"type expected, got\s+\([^:\n]+ : (?P<actual>[^\n]+)\)", ""),
    (_M, r"function expected|type expected|cannot coerce|invalid `▸` notation|numerals are data in Lean", ""),
    (_T, r"tactic [`'‘](?P<tactic>[^`'’\n]+)[`'’]", ""),  # 4.9: tactic 'rewrite' failed, did not find instance of ...
    (_T, rf"{_TACTIC} tactic failed", ""),
    (_T, rf"{_TACTIC}:?(?: extension)? (?:failed|made no progress|could not|did not|requires|scrutinee)\b", ""),
    (_T, r"invalid [`'](?P<tactic>\w+)[`'] (?:conv )?(?:tactic|step)", ""),
    (_T, r"invalid rewrite argument|equality or iff proof expected|failed to rewrite using equation", "rewrite"),
    (_T, r"expected type must not contain", "decide"),
    (_T, r"failed to prove (?:strict )?(?:positivity|nonnegativity|nonzeroness)|not a positivity goal", "positivity"),
    (_T, r"no applicable extensionality theorem|(?:applyExtTheorem|this extensionality tactic) only applies", "ext"),
    (_T, r"no applicable symmetry lemma", "symm"),
    (_T, r"case tag|tag not found", "case"),
    (_T, r"(?:invalid target: )?index in target's type is not a variable", "induction"),
    (_T, r"too many variable names provided", "rename_i"),
    (_T, r"the prover found a (?:potential(?:ly spurious)? )?counterexample", "bv_decide"),
    (_T, r"failed to prove index is valid", "get_elem_tactic"),
    (_T, _LIMIT, ""),  # becomes OTHER where no tactic stands
    (_O, r"no goals|don't know how to|overloaded, errors|ambiguous, |fail(?:ed)? to show termination", ""),
    (_T, r"(?s:.*\n⊢ )", ""),  # whoever shows a goal and is none of the above is a tactic
)
_COMPILED = tuple((error, re.compile(pattern, re.IGNORECASE), tactic) for error, pattern, tactic in _RULES)
_TAGS = {"unsolvedGoals": _G, "invalidField": _F, "synthInstanceFailed": _S, "unknownIdentifier": _U}
_TYPE = r"\s*(?:`([^`\n]+)`|\n((?:  .*(?:\n|$))+))"
_ACTUAL = re.compile(rf"\b(?:has type|of type){_TYPE}")
_EXPECTED = re.compile(rf"\bexpected to have type{_TYPE}")
_SORT = re.compile(r" : (?:Prop|Type|Sort)(?: \S+)?$")  # 4.9 writes it behind types
_HYPOTHESIS = re.compile(r"case |⊢|\S[^:]* :=? ?")
_WORD = re.compile(r"[a-z_][\w'?!]*")
_STEP = re.compile(r"^\s*|\bby\s+|(?:=>|<;>|[;·]|\|(?=\s))\s*")


def classify(message: Message, code: str = "", spans: Sequence[Span] = ()) -> Diagnostic:
    """The class of one message and what it is about. The text and its spans help to name the tactic."""
    text = message.data.strip()
    tag = _TAGS.get(re.sub(r"^(?:Tactic|lean)\.|\._namedError$", "", message.kind or ""))
    rules = (rule for rule in _COMPILED if tag in (None, rule[0]) and rule[1].match(text))
    error, pattern, tactic = next(rules, (tag or _O, re.compile(""), ""))
    match = pattern.match(text)
    named = {key: " ".join(value.split()) for key, value in match.groupdict().items() if value} if match else {}
    found = Diagnostic(error, message.pos, text, subject=named.get("subject"), actual=named.get("actual"))
    if error is _G:
        return replace(found, goals=_goals(text))
    if error in (_M, _F):
        return replace(found, actual=found.actual or _type(_ACTUAL, text), expected=_type(_EXPECTED, text))
    if error is _T:
        written = _written(message.pos, code, spans)
        said = named.get("tactic", tactic).replace("introN", "intro")  # a name that only messages use
        name = written if written and said in written else said or None  # nlinarith, too, says "linarith failed"
        outside = pattern.pattern == _LIMIT and name is None
        return replace(found, error=_O if outside else _T, tactic=name, goals=_goals(text))
    if text.startswith("unknown tactic"):
        return replace(found, subject=_written(message.pos, code, ()))
    return found


def _type(pattern: re.Pattern[str], text: str) -> str | None:
    match = pattern.search(text)
    return _SORT.sub("", " ".join((match[1] or match[2]).split())) if match else None


def _goals(text: str) -> tuple[str, ...]:
    """Runs of hypotheses that end in a ⊢; types go on in indented lines."""
    goals: list[list[str]] = []
    lines: list[str] = []
    for line in text.split("\n"):
        if line.startswith(" ") and lines:
            lines.append(line)
            continue
        anew = line.startswith("case ") or (goals and goals[-1] is lines)
        lines = [*([] if anew else lines), line] if _HYPOTHESIS.match(line) else []
        if line.startswith("⊢"):
            goals.append(lines)
    return tuple("\n".join(goal) for goal in goals)


def _written(pos: Position, code: str, spans: Sequence[Span]) -> str | None:
    """First word of the innermost tactic at a place; without spans, of the last step that its line begins before it."""
    place = _offset(pos, code)
    line = code.rfind("\n", 0, place) + 1
    begins = [span.start for span in spans if span.start <= place < span.end]
    if not spans:
        begins = [line + step.end() for step in _STEP.finditer(code[line:place])]
    match = _WORD.match(code, begins[-1]) if begins else None
    return match[0] if match and not _DECLARATION.match(match[0]) else None


def _offset(pos: Position, code: str) -> int:
    lines = code.split("\n")[: max(pos.line, 1) - 1]
    return min(sum(len(line) + 1 for line in lines) + max(pos.column, 0), len(code))


# --- all messages of an attempt ------------------------------------------------------------------

_JOINED = re.compile(r"(?:.*\.)?(?:«tactic_<;>_»|paren|first|tacticTry_|allGoals|anyGoals|tacticRepeat_|focus)$")
"""Kinds of tactics that pass a failure inside them on. All others (bullets, cases, `have ... by`) contain it."""
_COMMENT = re.compile(r"--[^\n]*|/-.*?-/", re.DOTALL)
_DECLARATION = re.compile(
    r"(?m)^[ \t]*(?:@\[[^\]\n]*\]\s*)?(?:(?:private|protected|noncomputable|partial|unsafe|nonrec)\s+)*"
    r"(theorem|lemma|example|def|abbrev|instance|structure|inductive|class|axiom|opaque)\b[ \t]*([^\s:({\[]*)"
)
_THEOREMS = frozenset({"theorem", "lemma", "example"})
_STATES_TYPE = re.compile(r"(?:have|suffices|obtain|let|show)\b(?:[^:()]|\([^()]*\))*:[^=].*:=", re.DOTALL)
_ABOUT_PROOF = re.compile(r"fail(?:ed)? to show termination|\(kernel\)")  # reported at the declaration's name


def diagnose(answer: Answer, code: str, proof_start: Position | None = None) -> Diagnosis:
    """All errors of an answer to `code`: the root cause, and what follows from what.

    `proof_start` is where the body of the theorem begins, behind its `:=`; it tells statement from proof.
    """
    source = _Source(code, answer.spans, proof_start)
    errors = [_Placed(classify(message, code, answer.spans), message, source) for message in answer.errors]
    why = [_explain(error, errors[:number], source) for number, error in enumerate(errors)]
    order = sorted(range(len(errors)), key=lambda number: errors[number].rank)
    root = next((errors[number] for number in order if why[number] is None), None)
    return Diagnosis(
        errors=tuple(errors[number].found for number in order),
        root=root.found if root else None,
        level=_level(root, source) if root else None,
        downstream=tuple(consequence for number in order if (consequence := why[number]) is not None),
    )


class _Region(NamedTuple):
    """A declaration as the text shows it, up to the next one; `body` is where its first `:=` stands."""

    keyword: str
    name: str
    start: int
    body: int
    end: int


class _Source:
    """The checked text and its structure. Places are offsets."""

    def __init__(self, code: str, spans: Sequence[Span], proof_start: Position | None) -> None:
        self.code = _COMMENT.sub(lambda comment: " " * len(comment[0]), code)  # offsets stay
        self.spans = spans
        self.proof_start = _offset(proof_start, code) if proof_start is not None else None
        self._regions: list[_Region] = []
        found = list(_DECLARATION.finditer(self.code))
        for match, end in zip(found, [*(later.start() for later in found[1:]), len(code) + 1], strict=False):
            body = self.code.find(":=", match.end(), end)
            self._regions.append(_Region(match[1], match[2], match.start(), end if body < 0 else body, end))
        self.blocks: list[int] = []  # for each span, the first span of the tactic sequence that it is a step of
        latest: dict[int | None, int] = {}
        for number, span in enumerate(spans):
            before = latest.get(span.parent, -1)
            follows = before >= 0 and self.blank(spans[before].end, span.start)
            self.blocks.append(self.blocks[before] if follows else number)
            latest[span.parent] = number

    def blank(self, start: int, end: int) -> bool:
        return not self.code[start:end].strip(" \t\r\n;")

    def region(self, place: int) -> _Region | None:
        return next((region for region in self._regions if region.start <= place < region.end), None)

    def mentions(self, start: int, end: int, name: str | None) -> bool:
        return bool(name and re.search(rf"(?<![\w.']){re.escape(name)}(?![\w'])", self.code[start:end]))


class _Placed:
    """An error with its place in the text."""

    def __init__(self, found: Diagnostic, message: Message, source: _Source) -> None:
        self.found, self.error = found, found.error
        self.start = _offset(message.pos, source.code)
        self.end = max(self.start, _offset(message.end_pos or message.pos, source.code))
        self.region = source.region(self.start)
        self.about_proof = _ABOUT_PROOF.match(found.text) is not None
        self.rank = len(source.code) if self.about_proof else self.end if self.error is _G else self.start
        self.unparsed = re.match(_PARSE, found.text, re.IGNORECASE) is not None
        self.on_goals = self.error in (_G, _T, _M) or found.text.lower().startswith("no goals")
        """Another goal might not have it. A wrong name, field or instance is wrong under any goal."""
        around = (number for number, span in enumerate(source.spans) if span.start <= self.start < span.end)
        self.steps = sorted(around, reverse=True)  # the innermost first

    def left(self, source: _Source) -> int | None:
        """The step that it left undone in its block; None when the block went on as if nothing had happened."""
        for number in self.steps if self.error is not _G else ():  # Lean closes goals that are left
            span = source.spans[number]
            if _STATES_TYPE.match(source.code[span.start : self.start]):  # `have h : T := wrong`: Lean goes on with h
                return None
            if span.parent is None or not _JOINED.match(source.spans[span.parent].kind):
                return number
        return None


def _explain(error: _Placed, earlier: Sequence[_Placed], source: _Source) -> Consequence | None:
    """The first rule that fits, with the first cause that it fits. Lean reports causes before what they cause."""
    pairs = ((link, cause) for link in Link for cause in earlier if _FOLLOWS[link](cause, error, source))
    link, cause = next(pairs, (None, None))
    return Consequence(error.found, cause.found, link) if link and cause else None


def _unparsed(cause: _Placed, error: _Placed, source: _Source) -> bool:
    if not cause.unparsed or cause.region != error.region:  # parsing begins anew with the next declaration
        return False
    if error.unparsed:
        return cause.start <= error.start
    if error.error is _G:
        return error.start <= cause.start and source.blank(min(error.end, cause.start), cause.start)
    return error.error in (_T, _M, _O) and error.found.pos.line == cause.found.pos.line


def _same_step(cause: _Placed, error: _Placed, source: _Source) -> bool:
    if cause.error is _G or cause.steps[:1] != error.steps[:1] or cause.start == error.start:
        return False
    inside = error.start <= cause.start <= error.end
    suspects = (_T, _M, _O) if inside else (_T, _O) if error.steps else ()
    return error.error in suspects


def _enclosing(cause: _Placed, error: _Placed, source: _Source) -> bool:
    if error.error is not _G or not source.spans:
        return error.error is _G and error.start < cause.start <= error.end
    if (left := cause.left(source)) is None:
        return False
    step = source.spans[left]
    opens = source.spans[step.parent].start if step.parent is not None else 0
    return opens <= error.start <= step.start <= error.end


def _later_step(cause: _Placed, error: _Placed, source: _Source) -> bool:
    if (left := cause.left(source)) is None:
        return False
    failed, block = source.spans[left], source.blocks[left]
    if not any(source.blocks[step] == block and source.spans[step].start >= failed.end for step in error.steps):
        return False
    return error.on_goals or (error.error is _U and source.mentions(failed.start, failed.end, error.found.subject))


def _of_declaration(cause: _Placed, error: _Placed, source: _Source) -> bool:
    used = cause.region
    if used is None or error.start < used.end:
        return False
    if error.error is _U:
        return bool(used.name) and f".{error.found.subject}".endswith(f".{used.name}")
    if used.keyword in _THEOREMS and cause.start >= used.body:  # its statement stands, whatever its proof is
        return False
    if error.steps:
        step = source.spans[error.steps[0]]
        return source.mentions(step.start, step.end, used.name)
    return source.mentions(source.code.rfind("\n", 0, error.start) + 1, error.end, used.name)


def _of_statement(cause: _Placed, error: _Placed, source: _Source) -> bool:
    if source.proof_start is None or not error.on_goals or cause.region != error.region:
        return False
    return cause.start < source.proof_start <= error.start and _level(cause, source) is Level.FORMALISATION


def _of_hole(cause: _Placed, error: _Placed, source: _Source) -> bool:
    if error.found.text.startswith("(kernel)"):
        return cause.region == error.region
    return not cause.unparsed and "sorry" in error.found.text and "sorry" not in source.code


def _repeated(cause: _Placed, error: _Placed, source: _Source) -> bool:
    missing = (error.error, error.found.subject, error.found.actual)
    return error.error in (_U, _F, _S) and missing == (cause.error, cause.found.subject, cause.found.actual)


_IN_BLOCKS = (_same_step, _enclosing, _later_step)
_FOLLOWS = dict(zip(Link, (_unparsed, *_IN_BLOCKS, _of_declaration, _of_statement, _of_hole, _repeated), strict=True))


def _level(error: _Placed, source: _Source) -> Level | None:
    if source.proof_start is None:
        return None
    here = error.region
    helper = here is not None and here.keyword in _THEOREMS and here != source.region(source.proof_start)
    of_proof = helper or error.about_proof or error.start >= source.proof_start
    return Level.PROOF if of_proof else Level.FORMALISATION
