"""Traversal (descent): the walk of volumes down the tree, and cells culled on the way.

All queries of a batch descend together: a front of (query, cell) pairs, one level at a time. The
comes out are runs of references: whole subtrees of cells that lie inside a volume, and the own
items of cells that a volume's surface crosses. A front that grows too long is cut in pieces, and
the walk finishes one before it takes the next, so memory does not grow with the queries. Batches
follow the Morton curve, for neighbors in space meet the same cells and items in the cache.

A cell counts as enlarged by some slack, which covers how far out of it its items may lie and what
rounding may do here. OUTSIDE and INSIDE hold for all of the enlarged cell, hence for certain.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import (
    Flags,
    Floats,
    Ids,
    blocks,
    columns,
    concatenated_ranges,
    dot,
    ends_of_runs,
    flagged,
    gather,
    joined,
    power_of_two_scale,
    project,
    radix_argsort,
    starts_of_runs,
    take_columns,
)
from .boxes import box_gaps, boxes_contain, boxes_grown, boxes_meet, magnitudes
from .grid import Words, morton_codes
from .mailboxing import Pairs
from .records import Columns
from .shapes import Boxes, Capsules, Frusta, HalfSpaces, OrientedBoxes, Regions, Shapes, Spheres
from .touch.capsules import feet_of
from .touch.rounded import sphere_held
from .touch.separating_axis import separated_by_edges
from .walkable import Walkable

# Pairs that are tried on all axes together, and cells whose children are.
_AT_ONCE = 4_096

UNVISITED, OUTSIDE, CROSSING, INSIDE = np.arange(4, dtype=np.uint8)

States = NDArray[np.uint8]
# (numbers of volumes (k,), cells (6, k)) -> states (k,)
Classify = Callable[[Ids, Floats], States]
# The longest front that is walked in one piece.
_FRONT = 65_536
# Fewer queries than this are not put in order; bits of each coordinate that tell neighbors.
_FEW, _MORTON = 1_024, 10


def classifier(volumes: Shapes, slack: Floats, tight: bool = True) -> Classify:
    """Return the test for these volumes, each with its own slack (q,).

    If it need not be `tight`, frusta touch some more cells near their edges.
    """
    if not tight and isinstance(volumes, Frusta):
        return _frusta(volumes, slack, tight=False)
    makers: dict[type[Shapes], Callable[[Any, Floats], Classify]] = {
        Boxes: _boxes,
        Spheres: _spheres,
        Regions: _regions,
        OrientedBoxes: _oriented_boxes,
        Capsules: _capsules,
        HalfSpaces: _half_spaces,
        Frusta: _frusta,
    }
    return makers[type(volumes)](volumes, slack)


def _states(touching: Flags, inside: Flags) -> States:
    return touching.view(np.uint8) + (touching & inside).view(np.uint8) + OUTSIDE


def _boxes(volumes: Shapes, slack: Floats) -> Classify:
    bounds = np.concatenate(volumes.limits())
    grown, shrunk = boxes_grown(bounds, slack), boxes_grown(bounds, -slack)
    widest = (shrunk[3] - shrunk[0]).max(initial=-np.inf)

    def classify(numbers: Ids, cells: Floats) -> States:
        touching = boxes_meet(cells, gather(grown, numbers))
        if (cells[3] - cells[0]).min(initial=np.inf) > widest:
            return touching.view(np.uint8) + OUTSIDE
        inside = boxes_contain(gather(shrunk, numbers), cells[:3], cells[3:])
        return _states(touching, inside)

    return classify


def _spheres(volumes: Shapes, slack: Floats) -> Classify:
    centers, radii = volumes.rows[:3], volumes.rows[3]
    slack = 2 * slack  # an enlarged cell's corners move by the square root of three
    grown = (radii + slack) ** 2
    shrunk = np.where(radii >= slack, (radii - slack) ** 2, -1.0)

    def classify(numbers: Ids, cells: Floats) -> States:
        center = gather(centers, numbers)
        below, above = center - cells[:3], cells[3:] - center
        gap = np.minimum(np.minimum(below, above), 0.0)
        reach = np.maximum(below, above)
        near = np.einsum("ik,ik->k", gap, gap)
        far = np.einsum("ik,ik->k", reach, reach)
        return _states(near <= grown[numbers], far <= shrunk[numbers])

    return classify


def _regions(volumes: Shapes, slack: Floats) -> Classify:
    slack = 2 * slack  # an enlarged cell's corners move by the square root of three
    grown, spare = (volumes.rows[6] + slack) ** 2, volumes.rows[6] - slack

    def classify(numbers: Ids, cells: Floats) -> States:
        boxes = gather(volumes.rows, numbers)
        gap = box_gaps(boxes[:6], cells)
        beyond = np.maximum(boxes[:3] - cells[:3], cells[3:] - boxes[3:6])
        near = np.einsum("ik,ik->k", gap, gap)
        return _states(near <= grown[numbers], sphere_held(beyond, spare[numbers]))

    return classify


def _oriented_boxes(volumes: Shapes, slack: Floats) -> Classify:
    def classify(numbers: Ids, cells: Floats) -> States:
        turned = gather(volumes.rows, numbers)
        size, axes = turned[3:6], turned[6:].reshape(3, 3, -1)
        middle = turned[:3] - (cells[:3] + cells[3:]) / 2
        half = (cells[3:] - cells[:3]) / 2 + slack[numbers]
        distance = np.abs(np.stack([dot(axis, middle) for axis in axes]))
        reach = np.stack([dot(np.abs(axis), half) for axis in axes])
        touching = (distance <= size + reach).all(axis=0)
        inside = (distance + reach <= size).all(axis=0)
        some = np.flatnonzero(touching & ~inside)
        solids = half[:, some], middle[:, some], axes[:, :, some], size[:, some]
        touching[some] = ~separated_by_edges(*solids)
        return _states(touching, inside)

    return classify


def _capsules(volumes: Shapes, slack: Floats) -> Classify:
    def classify(numbers: Ids, cells: Floats) -> States:
        capsule = gather(volumes.rows, numbers)
        middle = (cells[:3] + cells[3:]) / 2 - capsule[:3]
        half = (cells[3:] - cells[:3]) / 2 + slack[numbers]
        # In this direction no point of the segment lies farther than the one nearest to `middle`.
        beside = middle - feet_of(middle, capsule)[0]
        toward = beside * power_of_two_scale(beside)
        gap = dot(toward, beside) - dot(np.abs(toward), half)
        far = (gap > 0) & (gap * gap > capsule[6] ** 2 * dot(toward, toward))
        return _states(~far, _hold_boxes(capsule, middle, half))

    return classify


def _hold_boxes(capsules: Floats, middle: Floats, half: Floats) -> Flags:
    """Return which boxes lie in capsules, seen from where these start; corner after corner."""
    some = np.arange(len(half[0]))
    for signs in product((-1, 1), repeat=3):
        capsule = gather(capsules, some)
        corner = middle[:, some] + np.reshape(signs, (3, 1)) * half[:, some]
        beside = corner - feet_of(corner, capsule)[0]
        some = some[dot(beside, beside) <= capsule[6] ** 2]
    return flagged(len(half[0]), some)


def _half_spaces(volumes: HalfSpaces, slack: Floats) -> Classify:
    def classify(numbers: Ids, cells: Floats) -> States:
        planes = take_columns(volumes.plane_rows, numbers)
        middle, half = (cells[:3] + cells[3:]) / 2, (cells[3:] - cells[:3]) / 2 + slack[numbers]
        distance = dot(planes, middle) + planes[3]
        reach = dot(np.abs(planes[:3]), half)
        return _states(distance >= -reach, distance >= reach)

    return classify


def _frusta(frusta: Frusta, slack: Floats, tight: bool = True) -> Classify:
    lower, upper = frusta.limits()

    def classify(numbers: Ids, cells: Floats) -> States:
        middle = (cells[:3] + cells[3:]) / 2
        half = (cells[3:] - cells[:3]) / 2 + slack[numbers]
        planes = take_columns(frusta.plane_rows, numbers)
        distance = project(planes[:, :3], middle) + planes[:, 3]
        reach = project(np.abs(planes[:, :3]), half)
        touching = (distance >= -reach).all(axis=0)
        held = (distance >= 0).all(axis=0)
        some = np.flatnonzero(touching & ~held)
        for few in np.split(some, range(_AT_ONCE, len(some), _AT_ONCE)):
            near = (middle[:, few] - half[:, few] <= upper[:, numbers[few]]).all(axis=0)
            near &= (middle[:, few] + half[:, few] >= lower[:, numbers[few]]).all(axis=0)
            touching[few] = near
            left = few[near] if tight else few[:0]
            touching[left] = _edges_overlap(frusta, numbers[left], middle[:, left], half[:, left])
        return _states(touching, (distance >= reach).all(axis=0))

    return classify


def _edges_overlap(frusta: Frusta, numbers: Ids, middle: Floats, half: Floats) -> Flags:
    """Return for which pairs no cross product of edges separates the two.

    Gottschalk, Lin and Manocha, "OBBTree", 1996.
    """
    axes, least, greatest = (take_columns(rows, numbers) for rows in frusta.edge_axes)
    center, reach = project(axes, middle), project(np.abs(axes), half)
    apart = (center - reach > greatest) | (center + reach < least)
    overlap: Flags = ~apart.any(axis=0)
    return overlap


@dataclass(frozen=True)
class Found(Columns):
    """Runs of references, one for each (query, cell): `begin` to `end`, for `queries`.

    `certain` runs belong to cells that lie inside their volume.
    """

    queries: Ids
    begin: Ids
    end: Ids
    certain: bool

    @property
    def references(self) -> int:
        """The number of references in all runs."""
        return int((self.end - self.begin).sum())


_NONE = np.empty(0, np.intp)
NOTHING = Found(_NONE, _NONE, _NONE, certain=False)


def descend(
    tree: Walkable, volumes: Shapes, states: States | None = None, *, tight: bool = True
) -> Iterator[Found]:
    """Walk down from the root with q finite volumes of any kind except triangles.

    Yields each cell's items once for each volume that touches the cell. `states`, (m,), receives
    the state of each visited cell, which means little unless there is one query. For `tight` see
    `classifier`.
    """
    if tree.outside:
        for some in blocks(len(volumes), _FRONT):
            queries = np.arange(some.start, some.stop)
            yield Found(queries, 0 * queries, 0 * queries + tree.outside, certain=False)
    bounds = np.concatenate(volumes.limits())
    largest = magnitudes(bounds)
    largest[largest == np.inf] = 0.0  # of half-spaces, whose bounds need no slack
    roots = tree.roots + np.zeros(len(volumes), np.intp)
    slack = tree.slacks + largest.max(axis=0) * 2.0**-46
    bounds = boxes_grown(bounds, slack)
    classify = classifier(volumes, slack, tight)
    fronts = _pieces(np.arange(len(volumes)), roots)
    while fronts:
        queries, cells = fronts.pop()
        classified = classify(queries, gather(tree.loose_rows, cells))
        if states is not None:
            states[cells] = classified
        (whole,) = (classified == INSIDE).nonzero()
        if len(whole):
            subtrees = cells[whole]
            yield Found(queries[whole], tree.begin[subtrees], tree.end[subtrees], certain=True)
        (crossing,) = (classified == CROSSING).nonzero()
        queries, cells = queries[crossing], cells[crossing]
        if states is not None:
            # Children overlapped by the volume's bounds are classified in the next frontier.
            states[tree.children(cells)[1]] = OUTSIDE
        begin, end = tree.begin[cells], tree.own_end[cells]
        (holding,) = (begin < end).nonzero()
        if len(holding):
            yield Found(queries[holding], begin[holding], end[holding], certain=False)
        parents, children = overlapped_children(tree, cells, gather(bounds, queries))
        fronts += _pieces(queries[parents], children)


def _pieces(queries: Ids, cells: Ids) -> list[tuple[Ids, Ids]]:
    """Return the frontier in pieces of bounded length, the first piece last."""
    return [(queries[some], cells[some]) for some in blocks(len(queries), _FRONT)][::-1]


def overlapped_children(tree: Walkable, cells: Ids, bounds: Floats) -> tuple[Ids, Ids]:
    """Return which of some cells, and which of their children with items bounds overlap.

    The bounds, (6, h), are one for each cell.
    """
    parts = [(np.empty(0, np.intp),) * 2]
    for some in blocks(len(cells), _AT_ONCE):
        parents, children = tree.children(cells[some])
        parents += some.start
        met = boxes_meet(gather(tree.loose_rows, children), gather(bounds, parents))
        parts.append((parents[met], children[met]))
    ones, others = joined(parts)
    return ones, others


def squared_gaps(boxes: Floats, cells: Ids, points: Floats) -> Floats:
    """Return the squared distances of points (3, k) from the boxes (6, m) of cells, (k,)."""
    gaps = box_gaps(columns(boxes, cells), points)
    return dot(gaps, gaps)


def nearest_cells(tree: Walkable, points: Floats, references: int) -> Ids:
    """Return for each point (3, q) the cell that it comes to by always taking the nearest child.

    It goes down as long as a child has this many references.
    """
    going, boxes = np.arange(points.shape[1]), tree.boxes_for(points.shape[1])
    cells = tree.roots + 0 * going
    while len(going):
        parents, children = tree.children(cells[going])
        (enough,) = (tree.end[children] - tree.begin[children] >= references).nonzero()
        parents, children = parents[enough], children[enough]
        squares = squared_gaps(boxes, children, gather(points, going[parents]))
        starts = starts_of_runs(parents)
        least = np.minimum.reduceat(squares, starts) if len(starts) else squares
        counts = np.diff(starts, append=len(parents))
        (nearest,) = (squares == np.repeat(least, counts)).nonzero()
        first = nearest[starts_of_runs(parents[nearest])]
        going = going[parents[first]]
        cells[going] = children[first]
    return cells


def morton_order(tree: Walkable, volumes: Shapes) -> Ids:
    """Return the Morton order of volumes, by the centers of their bounds clipped to the root."""
    if len(volumes) < _FEW:
        return np.arange(len(volumes))
    root_lower, root_upper = tree.cell_rows[:3, :1], tree.cell_rows[3:, :1]
    lower, upper = (np.clip(side, root_lower, root_upper) for side in volumes.limits())
    return radix_argsort(codes_in_root(tree, (lower + upper) / 2, _MORTON), 3 * _MORTON)


def codes_in_root(tree: Walkable, points: Floats, bits: int) -> Words:
    """Return the Morton codes of points (3, n) in the root, of this many bits an axis."""
    root_lower, root_upper = tree.cell_rows[:3, :1], tree.cell_rows[3:, :1]
    size = root_upper - root_lower
    scale = np.divide(2**bits, size, out=np.zeros((3, 1)), where=size > 0)
    places = (np.clip(points, root_lower, root_upper) - root_lower) * scale
    return morton_codes(np.clip(places, 0, 2**bits - 1).astype(np.int64), bits)


def portions(found: list[Found], queries: int, size: int) -> Iterator[list[Found]]:
    """Yield the runs of some queries after the other, of about `size` references together."""
    counts = sum(np.bincount(some.queries, some.end - some.begin, queries) for some in found)
    last = ends_of_runs(np.cumsum(counts) // size)
    cuts = [np.searchsorted(some.queries, last, "right") for some in found]
    starts: tuple[int, ...] = (0,) * len(found)
    for stops in zip(*cuts, strict=True):
        yield [some[start:stop] for some, start, stop in zip(found, starts, stops, strict=True)]
        starts = stops


def expanded(tree: Walkable, found: Found) -> Pairs:
    """Return the queries and entries of runs of references, pair by pair."""
    queries, counts = found.queries, found.end - found.begin
    entries = tree.entries_at(concatenated_ranges(found.begin, counts))
    if len(queries) and queries[0] == queries[-1]:
        return np.broadcast_to(queries[0], len(entries)), entries
    return np.repeat(queries, counts), entries
