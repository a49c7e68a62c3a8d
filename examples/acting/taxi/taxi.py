#!/usr/bin/env python3
"""A taxi, as an environment with reset and step, and what fdplan learns by driving it (docs/acting.md).

    PYTHONPATH=python/src python3 examples/acting/taxi/taxi.py FOLDER [model]

With the word model it goes on until the model is known, and holds that against the taxi in all states.
Five rows of five cells, with walls between some. The passenger waits at one of four places, and is taken to another.
"""

import itertools
import json
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

    def set_state(self, state):
        """Begin in a state, and return it."""
        self.state = dict(state)
        return dict(state)

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


NAMES = {"passenger": [*PLACES.values(), "taxi"], "destination": [*PLACES.values()]}
ACTIONS = ["south", "north", "east", "west", "pickup", "dropoff"]


def digits(values, bits):
    """Write some bits of values: row#2 is bit 2 of the row."""
    code = {name: NAMES[name].index(v) if name in NAMES else v for name, v in values.items()}
    return "".join(str(code[name] >> int(i) & 1) for name, i in (bit.split("#") for bit in bits))


def compare(file):
    """Count the next bits that what was learned has wrong, those that it does not tell, and all."""
    learned = json.loads(file.read_text())
    rows = {(now, do): then for now, do, then in map(str.split, learned["rows"])}
    wrong = missing = total = 0
    for row, column, passenger, destination, do in itertools.product(range(5), range(5), *NAMES.values(), ACTIONS):
        taxi = Taxi()
        now = taxi.set_state({"row": row, "column": column, "passenger": passenger, "destination": destination})
        key = digits(now, learned["states"]), digits({"do": ACTIONS.index(do)}, learned["actions"])
        now["do"] = ACTIONS.index(do)
        then = dict(zip(learned["states"], digits(taxi.step({"do": do})[0], learned["states"])))
        value = [digits(now, v["bits"]) for v in learned["variables"]]
        told = {bit: set(was) for bit, was in zip(learned["states"], rows.get(key, ""))}
        for clause in learned["clauses"]:
            if all(value[c["variable"]] == c["is"] for c in clause["if"]):
                told.setdefault(clause["next"], set()).add(str(int(clause["value"])))
        wrong += sum(told.get(bit, {v}) != {v} for bit, v in then.items())
        missing += sum(bit not in told for bit in then)
        total += len(then)
    return wrong, "and", missing, "of", total, "next bits"


def main():
    """Learn by driving, and print the plan."""
    import fdplan

    here = pathlib.Path(__file__)
    wanted = {"until": "model", "start_states": here.with_name("starts.csv")} if sys.argv[2:] == ["model"] else {}
    answer = fdplan.learn(here.with_name("taxi.toml"), sys.argv[1], Taxi(), **wanted)
    print(answer.status, answer.reward, "after", answer.steps, "steps")
    print(*[step["do"] for step in answer.plan])
    if wanted:
        print("wrong or not known:", *compare(pathlib.Path(sys.argv[1], "learned.json")))


if __name__ == "__main__":
    main()
