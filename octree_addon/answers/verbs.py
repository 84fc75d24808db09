"""Actions on findings, for all features: select, go to, isolate, collect, mark and hide.

Each function takes `Subjects` and returns the text of its report. If it raises a `ValueError`,
nothing has changed.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import bpy

from .. import hiding
from ..arrays import Floats
from ..selection import (
    Subjects,
    found_text,
    link_to_new,
    mark_faces,
    mark_objects,
    select_faces,
    select_objects,
)
from ..ui import draw_hint, plural
from .standing import StandingAnswers
from .view3d import fill_view, in_view3d


class NothingToDoError(Exception):
    """Raised if an action has nothing to do; the message is shown as a warning."""


def select(
    context: bpy.types.Context,
    subjects: Subjects,
    action: str = "REPLACE",
    *,
    faces: bool = False,
) -> str:
    """Select objects, or faces; `action` is "REPLACE", "EXTEND" or "SUBTRACT"."""
    if faces:
        counts = select_faces(context, subjects, action)
    else:
        counts = select_objects(context.view_layer, subjects, action)
    return found_text(counts, action)


def go_to(
    context: bpy.types.Context,
    subjects: Subjects,
    *,
    follow: bool = True,
    boxes: Callable[[], Sequence[Floats]] = tuple,
) -> str:
    """Select only these objects, and make the first selected one active.

    With `follow`, the 3D view of a window frames `boxes`, points of shape (p, 3) each; without
    boxes, the selection.
    """
    text, layer = select(context, subjects), context.view_layer
    found = subjects.among(layer.objects)
    selected = next((item for item in found if item.select_get(view_layer=layer)), None)
    if selected is not None:
        layer.objects.active = selected
        if follow and not bpy.app.background:
            fill_view(context, boxes())
    return text


def isolate(context: bpy.types.Context, subjects: Subjects, *, follow: bool) -> str:
    """Enter local view with these objects, or leave local view.

    Raises a `ValueError` if all of them are hidden, or if the window has no 3D view.
    """
    text = "All objects shown again"
    with in_view3d(context) as space:
        if space is None:
            raise ValueError("There is no 3D view in this window")
        if space.local_view is None:
            objects = subjects.among(context.scene.objects)
            if not any(item.visible_get() for item in objects):
                names = ", ".join(item.name for item in objects)
                raise ValueError(f"Hidden, and not to be shown alone: {names}")
            select(context, subjects)
            text = f"{plural(len(objects), 'object')} shown alone"
        bpy.ops.view3d.localview(frame_selected=follow)
    return text


def collect(context: bpy.types.Context, subjects: Subjects, name: str) -> str:
    """Link the objects that are in the view layer into a new collection of the scene."""
    objects = subjects.among(context.view_layer.objects)
    if not subjects.objects:
        raise NothingToDoError("There is nothing to collect")
    collection = link_to_new(context.scene, objects, name)
    gone = len(subjects.objects) - len(objects)
    more = f"; {gone:,} {'is' if gone == 1 else 'are'} gone" if gone else ""
    return f"{plural(len(objects), 'object')} linked into {collection.name}{more}"


def mark(context: bpy.types.Context, subjects: Subjects, name: str, *, faces: bool = False) -> str:
    """Write the numbers of objects into a custom property, or those of faces into an attribute."""
    if faces:
        counts = mark_faces(context, subjects, name)
    else:
        counts = mark_objects(context.view_layer, subjects, name)
    return _marked_text(counts, name)


def _marked_text(counts: Counter[str], name: str) -> str:
    marked = plural(counts["objects"], "object")
    if "meshes" in counts:
        marked = "1 mesh" if counts["meshes"] == 1 else f"{counts['meshes']:,} meshes"
    refused = f"; {counts['refused']:,} could not be" if counts["refused"] else ""
    return f"{marked} marked with {name}{refused}"


def hide(
    context: bpy.types.Context, subjects: Subjects, icon: str, *, everything: bool = False
) -> str:
    """Hide objects by an icon of the Outliner, and record them until they are restored.

    Raises a `ValueError` if no surface would stay visible, unless `everything` is set.
    """
    plan = hiding.plan(context, subjects.among(context.scene.objects), icon)
    if not plan.objects:
        raise NothingToDoError("; ".join(hiding.plan_lines(plan)))
    if plan.is_everything and not everything:
        raise ValueError("Nothing would stay visible; turn on Hide Everything")
    return hiding.hidden_text(plan, hiding.hide(context, plan))


def draw_age(
    layout: bpy.types.UILayout, scene: bpy.types.Scene, answers: StandingAnswers[Any]
) -> None:
    """Draw a hint if the answer may be outdated, so that all buttons first ask again."""
    if answers.is_doubtful(scene):
        draw_hint(layout, "May be old; asked again first", "ERROR")
