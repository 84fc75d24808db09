"""Item buffers of many views, summed up by object and by face, step by step.

For triangles without pixels, each view gives evidence: hidden by others, or too small to tell.
"""

from collections import Counter
from collections.abc import Callable

import bpy
import numpy as np

from ....core import Evidence, ItemRenderer, SceneOctree, Steps
from ...arrays import Flags, Ids
from ...item_buffer import renderer_of
from ...reader import ScenePlacements
from ...scene_index import SceneIndex, index_steps
from ...ui import ChangedMeanwhileError
from ..frames import frame_steps
from ..render_roles import not_counted
from ..shown_scene import ShownScene
from .samples import OPEN, TOO_SMALL, Facts, Samples
from .stage import CountingStage, stage_of
from .views import SampledViews, ViewSet, stretching, view_set

# A key identifies faces that are counted together: (_OWN, session id of an object, polygons) for
# its evaluated mesh, (_INSTANCED, session id of a mesh, polygons) for the instances of a mesh. The
# number of polygons separates meshes that change during a shot.
_OWN, _INSTANCED = 0, 1
Key = tuple[int, int, int]
_NEVER = -1


def samples_steps(
    context: bpy.types.Context,
    views: SampledViews,
    *,
    renderer: Callable[[SceneOctree], ItemRenderer] = renderer_of,
) -> Steps[Samples]:
    """Count the samples (pixels of views) of each object and each face.

    Parameters
    ----------
    context : bpy.types.Context
        Context whose view layer decides on visible objects; hidden objects are left out.
    views : SampledViews
        The views to test. Frames are restored at the end, also after errors.
    renderer : callable
        Function that creates the renderer of a scene, by default the fastest one.
        `core.PixelRays` is exact, but slow.

    Returns
    -------
    generator
        Yields the fraction done; returns `Samples`.

    Raises
    ------
    ValueError
        At a step, if there is nothing to look at or from, or the scene has changed meanwhile.
    """
    sums = Sums()
    scene, missing = ShownScene(open_faces=views.is_open, made_by=renderer), set[str]()

    def look(index: SceneIndex, _: int) -> Steps[None]:
        nonlocal missing
        stage = stage_of(context, index, views, scene)
        looks = view_set(views, context, stage.scene, stage.solid)
        sums.begin(index.placements, stage, looks)
        if views.kind == "OUTSIDE":
            owners = index.placements.owners[stage.rows]
            sums.stretching = stretching(stage.scene, looks.members, owners)
        yield from _drawn(index, stage, looks, sums)
        missing |= not_counted(context.view_layer)

    yield from frame_steps(context, views.frames, index_steps, look)
    opaque = () if views.is_open else tuple(sorted(scene.clear))
    return sums.samples(views, opaque, tuple(sorted(missing)))


def _drawn(index: SceneIndex, stage: CountingStage, looks: ViewSet, sums: "Sums") -> Steps[None]:
    placements, renderer, count = index.placements, stage.shown.renderer, len(looks.matrices)
    for view, (matrix, group) in enumerate(zip(looks.matrices, looks.groups, strict=True)):
        yield view / count
        image = renderer.image(matrix, looks.size)
        mine = looks.members == group
        (seen,) = ((image.rows >= 0) & mine[image.rows]).nonzero()
        sums.add(stage.rows[image.rows[seen]], image.triangles[seen])
        asked = sums.undecided(mine)
        for found in renderer.evidence(matrix, looks.size, image, asked, sums.wanted):
            sums.judge(found)
        # Another query may have updated the index between two steps.
        if index.placements is not placements:
            raise ChangedMeanwhileError


class Sums:
    """Accumulator of samples over all frames: flat arrays, with a slice for each key of faces."""

    def __init__(self) -> None:
        self._view = 0
        self._starts: dict[Key, int] = {}
        self._objects: dict[int, int] = {}
        self._faces, self._wholes = Tally(), Tally()
        self._open: set[int] = set()
        self._origins: dict[Key, set[int]] = {}
        self._users: dict[Key, set[int]] = {}
        self._changed: set[int] = set()
        self._instanced: set[int] = set()
        self._size, self._groups, self._parallel = (0, 0), 1, True
        self._finest, self._coarsest = np.inf, 0.0
        self.stretching = 0, 1.0

    def begin(self, placements: ScenePlacements, stage: CountingStage, looks: ViewSet) -> None:
        """Start a frame: prepare the maps from drawn placements to objects and faces."""
        self._look(looks)
        numbers = {mesh: n for n, mesh in enumerate(dict.fromkeys(placements.meshes))}
        lengths = [len(mesh.polygons) for mesh in numbers]
        self._polygons = np.concatenate([np.empty(0, np.intp), *(m.polygons for m in numbers)])
        starts = np.cumsum([0, *lengths])
        of_rows = np.array([numbers[mesh] for mesh in placements.meshes], np.intp)
        self._first_triangles = starts[of_rows]
        self._shown = stage.rows
        self._bases = np.full(len(placements), -1)
        self._owners = np.full(len(placements), -1)
        owners, instanced = placements.owners.tolist(), placements.is_instance.tolist()
        origins, intact = placements.origins.tolist(), placements.intact.tolist()
        opened: list[tuple[int, Flags]] = []
        for row in stage.rows.tolist():
            count = int(placements.meshes[row].polygons[-1]) + 1
            if origins[row] >= 0 and not intact[row]:
                self._changed.add(origins[row])
            key = (_OWN, owners[row], count)
            if instanced[row]:
                self._instanced.add(origins[row])
                key = (_INSTANCED, origins[row] if intact[row] else -1, count)
            self._owners[row] = self._number_of(owners[row])
            if key[1] >= 0:
                self._users.setdefault(key, set()).add(owners[row])
                base = self._bases[row] = self._start_of(key)
                if intact[row]:
                    self._origins.setdefault(key, set()).add(origins[row])
                if row in stage.open_polygons:
                    opened.append((base, stage.open_polygons[row]))
            if row in stage.open_polygons:
                self._open.add(owners[row])
        self._faces.settle()
        self._wholes.settle()
        for base, flags in opened:
            self._faces.open[base : base + len(flags)] |= flags

    def _look(self, looks: ViewSet) -> None:
        """Record the picture size, the groups and the pixel widths of a frame's views."""
        widths = looks.pixels
        self._size, self._groups = looks.size, max(self._groups, looks.count)
        self._parallel &= looks.are_parallel
        self._finest = min(self._finest, float(widths.min(initial=np.inf)))
        self._coarsest = max(self._coarsest, float(widths.max(initial=0.0)))

    def add(self, rows: Ids, triangles: Ids) -> None:
        """Add the samples of one view, as rows of the index and triangles of their meshes."""
        self._wholes.add(self._owners[rows], self._view)
        self._faces.add(self._faces_of(rows, triangles)[0], self._view)
        self._view += 1

    def undecided(self, mine: Flags) -> Ids:
        """Return the drawn placements in `mine` that have undecided triangles, as indices."""
        (places,) = mine.nonzero()
        rows = self._shown[places]
        starts = np.array([*self._starts.values()], np.intp)
        left = ~self._wholes.decided[self._owners[rows]]
        if len(starts):
            whole = np.logical_and.reduceat(self._faces.decided, starts)
            keys = np.searchsorted(starts, self._bases[rows])
            left |= (self._bases[rows] >= 0) & ~whole[keys]
        return places[left]

    def wanted(self, places: Ids, triangles: Ids) -> Flags:
        """Return flags of the given triangles of drawn placements that are undecided, (n,).

        A triangle is undecided if its face or its object is (see `Tally.decided`).
        """
        rows = self._shown[places]
        left = ~self._wholes.decided[self._owners[rows]]
        faces, known = self._faces_of(rows, triangles)
        left[known] |= ~self._faces.decided[faces]
        return left

    def judge(self, told: Evidence) -> None:
        """Add the evidence of one view about triangles without pixels."""
        rows = self._shown[told.rows]
        faces, known = self._faces_of(rows, told.triangles)
        self._faces.judge(faces, told.resolved[known], told.unresolved[known])
        self._wholes.judge(self._owners[rows], told.resolved, told.unresolved)

    def _faces_of(self, rows: Ids, triangles: Ids) -> tuple[Ids, Ids]:
        """Return the face numbers of the triangles with known faces, and their indices."""
        (known,) = (self._bases[rows] >= 0).nonzero()
        rows, triangles = rows[known], triangles[known]
        polygons = self._polygons[self._first_triangles[rows] + triangles]
        return self._bases[rows] + polygons, known

    def samples(
        self, views: SampledViews, opaque: tuple[str, ...], missing: tuple[str, ...]
    ) -> Samples:
        """Return the samples of all views."""
        total = self._view
        codes = self._wholes.counted(0, len(self._wholes.counts))
        small = {uid for uid, number in self._objects.items() if codes[number] == TOO_SMALL}
        small -= self._open
        faces = {key: self._counted(key, small) for key in self._starts}
        owned = {key: counts for key, counts in faces.items() if key[0] == _OWN}
        times = Counter(uid for _, uid, _ in owned)
        last = total - max(1, round(total / 10))
        wholes = self._wholes.counts.tolist()
        return Samples(
            objects={uid: wholes[number] for uid, number in self._objects.items()},
            open_objects=frozenset(self._open),
            small_objects=frozenset(small),
            own={key[1]: each for key, each in owned.items() if times[key[1]] == 1},
            meshes=self._meshes(faces),
            changed=frozenset(self._changed),
            instanced=frozenset(self._instanced),
            facts=Facts(
                kind=views.kind,
                views=total,
                size=self._size,
                frames=len(views.frames),
                pixels=(self._finest, self._coarsest),
                are_parallel=self._parallel,
                groups=self._groups,
                stretching=self.stretching,
                added_faces=self._faces.added_since(last),
                added_objects=self._wholes.added_since(last),
                opaque=opaque,
                not_counted=missing,
                left_out=views.left_out,
            ),
        )

    def _counted(self, key: Key, small: set[int]) -> Ids:
        """Return the counts of the faces of a key.

        If the objects that show the faces are never seen and not too small, faces that are too
        small count as never seen as well.
        """
        counts = self._faces.counted(self._starts[key], key[2])
        numbers = [self._objects[uid] for uid in self._users.get(key, ()) if uid not in small]
        if not self._wholes.counts[numbers].any() and not self._users.get(key, set()) & small:
            counts[counts == TOO_SMALL] = 0
        return counts

    def _meshes(self, faces: dict[Key, Ids]) -> dict[int, Ids]:
        """Sum up the faces of each mesh, except meshes with other faces in some objects."""
        meshes: dict[int, Ids] = {}
        changed = self._changed
        for key, origins in self._origins.items():
            for uid in origins:
                known = meshes.get(uid)
                if known is None:
                    meshes[uid] = faces[key]
                elif len(known) == key[2]:
                    meshes[uid] = added(known, faces[key])
                else:
                    changed.add(uid)
        return {uid: counts for uid, counts in meshes.items() if uid not in changed}

    def _number_of(self, uid: int) -> int:
        if uid not in self._objects:
            self._objects[uid] = self._wholes.grow(1)
        return self._objects[uid]

    def _start_of(self, key: Key) -> int:
        if key not in self._starts:
            self._starts[key] = self._faces.grow(key[2])
        return self._starts[key]


class Tally:
    """Counts and evidence of a growing number n of elements (faces or objects).

    Attributes
    ----------
    counts : ndarray of intp, shape (n,)
        Number of samples of each element.
    first : ndarray of intp, shape (n,)
        The first view that saw the element, or -1.
    open : ndarray of bool, shape (n,)
        True if the element counted as open.
    resolved, unresolved : ndarray of bool, shape (n,)
        `resolved`: in some view, other elements hide a part of the element that would otherwise
        have pixels. `unresolved`: in some view, a part of the element is too small to decide if it
        is hidden.
    """

    def __init__(self) -> None:
        self.counts: Ids = np.empty(0, np.intp)
        self.first: Ids = np.empty(0, np.intp)
        self.open, self.resolved, self.unresolved = np.empty((3, 0), np.bool_)
        self._length = 0

    def grow(self, count: int) -> int:
        """Reserve `count` more elements for the next `settle`; return the first number."""
        self._length += count
        return self._length - count

    def settle(self) -> None:
        """Extend the arrays by all reserved elements."""
        more = self._length - len(self.counts)
        none = np.zeros(more, np.bool_)
        self.counts = np.concatenate((self.counts, np.zeros(more, np.intp)))
        self.first = np.concatenate((self.first, np.full(more, _NEVER)))
        self.open = np.concatenate((self.open, none))
        self.resolved = np.concatenate((self.resolved, none))
        self.unresolved = np.concatenate((self.unresolved, none))

    def add(self, numbers: Ids, view: int) -> None:
        """Add the samples of one view, given as element numbers."""
        self.counts += np.bincount(numbers, minlength=len(self.counts))
        self.first[(self.first == _NEVER) & (self.counts > 0)] = view

    @property
    def decided(self) -> Flags:
        """Flags of elements that further evidence cannot change to too small, (n,)."""
        return (self.counts > 0) | self.resolved | self.open

    def judge(self, numbers: Ids, resolved: Flags, unresolved: Flags) -> None:
        """Add the evidence of one view about parts of elements."""
        self.resolved[numbers[resolved]] = True
        self.unresolved[numbers[unresolved]] = True

    def counted(self, start: int, count: int) -> Ids:
        """Return a slice of the counts, with `OPEN` and `TOO_SMALL` for such elements."""
        part = slice(start, start + count)
        is_small = self.unresolved[part] & ~self.resolved[part] & (self.counts[part] == 0)
        counts = np.where(is_small, TOO_SMALL, self.counts[part])
        return np.where(self.open[part], OPEN, counts)

    def added_since(self, view: int) -> float:
        """Return the fraction of the seen elements that no view before this one saw."""
        seen = self.first != _NEVER
        return float((self.first[seen] >= view).sum() / max(seen.sum(), 1))


def added(counts: Ids, others: Ids) -> Ids:
    """Add the counts of the same faces from two keys.

    A face is `OPEN` if either count is `OPEN`. It is `TOO_SMALL` if either count is `TOO_SMALL`
    and no count is positive.
    """
    special = np.minimum(counts, others)
    seen: Ids = np.maximum(counts, 0) + np.maximum(others, 0)
    sums: Ids = np.where(seen > 0, seen, special)
    is_open = (counts == OPEN) | (others == OPEN)
    return np.where(is_open, OPEN, sums)
