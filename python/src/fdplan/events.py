"""Progress, as events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .documents import decode

__all__ = ["Event"]


@dataclass(frozen=True, kw_only=True)
class Event:
    """What happened while the program was at work.

    ``kind`` is the name of the event, such as ``plan``, ``bound`` or ``epoch``; the other
    attributes are those that docs/progress.md describes, None where an event lacks them.
    """

    kind: str
    seconds: float
    phase: str | None = None
    share: float | None = None
    reward: float | None = None
    bound: float | None = None
    gap: float | None = None
    plan: list[dict[str, Any]] | None = None
    iteration: int | None = None
    landmarks: int | None = None
    depth: int | None = None
    holds: bool | None = None
    text: str | None = None
    step: int | None = None
    horizon: int | None = None
    status: str | None = None
    state: dict[str, Any] | None = None
    action: dict[str, Any] | None = None
    done: int | None = None
    of: int | None = None
    unit: str | None = None
    loss: float | None = None
    accuracy: float | None = None
    held_out: float | None = None
    wrong: int | None = None
    rows: int | None = None
    edges: int | None = None
    left: float | None = None
    hidden: list[int] | None = None
    exit: int | None = None
    document: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> Event:
        """Return the event of a JSON object."""
        return decode(cls, {"kind": document["event"], **document})
