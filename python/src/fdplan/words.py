"""Values as the program reads them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from .errors import InputError

__all__ = ["listed", "plain_value", "value_text"]


def value_text(value: Any) -> str:
    """Return the value of a variable as the program reads it."""
    value = value.item() if hasattr(value, "item") else value
    return str(value).lower() if isinstance(value, bool) else str(value)


def listed(texts: str | Iterable[str]) -> list[str]:
    """Return texts as a list, one text as a list of it alone."""
    return [texts] if isinstance(texts, str) else list(texts)


def plain_value(value: Any) -> Any:
    """Return a path, a collection, or a value of NumPy as what JSON has."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        return value.item()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable):
        return list(value)
    raise InputError(f"{value!r} is no value of a variable; expected a Boolean, a number or a name")
