"""From residents and their layout to an Octree that answers every question."""

import numpy as np

from ..octree import Freshness, Octree
from ..options import Options
from .assignment import Layout
from .items import ItemStore


def snapshot(
    residents: ItemStore, layout: Layout, options: Options, freshness: Freshness
) -> Octree:
    """Return the Octree that these are now. Nothing is looked at but numbers of cells."""
    items = residents.shapes
    return Octree.of(
        options,
        layout.cells,
        layout.slices,
        layout.references,
        items=items,
        order=np.arange(len(residents)),
        arranged=items,
        outside=len(layout.outside),
        strays=layout.strays,
        slack=layout.slack,
        ids=residents.ids,
        groups=residents.groups,
        freshness=freshness,
    )
