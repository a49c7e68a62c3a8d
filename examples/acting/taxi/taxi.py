#!/usr/bin/env python3
"""A taxi, as an environment with reset and step, and what fdplan learns by driving it (docs/acting.md).

    PYTHONPATH=python/src python3 examples/acting/taxi/taxi.py FOLDER

Five rows of five cells, with walls between some. The passenger waits at one of four places, and is taken to another.
"""

import pathlib
import sys

PLACES = {(0, 0): "R", (0, 4): "G", (4, 0): "Y", (4, 3): "B"}
WALLS = {(0, 1), (1, 1), (3, 0), (4, 0), (3, 2), (4, 2)}  # east of these cells


class Taxi:
    """The taxi, which begins in the second row."""

    def reset(self):
        """Return the initial state."""
        self.state = {"row": 1, "column": 4, "passenger": "R", "destination": "Y"}
        return dict(self.state), {}

    def step(self, action):
        """Return the state after an action, and the reward of the state before it."""
        s, do = self.state, action["do"]
        here, reward = (s["row"], s["column"]), -float(s["passenger"] != s["destination"])
        if do == "south":
            s["row"] = min(4, s["row"] + 1)
        elif do == "north":
            s["row"] = max(0, s["row"] - 1)
        elif do == "east" and here not in WALLS:
            s["column"] = min(4, s["column"] + 1)
        elif do == "west" and (s["row"], s["column"] - 1) not in WALLS:
            s["column"] = max(0, s["column"] - 1)
        elif do == "pickup" and PLACES.get(here) == s["passenger"]:
            s["passenger"] = "taxi"
        elif do == "dropoff" and s["passenger"] == "taxi" and here in PLACES:
            s["passenger"] = PLACES[here]
        return dict(s), reward, False, False, {}


def main():
    """Learn by driving, and print the plan."""
    import fdplan

    task = pathlib.Path(__file__).with_name("taxi.toml")
    answer = fdplan.learn(task, sys.argv[1], Taxi())
    print(answer.status, answer.reward, "after", answer.steps, "steps")
    print(*[step["do"] for step in answer.plan])


if __name__ == "__main__":
    main()
