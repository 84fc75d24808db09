"""Options to JSON and back: unknown names are ignored, invalid values become the defaults."""

from collections.abc import Mapping
from typing import Any, TypeVar

from .declared import Option, OptionGroup

Read = TypeVar("Read", bound=OptionGroup)


def as_json(options: OptionGroup) -> dict[str, Any]:
    """Return the flat values to save in a file, without hidden options."""
    flat = options.flat
    return {
        name: value
        for name, value in options.values().items()
        if "HIDDEN" not in flat[name].extra.get("options", ())
    }


def from_values(options: type[Read], values: Mapping[str, Any]) -> Read:
    """Return the record of flat values from a file."""
    fit = {
        name: type(each.default)(values[name])
        for name, each in options.flat.items()
        if name in values and _is_fit(each, values[name])
    }
    return options.of(fit)


def _is_fit(option: Option, value: Any) -> bool:
    """Return whether a value has the type of an option and, for enumerations, is an item."""
    if option.kind == "real":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if option.kind in ("switches", "vector"):
        return isinstance(value, list | tuple) and len(value) == len(option.default)
    if type(value) is not type(option.default):
        return False
    return not option.items or value in option.items
