"""A problem's simulator as an environment in the manner of Gymnasium."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import spaces
from .errors import InputError
from .problem import Name, Value
from .results import Observation, Variable
from .session import Session

__all__ = ["SimulatorEnv", "Space"]


class Space:
    """The space of variables of one kind, and their values as numbers.

    A Boolean is 0 or 1, an integer itself, an enumeration the index of its value, and a
    quantity in bins the number of its bin.
    """

    def __init__(self, variables: list[Variable]) -> None:
        self.variables = {variable.name: variable for variable in variables}
        self.space = spaces.Dict({name: self._of(variable) for name, variable in self.variables.items()})

    @staticmethod
    def _of(variable: Variable) -> Any:
        if variable.bool:
            return spaces.Discrete(2)
        if names := Space._names(variable):
            return spaces.Discrete(len(names))
        return spaces.Discrete(variable.hi - variable.lo + 1, start=variable.lo)

    @staticmethod
    def _names(variable: Variable) -> list[str]:
        return variable.values or variable.bins or []

    def number(self, name: str, value: Value) -> int:
        """Return the number of a value of the program's."""
        names = self._names(self.variables[name])
        return names.index(value) if isinstance(value, str) else int(value)

    def value(self, name: str, number: Any) -> Value:
        """Return the value, as the program has it, of a number. A name is returned as it is."""
        if name not in self.variables:
            raise InputError(f"there is no variable {name!r} here; expected one of {', '.join(self.variables)}")
        variable = self.variables[name]
        if isinstance(number, str):
            return number
        if variable.bool:
            return bool(number)
        names = self._names(variable)
        if names and not 0 <= int(number) < len(names):
            raise InputError(f"{name} is {number}; expected 0 to {len(names) - 1}, for one of {', '.join(names)}")
        return names[int(number)] if names else int(number)

    def values(self, numbers: Mapping[str, Any]) -> dict[str, Value]:
        """Return the values of numbers by name."""
        return {name: self.value(name, number) for name, number in numbers.items()}

    def numbers(self, values: Mapping[str, Value]) -> dict[str, int]:
        """Return the numbers of values by name."""
        return {name: self.number(name, value) for name, value in values.items()}


class SimulatorEnv(spaces.Env):  # type: ignore[misc,valid-type]
    """An environment over the simulator of a problem.

    It is a gymnasium.Env where Gymnasium is installed. States and actions are dictionaries by
    the names of the variables, with numbers as :class:`Space` has them; actions may also have
    the values of plans, and those that are not named have their default. An episode
    terminates when the goal holds that did not at its start, in a terminal state, and when a
    rule is broken, which ``info["failure"]`` tells; it is truncated after ``horizon`` steps.

    Args:
        problem: the problem; random RDDL is planned for with ``determinize``, and drawn here.
        simulator: ``"rddl"``, a command, or an environment with ``reset`` and ``step``.
        horizon: the length of an episode; without one the problem's own.
        stop_at_goal: whether reaching the goal ends an episode.
        session: a session to share; without one the environment has its own.

    Attributes:
        problem: the problem, as a session holds it ready.
    """

    def __init__(
        self,
        problem: Name,
        *,
        simulator: Any = "rddl",
        horizon: int | None = None,
        stop_at_goal: bool = True,
        session: Session | None = None,
    ) -> None:
        self._own = Session() if session is None else None
        self._simulator = simulator
        self._stop_at_goal = stop_at_goal
        try:
            self.problem = (session or self._own).load(problem)  # type: ignore[union-attr]
        except BaseException:
            self.close()
            raise
        self.horizon = horizon or self.problem.shown.horizon
        self._states = Space(self.problem.shown.of_kind("state"))
        self._actions = Space(self.problem.shown.of_kind("action"))
        self._defaults = {
            name: variable.default or self._actions.value(name, max(0, variable.lo)) for name, variable in self._actions.variables.items() if not variable.listed
        }
        self.observation_space = self._states.space
        self.action_space = self._actions.space
        self._last: dict[str, int] = {}
        self._to_reach = False  # the goal did not hold at the start of the episode

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, int], dict[str, Any]]:
        """Begin an episode, and return its first state.

        ``options`` may have ``initial``, values of state variables by name.
        """
        super().reset(seed=seed)
        initial = self._states.values((options or {}).get("initial", {}))
        shown = self.problem.reset(initial=initial, simulator=self._simulator, seed=seed)
        self._to_reach = self._stop_at_goal and not shown.goal
        return self._observe(shown), self._info(shown)

    def step(self, action: Mapping[str, Any]) -> tuple[dict[str, int], float, bool, bool, dict[str, Any]]:
        """Take a joint action; return the state, the reward, whether the episode has
        terminated, whether it is truncated, and further information."""
        shown = self.problem.step(self._actions.values(action))
        terminated = shown.terminal or shown.failure is not None or (self._to_reach and bool(shown.goal))
        truncated = self.horizon is not None and shown.step >= self.horizon and not terminated
        return self._observe(shown), shown.reward or 0.0, terminated, truncated, self._info(shown)

    def close(self) -> None:
        """End the environment, and its session if it has its own."""
        if self._own is not None:
            self._own.close()

    def decode(self, state: Mapping[str, int]) -> dict[str, Value]:
        """Return a state in the program's values, as a plan's trace has it."""
        return self._states.values(state)

    def encode(self, step: Mapping[str, Value]) -> dict[str, int]:
        """Return a step of a plan as a joint action of the action space, with the defaults."""
        return self._actions.numbers(self._defaults | dict(step))

    def _observe(self, shown: Observation) -> dict[str, int]:
        """Return the state; after a step that was not taken, the one before."""
        if shown.state is not None:
            self._last = self._states.numbers(shown.state)
        return dict(self._last)

    @staticmethod
    def _info(shown: Observation) -> dict[str, Any]:
        return {"goal": shown.goal, "failure": shown.failure, "missing": shown.missing}
