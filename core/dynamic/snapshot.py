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
    cells, items = layout.cells, residents.shapes
    occupied = np.zeros(len(cells), np.uint8)
    filled = (layout.end > layout.begin)[1:]
    occupied[cells.parent[1::8]] = np.packbits(filled, bitorder="little")  # eight parts a byte
    copied = np.zeros(len(residents), bool)
    if not layout.single:
        copied = np.bincount(layout.homes.entries, minlength=len(residents)) > 1
    return Octree(
        **vars(options),
        items=items,
        invalid_items=np.empty(0, np.intp),
        order=np.arange(len(residents)),
        arranged=items,
        cell_rows=cells.rows,
        loose_rows=cells.loose_rows,
        middle_rows=cells.middle_rows,
        node_depth=cells.depth,
        node_parent=cells.parent,
        first_child=cells.first_child,
        begin=layout.begin,
        own_end=layout.own_end,
        end=layout.end,
        child_masks=occupied,
        references=layout.references,
        outside=len(layout.outside),
        copied=copied,
        strays=layout.strays,
        slack=layout.slack,
        ids=residents.ids,
        groups=residents.groups,
        _freshness=freshness,
    )
