"""The functions, with the program."""

import asyncio
import inspect
import os
import shutil
import signal
import tempfile
import threading
import unittest
from pathlib import Path

import fdplan

from .sack import sack

EXAMPLES = Path(__file__).parents[2] / "examples"


class InFolder(unittest.TestCase):
    """A test that works in a folder of its own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)


class Planning(InFolder):
    def test_plan(self) -> None:
        plan = fdplan.plan("navigation/3x3", horizon=4)
        self.assertEqual((plan.status, plan.reward, plan.bound, plan.horizon), ("optimal", -4.0, -4.0, 4))
        self.assertEqual(plan.plan, [{"move-east": True}, {"move-north": True}, {"move-north": True}, {"move-west": True}])
        self.assertEqual(plan.valid, fdplan.Verdicts(model=True, simulator=True))
        self.assertEqual(len(plan.trace or []), 5)
        self.assertTrue(plan.ok and plan.optimal)
        self.assertIs(plan.check(), plan)
        self.assertEqual(plan.document["engine"], plan.engine)

    def test_no_plan(self) -> None:
        plan = fdplan.plan("navigation/3x3", horizon=3)
        self.assertEqual((plan.status, plan.plan, plan.ok), ("infeasible", None, False))
        with self.assertRaises(fdplan.NoAnswer) as caught:
            plan.check()
        self.assertIs(caught.exception.result, plan)
        self.assertIn("no plan exists", str(caught.exception))

    def test_changes(self) -> None:
        plan = fdplan.plan(
            "navigation/3x3",
            (1, 8),
            initial={"robot-at(x14,y20)": False, "robot-at(x9,y20)": True},
            require=["~robot-at(x9,y12) | move-west"],
            reward={"move-north": -1, "move-west": -2.5},
            engine="pb",
            threads=1,
        )
        self.assertEqual((plan.status, plan.reward, plan.engine), ("optimal", -4.5, "pb"))
        self.assertEqual([line["status"] for line in plan.horizons or []][:3], ["infeasible", "infeasible", "optimal"])

    def test_problem_of_rddl(self) -> None:
        domain = Path("tank.rddl")
        domain.write_text(
            """domain tank {
                pvariables {
                    level : { state-fluent, int, default = 3 };
                    open : { action-fluent, bool, default = false };
                };
                cpfs { level' = level + 2 * open; };
                reward = -(open * 1.5);
            }
            instance tank_1 { domain = tank; horizon = 4; discount = 1.0; }"""
        )
        problem = fdplan.Problem(domain=domain, ranges="level=0..7", goal="level == 7")
        plan = fdplan.plan(problem, horizon=3)
        self.assertEqual(plan.reward, -3.0)
        self.assertTrue(fdplan.validate(problem, plan).ok)
        self.assertIn(b"<svg", plan.picture())
        with fdplan.Session() as session:
            self.assertEqual(session.load(problem).plan(3).reward, -3.0)

    def test_validate(self) -> None:
        plan = fdplan.plan("navigation/3x3")
        self.assertTrue(fdplan.validate("navigation/3x3", plan, simulator="rddl").check().ok)
        self.assertTrue(fdplan.validate("navigation/3x3", plan.save("plan.json")).ok)
        verdict = fdplan.validate("navigation/3x3", [{"move-east": True}])
        self.assertEqual((verdict.ok, verdict.valid.model, verdict.failure and verdict.failure.step), (False, False, 2))
        with self.assertRaisesRegex(fdplan.NoAnswer, "^step 2: "):
            verdict.check()

    def test_verify_explain_simulate_show(self) -> None:
        self.assertTrue(fdplan.verify("navigation/3x3", "robot-at(x14,y12) => robot-at'(x14,y12) | move-east | move-west").check().ok)
        fails = fdplan.verify("navigation/3x3", "move-north ^ robot-at(x14,y20) => ~robot-at'(x14,y20)")
        self.assertEqual((fails.ok, fails.witness and fails.witness.action["move-north"]), (False, True))
        self.assertRaises(fdplan.NoAnswer, fails.check)
        why = fdplan.explain("navigation/3x3", horizon=3)
        self.assertTrue(why.status == "infeasible" and why.conflict)
        self.assertEqual(fdplan.explain("navigation/3x3", [{"move-east": True}]).status, "invalid")
        ended = fdplan.simulate("sysadmin/4", policy="noop")
        self.assertEqual((ended.ok, ended.failure and ended.failure.group), (False, "invariant"))
        shown = fdplan.show("inventory/2")
        self.assertEqual([variable.name for variable in shown.of_kind("action")], ["resupply(c1)"])
        self.assertEqual(shown.of_kind("state")[1].hi, 15)

    def test_policy(self) -> None:
        drift = Path(__file__).parents[2] / "examples" / "drift"
        grid = fdplan.Problem(domain=drift / "drift.rddl", instance=drift / "pits.rddl", goal="x == SIDE ^ y == SIDE ^ ~lost")
        policy = fdplan.policy(grid, 12)
        rows = list(policy)
        self.assertEqual(len(rows), len(policy))
        for row in rows:
            self.assertEqual(policy.action(row.state, row.first), row.action)
        self.assertIsNone(policy.action({"x": 0, "y": 4, "lost": False}, 1))
        self.assertRaisesRegex(fdplan.InputError, "no lost", policy.action, {"x": 0, "y": 0})
        self.assertEqual(policy.sample(5), policy.sample(5))
        for seed in range(50):
            run = policy.sample(seed)
            self.assertAlmostEqual(run[0].value, policy.value or 0)
            self.assertEqual((run[-1].action, run[-1].value), (None, float(run[-1].goal)))
        self.assertIn("<svg", policy._repr_html_())
        self.assertNotEqual(policy.picture("html", seed=1), policy.picture("html", seed=3))
        robust = fdplan.policy(grid, (1, 12), failures=2)
        self.assertTrue(all(robust.action(row.state, row.first, row.disturbances) == row.action for row in robust))
        machines = fdplan.policy(fdplan.Problem(domain=drift.parent / "machines" / "machines.rddl"), 6)
        runs = [sum(step.reward or 0 for step in machines.sample(seed)) for seed in range(400)]
        self.assertAlmostEqual(sum(runs) / len(runs), machines.value or 0, delta=0.6)

    def test_run(self) -> None:
        done = fdplan.run("navigation/3x3", "rddl", horizon=4, replan_every=2)
        self.assertEqual((done.status, done.ok, done.reward, len(done.steps)), ("goal", True, -4.0, 4))
        several = fdplan.episodes("inventory/2", 2, steps=2, seed=5)
        self.assertEqual([line["seed"] for line in several.episodes], [5, 6])

    def test_learning(self) -> None:
        rows = fdplan.collect("inventory/2", "rows.parquet", rows=3000, policy="restart", seed=1)
        self.assertEqual((rows.rows, rows.policy, rows.seed), (3000, "restart", 1))
        trained = fdplan.train("rows.parquet", task="inventory/2", out="net.bnn")
        self.assertEqual((trained.recipe, trained.train.wrong, trained.rows), ("structure", 0, 3000))
        tested = fdplan.test("net.bnn", task="inventory/2")
        self.assertEqual((tested.legal and tested.legal.wrong, tested.rows, tested.data), (0, None, None))
        tested = fdplan.test("net.bnn", "rows.parquet", task="inventory/2")
        data = tested.data
        assert data is not None
        self.assertEqual((tested.rows, tested.wrong, tested.floor, tested.legal), (3000, 0, 0, None))
        self.assertEqual((data.unchanged, data.out_of_range), (tested.unchanged, 0))
        self.assertEqual({name: f.wrong for name, f in data.fluents.items()}, dict.fromkeys(data.fluents, 0))
        self.assertTrue(fdplan.prove("net.bnn", task="inventory/2").ok)

    def test_picture(self) -> None:
        plan = fdplan.plan("navigation/3x3")
        html = plan._repr_html_()
        self.assertIn("<strong>navigation/3x3: optimal, reward -4</strong>", html)
        self.assertIn("<svg", html)
        self.assertTrue(plan.picture("gif").startswith(b"GIF8"))
        self.assertRaisesRegex(fdplan.InputError, "'jpeg' is no format", plan.picture, "jpeg")
        none = fdplan.plan("navigation/3x3", horizon=3)
        self.assertNotIn("<svg", none._repr_html_())
        self.assertRaises(fdplan.NoAnswer, none.picture)

    def test_warning(self) -> None:
        shutil.copytree(EXAMPLES / "two-product", "shop")
        fdplan.collect("shop/task.toml", "few.csv", rows=3, policy="exploration", seed=1)
        fdplan.train("few.csv", task="shop/task.toml", out="shop/network.bnn")
        with self.assertWarnsRegex(fdplan.FdplanWarning, "do not support"):
            plan = fdplan.plan("shop/task.toml")
        self.assertGreater(plan.unseen_steps or 0, 0)
        self.assertEqual([e.step for e in plan.evidence or [] if e.kind == "unseen"], [u["step"] for u in plan.unsupported or []])

    def test_disputed(self) -> None:
        rows = [f"{on},{parts},{start},{int(on or start)},{min(3, parts + on)}" for on in (0, 1) for parts in range(4) for start in (0, 1)]
        Path("machine.csv").write_text("\n".join(["on,parts,start,on',parts'", *rows * 9, "0,0,1,0,0", ""]))
        fdplan.init("machine.csv", out="machine", actions=["start"], goal="parts == 3")
        fdplan.train("machine.csv", task="machine/task.toml", out="machine/network.bnn")
        with self.assertWarnsRegex(fdplan.FdplanWarning, "step 1 is disputed by the log; 9 of 10 rows agree"):
            plan = fdplan.plan("machine/task.toml", horizon=4, initial={"on": False})
        first = (plan.evidence or [])[0]
        self.assertEqual((first.kind, first.agree, first.rows, first.next), ("disputed", 9, 10, ["on"]))
        refuted = fdplan.verify("machine/task.toml", "start => on'")
        self.assertEqual((refuted.ok, refuted.status, refuted.lines, refuted.model), (False, "refuted by the log", [146], "holds"))
        self.assertRaisesRegex(fdplan.NoAnswer, "is refuted by the log", refuted.check)


class Errors(InFolder):
    def test_input(self) -> None:
        with self.assertRaises(fdplan.InputError) as caught:
            fdplan.plan(Path("absent.toml"))
        error = caught.exception
        self.assertEqual((error.file, error.line, error.message), ("absent.toml", None, "cannot be opened: no such file or directory"))
        self.assertEqual(str(error), "absent.toml: cannot be opened: no such file or directory")
        Path("broken.rddl").write_text("domain tank {\n  pvariables { level : ; };\n}\n")
        with self.assertRaises(fdplan.InputError) as caught:
            fdplan.show(fdplan.Problem(domain="broken.rddl"))
        self.assertEqual((caught.exception.file, caught.exception.line), ("broken.rddl", 2))
        self.assertGreater(caught.exception.column or 0, 1)

    def test_flags(self) -> None:
        self.assertRaisesRegex(fdplan.InputError, "^engine is", fdplan.plan, "navigation/3x3", engine="steam")
        self.assertRaisesRegex(fdplan.InputError, "no data set", fdplan.train, 3, task="inventory/2", out="x.bnn")
        self.assertRaisesRegex(fdplan.InputError, "no simulator", fdplan.run, "navigation/3x3", 3)

    def test_names(self) -> None:
        self.assertRaisesRegex(TypeError, "engin'", fdplan.plan, "navigation/3x3", engin="search")
        self.assertIn("threads", inspect.signature(fdplan.plan).parameters)

    def test_limit(self) -> None:
        with self.assertRaises(fdplan.LimitReached) as caught:
            fdplan.plan(sack(Path()), engine="search", time_limit=0.001)
        self.assertIn("time limit", str(caught.exception))

    def test_program(self) -> None:
        named = os.environ.pop("FDPLAN")
        path = os.environ["PATH"]
        self.addCleanup(os.environ.update, FDPLAN=named, PATH=path)
        os.environ["PATH"] = os.getcwd()
        self.assertRaisesRegex(fdplan.MissingProgram, "not on the path", fdplan.plan, "navigation/3x3")
        os.environ["FDPLAN"] = "no-such-program"
        self.assertRaisesRegex(fdplan.MissingProgram, "names no-such-program", fdplan.Session)


class Progress(InFolder):
    def test_await(self) -> None:
        async def both() -> tuple[fdplan.Plan, list[str]]:
            first = await fdplan.plan.start("navigation/3x3", horizon=4)
            with fdplan.plan.start("navigation/3x3", horizon=4, engine="pb") as job:
                return first, [event.kind async for event in job]

        plan, kinds = asyncio.run(both())
        self.assertEqual(plan.reward, -4.0)
        self.assertIn("plan", kinds)

    def test_cancelled_task(self) -> None:
        job = fdplan.plan.start(sack(Path()), engine="pb")

        async def wait() -> None:
            await asyncio.wait_for(job, timeout=0.5)

        with self.assertRaises((TimeoutError, asyncio.TimeoutError)):
            asyncio.run(wait())
        self.assertFalse(job.running)

    def test_events(self) -> None:
        with fdplan.plan.start("navigation/3x3", horizon=4, engine="pb") as job:
            events = list(job)
            plan = job.result()
        self.assertEqual([event.kind for event in events][-1], "done")
        best = [event for event in events if event.kind == "plan"][-1]
        self.assertEqual((best.reward, plan.reward), (-4, -4))
        self.assertEqual((best.horizon, len(best.plan or [])), (4, 4))
        self.assertEqual(list(job), [])

    def test_training(self) -> None:
        fdplan.collect("inventory/2", "rows.csv", rows=500, seed=1)
        job = fdplan.train.start("rows.csv", task="inventory/2", out="net.bnn", hidden=[8], epochs=3)
        epochs = [event for event in job if event.kind == "epoch"]
        self.assertEqual([event.done for event in epochs], [1, 2, 3])
        self.assertTrue(all(event.loss is not None and 0 <= (event.accuracy or 0) <= 1 for event in epochs))
        self.assertEqual(job.result().recipe, "dense")

    def test_cancel(self) -> None:
        with fdplan.plan.start(sack(Path()), engine="pb") as job:
            for event in job:
                if event.kind == "plan":
                    job.cancel()
            plan = job.result()
        self.assertEqual((plan.status, plan.ok), ("feasible", True))
        self.assertIn("interrupt", plan.stopped or "")

    @unittest.skipIf(os.name == "nt", "signals are sent otherwise there")
    def test_keyboard(self) -> None:
        job = fdplan.plan.start(sack(Path()), engine="pb")
        found = next(event for event in job if event.kind == "plan")
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(fdplan.Interrupted) as caught:
            job.result()
        timer.join()
        self.assertEqual(caught.exception.result.status, "feasible")
        self.assertGreaterEqual(caught.exception.result.reward, found.reward)

    def test_abandoned(self) -> None:
        with fdplan.plan.start(sack(Path()), engine="pb") as job:
            next(iter(job))
            self.assertTrue(job.running)
        self.assertFalse(job.running)
