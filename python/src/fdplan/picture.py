"""Pictures of plans."""

from __future__ import annotations

import html
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import program
from .errors import InputError
from .problem import Problem

__all__ = ["FORMATS", "caption", "draw"]

FORMATS = ("svg", "html", "gif", "png", "txt")
"""The formats of pictures."""


def draw(document: Mapping[str, Any], source: Problem | None, format: str, seed: int | None = None) -> bytes:
    """Return the picture of a plan's document, of a problem or of the one that it names; of a policy with the run of a seed.

    Raises:
        InputError: if there is no such format.
        FdplanError: if the program does not draw it.
    """
    if format not in FORMATS:
        raise InputError(f"{format!r} is no format of pictures; expected one of {', '.join(FORMATS)}")
    with tempfile.TemporaryDirectory(prefix="fdplan-") as folder:
        plan, picture = Path(folder) / "plan.json", Path(folder) / f"picture.{format}"
        plan.write_text(json.dumps(document), encoding="utf-8")
        named: dict[str, Any] = source.parameters() | {"plan": document} if source else {"problem": str(plan)}
        if seed is not None:
            named["seed"] = seed
        process = program.request("show", named | {"json": False, "out": str(picture)})
        _, said = process.communicate()
        if process.returncode != 0:
            raise program.failure(process.returncode, program.error_in(said))
        return picture.read_bytes()


def caption(title: str, reward: float | None, verdict: str) -> str:
    """Return the line of HTML above a picture."""
    if reward is not None:
        title += f", reward {reward:g}"
    return f"<p><strong>{html.escape(title)}</strong><br>{html.escape(verdict)}</p>"
