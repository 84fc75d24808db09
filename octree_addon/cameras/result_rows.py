"""Result list rows of a visibility result: seen objects with their frames, and unseen objects."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ..answers.answer import Answer
from ..answers.kept import keep
from ..result_list import Column, Rows, no_instances, remove_named, titled
from .object_columns import largest_frames, seen_columns, unseen_columns
from .visibility_result import VisibilityResult

SEEN, UNSEEN = "Seen by Cameras", "Not Seen by Cameras"


def keep_parts(
    context: bpy.types.Context,
    answer: Answer[Any],
    name: str,
    parts: Mapping[str, Rows],
    kind: type[Any],
) -> int:
    """Store one answer as several results, one for each title in `parts`.

    The result to show is the part with the requested name, else the first part; it is stored even
    without rows. Other parts without rows are removed. Returns the number of the result to show.
    """
    number, asked = 0, (name, titled(context.scene, name))
    last = next((title for title in parts if title in asked), next(iter(parts)))
    for title in sorted(parts, key=lambda each: each == last):
        if title == last or len(parts[title]):
            part = replace(answer, title=title, rows=parts[title])
            named = name if title == last else ""
            number = int(keep(context, part, named, kind=kind, most=len(parts)).number)
        else:
            remove_named(context.scene, title)
    return number


def seen_rows(result: VisibilityResult, *, seen: bool) -> Rows:
    """Return a row for each object that was seen, or for each object that was not.

    Seen objects are sorted by the number of frames. If pixels were counted, they are sorted by
    visible part and then by share of the picture.
    """
    has_pixels, counts = result.pixels is not None, result.frame_counts
    order = np.argsort(-counts, kind="stable")
    order = order[(counts[order] > 0) == seen]
    columns: tuple[Column, ...] = ()
    if seen:
        columns = (Column("Frames", "", counts[order].astype(np.int64)),)
    if has_pixels and seen:
        parts, shares, *_ = (each.values for each in seen_columns(result, order))
        order = order[np.lexsort((-shares, -np.round(parts)))]
        columns = seen_columns(result, order)
    elif has_pixels:
        columns = unseen_columns(result, order)
    uids = np.array([each.session_uid for each in result.objects], np.intp)[order]
    rows = Rows(uids[None], no_instances(len(order)), columns)
    if not seen:
        return rows
    frames = np.array(result.frames, np.intp)
    at = largest_frames(result)[order] if has_pixels else None
    return replace(rows, frames=frames, seen=result.in_frames[order], largest=at)
