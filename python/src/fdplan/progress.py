"""A progress bar, where tqdm is installed and somebody looks: in a notebook, or in a terminal."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from .events import Event

__all__ = ["said", "shown"]


def bar_of() -> Any:
    """Return what makes a bar; None for nobody who would see one, or without tqdm."""
    notebook = "ipykernel" in sys.modules
    if not notebook and not sys.stderr.isatty():
        return None
    try:
        return importlib.import_module("tqdm.auto" if notebook else "tqdm").tqdm
    except ImportError:
        return None


def said(event: Event) -> str:
    """Return an event in a few words."""
    parts = [event.phase or ""]
    for name in ("status", "reward", "bound", "wrong"):
        value = getattr(event, name)
        if value is not None:
            parts.append(f"{name} {value}")
    return ", ".join(part for part in parts if part) or event.kind


@contextmanager
def shown(events: Iterable[Event], title: str) -> Iterator[None]:
    """Show events as a bar while the block runs, and leave nothing behind."""
    make = bar_of()
    if make is None:
        yield
        return

    def follow() -> None:
        for event in events:
            if event.of is not None and event.done is not None:
                bar.total, bar.n = event.of, event.done
            elif event.share is not None:
                bar.total, bar.n = 100, round(100 * event.share)
            bar.set_postfix_str(said(event), refresh=True)

    bar = make(desc=f"fdplan {title}", leave=False)
    watch = threading.Thread(target=follow, daemon=True)
    watch.start()
    try:
        yield
    finally:
        watch.join(timeout=1)
        bar.close()
