"""The answers about data and networks; see :mod:`fdplan.results`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .documents import decode
from .results import Result

__all__ = ["Collected", "Converted", "FluentErrors", "Initialized", "Measure", "Proved", "Tested", "Trained"]


@dataclass(frozen=True, kw_only=True)
class FluentErrors:
    """Errors of the predicted values of one fluent.

    The last five are of quantities and integers, in their own unit, and None for others.
    """

    wrong: int
    floor: int
    unchanged: int
    rms: float | None = None
    rms_unchanged: float | None = None
    mean: float | None = None
    p95: float | None = None
    unit: str | None = None


@dataclass(frozen=True, kw_only=True)
class Measure:
    """Errors of a network on rows, each counted as often as it stands in the data.

    ``wrong`` rows have a wrong next state; ``floor`` of them even by the best function of these
    columns, and ``unchanged`` by predicting that nothing changes.
    """

    rows: int
    wrong: int
    floor: int
    unchanged: int
    row_error: float
    bit_error: float
    distinct: int | None = None
    out_of_range: int = 0
    fluents: dict[str, FluentErrors] = field(default_factory=dict, repr=False)
    bits: dict[str, float] = field(default_factory=dict, repr=False)
    outside: list[dict[str, Any]] = field(default_factory=list, repr=False)
    incomplete: int = 0
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
    held_out: Measure | None
    contradictory: int
    held_out_by: str | None = None
    held_out_why: str | None = None
    refitted: bool = False
    incomplete: int = 0
    dropped_rows: int = 0
    structure: dict[str, Any] | None = field(default=None, repr=False)
    reward: dict[str, Any] | None = field(default=None, repr=False)
    grid: dict[str, Any] | None = field(default=None, repr=False)
    stopped: str | None = None


@dataclass(frozen=True, kw_only=True)
class Tested(Result):
    """The answer of :func:`fdplan.test`; the counts are of the data, and None without."""

    problem: str
    network: str
    trained_on: dict[str, Any] | None
    rows: int | None = None
    wrong: int | None = None
    floor: int | None = None
    unchanged: int | None = None
    out_of_range: int | None = None
    fluents: dict[str, FluentErrors] = field(default_factory=dict, repr=False)
    dropped_rows: int = 0
    legal: Measure | None = None
    drawn: Measure | None = None
    unlisted: str | None = None

    @property
    def data(self) -> Measure | None:
        """The errors on the data."""
        return None if self.rows is None else decode(Measure, self.document)


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
