"""What the package promises of itself."""

import ast
import inspect
import sys
import unittest
from pathlib import Path

import fdplan
from fdplan import job

SOURCES = sorted(Path(inspect.getfile(fdplan)).parent.glob("*.py"))


class Sources(unittest.TestCase):
    def functions(self):
        for source in SOURCES:
            for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    yield source, node

    def test_annotations(self) -> None:
        self.assertGreater(len(SOURCES), 10)
        for source, node in self.functions():
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
            for argument in arguments:
                if argument is not None and argument.arg not in ("self", "cls"):
                    self.assertIsNotNone(argument.annotation, f"{source.name}:{node.lineno}: {node.name} has no type for {argument.arg}")
            self.assertIsNotNone(node.returns, f"{source.name}:{node.lineno}: {node.name} has no type of its result")

    def test_docstrings(self) -> None:
        for source in SOURCES:
            tree = ast.parse(source.read_text(encoding="utf-8"))
            self.assertTrue(ast.get_docstring(tree), f"{source.name} has no docstring")
            for node in tree.body:
                self.check(source, node)

    def check(self, source: Path, node: ast.AST) -> None:
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or node.name.startswith("_"):
            return
        self.assertTrue(ast.get_docstring(node), f"{source.name}:{node.lineno}: {node.name} has no docstring")
        if isinstance(node, ast.ClassDef):
            for member in node.body:
                stub = isinstance(member, ast.FunctionDef) and len(member.body) == 1 and isinstance(member.body[0], ast.Expr)
                if not (stub and node.name == "Frame"):
                    self.check(source, member)

    def test_standard_library_alone(self) -> None:
        optional = {"gymnasium", "pyRDDLGym", "amlgym", "unified_planning", "typing_extensions"}  # the last one for checkers of types
        for source in SOURCES:
            for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
                names = []
                if isinstance(node, ast.Import):
                    names = [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom) and node.level == 0:
                    names = [node.module or ""]
                for name in names:
                    first = name.partition(".")[0]
                    self.assertTrue(first in sys.stdlib_module_names or first in optional, f"{source.name} imports {name}")

    def test_no_shell(self) -> None:
        for source in SOURCES:
            self.assertNotRegex(source.read_text(encoding="utf-8"), r"shell\s*=\s*True|os\.system|\bglobal ", source.name)


class Names(unittest.TestCase):
    def test_all(self) -> None:
        self.assertEqual(fdplan.__all__, sorted(fdplan.__all__))
        for name in fdplan.__all__:
            self.assertTrue(hasattr(fdplan, name), name)

    def test_commands(self) -> None:
        for name in fdplan.__all__:
            command = getattr(fdplan, name)
            if isinstance(command, job.Command):
                self.assertTrue(command.__doc__, name)
                self.assertEqual(command.__name__, name)
                signature = inspect.signature(command)
                self.assertTrue(signature.parameters, name)
                self.assertTrue(hasattr(fdplan, signature.return_annotation), f"{name} returns {signature.return_annotation}")

    def test_typed(self) -> None:
        self.assertTrue((Path(inspect.getfile(fdplan)).parent / "py.typed").exists())
