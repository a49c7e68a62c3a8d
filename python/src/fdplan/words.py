"""The words of a command line."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from .errors import InputError

__all__ = ["changes", "json_on_disk", "limits", "listed", "option", "options", "plain_value", "seconds", "value_text"]


def value_text(value: Any) -> str:
    """Return the value of a variable as the program reads it."""
    value = value.item() if hasattr(value, "item") else value
    return str(value).lower() if isinstance(value, bool) else str(value)


def option(name: str, value: Any) -> list[str]:
    """Return a flag with its value: nothing for None and False, the flag alone for True, and
    one for each of a list."""
    flag = "--" + name.replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    if isinstance(value, (list, tuple)):
        return [word for item in value for word in option(name, item)]
    text = os.fspath(value) if isinstance(value, os.PathLike) else str(value)
    return [f"{flag}={text}"]


def options(**values: Any) -> list[str]:
    """Return flags with their values, in order."""
    return [word for name, value in values.items() for word in option(name, value)]


def changes(initial: Mapping[str, Any] | None, require: str | Iterable[str], reward: Mapping[str, float] | str | os.PathLike[str] | None, files: ExitStack) -> list[str]:
    """Return changes to a problem as words of a command line."""
    if isinstance(reward, Mapping):
        folder = files.enter_context(tempfile.TemporaryDirectory(prefix="fdplan-"))
        name = Path(folder) / "reward.txt"
        name.write_text("".join(f"{variable},{value_text(weight)}\n" for variable, weight in reward.items()), encoding="utf-8")
        reward = name
    return options(
        set_initial=[f"{variable}={value_text(value)}" for variable, value in (initial or {}).items()],
        require=listed(require),
        reward=reward,
    )


def listed(texts: str | Iterable[str]) -> list[str]:
    """Return texts as a list, one text as a list of it alone."""
    return [texts] if isinstance(texts, str) else list(texts)


def limits(time_limit: float | None, memory: int | str | None = None, threads: int | None = None, seed: int | None = None) -> list[str]:
    """Return limits, times in seconds, as words of a command line."""
    return options(
        time_limit=seconds(time_limit),
        memory=f"{memory}B" if isinstance(memory, int) else memory,
        threads=threads,
        seed=seed,
    )


def seconds(time: float | None) -> str | None:
    """Return a time as the program reads it."""
    return None if time is None else f"{time:f}s"


def json_on_disk(name: str, document: Any, files: ExitStack) -> str:
    """Write a JSON document to a temporary file of that name, and return its path."""
    folder = files.enter_context(tempfile.TemporaryDirectory(prefix="fdplan-"))
    path = Path(folder) / name
    path.write_text(json.dumps(document, default=plain_value), encoding="utf-8")
    return str(path)


def plain_value(value: Any) -> Any:
    """Return a value of NumPy as one that JSON has."""
    if hasattr(value, "item"):
        return value.item()
    raise InputError(f"{value!r} is no value of a variable; expected a Boolean, a number or a name")
