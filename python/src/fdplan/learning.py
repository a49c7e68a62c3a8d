"""The commands about data and networks as functions; see :mod:`fdplan.commands`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from . import options, tables
from . import weights as arrays
from .commands import ask
from .errors import InputError
from .job import Command, Invocation
from .learned import Acted, Collected, Converted, Initialized, Proved, Tested, Trained
from .problem import Name
from .tables import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["collect", "convert", "init", "learn", "prove", "test", "train"]

Path: TypeAlias = "str | os.PathLike[str]"


@Command
def collect(problem: Name, out: Path, **given: Unpack[options.Collect]) -> Invocation[Collected]:
    """Collect transitions by simulating a problem's RDDL, from a simulator or from a log.

    ``out`` is the data set to write: ``.parquet``, ``.csv`` or ``.npz``. ``simulator`` is a
    command, or an environment with ``reset`` and ``step``; ``horizon`` the steps of an episode.
    """
    made = ask("collect", Collected, {"out": out, **given}, problem)
    if "log" in made.request:
        return made.given(log=tables.on_disk(made.request["log"], made.files))
    return made


@Command
def init(log: Table, out: Path, **given: Unpack[options.Init]) -> Invocation[Initialized]:
    """Make a task and a data set, in the folder ``out``, from the log of a system."""
    made = ask("init", Initialized, {"out": out, **given})
    return made.given(log=tables.on_disk(log, made.files))


@Command
def learn(problem: Name, out: Path, simulator: Any = "rddl", **given: Unpack[options.Learn]) -> Invocation[Acted]:
    """Learn a system by acting in it, until a plan is proven optimal, with all that was seen in the folder ``out``.

    ``simulator`` is ``"rddl"``, a command, or an environment with ``reset`` and ``step``.
    """
    return ask("learn", Acted, {"out": out, "simulator": simulator, **given}, problem)


@Command
def train(data: Table, task: Path, out: Path, **given: Unpack[options.Train]) -> Invocation[Trained]:
    """Learn a network from transitions and write it to ``out``.

    Args:
        data: a data set or a log: a file, a frame, columns or rows.
        task: the problem or task file whose learned fluents the network gives.
        out: the network file.
    """
    made = ask("train", Trained, {"task": task, "out": out, **given})
    return made.given(data=tables.on_disk(data, made.files))


@Command
def test(network: Path, data: Table | None = None, *, task: Path, **given: Unpack[options.Test]) -> Invocation[Tested]:
    """Measure a network on a data set, or on all legal rows; on both with ``legal``."""
    made = ask("test", Tested, {"network": network, "task": task, **given})
    return made if data is None else made.given(data=tables.on_disk(data, made.files))


@Command
def prove(network: Path, *, task: Path, **given: Unpack[options.Prove]) -> Invocation[Proved]:
    """Prove that a network equals the RDDL in every legal state and action, or refute it.

    ``proof`` is a folder for the proofs.
    """
    return ask("test", Proved, {"network": network, "task": task, "prove": True, **given})


@Command
def convert(
    network: Path | Mapping[str, Any], task: Path, out: Path, *, eps: float = 1e-5, **given: Unpack[options.Convert]
) -> Invocation[Converted]:
    """Fold a network that was trained elsewhere into a network file.

    ``network`` is an NPZ file; the arrays of one by their names; the state dictionary of a
    PyTorch model, whose linear layers have binary or ternary weights and are each followed by
    a batch normalization, with ``eps``; or, with ``normalization``, a file of the published
    layout.
    """
    if isinstance(network, Mapping) and given.get("normalization") is not None:
        raise InputError("normalization goes with a file of the published layout; expected no weights in memory")
    made = ask("convert", Converted, {"task": task, "out": out, **given})
    return made.given(network=arrays.on_disk(network, eps, made.files) if isinstance(network, Mapping) else network)
