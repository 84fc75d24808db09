"""Recorder of item buffers: a wrapper of a renderer that stores its last image."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...core import ItemRenderer
from ..arrays import Flags, Floats, Ids


class Recorder(ItemRenderer):
    """Wrapper of a renderer that stores the last image.

    Parameters
    ----------
    renderer : ItemRenderer
        The wrapped renderer.

    Attributes
    ----------
    drawn : ndarray of intp, shape (p,)
        The placement shown by each of p pixels of the last image, as an index in the order of
        ids; -1 for none. Pixel rows are in order from bottom to top.
    """

    def __init__(self, renderer: ItemRenderer) -> None:
        super().__init__(renderer.scene)
        self._renderer = renderer
        self.drawn: Ids = np.empty(0, np.intp)

    @property
    def stage(self) -> Any:
        """The prepared scene of the wrapped renderer."""
        return self._renderer.stage

    def image(self, view_projection: Floats, size: tuple[int, int], alone: Any = None) -> Any:
        """Draw one view, and store its image in `drawn`."""
        image = self._renderer.image(view_projection, size, alone)
        self.drawn = image.rows
        return image

    def covered(
        self,
        view_projection: Floats,
        size: tuple[int, int],
        rows: Ids,
        owners: Ids,
        boxes: Ids,
    ) -> Iterator[tuple[Ids, Flags]]:
        """Draw each owner without the others into the box of that owner."""
        return self._renderer.covered(view_projection, size, rows, owners, boxes)
