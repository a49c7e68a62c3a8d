"""fdplan as an engine of unified-planning.

``register()`` makes it the engine ``fdplan`` of an environment: ``OneshotPlanner(name="fdplan")`` then solves problems, which unified-planning
writes as PDDL, and ``OneshotPlanner(problem_kind=problem.kind, optimality_guarantee="SOLVED_OPTIMALLY")`` may choose it.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    Engine: Any = object
    OneshotPlannerMixin: Any = object
else:
    from unified_planning.engines.engine import Engine
    from unified_planning.engines.mixins import OneshotPlannerMixin

from .commands import plan
from .errors import InputError, InternalError, LimitReached
from .problem import Problem
from .results import Plan

__all__ = ["FDPlan", "register"]

KINDS = """
    ACTION_BASED SIMPLE_NUMERIC_PLANNING GENERAL_NUMERIC_PLANNING FLAT_TYPING HIERARCHICAL_TYPING INT_FLUENTS
    NEGATIVE_CONDITIONS DISJUNCTIVE_CONDITIONS EQUALITIES EXISTENTIAL_CONDITIONS UNIVERSAL_CONDITIONS
    CONDITIONAL_EFFECTS FORALL_EFFECTS INCREASE_EFFECTS DECREASE_EFFECTS STATIC_FLUENTS_IN_BOOLEAN_ASSIGNMENTS
    FLUENTS_IN_BOOLEAN_ASSIGNMENTS STATIC_FLUENTS_IN_NUMERIC_ASSIGNMENTS FLUENTS_IN_NUMERIC_ASSIGNMENTS
    ACTIONS_COST PLAN_LENGTH STATIC_FLUENTS_IN_ACTIONS_COST INT_NUMBERS_IN_ACTIONS_COST REAL_NUMBERS_IN_ACTIONS_COST
"""
"""The features of problems that the engine takes, by their names in unified-planning."""


class FDPlan(Engine, OneshotPlannerMixin):  # type: ignore[misc]
    """Finds a plan of least cost, or of fewest actions without costs, and proves it.

    Args:
        options: options of :func:`fdplan.plan`, such as ``threads`` and ``memory``.
    """

    def __init__(self, **options: Any) -> None:
        Engine.__init__(self)
        OneshotPlannerMixin.__init__(self)
        self.options = options

    @property
    def name(self) -> str:
        """The name that it is registered by."""
        return "fdplan"

    @staticmethod
    def supported_kind() -> Any:
        """Return the kind of problems that it takes."""
        from unified_planning.model import ProblemKind
        from unified_planning.model.problem_kind import all_features
        from unified_planning.model.problem_kind_versioning import LATEST_PROBLEM_KIND_VERSION

        return ProblemKind(all_features.intersection(KINDS.split()), version=LATEST_PROBLEM_KIND_VERSION)

    @staticmethod
    def supports(problem_kind: Any) -> bool:
        """Whether it takes problems of a kind."""
        return bool(problem_kind <= FDPlan.supported_kind())

    @staticmethod
    def satisfies(optimality_guarantee: Any) -> bool:
        """Whether its plans have a guarantee: they are optimal."""
        return True

    def _solve(
        self,
        problem: Any,
        heuristic: Callable[[Any], float | None] | None = None,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
    ) -> Any:
        from unified_planning.engines.results import LogLevel, LogMessage, PlanGenerationResult, PlanGenerationResultStatus
        from unified_planning.io import PDDLWriter

        if heuristic is not None:
            warnings.warn("fdplan takes no heuristic", stacklevel=3)
        writer = PDDLWriter(problem, rewrite_bool_assignments=True)
        answer: Plan | None = None
        said, status = "", "INTERNAL_ERROR"
        with tempfile.TemporaryDirectory(prefix="fdplan-up-") as folder:
            domain, instance = Path(folder, "domain.pddl"), Path(folder, "problem.pddl")
            writer.write_domain(str(domain))
            writer.write_problem(str(instance))
            limit = {} if timeout is None else {"time_limit": f"{timeout}s"}
            try:
                answer = plan.start(Problem(instance, pddl=domain), **{**self.options, **limit}).result()
                said, status = answer.verdict, {"optimal": "SOLVED_OPTIMALLY", "feasible": "SOLVED_SATISFICING"}.get(answer.status, "UNSOLVABLE_PROVEN")
            except LimitReached as error:
                said = str(error)
                status = "MEMOUT" if "memory" in said else "TIMEOUT"
            except InputError as error:
                said, status = str(error), "UNSUPPORTED_PROBLEM"
            except InternalError as error:
                said = str(error)
        if output_stream is not None:
            output_stream.write(said + "\n")
        level = LogLevel.ERROR if status == "INTERNAL_ERROR" else LogLevel.INFO
        found = None if answer is None or answer.plan is None else sequential(problem, writer, answer)
        return PlanGenerationResult(PlanGenerationResultStatus[status], found, self.name, log_messages=[LogMessage(level, said)])


def sequential(problem: Any, writer: Any, answer: Plan) -> Any:
    """Return a plan of unified-planning whose actions are those of an answer."""
    from unified_planning.plans import ActionInstance, SequentialPlan

    actions = []
    for step in answer:
        for name in step:
            action, _, rest = name.removesuffix(")").partition("(")
            objects = [writer.get_item_named(o) for o in rest.split(",") if o]
            manager = problem.environment.expression_manager
            actions.append(ActionInstance(writer.get_item_named(action.removesuffix("'")), tuple(manager.ObjectExp(o) for o in objects)))
    return SequentialPlan(actions, problem.environment)


def register(environment: Any = None) -> None:
    """Make fdplan an engine of an environment of unified-planning; without one, of that which unified-planning has by default."""
    from unified_planning.environment import get_environment

    (environment or get_environment()).factory.add_engine("fdplan", __name__, FDPlan.__name__)
