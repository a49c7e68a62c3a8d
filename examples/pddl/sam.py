"""Learns a domain by SAM, as a baseline for `fdplan train` (Juba, Le and Stern, KR 2021), and writes it to the standard output.

    python3 examples/pddl/sam.py DOMAIN FOLDER

DOMAIN declares types, predicates, functions and the parameters of actions, without `either`; FOLDER has files NAME.trajectory. An action needs all literals about
its parameters that held in all states in which it was executed; its effects are those that came to hold. As in the publication, its objects
are different ones, and numbers are left out. Actions that were not executed are left out.
"""
import argparse
import itertools
import pathlib
import re


def read(path):
    """The parenthesised lists of a file."""
    text = re.sub(r";.*", "", path.read_text(encoding="utf-8").lower())
    open_lists = [[]]
    for word in re.findall(r"[()]|[^\s()]+", text):
        if word == "(":
            open_lists.append([])
        elif word == ")":
            done = open_lists.pop()
            open_lists[-1].append(done)
        else:
            open_lists[-1].append(word)
    return open_lists[0]


def typed(words):
    """The names of a list such as ?x ?y - place, each with its type."""
    out, names, words = [], [], list(words)
    while words:
        word = words.pop(0)
        if word == "-":
            kind = words.pop(0)
            out += [(n, kind) for n in names]
            names = []
        else:
            names.append(word)
    return out + [(n, "object") for n in names]


def write(tree):
    return tree if isinstance(tree, str) else "(" + " ".join(map(write, tree)) + ")"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domain", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    domain = read(options.domain)[0]
    section = {x[0]: x[1:] for x in domain[1:]}
    parent = dict(typed(section.get(":types", [])))
    predicates = [(p[0], [t for _, t in typed(p[1:])]) for p in section[":predicates"]]
    actions = {}
    for x in domain:
        if x[0] == ":action":
            actions[x[1]] = typed(x[x.index(":parameters") + 1])

    def below(kind, wanted):
        return kind == wanted or wanted == "object" or kind in parent and below(parent[kind], wanted)

    literals, needs, adds = {}, {}, {}
    for name, params in actions.items():
        literals[name] = [(p, *(params[i][0] for i in chosen)) for p, kinds in predicates
                          for chosen in itertools.product(range(len(params)), repeat=len(kinds))
                          if all(below(params[i][1], k) for i, k in zip(chosen, kinds))]
    for path in sorted(options.folder.glob("*.trajectory")):
        rows = [x for x in read(path)[0] if x[0] in (":init", ":state", "operator:")]
        states = [{tuple(f) for f in x[1:] if f[0] != "="} if x[0] != "operator:" else None for x in rows]
        for i, x in enumerate(rows):
            if x[0] != "operator:":
                continue
            name, *objects = x[1]
            if len(set(objects)) < len(objects):
                continue
            of = dict(zip((p for p, _ in actions[name]), objects))
            before, after = ({(a, (a[0], *(of[v] for v in a[1:])) in s) for a in literals[name]} for s in (states[i - 1], states[i + 1]))
            needs[name] = needs.get(name, before) & before
            adds[name] = adds.get(name, set()) | after - before

    def condition(chosen):
        return write(["and"] + [list(a) if true else ["not", list(a)] for a, true in sorted(chosen)])

    print(write([x for x in domain if x[0] != ":action"])[:-1])
    for name in sorted(needs):
        variables = [v for v, _ in actions[name]]
        apart = "".join(f" (not (= {a} {b}))" for a, b in itertools.combinations(variables, 2))
        print(f"(:action {name} :parameters ({' '.join(f'{v} - {write(t)}' for v, t in actions[name])})\n"
              f"  :precondition (and {condition(needs[name])}{apart})\n  :effect {condition(adds[name])})")
    print(")")


if __name__ == "__main__":
    main()
