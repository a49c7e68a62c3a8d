"""The answer about a policy, and runs of it."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from .answers import PolicyAnswer
from .documents import Listed
from .errors import InputError, NoAnswer
from .picture import caption, draw
from .results import checked

__all__ = ["Policy", "PolicyRow", "PolicyStep"]


class PolicyRow(NamedTuple):
    """What a policy does in a state, from one step to another."""

    state: dict[str, Any]
    first: int
    last: int
    action: dict[str, Any]
    disturbances: int = 0


class PolicyStep(NamedTuple):
    """A step of a run that was drawn; the last one of a run has no action."""

    step: int
    state: dict[str, Any]
    action: dict[str, Any] | None
    probability: float | None
    """of what followed"""
    reward: float | None
    value: float
    """the probability of success before the step, or the expected reward"""
    goal: bool


@dataclass(frozen=True, kw_only=True)
class Policy(PolicyAnswer, Listed[PolicyRow]):
    """The answer of :func:`fdplan.policy`, which :func:`fdplan.run` follows as its ``policy``.

    A notebook shows its picture. Its rows are those of the table, in the words of the problem.
    """

    @property
    def ok(self) -> bool:
        """Whether there is a policy."""
        return self.value is not None

    def _items(self) -> list[PolicyRow]:
        return [PolicyRow(self._state(row[0]), row[1], row[2], dict(self.table["actions"][row[3]]), *row[4:]) for row in self.table["rows"]]

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each row of the table: the steps, the state, and the actions that are not their default."""
        return [{"first": row.first, "last": row.last, **row.state, **row.action} for row in self]

    def _state(self, number: int) -> dict[str, Any]:
        return dict(zip(self.table["variables"], self.table["states"][number]))

    @cached_property
    def _numbers(self) -> dict[tuple[Any, ...], int]:
        return {tuple(values): number for number, values in enumerate(self.table["states"])}

    @cached_property
    def _rows(self) -> dict[int, list[list[int]]]:
        rows: dict[int, list[list[int]]] = {}
        for row in self.table["rows"]:
            rows.setdefault(row[0], []).append(row)
        return rows

    @cached_property
    def _outcomes(self) -> dict[tuple[int, int], list[tuple[int, float, float, int]]]:
        if self.table.get("outcomes") is None and self.table["rows"]:
            raise NoAnswer(f"{self.problem}: the policy lists no outcomes that runs could follow", self)
        return {(x["state"], x["action"]): x["next"] for x in self.table.get("outcomes") or []}

    def _row(self, number: int | None, step: int, disturbances: int) -> list[int] | None:
        for row in self._rows.get(-1 if number is None else number, []):
            if row[1] <= step <= row[2] and row[4:] in ([], [disturbances]):
                return row
        return None

    def action(self, state: Mapping[str, Any], step: int = 1, disturbances: int = 0) -> dict[str, Any] | None:
        """Return what to do in a state at a step, from 1; None where the policy says nothing.

        Actions that have their default are left out. A robust policy looks at the disturbances so far.
        """
        missing = [name for name in self.table["variables"] if name not in state]
        if missing:
            raise InputError(f"the state has no {missing[0]}; expected {', '.join(self.table['variables'])}")
        number = self._numbers.get(tuple(state[name] for name in self.table["variables"]))
        row = self._row(number, step, disturbances)
        return None if row is None else dict(self.table["actions"][row[3]])

    def sample(self, seed: int = 0) -> list[PolicyStep]:
        """Draw a run of the policy in the model: its states from the start on.

        Raises:
            NoAnswer: if the policy lists no outcomes.
        """
        draws, run = random.Random(seed), list[PolicyStep]()
        state, spent, goals = self.table["start"], 0, set(self.table.get("goals") or [])
        while self.table["states"]:
            step = len(run) + 1
            row = None if state in goals and self._ends else self._row(state, step, spent)
            values, value = self._state(state), self._value(state, step, spent)
            if row is None or step > self.horizon:
                return [*run, PolicyStep(step, values, None, None, None, value, state in goals)]
            leads = self._outcomes[state, row[3]]
            after, p, reward, disturbed = draws.choices(leads, [lead[1] for lead in leads])[0]
            run.append(PolicyStep(step, values, dict(self.table["actions"][row[3]]), p, reward, value, state in goals))
            if after < 0:  # a value that a variable does not have
                return run
            state, spent = after, spent + disturbed if self.disturbances is not None else 0
        return run

    @property
    def _ends(self) -> bool:
        """Whether a run ends at the goal."""
        return self.goal and (self.objective == "success" or self.disturbances is not None)

    @cached_property
    def _values(self) -> dict[tuple[int, int, int], float]:
        return {}

    def _value(self, state: int, step: int, spent: int) -> float:
        """Return the probability of success from a state before a step, or the expected reward."""
        order: list[tuple[int, int, int]] = [(state, step, spent)]
        goals = set(self.table.get("goals") or [])
        while order:  # not by recursion: a policy may have many steps
            at = order[-1]
            if at in self._values:
                order.pop()
                continue
            number, when, so_far = at
            row = None if when > self.horizon or number in goals and self._ends else self._row(number, when, so_far)
            if row is None:
                self._values[at] = float(number in goals) if self.objective == "success" else 0.0
                continue
            total, open_ = 0.0, []
            for after, p, reward, disturbed in self._outcomes[number, row[3]]:
                next_ = (after, when + 1, so_far + disturbed if self.disturbances is not None else 0)
                if after >= 0 and next_ not in self._values:
                    open_.append(next_)
                elif self.objective == "success":
                    total += p * self._values.get(next_, 0.0)
                else:
                    total += p * (reward + self._values.get(next_, 0.0))
            if open_:
                order += open_
            else:
                self._values[at] = total
        return self._values[state, step, spent]

    def save(self, file: str | os.PathLike[str]) -> Path:
        """Write the policy as the program reads it, and return the file's path."""
        path = Path(file)
        path.write_text(json.dumps(self.document) + "\n", encoding="utf-8")
        return path

    def picture(self, format: str = "svg", seed: int | None = None) -> bytes:
        """Return a picture of the policy: ``svg``, ``html``, ``gif`` or ``txt``.

        The page and the animation show the run drawn by ``seed``, by default the most likely one.

        Raises:
            NoAnswer: if there is no policy.
        """
        checked(self, self.ok, f"{self.problem}: there is no policy")
        return draw(self.document, None, format, seed)

    def _repr_html_(self) -> str:
        worth = "no policy" if self.value is None else f"{'success' if self.objective == 'success' else 'expected reward'} {self.value:.6g}"
        drawing = self.picture().decode() if self.ok and self.table.get("outcomes") else ""
        return caption(f"{self.problem}: {self.status}", None, f"{worth}, {self.horizon} steps") + drawing
