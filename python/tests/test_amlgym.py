"""The adapter for AMLGym, against a stand-in that has the signatures of its sources: AMLGym itself is not needed."""

import abc
import importlib
import subprocess
import sys
import tempfile
import types
import unittest
from dataclasses import dataclass
from pathlib import Path

import fdplan
import fdplan.amlgym

EXAMPLES = Path(__file__).parents[2] / "examples" / "pddl"


@dataclass
class PassiveAlgorithmAdapter(abc.ABC):
    """The abstract class of amlgym.algorithms.PassiveAlgorithmAdapter."""

    @abc.abstractmethod
    def learn(self, domain_path: str, trajectory_paths: list[str]) -> str:
        raise NotImplementedError


class Adapter(unittest.TestCase):
    def setUp(self) -> None:
        names = ["amlgym", "amlgym.algorithms", "amlgym.algorithms.PassiveAlgorithmAdapter"]
        for name in names:
            self.addCleanup(sys.modules.pop, name, None)
            sys.modules[name] = types.ModuleType(name)
        setattr(sys.modules[names[-1]], "PassiveAlgorithmAdapter", PassiveAlgorithmAdapter)
        self.module = importlib.reload(fdplan.amlgym)
        self.paths = sorted(str(p) for p in (EXAMPLES / "walks").iterdir())

    def test_learn(self) -> None:
        adapter = self.module.FDPlan()
        self.assertIsInstance(adapter, PassiveAlgorithmAdapter)
        text = adapter.learn(str(EXAMPLES / "blocks.pddl"), self.paths)
        self.assertIn("(:action unstack", text)
        with tempfile.TemporaryDirectory() as folder:
            domain, plan = Path(folder, "learned.pddl"), Path(folder, "plan.txt")
            domain.write_text(text, encoding="utf-8")
            program = str(fdplan.program.find())
            tower = str(EXAMPLES / "tower.pddl")
            subprocess.run([program, "plan", "--pddl", domain, tower, "-o", plan], check=True, capture_output=True)
            said = subprocess.run([program, "validate", "--pddl", EXAMPLES / "blocks.pddl", tower, plan], check=True, capture_output=True, text=True)
        self.assertIn("valid in the model, 10 steps", said.stdout)

    def test_sides(self) -> None:
        safe = self.module.FDPlan().learn(str(EXAMPLES / "blocks.pddl"), self.paths)
        optimistic = self.module.FDPlan(optimistic=True).learn(str(EXAMPLES / "blocks.pddl"), self.paths)
        self.assertNotEqual(safe, optimistic)
        self.assertIn("(or ", optimistic)

    def test_fault(self) -> None:
        with self.assertRaises(fdplan.InputError) as caught:
            self.module.FDPlan().learn(str(EXAMPLES / "vans.pddl"), self.paths)
        self.assertIn("there is no predicate", str(caught.exception))
