"""Finding and starting the program."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .errors import FdplanError, InputError, InternalError, LimitReached, MissingProgram
from .words import plain_value

__all__ = ["VARIABLE", "failure", "find", "interrupt", "request", "start"]

VARIABLE = "FDPLAN"
"""The environment variable that names the program."""


def find() -> Path:
    """Return the path of the program: what FDPLAN names, or else that of the wheel, or fdplan on the path.

    Raises:
        MissingProgram: if there is none.
    """
    named = os.environ.get(VARIABLE)
    found = shutil.which(named) if named else _installed() or shutil.which("fdplan")
    if found is None and named:
        raise MissingProgram(f"{VARIABLE} names {named}, which is no program")
    if found is None:
        raise MissingProgram(f"fdplan is not on the path; expected it there, or the environment variable {VARIABLE} with its name")
    return Path(found)


def _installed() -> str | None:
    """Return the program that a wheel has brought, where this package was installed by one."""
    for scheme in (sysconfig.get_default_scheme(), f"{os.name}_user"):
        if Path(sysconfig.get_path("purelib", scheme)) in Path(__file__).parents:
            return shutil.which("fdplan", path=sysconfig.get_path("scripts", scheme))
    return None


def start(arguments: Sequence[str], *, stdin: int = subprocess.DEVNULL, stderr: int | None = subprocess.PIPE) -> subprocess.Popen[str]:
    """Start the program with pipes, apart from the terminal's Ctrl-C.

    Ctrl-C reaches this process alone, which then decides what becomes of the program.
    """
    apart: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return subprocess.Popen(
        [str(find()), *arguments], stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, encoding="utf-8", errors="replace", **apart
    )


def request(command: str, options: Mapping[str, Any]) -> subprocess.Popen[str]:
    """Start a command that is asked for by a document."""
    text = json.dumps({"command": command, "request": options}, default=plain_value)
    process = start(["request"], stdin=subprocess.PIPE)
    assert process.stdin is not None
    try:
        with process.stdin:
            process.stdin.write(text)
    except OSError:
        pass  # it has ended already, and says why
    process.stdin = None
    return process


def interrupt(process: subprocess.Popen[str]) -> None:
    """Ask the program to stop, and to answer with what it has."""
    if process.poll() is not None:
        return
    if sys.platform == "win32":
        process.send_signal(signal.CTRL_BREAK_EVENT)
    else:
        process.send_signal(signal.SIGINT)


def error_in(said: str) -> dict[str, Any]:
    """Return the object that describes an error, of what the program wrote to standard error."""
    for line in said.splitlines():
        if line.startswith('{"error"'):
            found: dict[str, Any] = json.loads(line)
            return found
    return {"error": said.strip()}


def failure(status: int, error: dict[str, Any]) -> FdplanError:
    """Return the error of an exit status, with the object that describes it."""
    message = str(error.get("error") or f"fdplan ended with status {status}")
    if status == 2:
        return InputError(message, error.get("file"), error.get("line"), error.get("column"))
    if status == 3:
        return LimitReached(message)
    if status == 1 or error.get("bug"):
        return InternalError(message)
    return FdplanError(message)
