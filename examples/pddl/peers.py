"""Compares fdplan with Fast Downward on puzzles in PDDL and RDDL.

    python3 examples/pddl/peers.py [--fdplan PROGRAM] [--time SECONDS] [--write FOLDER] [NAME ...]

Fast Downward is $FAST_DOWNWARD, or fast-downward.py on the PATH. Each puzzle is solved by fdplan, as PDDL and
as RDDL with a horizon of 1,100 steps, and by astar(lmcut()) and astar(blind()); the costs must be equal, and
fdplan's CPU time (user and system) at most 3 times the better one's and .3 s, each time. NAME is the start of
puzzles' names. --write writes the files alone.
"""
import argparse
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent


def problem(name, domain, objects, init, goal, extra=""):
    return f"(define (problem {name}) (:domain {domain})\n (:objects {objects})\n (:init {init})\n (:goal (and {goal})){extra})\n"


def blocks(n, seed=1):
    rng = random.Random(seed * 100 + n)
    names = [f"b{i}" for i in range(1, n + 1)]

    def towers():
        order = rng.sample(names, n)
        out = [[order[0]]]
        for b in order[1:]:
            if rng.random() < 0.3:
                out.append([b])
            else:
                out[-1].append(b)
        return out

    init, goal = ["(handempty)"], []
    for tower in towers():
        init += [f"(ontable {tower[0]})", f"(clear {tower[-1]})"] + [f"(on {a} {b})" for b, a in zip(tower, tower[1:])]
    for tower in towers():
        goal += [f"(on {a} {b})" for b, a in zip(tower, tower[1:])]
    return problem(f"blocks-{n}", "blocks", " ".join(names), " ".join(init), " ".join(goal))


def logistics(parcels, cities, seed=3):
    rng = random.Random(seed)
    places = [(c, p) for c in range(cities) for p in range(2)]
    name = lambda at: f"l{at[0]}{at[1]}"
    objects = [f"c{c} - city t{c} - truck l{c}0 - airport l{c}1 - place" for c in range(cities)]
    objects += ["plane - airplane"] + [f"p{i} - parcel" for i in range(parcels)]
    init = [f"(at t{c} l{c}0) (in-city l{c}0 c{c}) (in-city l{c}1 c{c})" for c in range(cities)] + ["(at plane l00)"]
    goal = []
    for i in range(parcels):
        a, b = rng.sample(places, 2)
        init.append(f"(at p{i} {name(a)})")
        goal.append(f"(at p{i} {name(b)})")
    return problem(f"logistics-{parcels}", "logistics", " ".join(objects), " ".join(init), " ".join(goal))


# The first levels of Microban, by David W. Skinner.
MICROBAN = [
    "####\n# .#\n#  ###\n#*@  #\n#  $ #\n#  ###\n####",
    "######\n#    #\n# #@ #\n# $* #\n# .* #\n#    #\n######",
    "  ####\n###  ####\n#     $ #\n# #  #$ #\n# . .#@ #\n#########",
    "########\n#      #\n# .**$@#\n#      #\n#####  #\n    ####",
    " #######\n #     #\n # .$. #\n## $@$ #\n#  .$. #\n#      #\n########",
    "###### #####\n#    ###   #\n# $$     #@#\n# $ #...   #\n#   ########\n#####",
]


def sokoban(level):
    rows = MICROBAN[level - 1].split("\n")
    free = {(y, x): c for y, row in enumerate(rows) for x, c in enumerate(row) if c != "#"}
    start = next(at for at, c in free.items() if c in "@+")
    inside, queue = {start}, [start]
    while queue:
        y, x = queue.pop()
        for at in (y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1):
            if at in free and at not in inside:
                inside.add(at)
                queue.append(at)
    cells = sorted(inside)
    name = lambda at: f"c{at[0]}-{at[1]}"
    init, goal, box = [f"(at {name(start)})"], [], 0
    for y, x in cells:
        for d, to in ("up", (y - 1, x)), ("down", (y + 1, x)), ("left", (y, x - 1)), ("right", (y, x + 1)):
            if to in inside:
                init.append(f"(next {name((y, x))} {name(to)} {d})")
        c = free[y, x]
        init.append(f"(box {name((y, x))})" if c in "$*" else "" if c in "@+" else f"(empty {name((y, x))})")
        if c in ".*+":
            goal.append(f"(box {name((y, x))})")
    return problem(f"sokoban-{level}", "sokoban", " ".join(map(name, cells)) + " - cell up down left right - direction", " ".join(filter(None, init)), " ".join(goal))


def hanoi(n):
    discs = [f"d{i}" for i in range(1, n + 1)]
    pegs = ["p1", "p2", "p3"]
    init = [f"(smaller {d} {p})" for d in discs for p in pegs] + [f"(smaller {discs[i]} {discs[j]})" for i in range(n) for j in range(i + 1, n)]
    stack = discs + ["p1"]
    goal = [f"(on {a} {b})" for a, b in zip(discs, discs[1:] + ["p3"])]
    init += [f"(on {a} {b})" for a, b in zip(stack, stack[1:])] + ["(clear d1) (clear p2) (clear p3)"]
    return problem(f"hanoi-{n}", "hanoi", " ".join(discs + pegs), " ".join(init), " ".join(goal))


def visit_all(n):
    cell = lambda x, y: f"c{x}-{y}"
    cells = [(x, y) for x in range(n) for y in range(n)]
    init = [f"(joined {cell(x, y)} {cell(*to)})" for x, y in cells for to in [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)] if to in cells]
    names = [cell(*c) for c in cells]
    return problem(f"visit-all-{n}", "visit-all", " ".join(names), " ".join(init + ["(at c0-0) (visited c0-0)"]), " ".join(f"(visited {c})" for c in names))


def tiles(width, order):
    size = width * width
    cell = lambda i: f"c{i // width}-{i % width}"
    init, goal = [], []
    for i in range(size):
        for j in range(size):
            if abs(i // width - j // width) + abs(i % width - j % width) == 1:
                init.append(f"(joined {cell(i)} {cell(j)})")
    for i, t in enumerate(order):
        init.append(f"(on t{t} {cell(i)})" if t else f"(empty {cell(i)})")
        if i > 0:
            goal.append(f"(on t{i} {cell(i)})")
    objects = " ".join(f"t{i}" for i in range(1, size)) + " - tile " + " ".join(map(cell, range(size))) + " - cell"
    return problem(f"tiles-{width}", "tiles", objects, " ".join(init), " ".join(goal))


def shuffled(width, moves, seed):
    """An order of the tiles that so many moves from the goal lead to, none of them back at once."""
    rng = random.Random(seed)
    order, at, last = list(range(width * width)), 0, -1
    for _ in range(moves):
        near = [j for j in range(width * width) if abs(at // width - j // width) + abs(at % width - j % width) == 1 and j != last]
        to = rng.choice(near)
        order[at], order[to] = order[to], 0
        last, at = at, to
    return order


def in_rddl(domain, text):
    """An instance for the RDDL domain of the same name, and the goal: objects by types, kinds of objects where the domain asks for them, and facts that it knows."""
    known = {m[1]: m[2] for m in re.finditer(r"([\w-]+)(?:\([^)]*\))? *: \{ ([a-z]+)-fluent", domain)}
    types = re.findall(r"([\w-]+) : object", domain)
    merged = {"truck": "vehicle", "airplane": "vehicle", "airport": "place"}
    objects = {t: [] for t in types}
    facts = {"state": [], "non": []}
    for names, kind in re.findall(r"((?: *(?<![\w-])[\w][\w-]*)+?)(?: - ([a-z]+)|$)", re.search(r":objects ([^)]*)\)", text)[1]):
        of = merged.get(kind, kind) or types[0]
        objects[of] += names.split()
        if kind in known:
            facts["non"] += [f"{kind}({n})" for n in names.split()]


    def atoms(part):
        for predicate, *args in (a.split() for a in re.findall(r"\(([^()]+)\)", part)):
            if predicate == "at" and args[0] in objects.get("parcel", []):
                predicate = "lies"
            yield predicate, f"{predicate}({', '.join(args)})" if args else predicate

    init, goal = text.split("(:init")[1].split("(:goal")
    for predicate, atom in atoms(init):
        if predicate in known:
            facts[known[predicate]].append(atom)
    name = re.search(r"domain ([\w-]+)", domain)[1]
    body = "; ".join(f"{t} : {{ {', '.join(objects[t])} }}" for t in types)
    non = f" non-fluents {{ {'; '.join(facts['non'])}; }};" if facts["non"] else ""
    return (f"non-fluents facts {{ domain = {name}; objects {{ {body}; }};{non} }}\ninstance puzzle {{ domain = {name}; non-fluents = facts;\n"
            f" init-state {{ {'; '.join(facts['state'])}; }};\n max-nondef-actions = 1; horizon = 1100; discount = 1.0; }}\n", " ^ ".join(a for _, a in atoms(goal)))


def puzzles():
    for n in range(6, 13):
        yield f"blocks-{n}", "blocks", blocks(n)
    yield "logistics-3", "logistics", logistics(3, 2)
    yield "logistics-6", "logistics", logistics(6, 3)
    for level in range(1, 7):
        yield f"sokoban-{level}", "sokoban", sokoban(level)
    for n in 8, 9, 10:
        yield f"hanoi-{n}", "hanoi", hanoi(n)
    for n in 4, 5, 6:
        yield f"visit-all-{n}", "visit-all", visit_all(n)
    yield "tiles-8", "tiles", tiles(3, [8, 6, 7, 2, 5, 4, 3, 0, 1])
    yield "tiles-15", "tiles", tiles(4, shuffled(4, 40, 2))


def run(command, seconds, folder):
    """Output and CPU seconds of a program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=limit)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def peer(program, domain, task, heuristic, seconds, folder):
    """Fast Downward's optimum, \"none\" where there is no plan, or None; and CPU seconds."""
    out, cpu = run([program, "--search-time-limit", f"{seconds}s", domain, task, "--search", f"astar({heuristic}())"], seconds + 60, folder)
    cost = re.search(r"Plan cost: (\d+)", out)
    if not cost and re.search(r"unsolvable|without solution|no solution", out):
        return "none", cpu
    return int(cost[1]) if cost else None, cpu


def ours(program, question, seconds, folder):
    out, cpu = run([program, "plan", "--threads", "1", "--time-limit", f"{20 * seconds}s", *question], seconds + 60, folder)
    cost = re.search(r"optimal, reward (-?\d+)", out)
    if "infeasible" in out:
        return "none", cpu
    return -int(cost[1]) if cost else None, cpu


def main():
    args = argparse.ArgumentParser(usage=__doc__)
    args.add_argument("--fdplan", default="fdplan")
    args.add_argument("--time", type=int, default=60)
    args.add_argument("--write", type=pathlib.Path)
    args.add_argument("names", nargs="*")
    args = args.parse_args()
    folder = args.write or pathlib.Path(tempfile.mkdtemp())
    folder.mkdir(exist_ok=True)
    downward = os.environ.get("FAST_DOWNWARD") or shutil.which("fast-downward.py")
    if not args.write and not downward:
        print("skipped: there is no Fast Downward; set FAST_DOWNWARD, or have fast-downward.py on the PATH")
        return 0
    failed = 0
    for name, domain, text in puzzles():
        if args.names and not any(name.startswith(n) for n in args.names):
            continue
        task, instance, rddl = folder / f"{name}.pddl", folder / f"{name}.rddl", HERE / f"{domain}.rddl"
        task.write_text(text)
        written, goal = in_rddl(rddl.read_text(), text)
        instance.write_text(written)
        if args.write:
            continue
        domain = str(HERE / f"{domain}.pddl")
        peers = {h: peer(downward, domain, str(task), h, args.time, folder) for h in ("lmcut", "blind")}
        solved = [p for p in peers.values() if p[0] is not None]
        best = min((p[1] for p in solved), default=None)
        times = " ".join(f"{h} {p[1]:.2f}{'' if p[0] is not None else '+'}" for h, p in peers.items())
        for language, question in ("PDDL", ["--pddl", domain, str(task)]), ("RDDL", ["--domain", str(rddl), "--instance", str(instance), "--goal", goal]):
            cost, cpu = ours(args.fdplan, question, args.time, folder)
            good = best is None or cost == solved[0][0] and cpu <= 3 * best + 0.3
            failed += not good
            verdict = "" if good else "  TOO SLOW" if cost == (solved or [[cost]])[0][0] else "  DIFFERENT"
            print(f"{name} in {language}: cost {cost}, fdplan {cpu:.2f}, {times} s{verdict}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
