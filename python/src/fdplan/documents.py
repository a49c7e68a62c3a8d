"""Reading the JSON documents of the program into dataclasses."""

from __future__ import annotations

import dataclasses
import html
import importlib
import os
import types
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from .errors import InputError

T = TypeVar("T")

__all__ = ["Listed", "Result", "decode"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Result:
    """What all answers have."""

    schema: int
    document: Mapping[str, Any] = dataclasses.field(repr=False, compare=False)

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of :meth:`to_frame`: the steps of a plan or a run, the variables of a problem; else one row with what is
        no list."""
        return [{name: value for name, value in self.document.items() if not isinstance(value, (list, Mapping))}]

    def to_frame(self) -> Any:
        """Return the rows as a pandas frame.

        Raises:
            InputError: if pandas is not installed.
        """
        try:
            pandas = importlib.import_module("pandas")
        except ImportError:
            raise InputError("a frame needs pandas, which is not installed; expected records() in its place, or pip install pandas") from None
        return pandas.DataFrame(self.records())

    def render(self, file: str | os.PathLike[str] | None = None) -> str:
        """Return the answer as text; with a file, write it there, as a picture where there is one, as HTML or text, as the file's
        name ends, and return that.

        Raises:
            InputError: if the name ends otherwise.
        """
        if file is None:
            return "\n".join(f"{name}: {value}" for row in self.records() for name, value in row.items() if value is not None)
        ending, picture = Path(file).suffix.lstrip(".").lower(), getattr(self, "picture", None)
        if picture is not None:
            Path(file).write_bytes(picture(ending))
        elif ending in ("html", "htm"):
            Path(file).write_text(f"<!DOCTYPE html>\n<meta charset=utf-8>\n{self._repr_html_()}\n", encoding="utf-8")
        elif ending == "txt":
            Path(file).write_text(self.render() + "\n", encoding="utf-8")
        else:
            raise InputError(f"{os.fspath(file)}: there is no such picture of this answer; expected a name that ends in .html or .txt")
        return os.fspath(file)

    def _repr_html_(self) -> str:
        rows = self.records()
        if len(rows) == 1:
            rows = [{"": name, " ": value} for name, value in rows[0].items() if value is not None]
        names = list(dict.fromkeys(name for row in rows for name in row))
        head = "".join(f"<th>{html.escape(str(name))}</th>" for name in names)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(str(row.get(name, '')))}</td>" for name in names) + "</tr>" for row in rows)
        return f"<table><tr>{head}</tr>{body}</table>"


class Listed(Generic[T]):
    """An answer that is a sequence, too, which may be empty and is true even so."""

    def _items(self) -> list[T]:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self._items())

    def __iter__(self) -> Iterator[T]:
        return iter(self._items())

    def __getitem__(self, place: int) -> T:
        return self._items()[place]

    def __bool__(self) -> bool:
        return True


def decode(kind: type[T], value: Any, **more: Any) -> T:
    """Return a JSON value as a value of a type; of an object, with more fields.

    Types are dataclasses, whose fields have the names of the document or give one in their metadata, lists, dictionaries, unions with
    None, and what JSON has itself. A field that the document lacks has its default, or None.
    Names that the dataclass lacks are left out; a field ``document`` has the whole object.
    """
    decoded = _decode(kind, value)
    return typing.cast(T, dataclasses.replace(decoded, **more) if more else decoded)


def _decode(kind: Any, value: Any) -> Any:
    origin = typing.get_origin(kind)
    if value is None or kind is Any:
        return value
    if origin in (typing.Union, types.UnionType):
        return _decode(next(arg for arg in typing.get_args(kind) if arg is not types.NoneType), value)
    if origin is list:
        (of,) = typing.get_args(kind)
        return [_decode(of, item) for item in value]
    if origin is dict and isinstance(value, Mapping):
        _, of = typing.get_args(kind)
        return {key: _decode(of, item) for key, item in value.items()}
    if dataclasses.is_dataclass(kind) and isinstance(value, Mapping):
        return _object(typing.cast(type, kind), value)
    if kind is float and isinstance(value, int):
        return float(value)
    return value


def _object(kind: type, value: Mapping[str, Any]) -> Any:
    hints = typing.get_type_hints(kind)
    arguments: dict[str, Any] = {}
    for field in dataclasses.fields(kind):
        name = field.metadata.get("name", field.name)
        if name == "document":
            arguments[field.name] = value
        elif name in value:
            arguments[field.name] = _decode(hints[field.name], value[name])
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            arguments[field.name] = None
    return kind(**arguments)
