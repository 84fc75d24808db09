"""Item buffers with the triangle and the nearness of each pixel, and their renderers.

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
from ..checks import ALL_GROUPS
from ..records import Record
from ..scene import SceneOctree
from ..shapes import Frusta
from ..shapes.frusta import CLIP_CORNERS
from .evidence import Evidence, evidence
from .stage import Stage
from .views import depths_of

Size = tuple[int, int]
# Views must show fewer triangles than this number.
_MOST = 1 << 31


@dataclass(frozen=True, eq=False)
class ItemBuffers(Record):
    """Placement, triangle and nearness of each pixel of some views.

    Row 0 is the lowest and column 0 the leftmost, as in Blender's images.

    Attributes
    ----------
    placements : ndarray of intp, shape (v, height, width)
        Ids of placements; -1 for empty pixels.
    triangles : ndarray of intp, shape (v, height, width)
        Triangles of their meshes; -1 for empty pixels.
    nearness : ndarray of float32, shape (v, height, width)
        1 at the near plane, 0 at the far plane and for empty pixels: one minus the depth of
        OpenGL's depth buffer. The nearness of a triangle is linear on the screen.
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

        Depths are measured from the eye, or from the near plane of a parallel projection, and
        infinite for empty pixels.
        """
        pairs = zip(self.view_projection, self.nearness.astype(float), strict=True)
        depths = [depths_of(matrix, nearness) for matrix, nearness in pairs]
        shown = np.array(depths).reshape(self.nearness.shape)
        return np.where(self.placements >= 0, shown, np.inf)


@dataclass(frozen=True)
class Image:
    """The pixels of one view, flat, (p,), row after row from below.

    `rows` are indices of placements in the order of their ids, -1 for empty pixels.
    """

    rows: Ids
    triangles: Ids
    nearness: NDArray[np.float32]


@dataclass
class Alone:
    """Boxes in which a renderer also draws objects without the others, and its result.

    `rows` are all placements in the view, and `owners` their numbers of `boxes` (4, n) in the
    picture, n for none. A renderer that draws all boxes in the same pass sets `flags` to the
    covered pixels, as `ItemRenderer.covered` returns them for all boxes.
    """

    rows: Ids
    owners: Ids
    boxes: Ids
    flags: Flags | None = None


class ItemRenderer:
    """Base class of renderers that draw item buffers of a scene, with equal results.

    Parameters
    ----------
    scene : SceneOctree
        The scene to draw. Each drawing shows its current state.

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
        """The vertex stage of the current scene."""
        if self._stage is None or not self._stage.moment.freshness.is_current:
            self._stage = Stage(self._scene._snapshot(self._groups))
        return self._stage

    def _in_groups(self, mask: int) -> Self:
        """Return a copy of the renderer that draws only placements in some groups."""
        other = copy(self)
        other._groups, other._stage = mask, None
        return other

    def image(self, view_projection: Floats, size: Size, alone: Alone | None = None) -> Image:
        """Draw one view.

        Parameters
        ----------
        view_projection : ndarray of float64, shape (4, 4)
            A validated matrix.
        size : tuple of int
            Width and height in pixels.
        alone : Alone, optional
            Boxes in which objects are also drawn without the others.

        Returns
        -------
        Image
            The item buffer of the view, with placements as indices instead of ids.

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
        """Draw each owner into its own box, without the others, in batches of boxes.

        Parameters
        ----------
        view_projection : ndarray of float64, shape (4, 4)
            A validated matrix.
        size : tuple of int
            Width and height of the picture in pixels.
        rows : ndarray of intp, shape (k,)
            The placements to draw: indices in `scene.ids`, ascending.
        owners : ndarray of intp, shape (k,)
            The number of the box of each placement.
        boxes : ndarray of intp, shape (4, n)
            Left, bottom, right and top of each box, in the picture; none is empty.

        Yields
        ------
        some, flags : ndarray of intp, shape (m,), and ndarray of bool
            Numbers of boxes, in order and over all batches complete, and flags of their covered
            pixels: one box after the other, row by row.

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
        """Yield evidence if triangles without a pixel are hidden or too small to decide.

        Parameters
        ----------
        view_projection : ndarray of float64, shape (4, 4)
            A validated matrix.
        size : tuple of int
            Width and height of the picture in pixels.
        image : Image
            The result of method `image` for this view.
        rows : ndarray of intp, shape (k,)
            Placements: indices in `scene.ids`.
        wanted : callable
            A function of placements, from `rows`, and triangles of their meshes, (n,) each, that
            flags the triangles to test. No pixel may show these.

        Yields
        ------
        Evidence
            The evidence of a batch of wanted triangles. Triangles in cells with only small,
            hidden triangles are left out.

        Raises
        ------
        ValueError
            Never: all was checked before.
        """
        nearness = image.nearness.reshape(size[1], size[0])
        yield from evidence(self.stage, view_projection, nearness, rows, wanted)

    # Pixels of boxes in one batch.
    _pixels_together = 1 << 23

    def _drawn(
        self, view_projection: Floats, size: Size, rows: Ids, alone: Alone | None = None
    ) -> tuple[Ids, NDArray[np.float32]]:
        """Return the nearest triangle of each pixel, or -1, and its nearness, (p,) each.

        The boxes of `alone` may be drawn in the same pass if they fit in one batch. Triangles are
        numbered over the placements in `rows`, one placement after the other.
        """
        raise NotImplementedError

    def _covered(
        self, view_projection: Floats, size: Size, rows: Ids, owners: Ids, boxes: Ids
    ) -> Flags:
        """Flag the covered pixels of the owners' boxes, one box after the other."""
        raise NotImplementedError


def asked_of(renderer: ItemRenderer, groups: SupportsIndex) -> ItemRenderer:
    """Return the validated renderer, restricted to some groups."""
    checks.kind("renderer", renderer, (ItemRenderer,))
    mask = checks.mask("groups", groups)
    return renderer if mask == ALL_GROUPS else renderer._in_groups(mask)


def checked_views(view_projection: ArrayLike, size: object) -> tuple[Floats, Size]:
    """Return validated matrices (v, 4, 4), with w positive in view, and width and height."""
    matrices = checks.floats("view_projection", view_projection, 4, 4)
    finite = np.isfinite(matrices).all(axis=(1, 2))
    checks.every_row("view_projection", "be finite", finite, matrices)
    with np.errstate(all="ignore"):
        ends = np.isfinite(Frusta.from_matrices(matrices).corners).all(axis=(1, 2))
    # A matrix and its negative have the same projection, so choose the sign with positive w. If w
    # changes its sign within the view, the view passes through infinity.
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
    """Draw the visible triangle of each pixel of some views.

    Parameters
    ----------
    renderer : ItemRenderer
        The renderer with its scene: `ZBuffer(scene)` or `PixelRays(scene)`.
    view_projection : array_like of float, shape (v, 4, 4)
        Projection @ view, OpenGL clip space, for column vectors; perspective or parallel, with
        near and far planes at finite distances. The sign of a whole matrix does not matter.
    size : tuple of int, default (640, 480)
        Width and height in pixels.
    groups : int
        A 32-bit mask; placements whose own mask shares no bit with it are ignored.

    Returns
    -------
    ItemBuffers
        Buffers of v views, sampled at pixel centers. Among triangles equally near in single
        precision, the smallest placement wins, then the smallest triangle. Both sides of a
        triangle are visible.

    Raises
    ------
    ValueError
        If a shape or size is wrong, a matrix is not finite, has no inverse or shows an infinite
        view, or `groups` is no mask.

    Notes
    -----
    O(triangles of the placements in view + pixels) for each view.
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
