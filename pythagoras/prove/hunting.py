"""The work on one theorem, from Lean's word on the statement to the first proof that holds.

In this order: Lean is asked about the statement itself; the portfolio's one-liners are judged, and whether small
numbers refute the statement is calculated meanwhile; when the one-liners are through, or take long, the model draws and
the search begins. What is written twice is judged once. The first proof that holds ends it, unless the shortest is
wanted, and so does a counterexample that Lean confirms. A counterexample by calculation alone ends nothing.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from pythagoras.corpus.goals import without_lemmas
from pythagoras.corpus.records import Formalisation
from pythagoras.errors import HostDied, InputError
from pythagoras.generate.portfolio import Portfolio
from pythagoras.generate.sampler import Finish, Request, Sample, Sampler
from pythagoras.generate.search import TacticSearch
from pythagoras.lean.pool import Checked, Checker
from pythagoras.lean.statements import Statement
from pythagoras.lean.verifier import Judged, Submission, statement_check, statement_fault
from pythagoras.lean.wire import Limits
from pythagoras.prove.candidates import Candidate, candidate
from pythagoras.prove.drawing import Drawing, Wanted
from pythagoras.prove.errand import Errand, Over
from pythagoras.prove.hints import hinted
from pythagoras.prove.judges import Judges, Urgency
from pythagoras.prove.later import Later, opened
from pythagoras.prove.outcome import Attempt, Effort, Ended, Outcome
from pythagoras.prove.refusal import sound
from pythagoras.prove.refuting import Counterexample, counterexample

_TICK_S = 0.1
"""How soon a wish to stop is noticed."""
_HEAD_START_S = 1.0
"""What the one-liners have before model and search begin, where some of them take long."""


@dataclass(frozen=True, slots=True)
class Team:
    """Who writes, and the Lean that judges."""

    lean: Later[Checker]
    portfolio: Sampler
    model: Later[Sampler] | None
    model_name: str
    """What it is called until it is open."""
    model_busy: threading.Lock
    """Held while the model draws: also for a theorem that nobody works on any more."""
    search: bool
    judges: int
    """At work at a time."""
    brief: bool
    """Whether writers are not shown the lemmas before a theorem."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """Lean has said what it thinks of the statement."""

    checked: Checked | BaseException


@dataclass(frozen=True, slots=True)
class _Refuted:
    found: Counterexample | None


@dataclass(frozen=True, slots=True)
class _Drawn:
    drawing: Drawing
    sample: Sample | BaseException | None
    """None behind the last."""


@dataclass(frozen=True, slots=True)
class _Judged:
    number: int
    judged: Judged | BaseException


_Event: TypeAlias = _Asked | _Refuted | _Drawn | _Judged


@dataclass(frozen=True, slots=True)
class _Ticket:
    """What is being judged. Without a sample it is the negation."""

    by: str
    candidate: Candidate
    tokens: int
    drawing: Drawing | None


class Hunt:
    """The work on one theorem. All but what the threads put into `_events` is touched by one thread."""

    def __init__(
        self,
        team: Team,
        statement: Statement,
        effort: Effort,
        on_attempt: Callable[[Attempt], None],
        stop: threading.Event,
    ) -> None:
        self._team = team
        self._statement = statement
        self._effort = effort
        self._tell = on_attempt
        self._stop = stop
        self._began = time.monotonic()
        self._limits = Limits(timeout_s=effort.check_s)
        self._goal = _goal(statement, brief=team.brief)
        self._events: queue.SimpleQueue[_Event] = queue.SimpleQueue()
        self._errand: Errand | None = None
        self._judges: Judges | None = None
        self._sound_at: float | None = None
        self._one_liners: Iterator[Sample] | None = None
        self._begun = False  # model and search
        self._drawings: list[Drawing] = []
        self._tickets: dict[int, _Ticket] = {}
        self._seen: set[tuple[str, str]] = set()
        self._next = 0
        self._judged = 0
        self._refuting = True
        self._found: Counterexample | None = None
        self._negation: int | None = None  # its ticket
        self._disproof = ""
        self._best: Attempt | None = None
        self._tried: dict[str, int] = {}
        self._tokens = 0
        self._complaints: dict[str, None] = {}
        self._failure: BaseException | None = None
        """What kept a sampler from being opened."""
        self._answered = 0
        """Proofs that there is a verdict about."""
        self._broken = ""
        """Why there was none about another."""

    # --- from the beginning to the end -----------------------------------------------------------

    def run(self) -> Outcome:
        threading.Thread(target=self._refute, name="refuter", daemon=True).start()
        ended = self._open_lean() or self._watch()
        if ended in (Ended.EXHAUSTED, Ended.OUT_OF_TIME) and self._failure is not None:
            raise self._failure
        if ended is Ended.EXHAUSTED and self._broken and not self._answered:
            raise HostDied(f"Lean broke down over every proof ({self._broken}): run `pythagoras doctor`")
        found = self._found
        return Outcome(
            proved=self._best,
            attempts=sum(self._tried.values()),
            distinct=len(self._seen),
            generated_tokens=self._tokens,
            lean_seconds=self._errand.seconds if self._errand is not None else 0.0,
            seconds=self._seconds,
            counterexample=found.values if found is not None and self._best is None else None,
            ended=ended,
            disproof=self._disproof,
            tried=dict(self._tried),
            complaints=tuple(self._complaints),
        )

    def end(self) -> None:
        """Nothing more is drawn or asked. Waits for nobody."""
        for drawing in self._drawings:
            drawing.end()
        if self._judges is not None:
            self._judges.__exit__(None, None, None)
        if self._errand is not None:
            self._errand.end()

    def make_room(self) -> None:
        """For the next theorem, behind the end of this."""
        if self._errand is not None:
            self._errand.make_room(self._team.judges)

    @property
    def doing(self) -> str:
        """Read by other threads: no more than a picture."""
        if self._sound_at is None:
            return "Lean reads the statement"
        drawings = list(self._drawings)
        opening = [f"{drawing.name} is being loaded" for drawing in drawings if drawing.is_opening]
        return ", ".join([f"{self._judged} proofs judged", *opening])

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._began

    def _open_lean(self) -> Ended | None:
        """Wait for Lean, then begin. None when that went well."""
        opening = self._team.lean.start()
        while not opening.done():
            if ended := self._interrupted():
                return ended
            time.sleep(_TICK_S / 10)
        self._errand = Errand(opening.result())
        self._judges = Judges(
            self._errand,
            self._team.judges,
            self._limits,
            lambda number, judged: self._events.put(_Judged(number, judged)),
        ).__enter__()
        threading.Thread(target=self._ask, args=(self._errand,), name="statement", daemon=True).start()
        return None

    def _watch(self) -> Ended:
        """Take what comes until there is a reason to end."""
        while True:
            if ended := self._interrupted():
                return Ended.PROVED if self._best is not None else ended
            with contextlib.suppress(queue.Empty):
                self._take(self._events.get(timeout=_TICK_S))
            if self._best is not None and not self._effort.all:
                return Ended.PROVED
            if self._disproof:
                return Ended.REFUTED
            self._feed()
            self._begin_when_due()
            if (
                self._begun
                and self._one_liners is None
                and not self._drawings
                and not self._tickets
                and not self._refuting
            ):
                return Ended.PROVED if self._best is not None else Ended.EXHAUSTED

    def _is_through(self) -> bool:
        """Whether nothing is left that could come."""
        under_way = self._one_liners is not None or self._drawings or self._tickets or self._refuting
        return self._begun and not under_way

    def _interrupted(self) -> Ended | None:
        if self._stop.is_set():
            return Ended.CANCELLED
        return Ended.OUT_OF_TIME if self._seconds > self._effort.timeout_s else None

    # --- on threads of their own -----------------------------------------------------------------

    def _ask(self, errand: Errand) -> None:
        try:
            [checked] = errand.check([statement_check(self._statement, self._limits)])
        except Over:
            return
        except BaseException as error:  # for the thread that waits
            self._events.put(_Asked(error))
        else:
            self._events.put(_Asked(checked))

    def _refute(self) -> None:
        found = None
        try:
            found = counterexample(self._statement, self._effort.seed)
        finally:
            self._events.put(_Refuted(found))

    def _hear(self, drawing: Drawing, sample: Sample | BaseException | None) -> None:
        self._events.put(_Drawn(drawing, sample))

    # --- events ----------------------------------------------------------------------------------

    def _take(self, event: _Event) -> None:
        match event:
            case _Asked():
                self._take_statement(event.checked)
            case _Refuted():
                self._refuting = False
                self._found = event.found
                self._confirm()
            case _Drawn():
                self._take_sample(event.drawing, event.sample)
            case _Judged():
                self._take_verdict(event.number, event.judged)

    def _take_statement(self, checked: Checked | BaseException) -> None:
        if isinstance(checked, BaseException):
            raise checked
        answer = sound(checked)
        if fault := statement_fault(self._statement.name, answer):
            raise InputError(fault)
        self._sound_at = self._seconds
        self._confirm()
        self._one_liners = self._portfolio()

    def _portfolio(self) -> Iterator[Sample]:
        """The one-liners, then those that are made for the statement."""
        portfolios = [self._team.portfolio]
        if tactics := hinted(self._statement):
            portfolios.append(Portfolio(tactics))
        for portfolio in portfolios:
            yield from portfolio.sample(Request(self._goal, number) for number in range(portfolio.most or 0))

    def _confirm(self) -> None:
        """Have Lean prove the negation, once there is a counterexample and the statement is known to be sound."""
        found = self._found
        if found is None or found.negation is None or self._sound_at is None or self._judges is None:
            return
        self._negation = self._next
        self._hand_in(_Ticket("", Candidate(found.negation, "", f":= {found.proof}"), 0, None), Urgency.FIRST)

    def _feed(self) -> None:
        """Hand in one-liners, so many that no judge has to wait for one."""
        name = self._team.portfolio.name
        while self._one_liners is not None and self._waiting_by(name) < 2 * self._team.judges:
            sample = next(self._one_liners, None)
            if sample is None:
                self._one_liners = None
            else:
                self._submit(name, sample, Urgency.SOON)

    def _waiting_by(self, name: str) -> int:
        return sum(ticket.by == name for ticket in self._tickets.values())

    def _begin_when_due(self) -> None:
        """Set model and search to it, once the one-liners are through or take long."""
        if self._begun or self._sound_at is None or self._judges is None or self._errand is None:
            return
        at_work = self._one_liners is not None or self._waiting_by(self._team.portfolio.name) > 0
        if at_work and self._seconds - self._sound_at < _HEAD_START_S:
            return
        self._begun = True
        team, effort = self._team, self._effort
        if team.search:
            search: Sampler = TacticSearch(self._errand, shorten=effort.all)
            wanted = Wanted(self._goal, search.most or 0, effort.seed, Urgency.FIRST)  # it has asked Lean already
            self._drawings.append(Drawing(search.name, opened(search), wanted, self._hear, threading.Lock()))
        if team.model is not None and effort.n:
            wanted = Wanted(self._goal, effort.n, effort.seed, Urgency.IN_TURN)
            self._drawings.append(Drawing(team.model_name, team.model, wanted, self._hear, team.model_busy))
        for drawing in self._drawings:
            drawing.start()

    def _take_sample(self, drawing: Drawing, sample: Sample | BaseException | None) -> None:
        if sample is None or isinstance(sample, BaseException):
            self._drawings.remove(drawing)
            self._failure = sample or self._failure
            return
        if sample.finish is Finish.FAILED:
            self._complaints[f"not drawn by {drawing.name}: {sample.failure}"] = None
        if sample.finish in (Finish.FAILED, Finish.NONE):
            drawing.settle()
            return
        self._submit(drawing.name, sample, drawing.urgency, drawing)

    def _submit(self, by: str, sample: Sample, urgency: Urgency, drawing: Drawing | None = None) -> None:
        """Have a sample judged, unless it is known."""
        self._tried[by] = self._tried.get(by, 0) + 1
        self._tokens += sample.generated_tokens
        found = candidate(self._statement, sample.text)
        key = (found.lemmas, found.ending) if found is not None else ("", "")
        if found is None or key in self._seen:
            if drawing is not None:
                drawing.settle()
            return
        self._seen.add(key)
        self._hand_in(_Ticket(by, found, sample.generated_tokens, drawing), urgency)

    def _hand_in(self, ticket: _Ticket, urgency: Urgency) -> None:
        assert self._judges is not None
        self._tickets[self._next] = ticket
        self._judges.judge(self._next, Submission(ticket.candidate.statement, ticket.candidate.text), urgency)
        self._next += 1

    def _take_verdict(self, number: int, judged: Judged | BaseException) -> None:
        ticket = self._tickets.pop(number)
        if ticket.drawing is not None:
            ticket.drawing.settle()
        if isinstance(judged, BaseException):
            raise judged
        if number == self._negation:
            if judged.verdict is not None and judged.verdict.proved:
                self._disproof = ticket.candidate.theorem
            return
        attempt = Attempt(
            number=self._judged,
            by=ticket.by,
            proof=ticket.candidate.proof,
            judged=judged,
            generated_tokens=ticket.tokens,
            seconds=self._seconds,
            theorem=ticket.candidate.theorem,
        )
        self._judged += 1
        if judged.verdict is None:
            self._broken = judged.failure
            self._complaints[f"no verdict: {judged.failure}"] = None
        else:
            self._answered += 1
        if attempt.holds and (self._best is None or _length(attempt) < _length(self._best)):
            self._best = attempt
        self._tell(attempt)


def _length(attempt: Attempt) -> int:
    """Characters of the proof and its lemmas, blanks but for one between words not counted."""
    return len(" ".join(attempt.theorem.split()))


def _goal(statement: Statement, *, brief: bool) -> Formalisation:
    context = without_lemmas(statement.context, statement.text) if brief else statement.context
    return Formalisation(
        name=statement.name.rpartition(".")[2],
        text=statement.text,
        source="prove",
        header=statement.header,
        context=context,
        docstring=statement.docstring,
    )
