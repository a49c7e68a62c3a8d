"""Naming a problem."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from .words import listed

__all__ = ["Name", "Problem", "Reward", "Value", "Values"]

Value: TypeAlias = "bool | int | float | str"
Values: TypeAlias = "Mapping[str, Value]"
Reward: TypeAlias = "Mapping[str, float] | str | os.PathLike[str]"
"""A reward: an expression, the weights of variables, or the name of a file with them."""


@dataclass(frozen=True)
class Problem:
    """A problem that takes more than one word to name.

    Attributes:
        name: a bundled problem, a task file, or with ``files`` a problem of that folder.
        files: a folder in the FD-SAT-Plan layout.
        domain: an RDDL file, in place of ``name``; everything is known, nothing learned.
        instance: an RDDL file with the instance, with ``domain``.
        pddl: a PDDL file with the domain; ``name`` is then the PDDL file with the problem.
        parallel: let a step of a problem in PDDL be any actions that do not interfere.
        goal: an expression that must hold at the end, in place of the problem's own goal.
        ranges: ranges of numbers such as ``level=0..7``, in place of the problem's own.
        model: plan with the network, or with the RDDL itself.
        determinize: the rule that gives each draw of random RDDL one value.
        ignore_discount: treat a discount other than 1 as 1.
        levels: read and return the numbers of bins in place of quantities.
    """

    name: str | os.PathLike[str] | None = None
    files: str | os.PathLike[str] | None = None
    domain: str | os.PathLike[str] | None = None
    instance: str | os.PathLike[str] | None = None
    pddl: str | os.PathLike[str] | None = None
    parallel: bool = False
    goal: str | None = None
    ranges: str | Iterable[str] = ()
    model: Literal["network", "rddl"] = "network"
    determinize: Literal["most-likely", "mean"] | None = None
    ignore_discount: bool = False
    levels: bool = False

    @classmethod
    def of(cls, name: Name) -> Problem:
        """Return a problem that may be named by a word alone."""
        return name if isinstance(name, Problem) else cls(name)

    def parameters(self) -> dict[str, Any]:
        """Return the problem as options of a request."""
        named = {"problem": self.name, "files": self.files, "domain": self.domain, "instance": self.instance, "pddl": self.pddl}
        parameters: dict[str, Any] = {key: os.fspath(value) for key, value in named.items() if value is not None}
        others = {"goal": self.goal, "range": listed(self.ranges), "determinize": self.determinize}
        parameters |= {key: value for key, value in others.items() if value}
        return parameters | {"model": self.model, "parallel": self.parallel, "ignore_discount": self.ignore_discount, "levels": self.levels}


Name: TypeAlias = "str | os.PathLike[str] | Problem"
"""A problem: a bundled one such as ``navigation/3x3``, a task file, or a :class:`Problem`."""
