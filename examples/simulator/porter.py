#!/usr/bin/env python3
"""A porter, a robot that fetches a parcel, as a simulator without RDDL (docs/simulators.md).

    fdplan collect examples/simulator/porter.toml --simulator "python3 examples/simulator/porter.py" -o rows.csv

Eight cells are in a row. The parcel is on a shelf at cell 5 and goes to the door at cell 7. A move takes a unit of the battery. A step costs
1; the parcel at the door pays 21, dropped elsewhere it goes back to the shelf, for 4 more. With --slip P a move has no effect with
probability P.
"""

import argparse
import json
import random
import sys

SHELF, DOOR, LAST, FULL = 5, 7, 7, 9


def step(state, action, slips):
    """Return the state after an action, and the reward."""
    after, reward = dict(state), -1
    if action in ("left", "right") and state["battery"] > 0:
        after["battery"] -= 1
        if not slips:
            after["cell"] = max(0, min(LAST, state["cell"] + (1 if action == "right" else -1)))
    elif action == "charge":
        after["battery"] = min(FULL, state["battery"] + 3)
    elif action == "grab" and state["cell"] == SHELF and state["parcel"] == "shelf":
        after["parcel"] = "robot"
    elif action == "drop" and state["parcel"] == "robot":
        at_door = state["cell"] == DOOR
        after["parcel"] = "door" if at_door else "shelf"
        reward += 21 if at_door else -4
    return after, reward


def main():
    """Answer the lines of fdplan."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slip", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    draws = random.Random(args.seed)
    start = {"cell": 0, "battery": FULL, "parcel": "shelf"}
    state = start
    for line in sys.stdin:
        request = json.loads(line)
        answer = {}
        if request["call"] == "hello":
            answer = {"version": 1, "name": "porter", "resets": "any", "deterministic": args.slip == 0}
        elif request["call"] == "reset":
            state = request.get("state", start)
            answer = {"state": state}
        else:
            state, reward = step(state, request["action"]["do"], draws.random() < args.slip)
            answer = {"state": state, "reward": reward}
        print(json.dumps({"id": request["id"], **answer}), flush=True)


if __name__ == "__main__":
    main()
