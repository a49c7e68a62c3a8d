#!/usr/bin/env python3
"""Writes a flow program of a world that scaling wrote: repair, charge or irrigate.

    flow.py FOLDER -H 20 > flow.lp

Each machine, vehicle or field is a path through its own values, with a binary variable for each
move at each step. Stocks, and limits that several share, are rows over these moves; stocks stay
integers. The program is written by hand for these three families, as somebody would who knows
them; its optimum is that of the RDDL, for a solver such as cbc or highs to compare with.
"""

import argparse
import re
from collections import defaultdict
from pathlib import Path


class Program:
    """A linear program in the LP format."""

    def __init__(self):
        self.gains, self.rows, self.bounds, self.binary, self.integer = {}, [], [], [], []

    def row(self, terms, relation, right):
        text = " ".join(f"{'+' if c > 0 else '-'} {abs(c)} {v}" for v, c in terms if c)
        if text:
            self.rows.append(f"c{len(self.rows)}: {text} {relation} {right}")

    def stock(self, name, least, most):
        self.integer.append(name)
        self.bounds.append(f"{least} <= {name} <= {most}")

    def path(self, name, first, moves, horizon):
        """Adds a path; moves(t, v) yields (next value, label, gain). Returns the moves of each step, as (label, variable)."""
        steps, reached = [], {first: []}
        for t in range(horizon):
            step, following = [], defaultdict(list)
            for v, into in reached.items():
                out = []
                for to, label, gain in moves(t, v):
                    x = f"{name}_{t}_{v}_{len(out)}"
                    self.binary.append(x)
                    self.gains[x] = gain
                    out.append((x, 1))
                    following[to].append((x, -1))
                    step.append((label, x))
                self.row(out + into, "=", 0 if into else 1)
            steps.append(step)
            reached = following
        return steps

    def write(self):
        gains = " ".join(f"{'+' if g > 0 else '-'} {abs(g)} {x}" for x, g in self.gains.items() if g)
        print("Maximize\n obj:", gains, "\nSubject To\n", "\n ".join(self.rows), "\nBounds\n", "\n ".join(self.bounds))
        print("Binaries\n", "\n ".join(self.binary), "\nGenerals\n", "\n ".join(self.integer), "\nEnd")


def repair(p, w, horizon):
    machines, most, room = w.objects("machine"), w.value("MOST"), w.value("ROOM")
    steps = []
    for m in machines:
        wears, value = w.value("WEARS", m), w.value("VALUE", m)

        def moves(t, v):
            yield min(most, v + wears), 0, value * (most - v)
            yield 0, 1, value * (most - v)

        steps.append(p.path(m, w.initial("wear", m), moves, horizon))
    for t in range(horizon):
        p.stock(f"parts_{t}", 0, room)
        p.stock(f"order_{t}", 0, w.range("order"))
        p.gains[f"order_{t}"] = -w.value("PRICE")
        repairs = [(m, x) for m, step in zip(machines, steps) for label, x in step[t] if label]
        needs = [(x, w.value("NEED", m)) for m, x in repairs]
        p.row([(x, 1) for _, x in repairs], "<=", w.value("CREWS"))
        p.row(needs + [(f"parts_{t}", -1)], "<=", 0)
        if t + 1 < horizon:
            p.row([(f"parts_{t + 1}", 1), (f"parts_{t}", -1), (f"order_{t}", -1)] + needs, "<=", 0)
    p.row([("parts_0", 1)], "=", w.initial("parts"))


def charge(p, w, horizon):
    hours, full = w.objects("hour"), w.value("FULL")
    steps = []
    for v in w.objects("vehicle"):

        def moves(t, soc):
            hour = hours[t % len(hours)]
            for c in range(w.range("charge") + 1):
                yield min(full, soc + c), c, -c * w.value("TARIFF", hour)
            trip = w.value("TRIP", f"{v},{hour}")
            if 0 < trip <= soc:
                yield soc - trip, 0, trip * w.value("EARNS", v)

        steps.append(p.path(v, w.initial("soc", v), moves, horizon))
    for t in range(horizon):
        p.row([(x, c) for step in steps for c, x in step[t]], "<=", w.value("GRID"))


def irrigate(p, w, horizon):
    fields, hours, full = w.objects("field"), w.objects("hour"), w.value("FULL")
    most = w.range("water")
    for t in range(horizon):
        for k in range(1, most + 1):
            p.binary.append(f"release_{t}_{k}")
        released = [(f"release_{t}_{k}", k) for k in range(1, most + 1)]
        p.stock(f"dam_{t}", 0, w.value("DAM"))
        p.row([(x, 1) for x, _ in released], "<=", 1)
        p.row(released + [(f"dam_{t}", -1)], "<=", 0)
        if t + 1 < horizon:
            p.row([(f"dam_{t + 1}", 1), (f"dam_{t}", -1)] + released, "<=", w.value("RAIN", hours[t % len(hours)]))
    p.row([("dam_0", 1)], "=", w.initial("dam"))
    # What leaves a field at a step comes to the next one at the following step: a row for each amount.
    leaving = [{k: [f"release_{t}_{k}"] for k in range(1, most + 1)} for t in range(horizon)]
    for f in fields:
        low, high, worth = w.value("LOW", f), w.value("HIGH", f), w.value("YIELD", f)

        def moves(t, moist):
            dry, gain = w.value("DRY", hours[t % len(hours)]), worth * (low <= moist <= high)
            for water in range(most + 1) if t else [w.initial("water", f)]:
                for opened in (0, 1):
                    yield max(0, min(full, moist + opened * water) - dry), (water, opened), gain - opened

        steps, left = p.path(f, w.initial("moist", f), moves, horizon), []
        for t, step in enumerate(steps):
            for k in range(1, most + 1):
                if t:
                    p.row([(x, 1) for (water, _), x in step if water == k] + [(x, -1) for x in leaving[t - 1][k]], "=", 0)
            left.append({k: [x for (water, opened), x in step if water == k and not opened] for k in range(1, most + 1)})
        leaving = left


class World:
    """The values that a folder of scaling gives to a family's non-fluents and initial state."""

    def __init__(self, folder):
        self.text = {name: (Path(folder) / name).read_text() for name in ("domain.rddl", "instance.rddl", "task.toml")}
        facts, _, initial = self.text["instance.rddl"].partition("init-state")
        self.given = [dict(re.findall(r"(\w+(?:\([\w, ]+\))?) = (\d+);", text.replace(", ", ","))) for text in (facts, initial)]
        self.family = re.search(r"domain = (\w+)", facts)[1]

    def objects(self, kind):
        return re.search(kind + r" : \{ ([^}]*) \}", self.text["instance.rddl"])[1].split(", ")

    def range(self, name):
        return int(re.search(name + r" = \[0, (\d+)\]", self.text["task.toml"])[1])

    def value(self, name, of="", given=0):
        default = re.search(r"\b" + name + r"\b[^:;\n]*: \{[^}]*default = (\d+)", self.text["domain.rddl"])[1]
        return int(self.given[given].get(f"{name}({of})" if of else name, default))

    def initial(self, name, of=""):
        return self.value(name, of, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder")
    parser.add_argument("-H", "--horizon", type=int, required=True)
    args = parser.parse_args()
    world, program = World(args.folder), Program()
    families = {"repair": repair, "charge": charge, "irrigate": irrigate}
    if world.family not in families:
        parser.error(f"{args.folder} is of family {world.family}; expected {', '.join(families)}")
    families[world.family](program, world, args.horizon)
    program.write()


if __name__ == "__main__":
    main()
