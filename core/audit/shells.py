"""Shells of meshes: which are closed (no boundary modulo 2), and their connected parts.

A surface has an inside if each of its edges belongs to an even number of triangles: then the
parity of what a ray crosses is the same for every ray. Vertices count as one where they have one
place, since exporters split them along seams.
"""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from .. import tuning
from ..arrays import (
    Flags,
    Floats,
    Ids,
    blocks,
    concatenated_ranges,
    flagged,
    starts_of_runs,
)
from ..passes import grouped_steps, radix_argsort_steps, taken_steps
from ..scene.sheets import Layout, Sheets
from ..steps import Steps, between
from .components import component_steps


@dataclass
class Shells:
    """Whether meshes are closed, by number, and of vertices of the sheets which are one.

    `knots[v]` is the first vertex of the same part of its mesh at the place of vertex v, `parts`
    the smallest knot of its part. `firsts` are the first entries of meshes when they were looked
    at, -1 if they were not: one that was replaced has others.
    """

    firsts: Ids
    closed: Flags
    knots: Ids
    parts: Ids

    @classmethod
    def none(cls) -> "Shells":
        """Return what is known of no mesh."""
        nothing = np.empty(0, np.intp)
        return cls(nothing, np.empty(0, bool), nothing, nothing)

    def fitted(self, meshes: int, vertices: int) -> "Shells":
        """Return the same with room for so many meshes and vertices."""
        more, longer = meshes - len(self.firsts), vertices - len(self.knots)
        if more <= 0 and longer <= 0:
            return self
        return Shells(
            np.append(self.firsts, np.full(more, -1)),
            np.append(self.closed, np.zeros(more, bool)),
            *(np.append(old, np.full(longer, -1)) for old in (self.knots, self.parts)),
        )


# What is known of the meshes of each layout, as long as this lasts.
_known: WeakKeyDictionary[Layout, Shells] = WeakKeyDictionary()


def shells_of(sheets: Sheets, sizes: Ids, meshes: Ids) -> Steps[Shells]:
    """Return the shells with all of these meshes known, which have `sizes` triangles."""
    faces, vertices = sheets.arranged.faces.T, sheets.arranged.vertices.T
    shells = _known.get(sheets.layout, Shells.none()).fitted(len(sizes), vertices.shape[1])
    firsts = sheets.firsts[meshes]
    new = meshes[(shells.firsts[meshes] != firsts) & (firsts >= 0)]
    ends = np.flatnonzero(np.diff(np.cumsum(sizes[new]) // tuning.current.shells_together)) + 1
    for some in np.split(new, ends):
        if len(some) == 0:
            continue
        entries = concatenated_ranges(sheets.firsts[some], sizes[some])
        owners = np.repeat(np.arange(len(some)), sizes[some])
        corners = faces[:, entries]
        yield 0.05
        used, knots = _numbered(corners)
        yield 0.1
        closed = ~(yield from between(0.1, 0.3, _open(knots, owners, len(some))))
        yield 0.3
        owner_of = np.zeros(len(used), np.intp)
        owner_of[knots] = owners
        yield 0.3
        same = yield from between(0.3, 0.5, _welded(vertices[:, used], owner_of))
        welded = same[knots]
        yield 0.5
        (left,) = (~closed).nonzero()
        if len(left):
            here = slice(None) if len(left) == len(some) else np.isin(owners, left)
            opening = _open(welded[:, here], owners[here], len(some))
            closed |= ~(yield from between(0.5, 0.7, opening))
            yield 0.7
            closed[np.bincount(owners, minlength=len(some)) == 0] = False
        joining = component_steps(len(used), welded[:2].ravel(), welded[1:].ravel())
        labels = yield from between(0.7, 0.9, joining)
        shells.firsts[some], shells.closed[some] = sheets.firsts[some], closed
        shells.knots[used], shells.parts[used] = used[same], used[labels[same]]
        yield 0.9
    _known[sheets.layout] = shells
    return shells


def _numbered(corners: Ids) -> tuple[Ids, Ids]:
    """Return which vertices corners (3, n) are, ascending, and the place of each among them."""
    least, most = int(corners.min()), int(corners.max())
    is_used = flagged(most - least + 1, corners - least)
    return is_used.nonzero()[0] + least, (np.cumsum(is_used) - 1)[corners - least]


def _open(faces: Ids, owners: Ids, count: int) -> Steps[Flags]:
    """Return which owners have an edge with an odd number of triangles, (count,), in steps."""
    width, end = int(faces.max(initial=0)) + 1, 0
    keys, whose = np.empty((2, faces.size), np.intp)
    for some in blocks(faces.shape[1], tuning.current.piece):
        for one, other in ((0, 1), (1, 2), (2, 0)):
            low = np.minimum(faces[one, some], faces[other, some])
            high = np.maximum(faces[one, some], faces[other, some])
            (proper,) = (low != high).nonzero()
            start, end = end, end + len(proper)
            keys[start:end] = (low * width + high)[proper]
            whose[start:end] = owners[some][proper]
        yield 0.2 * some.stop / faces.shape[1]
    keys, whose = keys[:end], whose[:end]
    sorting = radix_argsort_steps(keys, (width * width).bit_length())
    order = yield from between(0.2, 0.8, sorting)
    keys = yield from between(0.8, 1.0, taken_steps(keys, order))
    starts = starts_of_runs(keys)
    yield 1.0
    odd = np.diff(starts, append=len(keys)) & 1 == 1
    return flagged(count, whose[order[starts[odd]]])


def _welded(points: Floats, owners: Ids) -> Steps[Ids]:
    """Return for each point (3, v) the first of its owner's at the same place, in steps."""
    columns = np.concatenate((owners.astype(np.float64)[None], points))
    order, is_first = yield from between(0.0, 0.9, grouped_steps(columns))
    first = np.minimum.reduceat(order, is_first.nonzero()[0]) if len(order) else order
    same = np.empty(len(order), np.intp)
    same[order] = first[np.cumsum(is_first) - 1]
    yield 1.0
    return same
