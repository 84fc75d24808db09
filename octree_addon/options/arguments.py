"""Command line arguments from the options that declare one; independent of Blender."""

import argparse
from collections.abc import Collection
from typing import Any

from .declared import Option, OptionGroup

# Limits of properties without declared limits: of 32-bit integers and of single precision.
_MOST = {"integer": 2**31 - 1, "real": (2 - 2**-23) * 2.0**127}
_TYPES: dict[str, type] = {"integer": int, "real": float, "string": str}


def add_arguments(
    parser: argparse.ArgumentParser, options: type[OptionGroup], exclusive: Collection[str] = ()
) -> None:
    """Add an argument to a parser for each option that declares one.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        The parser.
    options : type of OptionGroup
        The options.
    exclusive : collection of str, optional
        Names of mutually exclusive options.
    """
    # argparse fails to format the help of an empty group.
    group: Any = parser.add_mutually_exclusive_group() if exclusive else parser
    for name, each in options.flat.items():
        if each.argument:
            (group if name in exclusive else parser).add_argument(
                each.argument, dest=name, default=argparse.SUPPRESS, **_described(each)
            )


def given(arguments: argparse.Namespace, options: type[OptionGroup]) -> dict[str, Any]:
    """Return the values given on the command line, by name of the option.

    Raises a `ValueError` if a number is out of its limits.
    """
    typed = [name for name, each in options.flat.items() if each.argument and name in arguments]
    found = {name: getattr(arguments, name) for name in typed}
    for name, value in found.items():
        _check(options.flat[name], value)
    return found


def _described(option: Option) -> dict[str, Any]:
    """Return the arguments of `add_argument` for an option: type, help, unit and default."""
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
    """Raise a `ValueError` if a number is out of the limits of its property."""
    if option.kind not in _MOST:
        return
    most = _MOST[option.kind]
    lower, upper = option.extra.get("min", -most), option.extra.get("max", most)
    if not lower <= value <= upper:
        raise ValueError(f"{option.argument} must be {lower:.10g} to {upper:.10g}")
