"""The commands about plans as functions.

Each can be called, and started at work with ``.start(…)``: see :class:`fdplan.Command`.
Their options are those of the commands: :mod:`fdplan.options` describes them. Times are in
seconds or texts such as ``"5m"``; ``memory`` is a number of bytes or a text such as
``"2GiB"``. Without ``threads`` there is one thread per core.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from . import options
from .attached import attach
from .errors import InputError
from .job import Command, Invocation, reader
from .policies import Policy
from .problem import Name, Problem
from .results import Episodes, Explanation, Plan, Property, Run, Shown, Simulated, Verdict
from .words import listed

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["episodes", "explain", "plan", "policy", "run", "show", "simulate", "validate", "verify"]

T = TypeVar("T")
Steps: TypeAlias = "Sequence[Mapping[str, Any] | str | Sequence[str]]"
Horizon: TypeAlias = "int | tuple[int, int] | range | None"


def request_of(given: Mapping[str, Any], files: ExitStack) -> dict[str, Any]:
    """Return options as the program reads them, without those that are None. What they need
    is there until ``files`` is closed."""
    request = {name: value for name, value in given.items() if value is not None}
    if "simulator" in request:
        request["simulator"] = attach(request["simulator"], files)
    if isinstance(request.get("policy"), Policy):
        request["policy"] = request["policy"].document
    if isinstance(request.get("horizon"), range):
        request["horizon"] = bounds_of(request["horizon"])
    for name in ("require", "rules", "actions", "ignore"):
        if name in request:
            request[name] = listed(request[name])
    return request


def bounds_of(horizons: range) -> tuple[int, int]:
    """Return the least and the greatest of some horizons."""
    if not horizons or abs(horizons.step) != 1:
        raise InputError(f"horizon is {horizons}; expected a range of numbers one after the other, such as range(2, 7)")
    return min(horizons), max(horizons)


def ask(command: str, kind: type[T], given: Mapping[str, Any], problem: Name | None = None, **more: Any) -> Invocation[T]:
    """Return the invocation of a command with what was given."""
    files = ExitStack()
    request = request_of(given, files)
    if problem is not None:
        request = Problem.of(problem).parameters() | request
        if isinstance(request.get("reward"), os.PathLike) or isinstance(request.get("reward"), str) and os.path.exists(request["reward"]):
            request["reward"] = _text(request["reward"])
    return Invocation(command, request, reader(kind, **more), files)


def _text(name: str | os.PathLike[str]) -> str:
    """Return what a file has."""
    try:
        return Path(name).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{os.fspath(name)}: {error.strerror}") from None


def steps_of(plan: Plan | Steps | str | os.PathLike[str] | None) -> Any:
    """Return a plan as a document, or as a list of its steps."""
    if isinstance(plan, (str, os.PathLike)):
        try:
            return json.loads(_text(plan))
        except ValueError as error:
            raise InputError(f"{os.fspath(plan)}: {error}; expected a plan as JSON") from None
    return plan.document if isinstance(plan, Plan) else plan if plan is None else [step_of(step, t) for t, step in enumerate(plan, 1)]


def step_of(step: Any, number: int) -> dict[str, Any]:
    """Return a step of a plan: values of actions by name, or the names of the actions that are true."""
    if isinstance(step, Mapping):
        return dict(step)
    names = [step] if isinstance(step, str) else list(step) if isinstance(step, (list, tuple, set, frozenset)) else [None]
    if not all(isinstance(name, str) for name in names):
        raise InputError(f"step {number} of the plan is {step!r}; expected values of actions by name, such as {{'move-east': True}}, or names of actions")
    return {name: True for name in names}


@Command
def plan(problem: Name, horizon: Horizon = None, **given: Unpack[options.Plan]) -> Invocation[Plan]:
    """Find a plan with the best reward, and prove that no plan is better.

    ``horizon`` is the number of steps, a pair of the least and the greatest, or a ``range``; without one
    the problem's own. ``goal``, ``require`` and ``range`` change what is asked, ``initial`` gives values of state
    variables, ``reward`` an expression, the weights of variables or a file with them. The plan is tried in the ``simulator``: ``"rddl"``, a
    command, or an environment with ``reset`` and ``step``.

    Returns:
        The plan; its status is ``infeasible`` if there is none.
    """
    return ask("plan", Plan, {"horizon": horizon, **given}, problem, source=Problem.of(problem))


@Command
def policy(problem: Name, horizon: Horizon = None, **given: Unpack[options.Policy]) -> Invocation[Policy]:
    """Find a policy, which says what to do in each state, for a problem that draws at random."""
    return ask("plan", Policy, {"horizon": horizon, "policy": True, **given}, problem)


@Command
def validate(problem: Name, plan: Plan | Steps | str | os.PathLike[str], **given: Unpack[options.Validate]) -> Invocation[Verdict]:
    """Replay a plan in the model and, with ``simulator``, in a simulator.

    ``plan`` is a :class:`fdplan.Plan`, a list of steps, or a file with a plan.
    """
    return ask("validate", Verdict, {"plan": steps_of(plan), **given}, problem)


@Command
def verify(problem: Name, property: str, **given: Unpack[options.Verify]) -> Invocation[Property]:
    """Decide whether a property of one step holds in every legal state and action.

    Rows of the log refute it before: those of ``data``, by default those that the network's file keeps.
    """
    return ask("verify", Property, {"property": property, **given}, problem)


@Command
def explain(
    problem: Name, plan: Plan | Steps | str | os.PathLike[str] | None = None, **given: Unpack[options.Explain]
) -> Invocation[Explanation]:
    """Explain why there is no plan of a horizon, or what forces a plan.

    Without ``plan``, an optimal one is found and explained.
    """
    return ask("explain", Explanation, {"plan": steps_of(plan), **given}, problem)


@Command
def simulate(
    problem: Name, plan: Plan | Steps | str | os.PathLike[str] | None = None, **given: Unpack[options.Simulate]
) -> Invocation[Simulated]:
    """Run a plan or a policy in a problem's RDDL."""
    return ask("simulate", Simulated, {"plan": steps_of(plan), **given}, problem)


@Command
def run(problem: Name, simulator: Any = "rddl", **given: Unpack[options.Run]) -> Invocation[Run]:
    """Plan, act in a simulator or the real system, observe, and plan again.

    ``simulator`` is ``"rddl"``, a command, or an environment with ``reset`` and ``step``;
    ``horizon`` the number of steps of a plan, or a pair of the least and the greatest.
    """
    return ask("run", Run, {"simulator": simulator, **given}, problem)


@Command
def episodes(problem: Name, count: int, simulator: Any = "rddl", **given: Unpack[options.Run]) -> Invocation[Episodes]:
    """Run several episodes, and compare planning with doing nothing and with random actions."""
    return ask("run", Episodes, {"episodes": count, "simulator": simulator, **given}, problem)


@Command
def show(problem: Name, **given: Unpack[options.Show]) -> Invocation[Shown]:
    """Return a problem: its variables, constraints, goal, reward and network."""
    return ask("show", Shown, given, problem)
