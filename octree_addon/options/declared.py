"""Declared options: a frozen record whose fields also describe themselves; no Blender here."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, ClassVar, Self, dataclass_transform

Condition = Callable[[Any], bool]
# Property arguments where settings and operators differ; None if the property is missing there.
Extra = Mapping[str, Any] | None


@dataclass(eq=False, kw_only=True)
class Option:
    """One option: its default, texts and limits.

    Attributes
    ----------
    kind : str
        The factory in `fields` that declares it.
    default : Any
        The value in a new scene.
    label, tooltip : str
        The texts in Blender's interface.
    name : str
        The name in its class, in Blender's properties, and in JSON.
    items : Mapping of str to (str, str) or (str, str, str)
        The label and tooltip of each item of an enumeration; an icon as well, or none has one.
    data : str
        The collection of `bpy.data` that a pointer points into, or a text names one of.
    shown : function, optional
        Takes the owner of the properties; returns whether the row is shown.
    heading : str
        The heading of the column that the row stands in, with its neighbors.
    empty : str
        The text that stands for an empty or zero value.
    extra, settings, operator : Mapping of str to Any
        Arguments of the property everywhere, in settings and in operators.
    argument : str
        The word on a command line, such as "--rings".
    """

    kind: str
    default: Any
    label: str
    tooltip: str
    name: str = ""
    items: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    data: str = ""
    shown: Condition | None = None
    heading: str = ""
    empty: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    settings: Extra = field(default_factory=dict)
    operator: Extra = field(default_factory=dict)
    argument: str = ""

    def __set_name__(self, owner: type, name: str) -> None:
        """Take the name from the class."""
        self.name = name

    def flattened(self) -> Iterator["Option"]:
        """Yield the option itself."""
        yield self

    def value_in(self, values: Mapping[str, Any]) -> Any:
        """Return the value by its name, or the default."""
        return values.get(self.name, self.default)


@dataclass(eq=False, kw_only=True)
class Nested:
    """Options inside others; their properties stand among those of the owner.

    Attributes
    ----------
    default : OptionGroup
        The values in a new scene.
    shown : function, optional
        The condition of all rows, beside their own.
    heading : str, optional
        The heading of a column with all rows.
    """

    default: "OptionGroup"
    shown: Condition | None = None
    heading: str = ""

    def flattened(self) -> Iterator[Option]:
        """Yield the inner options with the defaults and the condition that they have here."""
        values = self.default.values()
        for name, each in self.default.flat.items():
            shown, heading = _both(self.shown, each.shown), self.heading or each.heading
            yield replace(each, default=values[name], shown=shown, heading=heading)

    def value_in(self, values: Mapping[str, Any]) -> "OptionGroup":
        """Return the inner record of flat values."""
        return type(self.default).of({**self.default.values(), **values})


def _both(one: Condition | None, other: Condition | None) -> Condition | None:
    """Return the condition that holds if both hold."""
    if one is None or other is None:
        return one or other
    return lambda owner: one(owner) and other(owner)


@dataclass_transform(frozen_default=True, kw_only_default=True)
class OptionGroup:
    """Base of records of options; each subclass becomes a frozen, keyword-only dataclass.

    The rows of base classes stand first, in the order of the bases.

    Attributes
    ----------
    flat : Mapping of str to Option
        All options by name, those of nested records included.
    """

    flat: ClassVar[Mapping[str, Option]] = MappingProxyType({})
    _declared: ClassVar[Mapping[str, Option | Nested]] = MappingProxyType({})

    def __init_subclass__(cls) -> None:
        """Collect the options; leave their defaults for the dataclass."""
        own: dict[str, Any] = {name: vars(cls).get(name) for name in inspect.get_annotations(cls)}
        for name, each in own.items():
            if not isinstance(each, Option | Nested):
                raise TypeError(f"{cls.__name__}.{name} must be declared by a factory of `fields`")
            setattr(cls, name, each.default)
        inherited = [base._declared for base in cls.__bases__ if issubclass(base, OptionGroup)]
        cls._declared = {name: each for part in (*inherited, own) for name, each in part.items()}
        options = [one for each in cls._declared.values() for one in each.flattened()]
        cls.flat = MappingProxyType({each.name: each for each in options})
        if len(cls.flat) < len(options):
            raise TypeError(f"{cls.__name__} has two options of the same name")
        dataclass(frozen=True, kw_only=True)(cls)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Return the record of flat values; those that are missing are as in a new scene."""
        return cls(**{name: each.value_in(values) for name, each in cls._declared.items()})

    def values(self) -> dict[str, Any]:
        """Return the flat values by name."""
        found: dict[str, Any] = {}
        for name in self._declared:
            value = getattr(self, name)
            found |= value.values() if isinstance(value, OptionGroup) else {name: value}
        return found


def when(option: Any, *values: Any) -> Condition:
    """Return a condition: whether the owner's option has one of these values.

    Parameters
    ----------
    option : Option
        Declared above in the same class body, or `Owner.flat["name"]`.
    *values : Any
        At least one; items of an enumeration.

    Returns
    -------
    function
        For `shown`.

    Raises
    ------
    TypeError
        If `option` is a value: outside its class body, an attribute is the default.
    ValueError
        If an enumeration has no such item.
    """
    if not isinstance(option, Option):
        raise TypeError('outside its class, an option is Owner.flat["name"]')
    if option.items and not set(values) <= set(option.items):
        raise ValueError(f"{values} must be items of {option.label}: {', '.join(option.items)}")
    return lambda owner: getattr(owner, option.name) in values
