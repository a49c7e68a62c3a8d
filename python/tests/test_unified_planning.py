"""The engine for unified-planning: against the package where it is installed, and against a stand-in that has the signatures of its sources (version 1.3.0)."""

import enum
import importlib
import importlib.util
import io
import sys
import types
import unittest
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[2] / "examples" / "pddl"
INSTALLED = importlib.util.find_spec("unified_planning") is not None
FEATURES = {"ACTION_BASED", "NEGATIVE_CONDITIONS", "ACTIONS_COST", "INT_FLUENTS", "CONTINUOUS_TIME", "OBJECT_FLUENTS", "TRAJECTORY_CONSTRAINTS"}


class Status(enum.Enum):
    """unified_planning.engines.results.PlanGenerationResultStatus."""

    SOLVED_SATISFICING = enum.auto()
    SOLVED_OPTIMALLY = enum.auto()
    UNSOLVABLE_PROVEN = enum.auto()
    TIMEOUT = enum.auto()
    MEMOUT = enum.auto()
    INTERNAL_ERROR = enum.auto()
    UNSUPPORTED_PROBLEM = enum.auto()


@dataclass
class Result:
    """unified_planning.engines.results.PlanGenerationResult."""

    status: Status
    plan: Any
    engine_name: str
    metrics: Any = field(default=None)
    log_messages: Any = field(default=None)


class Kind:
    """unified_planning.model.ProblemKind: one is below another if the other has its features."""

    def __init__(self, features: Any = None, version: Any = None) -> None:
        self.features = set(features or ())

    def __le__(self, other: "Kind") -> bool:
        return self.features <= other.features


class Writer:
    """unified_planning.io.PDDLWriter, of a problem that is two files; names are those of PDDL in capitals."""

    def __init__(self, problem: Any, needs_requirements: bool = True, rewrite_bool_assignments: bool = False, empty_preconditions: bool = False) -> None:
        self.problem = problem

    def write_domain(self, filename: str) -> None:
        Path(filename).write_text(self.problem.domain, encoding="utf-8")

    def write_problem(self, filename: str) -> None:
        Path(filename).write_text(self.problem.text, encoding="utf-8")

    def get_item_named(self, name: str) -> str:
        return name.upper()


class Mixin:
    """unified_planning.engines.mixins.OneshotPlannerMixin, without the checks."""

    def solve(self, problem: Any, heuristic: Any = None, timeout: Any = None, output_stream: Any = None) -> Any:
        return self._solve(problem, heuristic, timeout, output_stream)  # type: ignore[attr-defined]


class Factory:
    """unified_planning.engines.Factory, of which engines are added to a dictionary."""

    def __init__(self) -> None:
        self.engines: dict[str, Any] = {}

    def add_engine(self, name: str, module_name: str, class_name: str) -> None:
        self.engines[name] = getattr(importlib.import_module(module_name), class_name)


ENVIRONMENT = types.SimpleNamespace(factory=Factory(), expression_manager=types.SimpleNamespace(ObjectExp=lambda o: o))

STANDINS: dict[str, dict[str, Any]] = {
    "unified_planning": {},
    "unified_planning.engines": {},
    "unified_planning.engines.engine": {"Engine": type("Engine", (), {})},
    "unified_planning.engines.mixins": {"OneshotPlannerMixin": Mixin},
    "unified_planning.engines.results": {
        "LogLevel": enum.Enum("LogLevel", "DEBUG INFO WARNING ERROR"),
        "LogMessage": lambda level, message: types.SimpleNamespace(level=level, message=message),
        "PlanGenerationResult": Result,
        "PlanGenerationResultStatus": Status,
    },
    "unified_planning.environment": {"get_environment": lambda: ENVIRONMENT},
    "unified_planning.io": {"PDDLWriter": Writer},
    "unified_planning.model": {"ProblemKind": Kind},
    "unified_planning.model.problem_kind": {"all_features": FEATURES},
    "unified_planning.model.problem_kind_versioning": {"LATEST_PROBLEM_KIND_VERSION": 2},
    "unified_planning.plans": {
        "ActionInstance": lambda action, parameters: (action, *parameters),
        "SequentialPlan": lambda actions, environment: types.SimpleNamespace(actions=actions),
    },
}


@dataclass
class Files:
    """A problem of the stand-in."""

    domain: str
    text: str
    environment: Any = field(default_factory=lambda: ENVIRONMENT)


class StandIn(unittest.TestCase):
    def setUp(self) -> None:
        before = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "unified_planning"}
        self.addCleanup(sys.modules.update, before)
        for name, items in STANDINS.items():
            self.addCleanup(sys.modules.pop, name, None)
            sys.modules[name] = types.ModuleType(name)
            vars(sys.modules[name]).update(items)
        self.addCleanup(sys.modules.pop, "fdplan.unified_planning", None)
        sys.modules.pop("fdplan.unified_planning", None)
        importlib.import_module("fdplan.unified_planning").register()
        self.engine = ENVIRONMENT.factory.engines["fdplan"]
        self.tower = Files(*((EXAMPLES / name).read_text(encoding="utf-8") for name in ("blocks.pddl", "tower.pddl")))

    def test_optimal(self) -> None:
        said = io.StringIO()
        result = self.engine(threads=1).solve(self.tower, timeout=60.0, output_stream=said)
        self.assertEqual((result.status, result.engine_name, len(result.plan.actions)), (Status.SOLVED_OPTIMALLY, "fdplan", 10))
        self.assertEqual(result.plan.actions[0], ("UNSTACK", "D", "E"))
        self.assertIn("proven optimal", said.getvalue())

    def test_none(self) -> None:
        self.tower.text = self.tower.text.replace("(:goal", "(:goal (and (on a a))) (:meaning", 1).partition("(:meaning")[0] + ")"
        result = self.engine().solve(self.tower)
        self.assertEqual((result.status, result.plan), (Status.UNSOLVABLE_PROVEN, None))

    def test_refused(self) -> None:
        self.tower.domain = self.tower.domain.replace("(:action", "(:durative-action", 1)
        result = self.engine().solve(self.tower)
        self.assertEqual((result.status, result.plan), (Status.UNSUPPORTED_PROBLEM, None))
        self.assertIn("durative", result.log_messages[0].message)

    def test_limit(self) -> None:
        result = self.engine().solve(self.tower, timeout=0.001)
        self.assertEqual((result.status, result.plan), (Status.TIMEOUT, None))

    def test_kinds(self) -> None:
        self.assertTrue(self.engine.supports(Kind({"ACTION_BASED", "ACTIONS_COST", "INT_FLUENTS"})))
        for other in ("CONTINUOUS_TIME", "OBJECT_FLUENTS", "TRAJECTORY_CONSTRAINTS"):
            self.assertFalse(self.engine.supports(Kind({"ACTION_BASED", other})), other)
        self.assertTrue(self.engine.satisfies(None))


if INSTALLED:

    class Published(unittest.TestCase):
        """The package itself."""

        def test_examples(self) -> None:
            import unified_planning.shortcuts as up
            from unified_planning.test.examples import get_example_problems

            import fdplan.unified_planning as engine

            environment = up.get_environment()
            environment.credits_stream = None
            engine.register()
            solved = 0
            for name, example in get_example_problems().items():
                problem = example.problem
                if not engine.FDPlan.supports(problem.kind):
                    continue
                with self.subTest(name), up.OneshotPlanner(name="fdplan") as planner, up.PlanValidator(problem_kind=problem.kind) as validator:
                    result = planner.solve(problem)
                    self.assertEqual(result.status.name, "SOLVED_OPTIMALLY")
                    self.assertTrue(validator.validate(problem, result.plan))
                    self.assertLessEqual(len(result.plan.actions), min((len(p.actions) for p in example.valid_plans), default=99))
                    solved += 1
            self.assertGreater(solved, 15)

        def test_chosen(self) -> None:
            import unified_planning.shortcuts as up
            from unified_planning.test.examples import get_example_problems

            import fdplan.unified_planning as engine

            engine.register()
            problem = get_example_problems()["basic_with_costs"].problem
            factory = up.get_environment().factory
            self.addCleanup(setattr, factory, "preference_list", factory.preference_list)
            factory.preference_list = ["fdplan"]
            with up.OneshotPlanner(problem_kind=problem.kind, optimality_guarantee="SOLVED_OPTIMALLY") as planner:
                self.assertEqual(planner.name, "fdplan")


if __name__ == "__main__":
    unittest.main()
