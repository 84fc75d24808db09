"""Recorder of item buffers: draws with another renderer and keeps its last image."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...core import ItemRenderer
from ..arrays import Flags, Floats, Ids


class Recorder(ItemRenderer):
    """Draws what another renderer draws, and remembers it.

    Parameters
    ----------
    renderer : ItemRenderer
        The other one.

    Attributes
    ----------
    drawn : ndarray of intp, shape (p,)
        For each pixel of the last image, row after row from below, the number of the placement in
        the order of their ids; -1 for none.
    """

    def __init__(self, renderer: ItemRenderer) -> None:
        super().__init__(renderer.scene)
        self._renderer = renderer
        self.drawn: Ids = np.empty(0, np.intp)

    @property
    def stage(self) -> Any:
        """The scene as it is now, as the other one keeps it."""
        return self._renderer.stage

    def image(self, view_projection: Floats, size: tuple[int, int], alone: Any = None) -> Any:
        """Draw one view, and keep it."""
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
        """Draw owners alone, each into its own box."""
        return self._renderer.covered(view_projection, size, rows, owners, boxes)
