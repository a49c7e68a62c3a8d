#!/usr/bin/env python3
"""Makes an environment like those of pyRDDLGym a simulator of fdplan.

    fdplan run PROBLEM --simulator "python3 bridge.py ENVIRONMENT"

ENVIRONMENT is one of
    navigation              the environment below, of the problem navigation/3x3
    rddl:DOMAIN:INSTANCE    pyRDDLGym's own; files, or names that it knows
    MODULE:FUNCTION         what the function returns, from a module of yours

All that is asked of an environment is
    reset() -> state, or (state, info)
    step(actions) -> (state, reward, done, info)
                     or (state, reward, terminated, truncated, info)
where states and actions are dictionaries by name, and actions only has those
that are not false or 0. Names may be fdplan's, robot-at(x14,y20), or
pyRDDLGym's, robot-at___x14__y20. An environment that has set_state(state) can
be reset to any state. An exception whose name speaks of a precondition, a
constraint or an invariant refuses the action; any other ends the simulation.

The lines are specified in docs/simulators.md. Only the standard library is
needed, and whatever the environment needs.
"""

import argparse
import importlib
import json
import os
import sys

VERSION = 1


class Navigation:
    """A robot on a grid of 3 by 3 cells, two of them blocked; a move off the
    grid or into a blocked cell leaves it where it is. Two things no model knows
    of: a further cell that is `closed`, "x9,y15", and that the robot does not
    move in its step number `stuck` of an episode."""

    XS, YS = ["x21", "x14", "x9"], ["y12", "y15", "y20"]  # west to east, north to south
    BLOCKED = {("x21", "y15"), ("x14", "y15")}
    MOVES = {"move-east": (1, 0), "move-west": (-1, 0), "move-north": (0, -1), "move-south": (0, 1)}

    class ActionPreconditionNotSatisfied(Exception):
        pass

    def __init__(self, closed="", stuck=0):
        self.blocked = self.BLOCKED | {tuple(closed.split(","))}
        self.stuck = stuck
        self.reset()

    def _state(self):
        here = self.XS[self.x], self.YS[self.y]
        return {f"robot-at___{x}__{y}": (x, y) == here for x in self.XS for y in self.YS}

    def reset(self):
        self.x, self.y, self.steps = 1, 2, 0
        return self._state(), {}

    def set_state(self, state):
        self.steps = 0
        for name, here in state.items():
            if here:
                x, y = name.split("___")[1].split("__")
                self.x, self.y = self.XS.index(x), self.YS.index(y)
        return self._state()

    def step(self, actions):
        moves = [a for a, on in actions.items() if on]
        if len(moves) > 1:
            raise self.ActionPreconditionNotSatisfied("one move at a time: " + ", ".join(moves))
        self.steps += 1
        if moves and self.steps != self.stuck:
            dx, dy = self.MOVES[moves[0]]
            x, y = self.x + dx, self.y + dy
            if 0 <= x < 3 and 0 <= y < 3 and (self.XS[x], self.YS[y]) not in self.blocked:
                self.x, self.y = x, y
        return self._state(), -float(len(moves)), False, False, {}


def make(name, closed, stuck):
    """Makes the environment that the command line names."""
    if name == "navigation":
        return Navigation(closed, stuck)
    if name.startswith("rddl:"):
        import pyRDDLGym

        _, domain, instance = name.split(":")
        return pyRDDLGym.make(domain, instance, enforce_action_constraints=True)
    module, _, function = name.partition(":")
    sys.path.insert(0, os.getcwd())
    return getattr(importlib.import_module(module), function)()


def gym_name(name):
    """robot-at(x14,y20) is robot-at___x14__y20 in pyRDDLGym."""
    base, bracket, objects = name.partition("(")
    return base + "___" + objects.rstrip(")").replace(",", "__") if bracket else base


def plain(value):
    """A value as JSON has it: NumPy's have item()."""
    return value.item() if hasattr(value, "item") else value


class Bridge:
    """Answers fdplan's calls with an environment's."""

    def __init__(self, env, deterministic):
        self.env = env
        self.deterministic = deterministic
        self.names = {}  # by the environment's name, of states and actions

    def hello(self, request):
        if request["version"] != VERSION:
            raise ValueError(f"version {request['version']} is not spoken here, only {VERSION}")
        for v in request["states"] + request["actions"]:
            self.names[v["name"]] = self.names[gym_name(v["name"])] = v["name"]
        return {
            "version": VERSION,
            "name": type(self.env).__name__,
            "resets": "any" if hasattr(self.env, "set_state") else "initial",
            "deterministic": self.deterministic,
        }

    def state(self, answer):
        """What an environment returned as a state, by fdplan's names. A name
        that fdplan did not ask for is passed on, and refused by it."""
        state = answer[0] if isinstance(answer, tuple) else answer
        return {self.names.get(name, name): plain(value) for name, value in state.items()}

    def reset(self, request):
        if "state" in request:
            answer = self.env.set_state({gym_name(n): v for n, v in request["state"].items()})
        else:
            answer = self.env.reset()
        return {"state": self.state(answer)}

    def step(self, request):
        actions = {gym_name(n): v for n, v in request["action"].items() if v}
        try:
            answer = self.env.step(actions)
        except Exception as e:  # environments have exceptions of their own
            kind = type(e).__name__.lower()
            if any(word in kind for word in ("precondition", "constraint", "invariant")):
                return {"violation": {"constraint": f"{type(e).__name__}: {e}"}}
            raise
        # The horizon of an environment, truncated, is not the plan's.
        return {"state": self.state(answer), "reward": plain(answer[1]), "terminal": bool(answer[2])}


def main():
    parser = argparse.ArgumentParser(description="An environment as a simulator of fdplan.")
    parser.add_argument("environment", help="navigation, rddl:DOMAIN:INSTANCE or MODULE:FUNCTION")
    parser.add_argument("--closed", default="", help="further blocked cell of navigation, such as x9,y15")
    parser.add_argument("--stuck", type=int, default=0, help="step in which the robot of navigation does not move")
    parser.add_argument("--deterministic", action="store_true", help="promise that the same call has the same answer")
    options = parser.parse_args()
    # Standard output is for answers alone: what an environment prints goes to
    # standard error, which fdplan shows when something goes wrong.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    bridge = Bridge(make(options.environment, options.closed, options.stuck), options.deterministic)
    calls = {"hello": bridge.hello, "reset": bridge.reset, "step": bridge.step}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = calls[request["call"]](request)
        except Exception as e:  # whatever it is, fdplan is to know
            answer = {"error": f"{type(e).__name__}: {e}"}
        print(json.dumps({"id": request["id"], **answer}), file=out, flush=True)


if __name__ == "__main__":
    main()
