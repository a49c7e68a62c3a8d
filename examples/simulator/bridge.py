#!/usr/bin/env python3
"""A small environment as a simulator of fdplan, by the bridge of the Python package.

    fdplan run PROBLEM --simulator "python3 bridge.py ENVIRONMENT"

ENVIRONMENT is one of
    navigation              the environment below, of the problem navigation/3x3
    rddl:DOMAIN:INSTANCE    pyRDDLGym's own; files, or names that it knows
    MODULE:FUNCTION         what the function returns, from a module of yours

An environment has reset() and step(actions), as those of pyRDDLGym have: see
python/src/fdplan/environments.py. Only the standard library is needed, and whatever
the environment needs.
"""

import argparse
import sys
from pathlib import Path

try:
    from fdplan import bridge
except ImportError:  # it is not installed: the checkout has it
    sys.path.append(str(Path(__file__).resolve().parents[2] / "python" / "src"))
    from fdplan import bridge


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


def main():
    parser = argparse.ArgumentParser(description="An environment as a simulator of fdplan.")
    parser.add_argument("environment", help="navigation, rddl:DOMAIN:INSTANCE or MODULE:FUNCTION")
    parser.add_argument("--closed", default="", help="further blocked cell of navigation, such as x9,y15")
    parser.add_argument("--stuck", type=int, default=0, help="step in which the robot of navigation does not move")
    parser.add_argument("--deterministic", action="store_true", help="promise that the same call has the same answer")
    options = parser.parse_args()
    if options.environment == "navigation":
        bridge.answer(lambda: Navigation(options.closed, options.stuck), options.deterministic)
    else:
        bridge.answer(lambda: bridge.make(options.environment), options.deterministic)


if __name__ == "__main__":
    main()
