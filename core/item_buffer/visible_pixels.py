"""Visibility by item buffers: visible and amodal pixels of each object, boxes, states."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Flags, Floats, Ids
from ..boxes import bounds_by_owner
from ..checks import ALL_GROUPS
from ..records import Record
from ..scene.moment import Moment
from ..shapes import Frusta
from ..shapes.boxes import box_corners
from ..snapshot import VolumePairs
from ..steps import Steps, at_once
from ..volumes.walked import any_of
from .mask_runs import Counted, counted_alone, counted_in
from .renderers import Alone, ItemRenderer, Size, asked_of, checked_views
from .stage import Stage, screen_matrix
from .views import depths_of

# States of an object in a view: it is visible, or a reason why it is not.
SEEN, OCCLUDED, OUT_OF_VIEW, TOO_SMALL = range(4)

# Largest number of samples of a picture, including the margins beyond its borders.
_MOST = 2**33
# The edges of a box, by its corners.
_ENDS = np.array([(i, i | bit) for bit in (1, 2, 4) for i in range(8) if not i & bit]).T


@dataclass(frozen=True, eq=False)
class Visibility(Record):
    """Visibility of n objects in v views.

    Numbers of pixels are fractional if pixels have several samples. Boxes are left, bottom, right
    and top in pixels from the picture's lower left corner, the last two exclusive; all 0 if there
    are no pixels.

    Attributes
    ----------
    states : ndarray of uint8, shape (v, n)
        SEEN: at least `smallest` pixels are visible. OCCLUDED: fewer are visible, but enough would
        be without the other objects. TOO_SMALL: too few would be visible even without the other
        objects. OUT_OF_VIEW: no triangle touches the view.
    visible : ndarray of float64, shape (v, n)
        Pixels that show the object.
    amodal : ndarray of float64, shape (v, n)
        Pixels that would show the object without the other objects.
    whole : ndarray of float64, shape (v, n)
        Amodal pixels in the picture extended beyond its borders.
    depths : ndarray of float64, shape (v, n)
        Depth of the nearest visible sample, as in `ItemBuffers`; infinite if there is none.
    visible_boxes : ndarray of intp, shape (v, n, 4)
        Bounds of the visible pixels.
    amodal_boxes : ndarray of intp, shape (v, n, 4)
        Bounds of the pixels of `whole`; they may begin below 0 and end beyond the picture.
    size : tuple of int
        Width and height of the pictures.
    """

    states: NDArray[np.uint8]
    visible: Floats
    amodal: Floats
    whole: Floats
    depths: Floats
    visible_boxes: Ids
    amodal_boxes: Ids
    size: Size

    @property
    def shares(self) -> Floats:
        """The part of each picture that shows an object, (v, n)."""
        return self.visible / (self.size[0] * self.size[1])

    @property
    def visible_fractions(self) -> Floats:
        """Visible pixels divided by amodal pixels, (v, n); 0 if there are no amodal pixels."""
        return _parts(self.visible, self.amodal)

    @property
    def truncated_fractions(self) -> Floats:
        """The part of `whole` that the borders cut off, (v, n); 0 if `whole` is 0."""
        return _parts(self.whole - self.amodal, self.whole)


def _parts(some: Floats, whole: Floats) -> Floats:
    return np.divide(some, whole, out=np.zeros(some.shape), where=whole > 0)


def visibility_steps(
    renderer: ItemRenderer,
    view_projection: ArrayLike,
    /,
    *,
    size: Size = (640, 480),
    owners: ArrayLike | None = None,
    supersampling: SupportsIndex = 1,
    beyond: SupportsFloat = 1.0,
    smallest: SupportsFloat = 1.0,
    groups: SupportsIndex = ALL_GROUPS,
) -> Steps[Visibility]:
    """Measure the visible pixels and the state of each object in some views, in steps.

    Parameters
    ----------
    renderer : ItemRenderer
        The renderer with its scene: `ZBuffer(scene)` or `PixelRays(scene)`.
    view_projection : array_like of float, shape (v, 4, 4)
        As for `item_buffers`.
    size : tuple of int, default (640, 480)
        Width and height in pixels.
    owners : array_like of int, shape (p,), optional
        The object of each placement, in the order of the scene's ids; n is the largest plus one.
        By default each placement is an object.
    supersampling : int, default 1
        Samples per pixel along each axis (4 = 16 samples).
    beyond : float, default 1
        Margin beyond each border, in widths or heights of the picture, in which the parts of
        objects that the border cuts off are measured.
    smallest : float, default 1
        Least number of pixels of a visible object; with 0, a single sample is enough.
    groups : int
        A 32-bit mask; placements whose own mask shares no bit with it are ignored, so their
        objects are out of view.

    Returns
    -------
    generator of Visibility
        The visibility of n objects in v views.

    Raises
    ------
    ValueError
        On a wrong shape or size, a matrix that is not finite or has no inverse, an option out of
        range, or if `groups` is no mask.

    Notes
    -----
    Each object is drawn twice: among the other objects, and into its own box without
    them. `ZBuffer` with the compiled kernel needs one pass for both if `beyond` is 0.
    """
    renderer = asked_of(renderer, groups)
    matrices, size = checked_views(view_projection, size)
    samples = checks.whole_number("supersampling", supersampling, 1)
    checks.room("supersampling", supersampling, size[0] * samples, size[1] * samples)
    margin = checks.number("beyond", beyond, 0.0)
    wide = [side * samples * (1 + 2 * margin) for side in size]
    checks.room("beyond", beyond, *wide, most=_MOST)
    least = checks.number("smallest", smallest, 0.0)
    numbers = checked_owners(renderer, owners, len(matrices))
    steps = _steps(renderer, matrices, size, numbers, samples, margin, least)
    return renderer.stage.moment.as_long_as_current(steps)


visibility = at_once(visibility_steps)


def checked_owners(renderer: ItemRenderer, owners: ArrayLike | None, views: int) -> Ids:
    """Return the validated object of each placement, (p,), by default the placement's index."""
    if owners is None:
        return np.arange(len(renderer.scene))
    numbers = checks.one_each("owners", owners, len(renderer.scene), np.iinfo(np.int32).max)
    checks.room("owners", int(numbers.max(initial=0)), int(numbers.max(initial=0)) + 1, 4, views)
    return numbers


def _steps(
    renderer: ItemRenderer,
    matrices: Floats,
    size: Size,
    owners: Ids,
    samples: int,
    beyond: float,
    smallest: float,
) -> Steps[Visibility]:
    views, count = len(matrices), int(owners.max(initial=-1)) + 1
    states = np.full((views, count), OUT_OF_VIEW, np.uint8)
    visible, amodal, whole, depths = np.zeros((4, views, count))
    visible_boxes, amodal_boxes = np.zeros((2, views, count, 4), np.intp)
    fine, least = (size[0] * samples, size[1] * samples), max(smallest, 1 / samples**2)
    for view, matrix in enumerate(matrices):
        yield view / views
        wide = _Wide.of(renderer, matrix, fine, owners, beyond)
        alone = wide.alone()
        seen, depths[view] = _visible(renderer, matrix, fine, owners, count, alone)
        yield (view + 0.5) / views
        inside, beside = _alone(renderer, wide, fine, count, alone)
        visible[view], amodal[view], whole[view] = (
            counts / samples**2 for counts in (seen.counts, inside, beside.counts)
        )
        visible_boxes[view] = _in_pixels(seen.boxes, samples)
        amodal_boxes[view] = _in_pixels(beside.boxes, samples)
        states[view] = np.where(amodal[view] < least, TOO_SMALL, OCCLUDED)
        states[view, visible[view] >= least] = SEEN
        (unsure,) = (inside == 0).nonzero()
        states[view, unsure[~_touched(renderer.stage, matrix, owners, unsure)]] = OUT_OF_VIEW
    yield 1.0
    return Visibility(states, visible, amodal, whole, depths, visible_boxes, amodal_boxes, size)


def _in_pixels(boxes: Ids, samples: int) -> Ids:
    """Return boxes (n, 4) of pixels that contain boxes of samples."""
    return np.concatenate((boxes[:, :2] // samples, -(-boxes[:, 2:] // samples)), axis=1)


def _visible(
    renderer: ItemRenderer,
    matrix: Floats,
    size: Size,
    owners: Ids,
    count: int,
    alone: Alone | None,
) -> tuple[Counted, Floats]:
    """Return the visible samples of objects, and the depths of their nearest samples, (n,)."""
    image = renderer.image(matrix, size, alone)
    counted, nearness = counted_in(image, size[0], owners, count)
    depths, seen = np.full(count, np.inf), counted.counts > 0
    depths[seen] = depths_of(matrix, nearness[seen])
    return counted, depths


@dataclass(frozen=True)
class _Wide:
    """A view extended beyond its borders by `margins`, in samples, with its objects.

    `objects`, ascending, are the n objects with non-empty boxes (4, n) of samples. `owners` are
    the numbers of these boxes for the placements in `rows`, n if a placement has no box.
    """

    matrix: Floats
    size: Size
    margins: Ids
    objects: Ids
    boxes: Ids
    rows: Ids
    owners: Ids

    @classmethod
    def of(
        cls, renderer: ItemRenderer, matrix: Floats, size: Size, owners: Ids, beyond: float
    ) -> "_Wide":
        """Return a view extended by `beyond` times the picture's size at each border."""
        margins = np.ceil(np.array(size) * beyond).astype(np.intp)
        wide = (int(size[0] + 2 * margins[0]), int(size[1] + 2 * margins[1]))
        matrix = np.diag([size[0] / wide[0], size[1] / wide[1], 1.0, 1.0]) @ matrix
        rows = renderer.stage.rows_in(matrix)
        shown, which = np.unique(owners[rows], return_inverse=True)
        which = which.ravel()
        boxes = _boxes_around(renderer.stage.moment, rows, which, len(shown), matrix, wide)
        (drawn,) = ((boxes[0] < boxes[2]) & (boxes[1] < boxes[3])).nonzero()
        numbers = np.full(len(shown), len(drawn))
        numbers[drawn] = np.arange(len(drawn))
        return cls(matrix, wide, margins, shown[drawn], boxes[:, drawn], rows, numbers[which])

    def alone(self) -> Alone | None:
        """Return the boxes to draw in the same pass, or None if the view has margins."""
        if self.margins.any():
            return None
        return Alone(self.rows, self.owners, self.boxes)

    def covered(self, renderer: ItemRenderer, alone: Alone | None) -> Iterator[tuple[Ids, Flags]]:
        """Yield boxes and flags of their covered pixels, drawn in batches unless done already."""
        if alone is not None and alone.flags is not None:
            if len(self.objects):
                yield np.arange(len(self.objects)), alone.flags
            return
        (kept,) = (self.owners < len(self.objects)).nonzero()
        given = self.rows[kept], self.owners[kept], self.boxes
        yield from renderer.covered(self.matrix, self.size, *given)


def _alone(
    renderer: ItemRenderer, wide: _Wide, size: Size, count: int, alone: Alone | None
) -> tuple[Ids, Counted]:
    """Return the samples of objects drawn separately: in the picture, (n,), and with margins."""
    inside, beside = np.zeros(count, np.intp), Counted.nothing(count)
    shift = np.tile(wide.margins, 2)[:, None]
    for some, flags in wide.covered(renderer, alone):
        objects = wide.objects[some]
        inside[objects], found = counted_alone(flags, wide.boxes[:, some] - shift, size)
        beside.counts[objects], beside.boxes[objects] = found.counts, found.boxes
    return inside, beside


def _boxes_around(
    moment: Moment, rows: Ids, owners: Ids, count: int, matrix: Floats, size: Size
) -> Ids:
    """Return boxes (4, n) of pixels that contain the owners of placements; may be empty."""
    low, high = _on_screen(moment.placements.boxes[:, rows], screen_matrix(matrix, size))
    around = bounds_by_owner(low, high, owners, count)
    pixels = np.concatenate((np.floor(around[:2]), np.ceil(around[2:])))
    return np.clip(pixels, 0, np.tile(size, 2)[:, None]).astype(np.intp)


def _on_screen(boxes: Floats, screen: Floats) -> tuple[Floats, Floats]:
    """Return bounds, (2, n) each, on the screen of the parts of boxes beyond the near plane."""
    corners = box_corners(boxes.reshape(2, 3, -1)).swapaxes(0, 1)
    clip = np.einsum("ij,jcn->icn", screen[:, :3], corners) + screen[:, 3, None, None]
    depths = clip[3] - clip[2]
    front = (depths >= 0) & (clip[3] > 0)
    one, other = _ENDS
    with np.errstate(all="ignore"):
        parts = depths[one] / (depths[one] - depths[other])
        crossings = clip[:, one] + (clip[:, other] - clip[:, one]) * parts
        cut = front[one] != front[other]
        points = np.concatenate((clip, crossings), axis=1)
        places = points[:2] / points[3]
    shown = np.concatenate((front, cut)) & np.isfinite(places).all(axis=0)
    lower = np.where(shown, places, np.inf).min(axis=1)
    upper = np.where(shown, places, -np.inf).max(axis=1)
    return lower, upper


def _touched(stage: Stage, matrix: Floats, owners: Ids, wanted: Ids) -> Flags:
    """Flag the `wanted` objects, ascending, with a triangle that touches the view."""
    moment, frusta = stage.moment, Frusta.from_matrices(matrix[None])
    flags = np.zeros(len(wanted), bool)
    for pairs in moment.volume_pairs(frusta):
        asked: VolumePairs = pairs[np.isin(owners[pairs.rows], wanted)]
        if len(asked):
            met = asked.whole | any_of(moment, frusta, asked)
            flags[np.searchsorted(wanted, owners[asked.rows[met]])] = True
    return flags
