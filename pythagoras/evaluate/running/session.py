"""One session of a run: what is missing is drawn and judged, in waves.

Attempts are made number by number: the first at every statement, then the second. Where a protocol repairs what Lean
refused, some thousand attempts get their first round, then those that failed their second, and so on before the next
thousands; so no more texts than theirs are held. What is on disk is never drawn again, and no proof is judged twice.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pythagoras.corpus.judgements import judgement, readable, submission_id
from pythagoras.corpus.records import (
    Attempt,
    Formalisation,
    Judgement,
    Provenance,
    record_id,
    settings_text,
    statement_of,
)
from pythagoras.errors import InputError
from pythagoras.evaluate.journal import Journal, read_columns, read_where
from pythagoras.evaluate.running import repair
from pythagoras.evaluate.running.casting import Cast, seed_of
from pythagoras.evaluate.running.drawing import Drawing, Order
from pythagoras.evaluate.running.fitness import unfit_statements
from pythagoras.evaluate.running.holes import filled
from pythagoras.evaluate.running.judging import Judge
from pythagoras.evaluate.runs import (
    ATTEMPTS,
    JUDGEMENTS,
    UNFIT,
    Manifest,
    read_unfit,
    refuse_strangers,
    write_records,
)
from pythagoras.generate.sampler import Finish, Request, Sample, Sampler
from pythagoras.lean.statements import Statement
from pythagoras.lean.verdict import Outcome
from pythagoras.lean.verifier import Submission

AHEAD = 64
"""Attempts that are drawn before the verdicts about those before them are in, where solved statements get no more."""
BLOCK = 4096
"""Attempts whose rounds are made together, where there are several."""
_NO_SAMPLE = "the sampler gave no sample"

Place = tuple[int, int]
"""A goal's index and an attempt's number."""


class Doing(StrEnum):
    """What a run is at."""

    STATEMENTS = "statements"
    """Lean is asked which of them it takes."""
    LEFT_OVER = "left over"
    """What earlier sessions drew is judged."""
    ATTEMPTS = "attempts"
    """Attempts are drawn and judged: a wave."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands. Tokens, failures and what has no verdict are this session's."""

    doing: Doing
    round: int
    """Of the wave, from 0."""
    numbers: range
    """Its attempts, by their numbers."""
    done: int
    total: int
    """Statements, left over samples, or samples of the wave."""
    solved: int
    problems: int
    """Those that Lean takes."""
    tokens: int
    """Generated."""
    no_verdict: int
    failed: int


@dataclass(frozen=True, slots=True)
class Summary:
    """What a session did. An attempt of several rounds counts once for each."""

    drawn: int
    reused: int
    """Were there already."""
    judged: int
    """Different proofs that Lean was asked about."""
    reused_verdicts: int
    """Samples of this session whose very proof had been judged."""
    no_verdict: int
    """Of those judged: Lean broke down; the next session asks again."""
    failed: int
    """Requests that a sampler did not answer; the next session asks again."""
    failures: tuple[tuple[str, int], ...]
    """Why, the most frequent first."""
    left_out: int
    """Rounds that were not drawn because their statement was solved."""
    impossible: int
    """Samples that were asked for and that no sampler has: its repertoire is smaller, or was recorded with gaps."""
    tokens: int
    """Generated."""
    unfit: int
    """Statements that Lean refuses."""
    problems: int
    """Those that it takes."""
    solved: int
    interrupted: bool
    """Somebody pressed Ctrl-C: the same command goes on."""


class Session:
    """The state of a run in progress. Its journals are open."""

    def __init__(
        self,
        folder: Path,
        manifest: Manifest,
        goals: Sequence[Formalisation],
        cast: Cast,
        judge: Judge,
        attempts: Journal,
        judgements: Journal,
        tell: Callable[[Progress], None],
    ) -> None:
        self._folder = folder
        self._manifest = manifest
        self._goals = goals
        self._ids = [record_id(goal) for goal in goals]
        self._index = {name: at for at, name in enumerate(self._ids)}
        self._fit = list(range(len(goals)))
        self._cast = cast
        self._judge_by = judge
        self._verifier = judge.verifier()
        self._policy = settings_text(manifest.lean.policy) if manifest.lean.policy else "standard"
        self._attempts = attempts
        self._judgements = judgements
        self._tell = tell
        self._stop = False
        self._statements: dict[int, Statement] = {}
        self._trails: dict[Place, list[str]] = {}  # the submissions of each attempt, a round each
        self._outcomes: dict[str, str] = {}  # of submissions; empty where this session got no verdict
        self._solved: set[int] = set()
        self._asked: dict[int, Place] = {}  # what samplers are at, by its seed
        self._failures: Counter[str] = Counter()
        self._drawn = self._reused = self._judged = self._repeated = self._no_verdict = 0
        self._left_out = self._lacking = self._tokens = 0
        self._doing, self._round, self._numbers, self._done, self._total = Doing.STATEMENTS, 0, range(0), 0, 0

    def run(self, *, stop_when_solved: bool) -> Summary:
        """Do all that is missing, or as much as there is time for until Ctrl-C."""
        self._stop, interrupted = stop_when_solved, False
        try:
            self._ask_about_statements()
            self._read()
            self._judge_what_is_there()
            for numbers in self._blocks():
                for round_ in range(self._cast.rounds):
                    self._make_wave(round_, numbers)
        except KeyboardInterrupt:
            interrupted = True
        return Summary(
            drawn=self._drawn,
            reused=self._reused,
            judged=self._judged,
            reused_verdicts=self._repeated,
            no_verdict=self._no_verdict,
            failed=self._failures.total(),
            failures=tuple(self._failures.most_common()),
            left_out=self._left_out,
            impossible=(self._manifest.n - self._cast.n) * len(self._fit) + self._lacking,
            tokens=self._tokens,
            unfit=len(self._goals) - len(self._fit),
            problems=len(self._fit),
            solved=len(self._solved),
            interrupted=interrupted,
        )

    # --- what is there -------------------------------------------------------------------------

    def _ask_about_statements(self) -> None:
        """Leave out the statements that Lean refuses. It is asked once in a run's life, or when the file is deleted."""
        path = self._folder / UNFIT
        if not path.exists():
            self._begin(Doing.STATEMENTS, len(self._goals))
            checker, limits = self._judge_by.checker, self._judge_by.limits
            write_records(path, unfit_statements(self._goals, checker, limits, lambda done, _: self._advance(done)))
        unfit = read_unfit(self._folder)
        self._fit = [at for at, name in enumerate(self._ids) if name not in unfit]

    def _read(self) -> None:
        """What earlier sessions left. A submission that they got no verdict about counts as not judged."""
        judged = read_columns(self._folder / JUDGEMENTS, "judgement", ("submission", "outcome"))
        latest = dict(zip(judged["submission"], judged["outcome"], strict=True))
        self._outcomes = {submission: outcome for submission, outcome in latest.items() if outcome}
        names = ("round", "formalisation", "number", "submission")
        there = read_columns(self._folder / ATTEMPTS, "attempt", names)
        refuse_strangers(self._folder, there["formalisation"], self._index)
        rows = zip(*(there[name] for name in names), strict=True)
        for _, goal, number, submission in sorted(rows, key=lambda row: int(row[0])):
            self._trails.setdefault((self._index[goal], number), []).append(submission)
            self._reused += 1
            if self._outcomes.get(submission) == Outcome.PROVED.value:
                self._solved.add(self._index[goal])

    def _judge_what_is_there(self) -> None:
        """A kill, or a Lean that broke down, leaves samples without a verdict: they are not drawn again."""
        drawn = [submission for trail in self._trails.values() for submission in trail]
        left = Counter(submission for submission in drawn if submission not in self._outcomes)
        if left:
            self._begin(Doing.LEFT_OVER, left.total())
            self._judge(self._read_attempts(left))

    def _read_attempts(self, submissions: Iterable[str]) -> Iterator[Attempt]:
        for record in read_where(self._folder / ATTEMPTS, "attempt", "submission", set(submissions)):
            assert isinstance(record, Attempt)
            yield record

    # --- waves ---------------------------------------------------------------------------------

    def _blocks(self) -> Iterator[range]:
        """Numbers of the attempts that are taken through all their rounds together."""
        most = AHEAD if self._stop else BLOCK if self._cast.rounds > 1 else None
        width = self._cast.n if most is None else max(1, most // max(1, len(self._fit)))
        for first in range(0, self._cast.n, max(1, width)):
            yield range(first, min(first + width, self._cast.n))

    def _make_wave(self, round_: int, numbers: range) -> None:
        """One round of some attempts, drawn and judged."""
        make: Callable[[Place], Request]
        if round_ == 0:
            wanted = [(at, number) for number in numbers for at in self._fit if (at, number) not in self._trails]
            make = self._first_request
        else:
            repairs = self._repairs(round_, numbers)
            wanted, make = list(repairs), repairs.__getitem__
        if not wanted:
            return
        by_author: dict[str, list[Place]] = {}
        for place in wanted:
            by_author.setdefault(self._cast.author(place[1], round_), []).append(place)
        orders = [Order(self._cast.samplers[name], self._requests(places, make)) for name, places in by_author.items()]
        self._begin(Doing.ATTEMPTS, len(wanted), round_, numbers)
        with Drawing(orders, self._keep) as drawing:
            while not drawing.finished:
                self._judge(drawing.burst())
        for _ in self._asked:
            self._fail(_NO_SAMPLE)
        self._asked.clear()

    def _requests(self, places: Sequence[Place], make: Callable[[Place], Request]) -> Iterator[Request]:
        """As the sampler has room for them. Runs on the drawing thread."""
        for place in places:
            if self._stop and place[0] in self._solved:
                self._left_out += 1
                continue
            request = make(place)
            self._asked[request.seed] = place
            yield request

    def _first_request(self, place: Place) -> Request:
        at, number = place
        seed = seed_of(self._manifest.seed, self._ids[at], number, 0)
        return Request(self._goals[at], self._cast.own_number(number, 0), seed=seed)

    def _repairs(self, round_: int, numbers: range) -> dict[Place, Request]:
        """What is asked about the attempts that Lean refused in the round before."""
        places = ((at, number) for number in numbers for at in self._fit)
        begun = ((place, self._trails[place]) for place in places if place in self._trails)
        trails = {
            place: trail
            for place, trail in begun
            if len(trail) == round_ < self._cast.part(place[1]).rounds
            and self._outcomes[trail[-1]] not in ("", Outcome.PROVED.value)
        }
        submissions = {submission for trail in trails.values() for submission in trail}
        judged: dict[str, Judgement] = {}
        for record in read_where(self._folder / JUDGEMENTS, "judgement", "submission", submissions):
            assert isinstance(record, Judgement)
            judged[record.submission] = record
        written = {
            (at, attempt.number, attempt.round): attempt.completion
            for attempt in self._read_attempts(submissions)
            if ((at := self._index[attempt.formalisation]), attempt.number)
            in trails  # others may have written the same
        }
        requests: dict[Place, Request] = {}
        for (at, number), trail in trails.items():
            rounds = [(written[at, number, k], judged[submission]) for k, submission in enumerate(trail)]
            seed = seed_of(self._manifest.seed, self._ids[at], number, round_)
            part, own = self._cast.part(number), self._cast.own_number(number, round_)
            request = repair.next_request(self._goals[at], part, rounds, seed, number=own)
            if request is not None:  # otherwise there is nothing to go on with, and the attempt ends
                requests[at, number] = request
        return requests

    # --- samples -------------------------------------------------------------------------------

    def _keep(self, sampler: Sampler, sample: Sample) -> Attempt | None:
        """Write a sample down. Runs on the drawing thread."""
        request = sample.request
        if request.seed not in self._asked:
            raise InputError(f"the sampler {sampler.name} answers what it was not asked, or twice: use another")
        at, number = self._asked.pop(request.seed)
        if sample.finish is Finish.NONE:
            self._lacking += 1
            return None
        if sample.finish is Finish.FAILED:
            self._fail(sample.failure or _NO_SAMPLE)
            return None
        text = readable(sample.text)
        completion = text if request.hole is None else filled(request.hole, text)
        attempt = Attempt(
            formalisation=self._ids[at],
            completion=completion,
            number=number,
            round=request.round,
            submission=submission_id(self._ids[at], self._statement(at), completion),
            finish=sample.finish.value,
            prompt_tokens=sample.prompt_tokens,
            generated_tokens=sample.generated_tokens,
            cached_tokens=sample.cached_tokens,
            milliseconds=round(sample.seconds * 1000, 3),
            seed=request.seed,
            provenance=Provenance(maker=sampler.name),  # its settings are in the manifest
        )
        self._attempts.append(attempt)
        self._trails.setdefault((at, number), []).append(attempt.submission)
        self._drawn += 1
        self._tokens += sample.generated_tokens
        return attempt

    def _fail(self, why: str) -> None:
        self._failures[readable(why)] += 1

    def _statement(self, at: int) -> Statement:
        if at not in self._statements:
            self._statements[at] = statement_of(self._goals[at])
        return self._statements[at]

    # --- verdicts ------------------------------------------------------------------------------

    def _judge(self, attempts: Iterable[Attempt | None]) -> None:
        """Judge attempts, None for samples that failed. A proof that is known, or under way, is not asked about."""
        under_way: dict[str, list[Attempt]] = {}
        order: deque[str] = deque()

        def submissions() -> Iterator[Submission]:
            for attempt in attempts:
                if attempt is None:
                    self._settle()
                elif attempt.submission in self._outcomes:
                    self._repeated += self._doing is Doing.ATTEMPTS
                    self._settle(attempt)
                elif attempt.submission in under_way:
                    self._repeated += self._doing is Doing.ATTEMPTS
                    under_way[attempt.submission].append(attempt)
                else:
                    under_way[attempt.submission] = [attempt]
                    order.append(attempt.submission)
                    statement = self._statement(self._index[attempt.formalisation])
                    yield Submission(statement, attempt.completion)

        for judged in self._verifier.verify(submissions()):
            submission = order.popleft()
            record = judgement(submission, judged, self._manifest.lean.version, self._policy)
            self._judgements.append(record)
            self._judged += 1
            self._no_verdict += not record.outcome
            self._outcomes[submission] = record.outcome
            for attempt in under_way.pop(submission):
                self._settle(attempt)

    def _settle(self, attempt: Attempt | None = None) -> None:
        """A request has come to its end."""
        if attempt is not None and self._outcomes[attempt.submission] == Outcome.PROVED.value:
            self._solved.add(self._index[attempt.formalisation])
        self._advance(self._done + 1)

    # --- progress ------------------------------------------------------------------------------

    def _begin(self, doing: Doing, total: int, round_: int = 0, numbers: range = range(0)) -> None:
        self._doing, self._round, self._numbers, self._total = doing, round_, numbers, total
        self._advance(-self._left_out)  # of this wave, those that follow count as done

    def _advance(self, done: int) -> None:
        self._done = done
        self._tell(
            Progress(
                doing=self._doing,
                round=self._round,
                numbers=self._numbers,
                done=self._done + self._left_out,
                total=self._total,
                solved=len(self._solved),
                problems=len(self._fit),
                tokens=self._tokens,
                no_verdict=self._no_verdict,
                failed=self._failures.total(),
            )
        )
