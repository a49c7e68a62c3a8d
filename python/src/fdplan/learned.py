"""The answers about data and networks; see :mod:`fdplan.results`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .results import Result

__all__ = ["Collected", "Converted", "Initialized", "Measure", "Proved", "Tested", "Trained"]


@dataclass(frozen=True, kw_only=True)
class Measure:
    """Errors of a network on rows; the names ``_seen`` count rows as often as they were seen."""

    rows: int
    wrong: int
    rows_seen: int
    wrong_seen: int
    row_error: float
    bit_error: float
    distinct_row_error: float | None = None
    distinct_bit_error: float | None = None
    bits: dict[str, float] = field(default_factory=dict, repr=False)
    unseen: int | None = None
    document: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class Trained(Result):
    """The answer of :func:`fdplan.train`."""

    problem: str
    network: str
    recipe: str
    neurons: int
    edges: int
    rows: int
    distinct: int
    epoch: int
    train: Measure
    test: Measure | None
    contradictory: int
    incomplete: int = 0
    dropped_rows: int = 0
    structure: dict[str, Any] | None = field(default=None, repr=False)
    reward: dict[str, Any] | None = field(default=None, repr=False)
    grid: dict[str, Any] | None = field(default=None, repr=False)
    stopped: str | None = None


@dataclass(frozen=True, kw_only=True)
class Tested(Result):
    """The answer of :func:`fdplan.test`."""

    problem: str
    network: str
    trained_on: dict[str, Any] | None
    data: Measure | None
    legal: Measure | None
    drawn: Measure | None
    unlisted: str | None = None


@dataclass(frozen=True, kw_only=True)
class Proved(Result):
    """The answer of :func:`fdplan.prove`."""

    problem: str
    network: str
    equal: bool
    outputs: int
    differing: list[str] | None = None
    counterexample: dict[str, Any] | None = None
    certified: bool = False

    @property
    def ok(self) -> bool:
        """Whether every output bit is proven equal to the RDDL's."""
        return self.equal


@dataclass(frozen=True, kw_only=True)
class Converted(Result):
    """The answer of :func:`fdplan.convert`."""

    problem: str
    network: str
    edges: int
    compared: int = 0


@dataclass(frozen=True, kw_only=True)
class Collected(Result):
    """The answer of :func:`fdplan.collect`."""

    problem: str
    data: str
    rows: int
    policy: str | None = None
    seed: int | None = None
    log: str | None = None
    simulator: str | None = None
    shown: dict[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class Initialized(Result):
    """The answer of :func:`fdplan.init`."""

    log: str
    format: str
    rows: int
    transitions: int
    dropped_rows: int
    columns: list[dict[str, Any]] = field(repr=False)
    contradictory: int
    files: list[str]

    @property
    def task(self) -> Path:
        """The task file."""
        return next(Path(name) for name in self.files if name.endswith("task.toml"))

    @property
    def data(self) -> Path:
        """The data set."""
        return next(Path(name) for name in self.files if Path(name).stem == "data")
