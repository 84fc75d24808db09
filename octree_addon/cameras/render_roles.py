"""Render visibility of placements that viewports show: ray visibility, render icons, holdouts.

The rules are those of Cycles and EEVEE.
"""

from collections.abc import Iterator
from typing import NamedTuple

import bpy
import numpy as np

from ..arrays import Flags, Ids
from ..reader import ScenePlacements, counts_as_scene, outside_views

# Names, for reports, of object types that have pixels in a render but no triangles here.
_NOT_COUNTED = {
    "CURVES": "hair",
    "GPENCIL": "Grease Pencil",
    "GREASEPENCIL": "Grease Pencil",
    "POINTCLOUD": "point clouds",
    "VOLUME": "volumes",
}


class Roles(NamedTuple):
    """Roles of n placements in a camera's render.

    Attributes
    ----------
    drawn : ndarray of bool, shape (n,)
        True if the placement is visible to camera rays.
    holdout : ndarray of bool, shape (n,)
        True if the placement is a holdout: it hides other placements and is not seen itself.
    """

    drawn: Flags
    holdout: Flags


def roles_of(depsgraph: bpy.types.Depsgraph, placements: ScenePlacements) -> Roles:
    """Return the roles of placements of a depsgraph in a render.

    The placements must stem from the present state of the depsgraph.
    """
    layer = depsgraph.view_layer
    rendered = set(_rendered(layer.layer_collection))
    owners = {item.session_uid: _own_role(item, layer) for item in layer.objects}
    nothing = (False, False)
    found = [owners.get(uid, nothing) for uid in placements.owners.tolist()]
    drawn, holdout = np.array(found, np.bool_).reshape(-1, 2).T
    drawn &= np.array([uid in rendered for uid in placements.owners.tolist()], np.bool_)
    (rows,) = placements.is_instance.nonzero()
    if len(rows):
        is_met, is_hole = _instance_roles(placements.shown[rows], placements.owners[rows])
        drawn[rows] &= is_met
        holdout[rows] |= is_hole
    return Roles(drawn, holdout & drawn)


def _own_role(item: bpy.types.Object, layer: bpy.types.ViewLayer) -> tuple[bool, bool]:
    """Return two flags of an object in a layer: visible to camera rays, and holdout."""
    is_met = item.visible_camera and not item.indirect_only_get(view_layer=layer)
    return is_met, item.is_holdout or item.holdout_get(view_layer=layer)


def _instance_roles(shown: Ids, owners: Ids) -> tuple[Flags, Flags]:
    """Return the flags of `Roles` for instances, given the session ids of objects and owners."""
    items = {item.session_uid: item for item in bpy.data.objects}
    # Geometry nodes and particles render instanced objects regardless of their render icons.
    makers = {uid for uid in set(owners.tolist()) if items[uid].instance_type == "COLLECTION"}
    pairs = zip([items[uid] for uid in shown.tolist()], owners.tolist(), strict=True)
    roles = [
        (item.visible_camera and not (owner in makers and item.hide_render), item.is_holdout)
        for item, owner in pairs
    ]
    is_met, is_hole = np.array(roles, np.bool_).T
    return is_met, is_hole


def _rendered(layer: bpy.types.LayerCollection) -> Iterator[int]:
    """Yield the session ids of objects that the render icons enable."""
    if layer.collection.hide_render:
        return
    if not layer.exclude:
        for item in layer.collection.objects:
            if not item.hide_render:
                yield item.session_uid
    for child in layer.children:
        yield from _rendered(child)


def not_counted(layer: bpy.types.ViewLayer) -> set[str]:
    """Return the names of visible kinds of objects that render but have no triangles."""
    found = set()
    with outside_views():
        for item in layer.objects:
            kinds = {_NOT_COUNTED[item.type]} if item.type in _NOT_COUNTED else set()
            kinds.update(
                "hair"
                for each in item.particle_systems
                if each.settings.type == "HAIR" and each.settings.render_type == "PATH"
            )
            if kinds and counts_as_scene(item) and item.visible_get(view_layer=layer):
                found |= kinds
    return found
