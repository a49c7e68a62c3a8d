"""Environments of this process as simulators of the program.

The program starts its simulator. For an environment that lives here that is a relay, which
passes lines between the program and a socket of this process.
"""

from __future__ import annotations

import secrets
import shlex
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from . import relay
from .environments import Bridge
from .errors import InputError

__all__ = ["attach", "attached"]


def attach(simulator: Any, files: ExitStack) -> str | None:
    """Return the command of a simulator: a text as it is, words as one, and of an
    environment that of its relay, which is served until ``files`` is closed."""
    if simulator is None or isinstance(simulator, str):
        return simulator
    if isinstance(simulator, Sequence):
        return shlex.join(simulator)
    if not hasattr(simulator, "reset") or not hasattr(simulator, "step"):
        raise InputError(f"{type(simulator).__name__} is no simulator; expected rddl, a command, or an environment with reset and step")
    return files.enter_context(attached(simulator))


@contextmanager
def attached(env: Any, deterministic: bool = False) -> Iterator[str]:
    """Serve an environment while the block runs, and return the command of its relay.

    The environment is called from a thread of its own.
    """
    token = secrets.token_hex(16)
    with tempfile.TemporaryDirectory(prefix="fdplan-") as folder, socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        secret = Path(folder) / "token"  # which other users cannot read
        secret.write_text(token, encoding="ascii")
        thread = threading.Thread(target=_serve, args=(listener, token, env, deterministic), daemon=True)
        thread.start()
        try:
            yield shlex.join([sys.executable, str(Path(relay.__file__)), str(port), str(secret)])
        finally:
            # accept does not end when its socket is closed elsewhere.
            try:
                listener.shutdown(socket.SHUT_RDWR)
            except OSError:
                with socket.create_connection(("127.0.0.1", port)):
                    pass
            thread.join(timeout=5)


def _serve(listener: socket.socket, token: str, env: Any, deterministic: bool) -> None:
    """Serve one relay after another until the listener is closed; others are turned away."""
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection, connection.makefile("r", encoding="utf-8") as lines, connection.makefile("w", encoding="utf-8") as out:
            try:
                greeting = lines.readline()
                if not greeting:
                    return
                if secrets.compare_digest(greeting.strip(), token):
                    Bridge(env, deterministic).serve(lines, out)
            except OSError:
                continue  # the program has ended its simulator
