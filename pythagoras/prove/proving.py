"""A prover: what is open to prove theorems with, one after the other. How it goes about one, `hunting` says."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from pythagoras.generate.portfolio import Portfolio
from pythagoras.generate.sampler import Sampler
from pythagoras.lean.pool import Checker
from pythagoras.lean.statements import Statement
from pythagoras.prove.hunting import Hunt, Team
from pythagoras.prove.later import Later
from pythagoras.prove.outcome import DEFAULT_EFFORT
from pythagoras.prove.outcome import Attempt as Attempt
from pythagoras.prove.outcome import Effort as Effort
from pythagoras.prove.outcome import Ended as Ended
from pythagoras.prove.outcome import Outcome as Outcome
from pythagoras.prove.refusal import StatementRefused as StatementRefused
from pythagoras.prove.sheet import Open, Sheet

_NOTICED_S = 3.0


class Prover:
    """Who writes proofs, and the Lean that judges them. For one thread at a time."""

    def __init__(
        self,
        lean: Later[Checker],
        *,
        portfolio: Sampler | None = None,
        model: Later[Sampler] | None = None,
        model_name: str = "model",
        search: bool = True,
        judges: int = 2,
        brief: bool = True,
        header: str = "core",
        notes: tuple[str, ...] = (),
    ) -> None:
        """`later.opened` makes a `Later` of what is open. `judges` are at work at a time.

        With `brief`, writers are not shown the lemmas before a theorem. `header` is what texts stand on.
        """
        busy = threading.Lock()
        self._team = Team(lean, portfolio or Portfolio(), model, model_name, busy, search, judges, brief)
        self._hunt: Hunt | None = None
        self.header = header
        self.notes = notes
        """What the user should know: why there is no model, for instance."""

    @property
    def lean(self) -> Checker:
        """The Lean that judges, once it is open."""
        return self._team.lean.start().result()

    @property
    def doing(self) -> str:
        """What it is at, in a few words. For any thread."""
        if not self._team.lean.is_open:
            return "Lean is starting"
        hunt = self._hunt
        return hunt.doing if hunt is not None else ""

    def read(self, text: str) -> Sheet:
        """The theorems of a text that have no proof. Raises StatementRefused where it is no Lean."""
        sheet = Sheet(text, self.header)
        lean = self.lean
        self._make_room()
        sheet.check(lean)
        return sheet

    def fill_in(
        self,
        sheet: Sheet,
        effort: Effort = DEFAULT_EFFORT,
        on_attempt: Callable[[Attempt], None] = lambda attempt: None,
        stop: threading.Event | None = None,
    ) -> Iterator[tuple[Open, Outcome]]:
        """Prove the open theorems of a text, one after the other, and put the proofs in. Each may use those before."""
        for theorem in sheet.open:
            outcome = self.prove(sheet.statement(theorem.name), effort, on_attempt, stop)
            if outcome.proved is not None:
                sheet.fill(theorem.name, outcome.proved.judged)
            yield theorem, outcome
            if outcome.ended is Ended.CANCELLED:
                return

    def prove(
        self,
        statement: Statement,
        effort: Effort = DEFAULT_EFFORT,
        on_attempt: Callable[[Attempt], None] = lambda attempt: None,
        stop: threading.Event | None = None,
    ) -> Outcome:
        """Try to prove a statement. `on_attempt` is told every attempt when it is judged, on this thread.

        Raises StatementRefused for one that Lean refuses, with the place in `Statement.source`; InputError for a model
        that can't be opened, unless there is a proof without it; HostError where Lean itself breaks down.
        """
        self._make_room()
        self._hunt = Hunt(self._team, statement, effort, on_attempt, stop or threading.Event())
        try:
            return self._hunt.run()
        finally:
            self._hunt.end()

    def close(self) -> None:
        """Wait a moment until the model has noticed that nobody wants more: no thread may write into the end."""
        if self._team.model_busy.acquire(timeout=_NOTICED_S):
            self._team.model_busy.release()

    def _make_room(self) -> None:
        """What is left of the theorem before must not keep Lean from the next."""
        if self._hunt is not None:
            self._hunt.make_room()
