"""The commands about data and networks as functions; see :mod:`fdplan.commands`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Literal, TypeAlias

from . import tables
from . import weights as arrays
from .attached import attach
from .errors import InputError
from .job import Command, Invocation, reader
from .learned import Collected, Converted, Initialized, Proved, Tested, Trained
from .problem import Name, Problem, Values
from .tables import Table
from .words import limits, listed, option, options

__all__ = ["collect", "convert", "init", "prove", "test", "train"]

Path: TypeAlias = "str | os.PathLike[str]"
Memory: TypeAlias = "int | str | None"


@Command
def collect(
    problem: Name,
    out: Path,
    *,
    rows: int | None = None,
    policy: Literal["exploration", "restart", "random"] | None = None,
    log: Table | None = None,
    simulator: Any = None,
    horizon: int | None = None,
    time_limit: float | None = None,
    memory: Memory = None,
    threads: int | None = None,
    seed: int | None = None,
) -> Invocation[Collected]:
    """Collect transitions by simulating a problem's RDDL, from a simulator or from a log.

    ``out`` is the data set to write: ``.parquet``, ``.csv`` or ``.npz``. ``simulator`` is a
    command, or an environment with ``reset`` and ``step``; ``horizon`` the steps of an episode.
    """
    files = ExitStack()
    words = option("rows", rows) + options(json=True, out=out, policy=policy, simulator=attach(simulator, files), horizon=horizon)
    words += option("log", None if log is None else tables.on_disk(log, files)) + limits(time_limit, memory, threads, seed)
    return Invocation(["collect", *Problem.of(problem).words(), *words], reader(Collected), progress=True, files=files)


@Command
def init(
    log: Table,
    out: Path,
    *,
    actions: str | Iterable[str] = (),
    ignore: str | Iterable[str] = (),
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
        actions=",".join(listed(actions)) or None,
        ignore=",".join(listed(ignore)) or None,
        rename=[f"{column}={name}" for column, name in (rename or {}).items()],
        missing=missing,
        bins=[f"{column}={','.join(map(str, edges))}" for column, edges in (bins or {}).items()],
        delimiter=delimiter,
        gap=gap,
        episode=episode,
        goal=goal,
        reward=reward,
        rule=listed(rules),
        initial=[f"{name}={value}" for name, value in (initial or {}).items()],
    )
    return Invocation(["init", tables.on_disk(log, files), *words, *limits(time_limit, memory)], reader(Initialized), files=files)


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
    split: Literal["auto", "time", "random", "distinct"] | None = None,
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
    words += limits(time_limit, memory, threads, seed)
    return Invocation(["train", tables.on_disk(data, files), *words], reader(Trained), progress=True, files=files)


@Command
def test(
    network: Path,
    data: Table | None = None,
    *,
    task: Path,
    legal: bool = False,
    samples: int | None = None,
    seed: int | None = None,
    time_limit: float | None = None,
    memory: Memory = None,
) -> Invocation[Tested]:
    """Measure a network on a data set, or on all legal rows; on both with ``legal``."""
    files = ExitStack()
    rows = [] if data is None else [tables.on_disk(data, files)]
    words = options(json=True, task=task, legal=legal, samples=samples, seed=seed) + limits(time_limit, memory)
    return Invocation(["test", os.fspath(network), *rows, *words], reader(Tested), files=files)


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
    words = options(prove=True, json=True, task=task, proof=proof) + limits(time_limit, memory, threads)
    return Invocation(["test", os.fspath(network), *words], reader(Proved), progress=True)


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
        network = arrays.on_disk(network, eps, files)
    words = options(json=True, task=task, out=out, normalization=normalization)
    return Invocation(["convert", os.fspath(network), *words], reader(Converted), files=files)
