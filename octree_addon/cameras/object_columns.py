"""Columns of the result list: the largest visible part of each object, frames, distances."""

from typing import NamedTuple

import numpy as np

from ..arrays import Floats, Ids
from ..result_list import Column
from .table import OCCLUDED, OUT_OF_VIEW, TOO_SMALL
from .visibility_result import VisibilityResult


class Largest(NamedTuple):
    """The view with the most visible pixels of each of n objects.

    Attributes
    ----------
    pixels : ndarray of float64, shape (n,)
        Visible pixels of all items of the object in this view; 0 if no view shows the object.
    views : ndarray of intp, shape (n,)
        The first view with this number of pixels; -1 if no view shows the object.
    """

    pixels: Floats
    views: Ids


def largest(result: VisibilityResult) -> Largest:
    """Return the view with the most visible pixels of each object. O(rows log rows)."""
    table, pixels = result.table, result.table.pixels
    assert pixels is not None
    keys = result.object_of_item[table.items_of] * len(table.which) + table.views
    distinct, which = np.unique(keys, return_inverse=True)
    sums = np.bincount(which.ravel(), weights=pixels.visible, minlength=len(distinct))
    objects, views = np.divmod(distinct, max(len(table.which), 1))
    order = np.lexsort((views, -sums, objects))
    order = order[sums[order] > 0]
    found, first = np.unique(objects[order], return_index=True)
    count = len(result.objects)
    most, best = np.zeros(count), np.full(count, -1)
    most[found], best[found] = sums[order[first]], views[order[first]]
    return Largest(most, best)


def largest_frames(result: VisibilityResult) -> Ids:
    """Return the frame with the most visible pixels of each object; 0 if no frame shows it."""
    views = largest(result).views
    return np.where(views < 0, 0, np.append(result.table.which.frames, 0)[views])


def seen_columns(result: VisibilityResult, order: Ids) -> tuple[Column, ...]:
    """Return the columns of seen objects: visible part, share of the picture, frames, distance."""
    table, pixels = result.table, result.table.pixels
    assert pixels is not None
    count = len(result.objects)
    objects = result.object_of_item[table.items_of]
    fractions, nearest = np.zeros(count), np.full(count, np.inf)
    np.maximum.at(fractions, objects, pixels.visible_fractions)
    np.fmin.at(nearest, objects, pixels.distances)
    width, height = table.which.size
    shares = largest(result).pixels / (width * height)
    return (
        Column("Seen", "PERCENT", 100 * fractions[order]),
        Column("Share", "PERCENT", 100 * shares[order]),
        Column("Frames", "", result.frame_counts[order].astype(np.int64)),
        Column("Nearest", "LENGTH", nearest[order]),
    )


def unseen_columns(result: VisibilityResult, order: Ids) -> tuple[Column, ...]:
    """Return the columns of unseen objects: number of views by reason (hidden, out, small)."""
    states = result.table.states
    hidden = result.view_counts(states == OCCLUDED)[order]
    small = result.view_counts(states == TOO_SMALL)[order]
    outside = len(result.table.which) - result.view_counts(states != OUT_OF_VIEW)[order]
    return (
        Column("Hidden", "", hidden),
        Column("Out", "", outside),
        Column("Small", "", small),
    )
