"""Pieces of surfaces, each wholly inside, outside or on the surface of another solid.

A triangle changes sides of a surface only where it meets it. It is divided by the planes of all
triangles that it has contact with, and by the edges of those that lie in its own plane; triangles
without contact are of one side as they are, and so are all that hang together.
"""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, blocks, concatenated_ranges, cross, dot, starts_of_runs
from ..scene.moment import Moment
from ..scene.sheets import Sheets
from ..touch.triangle_distance import points_to_triangles

# Parts of surfaces that are placed in a step.
_PLACED = 32_768
# A triangle with more contacts than this is not divided, nor into more parts.
_CONTACTS, _PARTS = 256, 512
# Cuts closer to a corner than this part of the band go through it.
_THROUGH = 0.25
# Faces of a smaller angle may lie in one plane within the band: its sine, squared.
_PARALLEL = 0.5


@dataclass(frozen=True)
class Pieces:
    """Triangles (9, n) of surfaces, of which solid `solids` each may lie in, (n,).

    `entries` are what they are parts of; `uniform` ones are of one side of the solid's surface.
    """

    corners: Floats
    solids: Ids
    entries: Ids
    uniform: Flags

    def __len__(self) -> int:
        return len(self.solids)

    def __getitem__(self, some: Ids | Flags) -> "Pieces":
        return Pieces(
            self.corners[:, some], self.solids[some], self.entries[some], self.uniform[some]
        )


def triangles_in_boxes(
    moment: Moment, sheets: Sheets, rows: Ids, boxes: Floats
) -> Generator[float, None, Pieces]:
    """Return the triangles placed in these rows that reach into boxes (6, b), box by box."""
    patches, meshes = sheets.patches, moment.placements.meshes[rows]
    solids = np.repeat(np.arange(len(rows)), patches.top_counts[meshes])
    found = concatenated_ranges(patches.tops[meshes], patches.top_counts[meshes])
    while True:
        parts = []
        for some in blocks(len(found), _PLACED):
            here = patches.rows.take(found[some], axis=1)
            bounds = moment.placements.boxes_around(rows[solids[some]], here)
            parts.append(some.start + _reach(bounds, boxes[:, solids[some]]))
            yield 0.3
        left = np.concatenate([np.empty(0, np.intp), *parts])
        solids, found = solids[left], found[left]
        if patches.are_small[found].all():
            break
        of_which, found = patches.children(found)
        solids = solids[of_which]
    of_which, entries = patches.entries(found)
    solids = solids[of_which]
    kept, corners = [np.empty(0, np.intp)], [np.empty((9, 0))]
    for some in blocks(len(entries), _PLACED):
        placed = moment.placed(sheets, entries[some], rows[solids[some]]).rows
        reached = _reach(bounds_of(placed), boxes[:, solids[some]])
        kept.append(some.start + reached)
        corners.append(placed[:, reached])
        yield 0.8
    left = np.concatenate(kept)
    order = np.lexsort((entries[left], solids[left]))
    left = left[order]
    everywhere = np.concatenate(corners, axis=1)[:, order]
    return Pieces(everywhere, solids[left], entries[left], np.ones(len(left), bool))


def bounds_of(corners: Floats) -> Floats:
    """Return the bounds of triangles (9, n), (6, n)."""
    points = corners.reshape(3, 3, -1)
    return np.concatenate((points.min(axis=0), points.max(axis=0)))


def _reach(bounds: Floats, boxes: Floats) -> Ids:
    return ((bounds[:3] <= boxes[3:]) & (bounds[3:] >= boxes[:3])).all(axis=0).nonzero()[0]


@dataclass(frozen=True)
class Cutters:
    """Triangles that others have contact with, (9, c), as these see them.

    `normals` (3, c) are those of the others; `flat` ones lie in their plane; `points` (3, 6, c)
    are corners of what comes near it.
    """

    corners: Floats
    normals: Floats
    flat: Flags
    points: Floats

    @classmethod
    def of(cls, ones: Floats, others: Floats, band: float) -> "Cutters":
        """Return `others` as `ones` see them, (9, c) each."""
        normals, heights = plane_through(ones, 3)
        flat = _in_one_plane(ones, others, band)
        return cls(others, normals, flat, _contact_points(ones, others, normals, heights, band))


def divided(
    pieces: Pieces, starts: Ids, counts: Ids, cutters: Cutters, band: float
) -> Generator[float, None, Pieces]:
    """Return pieces divided by the triangles they have contact with, without what lies on these.

    Piece i has contact with `counts[i]` of the cutters from `starts[i]` on. Those with too many,
    or in too many parts, stay as they are, and are not uniform.
    """
    done, origins = [pieces[_NONE]], np.arange(len(pieces))
    live, first, left = pieces, starts, counts
    left = np.where(counts > _CONTACTS, 0, counts)
    live.uniform[counts > _CONTACTS] = False
    while len(live):
        parts = np.bincount(origins, minlength=len(pieces))[origins]
        live.uniform[parts > _PARTS] = False
        ended = (left == 0) | ~live.uniform
        done.append(live[ended])
        live, first, left, origins = live[~ended], first[~ended], left[~ended], origins[~ended]
        if len(live) == 0:
            break
        corners, which = live.corners, np.arange(len(live))
        cutter, place = cutters.corners[:, first], cutters.points[:, :, first]
        flat, facing = cutters.flat[first], cutters.normals[:, first]
        for plane in range(4):
            normals, heights = plane_through(cutter[:, which], plane)
            wanted = flat[which] == (plane < 3)
            wanted &= _near(corners, place[:, :, which], facing[:, which], band)
            corners, of_which = cut(corners, normals, heights, wanted, band * _THROUGH)
            which = which[of_which]
            yield 0.5
        (kept,) = (~_on(corners, cutter[:, which], band)).nonzero()
        corners, which = corners[:, kept], which[kept]
        live = Pieces(corners, live.solids[which], live.entries[which], live.uniform[which])
        first, left, origins = first[which] + 1, left[which] - 1, origins[which]
    parts = [np.concatenate([getattr(part, name) for part in done], axis=-1) for name in _NAMES]
    return Pieces(*parts)


def _contact_points(
    ones: Floats, others: Floats, normal: Floats, start: Floats, band: float
) -> Floats:
    """Return corners of what of `others` comes near the planes of `ones`, (9, c) each.

    (3, 6, c); where nothing does, they are infinite.
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


_NONE = np.empty(0, np.intp)
_NAMES = ("corners", "solids", "entries", "uniform")


def _in_one_plane(ones: Floats, others: Floats, band: float) -> Flags:
    """Return which pairs of triangles may share an area in one plane."""
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


def plane_through(corners: Floats, number: int) -> tuple[Floats, Floats]:
    """Return the unit normal and height of the plane through an edge, or of the triangle (3)."""
    points = corners.reshape(3, 3, -1)
    normal = cross(points[1] - points[0], points[2] - points[0])
    start = points[number % 3]
    if number < 3:
        normal = cross(normal, points[(number + 1) % 3] - start)
    length = np.sqrt(dot(normal, normal))
    normal = np.divide(normal, length, out=np.zeros_like(normal), where=length > 0)
    return normal, dot(normal, start)


def _on(corners: Floats, cutters: Floats, band: float) -> Flags:
    """Return which triangles lie within the band of others: all of their corners do."""
    points = corners.reshape(3, 3, -1)
    return np.stack([points_to_triangles(point, cutters) for point in points]).max(axis=0) <= band


def _near(corners: Floats, there: Floats, normals: Floats, band: float) -> Flags:
    """Return which triangles come near points (3, 6, h) in their planes: no edge is between."""
    points = corners.reshape(3, 3, -1)
    with np.errstate(invalid="ignore"):
        flags = (there.min(axis=1) <= points.max(axis=0) + 2 * band).all(axis=0)
        flags &= (there.max(axis=1) >= points.min(axis=0) - 2 * band).all(axis=0)
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


def cut(
    corners: Floats, normals: Floats, heights: Floats, wanted: Flags, through: float
) -> tuple[Floats, Ids]:
    """Return triangles (9, n) divided by planes where wanted, and of which each is a part."""
    points = corners.reshape(3, 3, -1)
    sides = np.stack([dot(normals, point) - heights for point in points])
    sides[np.abs(sides) <= through] = 0.0
    signs = np.sign(sides)
    (some,) = (wanted & (signs.max(axis=0) > 0) & (signs.min(axis=0) < 0)).nonzero()
    whole = np.ones(corners.shape[1], bool)
    whole[some] = False
    (kept,) = whole.nonzero()
    signs, sides, points = signs[:, some], sides[:, some], points[:, :, some]
    # The corner that is alone on its side comes first.
    total = signs.sum(axis=0)
    alone = np.where(total == 0, signs == 1, signs == -np.sign(total)).argmax(axis=0)
    turn, each = (alone + np.arange(3)[:, None]) % 3, np.arange(len(some))
    first, second, third = (points[row, :, each].T for row in turn)
    a, b, c = (sides[row, each] for row in turn)
    one = first + a / (a - b) * (second - first)
    other = first + a / (a - c) * (third - first)
    tip = np.concatenate((first, one, other))
    base = np.concatenate((one, second, third))
    (quad,) = (c != 0).nonzero()
    rest = np.concatenate((one, third, other))[:, quad]
    parts = np.concatenate((corners[:, kept], tip, base, rest), axis=1)
    return parts, np.concatenate((kept, some, some, some[quad]))


def contacts_by_entry(pieces: Pieces, solids: Ids, entries: Ids) -> tuple[Ids, Ids, Ids]:
    """Return how contacts are to be sorted, and where those of each piece start and how many.

    Contacts are of pieces `entries`, (c,), with solids, (c,).
    """
    order = np.lexsort((entries, solids))
    limit = int(max(entries.max(initial=0), pieces.entries.max(initial=0))) + 1
    keys, wanted = solids[order] * limit + entries[order], pieces.solids * limit + pieces.entries
    starts = np.searchsorted(keys, wanted)
    return order, starts, np.searchsorted(keys, wanted, side="right") - starts


def first_of_runs(numbers: Ids) -> tuple[Ids, Ids]:
    """Return an order that sorts numbers, and where its runs start."""
    order = np.argsort(numbers, kind="stable")
    return order, starts_of_runs(numbers[order])
