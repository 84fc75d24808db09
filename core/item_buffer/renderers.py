"""Item buffers: which triangle each pixel shows, and how near it is; what draws them.

H. Weghorst, G. Hooper and D. Greenberg, "Improved Computational Methods for Ray Tracing", 1984.
"""

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Flags, Floats, Ids, batched
from ..groups import ALL_GROUPS
from ..records import Record
from ..scene import SceneOctree
from ..shapes import Frusta
from ..shapes.frusta import CLIP_CORNERS
from .evidence import Evidence, evidence
from .stage import Stage
from .views import depths_of

Size = tuple[int, int]
# A view shows fewer triangles than this.
_MOST = 1 << 31


@dataclass(frozen=True, eq=False)
class ItemBuffers(Record):
    """Placement, triangle and nearness of each pixel of some views.

    Row 0 is the lowest, column 0 the leftmost, as Blender's images have it.

    Attributes
    ----------
    placements : ndarray of intp, shape (v, height, width)
        Ids of placements; -1 where there is nothing.
    triangles : ndarray of intp, shape (v, height, width)
        Triangles of their meshes; -1 where there is nothing.
    nearness : ndarray of float32, shape (v, height, width)
        1 at the near plane, 0 at the far plane and where there is nothing: one minus the depth of
        OpenGL's depth buffer. On the screen a triangle's is linear.
    view_projection : ndarray of float64, shape (v, 4, 4)
        The views.
    """

    placements: Ids
    triangles: Ids
    nearness: NDArray[np.float32]
    view_projection: Floats

    @cached_property
    def depths(self) -> Floats:
        """Depths along the view direction, in scene units, (v, height, width).

        From the eye, or from the near plane of a parallel projection; infinity where there is
        nothing.
        """
        pairs = zip(self.view_projection, self.nearness.astype(float), strict=True)
        depths = [depths_of(matrix, nearness) for matrix, nearness in pairs]
        shown = np.array(depths).reshape(self.nearness.shape)
        return np.where(self.placements >= 0, shown, np.inf)


@dataclass(frozen=True)
class Image:
    """The pixels of one view, flat, (p,), row after row from below.

    `rows` are numbers of placements in the order of their ids, -1 for none.
    """

    rows: Ids
    triangles: Ids
    nearness: NDArray[np.float32]


@dataclass
class Alone:
    """What of a view is wanted alone, too: who draws all of it at once may set `flags`.

    The placements in `rows`, all that the view shows, have numbers of `boxes` (4, n) in the
    picture, n for none; flags are as `ItemRenderer.covered` gives them of all boxes.
    """

    rows: Ids
    owners: Ids
    boxes: Ids
    flags: Flags | None = None


class ItemRenderer:
    """Draws item buffers of a scene; each kind of renderer gives the same answer.

    Parameters
    ----------
    scene : SceneOctree
        What is drawn: as it is when it is drawn.

    Raises
    ------
    ValueError
        If this is no scene.
    """

    def __init__(self, scene: SceneOctree) -> None:
        checks.kind("scene", scene, (SceneOctree,))
        self._scene, self._groups = scene, ALL_GROUPS
        self._stage: Stage | None = None

    @property
    def scene(self) -> SceneOctree:
        """The scene that is drawn."""
        return self._scene

    @property
    def stage(self) -> Stage:
        """The scene as it is now."""
        if self._stage is None or not self._stage.moment.freshness.is_current:
            self._stage = Stage(self._scene._snapshot(self._groups))
        return self._stage

    def _in_groups(self, mask: int) -> Self:
        """Return one of the same kind for a question of some groups."""
        other = copy(self)
        other._groups, other._stage = mask, None
        return other

    def image(self, view_projection: Floats, size: Size, alone: Alone | None = None) -> Image:
        """Draw one view.

        Parameters
        ----------
        view_projection : ndarray of float64, shape (4, 4)
            A matrix that was checked.
        size : tuple of int
            Width and height in pixels.
        alone : Alone, optional
            What is wanted alone, too.

        Returns
        -------
        Image
            What `item_buffers` returns of one view, as this renderer's own numbers.

        Raises
        ------
        ValueError
            If the view shows 2**31 triangles or more.
        """
        rows = self.stage.rows_in(view_projection) if alone is None else alone.rows
        ends = np.cumsum(self.stage.sizes(rows))
        if len(ends) and ends[-1] >= _MOST:
            raise ValueError(f"a view must show fewer than {_MOST} triangles, got {ends[-1]}")
        numbers, nearness = self._drawn(view_projection, size, rows, alone)
        all_rows, triangles = np.full((2, len(numbers)), -1)
        (seen,) = (numbers >= 0).nonzero()
        shown = numbers[seen]
        drawn = np.searchsorted(ends, shown, side="right")
        all_rows[seen] = rows[drawn]
        triangles[seen] = shown - (ends - self.stage.sizes(rows))[drawn]
        return Image(all_rows, triangles, nearness)

    def covered(
        self, view_projection: Floats, size: Size, rows: Ids, owners: Ids, boxes: Ids
    ) -> Iterator[tuple[Ids, Flags]]:
        """Draw owners alone, each into its own box, some of them at a time.

        Parameters
        ----------
        view_projection : ndarray of float64, shape (4, 4)
            A matrix that was checked.
        size : tuple of int
            Width and height of the picture in pixels.
        rows : ndarray of intp, shape (k,)
            What is drawn: places of ids in `scene.ids`, ascending.
        owners : ndarray of intp, shape (k,)
            The number of the box that each is drawn into.
        boxes : ndarray of intp, shape (4, n)
            Left, bottom, right and top of each box, in the picture; none is empty.

        Yields
        ------
        some, flags : ndarray of intp, shape (m,), and ndarray of bool
            Boxes, all of them in order in the end, and which of their pixels are covered: one box
            after the other, row by row.

        Raises
        ------
        ValueError
            Never: all was checked before.
        """
        areas = (boxes[2] - boxes[0]) * (boxes[3] - boxes[1])
        for part in batched(np.cumsum(areas), self._pixels_together):
            some = np.arange(part.start, part.stop)
            mine = (owners >= part.start) & (owners < part.stop)
            own = owners[mine] - part.start
            yield some, self._covered(view_projection, size, rows[mine], own, boxes[:, part])

    def evidence(
        self,
        view_projection: Floats,
        size: Size,
        image: Image,
        rows: Ids,
        wanted: Callable[[Ids, Ids], Flags],
    ) -> Iterator[Evidence]:
        """Tell whether what a picture does not show is hidden, or too small to tell.

        Parameters
        ----------
        view_projection : ndarray of float64, shape (4, 4)
            A matrix that was checked.
        size : tuple of int
            Width and height of the picture in pixels.
        image : Image
            What `image` returned of this view.
        rows : ndarray of intp, shape (k,)
            Places of ids in `scene.ids`.
        wanted : callable
            Takes rows, of these, and triangles of their meshes, (n,) each, and returns which of
            them to tell of: no pixel shows them.

        Yields
        ------
        Evidence
            Of some of the triangles that are wanted; of none in the end of those that are small
            and hidden by others with all their neighbors.

        Raises
        ------
        ValueError
            Never: all was checked before.
        """
        nearness = image.nearness.reshape(size[1], size[0])
        yield from evidence(self.stage, view_projection, nearness, rows, wanted)

    # How many pixels of boxes are drawn together.
    _pixels_together = 1 << 23

    def _drawn(
        self, view_projection: Floats, size: Size, rows: Ids, alone: Alone | None = None
    ) -> tuple[Ids, NDArray[np.float32]]:
        """Return the nearest triangle of each pixel, or -1, and its nearness, (p,) each.

        What is wanted `alone` may be drawn, too, if it is not more than boxes are drawn together.
        Triangles are counted over these placements, one after the other.
        """
        raise NotImplementedError

    def _covered(
        self, view_projection: Floats, size: Size, rows: Ids, owners: Ids, boxes: Ids
    ) -> Flags:
        """Return which pixels of owners' boxes are covered, one box after the other."""
        raise NotImplementedError


def asked_of(renderer: ItemRenderer, groups: SupportsIndex) -> ItemRenderer:
    """Return what draws the groups of a question, checked."""
    checks.kind("renderer", renderer, (ItemRenderer,))
    mask = checks.mask("groups", groups)
    return renderer if mask == ALL_GROUPS else renderer._in_groups(mask)


def checked_views(view_projection: ArrayLike, size: object) -> tuple[Floats, Size]:
    """Return matrices (v, 4, 4), w positive in view, and width and height, checked."""
    matrices = checks.floats("view_projection", view_projection, 4, 4)
    finite = np.isfinite(matrices).all(axis=(1, 2))
    checks.every_row("view_projection", "be finite", finite, matrices)
    with np.errstate(all="ignore"):
        ends = np.isfinite(Frusta.from_matrices(matrices).corners).all(axis=(1, 2))
    # A matrix and its opposite project alike, so let w be positive; if it is not everywhere, the
    # view passes through infinity.
    signs = np.sign(np.linalg.inv(matrices)[:, 3] @ CLIP_CORNERS)
    ends &= (signs == signs[:, :1]).all(axis=1)
    checks.every_row("view_projection", "end at finite distances", ends, matrices)
    if not isinstance(size, tuple | list) or len(size) != 2:
        wrong = ValueError if isinstance(size, tuple | list) else checks.ArgumentTypeError
        raise wrong(f"size must be width and height, got {size!r}")
    width, height = (checks.whole_number("size", number, 1) for number in size)
    checks.room("size", size, width, height)
    return matrices * signs[:, :1, None], (width, height)


def item_buffers(
    renderer: ItemRenderer,
    view_projection: ArrayLike,
    /,
    *,
    size: Size = (640, 480),
    groups: SupportsIndex = ALL_GROUPS,
) -> ItemBuffers:
    """Draw which triangle is seen in each pixel of some views.

    Parameters
    ----------
    renderer : ItemRenderer
        What draws, and the scene: `ZBuffer(scene)`, or `PixelRays(scene)`.
    view_projection : array_like of float, shape (v, 4, 4)
        Projection @ view, OpenGL clip space, for column vectors; perspective or parallel, with
        near and far planes at finite distances. The sign of a whole matrix does not matter.
    size : tuple of int, default (640, 480)
        Width and height in pixels.
    groups : int
        A mask of 32 bits: placements with a mask that shares none of them are not there.

    Returns
    -------
    ItemBuffers
        For v views. Pixel centers are sampled; of triangles equally near, in single precision,
        the smaller placement and triangle are seen. Both sides of a triangle are.

    Raises
    ------
    ValueError
        On a wrong shape or size, a matrix that is not finite, has no inverse, or whose view goes
        on forever, or if `groups` is no mask.

    Notes
    -----
    O(triangles of the placements in view + pixels) a view.
    """
    renderer = asked_of(renderer, groups)
    matrices, size = checked_views(view_projection, size)
    shape = (len(matrices), size[1], size[0])
    checks.room("size", size, *shape)
    placements, triangles = np.full(shape, -1), np.full(shape, -1)
    nearness = np.zeros(shape, np.float32)
    for view, matrix in enumerate(matrices):
        image = renderer.image(matrix, size)
        (seen,) = (image.rows >= 0).nonzero()
        placements[view].reshape(-1)[seen] = renderer.scene.ids[image.rows[seen]]
        triangles[view].reshape(-1)[:] = image.triangles
        nearness[view].reshape(-1)[:] = image.nearness
    return ItemBuffers(placements, triangles, nearness, matrices)
