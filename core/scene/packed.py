"""Scenes walked by the compiled kernel: both levels packed, each mesh once it is met."""

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from .. import compiled, lone
from ..arrays import Flags, Floats, Ids, concatenated_ranges
from ..compiled import NOT_PACKED, NOT_TAKEN, Crossed, Questions, VolumesAsked, repaired
from ..descend import morton_order
from ..nearest import Nearest
from ..rays import RayCrossings, RayHits
from ..rays.api import hits_of
from ..rays.asked import rays_of
from ..rays.crossings import Rays
from ..shapes import Boxes, Shapes
from ..steps import run
from . import rays
from .moment import Moment
from .nearest import nearest_in, nearest_in_rows
from .pool import Layout, Pool
from .store import Mesh


class PackedScene(compiled.Placed):
    """The boxes of placements, packed, and the packed triangles of the meshes that were met."""

    def __init__(self, moment: Moment) -> None:
        placements, self._meshes = moment.placements, moment.meshes
        rows = (placements.meshes, placements.matrices.T, placements.inverses.T, placements.slacks)
        (there,) = placements.is_there.nonzero()
        super().__init__(*rows, placements.boxes, there, moment.meshes.born)

    def cast(self, rays: Questions, answer: tuple[NDArray[Any], ...], *, any_hit: bool) -> bool:
        """Find items as `Walked` does, packing meshes that rays come to; False if one can not."""

        def again(left: Ids) -> bool:
            found = tuple(array[left] for array in answer)
            is_sound = super(PackedScene, self).cast(rays[left], found, any_hit=any_hit)
            for array, new in zip(answer, found, strict=True):
                array[left] = new
            return is_sound

        is_sound = super().cast(rays, answer, any_hit=any_hit)
        return is_sound and self._until_packed(lambda: answer[0], again)

    def cast_all(self, rays: Questions) -> tuple[list[Crossed], Ids] | None:
        """Return crossings as `Walked` does, packing meshes that rays come to."""
        while True:
            found = super().cast_all(rays)
            if found is None or not (found[1] == NOT_PACKED).any():
                return found
            if not self._pack_wanted():
                return None

    def wound_in(self, rays: Questions, rows: Ids, codes: Ids, starts: Ids) -> Ids | None:
        """Tell which rays begin inside as `Walked` does, packing meshes that rays come to."""
        states = self.wound(rays, rows, codes, starts)

        def again(left: Ids) -> bool:
            states[left] = self.wound(rays[left], rows[left], codes, starts)
            return True

        return states if self._until_packed(lambda: states, again) else None

    def nearest_in_rows(
        self, points: Floats, rows: Ids, limits: Floats
    ) -> tuple[Ids, Floats, Floats] | None:
        """Find the nearest as `Walked` does, packing meshes that points come to."""
        answer = self.nearest_of(points, rows, limits)

        def again(left: Ids) -> bool:
            found = self.nearest_of(points[:, left], rows[left], limits[left])
            for array, new in zip(answer, found, strict=True):
                array[..., left] = new
            return True

        return answer if self._until_packed(lambda: answer[0], again) else None

    def nearest(
        self, points: Floats, turns: Ids, count: int, limit: float, threads: int = 1
    ) -> tuple[Ids, Ids, Floats, Floats] | None:
        """Find the nearest as `Walked` does, packing meshes that points come to."""
        found = super().nearest(points, turns, count, limit, threads)

        def again(left: Ids) -> bool:
            some = np.ascontiguousarray(points[left])
            new = super(PackedScene, self).nearest(some, np.arange(len(left)), count, limit)
            assert found is not None and new is not None
            for array, values in zip(found, new, strict=True):
                array[left] = values
            return True

        if found is None or not self._until_packed(lambda: found[0][:, 0], again):
            return None
        return found

    def touched_in(
        self, asked: VolumesAsked, turns: Ids, *, any_hit: bool
    ) -> tuple[Ids, Ids, Ids] | None:
        """Find what meets volumes as `Walked` does, packing meshes; None where NumPy has to."""
        while True:
            found = self.touched(asked, turns, any_hit=any_hit)
            if not (found[0] == NOT_PACKED).any():
                return None if (found[0] == NOT_TAKEN).any() else found
            if not self._pack_wanted():
                return None

    def _until_packed(self, states: Callable[[], Ids], again: Callable[[Ids], bool]) -> bool:
        """Ask again those that came to a mesh which was not packed; False if one can not be."""
        (left,) = (states() == NOT_PACKED).nonzero()
        while len(left):
            if not (self._pack_wanted() and again(left)):
                return False
            left = left[states()[left] == NOT_PACKED]
        return True

    def _pack_wanted(self) -> bool:
        """Pack the meshes that questions have come to; False if one can not be."""
        (numbers,) = self.wanted.nonzero()
        self.wanted[numbers] = 0
        pool = run(self._meshes.pool(numbers))
        trees = _TREES.setdefault(pool.layout, WeakKeyDictionary())
        for number in numbers.tolist():
            mesh = self._meshes[number]
            if mesh not in trees:
                trees[mesh] = _packed_mesh(pool, number)
            self.put(number, trees[mesh])
        return len(numbers) > 0 and self.is_sound


# The packed triangles of meshes, as long as these and their entries are what they are.
_TREES: WeakKeyDictionary[Layout, WeakKeyDictionary[Mesh, compiled.Packed]] = WeakKeyDictionary()


def _packed_mesh(pool: Pool, number: int) -> compiled.Packed:
    """Return the packed triangles of a mesh, which reads those of the pool and keeps them."""
    nodes, root = pool.nodes, int(pool.nodes.roots[number])
    start, stop = (int(nodes.begin[root]), int(nodes.end[root])) if root >= 0 else (0, 0)
    arrays = {
        "vertices": pool.arranged.vertices.T,
        "faces": pool.arranged.faces.T[:, start:stop],
        "order": pool.order[start:stop],
    }
    cells = {name: getattr(nodes, name) for name in ("first_child", "child_count", "begin", "end")}
    return compiled.Packed(arrays, cells, root=root, start=start, stop=stop)


def packed(moment: Moment) -> PackedScene | None:
    """Return the packed scene, made at the first question; None without a kernel, or if empty."""
    if compiled.why_not():
        return None
    packing = moment.packing
    if packing.scene is None:
        if not moment.placements.is_there.any():
            return None
        packing.scene = PackedScene(moment)
    scene: PackedScene = packing.scene
    return scene if scene.is_sound else None


def cast(moment: Moment, asked: Questions) -> RayHits | None:
    """Return the closest triangle that each ray meets, or None where NumPy has to answer."""
    scene = packed(moment)
    few, count = _few(scene, len(asked)), len(asked)
    alone = None if few is None else few.cast(*asked.few, any_hit=False)
    if alone is not None:
        return hits_of(alone, _named(moment, alone[1][:count].view(np.intp)))
    hits = *np.empty((2, count), np.intp), np.empty(count), *compiled.vectors(count)
    if scene is None or not scene.cast(asked, hits, any_hit=False):
        return None
    items, rows, distances, positions, normals, weights = hits
    answer = RayHits(items, distances, positions, normals, weights, _named(moment, rows))
    return repaired(
        answer, items == NOT_TAKEN, lambda left: rays.cast(moment, rays_of(asked[left]))
    )


def _few(scene: PackedScene | None, count: int) -> compiled.Few | None:
    """Return what few questions ask; None if they are to be asked in the usual way."""
    return scene.few if scene is not None and 0 < count <= lone.MOST else None


def _named(moment: Moment, rows: Ids) -> Ids:
    """Return the ids of placements in these rows; -1 where there is none."""
    return np.where(rows >= 0, moment.placements.ids[rows], -1)


def _placed(moment: Moment, scene: PackedScene, counts: Ids, names: Ids) -> Ids:
    """Return questions, placements and triangles, (3, h), given how many each has, and names."""
    rows, items = scene.split(names)
    pairs = np.empty((3, len(names)), np.intp)
    pairs[0] = 0 if len(counts) == 1 else np.repeat(np.arange(len(counts)), counts)
    pairs[1], pairs[2] = moment.placements.ids[rows], items
    return pairs


def tested(moment: Moment, asked: Questions) -> Flags | None:
    """Return which rays meet any triangle, or None where NumPy has to answer."""
    scene, items = packed(moment), np.empty(len(asked), np.intp)
    few = _few(scene, len(asked))
    alone = None if few is None else few.cast(*asked.few, any_hit=True)
    if alone is not None:
        return alone[0] >= 0
    if scene is None or not scene.cast(asked, (items,), any_hit=True):
        return None
    return repaired(
        items >= 0, items == NOT_TAKEN, lambda left: rays.tested(moment, rays_of(asked[left]))
    )


def cast_all(moment: Moment, asked: Questions) -> RayCrossings | None:
    """Return all triangles that rays meet, or None where NumPy has to answer."""
    scene = packed(moment)
    few = _few(scene, len(asked))
    alone = None if few is None else few.cast_all(*asked.few)
    if scene is not None and alone is not None:
        counts, names, distances = alone
        return RayCrossings(_placed(moment, scene, counts, names), distances)
    found = None if scene is None else scene.cast_all(asked)
    if found is None:
        return None
    parts = [(np.empty((3, 0), np.intp), np.empty(0))]
    for numbers, rows, items, distances in found[0]:
        parts.append((np.stack((numbers, moment.placements.ids[rows], items)), distances))
    (some,) = (found[1] == NOT_TAKEN).nonzero()
    if len(some):
        others = rays.cast_all(moment, rays_of(asked[some]))
        parts.append(
            (np.concatenate((some[others.pairs[:1]], others.pairs[1:])), others.distances)
        )
    pairs, distances = (np.concatenate(each, axis=-1) for each in zip(*parts, strict=True))
    if len(some):
        order = np.lexsort((pairs[2], pairs[1], distances, pairs[0]))
        pairs, distances = pairs[:, order], distances[order]
    return RayCrossings(pairs, distances)


def wound_about(moment: Moment, asked: Rays, rows: Ids, codes: Ids, starts: Ids) -> Flags:
    """Return which rays begin inside the mesh placed in their row, (q,), as `wound_in_rows`."""
    scene = packed(moment)
    if scene is None:
        return rays.wound_in_rows(moment, asked, rows, codes, starts)
    start, way = np.ascontiguousarray(asked.origins.T), np.ascontiguousarray(asked.directions.T)
    given = Questions(start, way, asked.limits, compiled.threads_of(None))
    states = scene.wound_in(given, np.ascontiguousarray(rows), codes, starts)
    if states is None:
        return rays.wound_in_rows(moment, asked, rows, codes, starts)
    return repaired(
        states == 1, states == NOT_TAKEN,
        lambda left: rays.wound_in_rows(moment, asked[left], rows[left], codes, starts),
    )  # fmt: skip


def nearest_corners(
    moment: Moment, points: Floats, rows: Ids, limits: Floats
) -> tuple[Floats, Floats]:
    """Return how far points (3, q) are from the meshes placed in these rows, and their triangles.

    (q,), and the placed corners of the nearest triangle of each, (9, q). None is farther away
    than its limit, (q,).
    """
    scene = packed(moment)
    found = None if scene is None else scene.nearest_in_rows(points, rows, limits)
    if found is None:
        return nearest_in_rows(moment, points, rows, limits)
    items, distances, corners = found
    (left,) = (items < 0).nonzero()
    if len(left):
        some = np.ascontiguousarray(points[:, left])
        distances[left], corners[:, left] = nearest_in_rows(moment, some, rows[left], limits[left])
    return distances, corners


def nearest(
    moment: Moment, points: Floats, count: int, max_distance: float, threads: int
) -> Nearest:
    """Return the nearest placed triangles of points (q, 3), finite ones."""
    scene = packed(moment) if count <= compiled.MOST else None
    few = _few(scene, len(points))
    alone = None if few is None else few.nearest(points, count, max_distance)
    if alone is not None:
        placements = _named(moment, alone[3].view(np.intp)).reshape(alone[0].shape)
        return Nearest(*alone[:3], placements)
    if scene is not None:
        turns = morton_order(moment.top, Boxes(points, points))
        found = scene.nearest(points, turns, count, max_distance, threads)
    if scene is None or found is None:
        return nearest_in(moment, np.ascontiguousarray(points.T), count, max_distance)
    items, rows, distances, positions = found
    answer = Nearest(items, distances, positions, placements=_named(moment, rows))
    return repaired(
        answer, items[:, 0] == NOT_TAKEN,
        lambda left: nearest_in(
            moment, np.ascontiguousarray(points[left].T), count, max_distance
        ),
    )  # fmt: skip


def touched(
    moment: Moment, volumes: Shapes, threads: int, *, any_hit: bool = False
) -> tuple[Ids, Ids] | None:
    """Return how many triangles touch each volume, (q,), and which, or None where NumPy has to.

    The latter are volumes, placements and triangles, (3, h), sorted. With `any_hit`, one of each.
    """
    if not compiled.volume_kind(volumes):
        return None
    scene = packed(moment)
    if scene is None:
        return None
    few, kind = _few(scene, len(volumes)), compiled.volume_kind(volumes)
    alone = None if few is None else few.touched(volumes.rows.T, kind, any_hit=any_hit)
    if alone is not None:
        return alone[0], _placed(moment, scene, *alone)
    turns = morton_order(moment.top, volumes)
    asked = VolumesAsked.of(volumes, threads)
    found = scene.touched_in(asked, turns, any_hit=any_hit)
    if found is None:
        return None
    counts, rows, items = found
    places = concatenated_ranges((np.cumsum(counts) - counts)[turns], counts[turns])
    pairs = np.empty((3, len(items)), np.intp)
    pairs[0] = np.repeat(np.arange(len(counts)), counts)
    pairs[1, places], pairs[2, places] = moment.placements.ids[rows], items
    return counts, pairs
