"""A simulator of fdplan that is an environment in Python.

    fdplan run PROBLEM --simulator "python3 -m fdplan.bridge ENVIRONMENT"

ENVIRONMENT is one of

    rddl:DOMAIN:INSTANCE    pyRDDLGym's own; files, or names that it knows
    MODULE:FUNCTION         what the function returns, from a module of yours

fdplan.environments tells what is asked of an environment.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from .environments import Bridge

__all__ = ["answer", "main", "make"]


def make(name: str) -> Any:
    """Make the environment that a name stands for."""
    if name.startswith("rddl:"):
        pyrddlgym = importlib.import_module("pyRDDLGym")
        _, domain, instance = name.split(":")
        return pyrddlgym.make(domain, instance, enforce_action_constraints=True)
    module, _, function = name.partition(":")
    sys.path.insert(0, os.getcwd())
    return getattr(importlib.import_module(module), function)()


def answer(environment: Callable[[], Any], deterministic: bool = False) -> None:
    """Answer the calls on standard input on standard output, with an environment that is
    made first.

    Standard output is for answers alone: what an environment prints goes to standard error,
    which fdplan shows when something goes wrong.
    """
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(2, 1)
        Bridge(environment(), deterministic).serve(sys.stdin, out)


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the environment that the command line names, and answer with it."""
    parser = argparse.ArgumentParser(prog="python3 -m fdplan.bridge", description="An environment as a simulator of fdplan.")
    parser.add_argument("environment", help="rddl:DOMAIN:INSTANCE or MODULE:FUNCTION")
    parser.add_argument("--deterministic", action="store_true", help="promise that the same call has the same answer")
    chosen = parser.parse_args(arguments)
    answer(lambda: make(chosen.environment), chosen.deterministic)


if __name__ == "__main__":
    main()
