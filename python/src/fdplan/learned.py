"""The answers about data and networks; see :mod:`fdplan.results`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import answers
from .answers import Collected, Converted, Equality, Errors, FluentErrors, Initialization, Measure, Trained
from .documents import Listed, decode

__all__ = ["Acted", "Collected", "Converted", "FluentErrors", "Initialized", "Measure", "Proved", "Tested", "Trained"]


@dataclass(frozen=True, kw_only=True)
class Acted(answers.Acted):
    """The answer of :func:`fdplan.learn`."""

    @property
    def ok(self) -> bool:
        """Whether a plan is proven optimal, as far as ``assuming`` says."""
        return self.status == "optimal"


@dataclass(frozen=True, kw_only=True)
class Tested(Errors):
    """The answer of :func:`fdplan.test`; the counts are of the data, and None without."""

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each fluent, with its errors; without any, what is known of all."""
        fluents = self.document.get("fluents") or {}
        return [{"fluent": name, **errors} for name, errors in fluents.items()] or super().records()

    @property
    def data(self) -> Measure | None:
        """The errors on the data."""
        return None if self.rows is None else decode(Measure, self.document)


@dataclass(frozen=True, kw_only=True)
class Proved(Equality):
    """The answer of :func:`fdplan.prove`."""

    @property
    def ok(self) -> bool:
        """Whether every output bit is proven equal to the RDDL's."""
        return self.equal


@dataclass(frozen=True, kw_only=True)
class Initialized(Initialization, Listed[dict[str, Any]]):
    """The answer of :func:`fdplan.init`: the columns, with what became of each."""

    def _items(self) -> list[dict[str, Any]]:
        return self.columns or []

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each column."""
        return [dict(column) for column in self]

    @property
    def task(self) -> Path:
        """The task file."""
        return next(Path(name) for name in self.files or [] if name.endswith("task.toml"))

    @property
    def data(self) -> Path:
        """The data set."""
        return next(Path(name) for name in self.files or [] if Path(name).stem == "data")
