"""Solves the first problems of the domains of a collection such as AI-Planning/classical-domains, beside Fast Downward.

    python3 examples/pddl/collection.py [--fdplan PROGRAM] [--time SECONDS] [--first N] FOLDER [DOMAIN ...]

FOLDER has a folder for each domain, with domain.pddl, or a domain for each problem (NAME-domain.pddl, domain-NAME.pddl), and the problems.
It prints a table in Markdown: what each domain requires, the optimal costs of its first problems, and CPU seconds. Where Fast Downward
($FAST_DOWNWARD, or fast-downward.py on the PATH) is missing, its column is empty. The exit status is 1 where costs differ.
"""
import argparse
import os
import pathlib
import re
import shutil
import sys
import tempfile

import peers


def pairs(folder, first):
    """The first problems of a folder with their domains."""
    files = sorted((f for f in folder.glob("*.pddl")), key=lambda f: [int(x) if x.isdigit() else x for x in re.split(r"(\d+)", f.name)])
    domains = {f.name: f for f in files if "domain" in f.name}
    out = []
    for f in files:
        if f.name in domains:
            continue
        own = [f"{f.stem}-domain.pddl", f"domain-{f.name}", f"domain_{f.name}", f"{f.stem}_domain.pddl", "domain.pddl"]
        number = re.match(r"(p\d+)", f.stem)
        if number:
            own[:0] = [f"{number[1]}-domain.pddl", f"domain_{number[1]}.pddl"]
        domain = next((domains[n] for n in own if n in domains), None)
        if domain:
            out.append((domain, f))
    return out[:first]


def solve(program, domain, task, seconds, folder):
    """Our cost and CPU seconds, or why there is none."""
    out, cpu = peers.run([program, "plan", "--threads", "1", "--time-limit", f"{20 * seconds}s", "--pddl", domain, task], seconds + 60, folder)
    cost = re.search(r"optimal, reward (-?\d+)", out)
    if cost:
        return -int(cost[1]), cpu, ""
    why = next((line for line in out.splitlines() if line.startswith("fdplan:")), out.strip().split("\n")[0])
    return None, cpu, "open" if "time limit" in why or not why or cpu >= seconds else "infeasible" if "infeasible" in why else why.replace(str(pathlib.Path(task).parent), "…")


def main():
    args = argparse.ArgumentParser(usage=__doc__)
    args.add_argument("--fdplan", default="fdplan")
    args.add_argument("--time", type=int, default=20)
    args.add_argument("--first", type=int, default=2)
    args.add_argument("folder", type=pathlib.Path)
    args.add_argument("domains", nargs="*")
    args = args.parse_args()
    downward = os.environ.get("FAST_DOWNWARD") or shutil.which("fast-downward.py")
    scratch = pathlib.Path(tempfile.mkdtemp())
    print("| problem | requires | cost | CPU s | Fast Downward | CPU s |\n| --- | --- | ---: | ---: | ---: | ---: |", flush=True)
    different = 0
    for name in args.domains or sorted(f.name for f in args.folder.iterdir() if f.is_dir()):
        for domain, task in pairs(args.folder / name, args.first):
            text = domain.read_text(errors="replace").lower()
            needs = re.search(r"\(:requirements([^)]*)\)", text)
            needs = needs[1].replace(":", "").split() if needs else []
            cost, cpu, why = solve(args.fdplan, str(domain.resolve()), str(task.resolve()), args.time, scratch)
            theirs, their_cpu = None, 0
            if downward:
                for heuristic in ("lmcut", "blind"):
                    theirs, their_cpu = peers.peer(downward, str(domain.resolve()), str(task.resolve()), heuristic, args.time, scratch)
                    if theirs is not None:
                        break
            mark = "" if cost is None or theirs is None or cost == theirs else " **different**"
            different += mark != ""
            print(f"| {name}/{task.stem} | {' '.join(needs)} | {why if cost is None else cost}{mark} | {cpu:.2f} | {'' if theirs is None else theirs} | {their_cpu:.2f} |", flush=True)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
