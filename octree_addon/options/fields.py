"""Factories of options: an `Option` at runtime, the value of the record for type checkers."""

from collections.abc import Mapping
from typing import Any, Literal, TypedDict, TypeVar, Unpack

from .declared import Condition, Extra, Nested, Option, OptionGroup

Data = Literal["objects", "collections", "materials"]
Item = TypeVar("Item", bound=str)
Record = TypeVar("Record", bound=OptionGroup)


class Common(TypedDict, total=False):
    """Optional arguments of all factories, for the fields of `Option` or Blender's property."""

    shown: Condition | None
    empty: str
    settings: Extra
    operator: Extra
    argument: str
    translation_context: str
    subtype: str
    options: set[str]
    maxlen: int


class Number(Common, total=False):
    """Optional arguments for numbers, from `IntProperty` and `FloatProperty`."""

    min: float
    soft_min: float
    max: float
    soft_max: float
    step: int
    precision: int
    unit: str


_OF_OPTION = {"shown", "empty", "settings", "operator", "argument"}


def boolean(default: bool, label: str, tooltip: str, **more: Unpack[Common]) -> bool:
    """Declare a check box."""
    return _option("boolean", default, label, tooltip, more)


def integer(default: int, label: str, tooltip: str, **more: Unpack[Number]) -> int:
    """Declare a whole number."""
    return _option("integer", default, label, tooltip, more)


def real(default: float, label: str, tooltip: str, **more: Unpack[Number]) -> float:
    """Declare a real number."""
    return _option("real", default, label, tooltip, more)


def string(
    default: str, label: str, tooltip: str, data: Data | None = None, **more: Unpack[Common]
) -> str:
    """Declare a text; with `data`, the name of a data-block, with a search field."""
    return _option("string", default, label, tooltip, more, data=data or "")


def switches(
    default: tuple[bool, ...], label: str, tooltip: str, **more: Unpack[Common]
) -> tuple[bool, ...]:
    """Declare a row of check boxes, such as one for each axis."""
    return _option("switches", default, label, tooltip, {**more, "size": len(default)})


def vector(
    default: tuple[float, float, float], label: str, tooltip: str, **more: Unpack[Number]
) -> tuple[float, float, float]:
    """Declare three numbers, such as a position."""
    return _option("vector", default, label, tooltip, more)


def pointer(data: Data, label: str, tooltip: str, **more: Unpack[Common]) -> str:
    """Declare a pointer to a data-block; records and operators hold its name instead."""
    return _option("pointer", "", label, tooltip, more, data=data)


def enum(
    default: Item,
    label: str,
    tooltip: str,
    items: Mapping[Item, tuple[str, str] | tuple[str, str, str]],
    **more: Unpack[Common],
) -> Item:
    """Declare an enumeration; `items` has the label, the tooltip and perhaps the icon of each."""
    return _option("enum", default, label, tooltip, more, items=items)


def nested(default: Record, shown: Condition | None = None, heading: str = "") -> Record:
    """Declare a record inside another; `default` gives the defaults of its options."""
    made: Any = Nested(default=default, shown=shown, heading=heading)
    return made


def _option(
    kind: str, default: Any, label: str, tooltip: str, more: Mapping[str, Any], **known: Any
) -> Any:
    """Return an `Option`; arguments without a field in it become arguments of the property."""
    own = {key: value for key, value in more.items() if key in _OF_OPTION}
    extra = {key: value for key, value in more.items() if key not in _OF_OPTION}
    return Option(
        kind=kind, default=default, label=label, tooltip=tooltip, extra=extra, **own, **known
    )
