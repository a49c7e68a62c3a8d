"""Running a command: waiting for its result, or following its events."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import queue
import threading
import warnings
import weakref
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from subprocess import Popen
from typing import Any, Generic, ParamSpec, TypeVar

from . import options, program
from .documents import decode
from .errors import FdplanError, FdplanWarning, Interrupted, LimitReached
from .events import Event
from .progress import shown

P = ParamSpec("P")
A = TypeVar("A")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

__all__ = ["Command", "Invocation", "Job", "reader"]

ANSWERED = (0, 4)
"""The exit statuses of an answer: done, and no."""


@dataclass(frozen=True)
class Invocation(Generic[T_co]):
    """A command with its request, and how its answer becomes a result."""

    command: str
    request: Mapping[str, Any]
    read: Callable[[dict[str, Any]], T_co]
    files: ExitStack = field(default_factory=ExitStack)  # temporary files that it reads

    def given(self, **more: Any) -> Invocation[T_co]:
        """Return the same with more options."""
        return replace(self, request={**self.request, **more})


def reader(kind: type[T], **more: Any) -> Callable[[dict[str, Any]], T]:
    """Return the function that makes a result of a document, with more fields."""
    return lambda document: decode(kind, document, **more)


class Job(Generic[T_co]):
    """A command at work.

    Iterating yields its events as they happen; :meth:`result` waits for its result. In
    coroutines, ``async for`` and ``await`` do. As a context manager it ends the command when
    the block is left.
    """

    def __init__(self, invocation: Invocation[T_co]) -> None:
        self._invocation = invocation
        try:
            self._process = program.request(invocation.command, invocation.request)
        except BaseException:
            invocation.files.close()
            raise
        self._end = weakref.finalize(self, _abandon, self._process, invocation.files)
        self._events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._over = False  # the last event was taken
        self._cancelled = False
        self._output = ""
        self._error: dict[str, Any] = {}
        self._said: list[str] = []
        self._warned: list[str] = []
        self._threads = [threading.Thread(target=target, daemon=True) for target in (self._read_output, self._read_events)]
        for thread in self._threads:
            thread.start()

    def __iter__(self) -> Iterator[Event]:
        while not self._over:
            event = self._events.get()
            if event is None:
                self._over = True
                return
            yield event

    def __enter__(self) -> Job[T_co]:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        for thread in self._threads:
            thread.join()

    @property
    def running(self) -> bool:
        """Whether the command is still at work."""
        return self._process.poll() is None

    def cancel(self) -> None:
        """Ask the command to stop; its result is then the best that it has."""
        if not self._cancelled:  # a second signal would end it without an answer
            self._cancelled = True
            program.interrupt(self._process)

    def result(self) -> T_co:
        """Wait for the command and return its result.

        Raises:
            InputError: if an input is wrong.
            LimitReached: if a limit was reached before there was an answer.
            Interrupted: if Ctrl-C was pressed, with the best answer so far.
            FdplanError: if anything else is wrong.
        """
        try:
            self._wait()
        except KeyboardInterrupt:
            self.cancel()
            self._wait()
            try:
                best = self._answer()
            except FdplanError:
                best = None
            raise Interrupted(best) from None
        return self._answer()

    def __await__(self) -> Generator[Any, None, T_co]:
        """Wait for the result in a coroutine; a task that is cancelled ends the command."""
        return self._awaited().__await__()

    async def _awaited(self) -> T_co:
        await self._aside(self._wait)
        return self._answer()

    async def __aiter__(self) -> AsyncIterator[Event]:
        while not self._over:
            event = await self._aside(self._events.get)
            if event is None:
                self._over = True
                return
            yield event

    async def _aside(self, wait: Callable[[], A]) -> A:
        """Return what a function returns that waits for the command, on a thread of its own."""
        try:
            return await asyncio.to_thread(wait)
        except asyncio.CancelledError:
            self._end()
            raise

    def _wait(self) -> None:
        self._process.wait()
        for thread in self._threads:
            thread.join()

    def _answer(self) -> T_co:
        status = self._process.returncode
        self._end()
        for text in self._warned:
            warnings.warn(text, FdplanWarning, stacklevel=4)
        self._warned.clear()
        result = None
        if self._output.strip() and (status in ANSWERED or status == 3):
            result = self._invocation.read(json.loads(self._output))
        if status in ANSWERED and result is not None:
            return result
        error = program.failure(status, self._error or {"error": "\n".join(self._said)})
        if isinstance(error, LimitReached):
            error.result = result
        raise error

    def _read_output(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as output:
            self._output = output.read()

    def _read_events(self) -> None:
        assert self._process.stderr is not None
        try:
            with self._process.stderr as lines:
                for line in lines:
                    self._take(line.rstrip("\n"))
        finally:
            self._events.put(None)

    def _take(self, line: str) -> None:
        try:
            document = json.loads(line)
        except ValueError:
            document = None
        if not isinstance(document, dict):
            _, warning, text = line.partition("fdplan: warning: ")
            (self._warned if warning else self._said).append(text if warning else line.removeprefix("fdplan: "))
        elif "event" in document:
            event = Event.of_document(document)
            if event.kind == "warning" and event.text:
                self._warned.append(event.text)
            self._events.put(event)
        elif "error" in document:
            self._error = document


def _abandon(process: Popen[str], files: ExitStack) -> None:
    """End a command that nobody waits for any more, and remove its files."""
    if process.poll() is None:
        process.kill()
        process.wait()
    files.close()


class Command(Generic[P, T]):
    """A command of the program as a function.

    Calling it runs the command and returns the result. :meth:`start` takes the same
    arguments and returns a :class:`Job` at once, whose events can be followed.
    """

    def __init__(self, prepare: Callable[P, Invocation[T]]) -> None:
        functools.update_wrapper(self, prepare)
        self._prepare = prepare

    @property
    def __signature__(self) -> inspect.Signature:
        signature = inspect.signature(self._prepare)
        result = str(signature.return_annotation).removeprefix("Invocation[").removesuffix("]")
        parameters = []
        for parameter in signature.parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                kind = getattr(options, str(parameter.annotation).removeprefix("Unpack[options.").removesuffix("]"))
                parameters += [inspect.Parameter(name, parameter.KEYWORD_ONLY, default=None, annotation=getattr(text, "__forward_arg__", text)) for name, text in kind.__annotations__.items()]
            else:
                parameters.append(parameter)
        return signature.replace(parameters=parameters, return_annotation=result)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        self.__signature__.bind(*args, **kwargs)
        with Job(self._prepare(*args, **kwargs)) as job:
            with shown(job, self.__name__):
                return job.result()

    def start(self, *args: P.args, **kwargs: P.kwargs) -> Job[T]:
        """Start the command and return it at work."""
        self.__signature__.bind(*args, **kwargs)
        return Job(self._prepare(*args, **kwargs))
