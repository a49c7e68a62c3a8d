"""The answers about plans. Attributes have the names of the JSON that the program prints, which
docs/formats.md describes; ``document`` is all of it."""

from __future__ import annotations

import builtins
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from .errors import NoAnswer
from .picture import caption, draw
from .problem import Problem

__all__ = [
    "Bracket",
    "Difference",
    "Episodes",
    "Evidence",
    "Explanation",
    "Fault",
    "Observation",
    "Plan",
    "Proof",
    "Property",
    "Result",
    "Run",
    "Shown",
    "Simulated",
    "Variable",
    "Verdict",
    "Verdicts",
    "Witness",
]

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Result:
    """What all answers have."""

    schema: int
    document: Mapping[str, Any] = field(repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class Verdicts:
    """The checks of a plan; None for a check that was not made."""

    model: bool | None
    simulator: bool | None


@dataclass(frozen=True, kw_only=True)
class Proof:
    """Who stands for a proof, and where its certificate is."""

    by: str
    certificate: str | None
    checked: bool | None


@dataclass(frozen=True, kw_only=True)
class Fault:
    """Where a plan or an episode fails."""

    step: int
    group: str
    constraint: str
    text: str
    values: dict[str, Any]
    origin: str | None = None


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A state that differs from the expected one, by the variables that do."""

    step: int
    expected: dict[str, Any]
    observed: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Bracket:
    """What the training rows support of a plan that uses only such steps.

    ``held`` is a plan with other steps that was seen to reach the bound: ``reward``, ``by``, ``plan``, ``trace``.
    """

    reward: float | None
    bound_unseen: float | None
    impossible: bool = False
    doubt: float = 0.0
    unproven: bool = False
    held: dict[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What the training rows tell about a step.

    ``kind`` is ``seen``, ``disputed``, ``supported`` or ``unseen``. ``rows`` have its state and
    action, and ``agree`` of them its next values; ``klass`` names the functions of a supported step,
    and ``next`` the variables that rows dispute or do not support.
    """

    kind: str
    step: int | None = None
    rows: int | None = None
    agree: int | None = None
    klass: str | None = field(default=None, metadata={"name": "class"})
    next: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Plan(Result):
    """The answer of :func:`fdplan.plan`. A notebook shows its picture."""

    problem: str
    verdict: str
    status: str
    engine: str
    horizon: int | None
    reward: float | None
    bound: float | None
    gap: float | None
    proof: Proof | None
    plan: list[dict[str, Any]] | None
    trace: list[dict[str, Any]] | None = field(repr=False)
    valid: Verdicts
    simulated_reward: float | None
    landmarks: int
    seconds: dict[str, float] = field(repr=False, compare=False)
    stats: dict[str, int] = field(repr=False, compare=False)
    learned: bool = False
    determinized: str | None = None
    note: str | None = None
    start_breaks: dict[str, Any] | None = field(default=None, repr=False)
    simulator: str | None = None
    simulator_says: str | None = None
    observed: list[dict[str, Any]] | None = field(default=None, repr=False)
    out_of_range: list[dict[str, Any]] = field(default_factory=list, repr=False)
    unseen_steps: int | None = None
    unseen_exact: bool | None = None
    unsupported: list[dict[str, Any]] | None = field(default=None, repr=False)
    learned_reward: dict[str, Any] | None = field(default=None, repr=False)
    evidence: list[Evidence] | None = field(default=None, repr=False)
    safe: Bracket | None = None
    stopped: str | None = None
    range: list[int] | None = None
    horizons: list[dict[str, Any]] | None = None
    incremental: dict[str, Any] | None = field(default=None, repr=False)
    next: list[str] | None = field(default=None, repr=False)
    source: Problem | None = field(default=None, repr=False, compare=False)

    @property
    def ok(self) -> bool:
        """Whether there is a plan, and it holds in the simulator if one was asked."""
        return self.plan is not None and self.valid.simulator is not False

    @property
    def optimal(self) -> bool:
        """Whether the plan is proven to have the best reward."""
        return self.status == "optimal"

    def check(self) -> Plan:
        """Return the plan itself if it is ok.

        Raises:
            NoAnswer: if there is no plan, or it fails in the simulator.
        """
        return checked(self, self.ok, f"{self.problem}: {self.verdict}")

    def save(self, file: str | os.PathLike[str]) -> Path:
        """Write the plan as the program reads it, and return the file's path."""
        path = Path(file)
        path.write_text(json.dumps(self.document) + "\n", encoding="utf-8")
        return path

    def picture(self, format: str = "svg") -> bytes:
        """Return a picture of the plan: ``svg``, ``html``, ``gif`` or ``txt``.

        Raises:
            NoAnswer: if there is no plan.
        """
        checked(self, self.plan is not None, f"{self.problem}: {self.verdict}")
        return draw(self.document, self.source, format)

    def _repr_html_(self) -> str:
        drawing = draw(self.document, self.source, "svg").decode() if self.plan else ""
        return caption(f"{self.problem}: {self.status}", self.reward, self.verdict) + drawing


def checked(result: T, ok: bool, message: str) -> T:
    """Return a result that is ok, else raise NoAnswer."""
    if not ok:
        raise NoAnswer(message, result)
    return result


@dataclass(frozen=True, kw_only=True)
class Verdict(Result):
    """The answer of :func:`fdplan.validate`."""

    problem: str
    horizon: int
    valid: Verdicts
    reward: float | None
    trace: list[dict[str, Any]] | None = field(repr=False)
    failure: Fault | None
    simulated_reward: float | None
    simulator_failure: Fault | None
    differs: Difference | None
    simulations: int = 0
    recorded: int = 0
    out_of_range: list[dict[str, Any]] = field(default_factory=list, repr=False)
    determinized: str | None = None

    @property
    def ok(self) -> bool:
        """Whether the plan is valid in the model, and in the simulator if one was asked."""
        return bool(self.valid.model) and self.valid.simulator is not False

    def check(self) -> Verdict:
        """Return the verdict itself if the plan is valid.

        Raises:
            NoAnswer: if it is not.
        """
        fault = self.failure or self.simulator_failure
        return checked(self, self.ok, fault.text if fault else "the plan is invalid")


@dataclass(frozen=True, kw_only=True)
class Witness:
    """A step that violates a property."""

    state: dict[str, Any]
    action: dict[str, Any]
    next: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Property(Result):
    """The answer of :func:`fdplan.verify`.

    ``lines`` are those of the rows that refute the property, which was held against ``rows`` of them.
    """

    problem: str
    property: str
    status: str
    witness: Witness | None
    checked: bool
    next_states: str | None = None
    evidence: Evidence | None = None
    lines: list[int] = field(default_factory=list)
    rows: int = 0
    refuting_rows: int = 0
    refuting: list[dict[str, Any]] = field(default_factory=list, repr=False)
    model: str | None = None
    warnings: list[str] = field(default_factory=list)
    certificate: str | None = None
    determinized: str | None = None

    @builtins.property  # not the field of that name
    def ok(self) -> bool:
        """Whether the property holds in every legal state and action, and no row refutes it."""
        return self.status == "holds"

    def check(self) -> Property:
        """Return the answer itself if the property holds.

        Raises:
            NoAnswer: if it fails.
        """
        return checked(self, self.ok, f"{self.problem}: the property {'fails' if self.status == 'fails' else 'is ' + self.status}: {self.property}")


@dataclass(frozen=True, kw_only=True)
class Explanation(Result):
    """The answer of :func:`fdplan.explain`."""

    problem: str
    horizon: int
    status: str
    reward: float | None
    best: float | None
    conflict: dict[str, Any] | None
    failure: Fault | None
    steps: list[dict[str, Any]] | None
    trace: list[dict[str, Any]] | None = field(repr=False)
    stopped: str | None = None
    determinized: str | None = None


@dataclass(frozen=True, kw_only=True)
class Simulated(Result):
    """The answer of :func:`fdplan.simulate`."""

    problem: str
    steps: int
    reward: float
    discounted_reward: float
    end: str
    failure: Fault | None

    @property
    def ok(self) -> bool:
        """Whether no rule was broken."""
        return self.failure is None


@dataclass(frozen=True, kw_only=True)
class Observation(Result):
    """What a system shows after a reset or a step of a session."""

    step: int
    state: dict[str, Any] | None
    reward: float | None
    terminal: bool
    goal: bool | None
    failure: Fault | None
    missing: list[str] = field(default_factory=list)
    out_of_range: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Run(Result):
    """The answer of :func:`fdplan.run`.

    ``predicted`` is how often the network predicted the steps wrongly (``rows``, ``wrong``, ``unchanged``,
    ``fluents`` and so on), and ``out_of_range`` the values that their variables do not have.
    """

    problem: str
    simulator: str
    status: str
    horizon: int
    replan_every: int
    until: str
    plans: list[dict[str, Any]]
    steps: list[dict[str, Any]]
    final: dict[str, Any] | None
    reward: float | None
    surprises: int
    failure: Fault | None
    plan_latency: dict[str, float] = field(repr=False, compare=False)
    step_latency: dict[str, float] = field(repr=False, compare=False)
    simulations: int = 0
    recorded: int = 0
    says: str | None = None
    next: list[str] | None = field(default=None, repr=False)
    determinized: str | None = None
    min_horizon: int | None = None
    predicted: dict[str, Any] | None = field(default=None, repr=False)
    out_of_range: list[dict[str, Any]] = field(default_factory=list, repr=False)

    @property
    def ok(self) -> bool:
        """Whether the run did what it was to do."""
        return self.status in ("goal", "done")


@dataclass(frozen=True, kw_only=True)
class Episodes(Result):
    """The answer of :func:`fdplan.episodes`: averages of planning and of two policies."""

    problem: str
    horizon: int
    steps: int
    episodes: list[dict[str, Any]]
    plan: dict[str, float]
    noop: dict[str, float]
    random: dict[str, float]
    step_seconds: float = field(compare=False)
    stopped: str | None = None
    determinized: str | None = None


@dataclass(frozen=True, kw_only=True)
class Variable:
    """A variable of a problem."""

    name: str
    kind: str
    bool: bool
    lo: int
    hi: int
    bits: int
    range: str
    learned: bool
    input: bool
    values: list[str] | None = None
    edges: list[float] | None = None
    unit: str | None = None
    bins: list[str] | None = None
    default: Any = None
    listed: bool = False
    meaning: str | None = None


@dataclass(frozen=True, kw_only=True)
class Shown(Result):
    """The answer of :func:`fdplan.show`: a problem."""

    problem: str
    variables: list[Variable]
    initial: list[dict[str, str]] = field(repr=False)
    goal: list[dict[str, str]] = field(repr=False)
    reward: list[dict[str, Any]] = field(repr=False)
    bits: dict[str, int]
    horizon: int | None = None
    network: dict[str, Any] | None = field(default=None, repr=False)
    task: dict[str, Any] | None = field(default=None, repr=False)
    determinized: str | None = None

    def of_kind(self, kind: str) -> list[Variable]:
        """Return the variables of a kind: ``state``, ``action`` or ``auxiliary``."""
        return [variable for variable in self.variables if variable.kind == kind]
