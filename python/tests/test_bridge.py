"""The bridge from environments to the program's simulators."""

import importlib.util
import io
import json
import os
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path
from typing import Any

import fdplan
from fdplan import bridge, environments

HELLO = {
    "id": 0,
    "call": "hello",
    "version": 1,
    "problem": "p",
    "states": [{"name": "at(a,b)", "type": "bool"}, {"name": "n", "type": "int", "lo": 0, "hi": 3}],
    "actions": [{"name": "go(a)", "type": "bool"}],
}


class Counter:
    """Counts the steps in which it goes."""

    def __init__(self) -> None:
        self.n = 0

    def reset(self) -> tuple[dict[str, Any], dict[str, Any]]:
        self.n = 0
        return self._state(), {}

    def _state(self) -> dict[str, Any]:
        return {"at___a__b": self.n > 0, "n": self.n}

    def set_state(self, state: dict[str, Any]) -> dict[str, Any]:
        self.n = state["n"]
        return self._state()

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        if self.n == 3:
            raise ValueError("no further")
        self.n += actions == {"go___a": True}
        return self._state(), 0.5, self.n == 3, False, {}


class Bridges(unittest.TestCase):
    def converse(self, env: Any, *calls: dict[str, Any]) -> list[dict[str, Any]]:
        lines = [json.dumps(HELLO)] + [json.dumps({"id": number, **call}) for number, call in enumerate(calls, 1)]
        out = io.StringIO()
        environments.Bridge(env).serve(lines, out)
        return [json.loads(line) for line in out.getvalue().splitlines()]

    def test_calls(self) -> None:
        hello, first, second, idle, set_, last, failed = self.converse(
            Counter(),
            {"call": "reset"},
            {"call": "step", "action": {"go(a)": True}},
            {"call": "step", "action": {"go(a)": False}},
            {"call": "reset", "state": {"at(a,b)": True, "n": 2}},
            {"call": "step", "action": {"go(a)": True}},
            {"call": "step", "action": {}},
        )
        self.assertEqual(hello, {"id": 0, "version": 1, "name": "Counter", "resets": "any", "deterministic": False})
        self.assertEqual(first, {"id": 1, "state": {"at(a,b)": False, "n": 0}})
        self.assertEqual(second, {"id": 2, "state": {"at(a,b)": True, "n": 1}, "reward": 0.5, "terminal": False})
        self.assertEqual((idle["state"]["n"], set_["state"]["n"]), (1, 2))
        self.assertEqual((last["state"]["n"], last["terminal"]), (3, True))
        self.assertEqual(failed, {"id": 6, "error": "ValueError: no further"})

    def test_version(self) -> None:
        out = io.StringIO()
        environments.Bridge(Counter()).serve([json.dumps(HELLO | {"version": 2})], out)
        self.assertIn("version 2 is not spoken here", json.loads(out.getvalue())["error"])

    def test_command(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "shelf.py").write_text(
                "class Shelf:\n"
                "    def reset(self):\n"
                "        print('this is not an answer')\n"
                "        return {'threshold_met(c1)': True, 'quant(c1)': 0, 'month': 0}\n"
            )
            path = os.pathsep.join([str(Path(fdplan.__file__).parents[1]), folder])
            with unittest.mock.patch.dict(os.environ, PYTHONPATH=path):
                command = [sys.executable, "-W", "error", "-m", "fdplan.bridge", "shelf:Shelf"]
                with self.assertRaisesRegex(fdplan.InputError, "no attribute 'step'"):
                    fdplan.run("inventory/2", command, steps=1)

    def test_names(self) -> None:
        self.assertEqual([environments.gym_name(name) for name in ("at(x1,y2)", "n", "run(c)")], ["at___x1__y2", "n", "run___c"])

    @unittest.skipIf(importlib.util.find_spec("pyRDDLGym") is None, "pyRDDLGym is not installed")
    def test_pyrddlgym(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            domain = Path(folder) / "domain.rddl"
            instance = Path(folder) / "instance.rddl"
            domain.write_text(
                "domain lamps { types { lamp : object; }; pvariables { lit(lamp) : { state-fluent, bool, default = false }; "
                "light(lamp) : { action-fluent, bool, default = false }; }; "
                "cpfs { lit'(?l) = lit(?l) | light(?l); }; reward = (sum_{?l : lamp} [lit'(?l)]) - (sum_{?l : lamp} [light(?l)]); }"
            )
            instance.write_text(
                "non-fluents n { domain = lamps; objects { lamp : {a, b}; }; } "
                "instance two { domain = lamps; non-fluents = n; init-state { ~lit(a); }; max-nondef-actions = 1; horizon = 4; discount = 1.0; }"
            )
            problem = fdplan.Problem(domain=domain, instance=instance)
            env = bridge.make(f"rddl:{domain}:{instance}")
            done = fdplan.run(problem, env, horizon=4)
            self.assertEqual((done.status, done.surprises), ("done", 0))
            with fdplan.PlanningAgent(problem, horizon=4) as agent:
                total = agent.evaluate(env, episodes=1)["mean"]
            self.assertEqual(total, done.reward)
