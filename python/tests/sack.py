"""A problem that has plans at once, and no proof for many seconds."""

from pathlib import Path

import fdplan


def sack(folder: Path, items: int = 120, limits: int = 24) -> fdplan.Problem:
    """Return a problem of packing items under several limits, written to a folder."""
    drawn = 1

    def draw() -> int:
        nonlocal drawn
        drawn = drawn * 48271 % 2147483647
        return 10 + drawn % 90

    names = [f"take{number}" for number in range(items)]

    def total() -> str:
        return " + ".join(f"{draw()} * {name}" for name in names)

    actions = " ".join(f"{name} : {{ action-fluent, bool, default = false }};" for name in names)
    rules = " ".join(f"{total()} <= {20 * items};" for _ in range(limits))
    domain = folder / "sack.rddl"
    domain.write_text(
        f"""domain sack {{
            pvariables {{ done : {{ state-fluent, bool, default = false }}; {actions} }};
            cpfs {{ done' = true; }};
            reward = {total()};
            action-preconditions {{ {rules} }};
        }}
        instance sack_1 {{ domain = sack; horizon = 1; discount = 1.0; }}""",
        encoding="utf-8",
    )
    return fdplan.Problem(domain=domain)
