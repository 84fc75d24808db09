"""Visibility tables: flat columns with a row for each view and item; pixels, boxes, fractions.

A view is one camera in one frame. An item is an object or one of its instances. This module does
not import Blender.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Flags, Floats, Ids

# Names of the numbers in `states`. "in view" means that occlusion was not tested.
STATES = ("seen", "occluded", "out of view", "too small", "in view")
SEEN, OCCLUDED, OUT_OF_VIEW, TOO_SMALL, IN_VIEW = range(5)

LabelPicture = NDArray[np.int32]
Numbers = NDArray[np.integer[Any]]
# Counts are integers, or fractional with several samples per pixel.
Count = np.int64 | np.float64


@dataclass(frozen=True, eq=False)
class Items:
    """The n items of a table.

    Attributes
    ----------
    names : tuple of str
        Name of each item's object, or of its instancer; unique for each object.
    instances : tuple of tuple of int
        Persistent id of each instance; empty for an object itself.
    categories : tuple of str
        Category of each item; may be an empty string.
    """

    names: tuple[str, ...]
    instances: tuple[tuple[int, ...], ...]
    categories: tuple[str, ...]

    def __post_init__(self) -> None:
        if not len(self.names) == len(self.instances) == len(self.categories):
            raise ValueError("Items need as many names as instances and categories")

    def __len__(self) -> int:
        return len(self.names)

    def taken(self, numbers: Ids) -> "Items":
        """Return the items with these numbers."""
        return Items(
            tuple(self.names[number] for number in numbers),
            tuple(self.instances[number] for number in numbers),
            tuple(self.categories[number] for number in numbers),
        )


@dataclass(frozen=True, eq=False)
class Views:
    """The v tested views, including views without any item.

    Attributes
    ----------
    frames : ndarray of intp, shape (v,)
        Frame of each view.
    cameras : ndarray of intp, shape (v,)
        Camera of each view, as an index into `names`.
    names : tuple of str
        Names of the cameras.
    size : tuple of int
        Width and height of each picture in pixels.
    """

    frames: Ids
    cameras: Ids
    names: tuple[str, ...]
    size: tuple[int, int]

    def __post_init__(self) -> None:
        _check_column("frames", self.frames, len(self))
        _check_column("cameras", self.cameras, len(self))
        _check_numbers("cameras", self.cameras, len(self.names))
        if not min(self.size) > 0:
            raise ValueError(f"size must be at least one pixel, got {self.size}")

    def __len__(self) -> int:
        return len(self.frames)


@dataclass(frozen=True, eq=False)
class Pixels:
    """Pixel counts of r rows; boxes are x, y, width and height, relative to the top left corner.

    Attributes
    ----------
    visible : ndarray of int64 or float64, shape (r,)
        Number of visible pixels of the item.
    amodal : ndarray of int64 or float64, shape (r,)
        Number of pixels that the item has when drawn without other items.
    extended : ndarray of int64 or float64, shape (r,)
        The number `amodal` for a picture extended beyond the border, by up to one picture on each
        side.
    visible_boxes : ndarray of int64, shape (r, 4)
        Boxes of the visible pixels; all zeros if there are none.
    amodal_boxes : ndarray of int64, shape (r, 4)
        Boxes of the extended pixels; x and y may be negative.
    distances : ndarray of float64, shape (r,)
        Depth of the nearest visible point in Blender units; NaN if there is none.
    """

    visible: NDArray[Count]
    amodal: NDArray[Count]
    extended: NDArray[Count]
    visible_boxes: NDArray[np.int64]
    amodal_boxes: NDArray[np.int64]
    distances: Floats

    def __post_init__(self) -> None:
        for name in ("amodal", "extended", "distances"):
            _check_column(name, getattr(self, name), len(self))
        for name in ("visible_boxes", "amodal_boxes"):
            if getattr(self, name).shape != (len(self), 4):
                shape = getattr(self, name).shape
                raise ValueError(f"{name} must have shape ({len(self)}, 4), got {shape}")
        if (self.visible > self.amodal).any() or (self.amodal > self.extended).any():
            raise ValueError("Visible pixels are some of the amodal, those some of the extended")

    def __len__(self) -> int:
        return len(self.visible)

    def taken(self, rows: Ids) -> "Pixels":
        """Return the pixel counts of some rows."""
        return Pixels(**{name: column[rows] for name, column in vars(self).items()})

    @property
    def visible_fractions(self) -> Floats:
        """The visible fraction of the item's pixels in the picture, 0 to 1, (r,)."""
        return _fractions(self.visible, self.amodal)

    @property
    def truncated_fractions(self) -> Floats:
        """The fraction of the item's pixels beyond the border of the picture, 0 to 1, (r,)."""
        return _fractions(self.extended - self.amodal, self.extended)


@dataclass(frozen=True, eq=False)
class SeenTable:
    """Table of visibility with r rows, at most one for each view and item.

    Attributes
    ----------
    items, which : Items, Views
        The items and the views that the columns refer to by number.
    views, items_of : ndarray of intp, shape (r,)
        The view and the item of each row. If a view has no row of an item, the item was out of
        view, even in a picture three times as wide and high.
    states : ndarray of uint8, shape (r,)
        Numbers in `STATES`.
    pixels : Pixels, optional
        Pixel counts; None if only frusta were tested.
    labels : callable, optional
        Function from the number of a view to its label picture, (height, width) int32, top row
        first: the item number of each pixel, -1 for none. Pictures are made on demand, not stored.
    """

    items: Items
    which: Views
    views: Ids
    items_of: Ids
    states: NDArray[np.uint8]
    pixels: Pixels | None = None
    labels: Callable[[int], LabelPicture] | None = None

    def __post_init__(self) -> None:
        for name in ("views", "items_of", "states"):
            _check_column(name, getattr(self, name), len(self))
        _check_numbers("views", self.views, len(self.which))
        _check_numbers("items_of", self.items_of, len(self.items))
        _check_numbers("states", self.states, len(STATES))
        if self.pixels is not None and len(self.pixels) != len(self):
            raise ValueError(f"pixels must have {len(self)} rows, got {len(self.pixels)}")
        if len(np.unique(self._keys)) < len(self):
            raise ValueError("There are two rows of one view and item")

    def __len__(self) -> int:
        return len(self.views)

    @cached_property
    def picture_shares(self) -> Floats:
        """The fraction of the picture covered by the item, 0 to 1, (r,); NaN without pixels."""
        if self.pixels is None:
            return np.full(len(self), np.nan)
        width, height = self.which.size
        return self.pixels.visible / (width * height)

    @cached_property
    def ordered(self) -> Ids:
        """The rows sorted by view, then by item, (r,)."""
        return np.argsort(self._keys, kind="stable")

    @property
    def absent(self) -> Ids:
        """The items without any row, which were never in view, ascending."""
        return np.flatnonzero(np.bincount(self.items_of, minlength=len(self.items)) == 0)

    @property
    def is_seen(self) -> Flags:
        """Flags of the rows with a seen item, or an item in view, (r,)."""
        return np.isin(self.states, (SEEN, IN_VIEW))

    @property
    def seen_count(self) -> int:
        """The number of items that were seen, or in view, in any row."""
        return len(np.unique(self.items_of[self.is_seen]))

    def label_picture(self, view: int) -> LabelPicture:
        """Return the label picture of a view.

        Raises a `ValueError` if the table has no label pictures, or if the size is wrong.
        """
        if self.labels is None:
            raise ValueError("There are no label pictures: what stands in front was not asked")
        picture = self.labels(view)
        wanted = self.which.size[::-1]
        if picture.shape != wanted:
            raise ValueError(f"A label picture must have shape {wanted}, got {picture.shape}")
        return picture

    @property
    def _keys(self) -> Ids:
        return self.views * len(self.items) + self.items_of


def _fractions(part: NDArray[Count], whole: NDArray[Count]) -> Floats:
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)


def _check_column(name: str, column: NDArray[np.generic], count: int) -> None:
    if column.shape != (count,):
        raise ValueError(f"{name} must have shape ({count},), got {column.shape}")


def _check_numbers(name: str, numbers: Numbers, count: int) -> None:
    if numbers.size and not (numbers.min() >= 0 and numbers.max() < count):
        raise ValueError(
            f"{name} must be numbers from 0 to {count - 1}, got {numbers.min()} to {numbers.max()}"
        )
