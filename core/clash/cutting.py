"""Cuts of surfaces by the triangles that they have contact with.

A triangle is divided by the plane of a cutter, or, if both lie in one plane, along the cutter's
edges. Each part is then compared only with the cutters near it. So the cost of a floor under
hundreds of triangles is proportional to the number of its parts.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import (
    Flags,
    Floats,
    Ids,
    blocks,
    concatenated_ranges,
    cross,
    dot,
    flagged,
    starts_of_runs,
)
from ..boxes import bounds_of_points, boxes_contain, boxes_grown, boxes_meet
from ..compiled import cut_parts, parts_beside, seen_cutters
from ..steps import Steps
from ..touch.triangle_distance import points_to_triangles
from .pieces import SurfaceParts, cut, plane_through

# Limits per triangle: with more contacts it is not divided, with more parts no further.
_CONTACTS, _PARTS = 256, 512
# A cut closer to a corner than this fraction of the band goes through the corner.
_THROUGH = 0.25
# Squared sine of the largest angle between faces in one plane.
_PARALLEL = 0.5
# Pairs of a part and a cutter in a batch.
_COMPARED = 32_768


@dataclass(frozen=True)
class Cutters:
    """Triangles, (9, c), that each cut a triangle of another surface in contact.

    `normals` (3, c) are the normals of the triangles that are cut, and `flat` flags cutters in
    their planes. `points` (3, 6, c) are corners of the part of each cutter near this plane, and
    `bounds` (6, c) are the bounds of these points.
    """

    corners: Floats
    normals: Floats
    flat: Flags
    points: Floats
    bounds: Floats

    @classmethod
    def of(cls, ones: Floats, others: Floats, band: float) -> "Cutters":
        """Return `others` as cutters of `ones`, (9, c) each."""
        seen = seen_cutters(ones, others, band)
        if seen is None:
            normals, heights = plane_through(ones, 3)
            points = _contact_points(ones, others, normals, heights, band)
            seen = normals, _in_one_plane(ones, others, band), points
        normals, flat, points = seen
        bounds = bounds_of_points(points, axis=1)
        return cls(others, normals, flat, points, bounds)


def divided(
    pieces: SurfaceParts, starts: Ids, counts: Ids, cutters: Cutters, band: float
) -> Steps[SurfaceParts]:
    """Return pieces divided by the triangles they have contact with, without parts on these.

    Piece i has contact with `counts[i]` cutters from `starts[i]` on. A piece with too many
    contacts is not divided, one with too many parts no further; their parts are not uniform.
    """
    crowded = counts > _CONTACTS
    corners, origins = pieces.corners, np.arange(len(pieces))
    few = np.where(crowded, 0, counts)
    # Pairs of a part and a cutter near it, sorted by part.
    parts, theirs = np.repeat(origins, few), concatenated_ranges(starts, few)
    near = _beside(corners, cutters, parts, theirs, band)
    done = [(corners[:, :0], origins[:0])]
    while True:
        parts, theirs = parts[near], theirs[near]
        is_open = flagged(len(origins), parts)
        done.append((corners[:, ~is_open], origins[~is_open]))
        if len(parts) == 0:
            break
        corners, origins = corners[:, is_open], origins[is_open]
        begins = starts_of_runs(parts)
        left = np.diff(begins, append=len(parts)) - 1
        corners, which = _cut_by(corners, cutters, theirs[begins], band)
        yield 0.5
        origins = origins[which]
        totals = np.bincount(np.concatenate([*(each for _, each in done), origins]))
        crowded[: len(totals)] |= totals > _PARTS
        left = np.where(crowded[origins], 0, left[which])
        parts = np.repeat(np.arange(len(which)), left)
        theirs = theirs[concatenated_ranges(begins[which] + 1, left)]
        near = np.ones(len(parts), bool)
        # A part that was not divided has been compared with its other cutters before.
        (new,) = (np.bincount(which) > 1)[which][parts].nonzero()
        near[new] = _beside(corners, cutters, parts[new], theirs[new], band)
    corners = np.concatenate([each for each, _ in done], axis=1)
    origins = np.concatenate([each for _, each in done])
    uniform = (pieces.uniform & ~crowded)[origins]
    return SurfaceParts(corners, pieces.solids[origins], pieces.entries[origins], uniform)


def _beside(corners: Floats, cutters: Cutters, parts: Ids, theirs: Ids, band: float) -> Flags:
    """Flag the pairs of a part and a cutter that are near each other."""
    known = parts_beside(corners, cutters, parts, theirs, band)
    if known is not None:
        return known
    bounds = boxes_grown(bounds_of_points(corners.reshape(3, 3, -1)), 2 * band)
    flags = np.zeros(len(parts), bool)
    for some in blocks(len(parts), _COMPARED):
        here, there = bounds.take(parts[some], axis=1), cutters.bounds.take(theirs[some], axis=1)
        near = some.start + boxes_meet(here, there).nonzero()[0]
        cutter = theirs[near]
        points, normals = cutters.points[:, :, cutter], cutters.normals[:, cutter]
        flags[near] = _near(corners[:, parts[near]], points, normals, band)
    return flags


def _cut_by(corners: Floats, cutters: Cutters, theirs: Ids, band: float) -> tuple[Floats, Ids]:
    """Return the parts of triangles (9, n) divided by one cutter each, and their triangles."""
    made = cut_parts(corners, cutters, theirs, band, band * _THROUGH)
    if made is not None:
        return made
    flat = cutters.flat[theirs]
    found = [
        _cut_along(corners[:, some], cutters, theirs[some], planes, band, some)
        for some, planes in (((~flat).nonzero()[0], (3,)), (flat.nonzero()[0], (0, 1, 2)))
    ]
    whose = np.concatenate([each for _, each in found])
    order = np.argsort(whose, kind="stable")
    return np.concatenate([each for each, _ in found], axis=1)[:, order], whose[order]


def _cut_along(
    corners: Floats, cutters: Cutters, theirs: Ids, planes: tuple[int, ...], band: float, some: Ids
) -> tuple[Floats, Ids]:
    which, wanted = np.arange(len(some)), np.ones(len(some), bool)
    for plane in planes:
        cutter = theirs[which]
        if plane != planes[0]:
            points, facing = cutters.points[:, :, cutter], cutters.normals[:, cutter]
            wanted = _near(corners, points, facing, band)
        normals, heights = plane_through(cutters.corners[:, cutter], plane)
        corners, of_which = cut(corners, normals, heights, wanted, band * _THROUGH)
        which = which[of_which]
    (kept,) = (~_on(corners, cutters.corners[:, theirs[which]], band)).nonzero()
    return corners[:, kept], some[which[kept]]


def _contact_points(
    ones: Floats, others: Floats, normal: Floats, start: Floats, band: float
) -> Floats:
    """Return corners, (3, 6, c), of the parts of `others` near the planes of `ones`, (9, c) each.

    Corners are infinite if no part is near.
    """
    one, other = ones.reshape(3, 3, -1), others.reshape(3, 3, -1)
    heights = np.stack([dot(normal, corner) - start for corner in other])
    reach = 4 * band + np.abs(one).max(axis=(0, 1)) * 2.0**-40
    nexts, next_heights = np.roll(other, -1, axis=0), np.roll(heights, -1, axis=0)
    steps = next_heights - heights
    steep = steps != 0
    first = np.divide(-reach - heights, steps, out=np.zeros_like(steps), where=steep)
    last = np.divide(reach - heights, steps, out=np.ones_like(steps), where=steep)
    begin, end = np.minimum(first, last), np.maximum(first, last)
    counts = np.where(steep, (begin <= 1) & (end >= 0), np.abs(heights) <= reach)
    ways = nexts - other
    points = [other + share.clip(0, 1)[:, None] * ways for share in (begin, end)]
    both = np.concatenate(points)
    counts = np.concatenate((counts, counts))
    stand_in = both[counts.argmax(axis=0), :, np.arange(both.shape[2])].T
    stand_in = np.where(counts.any(axis=0), stand_in, np.inf)
    return np.where(counts[:, None], both, stand_in).swapaxes(0, 1)


def _in_one_plane(ones: Floats, others: Floats, band: float) -> Flags:
    """Flag the pairs of triangles that may share an area in one plane."""
    one, other = ones.reshape(3, 3, -1), others.reshape(3, 3, -1)
    normal, other_normal = (cross(each[1] - each[0], each[2] - each[0]) for each in (one, other))
    turned = cross(normal, other_normal)
    sizes = dot(normal, normal) * dot(other_normal, other_normal)
    squared = dot(turned, turned)
    if len(squared) == 0:
        return squared < 0
    length = np.sqrt(dot(normal, normal))
    heights = np.abs(np.stack([dot(normal, corner - one[0]) for corner in other]))
    flat: Flags = (squared <= _PARALLEL * sizes) & (
        (heights.max(axis=0) <= 4 * band * length) | (squared <= 2.0**-30 * sizes)
    )
    return flat


def _on(corners: Floats, cutters: Floats, band: float) -> Flags:
    """Flag the triangles within the band of others: all their corners are."""
    here, there = (bounds_of_points(each.reshape(3, 3, -1)) for each in (corners, cutters))
    flags = boxes_contain(boxes_grown(there, 2 * band), here[:3], here[3:])
    (some,) = flags.nonzero()
    points, others = corners[:, some].reshape(3, 3, -1), cutters[:, some]
    far = np.stack([points_to_triangles(point, others) for point in points]).max(axis=0)
    flags[some] = far <= band
    return flags


def _near(corners: Floats, there: Floats, normals: Floats, band: float) -> Flags:
    """Flag the triangles near points (3, 6, h): no edge separates all points from the triangle."""
    points = corners.reshape(3, 3, -1)
    with np.errstate(invalid="ignore"):
        reached = boxes_grown(bounds_of_points(points), 2 * band)
        flags = boxes_meet(reached, bounds_of_points(there, axis=1))
    (some,) = flags.nonzero()
    points, near = points[:, :, some], there[:, :, some]
    normal = normals[:, some]
    turn = dot(cross(points[1] - points[0], points[2] - points[0]), normal)
    kept = np.ones(len(some), bool)
    for start, stop in ((0, 1), (1, 2), (2, 0)):
        outwards = cross(points[stop] - points[start], normal)
        length = np.sqrt(dot(outwards, outwards))
        beyond = dot(outwards[:, None], near - points[start][:, None]).min(axis=0)
        kept &= (beyond <= 2 * band * length) | (turn <= 0)
    flags[some] = kept
    return flags


def contacts_by_entry(pieces: SurfaceParts, solids: Ids, entries: Ids) -> tuple[Ids, Ids, Ids]:
    """Return the order that sorts contacts by piece, and the start and count for each piece.

    Contacts are between triangles `entries`, (c,), of the pieces and solids, (c,).
    """
    order = np.lexsort((entries, solids))
    limit = int(max(entries.max(initial=0), pieces.entries.max(initial=0))) + 1
    keys, wanted = solids[order] * limit + entries[order], pieces.solids * limit + pieces.entries
    starts = np.searchsorted(keys, wanted)
    return order, starts, np.searchsorted(keys, wanted, side="right") - starts
