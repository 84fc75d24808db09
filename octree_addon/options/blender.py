"""Options in Blender: groups of settings, properties of operators, rows of the interface."""

import inspect
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Generic, TypeVar, get_args

import bpy
from bpy.props import (
    BoolProperty,
    BoolVectorProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ..ui import column_of
from .declared import Option, OptionGroup

Asked = TypeVar("Asked", bound=OptionGroup)
Other = TypeVar("Other", bound=OptionGroup)
_MAKERS: Mapping[str, Any] = {
    "boolean": BoolProperty,
    "integer": IntProperty,
    "real": FloatProperty,
    "string": StringProperty,
    "switches": BoolVectorProperty,
    "vector": FloatVectorProperty,
    "enum": EnumProperty,
}
_POINTED = {
    "objects": bpy.types.Object,
    "collections": bpy.types.Collection,
    "materials": bpy.types.Material,
}
_OPERATOR: Any = bpy.types.Operator.bl_rna
# Of an item, the label and the tooltip; with an icon Blender wants a number as well.
_TEXTS = 2
# Names that operators own already. `dir` does not list all of them.
_OWNED = {*_OPERATOR.properties.keys(), *_OPERATOR.functions.keys()}


def settings_group(options: type[OptionGroup], name: str) -> type[bpy.types.PropertyGroup]:
    """Return a class of settings with these options; pointers point at data."""
    members = {
        "__annotations__": _properties(options, is_operator=False),
        "__doc__": options.__doc__,
        "__module__": options.__module__,
    }
    return type(name, (bpy.types.PropertyGroup,), members)


class Asking(Generic[Asked]):
    """The part of an operator that has options; a mixin: `class X(Asking[Views], Operator)`.

    The properties of the operator are made from the options. Pointers are names there.

    Attributes
    ----------
    asks : type of OptionGroup
        The options.
    """

    asks: type[Asked]

    def __init_subclass__(cls) -> None:
        """Make the properties of the options that the class is of."""
        super().__init_subclass__()
        bases = vars(cls).get("__orig_bases__", ())
        for each in (argument for base in bases for argument in get_args(base)):
            if isinstance(each, type) and issubclass(each, OptionGroup):
                if hidden := _OWNED & each.flat.keys():
                    raise TypeError(f"operators own {', '.join(sorted(hidden))}")
                cls.asks = each  # type: ignore[assignment]
                own = inspect.get_annotations(cls)
                cls.__annotations__ = {**_properties(each, is_operator=True), **own}

    @property
    def taken(self) -> Asked:
        """The options as the operator has them now."""
        return read(self, self.asks)

    def take(self, *settings: Any) -> Asked:
        """Fill the options that the caller left alone from settings; return all.

        An explicit value wins; what Blender itself remembers of an earlier call does not count.
        """
        operator: Any = self
        for each in settings:
            for option in _shared(self.asks, each):
                if not operator.properties.is_property_set(option.name):
                    setattr(operator, option.name, _value(each, option))
        return self.taken

    def put(self, **values: Any) -> None:
        """Set options of the operator: what it works with instead of what was not given."""
        for name, value in values.items():
            setattr(self, self.asks.flat[name].name, value)

    def write_back(self, *settings: Any) -> None:
        """Keep in settings what the operator ran with.

        Equal values are not written: writing a pointer makes Blender sort all objects anew, two
        seconds for 30,000.
        """
        for each in settings:
            for option in _shared(self.asks, each):
                value = _value(self, option)
                if value != _value(each, option):
                    setattr(each, option.name, _pointed(each, option, value))

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the redo panel."""
        operator: Any = self
        draw_options(column_of(operator), operator, self.asks)


def read(owner: Any, options: type[Other]) -> Other:
    """Return the record of the properties of an operator or of settings."""
    return options.of({name: _value(owner, each) for name, each in options.flat.items()})


def draw_options(
    layout: bpy.types.UILayout,
    owner: Any,
    options: type[OptionGroup],
    without: Collection[str] = (),
) -> None:
    """Show the options that count, a row each, from top to bottom.

    Parameters
    ----------
    layout : bpy.types.UILayout
        Where the rows stand.
    owner : bpy.types.Operator or bpy.types.PropertyGroup
        The owner of the properties.
    options : type of OptionGroup
        The options.
    without : collection of str, optional
        Names of options that have no row here.
    """
    known = getattr(owner, "properties", owner).bl_rna.properties
    column, heading = layout, ""
    for name, each in options.flat.items():
        is_there = name in known and name not in without and not known[name].is_hidden
        if is_there and (each.shown is None or each.shown(owner)):
            if each.heading != heading:
                heading = each.heading
                column = layout.column(heading=heading, align=True) if heading else layout
            _draw_row(column, owner, each)


def _draw_row(layout: bpy.types.UILayout, owner: Any, option: Option) -> None:
    """Show one option; the text for an empty value stands in its field, or beside a number."""
    is_empty = bool(option.empty) and not getattr(owner, option.name)
    if is_empty and option.kind == "real":
        row = layout.row()
        row.prop(owner, option.name)
        row.label(text=option.empty)
    elif option.data and isinstance(getattr(owner, option.name), str):
        place = bpy.context.scene if option.data == "objects" else bpy.data
        layout.prop_search(owner, option.name, place, option.data)
    elif is_empty:
        layout.prop(owner, option.name, placeholder=option.empty)
    else:
        layout.prop(owner, option.name)


def _properties(options: type[OptionGroup], *, is_operator: bool) -> dict[str, Any]:
    """Return the annotations that make Blender's properties, by name."""
    found = {}
    for name, each in options.flat.items():
        extra = each.operator if is_operator else each.settings
        if extra is not None:
            found[name] = _property(each, is_operator, {**each.extra, **extra})
    return found


def _property(option: Option, is_operator: bool, extra: Mapping[str, Any]) -> Any:
    """Return the property of one option."""
    # Without a name, Blender takes the identifier; an empty name would stay empty.
    texts: dict[str, Any] = {"name": option.label} if option.label else {}
    texts["description"] = option.tooltip
    if option.kind != "pointer":
        items = [
            (name, *said, *[number] * (len(said) > _TEXTS))
            for number, (name, said) in enumerate(option.items.items())
        ]
        of_kind = {"items": items} if items else {}
        return _MAKERS[option.kind](**{**texts, "default": option.default, **of_kind, **extra})
    if is_operator:
        return StringProperty(**{**texts, **extra})
    return PointerProperty(type=_POINTED[option.data], **{**texts, **extra})


def _shared(options: type[OptionGroup], settings: Any) -> Iterable[Option]:
    """Return the options that settings and operators both have."""
    known = settings.bl_rna.properties
    return [
        each
        for name, each in options.flat.items()
        if name in known and each.operator is not None and not known[name].is_readonly
    ]


def _value(owner: Any, option: Option) -> Any:
    """Return the value that a record holds; of a pointer, the name."""
    value = getattr(owner, option.name, option.default)
    if option.kind == "pointer" and not isinstance(value, str):
        return value.name if value else ""
    return tuple(value) if option.kind in ("switches", "vector") else value


def _pointed(settings: Any, option: Option, value: Any) -> Any:
    """Return the value that settings hold; of a name, the data-block."""
    if option.kind != "pointer":
        return value
    owner = settings.id_data if option.data == "objects" else bpy.data
    return getattr(owner, option.data).get(value)
