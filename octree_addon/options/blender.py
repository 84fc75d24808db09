"""Options in Blender: property groups of settings, properties of operators, and their rows."""

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
# Texts of an item: label and tooltip. With an icon, Blender also needs a number.
_TEXTS = 2
# Names that bpy.types.Operator already has; `dir` does not list all of them.
_OWNED = {*_OPERATOR.properties.keys(), *_OPERATOR.functions.keys()}


def settings_group(options: type[OptionGroup], name: str) -> type[bpy.types.PropertyGroup]:
    """Return a property group with these options; pointers are real pointers to data-blocks."""
    members = {
        "__annotations__": _properties(options, is_operator=False),
        "__doc__": options.__doc__,
        "__module__": options.__module__,
    }
    return type(name, (bpy.types.PropertyGroup,), members)


class Asking(Generic[Asked]):
    """An operator with options; a mixin: `class X(Asking[Views], Operator)`.

    The options become properties of the operator, pointers as names.

    Attributes
    ----------
    asks : type of OptionGroup
        The options.
    """

    asks: type[Asked]

    def __init_subclass__(cls) -> None:
        """Add the properties of the option class in the brackets of `Asking`."""
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
        """The present options of the operator, as a record."""
        return read(self, self.asks)

    def take(self, *settings: Any) -> Asked:
        """Fill options that the caller has not set from settings; return all options.

        Values that Blender remembers from an earlier call are not set by the caller.
        """
        operator: Any = self
        for each in settings:
            for option in _shared(self.asks, each):
                if not operator.properties.is_property_set(option.name):
                    setattr(operator, option.name, _value(each, option))
        return self.taken

    def put(self, **values: Any) -> None:
        """Set options of the operator, by name."""
        for name, value in values.items():
            setattr(self, self.asks.flat[name].name, value)

    def write_back(self, *settings: Any) -> None:
        """Write the operator's options into settings.

        Equal values are not written: a write to a pointer makes Blender sort all objects again,
        two seconds for 30,000 objects.
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
    """Return the record of options in the properties of an operator or of settings."""
    return options.of({name: _value(owner, each) for name, each in options.flat.items()})


def draw_options(
    layout: bpy.types.UILayout,
    owner: Any,
    options: type[OptionGroup],
    without: Collection[str] = (),
) -> None:
    """Draw the options whose condition is true, one row each, from top to bottom.

    Parameters
    ----------
    layout : bpy.types.UILayout
        The layout of the rows.
    owner : bpy.types.Operator or bpy.types.PropertyGroup
        The owner of the properties.
    options : type of OptionGroup
        The options.
    without : collection of str, optional
        Names of options to leave out.
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
    """Draw one option; the text for an empty value is inside the field, or beside a number."""
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
    """Return the annotations that declare Blender's properties, by name."""
    found = {}
    for name, each in options.flat.items():
        extra = each.operator if is_operator else each.settings
        if extra is not None:
            found[name] = _property(each, is_operator, {**each.extra, **extra})
    return found


def _property(option: Option, is_operator: bool, extra: Mapping[str, Any]) -> Any:
    """Return the declaration of the property of one option."""
    # Left out if empty, so that Blender uses the identifier as name.
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
    """Return the options that both settings and operators have, and can write."""
    known = settings.bl_rna.properties
    return [
        each
        for name, each in options.flat.items()
        if name in known and each.operator is not None and not known[name].is_readonly
    ]


def _value(owner: Any, option: Option) -> Any:
    """Return the value for a record; for a pointer, the name of the data-block."""
    value = getattr(owner, option.name, option.default)
    if option.kind == "pointer" and not isinstance(value, str):
        return value.name if value else ""
    return tuple(value) if option.kind in ("switches", "vector") else value


def _pointed(settings: Any, option: Option, value: Any) -> Any:
    """Return the value for settings; for a pointer, the data-block of this name."""
    if option.kind != "pointer":
        return value
    owner = settings.id_data if option.data == "objects" else bpy.data
    return getattr(owner, option.data).get(value)
