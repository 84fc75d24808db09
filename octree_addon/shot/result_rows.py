"""Rows of a visibility result for the list: objects seen, with their frames, or never seen."""

from typing import Any

import bpy
import numpy as np

from ..results import Column, Rows, keep_result, no_instances, options_of, remove_named, titled
from .visibility_result import VisibilityResult

SEEN, UNSEEN = "Seen by Cameras", "Not Seen by Cameras"


def keep_rows(context: bpy.types.Context, asking: Any, result: VisibilityResult) -> None:
    """Keep two results: what was seen, with its frames, and what never was, if there is any.

    The first is shown, unless the name that is asked for is that of the second.
    """
    options, name = options_of(asking), asking.result
    last = UNSEEN if name == UNSEEN or titled(context.scene, name) == UNSEEN else SEEN
    for title in (SEEN, UNSEEN) if last == UNSEEN else (UNSEEN, SEEN):
        rows = seen_rows(result, seen=title == SEEN)
        if title == last or len(rows):
            named = name if title == last else ""
            keep_result(
                context, rows, title=title, question="find_seen", options=options, name=named
            )
        else:
            remove_named(context.scene, title)


def seen_rows(result: VisibilityResult, *, seen: bool) -> Rows:
    """Return a row for each object that was seen at all, most frames first; or never seen."""
    counts = result.frame_counts
    order = np.argsort(-counts, kind="stable")
    order = order[(counts[order] > 0) == seen]
    uids = np.array([each.session_uid for each in result.objects], np.intp)[order]
    instances = no_instances(len(order))
    if not seen:
        return Rows(uids[None], instances)
    columns = (Column("Frames", "", counts[order].astype(np.int64)),)
    flags = result.flags.any(axis=1)[order]
    return Rows(uids[None], instances, columns, np.array(result.frames, np.intp), flags)
