"""The engine of a cluster: Ray actors, spread over its nodes.

Ray places, starts and watches the processes. What happens to items is decided by the same code as on one machine, so
Ray itself retries nothing. The code must be installed on every node. A Ray that is started here has a token and a
folder of its own, and leaves neither behind.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import secrets
import shutil
import socket
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from types import ModuleType, TracebackType
from typing import Any, Self

from pythagoras.engine.dispatch import ANSWER_S, Gone, Maps
from pythagoras.engine.engine import In, Job, Out
from pythagoras.engine.worker import Reply, Worker
from pythagoras.errors import EngineError, InputError

_CLOSE_S = 10.0
"""How long workers may take to close their job when all is done."""
_PLACE_S = 300.0
"""How long to wait for room for the first worker."""
_KNOCK_S = 10.0
_STORE_MB = 256
"""Ray's shared memory when it runs on this machine alone: results are records, not tensors."""


class RayEngine:
    """Workers that Ray keeps. Each map has its own, from its first item on until it is done or closed."""

    def __init__(self, workers: int | None, address: str | None = None, item_timeout_s: float = ANSWER_S) -> None:
        """`workers` None: one for each CPU of the cluster. `address` None: start a Ray here, and end it again.

        A worker that is at an item for longer is ended, and the item tried again like a dead one's.
        """
        self.workers = workers
        self._address = address
        self._maps = Maps(item_timeout_s)
        self._connection = ExitStack()

    def __enter__(self) -> Self:
        ray = _import_ray()
        if not ray.is_initialized():
            self._connection.enter_context(_connected(ray, self._address, self.workers))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._maps.end()
        self._connection.close()

    def map(self, job: Job[In, Out], items: Iterable[In]) -> Iterator[Out]:
        """Results in the order of the items. The job's class must be one that can be imported, on every node."""
        ray = _import_ray()
        workers = self.workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        yield from self._maps.run(job, _Crew(ray, pickle.dumps(job)), workers, items)


class _Crew:
    """The actors of one map, each named by a number. What they were asked and did not answer yet is in `_asked`."""

    def __init__(self, ray: ModuleType, job: bytes) -> None:
        self._ray = ray
        self._job = job
        # One CPU each, where others are not; no restart, since whoever restarts must know which item was lost.
        self._class = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0, scheduling_strategy="SPREAD")(Worker)
        self._actors: dict[int, Any] = {}
        self._asked: dict[Any, int] = {}
        self._started: list[Any] | None = []
        """Answers that come as soon as there is room for an actor; None once one has come."""
        self._hired = 0

    def hire(self) -> int:
        """Ask for an actor. It may have to wait for room."""
        self._hired += 1
        actor = self._actors[self._hired] = self._class.remote(self._job)
        if self._started is not None:
            self._started.append(actor.__ray_ready__.remote())
        self._asked[actor.open.remote()] = self._hired
        return self._hired

    def give(self, worker: int, item: bytes) -> bool:
        self._asked[self._actors[worker].handle.remote(item)] = worker
        return True

    def hear(self, timeout_s: float) -> list[tuple[int, Reply | Gone]]:
        if not self._actors:
            raise EngineError("the engine was closed before its map was done: read the results inside its `with` block")
        if timeout_s:
            self._wait_for_room()
        done, _ = self._ray.wait(list(self._asked), timeout=timeout_s)
        return [self._answer(reference) for reference in done]

    def dismiss(self, worker: int) -> None:
        self._ray.kill(self._actors.pop(worker))
        self._asked = {reference: asked for reference, asked in self._asked.items() if asked != worker}

    def finish(self) -> None:
        """Let the workers close their job: all but those that never had room."""
        opening = set(self._asked.values())
        closing = [actor.close.remote() for worker, actor in self._actors.items() if worker not in opening]
        if closing:
            self._ray.wait(closing, num_returns=len(closing), timeout=_CLOSE_S)

    def end(self) -> None:
        """End all actors at once. Safe to call twice."""
        while self._actors:
            self._ray.kill(self._actors.popitem()[1])

    def _wait_for_room(self) -> None:
        """Until the first actor runs. How long it then takes to open its job is the job's own business."""
        if self._started is None:
            return
        running, _ = self._ray.wait(self._started, timeout=_PLACE_S)
        if not running:
            raise EngineError(
                f"no node of the Ray cluster had a free CPU for a worker within {_PLACE_S:.0f} s: "
                "see `ray status`, end other jobs, or add nodes"
            )
        self._started = None

    def _answer(self, reference: Any) -> tuple[int, Reply | Gone]:
        known = self._ray.exceptions
        worker = self._asked.pop(reference)
        try:
            reply: Reply = self._ray.get(reference)
        except (known.RayActorError, known.ObjectLostError, known.NodeDiedError, known.OutOfMemoryError) as error:
            self._ray.kill(self._actors.pop(worker))  # it may only be out of reach
            return worker, Gone(f"lost by Ray ({str(error).splitlines()[0]})")
        return worker, reply


def _import_ray() -> ModuleType:
    try:
        import ray
        import ray.exceptions
    except ImportError as error:
        raise InputError(f"the engine ray needs Ray ({error}): pip install 'pythagoras[ray]'") from None
    return ray


@contextlib.contextmanager
def _connected(ray: ModuleType, address: str | None, workers: int | None) -> Iterator[None]:
    """A connection to the cluster at that address, or a Ray on this machine: quiet, and reporting to nobody.

    What Ray changes in this process is put back at the end.
    """
    with ExitStack() as stack:
        stack.enter_context(_ray_variables())
        quiet: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
        if address is None:
            place = stack.enter_context(_own_place())
            stack.callback(ray.shutdown)
            _start(ray, workers, place, quiet)
        else:
            stack.callback(ray.shutdown)
            _join(ray, address, quiet)
        # Ray tells of dead workers on standard output, where results belong, and has no setting against it.
        stack.callback(setattr, ray._private.worker, "print_to_stdstream", ray._private.worker.print_to_stdstream)
        ray._private.worker.print_to_stdstream = lambda *_, **__: None
        yield


def _start(ray: ModuleType, workers: int | None, place: str, quiet: dict[str, Any]) -> None:
    # Without a token of our own, Ray would write one into the home folder and keep to it from then on.
    os.environ |= {
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
    }
    _look_at_variables()
    store = _STORE_MB * 2**20
    ray.init("local", num_cpus=workers, object_store_memory=store, include_dashboard=False, _temp_dir=place, **quiet)


def _join(ray: ModuleType, address: str, quiet: dict[str, Any]) -> None:
    try:
        _knock(address)
        ray.init(address, **quiet)
    except (OSError, ValueError, RuntimeError) as error:
        why = str(error).splitlines()[0]
        raise InputError(
            f"no Ray cluster can be used at {address} ({why}): start one with `ray start --head`, "
            "and if it asks for a token, set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN"
        ) from None


@contextlib.contextmanager
def _own_place() -> Iterator[str]:
    """A folder for Ray's files. Sockets are in it, whose paths must be short."""
    place = tempfile.mkdtemp(prefix="ray", dir="/tmp")
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _look_at_variables() -> None:
    """Ray remembers the mode and the token that it found first: let it look again."""
    raylet = _import_ray()._raylet
    raylet.Config.initialize("")
    raylet.AuthenticationTokenLoader.instance().reset_cache()


def _knock(address: str) -> None:
    """Raise an OSError when nobody listens there: Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host, int(port)), timeout=_KNOCK_S).close()


@contextlib.contextmanager
def _ray_variables() -> Iterator[None]:
    """Ray's variables in the environment are afterwards what they were before."""
    before = {name: value for name, value in os.environ.items() if name.startswith("RAY_")}
    try:
        yield
    finally:
        for name in [name for name in os.environ if name.startswith("RAY_")]:
            del os.environ[name]
        os.environ |= before
        _look_at_variables()
