"""The errors of fdplan.

Each corresponds to an exit status of the program. That the answer of a question is no,
such as that no plan exists, is a result and no error, unless it is asked for with
:meth:`fdplan.Plan.check`.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "FdplanError",
    "FdplanWarning",
    "InputError",
    "InternalError",
    "Interrupted",
    "LimitReached",
    "MissingProgram",
    "NoAnswer",
]


class FdplanWarning(UserWarning):
    """A warning of the program, such as that a plan relies on unseen transitions."""


class FdplanError(Exception):
    """The base of all errors of this package."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class MissingProgram(FdplanError):
    """The program fdplan was not found."""


class InternalError(FdplanError):
    """A bug of the program. Please report it with the message."""


class InputError(FdplanError):
    """An input is wrong, or something that is needed is not installed.

    Attributes:
        message: what is wrong, and what was expected.
        file: the file with the error, or None.
        line: its line, from 1, or None.
        column: its column in bytes, from 1, or None.
    """

    def __init__(self, message: str, file: str | None = None, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.column = column

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        return f"{place}: {self.message}" if place else self.message


class NoAnswer(FdplanError):
    """There is no plan, the plan is invalid, or the property fails.

    Attributes:
        result: the answer that says so.
    """

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result


class LimitReached(FdplanError):
    """A limit was reached before there was an answer.

    Attributes:
        result: what is known, such as a bound; None if that is nothing.
    """

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended the work.

    Attributes:
        result: the best answer so far, such as a plan that is not proven optimal; None if
            there is none.
    """

    def __init__(self, result: Any = None) -> None:
        super().__init__("the work was interrupted")
        self.result = result
