"""Sessions, and what is driven by them: environments and the agent."""

import os
import signal
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any

import fdplan
from fdplan import spaces

from .sack import sack


class Warehouse:
    """An environment of inventory/2 whose shelf never fills."""

    def __init__(self) -> None:
        self.steps = 0

    def reset(self) -> dict[str, Any]:
        self.steps = 0
        return self._state()

    def _state(self) -> dict[str, Any]:
        return {"threshold_met___c1": True, "quant___c1": 0, "month": self.steps % 2}

    def step(self, action: dict[str, Any]) -> tuple[dict[str, Any], float, bool, dict[str, Any]]:
        self.steps += 1
        return self._state(), -float(len(action)), False, {}


class Guarded(Warehouse):
    """One that refuses to be filled."""

    class PreconditionNotSatisfied(Exception):
        pass

    def step(self, action: dict[str, Any]) -> tuple[dict[str, Any], float, bool, dict[str, Any]]:
        if action:
            raise self.PreconditionNotSatisfied("the gate is shut")
        return super().step(action)


class Broken(Warehouse):
    """One that ends with an error."""

    def step(self, action: dict[str, Any]) -> tuple[dict[str, Any], float, bool, dict[str, Any]]:
        raise RuntimeError("out of order")


class Sessions(unittest.TestCase):
    session: fdplan.Session

    @classmethod
    def setUpClass(cls) -> None:
        cls.session = fdplan.Session()
        cls.addClassCleanup(cls.session.close)

    def test_planning(self) -> None:
        maze = self.session.load("navigation/3x3")
        self.assertEqual(maze.shown.problem, "navigation/3x3")
        self.assertEqual([maze.plan(horizon).status for horizon in (3, 4)], ["infeasible", "optimal"])
        self.assertEqual(maze.plan((2, 6)).horizon, 4)
        beside = {"robot-at(x14,y20)": False, "robot-at(x9,y20)": True}
        self.assertEqual(maze.plan(initial=beside).reward, -3)
        self.assertEqual(maze.plan(4, require="~move-west").status, "infeasible")
        self.assertEqual(maze.plan(4, reward={"move-east": -3, "move-north": -1}).reward, -5)
        plan = maze.plan(4)
        self.assertEqual(plan.reward, -4)
        self.assertIn("<svg", plan._repr_html_())
        self.assertTrue(maze.validate(plan, simulator="rddl").ok)
        self.assertFalse(maze.validate((plan.plan or [])[:2]).ok)
        self.assertEqual(maze.explain(horizon=3).status, "infeasible")
        self.assertEqual(maze.simulate(plan).reward, -4)
        self.assertTrue(maze.verify("~move-north | ~move-south").ok)
        maze.close()
        self.assertRaisesRegex(fdplan.InputError, "no problem of handle", maze.plan)

    def test_loaded_with_changes(self) -> None:
        maze = self.session.load("navigation/3x3", require="~robot-at(x9,y15)")
        self.assertEqual(maze.plan(6).status, "infeasible")

    def test_errors(self) -> None:
        with self.assertRaises(fdplan.InputError) as caught:
            self.session.load("absent.toml")
        self.assertEqual(caught.exception.file, "absent.toml")
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(fdplan.LimitReached) as limit:
            self.session.load(sack(Path(folder))).plan(engine="search", time_limit=0.001)
        self.assertEqual(limit.exception.result.status, "unknown")

    def test_events(self) -> None:
        events: list[fdplan.Event] = []
        self.session.load("navigation/3x3").plan(4, engine="pb", on_event=events.append)
        self.assertIn("plan", [event.kind for event in events])

    @unittest.skipIf(os.name == "nt", "signals are sent otherwise there")
    def test_keyboard(self) -> None:
        timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))

        def stop(event: fdplan.Event) -> None:
            if event.kind == "plan" and timer.ident is None:
                timer.start()

        with tempfile.TemporaryDirectory() as folder:
            problem = self.session.load(sack(Path(folder)))
            with self.assertRaises(fdplan.Interrupted) as caught:
                problem.plan(engine="pb", on_event=stop)
        self.assertEqual(caught.exception.result.status, "feasible")
        self.assertEqual(self.session.load("navigation/3x3").plan().status, "optimal", "the session goes on")

    def test_end(self) -> None:
        session = fdplan.Session()
        maze = session.load("navigation/3x3")
        session.close()
        session.close()
        self.assertRaisesRegex(fdplan.FdplanError, "the session has ended", maze.plan)

    def test_program_that_ends(self) -> None:
        with fdplan.Session() as session:
            maze = session.load("navigation/3x3")
            session._process.kill()
            with self.assertRaisesRegex(fdplan.FdplanError, "the session has ended"):
                while True:
                    maze.plan()

    def test_environments_as_simulators(self) -> None:
        run = fdplan.run("inventory/2", Warehouse(), steps=2)
        self.assertEqual((run.status, run.surprises, run.steps[0]["differs"]["observed"]), ("no-plan", 1, {"quant(c1)": 0}))
        plan = fdplan.plan("inventory/2", horizon=4, incremental=True, simulator=Guarded(), max_simulations=50)
        self.assertEqual((plan.status, plan.ok), ("infeasible", False))
        self.assertGreater(plan.landmarks, 0)
        self.assertRaisesRegex(fdplan.InputError, "RuntimeError: out of order", fdplan.run, "inventory/2", Broken(), steps=2)
        shop = self.session.load("inventory/2")
        self.assertEqual(shop.reset(simulator=Warehouse()).step, 0)
        self.assertEqual(shop.step({"resupply(c1)": True}).reward, -1)
        refused = shop.reset(simulator=Guarded())
        self.assertIsNone(refused.failure)
        failure = shop.step({"resupply(c1)": True}).failure
        self.assertIn("the gate is shut", failure.text if failure else "")


class Environments(unittest.TestCase):
    def test_goal(self) -> None:
        env = fdplan.SimulatorEnv("navigation/3x3")
        self.addCleanup(env.close)
        with fdplan.PlanningAgent("navigation/3x3", replan_every=4) as agent:
            state, info = env.reset(seed=1)
            self.assertIn(state, env.observation_space)
            self.assertEqual(info["goal"], False)
            total, ended = 0.0, False
            while not ended:
                action = agent.sample_action(env.decode(state))
                self.assertIn(env.encode(action), env.action_space)
                state, reward, terminated, truncated, info = env.step(action)
                total, ended = total + reward, terminated or truncated
        self.assertEqual((total, terminated, truncated, info["goal"]), (-4.0, True, False, True))

    def test_rules_and_horizon(self) -> None:
        with fdplan.Session() as session:
            env = fdplan.SimulatorEnv("sysadmin/4", session=session)
            env.reset()
            ends = [env.step({})[2] for _ in range(3)]
            self.assertEqual(ends, [False, False, True])
            self.assertRaisesRegex(fdplan.InputError, "no episode", env.step, {})
            env.close()
            maze = fdplan.SimulatorEnv("navigation/3x3", session=session)
            before, _ = maze.reset()
            after, reward, terminated, _, info = maze.step({"move-east": 1, "move-north": 1})
            self.assertEqual((after, reward, terminated), (before, 0.0, True), "a refused action changes nothing")
            self.assertTrue(info["failure"])
            shop = fdplan.SimulatorEnv("inventory/2", horizon=2, session=session)
            state, _ = shop.reset(options={"initial": {"quant(c1)": 2}})
            self.assertEqual(state, {"threshold_met(c1)": 1, "quant(c1)": 2, "month": 0})
            self.assertEqual([shop.step({})[2:4] for _ in range(2)], [(False, False), (False, True)])

    def test_random(self) -> None:
        machines = Path(__file__).parents[2] / "examples" / "machines" / "machines.rddl"
        problem = fdplan.Problem(domain=machines, determinize="most-likely")
        with fdplan.Session() as session:
            env = fdplan.SimulatorEnv(problem, session=session, horizon=20)

            def episode(seed: int | None) -> list[dict[str, int]]:
                return [env.reset(seed=seed)[0], *(env.step({})[0] for _ in range(20))]

            first = episode(1)
            self.assertEqual(episode(1), first)
            self.assertNotEqual(episode(None), first, "the random numbers go on")
            with fdplan.PlanningAgent(problem, horizon=3, session=session) as agent:
                self.assertIn(env.encode(agent.sample_action(env.decode(first[-1]))), env.action_space)

    def test_agent(self) -> None:
        with fdplan.PlanningAgent("navigation/3x3") as agent:
            self.assertEqual(agent.sample_action(), {"move-east": True})
            self.assertEqual(agent.sample_action({"robot-at___x14__y20": False, "robot-at___x9__y20": True}), {"move-north": True})
        nowhere = {"robot-at___x14__y20": False}
        with fdplan.PlanningAgent("navigation/3x3", horizon=2) as agent:
            self.assertRaises(fdplan.NoAnswer, agent.sample_action)
        with fdplan.PlanningAgent("navigation/3x3", horizon=2, without="noop") as agent:
            self.assertEqual(agent.sample_action(), {})
            self.assertEqual(agent.sample_action(nowhere), {})
        with fdplan.PlanningAgent("inventory/2", horizon=2) as agent:
            self.assertEqual(agent.sample_action({"threshold_met___c1": 1, "quant___c1": 0, "month": 0}), {"resupply___c1": True})

    def test_spaces(self) -> None:
        space = spaces.OwnDict({"a": spaces.OwnDiscrete(2), "b": spaces.OwnDiscrete(3, start=-1)})
        space.seed(7)
        first = [space.sample() for _ in range(20)]
        space.seed(7)
        self.assertEqual(first, [space.sample() for _ in range(20)])
        self.assertTrue(all(sample in space for sample in first))
        self.assertEqual({sample["b"] for sample in first}, {-1, 0, 1})
        for other in ({"a": 0}, {"a": 2, "b": 0}, {"a": 0, "b": 0, "c": 0}, 3):
            self.assertNotIn(other, space)
        self.assertEqual(repr(space), "Dict('a': Discrete(2), 'b': Discrete(3, start=-1))")

    @unittest.skipUnless(spaces.GYMNASIUM, "gymnasium is not installed")
    def test_gymnasium(self) -> None:
        from gymnasium.utils.env_checker import check_env

        env = fdplan.SimulatorEnv("inventory/2", horizon=3)
        self.addCleanup(env.close)
        check_env(env, skip_render_check=True)
