"""Shells of meshes: the definition of "closed" and "inside" for all tests.

A shell is a connected component of a mesh: triangles connected by vertices, or by coincident open
edges, since exporters split vertices along seams. A shell is closed if each edge has an even
number of its triangles.

A point is inside a mesh if its winding number is not 0, counted over the closed, consistently
oriented shells. Other closed shells count by the parity of their crossings. So overlapping shells
are one solid, a body whose inner shell is reversed is hollow, and sheets, one-sided or two-sided,
have no inside.

Coincident triangles count once, whichever way they face, with the orientation of the smallest
number. If a shell is not closed then, like two solids with a common wall, its coincident triangles
cancel in pairs. Closed shells with the same triangles count once.

An entry is the position of a triangle in the pool.
"""

from dataclasses import dataclass, fields, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from .. import tuning
from ..arrays import Flags, Floats, Ids, batched, blocks, distinct, flagged, starts_of_runs
from ..passes import grouped_steps, radix_argsort_steps, taken_steps
from ..scene.pool import Layout, Pool
from ..steps import Steps, between
from .components import component_steps
from .edges import irregular_edges, sewn

# Odd factors that mix the bits of three corner numbers, and the number of bits in a hash key.
_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
_BITS = 32
# Codes of triangles: not counted; in an oriented shell. A shell that counts by parity has a random
# code of its own; the codes that a ray crosses are combined by exclusive or (Zobrist hashing).
UNCOUNTED, ORIENTED = 0, -1
_MIXES = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


def coincident_steps(corners: Ids) -> Steps[tuple[Ids, Ids]]:
    """Return the triangles that share their corners (3, n) with others, and their groups, (k,).

    Triangles with the same corners, in any order, are one group; groups ascend from 0.
    """
    count = corners.shape[1]
    places, keys = np.empty((3, count), np.int64), np.empty(count, np.int64)
    for some in blocks(count, tuning.current.piece):
        one, two, three = corners[:, some]
        low, high = (
            np.minimum(np.minimum(one, two), three),
            np.maximum(np.maximum(one, two), three),
        )
        places[:, some] = low, one ^ two ^ three ^ low ^ high, high
        mixed = np.zeros(some.stop - some.start, np.uint64)
        for row, factor in zip(places[:, some].view(np.uint64), _FACTORS, strict=True):
            mixed ^= row * np.uint64(factor)
        keys[some] = mixed >> np.uint64(64 - _BITS)
        yield 0.2 * some.stop / count
    order = yield from between(0.2, 0.8, radix_argsort_steps(keys, _BITS))
    keys = yield from between(0.8, 0.9, taken_steps(keys, order))
    again = keys[1:] == keys[:-1]
    maybe = order[np.append(again, False) | np.append(False, again)]
    grouping = grouped_steps(np.ascontiguousarray(places[:, maybe]))
    order, is_first = yield from between(0.9, 1.0, grouping)
    sizes = np.diff(is_first.nonzero()[0], append=len(order))
    groups = np.repeat(np.arange(len(sizes)), np.where(sizes > 1, sizes, 0))
    found = maybe[order[np.repeat(sizes > 1, sizes)]]
    return found, np.searchsorted(groups[starts_of_runs(groups)], groups)


@dataclass
class Shells:
    """Shells of the meshes of a pool, in arrays by mesh, by vertex and by entry.

    By mesh: `closed` flags meshes with an inside. `codes` define how triangles count; the codes of
    a mesh begin at its `starts`, in the order of triangle numbers. `firsts` are the first entries
    of examined meshes, -1 for others; a replaced mesh has another first entry.

    By vertex: `places[v]` is the first vertex of the mesh with the coordinates of v, `knots[v]` is
    the first vertex welded with v, and `parts[v]` is the first vertex of the shell of v.

    By entry: `is_open` flags triangles that bound no solid. `leads` are the coincident entries
    with the smallest triangle number.
    """

    firsts: Ids
    starts: Ids
    closed: Flags
    places: Ids
    knots: Ids
    parts: Ids
    is_open: Flags
    leads: Ids
    codes: Ids

    @classmethod
    def none(cls) -> "Shells":
        """Return shells of no meshes."""
        kinds = {each.name: bool if each.type is Flags else np.intp for each in fields(cls)}
        return cls(**{name: np.empty(0, kind) for name, kind in kinds.items()})

    def fitted(self, meshes: int, vertices: int, entries: int) -> "Shells":
        """Return the same shells, with arrays of at least the given lengths."""
        lengths = {
            **dict.fromkeys(("firsts", "starts", "closed"), meshes),
            **dict.fromkeys(("places", "knots", "parts"), vertices),
            **dict.fromkeys(("is_open", "leads"), entries),
        }
        if all(len(getattr(self, name)) >= length for name, length in lengths.items()):
            return self
        # Every array is copied: owners of the shorter arrays may still write to them.
        longer = {name: _longer(getattr(self, name), each) for name, each in lengths.items()}
        return replace(self, **longer)


def _longer(array: NDArray[Any], length: int) -> NDArray[Any]:
    """Return a copy of at least this length, filled up with -1 or False."""
    empty = 0 if array.dtype == bool else -1
    return np.append(array, np.full(max(length - len(array), 0), empty, array.dtype))


# The shells of the meshes of each layout, for the lifetime of the layout.
_known: WeakKeyDictionary[Layout, Shells] = WeakKeyDictionary()


def shells_of(pool: Pool, sizes: Ids, meshes: Ids) -> Steps[Shells]:
    """Return the shells, after an examination of new ones of `meshes` with `sizes` triangles."""
    arranged, shells = pool.arranged, _known.get(pool.layout, Shells.none())
    shells = shells.fitted(len(sizes), len(arranged.vertices), len(arranged.faces))
    firsts = pool.firsts[meshes]
    new = meshes[(shells.firsts[meshes] != firsts) & (firsts >= 0)]
    for some in batched(np.cumsum(sizes[new]), tuning.current.shells_together):
        yield from _look(shells, pool, new[some], sizes[new[some]])
    _known[pool.layout] = shells
    return shells


def _look(shells: Shells, pool: Pool, meshes: Ids, sizes: Ids) -> Steps[None]:
    """Examine meshes with `sizes` triangles, and write the results to `shells`."""
    owners, entries = pool.entries(meshes, sizes)
    used, corners = _numbered(pool.arranged.faces.T[:, entries])
    owner_of = np.zeros(len(used), np.intp)
    if len(meshes) > 1:
        owner_of[corners] = owners
    yield 0.1
    points = pool.arranged.vertices.T[:, used]
    places = yield from between(0.1, 0.3, _welded(points, owner_of))
    surface = _Surface(corners, places, pool.order[entries])
    yield from between(0.3, 0.9, surface.look())
    names = shells.places, shells.knots, shells.parts
    for known, found in zip(names, (places, surface.knots, surface.labels), strict=True):
        known[used] = used[found]
    shells.is_open[entries], shells.leads[entries] = surface.are_sheets, entries[surface.leads]
    shells.firsts[meshes] = pool.firsts[meshes]
    runs = np.cumsum(sizes) - sizes
    shells.closed[meshes] = np.logical_or.reduceat(surface.counts, runs)
    numbers = pool.order[entries]
    lengths = np.maximum.reduceat(numbers, runs) + 1
    starts = np.cumsum(lengths) - lengths
    codes = np.zeros(lengths.sum(), np.intp)
    codes[starts[owners] + numbers] = surface.codes()
    shells.starts[meshes] = len(shells.codes) + starts
    shells.codes = np.append(shells.codes, codes)
    yield 0.9


def _numbered(corners: Ids) -> tuple[Ids, Ids]:
    """Return the vertices of corners (3, n), ascending, and the index of each corner in them."""
    least, most = int(corners.min()), int(corners.max())
    is_used = flagged(most - least + 1, corners - least)
    return is_used.nonzero()[0] + least, (np.cumsum(is_used) - 1)[corners - least]


def _welded(points: Floats, owners: Ids) -> Steps[Ids]:
    """Return for each point (3, v) the first equal point of the same owner, (v,), in steps."""
    columns = np.concatenate((owners.astype(np.float64)[None], points))
    order, is_first = yield from between(0.0, 0.9, grouped_steps(columns))
    first = np.minimum.reduceat(order, is_first.nonzero()[0]) if len(order) else order
    same = np.empty(len(order), np.intp)
    same[order] = first[np.cumsum(is_first) - 1]
    yield 1.0
    return same


class _Surface:
    """Triangles (3, n) of some meshes; after `look`, `counts` flags triangles that count, (n,).

    `places` are equal for vertices with equal coordinates, `numbers` are the numbers of the
    triangles in their meshes.
    """

    def __init__(self, corners: Ids, places: Ids, numbers: Ids) -> None:
        self._corners, self._places, self._numbers = corners, places, numbers
        self.counts = np.ones(corners.shape[1], bool)

    def look(self) -> Steps[None]:
        """Find the shells, and flag the triangles that count."""
        corners, places = self._corners, self._places
        edges = yield from between(0.0, 0.4, irregular_edges(corners, len(places)))
        joins, edges = sewn(edges, places)
        self.knots = yield from between(0.4, 0.5, component_steps(len(places), *joins))
        ones, others = corners[:2].ravel(), corners[1:].ravel()
        if joins.size:
            ones, others = np.append(ones, joins[0]), np.append(others, joins[1])
        joining = component_steps(len(places), ones, others)
        self.labels = yield from between(0.5, 0.7, joining)
        self._open, self._twisted = edges.judged(self.labels)
        self._parts = self.labels[corners[0]]
        spots = places[corners]
        twins, groups = yield from between(0.7, 0.9, coincident_steps(spots))
        if len(twins):
            yield from between(0.9, 1.0, self._count_once(twins, groups))
        one, two, three = spots
        self.counts &= (one != two) & (two != three) & (three != one) & ~self._open[self._parts]
        self._count_shells_once(twins, groups)
        self._find_leads(twins, groups)

    def _find_leads(self, twins: Ids, groups: Ids) -> None:
        """Find the first of coincident triangles, and flag the triangles that bound no solid."""
        self.are_sheets, self.leads = ~self.counts, np.arange(len(self.counts))
        order = np.lexsort((self._numbers[twins], groups))
        leads = twins[order[starts_of_runs(groups[order])]]
        self.leads[twins] = leads[groups]
        bounding = flagged(len(twins), groups[self.counts[twins]])
        self.are_sheets[twins[bounding[groups]]] = False

    def codes(self) -> Ids:
        """Return the codes of triangles, (n,), which define how they count."""
        codes = np.where(self.counts, ORIENTED, UNCOUNTED)
        if self._twisted.any():
            (some,) = (self.counts & self._twisted[self._parts]).nonzero()
            codes[some] = (_mixed(self._parts[some]) >> np.uint64(1)).astype(np.intp)
        return codes

    def _count_once(self, twins: Ids, groups: Ids) -> Steps[None]:
        """Count coincident triangles of a shell once; if it is open then, cancel them in pairs."""
        order = np.lexsort((self._numbers[twins], groups, self._parts[twins]))
        twins, keys = twins[order], self._parts[twins[order]] * len(twins) + groups[order]
        starts = starts_of_runs(keys)
        sizes = np.diff(starts, append=len(twins))
        again = twins[~flagged(len(twins), starts)]
        self.counts[again] = False
        parts = distinct(self._parts[again])
        yield from self._judge(parts)
        (even,) = (np.repeat(sizes & 1 == 0, sizes) & self._open[self._parts[twins]]).nonzero()
        self.counts[twins[even]] = False
        yield from self._judge(distinct(self._parts[twins[even]]))

    def _judge(self, parts: Ids) -> Steps[None]:
        """Test if shells are closed and oriented, with vertices of equal coordinates welded.

        Only triangles that count are considered.
        """
        are_asked = flagged(len(self.labels), parts)
        (vertices,) = are_asked[self.labels].nonzero()
        keys = self.labels[vertices] * len(self.labels) + self._places[vertices]
        spots = np.empty(len(self.labels), np.intp)
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        spots[vertices] = vertices[first[which]]
        (some,) = (are_asked[self._parts] & self.counts).nonzero()
        edges = yield from irregular_edges(spots[self._corners[:, some]], len(self.labels))
        is_open, is_twisted = edges.judged(self.labels)
        nothing = ~flagged(len(self.labels), self._parts[some])
        self._open[parts] = (is_open | nothing)[parts]
        self._twisted[parts] = is_twisted[parts]

    def _count_shells_once(self, twins: Ids, groups: Ids) -> None:
        """Count closed shells with the same triangles once."""
        kept = self.counts[twins]
        twins, groups = twins[kept], groups[kept]
        width = len(self.labels)
        shared = np.bincount(self._parts[twins], minlength=width)
        sizes = np.bincount(self._parts[self.counts], minlength=width)
        whole = ((shared == sizes) & (sizes > 0))[self._parts[twins]]
        twins, groups = twins[whole], groups[whole]
        parts, which = np.unique(self._parts[twins], return_inverse=True)
        sums, least = np.zeros(len(parts), np.uint64), np.full(len(parts), np.iinfo(np.intp).max)
        np.add.at(sums, which, _mixed(groups))
        np.minimum.at(least, which, self._numbers[twins])
        order = np.lexsort((least, sums, sizes[parts]))
        same = (np.diff(sums[order]) == 0) & (np.diff(sizes[parts[order]]) == 0)
        again = parts[order[1:][same]]
        self.counts[flagged(width, again)[self._parts]] = False


def _mixed(numbers: Ids) -> NDArray[np.uint64]:
    """Return pseudorandom words of 64 bits, distinct for distinct numbers."""
    words = (numbers + 1).astype(np.uint64) * _MIXES[0]
    words = (words ^ words >> np.uint64(30)) * _MIXES[1]
    mixed: NDArray[np.uint64] = words ^ words >> np.uint64(27)
    return mixed
