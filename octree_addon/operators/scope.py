"""Where an operator was called from, and how many triangles it may take on."""

import bpy

from ..preferences import limits


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
