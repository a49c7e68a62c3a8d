"""Planning again and again without loading again, over ``fdplan serve --stdio``."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from subprocess import Popen
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from . import options, program
from .attached import attach
from .commands import Steps, request_of, steps_of
from .documents import decode
from .errors import FdplanError, Interrupted, LimitReached
from .events import Event
from .problem import Name, Problem, Values
from .results import Explanation, Observation, Plan, Property, Shown, Simulated, Verdict
from .words import plain_value

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Session", "SessionProblem"]

T = TypeVar("T")
Answer: TypeAlias = "dict[str, Any]"
Lines: TypeAlias = "queue.SimpleQueue[Answer | None]"
OnEvent: TypeAlias = "Callable[[Event], None] | None"


class Session:
    """A program that holds problems ready.

    As a context manager it ends when the block is left::

        with fdplan.Session() as session:
            maze = session.load("navigation/3x3")
            for horizon in range(2, 7):
                print(maze.plan(horizon).status)

    Requests are answered one after another. A session may be used from several threads.
    """

    def __init__(self) -> None:
        self._process = program.start(["serve", "--stdio"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self._end = weakref.finalize(self, _end, self._process)
        self._inbox = _Inbox()
        self._lock = threading.Lock()  # of requests that are written
        self._closed = False
        self._files = ExitStack()  # of the simulators of its problems
        self._reader = threading.Thread(target=self._inbox.read, args=(self._process,), daemon=True)
        self._reader.start()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the session. It may be closed twice."""
        self._closed = True
        self._end()
        self._reader.join()
        self._files.close()

    def at_end(self, release: Callable[[], None]) -> None:
        """Call a function when the session is closed."""
        self._files.callback(release)

    def load(
        self,
        problem: Name,
        *,
        initial: Values | None = None,
        require: str | Iterable[str] = (),
        reward: Mapping[str, float] | None = None,
    ) -> SessionProblem:
        """Load a problem, with changes that hold for all requests about it."""
        of = Problem.of(problem)
        changes = request_of({"initial": initial, "require": require, "reward": reward}, self._files)
        document = self.request("load", of.parameters() | changes)
        return SessionProblem(self, of, document)

    def request(self, method: str, params: Mapping[str, Any], on_event: OnEvent = None) -> Answer:
        """Send a request and return its result, as docs/session.md describes them.

        Raises:
            FdplanError: if the request fails.
            Interrupted: if Ctrl-C was pressed; its result is the document that there was.
        """
        number, answers = self._send(method, params)
        try:
            try:
                return self._result(answers, on_event)
            except KeyboardInterrupt:
                cancel, _ = self._send("cancel", {"request": number})
                self._inbox.forget(cancel)
                try:
                    best = self._result(answers, on_event)
                except FdplanError:
                    best = None
                raise Interrupted(best) from None
        finally:
            self._inbox.forget(number)

    def _send(self, method: str, params: Mapping[str, Any]) -> tuple[int, Lines]:
        assert self._process.stdin is not None
        if self._closed:
            raise FdplanError("the session has ended")
        number, answers = self._inbox.expect()
        line = json.dumps({"id": number, "method": method, "params": params}, default=plain_value)
        with self._lock:
            try:
                self._process.stdin.write(line + "\n")
                self._process.stdin.flush()
            except OSError as error:
                raise FdplanError("the session has ended") from error
        return number, answers

    def _result(self, answers: Lines, on_event: OnEvent) -> Answer:
        while True:
            line = answers.get()
            if line is None:
                raise FdplanError("the session has ended before its answer")
            if "event" in line:
                if on_event is not None:
                    on_event(Event.of_document(line))
            elif "error" in line:
                raise program.failure(line["exit"], line)
            else:
                result: Answer = line["result"]
                return result


class _Inbox:
    """Hands each line of the program to the request that it answers, and the end to all."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[int, Lines] = {}
        self._count = 0
        self._ended = False

    def expect(self) -> tuple[int, Lines]:
        """Return the number of a new request, and where its lines will be."""
        lines: Lines = queue.SimpleQueue()
        with self._lock:
            self._count += 1
            self._waiting[self._count] = lines
            if self._ended:
                lines.put(None)
            return self._count, lines

    def forget(self, number: int) -> None:
        """Wait no longer for the lines of a request."""
        with self._lock:
            self._waiting.pop(number, None)

    def read(self, process: Popen[str]) -> None:
        """Read the program's lines until they end."""
        assert process.stdout is not None
        try:
            with process.stdout as output:
                for text in output:
                    line = json.loads(text)
                    with self._lock:
                        lines = self._waiting.get(line["id"])
                    if lines is not None:
                        lines.put(line)
        finally:
            with self._lock:
                self._ended = True
                for lines in self._waiting.values():
                    lines.put(None)


def _end(process: Popen[str]) -> None:
    """End the program: by the end of its input or, where it is at work, at once."""
    assert process.stdin is not None
    program.interrupt(process)
    try:
        process.stdin.close()
    except OSError:
        pass  # it has ended already
    try:
        process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class SessionProblem:
    """A problem that a session holds ready. The arguments are those of the functions of the
    same names; changes hold for one request.

    Attributes:
        shown: the problem: its variables, goal and reward.
    """

    def __init__(self, session: Session, source: Problem, document: Answer) -> None:
        self._session = session
        self._source = source
        self._handle = document["handle"]
        self._files = ExitStack()  # of the simulator that reset has opened
        session.at_end(self._release)
        self._driven: Any = None
        self._command: str | None = None
        self.shown = decode(Shown, document)

    def __repr__(self) -> str:
        return f"<problem {self.shown.problem} of a session>"

    def plan(self, horizon: int | tuple[int, int] | range | None = None, *, on_event: OnEvent = None, **given: Unpack[options.Plan]) -> Plan:
        """Find a plan with the best reward, and prove that no plan is better.

        Raises:
            LimitReached: if the time limit was reached before there was a plan.
        """
        plan = self._ask(Plan, "plan", {"horizon": horizon, **given}, on_event, source=self._source)
        if plan.status == "unknown":
            raise LimitReached(f"no plan was found before {plan.stopped}", plan)
        return plan

    def validate(self, plan: Plan | Steps, **given: Unpack[options.Validate]) -> Verdict:
        """Replay a plan in the model and, with ``simulator``, in a simulator."""
        return self._ask(Verdict, "validate", {"plan": steps_of(plan), **given})

    def explain(self, plan: Plan | Steps | None = None, *, on_event: OnEvent = None, **given: Unpack[options.Explain]) -> Explanation:
        """Explain why there is no plan of a horizon, or what forces a plan."""
        return self._ask(Explanation, "explain", {"plan": steps_of(plan), **given}, on_event)

    def verify(self, property: str, **given: Unpack[options.Verify]) -> Property:
        """Decide whether a property of one step holds in every legal state and action."""
        return self._ask(Property, "verify", {"property": property, **given})

    def simulate(self, plan: Plan | Steps | None = None, **given: Unpack[options.Simulate]) -> Simulated:
        """Run a plan or a policy in the problem's RDDL."""
        return self._ask(Simulated, "simulate", {"plan": steps_of(plan), **given})

    def reset(
        self,
        *,
        initial: Values | None = None,
        require: str | Iterable[str] = (),
        reward: Mapping[str, float] | None = None,
        simulator: Any = "rddl",
        seed: int | None = None,
    ) -> Observation:
        """Begin an episode in a simulator, and return its first state.

        The simulator of the last episode goes on unless another one, or a seed, is given.
        """
        if self._command is None or simulator is not self._driven:
            files = ExitStack()
            self._command, self._driven = attach(simulator, files), simulator
            self._files.close()
            self._files = files
        changes = {"initial": initial, "require": require, "reward": reward}
        return self._ask(Observation, "reset", {**changes, "simulator": self._command, "seed": seed})

    def step(self, action: Values | None = None) -> Observation:
        """Take a joint action, the variables that do not have their default, in the episode."""
        return self._ask(Observation, "step", {"action": dict(action or {})})

    def close(self) -> None:
        """Let the session forget the problem."""
        self._ask_raw("close", {}, None)
        self._release()

    def _release(self) -> None:
        self._files.close()

    def _ask_raw(self, method: str, params: Mapping[str, Any], on_event: OnEvent) -> Answer:
        progress = {"progress": True} if on_event is not None else {}
        with ExitStack() as files:
            return self._session.request(method, {"handle": self._handle, **request_of(params, files), **progress}, on_event)

    def _ask(self, kind: type[T], method: str, params: Mapping[str, Any], on_event: OnEvent = None, **more: Any) -> T:
        try:
            return decode(kind, self._ask_raw(method, params, on_event), **more)
        except Interrupted as stop:
            if stop.result is None:
                raise
            raise Interrupted(decode(kind, stop.result, **more)) from None
