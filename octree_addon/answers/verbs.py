"""Verbs of answers: select, collect or mark what they found, and say in one line what was done."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any

import bpy

from ..arrays import Flags, Ids
from ..selection import (
    collect,
    found_text,
    mark_faces,
    mark_objects,
    select_found,
    select_polygons,
)
from ..ui import SelectionOptions, draw_hint, plural
from .standing import StandingAnswers


def select_answer(
    context: bpy.types.Context,
    options: SelectionOptions,
    uids: Collection[int],
    faces: Callable[[], Mapping[int, Flags]],
) -> str:
    """Select objects by their session ids, or faces: by that of a mesh, which of its polygons."""
    if options.selects_faces(context):
        counts = select_polygons(context, faces(), options.action)
    else:
        counts = select_found(context.view_layer, dict.fromkeys(uids, 0), options.action)
    return found_text(counts, options.action)


def collect_answer(context: bpy.types.Context, uids: Collection[int], name: str) -> str:
    """Link objects of the view layer into a new collection, by their session ids."""
    objects = [item for item in context.view_layer.objects if item.session_uid in uids]
    collection = collect(context.scene, objects, name)
    gone = f"; {len(uids) - len(objects):,} are gone" if len(objects) < len(uids) else ""
    return f"{plural(len(objects), 'object')} linked into {collection.name}{gone}"


def mark_answer(
    context: bpy.types.Context,
    name: str,
    objects: Mapping[int, int] | None,
    faces: Mapping[int, Ids],
) -> str:
    """Write numbers by session id: into objects, or without them into the polygons of meshes."""
    if objects is not None:
        counts = mark_objects(context.view_layer, objects, name)
    else:
        counts = mark_faces(context, faces, name)
    return _marked_text(counts, name)


def _marked_text(counts: Counter[str], name: str) -> str:
    marked = plural(counts["objects"], "object")
    if "meshes" in counts:
        marked = "1 mesh" if counts["meshes"] == 1 else f"{counts['meshes']:,} meshes"
    refused = f"; {counts['refused']:,} could not be" if counts["refused"] else ""
    return f"{marked} marked with {name}{refused}"


def draw_age(
    layout: bpy.types.UILayout, scene: bpy.types.Scene, answers: StandingAnswers[Any]
) -> None:
    """Say that all buttons will ask again first, if so."""
    if answers.may_be_old(scene):
        draw_hint(layout, "May be old; asked again first", "ERROR")
