"""Visibility tables: a row for each view and item, flat columns; pixels, boxes, fractions.

A view is one camera in one frame, an item one object or one of its instances. No Blender here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Flags, Floats, Ids

# What a number in `states` means. In view: what stands in front was not asked.
STATES = ("seen", "occluded", "out of view", "too small", "in view")
SEEN, OCCLUDED, OUT_OF_VIEW, TOO_SMALL, IN_VIEW = range(5)

LabelPicture = NDArray[np.int32]
Numbers = NDArray[np.integer[Any]]
# Pixels are counted in whole ones, or in parts where several samples are taken in each.
Count = np.int64 | np.float64


@dataclass(frozen=True, eq=False)
class Items:
    """The n items that were asked about.

    Attributes
    ----------
    names : tuple of str
        Of the object, or of the instancer; such that no two objects share one.
    instances : tuple of tuple of int
        Persistent id of an instance; empty for an object itself.
    categories : tuple of str
        May be empty texts.
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
        """Return some of them."""
        return Items(
            tuple(self.names[number] for number in numbers),
            tuple(self.instances[number] for number in numbers),
            tuple(self.categories[number] for number in numbers),
        )


@dataclass(frozen=True, eq=False)
class Views:
    """The v views that were looked at: also those without any item.

    Attributes
    ----------
    frames : ndarray of intp, shape (v,)
    cameras : ndarray of intp, shape (v,)
        Numbers of the cameras.
    names : tuple of str
        Of the cameras.
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
    """Pixel counts of each of r rows; boxes are x, y, width and height, from the top left.

    Attributes
    ----------
    visible : ndarray of int64 or float64, shape (r,)
        Pixels that show the item.
    amodal : ndarray of int64 or float64, shape (r,)
        Those that would show it without the others.
    extended : ndarray of int64 or float64, shape (r,)
        The same in a frame extended beyond the border, by up to one picture on each side.
    visible_boxes : ndarray of int64, shape (r, 4)
        All zeros where no pixel is visible.
    amodal_boxes : ndarray of int64, shape (r, 4)
        Around the extended pixels: may begin left of 0 and above 0.
    distances : ndarray of float64, shape (r,)
        Depth of the nearest visible point before the camera, in Blender units; NaN if none.
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
        """Return some rows."""
        return Pixels(**{name: column[rows] for name, column in vars(self).items()})

    @property
    def visible_fractions(self) -> Floats:
        """How much of what lies in the picture is seen, 0 to 1; the rest is behind others."""
        return _fractions(self.visible, self.amodal)

    @property
    def truncated_fractions(self) -> Floats:
        """How much lies beyond the border of the picture, 0 to 1."""
        return _fractions(self.extended - self.amodal, self.extended)


@dataclass(frozen=True, eq=False)
class SeenTable:
    """Table of what cameras see: r rows, at most one for each view and item.

    Attributes
    ----------
    items, which : Items, Views
        What the numbers in the columns mean.
    views, items_of : ndarray of intp, shape (r,)
        The view and the item of each row. An item without a row was out of that view, also of
        its picture made three times as wide and high.
    states : ndarray of uint8, shape (r,)
        Numbers in `STATES`.
    pixels : Pixels, optional
        None where only frusta were asked.
    labels : callable, optional
        View number -> its label picture, (height, width) int32, the top row first: the number of
        the item that each pixel shows, -1 for none. Made when asked for, and not kept.
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
        """Part of the picture that shows the item, 0 to 1, (r,); NaN without pixels."""
        if self.pixels is None:
            return np.full(len(self), np.nan)
        width, height = self.which.size
        return self.pixels.visible / (width * height)

    @cached_property
    def ordered(self) -> Ids:
        """Rows by view, then by item, (r,)."""
        return np.argsort(self._keys, kind="stable")

    @property
    def absent(self) -> Ids:
        """Items without any row: never in view."""
        return np.flatnonzero(np.bincount(self.items_of, minlength=len(self.items)) == 0)

    @property
    def is_seen(self) -> Flags:
        """Whether the item of each row was seen, or in view, (r,)."""
        return np.isin(self.states, (SEEN, IN_VIEW))

    @property
    def seen_count(self) -> int:
        """How many items were seen, or in view, at all."""
        return len(np.unique(self.items_of[self.is_seen]))

    def label_picture(self, view: int) -> LabelPicture:
        """Return the label picture of a view; a `ValueError` if there is none, or a wrong one."""
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
