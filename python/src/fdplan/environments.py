"""Environments in Python as simulators of the program.

All that is asked of an environment is

    reset() -> state, or (state, info)
    step(actions) -> (state, reward, done, info)
                     or (state, reward, terminated, truncated, info)

where states and actions are dictionaries by name, and actions only has those that are not
false or 0. Names may be fdplan's, robot-at(x14,y20), or pyRDDLGym's,
robot-at___x14__y20. An environment that has set_state(state) can be reset to any state. An
exception whose name speaks of a precondition, a constraint or an invariant refuses the
action; any other ends the simulation. docs/simulators.md has the protocol.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TextIO

__all__ = ["Bridge", "gym_name", "plain"]

VERSION = 1
"""The version of the protocol."""

REFUSALS = ("precondition", "constraint", "invariant")
"""Words in the names of exceptions that refuse an action."""


def gym_name(name: str) -> str:
    """Return a name as pyRDDLGym has it: robot-at(x14,y20) is robot-at___x14__y20."""
    base, bracket, objects = name.partition("(")
    return base + "___" + objects.rstrip(")").replace(",", "__") if bracket else base


def plain(value: Any) -> Any:
    """Return a value as JSON has it; those of NumPy have item()."""
    return value.item() if hasattr(value, "item") else value


class Bridge:
    """Answers the calls of fdplan with an environment's answers."""

    def __init__(self, env: Any, deterministic: bool = False) -> None:
        self.env = env
        self.deterministic = deterministic
        self._names: dict[str, str] = {}  # by the environment's name, of states and actions

    def hello(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Answer the call that begins a simulation."""
        if request["version"] != VERSION:
            raise ValueError(f"version {request['version']} is not spoken here, only {VERSION}")
        for variable in [*request["states"], *request["actions"]]:
            name = variable["name"]
            self._names[name] = self._names[gym_name(name)] = name
        return {
            "version": VERSION,
            "name": type(self.env).__name__,
            "resets": "any" if hasattr(self.env, "set_state") else "initial",
            "deterministic": self.deterministic,
        }

    def reset(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a call to begin an episode."""
        if "state" in request:
            answer = self.env.set_state({gym_name(name): value for name, value in request["state"].items()})
        else:
            answer = self.env.reset()
        return {"state": self._state(answer)}

    def step(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a call to take a joint action."""
        actions = {gym_name(name): value for name, value in request["action"].items() if value}
        try:
            answer = self.env.step(actions)
        except Exception as error:  # environments have exceptions of their own
            if any(word in type(error).__name__.lower() for word in REFUSALS):
                return {"violation": {"constraint": f"{type(error).__name__}: {error}"}}
            raise
        # The horizon of an environment, truncated, is not the plan's.
        return {"state": self._state(answer), "reward": plain(answer[1]), "terminal": bool(answer[2])}

    def answer(self, line: str) -> str:
        """Return the line that answers a line of fdplan's."""
        request = json.loads(line)
        calls: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {"hello": self.hello, "reset": self.reset, "step": self.step}
        try:
            answer = calls[request["call"]](request)
        except Exception as error:  # whatever it is, fdplan is to know
            answer = {"error": f"{type(error).__name__}: {error}"}
        return json.dumps({"id": request["id"], **answer}) + "\n"

    def serve(self, lines: Iterable[str], out: TextIO) -> None:
        """Answer lines until they end."""
        for line in lines:
            out.write(self.answer(line))
            out.flush()

    def _state(self, answer: Any) -> dict[str, Any]:
        """What an environment returned as a state, by fdplan's names. A name that fdplan did
        not ask for is passed on, and refused by it."""
        state = answer[0] if isinstance(answer, tuple) else answer
        return {self._names.get(name, name): plain(value) for name, value in state.items()}
