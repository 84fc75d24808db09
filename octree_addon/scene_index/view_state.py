"""View states: hashable values of properties that pictures depend on but scene updates omit."""

from collections.abc import Hashable, Iterator

import bpy

from ..curves import is_animated
from ..reader import outside_views


def view_state_of(layer: bpy.types.ViewLayer, *, rendered: bool) -> Hashable:
    """Return the view state of a layer: visible objects, picture size and cameras.

    With `rendered`, render icons, ray visibility and holdouts count, too. Animated visibility is
    left out, as it differs between frames.
    """
    scene = layer.id_data
    assert isinstance(scene, bpy.types.Scene)
    with outside_views():
        visible = [item for item in layer.objects if item and item.visible_get(view_layer=layer)]
    shown = frozenset(
        item.session_uid for item in visible if not is_animated(item, "hide_viewport")
    )
    glance = layer.name, shown, _picture_of(scene), _cameras_of(scene)
    return (*glance, _roles_of(layer)) if rendered else glance


def _picture_of(scene: bpy.types.Scene) -> Hashable:
    render = scene.render
    names = ["resolution_x", "resolution_y", "resolution_percentage", "pixel_aspect_x"]
    names += ["pixel_aspect_y", "use_border", "use_crop_to_border"]
    names += [f"border_{side}" for side in ("min_x", "min_y", "max_x", "max_y")]
    return tuple(getattr(render, name) for name in names)


def _cameras_of(scene: bpy.types.Scene) -> Hashable:
    markers = {
        (each.frame, each.camera.session_uid) for each in scene.timeline_markers if each.camera
    }
    is_switched = bool(markers) or scene.camera is None
    return frozenset(markers) if is_switched else scene.camera.session_uid


def _roles_of(layer: bpy.types.ViewLayer) -> Hashable:
    roles = frozenset(
        (
            item.session_uid,
            item.hide_render and not is_animated(item, "hide_render"),
            item.visible_camera,
            item.is_holdout,
        )
        for item in layer.objects
        if item
    )
    return roles, frozenset(_layer_roles(layer.layer_collection))


def _layer_roles(part: bpy.types.LayerCollection) -> Iterator[Hashable]:
    flags = part.exclude, part.holdout, part.indirect_only, part.collection.hide_render
    if any(flags):
        yield part.collection.session_uid, flags
    for child in part.children:
        yield from _layer_roles(child)
