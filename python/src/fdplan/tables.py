"""Data sets from memory: pandas frames, NumPy arrays, and plain lists."""

from __future__ import annotations

import csv
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

from .errors import InputError
from .words import value_text

__all__ = ["Frame", "Table", "columns", "on_disk"]


@runtime_checkable
class Frame(Protocol):
    """What is used of a pandas or polars frame."""

    @property
    def columns(self) -> Iterable[Any]: ...

    def __getitem__(self, name: Any, /) -> Any: ...


Table: TypeAlias = "str | os.PathLike[str] | Frame | Mapping[str, Any] | Sequence[Mapping[str, Any]]"
"""A data set: the name of a file; a frame; columns by name, as lists or arrays; a structured
array; or rows as mappings."""


def columns(table: Any) -> dict[str, list[Any]]:
    """Return the columns of a table as lists of plain values."""
    names = getattr(getattr(table, "dtype", None), "names", None)  # of a structured array
    if names:
        return {name: _plain(table[name]) for name in names}
    if isinstance(table, Mapping):
        return {str(name): _plain(column) for name, column in table.items()}
    if isinstance(table, Frame):
        return {str(name): _plain(table[name]) for name in table.columns}
    if isinstance(table, Sequence) and all(isinstance(row, Mapping) for row in table):
        header = list(dict.fromkeys(str(name) for row in table for name in row))
        return {name: [row.get(name) for row in table] for name in header}
    raise InputError(f"{type(table).__name__} is no data set; expected a file, a frame, columns by name, or rows as mappings")


def _plain(column: Any) -> list[Any]:
    convert = getattr(column, "tolist", None) or getattr(column, "to_list", None)
    return list(convert() if convert else column)


def on_disk(table: Table, files: ExitStack) -> str:
    """Return the name of a file with a table.

    A name is returned as it is. Anything else is written as CSV to a temporary file, which
    goes when ``files`` is closed.
    """
    if isinstance(table, (str, os.PathLike)):
        return os.fspath(table)
    data = columns(table)
    if len({len(column) for column in data.values()}) > 1:
        lengths = ", ".join(f"{name} has {len(column)}" for name, column in data.items())
        raise InputError(f"the columns of a data set have as many values each; {lengths}")
    folder = files.enter_context(tempfile.TemporaryDirectory(prefix="fdplan-"))
    name = Path(folder) / "table.csv"
    with name.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(data)
        rows.writerows([_text(value) for value in row] for row in zip(*data.values()))
    return str(name)


def _text(value: Any) -> str:
    if value is None or value != value or str(value) in ("<NA>", "NaT"):  # pandas has these too
        return ""
    return value_text(value)
