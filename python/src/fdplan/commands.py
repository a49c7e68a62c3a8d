"""The commands about plans as functions.

Each can be called, and started at work with ``.start(…)``: see :class:`fdplan.Command`.
Times are in seconds; ``memory`` is a number of bytes or a text such as ``"2GiB"``. Without
``threads`` there is one thread per core.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Literal, TypeAlias, TypeVar

from .attached import attach
from .job import Command, Invocation, reader
from .problem import Name, Problem, Reward, Values
from .results import Episodes, Explanation, Plan, Property, Run, Shown, Simulated, Verdict
from .words import changes, json_on_disk, limits, option, options, seconds

__all__ = ["episodes", "explain", "plan", "run", "show", "simulate", "validate", "verify"]

T = TypeVar("T")
Path: TypeAlias = "str | os.PathLike[str]"
Steps: TypeAlias = "Sequence[Mapping[str, Any]]"
Memory: TypeAlias = "int | str | None"


def _span(horizon: int | tuple[int, int] | None) -> int | str | None:
    """Return a horizon, or a range of them, as the program reads it."""
    return f"{horizon[0]}..{horizon[1]}" if isinstance(horizon, tuple) else horizon


def _plan_file(plan: Plan | Steps | Path, files: ExitStack) -> str:
    """Return the name of a file with a plan."""
    if isinstance(plan, (str, os.PathLike)):
        return os.fspath(plan)
    document = plan.document if isinstance(plan, Plan) else {"schema": 1, "plan": [dict(step) for step in plan]}
    return json_on_disk("plan.json", document, files)


@Command
def plan(
    problem: Name,
    horizon: int | tuple[int, int] | None = None,
    *,
    engine: str = "auto",
    encoding: str | None = None,
    solver: str | None = None,
    initial: Values | None = None,
    require: str | Iterable[str] = (),
    reward: Reward | None = None,
    simulator: Any = None,
    incremental: bool = False,
    landmarks: Literal["plan", "prefix", "transition"] | None = None,
    max_simulations: int | None = None,
    truth: str | None = None,
    record: Path | None = None,
    resume: Path | None = None,
    safe: bool = False,
    confirm: bool = False,
    certify: Path | None = None,
    proof: Path | None = None,
    time_limit: float | None = None,
    memory: Memory = None,
    threads: int | None = None,
    seed: int | None = None,
) -> Invocation[Plan]:
    """Find a plan with the best reward, and prove that no plan is better.

    Args:
        problem: a bundled problem, a task file, or a :class:`fdplan.Problem`.
        horizon: the number of steps, or a pair of the least and the greatest; without one the
            problem's own.
        engine: ``auto``, ``search``, ``pb``, ``maxsat`` or ``blp``.
        encoding: the clause encoding of ``maxsat``.
        solver: an external solver in place of the embedded one.
        initial: values of state variables, in place of those of the problem.
        require: further constraints.
        reward: a reward in place of the problem's.
        simulator: where the plan is tried: ``"rddl"``, a command, or an environment with
            ``reset`` and ``step``.
        incremental: plan until a plan holds in the simulator (Algorithm 1 of the paper).
        landmarks: what is excluded when a plan fails.
        max_simulations: a bound on the steps of the simulator.
        truth: the problem whose RDDL is the simulator, with ``files``.
        record: a data set to which observed transitions are appended.
        resume: a file that keeps what is known about the simulator.
        safe: use only steps that the training rows support.
        confirm: prove or refute what an external solver claims.
        certify: a folder for a certificate, which is checked.
        proof: a file for a VeriPB proof.

    Returns:
        The plan; its status is ``infeasible`` if there is none.
    """
    of, files = Problem.of(problem), ExitStack()
    words = options(
        json=True,
        horizon=_span(horizon),
        engine=engine,
        encoding=encoding,
        solver=solver,
        simulator=attach(simulator, files),
        incremental=incremental,
        landmarks=landmarks,
        max_simulations=max_simulations,
        truth=truth,
        record=record,
        resume=resume,
        safe=safe,
        confirm=confirm,
        certify=certify,
        proof=proof,
    )
    words += changes(initial, require, reward, files) + limits(time_limit, memory, threads, seed)
    return Invocation(["plan", *of.words(), *words], reader(Plan, source=of), progress=True, files=files)


@Command
def validate(
    problem: Name,
    plan: Plan | Steps | Path,
    *,
    initial: Values | None = None,
    require: str | Iterable[str] = (),
    reward: Reward | None = None,
    simulator: Any = None,
    max_simulations: int | None = None,
    truth: str | None = None,
    record: Path | None = None,
    time_limit: float | None = None,
    memory: Memory = None,
) -> Invocation[Verdict]:
    """Replay a plan in the model and, with ``simulator``, in a simulator.

    ``plan`` is a :class:`fdplan.Plan`, a list of steps, or a file with a plan.
    """
    of, files = Problem.of(problem), ExitStack()
    named = 1 if of.name is not None else 0
    words = of.words()
    words.insert(named, _plan_file(plan, files))
    words += options(json=True, simulator=attach(simulator, files), max_simulations=max_simulations, truth=truth, record=record)
    words += changes(initial, require, reward, files) + limits(time_limit, memory)
    return Invocation(["validate", *words], reader(Verdict), files=files)


@Command
def verify(
    problem: Name,
    property: str,
    *,
    data: Path | None = None,
    certify: Path | None = None,
    time_limit: float | None = None,
    memory: Memory = None,
    threads: int | None = None,
) -> Invocation[Property]:
    """Decide whether a property of one step holds in every legal state and action.

    Rows of the log refute it before: those of ``data``, by default those that the network's file keeps.
    """
    words = options(property=property, data=data, json=True, certify=certify) + limits(time_limit, memory, threads)
    return Invocation(["verify", *Problem.of(problem).words(), *words], reader(Property), progress=True)


@Command
def explain(
    problem: Name,
    plan: Plan | Steps | Path | None = None,
    *,
    horizon: int | None = None,
    engine: str = "auto",
    alternatives: int | None = None,
    initial: Values | None = None,
    require: str | Iterable[str] = (),
    reward: Reward | None = None,
    time_limit: float | None = None,
    memory: Memory = None,
    threads: int | None = None,
) -> Invocation[Explanation]:
    """Explain why there is no plan of a horizon, or what forces a plan.

    Without ``plan``, an optimal one is found and explained.
    """
    of, files = Problem.of(problem), ExitStack()
    words = of.words()
    if plan is not None:
        words.insert(1 if of.name is not None else 0, _plan_file(plan, files))
    words += options(json=True, horizon=horizon, engine=engine, alternatives=alternatives)
    words += changes(initial, require, reward, files) + limits(time_limit, memory, threads)
    return Invocation(["explain", *words], reader(Explanation), progress=True, files=files)


@Command
def simulate(
    problem: Name,
    plan: Plan | Steps | Path | None = None,
    *,
    policy: Literal["noop", "random", "exploration"] | None = None,
    steps: int | None = None,
    seed: int | None = None,
    time_limit: float | None = None,
) -> Invocation[Simulated]:
    """Run a plan or a policy in a problem's RDDL."""
    files = ExitStack()
    file = None if plan is None else _plan_file(plan, files)
    words = options(json=True, plan=file, policy=policy, steps=steps, seed=seed) + limits(time_limit, None)
    return Invocation(["simulate", *Problem.of(problem).words(), *words], reader(Simulated), files=files)


def _run(problem: Name, kind: type[T], simulator: Any, files: ExitStack, words: list[str]) -> Invocation[T]:
    attached = option("simulator", attach(simulator, files))
    return Invocation(["run", *Problem.of(problem).words(), "--json", *attached, *words], reader(kind), progress=True, files=files)


@Command
def run(
    problem: Name,
    simulator: Any = "rddl",
    *,
    horizon: int | tuple[int, int] | None = None,
    replan_every: int | None = None,
    steps: int | None = None,
    until: Literal["auto", "goal", "steps"] | None = None,
    plan_time: float | None = None,
    engine: str = "auto",
    initial: Values | None = None,
    require: str | Iterable[str] = (),
    reward: Reward | None = None,
    max_simulations: int | None = None,
    record: Path | None = None,
    time_limit: float | None = None,
    memory: Memory = None,
    threads: int | None = None,
    seed: int | None = None,
) -> Invocation[Run]:
    """Plan, act in a simulator or the real system, observe, and plan again.

    ``simulator`` is ``"rddl"``, a command, or an environment with ``reset`` and ``step``;
    ``horizon`` the number of steps of a plan, or a pair of the least and the greatest.
    """
    files = ExitStack()
    words = options(
        horizon=_span(horizon),
        replan_every=replan_every,
        steps=steps,
        until=until,
        plan_time=seconds(plan_time),
        engine=engine,
        max_simulations=max_simulations,
        record=record,
    )
    words += changes(initial, require, reward, files) + limits(time_limit, memory, threads, seed)
    return _run(problem, Run, simulator, files, words)


@Command
def episodes(
    problem: Name,
    count: int,
    simulator: Any = "rddl",
    *,
    horizon: int | None = None,
    steps: int | None = None,
    plan_time: float | None = None,
    engine: str = "auto",
    time_limit: float | None = None,
    memory: Memory = None,
    threads: int | None = None,
    seed: int | None = None,
) -> Invocation[Episodes]:
    """Run several episodes, and compare planning with doing nothing and with random actions."""
    words = options(episodes=count, horizon=horizon, steps=steps, plan_time=seconds(plan_time), engine=engine)
    return _run(problem, Episodes, simulator, ExitStack(), words + limits(time_limit, memory, threads, seed))


@Command
def show(
    problem: Name,
    *,
    initial: Values | None = None,
    require: str | Iterable[str] = (),
    reward: Reward | None = None,
) -> Invocation[Shown]:
    """Return a problem: its variables, constraints, goal, reward and network."""
    files = ExitStack()
    words = ["--json", *changes(initial, require, reward, files)]
    return Invocation(["show", *Problem.of(problem).words(), *words], reader(Shown), files=files)
