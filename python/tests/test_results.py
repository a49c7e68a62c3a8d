"""What results are besides their attributes: sequences, frames, pictures; and the bar while they are made."""

import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

import fdplan
from fdplan import progress
from fdplan.env import Space


class Results(unittest.TestCase):
    def test_plan(self) -> None:
        plan = fdplan.plan("navigation/3x3", horizon=range(2, 7))
        self.assertEqual((len(plan), [list(step) for step in plan][0], plan[3]), (4, ["move-east"], {"move-west": True}))
        rows = plan.records()
        self.assertEqual((len(rows), rows[1]["step"], rows[0]["move-east"], "move-east" in rows[4]), (5, 1, True, False))
        self.assertIn("navigation/3x3", plan.render())
        self.assertEqual(plan.picture("png")[1:4], b"PNG")
        with self.assertRaisesRegex(fdplan.InputError, "range of numbers one after the other"):
            fdplan.plan("navigation/3x3", horizon=range(2, 7, 2))

    def test_goal(self) -> None:
        other = fdplan.plan("navigation/3x3", goal="robot-at(x9,y12)", reward="-2*move-north")
        self.assertEqual((other.status, other.reward), ("optimal", -4))
        with fdplan.Session() as session:
            maze = session.load("navigation/3x3")
            self.assertEqual(maze.plan(goal="robot-at(x9,y12)").reward, -3)
            self.assertEqual(maze.plan(range(2, 5)).reward, -4)
            self.assertEqual(maze.plan().reward, -4)
        self.assertEqual(fdplan.plan("inventory/2", 4, range={"quant": (0, 4)}).status, "infeasible")

    def test_names_as_steps(self) -> None:
        steps = ["move-east", ["move-north"], {"move-north": True}, ("move-west",)]
        self.assertTrue(fdplan.validate("navigation/3x3", steps).ok)
        with self.assertRaisesRegex(fdplan.InputError, "step 1 of the plan is 3"):
            fdplan.validate("navigation/3x3", [3])

    def test_others(self) -> None:
        run = fdplan.run("navigation/3x3", horizon=6)
        self.assertEqual(len(run), len(list(run)))
        self.assertEqual(len(run.records()), len(run))
        shown = fdplan.show("navigation/3x3")
        self.assertEqual(len(shown), len(shown.records()))
        for result in (run, shown, fdplan.validate("navigation/3x3", ["move-east"]), fdplan.verify("navigation/3x3", "true | move-east")):
            self.assertIn("<table>", result._repr_html_())
            self.assertTrue(result.render())

    def test_policy(self) -> None:
        drift = Path(__file__).parents[2] / "examples" / "drift"
        grid = fdplan.Problem(domain=str(drift / "drift.rddl"), instance=str(drift / "pits.rddl"), goal="x == SIDE ^ y == SIDE ^ ~lost")
        policy = fdplan.policy(grid, 12)
        self.assertEqual((len(policy), len(policy.records()), policy[0]), (33, 33, next(iter(policy))))
        self.assertIn("x", policy.records()[0])

    def test_files(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            held = fdplan.validate("navigation/3x3", ["move-east"])
            for name, begins in (("a.html", "<!DOCTYPE"), ("a.txt", "schema: ")):
                self.assertTrue(Path(held.render(f"{folder}/{name}")).read_text().startswith(begins))
            with self.assertRaisesRegex(fdplan.InputError, "ends in .html or .txt"):
                held.render(f"{folder}/a.svg")
            Path(folder, "log.csv").write_text("s,go\n" + "0,1\n1,1\n2,0\n" * 20)
            made = fdplan.init(f"{folder}/log.csv", f"{folder}/task", actions=["go"])
            self.assertEqual([column["column"] for column in made], ["s", "go"])
            self.assertEqual(len(made), len(made.records()))
            self.assertIn("<table>", made._repr_html_())

    def test_space(self) -> None:
        space = Space(fdplan.show("navigation/3x3").of_kind("action"))
        with self.assertRaisesRegex(fdplan.InputError, "there is no variable 'fly' here; expected one of move-"):
            space.values({"fly": 1})

    def test_frame(self) -> None:
        plan = fdplan.plan("navigation/3x3")
        with mock.patch.dict(sys.modules, {"pandas": None}), self.assertRaisesRegex(fdplan.InputError, "needs pandas"):
            plan.to_frame()
        try:
            import pandas  # noqa: F401
        except ImportError:
            return
        frame = plan.to_frame()
        self.assertEqual((len(frame), bool(frame["robot-at(x14,y20)"][0])), (5, True))

    def test_bar(self) -> None:
        made = []

        class Bar:
            def __init__(self, **given: object) -> None:
                self.given, self.texts, self.closed, self.n, self.total = given, [], False, 0, None
                made.append(self)

            def set_postfix_str(self, text: str, refresh: bool) -> None:
                self.texts.append(text)

            def close(self) -> None:
                self.closed = True

        module = types.ModuleType("tqdm")
        module.tqdm = Bar  # type: ignore[attr-defined]
        with mock.patch.dict(sys.modules, {"tqdm": module}), mock.patch.object(progress.sys.stderr, "isatty", lambda: True, create=True):
            fdplan.plan("navigation/3x3", engine="pb")
        self.assertTrue(made and made[0].closed and any("reward" in text for text in made[0].texts))
        self.assertEqual(made[0].given["desc"], "fdplan plan")


if __name__ == "__main__":
    unittest.main()
