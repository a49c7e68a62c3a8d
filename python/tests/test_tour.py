"""Runs docs/python.md: each block in its order, with the output that it shows."""

import doctest
import os
import shutil
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]


class Tour(unittest.TestCase):
    def test_tour(self) -> None:
        if shutil.which("elevator") is None:
            self.skipTest("elevator is not installed: go install -C examples ./elevator")
        page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
        # A fence ends what is shown before it, as an empty line does.
        text = "\n".join("" if line.startswith("```") else line for line in page.splitlines())
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(ROOT / "examples", Path(folder) / "examples")
            self.addCleanup(os.chdir, os.getcwd())
            os.chdir(folder)
            test = doctest.DocTestParser().get_doctest(text, {"__name__": "tour"}, "docs/python.md", "docs/python.md", 0)
            self.assertGreater(len(test.examples), 20)
            said: list[str] = []
            results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(test, out=said.append)
            os.chdir(ROOT)
        self.assertEqual(results.failed, 0, "".join(said))
