"""The groups that each program uses."""

from collections.abc import Mapping

from tdl.config.files import file


def groups(program: str) -> dict[str, str | None]:
    """The groups that a program uses, with the choice that holds if nothing is said; None: there is none."""
    chosen: dict[str, str | None] = {}
    for each in file(program)["defaults"]:
        if isinstance(each, Mapping):
            chosen |= {str(group): choice for group, choice in each.items() if not str(group).startswith("override ")}
    return chosen
