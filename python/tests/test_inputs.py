"""Data sets and networks from memory."""

import csv
import importlib
import importlib.util
import random
import tempfile
import unittest
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import fdplan
from fdplan import documents, tables, weights

EXAMPLES = Path(__file__).parents[2] / "examples"


def module(name: str) -> Any:
    """Return a module, or skip the test by its name."""
    if importlib.util.find_spec(name) is None:
        raise unittest.SkipTest(f"{name} is not installed")
    return importlib.import_module(name)


def written(table: Any) -> list[list[str]]:
    """Return the rows of the file that a table is written to."""
    with ExitStack() as files, open(tables.on_disk(table, files), newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


ROWS = [["a", "b,c", "d"], ["1", "true", ""], ["2", "false", "up"]]


class Tables(unittest.TestCase):
    def test_plain(self) -> None:
        self.assertEqual(written({"a": [1, 2], "b,c": [True, False], "d": [None, "up"]}), ROWS)
        self.assertEqual(written([{"a": 1, "b,c": True}, {"a": 2, "b,c": False, "d": "up"}]), ROWS)
        self.assertEqual(written({"x": [float("nan"), 0.5]}), [["x"], [""], ["0.5"]])
        with ExitStack() as files:
            self.assertEqual(tables.on_disk(Path("rows.csv"), files), "rows.csv")
            self.assertRaisesRegex(fdplan.InputError, "a has 1, b has 2", tables.on_disk, {"a": [1], "b": [1, 2]}, files)
            self.assertRaisesRegex(fdplan.InputError, "int is no data set", tables.on_disk, 3, files)
            name = Path(tables.on_disk({"a": [1]}, files))
            self.assertTrue(name.exists())
        self.assertFalse(name.exists())

    def test_numpy(self) -> None:
        numpy = module("numpy")
        self.assertEqual(written({"a": numpy.array([1, 2]), "b,c": numpy.array([True, False]), "d": [None, "up"]}), ROWS)
        table = numpy.array([(1, True), (2, False)], dtype=[("a", "i4"), ("b", "?")])
        self.assertEqual(written(table), [["a", "b"], ["1", "true"], ["2", "false"]])

    def test_pandas(self) -> None:
        pandas = module("pandas")
        frame = pandas.DataFrame({"a": [1, 2], "b,c": [True, False], "d": [None, "up"]})
        self.assertEqual(written(frame), ROWS)
        self.assertEqual(written(frame.astype({"a": "Int64", "b,c": "boolean"})), ROWS)
        with tempfile.TemporaryDirectory() as folder:
            rows = Path(folder) / "rows.csv"
            fdplan.collect("inventory/2", rows, rows=500, policy="restart", seed=1)
            trained = fdplan.train(pandas.read_csv(rows), task="inventory/2", out=Path(folder) / "net.bnn")
            self.assertEqual((trained.rows, trained.train.wrong), (500, 0))

    def test_log(self) -> None:
        level, rows, drawn = 2, [], random.Random(1)
        for _ in range(400):
            pump = drawn.random() < 0.5
            rows.append({"level": level, "pump": pump})
            level = min(5, level + 1) if pump else max(0, level - 1)
        with tempfile.TemporaryDirectory() as folder:
            made = fdplan.init(rows, Path(folder) / "tank", actions="pump", goal="level == 5", reward="-pump")
            self.assertEqual((made.rows, made.contradictory, made.task.name), (400, 0, "task.toml"))
            network = made.task.with_name("network.bnn")
            self.assertEqual(fdplan.train(made.data, made.task, network).train.wrong, 0)
            plan = fdplan.plan(made.task, (1, 6), initial={"level": 2})
            self.assertEqual((plan.horizon, plan.plan), (3, [{"pump": True}] * 3))

    def test_training(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "rows.csv"
            fdplan.collect("inventory/2", out, rows=500, policy="restart", seed=1)
            with out.open(newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            trained = fdplan.train(rows, task="inventory/2", out=Path(folder) / "net.bnn")
            self.assertEqual((trained.rows, trained.train.wrong), (500, 0))
            self.assertEqual(list(Path(folder).glob("fdplan-*")), [])


class Networks(unittest.TestCase):
    def arrays(self) -> dict[str, Any]:
        """The arrays of the network of examples/pytorch."""
        numpy = module("numpy")
        with numpy.load(EXAMPLES / "pytorch" / "network.npz") as file:
            return {name: file[name] for name in file.files}

    def convert(self, network: Any, **more: Any) -> fdplan.Converted:
        with tempfile.TemporaryDirectory() as folder:
            return fdplan.convert(network, task="inventory/2", out=Path(folder) / "net.bnn", **more)

    def test_npz(self) -> None:
        converted = self.convert(EXAMPLES / "pytorch" / "network.npz")
        self.assertEqual((converted.network, converted.edges), ("7:48:48:5", 1497))

    def test_arrays(self) -> None:
        self.assertEqual(self.convert(self.arrays()), self.convert(EXAMPLES / "pytorch" / "network.npz"))

    def test_lists(self) -> None:
        layer = {"layer1.weight": [[1, 0, -1, 0, 0, 0, 0]] * 5, "layer1.mean": [0.0] * 5, "layer1.var": [1.0] * 5}
        self.assertEqual(self.convert(layer).edges, 10)
        with tempfile.TemporaryDirectory() as folder:
            name = Path(folder) / "a.npz"
            weights.write_npz(name, {"eps": 0.5, "a": [[1, 2, 3], [4, 5, 6.5]]})
            numpy = module("numpy")
            with numpy.load(name) as file:
                self.assertEqual((file["eps"].shape, file["eps"].item(), file["a"].tolist()), ((), 0.5, [[1, 2, 3], [4, 5, 6.5]]))

    def state(self, tensor: Any) -> dict[str, Any]:
        """The state dictionary of a model with these weights."""
        names = {"mean": "norm.{}.running_mean", "var": "norm.{}.running_var", "gamma": "norm.{}.weight", "beta": "norm.{}.bias"}
        state = {}
        for name, array in self.arrays().items():
            if name != "eps":
                layer, part = name.removeprefix("layer").split(".")
                state[names.get(part, "linear.{}." + part).format(layer)] = tensor(array)
        return state | {"norm.1.num_batches_tracked": tensor(3)}

    def test_state_of_arrays(self) -> None:
        numpy = module("numpy")
        self.assertEqual(self.convert(self.state(numpy.asarray)).edges, 1497)

    def test_torch(self) -> None:
        torch = module("torch")
        self.assertEqual(self.convert(self.state(torch.tensor)).edges, 1497)

    def test_layers_that_do_not_pair_up(self) -> None:
        with self.assertRaisesRegex(fdplan.InputError, "1 linear layers and 0 batch normalizations"):
            self.convert({"fc.weight": [[1, 1]], "fc.bias": [0]})


class Documents(unittest.TestCase):
    def test_decode(self) -> None:
        measure = documents.decode(fdplan.Measure, {"rows": 3, "wrong": 0, "row_error": 0, "new": 1})
        self.assertEqual((measure.rows, measure.row_error, measure.floor, measure.bits), (3, 0.0, None, {}))
        self.assertIsInstance(measure.row_error, float)
        self.assertEqual(measure.document["new"], 1)
        event = fdplan.Event.of_document({"event": "epoch", "seconds": 1, "done": 2})
        self.assertEqual((event.kind, event.seconds, event.done, event.loss), ("epoch", 1.0, 2, None))


