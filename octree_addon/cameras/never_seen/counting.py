"""Item buffers of all views, summed up by object and by face, step by step."""

from collections import Counter
from collections.abc import Callable

import bpy
import numpy as np

from ....core import ItemRenderer, SceneOctree, Steps
from ...arrays import Flags, Floats, Ids
from ...item_buffer import renderer_of
from ...reader import ScenePlacements
from ...scene_index import SceneIndex, index_steps
from ...ui import ChangedMeanwhileError
from ..frames import frame_steps
from ..render_roles import not_counted
from ..shown_scene import ShownScene
from .samples import OPEN, Facts, Samples
from .stage import CountingStage, stage_of
from .views import SampledViews, Size, view_matrices

# What is counted together: an object's own evaluated mesh, or a mesh through its instances. The
# last number is that of polygons: of a mesh that gets others during a shot nothing is known.
_OWN, _INSTANCED = 0, 1
Key = tuple[int, int, int]
_NEVER = -1


def samples_steps(
    context: bpy.types.Context,
    views: SampledViews,
    *,
    renderer: Callable[[SceneOctree], ItemRenderer] = renderer_of,
) -> Steps[Samples]:
    """Count how many samples, pixels of views, see each object and each face.

    Parameters
    ----------
    context : bpy.types.Context
        Its view layer says what is visible; hidden objects are not there.
    views : SampledViews
        What is tested. Frames are set, and set back however the steps end.
    renderer : callable
        Makes what draws: by default what is fastest here. `core.PixelRays` is exact, and slow.

    Returns
    -------
    generator
        Yields the fraction done; returns `Samples`.

    Raises
    ------
    ValueError
        At a step, if there is nothing to look at or from, or the scene has changed meanwhile.
    """
    sums, total, size = Sums(), 0, (0, 0)
    scene, missing = ShownScene(open_faces=views.is_open, made_by=renderer), set[str]()

    def look(index: SceneIndex, _: int) -> Steps[None]:
        nonlocal total, size, missing
        stage = stage_of(context, index, views, scene)
        matrices, size = view_matrices(views, context, stage.scene, stage.solid)
        sums.begin(index.placements, stage)
        yield from _drawn(index, stage, matrices, size, sums)
        total += len(matrices)
        missing |= not_counted(context.view_layer)

    yield from frame_steps(context, views.frames, index_steps, look)
    opaque = () if views.is_open else tuple(sorted(scene.clear))
    return sums.samples(views, total, size, opaque, tuple(sorted(missing)))


def _drawn(
    index: SceneIndex,
    stage: CountingStage,
    matrices: Floats,
    size: Size,
    sums: "Sums",
) -> Steps[None]:
    placements, renderer = index.placements, stage.shown.renderer
    for view, matrix in enumerate(matrices):
        yield view / len(matrices)
        # Between two steps another question may have read the scene again.
        if index.placements is not placements:
            raise ChangedMeanwhileError
        image = renderer.image(matrix, size)
        (seen,) = (image.rows >= 0).nonzero()
        sums.add(stage.rows[image.rows[seen]], image.triangles[seen])


class Sums:
    """Samples so far, of all frames: flat, a slice for each object, and for each key of faces."""

    def __init__(self) -> None:
        self._view = 0
        self._starts: dict[Key, int] = {}
        self._objects: dict[int, int] = {}
        self._faces, self._wholes = Tally(), Tally()
        self._open: set[int] = set()
        self._origins: dict[Key, set[int]] = {}
        self._changed: set[int] = set()
        self._instanced: set[int] = set()

    def begin(self, placements: ScenePlacements, stage: CountingStage) -> None:
        """Take a frame: whose placements are drawn from now on, in rows of the index."""
        numbers = {mesh: n for n, mesh in enumerate(dict.fromkeys(placements.meshes))}
        lengths = [len(mesh.polygons) for mesh in numbers]
        self._polygons = np.concatenate([np.empty(0, np.intp), *(m.polygons for m in numbers)])
        starts = np.cumsum([0, *lengths])
        self._first_triangles = starts[[numbers[mesh] for mesh in placements.meshes]]
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

    def add(self, rows: Ids, triangles: Ids) -> None:
        """Count the samples of one view: rows of the index and triangles of their meshes."""
        self._wholes.add(self._owners[rows], self._view)
        known = self._bases[rows] >= 0
        rows, triangles = rows[known], triangles[known]
        polygons = self._polygons[self._first_triangles[rows] + triangles]
        self._faces.add(self._bases[rows] + polygons, self._view)
        self._view += 1

    def samples(
        self,
        views: SampledViews,
        total: int,
        size: Size,
        opaque: tuple[str, ...],
        missing: tuple[str, ...],
    ) -> Samples:
        """Return what was counted in all views."""
        faces = {key: self._faces.counted(start, key[2]) for key, start in self._starts.items()}
        owned = {key: counts for key, counts in faces.items() if key[0] == _OWN}
        times = Counter(uid for _, uid, _ in owned)
        last = total - max(1, round(total / 10))
        wholes = self._wholes.counts.tolist()
        return Samples(
            objects={uid: wholes[number] for uid, number in self._objects.items()},
            open_objects=frozenset(self._open),
            own={key[1]: each for key, each in owned.items() if times[key[1]] == 1},
            meshes=self._meshes(faces),
            changed=frozenset(self._changed),
            instanced=frozenset(self._instanced),
            facts=Facts(
                kind=views.kind,
                views=total,
                size=size,
                frames=len(views.frames),
                added_faces=self._faces.added_since(last),
                added_objects=self._wholes.added_since(last),
                opaque=opaque,
                not_counted=missing,
                left_out=views.left_out,
            ),
        )

    def _meshes(self, faces: dict[Key, Ids]) -> dict[int, Ids]:
        """Sum up the faces of each mesh, as far as all that shows it shows its own faces."""
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
    """Counts that grow in number: how many samples, the first view that saw it, if it is open."""

    def __init__(self) -> None:
        self.counts: Ids = np.empty(0, np.intp)
        self.first: Ids = np.empty(0, np.intp)
        self.open: Flags = np.empty(0, np.bool_)
        self._length = 0

    def grow(self, count: int) -> int:
        """Announce so many more, and return where they start; `settle` makes room for them."""
        self._length += count
        return self._length - count

    def settle(self) -> None:
        """Make room for all that were announced."""
        more = self._length - len(self.counts)
        self.counts = np.concatenate((self.counts, np.zeros(more, np.intp)))
        self.first = np.concatenate((self.first, np.full(more, _NEVER)))
        self.open = np.concatenate((self.open, np.zeros(more, np.bool_)))

    def add(self, numbers: Ids, view: int) -> None:
        """Count samples of one view."""
        self.counts += np.bincount(numbers, minlength=len(self.counts))
        self.first[(self.first == _NEVER) & (self.counts > 0)] = view

    def counted(self, start: int, count: int) -> Ids:
        """Return a slice of the counts, `OPEN` for what is open."""
        part = slice(start, start + count)
        return np.where(self.open[part], OPEN, self.counts[part])

    def added_since(self, view: int) -> float:
        """Return which part of what was seen no view before this one saw."""
        seen = self.first != _NEVER
        return float((self.first[seen] >= view).sum() / max(seen.sum(), 1))


def added(counts: Ids, others: Ids) -> Ids:
    """Add samples of the same faces in two places; what is open in one is so."""
    sums: Ids = np.where((counts == OPEN) | (others == OPEN), OPEN, counts + others)
    return sums
