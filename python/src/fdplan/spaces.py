"""The spaces of environments: Gymnasium's where it is installed, else small stand-ins."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

__all__ = ["GYMNASIUM", "Dict", "Discrete", "Env"]

try:
    import gymnasium
except ImportError:
    GYMNASIUM = False
else:
    GYMNASIUM = True


class OwnDiscrete:
    """The integers start, start+1, …, start+n-1."""

    def __init__(self, n: int, *, seed: int | None = None, start: int = 0) -> None:
        self.n = n
        self.start = start
        self._random = random.Random(seed)

    def seed(self, seed: int | None = None) -> None:
        """Begin the sequence of samples of a seed."""
        self._random.seed(seed)

    def sample(self) -> int:
        """Return one of the integers at random."""
        return self.start + self._random.randrange(self.n)

    def contains(self, x: Any) -> bool:
        """Return whether x is one of the integers."""
        return isinstance(x, int) and self.start <= x < self.start + self.n

    __contains__ = contains

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OwnDiscrete) and (self.n, self.start) == (other.n, other.start)

    def __repr__(self) -> str:
        return f"Discrete({self.n}, start={self.start})" if self.start else f"Discrete({self.n})"


class OwnDict:
    """Dictionaries with a space for each name."""

    def __init__(self, spaces: Mapping[str, OwnDiscrete], seed: int | None = None) -> None:
        self.spaces = dict(spaces)
        self.seed(seed)

    def seed(self, seed: int | None = None) -> None:
        """Begin the sequence of samples of a seed."""
        seeds = random.Random(seed)
        for space in self.spaces.values():
            space.seed(seeds.getrandbits(32))

    def sample(self) -> dict[str, int]:
        """Return a dictionary at random."""
        return {name: space.sample() for name, space in self.spaces.items()}

    def contains(self, x: Any) -> bool:
        """Return whether x has a value of its space for each name, and nothing else."""
        return isinstance(x, Mapping) and x.keys() == self.spaces.keys() and all(x[name] in space for name, space in self.spaces.items())

    __contains__ = contains

    def __getitem__(self, name: str) -> OwnDiscrete:
        return self.spaces[name]

    def __repr__(self) -> str:
        return f"Dict({', '.join(f'{name!r}: {space!r}' for name, space in self.spaces.items())})"


class OwnEnv:
    """What is used of gymnasium.Env."""

    metadata: dict[str, Any] = {"render_modes": []}
    action_space: Any
    observation_space: Any

    @property
    def unwrapped(self) -> OwnEnv:
        """The environment itself."""
        return self

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Begin an episode; the base has nothing to do."""

    def __enter__(self) -> OwnEnv:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the environment."""


if GYMNASIUM and not TYPE_CHECKING:
    Env, Dict, Discrete = gymnasium.Env, gymnasium.spaces.Dict, gymnasium.spaces.Discrete
else:
    Env, Dict, Discrete = OwnEnv, OwnDict, OwnDiscrete
