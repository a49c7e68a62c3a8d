"""An adapter for AMLGym: fdplan learns PDDL domains from trajectories there.

``amlgym.algorithms.registry["FDPlan"] = fdplan.amlgym.FDPlan`` makes it one of AMLGym's algorithms; without AMLGym the class works alone.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .job import Invocation, Job

if TYPE_CHECKING:
    Base = object
else:
    try:
        from amlgym.algorithms.PassiveAlgorithmAdapter import PassiveAlgorithmAdapter as Base
    except ImportError:
        try:
            from amlgym.algorithms.AlgorithmAdapter import AlgorithmAdapter as Base
        except ImportError:
            Base = object

__all__ = ["FDPlan"]


class FDPlan(Base):
    """Learns what every precondition of a class allows that no row contradicts, and the shortest effects.

    Args:
        clauses: the most literals of a clause in a precondition.
        terms: the most functions in an inequality of a precondition.
        optimistic: give what some precondition of the class allows instead.
    """

    def __init__(self, clauses: int = 1, terms: int = 3, optimistic: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.clauses, self.terms, self.optimistic = clauses, terms, optimistic

    def learn(self, domain_path: str, trajectory_paths: list[str]) -> str:
        """Return the PDDL domain learned from trajectories.

        Args:
            domain_path: a PDDL domain, of which types, constants, predicates, functions and the parameters of actions are read.
            trajectory_paths: files in the format of AMLGym or of SAM.

        Raises:
            InputError: if a file cannot be read.
        """
        with tempfile.TemporaryDirectory(prefix="fdplan-amlgym-") as folder:
            data, out = Path(folder, "trajectories"), Path(folder, "learned.pddl")
            data.mkdir()
            for i, path in enumerate(trajectory_paths):
                shutil.copyfile(path, data / f"{i:06d}-{Path(path).stem}.trajectory")
            request = {"data": os.fspath(data), "pddl": os.fspath(domain_path), "out": os.fspath(out), "clauses": self.clauses, "terms": self.terms}
            Job(Invocation("train", request, dict)).result()
            return (out.with_suffix(".optimistic.pddl") if self.optimistic else out).read_text(encoding="utf-8")
