"""Shells of meshes: which are closed (no boundary modulo 2), and their connected parts.

A surface has an inside if each of its edges belongs to an even number of triangles: then the
parity of what a ray crosses is the same for every ray. Vertices count as one where they have one
place, since exporters split them along seams.
"""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from .. import tuning
from ..arrays import Flags, Floats, Ids, concatenated_ranges, starts_of_runs
from ..scene.sheets import Layout, Sheets
from ..steps import Steps
from .components import components


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
        used = np.unique(corners)
        knots = np.searchsorted(used, corners)
        closed = ~_open(knots, owners, len(some))
        yield 0.3
        owner_of = np.zeros(len(used), np.intp)
        owner_of[knots] = owners
        same = _welded(vertices[:, used], owner_of)
        welded = same[knots]
        yield 0.6
        (left,) = (~closed).nonzero()
        if len(left):
            here = np.isin(owners, left)
            closed |= ~_open(welded[:, here], owners[here], len(some))
            closed[np.bincount(owners, minlength=len(some)) == 0] = False
        labels = components(len(used), welded[:2].ravel(), welded[1:].ravel())
        shells.firsts[some], shells.closed[some] = sheets.firsts[some], closed
        shells.knots[used], shells.parts[used] = used[same], used[labels[same]]
        yield 0.9
    _known[sheets.layout] = shells
    return shells


def _open(faces: Ids, owners: Ids, count: int) -> Flags:
    """Return which owners have an edge with an odd number of triangles, (count,)."""
    ends = np.concatenate([np.sort(faces[[i, j]], axis=0) for i, j in ((0, 1), (1, 2), (2, 0))], 1)
    whose = np.tile(owners, 3)
    proper = ends[0] != ends[1]
    keys, whose = (ends[0] * (int(faces.max(initial=0)) + 1) + ends[1])[proper], whose[proper]
    order = np.argsort(keys, kind="stable")
    keys, whose = keys[order], whose[order]
    starts = starts_of_runs(keys)
    odd = np.diff(starts, append=len(keys)) & 1 == 1
    flags = np.zeros(count, bool)
    flags[whose[starts[odd]]] = True
    return flags


def _welded(points: Floats, owners: Ids) -> Ids:
    """Return for each point (3, v) the first of its owner's that lies at the same place."""
    order = np.lexsort((*points, owners))
    different = np.ones(len(order), bool)
    for row in (owners, *points):
        ordered = row[order]
        differ = ordered[1:] != ordered[:-1]
        different[1:] = differ if row is owners else different[1:] | differ
    ranks = np.cumsum(different) - 1
    first = np.minimum.reduceat(order, np.flatnonzero(different)) if len(order) else order
    same = np.empty(len(order), np.intp)
    same[order] = first[ranks]
    return same
