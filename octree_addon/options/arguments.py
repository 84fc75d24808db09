"""Options on a command line: those that declare a word; no Blender here."""

import argparse
from collections.abc import Collection
from typing import Any

from .declared import Option, OptionGroup

# The limits of a property that declares none: of 32 bits, of single precision.
_MOST = {"integer": 2**31 - 1, "real": (2 - 2**-23) * 2.0**127}
_TYPES: dict[str, type] = {"integer": int, "real": float, "string": str}


def add_arguments(
    parser: argparse.ArgumentParser, options: type[OptionGroup], exclusive: Collection[str] = ()
) -> None:
    """Add an argument for each option that declares a word.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        What is added to.
    options : type of OptionGroup
        What is added.
    exclusive : collection of str, optional
        The names of options of which at most one may be given.
    """
    # An empty group would break the help.
    group: Any = parser.add_mutually_exclusive_group() if exclusive else parser
    for name, each in options.flat.items():
        if each.argument:
            (group if name in exclusive else parser).add_argument(
                each.argument, dest=name, default=argparse.SUPPRESS, **_described(each)
            )


def given(arguments: argparse.Namespace, options: type[OptionGroup]) -> dict[str, Any]:
    """Return the values that were typed, by name; a `ValueError` if one is out of its limits."""
    typed = [name for name, each in options.flat.items() if each.argument and name in arguments]
    found = {name: getattr(arguments, name) for name in typed}
    for name, value in found.items():
        _check(options.flat[name], value)
    return found


def _described(option: Option) -> dict[str, Any]:
    """Return how the parser describes an option: its tooltip, unit and default."""
    said = f"{option.tooltip[0].lower()}{option.tooltip[1:]}".replace("%", "%%")
    if option.kind == "boolean":
        return {"action": "store_true", "help": said}
    is_length = option.extra.get("subtype") == "DISTANCE"
    unit = ", in Blender units" if is_length else ""
    return {
        "type": _TYPES[option.kind],
        "metavar": "LENGTH" if is_length else "COUNT",
        "help": f"{said}{unit}; {option.default:g}",
    }


def _check(option: Option, value: Any) -> None:
    """Refuse a number out of the limits of its property."""
    if option.kind not in _MOST:
        return
    most = _MOST[option.kind]
    lower, upper = option.extra.get("min", -most), option.extra.get("max", most)
    if not lower <= value <= upper:
        raise ValueError(f"{option.argument} must be {lower:.10g} to {upper:.10g}")
