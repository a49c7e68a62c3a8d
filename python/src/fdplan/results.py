"""The answers about plans. Attributes have the names of the JSON that the program prints, which
docs/formats.md describes; ``document`` is all of it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from . import answers
from .answers import (
    Bracket,
    Difference,
    Episodes,
    Evidence,
    Execution,
    Explanation,
    Fault,
    Observation,
    PlanAnswer,
    Proof,
    Summary,
    Validation,
    Variable,
    Verdicts,
    Verification,
    Witness,
)
from .documents import Listed, Result
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
class Plan(PlanAnswer, Listed[dict[str, Any]]):
    """The answer of :func:`fdplan.plan`. A notebook shows its picture."""

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
        """Return a picture of the plan: ``svg``, ``html``, ``gif``, ``png`` or ``txt``.

        Raises:
            NoAnswer: if there is no plan.
        """
        checked(self, self.plan is not None, f"{self.problem}: {self.verdict}")
        return draw(self.document, self.source, format)

    def _items(self) -> list[dict[str, Any]]:
        return self.plan or []

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each state of the plan, with the actions taken in it; the last has none."""
        actions = list(dict.fromkeys(name for step in self for name in step))
        return [
            {"step": t, **state, **({name: self[t].get(name) for name in actions} if t < len(self) else {})}
            for t, state in enumerate(self.document.get("trace") or [])
        ]

    def render(self, file: str | os.PathLike[str] | None = None) -> str:
        """Return the plan drawn with characters; with a file, write a picture as its name ends, and return its name."""
        if file is None:
            return self.picture("txt").decode() if self.plan else f"{self.problem}: {self.verdict}"
        return super().render(file)

    def _repr_html_(self) -> str:
        drawing = draw(self.document, self.source, "svg").decode() if self.plan else ""
        return caption(f"{self.problem}: {self.status}", self.reward, self.verdict) + drawing


def checked(result: T, ok: bool, message: str) -> T:
    """Return a result that is ok, else raise NoAnswer."""
    if not ok:
        raise NoAnswer(message, result)
    return result


@dataclass(frozen=True, kw_only=True)
class Verdict(Validation):
    """The answer of :func:`fdplan.validate`."""

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
class Property(Verification):
    """The answer of :func:`fdplan.verify`.

    ``lines`` are those of the rows that refute the property, which was held against ``rows`` of them.
    """

    @property
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
class Simulated(answers.Simulated):
    """The answer of :func:`fdplan.simulate`."""

    @property
    def ok(self) -> bool:
        """Whether no rule was broken."""
        return self.failure is None


@dataclass(frozen=True, kw_only=True)
class Run(Execution, Listed[Any]):
    """The answer of :func:`fdplan.run`.

    ``predicted`` is how often the network predicted the steps wrongly (``rows``, ``wrong``, ``unchanged``,
    ``fluents`` and so on), and ``out_of_range`` the values that their variables do not have.
    """

    @property
    def ok(self) -> bool:
        """Whether the run did what it was to do."""
        return self.status in ("goal", "done")

    def _items(self) -> list[Any]:
        return list(self.steps)

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each step: what is no list, and the state and the action by name."""
        return [
            {name: value for name, value in step.items() if not isinstance(value, (list, Mapping))} | dict(step.get("state") or {}) | dict(step.get("action") or {})
            for step in self.document.get("steps") or []
        ]


@dataclass(frozen=True, kw_only=True)
class Shown(Summary, Listed[Variable]):
    """The answer of :func:`fdplan.show`: a problem."""

    def of_kind(self, kind: str) -> list[Variable]:
        """Return the variables of a kind: ``state``, ``action`` or ``auxiliary``."""
        return [variable for variable in self.variables if variable.kind == kind]

    def _items(self) -> list[Variable]:
        return list(self.variables)

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each variable."""
        return [dict(row) for row in self.document.get("variables") or []]
