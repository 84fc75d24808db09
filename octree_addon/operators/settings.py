"""An operator's properties and the scene's settings of the same names: taken, and written back."""

from typing import Any

import bpy

from ..options import option_names


def take(operator: bpy.types.Operator, settings: Any, options: type) -> None:
    """Fill the properties that the caller left alone from the scene's settings.

    An explicit value wins; what Blender itself remembers of an earlier call does not count.

    Parameters
    ----------
    operator : bpy.types.Operator
        Has the properties of `options`.
    settings : bpy.types.PropertyGroup
        Has them too.
    options : type
        The class that both inherit them from.
    """
    for name in option_names(options):
        if not operator.properties.is_property_set(name):
            setattr(operator, name, getattr(settings, name))


def write_back(operator: bpy.types.Operator, settings: Any, options: type) -> None:
    """Have the scene remember what the operator ran with.

    Parameters
    ----------
    operator : bpy.types.Operator
        Has the properties of `options`.
    settings : bpy.types.PropertyGroup
        Has them too.
    options : type
        The class that both inherit them from.
    """
    for name in option_names(options):
        setattr(settings, name, getattr(operator, name))


def take_name(operator: bpy.types.Operator, settings: Any, name: str) -> None:
    """Fill a property that names something, unless the caller did, from the scene's pointer.

    Parameters
    ----------
    operator : bpy.types.Operator
        Has a text property of this name: operators cannot point at data.
    settings : bpy.types.PropertyGroup
        Has a pointer of this name.
    name : str
        Of both properties.
    """
    if not operator.properties.is_property_set(name):
        item: bpy.types.ID | None = getattr(settings, name)
        setattr(operator, name, item.name if item else "")


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
