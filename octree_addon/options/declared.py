"""Declared options: frozen records with a description of each field; independent of Blender."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, ClassVar, Self, dataclass_transform

Condition = Callable[[Any], bool]
# Property arguments of settings only or operators only; None if they do not have the property.
Extra = Mapping[str, Any] | None


@dataclass(eq=False, kw_only=True)
class Option:
    """One option: its default, texts and limits.

    Attributes
    ----------
    kind : str
        The name of the factory in `fields` that declares the option.
    default : Any
        The value in a new scene.
    label, tooltip : str
        The texts in Blender's interface.
    name : str
        The name in the class of the record, in Blender's properties, and in JSON.
    items : Mapping of str to (str, str) or (str, str, str)
        The label and tooltip, and perhaps the icon, of each item of an enumeration. Either all
        items have an icon or none.
    data : str
        The collection of `bpy.data` for a pointer, or for a text with the name of a data-block.
    shown : function, optional
        Condition on the owner of the properties under which the row is shown.
    heading : str
        The heading of a column of rows; neighbors with the same heading share it.
    empty : str
        The text shown for an empty or zero value.
    extra, settings, operator : Mapping of str to Any
        Arguments of the property: everywhere, only in settings, and only in operators.
    argument : str
        The command line argument, such as "--rings"; empty for none.
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
        """Store the name of the class attribute."""
        self.name = name

    def flattened(self) -> Iterator["Option"]:
        """Yield the option itself."""
        yield self

    def value_in(self, values: Mapping[str, Any]) -> Any:
        """Return the value of this option from flat values, or the default."""
        return values.get(self.name, self.default)


@dataclass(eq=False, kw_only=True)
class Nested:
    """A record of options inside another record; its properties are added to the owner's.

    Attributes
    ----------
    default : OptionGroup
        The values in a new scene.
    shown : function, optional
        A condition for all rows, in addition to their own.
    heading : str, optional
        The heading of a column with all rows.
    """

    default: "OptionGroup"
    shown: Condition | None = None
    heading: str = ""

    def flattened(self) -> Iterator[Option]:
        """Yield the inner options with the defaults, condition and heading of this record."""
        values = self.default.values()
        for name, each in self.default.flat.items():
            shown, heading = _both(self.shown, each.shown), self.heading or each.heading
            yield replace(each, default=values[name], shown=shown, heading=heading)

    def value_in(self, values: Mapping[str, Any]) -> "OptionGroup":
        """Return the inner record from flat values; missing ones are the defaults."""
        return type(self.default).of({**self.default.values(), **values})


def _both(one: Condition | None, other: Condition | None) -> Condition | None:
    """Return the conjunction of two conditions; None is always true."""
    if one is None or other is None:
        return one or other
    return lambda owner: one(owner) and other(owner)


@dataclass_transform(frozen_default=True, kw_only_default=True)
class OptionGroup:
    """Base of records of options; each subclass becomes a frozen, keyword-only dataclass.

    Options of base classes come first, in the order of the bases.

    Attributes
    ----------
    flat : Mapping of str to Option
        All options by name, those of nested records included.
    """

    flat: ClassVar[Mapping[str, Option]] = MappingProxyType({})
    _declared: ClassVar[Mapping[str, Option | Nested]] = MappingProxyType({})

    def __init_subclass__(cls) -> None:
        """Collect the options, and replace them in the class by their defaults."""
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
        """Return the record of flat values; missing values are the defaults."""
        return cls(**{name: each.value_in(values) for name, each in cls._declared.items()})

    def values(self) -> dict[str, Any]:
        """Return the flat values of all options, by name."""
        found: dict[str, Any] = {}
        for name in self._declared:
            value = getattr(self, name)
            found |= value.values() if isinstance(value, OptionGroup) else {name: value}
        return found


def when(option: Any, *values: Any) -> Condition:
    """Return a condition that is true if the owner's option has one of these values.

    Parameters
    ----------
    option : Option
        An option declared above in the same class body, or `Owner.flat["name"]`.
    *values : Any
        At least one value; for an enumeration, its items.

    Returns
    -------
    function
        A condition for `shown`.

    Raises
    ------
    TypeError
        If `option` is no `Option`: outside the class body, the attribute is the default value.
    ValueError
        If an enumeration does not have all of the values as items.
    """
    if not isinstance(option, Option):
        raise TypeError('outside its class, an option is Owner.flat["name"]')
    if option.items and not set(values) <= set(option.items):
        raise ValueError(f"{values} must be items of {option.label}: {', '.join(option.items)}")
    return lambda owner: getattr(owner, option.name) in values
