"""Settings: the scene's own, the operators' properties of the same names, and both in rows."""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

import bpy

# Text properties of operators that name something, and where it is looked up.
_SEARCHED = {"camera": "objects", "bounds_object": "objects", "collection": "collections"}


def settings_of(scene: bpy.types.Scene) -> Any:
    """Return what the scene remembers: `OctreeSettings`, put together from all features."""
    return scene.octree  # type: ignore[attr-defined]


def tag_redraw(_: Any = None, context: bpy.types.Context | None = None) -> None:
    """Redraw every 3D view; also the callback of settings that change the picture."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def take(operator: bpy.types.Operator, settings: Any) -> None:
    """Fill the properties that the caller left alone from settings of the same names.

    An explicit value wins; what Blender itself remembers of an earlier call does not count.
    Operators cannot point at data: where the settings do, the operator has the name.

    Parameters
    ----------
    operator : bpy.types.Operator
        Any operator.
    settings : bpy.types.PropertyGroup
        Its properties that the operator lacks do not count.
    """
    for name, kind in _shared(operator, settings):
        if not operator.properties.is_property_set(name):
            value = getattr(settings, name)
            setattr(operator, name, (value.name if value else "") if kind else value)


def write_back(operator: bpy.types.Operator, settings: Any) -> None:
    """Keep in the scene's settings what the operator ran with.

    Parameters
    ----------
    operator : bpy.types.Operator
        Any operator.
    settings : bpy.types.PropertyGroup
        As for `take`. A name that nothing has leaves a pointer empty.
    """
    for name, kind in _shared(operator, settings):
        value = getattr(operator, name)
        if kind:
            owner = settings.id_data if kind == "objects" else bpy.data
            value = getattr(owner, kind).get(value)
        setattr(settings, name, value)


def _shared(operator: bpy.types.Operator, settings: Any) -> Iterator[tuple[str, str]]:
    """Yield the names that both have; with a pointer's, where what it points at is found."""
    known = operator.properties.bl_rna.properties
    for each in settings.bl_rna.properties:
        if each.identifier in known and not each.is_readonly:
            is_pointer = each.type == "POINTER"
            yield each.identifier, f"{each.fixed_type.identifier.lower()}s" if is_pointer else ""


def given_values(operator: bpy.types.Operator) -> dict[str, Any]:
    """Return the properties that the caller set.

    Parameters
    ----------
    operator : bpy.types.Operator
        Any operator.

    Returns
    -------
    dict of str to Any
        Values by name.
    """
    properties = operator.properties
    names = [each.identifier for each in properties.bl_rna.properties if not each.is_readonly]
    return {name: getattr(operator, name) for name in names if properties.is_property_set(name)}


def named_object(scene: bpy.types.Scene, name: str) -> bpy.types.Object:
    """Return the object that a text property names.

    Parameters
    ----------
    scene : bpy.types.Scene
        Where to look.
    name : str
        Its name.

    Returns
    -------
    bpy.types.Object
        The object.

    Raises
    ------
    ValueError
        If the scene has no object of this name.
    """
    item: bpy.types.Object | None = scene.objects.get(name)
    if item is None:
        raise ValueError(f"The scene has no object named {name}")
    return item


class SidebarPanel(bpy.types.Panel):
    """Where all our panels are."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Octree"


class SubPanel(SidebarPanel):
    """A panel inside the main one; its place among the others is `bl_order`."""

    bl_parent_id = "OCTREE_PT_main"


def column_of(drawn: bpy.types.Panel | bpy.types.Operator) -> bpy.types.UILayout:
    """Return the single column that the properties of a panel or a redo panel stand in."""
    drawn.layout.use_property_split = True
    drawn.layout.use_property_decorate = False
    return drawn.layout.column()


def draw_rows(layout: bpy.types.UILayout, owner: Any, names: Iterable[str]) -> None:
    """Show properties, a row each, as far as their owner has them.

    Parameters
    ----------
    layout : bpy.types.UILayout
        Where they are shown.
    owner : bpy.types.Operator or bpy.types.PropertyGroup
        An operator names what the scene's settings point at; the name can be searched for.
    names : iterable of str
        Which of its properties, in this order.
    """
    known = getattr(owner, "properties", owner).bl_rna.properties
    for name in names:
        if name in known and known[name].type == "STRING" and name in _SEARCHED:
            place = bpy.context.scene if _SEARCHED[name] == "objects" else bpy.data
            layout.prop_search(owner, name, place, _SEARCHED[name])
        elif name in known:
            layout.prop(owner, name)


def draw_hint(
    layout: bpy.types.UILayout, text: str, icon: Literal["INFO", "ERROR"] = "INFO"
) -> None:
    """Put a sentence under the properties that it is about.

    Parameters
    ----------
    layout : bpy.types.UILayout
        Where the properties are.
    text : str
        The sentence.
    icon : str
        What stands before it.
    """
    row = layout.row()
    row.alignment = "RIGHT"
    row.label(text=text, icon=icon)


def draw_table(
    layout: bpy.types.UILayout, rows: Iterable[tuple[str, str]], *, names: float = 0.5
) -> None:
    """Show names and values, a line each; the names take this share of the width."""
    column = layout.column(align=True)
    for name, value in rows:
        row = column.split(factor=names)
        row.alignment = "RIGHT"
        row.label(text=name)
        row.alignment = "LEFT"
        row.label(text=value)


def number(count: int, noun: str) -> str:
    """Write a number and what it counts, with an s if it is not one."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
