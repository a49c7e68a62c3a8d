"""The commands of the program as functions.

Each can be called, and started at work with ``.start(…)``: see :class:`fdplan.Command`.
Times are in seconds; ``memory`` is a number of bytes or a text such as ``"2GiB"``. Without
``threads`` there is one thread per core.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Literal, TypeAlias, TypeVar

from . import tables, weights
from .attached import attach
from .documents import decode
from .errors import InputError
from .job import Command, Invocation
from .problem import Name, Problem, Reward, Values, changes, option, options
from .results import (
    Collected,
    Converted,
    Episodes,
    Explanation,
    Initialized,
    Plan,
    Property,
    Proved,
    Run,
    Shown,
    Simulated,
    Tested,
    Trained,
    Verdict,
)
from .tables import Table

__all__ = [
    "collect",
    "convert",
    "episodes",
    "explain",
    "init",
    "plan",
    "prove",
    "run",
    "show",
    "simulate",
    "test",
    "train",
    "validate",
    "verify",
]

T = TypeVar("T")
Path: TypeAlias = "str | os.PathLike[str]"
Steps: TypeAlias = "Sequence[Mapping[str, Any]]"
Memory: TypeAlias = "int | str | None"


def _reader(kind: type[T], **more: Any) -> Callable[[dict[str, Any]], T]:
    return lambda document: decode(kind, document, **more)


def _limits(time_limit: float | None, memory: Memory, threads: int | None = None, seed: int | None = None) -> list[str]:
    return options(
        time_limit=None if time_limit is None else f"{time_limit:f}s",
        memory=f"{memory}B" if isinstance(memory, int) else memory,
        threads=threads,
        seed=seed,
    )


def _plan_file(plan: Plan | Steps | Path, files: ExitStack) -> str:
    """Return the name of a file with a plan."""
    if isinstance(plan, (str, os.PathLike)):
        return os.fspath(plan)
    document = plan.document if isinstance(plan, Plan) else {"schema": 1, "plan": [dict(step) for step in plan]}
    return tables.json_on_disk("plan.json", document, files)


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
    steps = f"{horizon[0]}..{horizon[1]}" if isinstance(horizon, tuple) else horizon
    words = options(
        json=True,
        horizon=steps,
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
    words += changes(initial, require, reward, files) + _limits(time_limit, memory, threads, seed)
    return Invocation(["plan", *of.words(), *words], _reader(Plan, source=of), progress=True, files=files)


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
    words += changes(initial, require, reward, files) + _limits(time_limit, memory)
    return Invocation(["validate", *words], _reader(Verdict), files=files)


@Command
def verify(
    problem: Name,
    property: str,
    *,
    certify: Path | None = None,
    time_limit: float | None = None,
    memory: Memory = None,
    threads: int | None = None,
) -> Invocation[Property]:
    """Decide whether a property of one step holds in every legal state and action."""
    words = options(property=property, json=True, certify=certify) + _limits(time_limit, memory, threads)
    return Invocation(["verify", *Problem.of(problem).words(), *words], _reader(Property), progress=True)


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
    words += changes(initial, require, reward, files) + _limits(time_limit, memory, threads)
    return Invocation(["explain", *words], _reader(Explanation), progress=True, files=files)


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
    words = options(json=True, plan=file, policy=policy, steps=steps, seed=seed) + _limits(time_limit, None)
    return Invocation(["simulate", *Problem.of(problem).words(), *words], _reader(Simulated), files=files)


def _run(problem: Name, kind: type[T], simulator: Any, files: ExitStack, words: list[str]) -> Invocation[T]:
    attached = option("simulator", attach(simulator, files))
    return Invocation(["run", *Problem.of(problem).words(), "--json", *attached, *words], _reader(kind), progress=True, files=files)


@Command
def run(
    problem: Name,
    simulator: Any = "rddl",
    *,
    horizon: int | None = None,
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

    ``simulator`` is ``"rddl"``, a command, or an environment with ``reset`` and ``step``.
    """
    files = ExitStack()
    words = options(
        horizon=horizon,
        replan_every=replan_every,
        steps=steps,
        until=until,
        plan_time=None if plan_time is None else f"{plan_time:f}s",
        engine=engine,
        max_simulations=max_simulations,
        record=record,
    )
    words += changes(initial, require, reward, files) + _limits(time_limit, memory, threads, seed)
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
    words = options(episodes=count, horizon=horizon, steps=steps, plan_time=None if plan_time is None else f"{plan_time:f}s", engine=engine)
    return _run(problem, Episodes, simulator, ExitStack(), words + _limits(time_limit, memory, threads, seed))


@Command
def collect(
    problem: Name,
    out: Path,
    *,
    rows: int | None = None,
    policy: Literal["exploration", "restart", "random"] | None = None,
    log: Table | None = None,
    time_limit: float | None = None,
    memory: Memory = None,
    threads: int | None = None,
    seed: int | None = None,
) -> Invocation[Collected]:
    """Collect transitions by simulating a problem's RDDL, or from a log.

    ``out`` is the data set to write: ``.parquet``, ``.csv`` or ``.npz``.
    """
    files = ExitStack()
    words = option("rows", rows) + options(json=True, out=out, policy=policy)
    words += option("log", None if log is None else tables.on_disk(log, files)) + _limits(time_limit, memory, threads, seed)
    return Invocation(["collect", *Problem.of(problem).words(), *words], _reader(Collected), progress=True, files=files)


@Command
def init(
    log: Table,
    out: Path,
    *,
    actions: Iterable[str] = (),
    ignore: Iterable[str] = (),
    rename: Mapping[str, str] | None = None,
    missing: Literal["drop", "previous", "keep", "error"] | None = None,
    bins: Mapping[str, Sequence[float]] | None = None,
    delimiter: str | None = None,
    gap: float | None = None,
    episode: str | None = None,
    goal: str | None = None,
    reward: str | None = None,
    rules: str | Iterable[str] = (),
    initial: Values | None = None,
    time_limit: float | None = None,
    memory: Memory = None,
) -> Invocation[Initialized]:
    """Make a task and a data set, in the folder ``out``, from the log of a system."""
    files = ExitStack()
    words = options(
        json=True,
        out=out,
        actions=",".join(actions) or None,
        ignore=",".join(ignore) or None,
        rename=[f"{column}={name}" for column, name in (rename or {}).items()],
        missing=missing,
        bins=[f"{column}={','.join(map(str, edges))}" for column, edges in (bins or {}).items()],
        delimiter=delimiter,
        gap=gap,
        episode=episode,
        goal=goal,
        reward=reward,
        rule=[rules] if isinstance(rules, str) else list(rules),
        initial=[f"{name}={value}" for name, value in (initial or {}).items()],
    )
    return Invocation(["init", tables.on_disk(log, files), *words, *_limits(time_limit, memory)], _reader(Initialized), files=files)


@Command
def train(
    data: Table,
    task: Path,
    out: Path,
    *,
    recipe: Literal["structure", "dense"] | None = None,
    lift: bool = False,
    hidden: Sequence[int] | None = None,
    epochs: int | None = None,
    rate: float | None = None,
    weights: Literal["ternary", "binary"] | None = None,
    split: Literal["random", "distinct"] | None = None,
    prune: int | None = None,
    start: Path | None = None,
    grid: bool = False,
    checkpoint: Path | None = None,
    resume: bool = False,
    report: Path | None = None,
    more: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    memory: Memory = None,
    threads: int | None = None,
    seed: int | None = None,
) -> Invocation[Trained]:
    """Learn a network from transitions and write it to ``out``.

    Args:
        data: a data set or a log: a file, a frame, columns or rows.
        task: the problem or task file whose learned fluents the network gives.
        out: the network file.
        recipe: ``structure`` (the default) or ``dense``; arguments of the dense recipe, from
            ``hidden`` to ``resume`` but for ``lift``, ask for it.
        start: a network to begin from.
        report: a folder for a report.
        more: other flags of the command by their names, such as ``{"threshold": 0.7}``.
    """
    files = ExitStack()
    words = options(
        json=True,
        task=task,
        out=out,
        recipe=recipe,
        lift=lift,
        hidden=None if hidden is None else ",".join(map(str, hidden)),
        epochs=epochs,
        rate=rate,
        weights=weights,
        split=split,
        prune=prune,
        init=start,
        grid=grid,
        checkpoint=checkpoint,
        resume=resume,
        report=report,
        **(more or {}),
    )
    words += _limits(time_limit, memory, threads, seed)
    return Invocation(["train", tables.on_disk(data, files), *words], _reader(Trained), progress=True, files=files)


@Command
def test(
    network: Path,
    data: Table | None = None,
    *,
    task: Path,
    samples: int | None = None,
    seed: int | None = None,
    time_limit: float | None = None,
    memory: Memory = None,
) -> Invocation[Tested]:
    """Measure a network on a data set, and on all legal rows where there is RDDL."""
    files = ExitStack()
    rows = [] if data is None else [tables.on_disk(data, files)]
    words = options(json=True, task=task, samples=samples, seed=seed) + _limits(time_limit, memory)
    return Invocation(["test", os.fspath(network), *rows, *words], _reader(Tested), files=files)


@Command
def prove(
    network: Path,
    *,
    task: Path,
    proof: Path | None = None,
    time_limit: float | None = None,
    memory: Memory = None,
    threads: int | None = None,
) -> Invocation[Proved]:
    """Prove that a network equals the RDDL in every legal state and action, or refute it.

    ``proof`` is a folder for the proofs.
    """
    words = options(prove=True, json=True, task=task, proof=proof) + _limits(time_limit, memory, threads)
    return Invocation(["test", os.fspath(network), *words], _reader(Proved), progress=True)


@Command
def convert(
    network: Path | Mapping[str, Any],
    task: Path,
    out: Path,
    *,
    eps: float = 1e-5,
    normalization: Path | None = None,
) -> Invocation[Converted]:
    """Fold a network that was trained elsewhere into a network file.

    ``network`` is an NPZ file; the arrays of one by their names; the state dictionary of a
    PyTorch model, whose linear layers have binary or ternary weights and are each followed by
    a batch normalization, with ``eps``; or, with ``normalization``, a file of the published
    layout.
    """
    files = ExitStack()
    if isinstance(network, Mapping):
        if normalization is not None:
            raise InputError("normalization goes with a file of the published layout; expected no weights in memory")
        network = weights.on_disk(network, eps, files)
    words = options(json=True, task=task, out=out, normalization=normalization)
    return Invocation(["convert", os.fspath(network), *words], _reader(Converted), files=files)


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
    return Invocation(["show", *Problem.of(problem).words(), *words], _reader(Shown), files=files)
