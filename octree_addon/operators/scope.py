"""Which objects an operator is about, and how many triangles it may take on."""

import bpy

from ..preferences import limits


def chosen_objects(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Return the selected objects, and those in edit mode, selected or not.

    Parameters
    ----------
    context : bpy.types.Context
        Its view layer and mode.

    Returns
    -------
    list of bpy.types.Object
        Each once; hidden ones too.
    """
    return list(dict.fromkeys([*context.view_layer.objects.selected, *edited_objects(context)]))


def edited_objects(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Return the objects in edit mode.

    Parameters
    ----------
    context : bpy.types.Context
        Its view layer and mode.

    Returns
    -------
    list of bpy.types.Object
        Empty in other modes.
    """
    return list(context.objects_in_mode) if context.mode.startswith("EDIT") else []


def visible_objects(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Return what the 3D view shows or, outside a 3D view, the view layer.

    Parameters
    ----------
    context : bpy.types.Context
        Its view layer and 3D view.

    Returns
    -------
    list of bpy.types.Object
        In the order of the view layer.
    """
    layer = context.view_layer
    return [item for item in layer.objects if item.visible_get(view_layer=layer)]


def viewport_of(context: bpy.types.Context) -> bpy.types.SpaceView3D | None:
    """Return the 3D view that the operator was called from, if it was one.

    Parameters
    ----------
    context : bpy.types.Context
        Of the operator.

    Returns
    -------
    bpy.types.SpaceView3D or None
        None in other editors and in background.
    """
    space = context.space_data
    return space if isinstance(space, bpy.types.SpaceView3D) else None


def is_too_much(triangles: int) -> bool:
    """Tell whether the user wants to be asked first.

    Parameters
    ----------
    triangles : int
        To be divided.

    Returns
    -------
    bool
        By the limit in the preferences.
    """
    return triangles > limits().triangles


def refuse_too_much(triangles: int) -> None:
    """Stop where nobody can be asked.

    Parameters
    ----------
    triangles : int
        To be divided.

    Raises
    ------
    ValueError
        Beyond the limit in the preferences.
    """
    if is_too_much(triangles):
        raise ValueError(
            f"{triangles:,} triangles are more than the {limits().triangles:,}"
            " that the preferences allow"
        )
