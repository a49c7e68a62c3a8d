"""Networks trained elsewhere: PyTorch state dictionaries and arrays by name."""

from __future__ import annotations

import re
import struct
import tempfile
import zipfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from .errors import InputError

__all__ = ["arrays_of", "on_disk", "write_npz"]

PARTS = {"running_mean": "mean", "running_var": "var", "weight": "gamma", "bias": "beta"}
"""The parts of a PyTorch batch normalization, with their names in the file."""

OWN = re.compile(r"eps|layer[1-9][0-9]*\.(weight|bias|mean|var|gamma|beta)")


def _shape(values: Any) -> tuple[int, ...]:
    shape: list[int] = []
    while isinstance(values, list):
        shape.append(len(values))
        values = values[0] if values else 0.0
    return tuple(shape)


def _numbers(array: Any) -> Any:
    """Return an array, a tensor or a number as nested lists of numbers."""
    for method in ("detach", "cpu"):
        array = getattr(array, method, lambda same=array: same)()
    return array.tolist() if hasattr(array, "tolist") else array


def arrays_of(weights: Mapping[str, Any], eps: float = 1e-5) -> dict[str, Any]:
    """Return the arrays of a network by the names that ``fdplan convert`` reads.

    ``weights`` has these names already, or is the state dictionary of a PyTorch model whose
    linear layers are each followed by a batch normalization, in this order. The weights must
    be the binary or ternary ones, not the latent ones. ``eps`` is what the normalization
    adds to variances.

    Raises:
        InputError: if the layers do not pair up.
    """
    if all(OWN.fullmatch(name) for name in weights):
        return {"eps": eps} | {name: _numbers(value) for name, value in weights.items()}
    modules: dict[str, dict[str, Any]] = {}
    for name, value in weights.items():
        module, _, part = name.rpartition(".")
        modules.setdefault(module, {})[part] = _numbers(value)
    norms = [parts for parts in modules.values() if "running_mean" in parts]
    linear = [parts for parts in modules.values() if "running_mean" not in parts and len(_shape(parts.get("weight"))) == 2]
    if not linear or len(linear) != len(norms):
        raise InputError(f"the weights have {len(linear)} linear layers and {len(norms)} batch normalizations; expected one after each linear layer")
    arrays: dict[str, Any] = {"eps": eps}
    for number, (layer, norm) in enumerate(zip(linear, norms), 1):
        arrays |= {f"layer{number}.{part}": layer[part] for part in ("weight", "bias") if part in layer}
        arrays |= {f"layer{number}.{own}": norm[part] for part, own in PARTS.items() if part in norm}
    return arrays


def write_npz(name: Path, arrays: Mapping[str, Any]) -> None:
    """Write nested lists of numbers, and numbers, as an NPZ file of float64 arrays."""
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, values in arrays.items():
            archive.writestr(f"{member}.npy", _npy(values))


def _npy(values: Any) -> bytes:
    shape = _shape(values)
    flat = [values]
    for _ in shape:
        flat = [item for part in flat for item in part]
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
    # The header ends at a multiple of 64 bytes, with an end of line.
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("ascii") + struct.pack(f"<{len(flat)}d", *flat)


def on_disk(weights: Mapping[str, Any], eps: float, files: ExitStack) -> str:
    """Write the weights of a network to a temporary NPZ file and return its name."""
    arrays = arrays_of(weights, eps)
    folder = files.enter_context(tempfile.TemporaryDirectory(prefix="fdplan-"))
    name = Path(folder) / "network.npz"
    write_npz(name, arrays)
    return str(name)
