"""An agent that plans with a receding horizon, with the interface of pyRDDLGym's agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from .environments import gym_name, plain
from .errors import InputError, LimitReached, NoAnswer
from .problem import Name, Value
from .results import Plan
from .session import Session

__all__ = ["PlanningAgent"]

if TYPE_CHECKING:
    BaseAgent = object
else:
    try:
        from pyRDDLGym.core.policy import BaseAgent
    except ImportError:
        BaseAgent = object


class PlanningAgent(BaseAgent):  # type: ignore[misc]
    """Plans from each state that it is shown, and takes the first steps of the plan.

    It is an agent of pyRDDLGym where that is installed. To reach a goal, the best plan of at
    most ``horizon`` steps is followed; otherwise, the best of exactly so many.

    Args:
        problem: the problem to plan for; random RDDL with ``determinize``.
        horizon: the length of plans; without one the problem's own.
        replan_every: how many steps of a plan are taken while states are as planned.
        plan_time: the time for each plan, in seconds; the best that is found is followed.
        engine: the engine.
        until: whether the goal is to be reached; ``"auto"`` is so if there is one that does not
            hold in the first state of the problem's simulator.
        without: what is done without a plan: nothing, or an error.
        session: a session to share; without one the agent has its own.

    Attributes:
        last: the plan that was made last, None before the first.
    """

    use_tensor_obs = False

    def __init__(
        self,
        problem: Name,
        *,
        horizon: int | None = None,
        replan_every: int = 1,
        plan_time: float | None = None,
        engine: str = "auto",
        until: Literal["auto", "goal", "steps"] = "auto",
        without: Literal["error", "noop"] = "error",
        session: Session | None = None,
    ) -> None:
        self._own = Session() if session is None else None
        try:
            self._problem = (session or self._own).load(problem)  # type: ignore[union-attr]
        except BaseException:
            self.close()
            raise
        shown = self._problem.shown
        self.horizon = horizon or shown.horizon
        self._to_reach = until == "goal" or (until == "auto" and bool(shown.goal) and not self._reached())
        self._replan_every = replan_every
        self._plan_time = plan_time
        self._engine = engine
        self._without = without
        self._names = {}
        for variable in shown.variables:
            self._names[variable.name] = self._names[gym_name(variable.name)] = variable.name
        self._states = {variable.name: variable for variable in shown.of_kind("state")}
        self._taken = 0
        self.last: Plan | None = None

    def __enter__(self) -> PlanningAgent:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the agent, and its session if it has its own."""
        if self._own is not None:
            self._own.close()

    def reset(self) -> None:
        """Begin an episode: what is left of the last plan is not followed."""
        self.last, self._taken = None, 0

    def sample_action(self, state: Mapping[str, Any] | None = None) -> dict[str, Value]:
        """Return the joint action for a state, the variables that do not have their default.

        Names are fdplan's, such as robot-at(x14,y20), or pyRDDLGym's, such as
        robot-at___x14__y20; the answer has those of the state. Without a state, that of the
        plan, or the problem's own, is assumed.

        Raises:
            NoAnswer: if there is no plan from the state, unless ``without`` is ``"noop"``.
            LimitReached: likewise, if none was found in time.
        """
        seen = {self._names[name]: self._value(name, value) for name, value in (state or {}).items() if name in self._names}
        as_gym = any("___" in name for name in state or {})
        if not self._follows(seen):
            try:
                self.last, self._taken = self._plan(seen), 0
            except (NoAnswer, LimitReached):
                self.reset()
                if self._without == "noop":
                    return {}
                raise
        assert self.last is not None and self.last.plan is not None
        action: dict[str, Value] = self.last.plan[self._taken]
        self._taken += 1
        return {gym_name(name) if as_gym else name: value for name, value in action.items()}

    def _reached(self) -> bool:
        """Return whether the goal holds in the first state, False without a simulator."""
        try:
            return bool(self._problem.reset().goal)
        except InputError:
            return False

    def _plan(self, seen: dict[str, Value]) -> Plan:
        horizon: int | tuple[int, int] | None = self.horizon
        if self._to_reach and self.horizon is not None:
            horizon = (1, self.horizon)
        return self._problem.plan(horizon, initial=seen, engine=self._engine, time_limit=self._plan_time).check()

    def _follows(self, seen: dict[str, Value]) -> bool:
        """Return whether the next step of the last plan is still to be taken here."""
        if self.last is None or not self.last.plan or not self.last.trace:
            return False
        if self._taken >= min(self._replan_every, len(self.last.plan)):
            return False
        expected = self.last.trace[self._taken]
        return all(expected.get(name) == value for name, value in seen.items())

    def _value(self, name: str, value: Any) -> Value:
        """Return a value of an environment's as the program has it."""
        variable = self._states.get(self._names[name])
        value = plain(value)
        if variable is None:
            return value
        if variable.bool:
            return bool(value)
        return variable.values[value] if variable.values and isinstance(value, int) else value
