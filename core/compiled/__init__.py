"""Bindings of the compiled kernel: its loader, trees packed for it, and calls in pieces."""

from .broad import pairs_below
from .builds import Builder, CellsAsked, CellsDivided, Divider, Numbers, Tallies, builder
from .cuts import cut_parts, parts_beside, seen_cutters, shared_parts, split_pieces
from .door import (
    VARIABLE,
    Caller,
    found,
    kernel,
    kernel_state,
    repaired,
    threads_of,
    use_kernel,
    use_threads,
    why_not,
)
from .few import NOT_PACKED, NOT_TAKEN, Few, Hits
from .gaps import CROSSES, TOUCHES, crossing_surfaces, listed_touches, shortest_ways, slid_surfaces
from .joins import joined_triangles
from .layouts import Arranger, arranger
from .packing import Packed, Placed, tree_of
from .pictures import Painter, painter
from .quads import split_quads
from .touches import measured_pairs, point_distances, touching_triangles
from .walks import (
    MOST,
    NO_PLACES,
    Arrays,
    Confirm,
    Crossed,
    Questions,
    VolumesAsked,
    Walked,
    as_boxes,
    split,
    volume_kind,
)

__all__ = [
    "CROSSES",
    "MOST",
    "NOT_PACKED",
    "NOT_TAKEN",
    "NO_PLACES",
    "TOUCHES",
    "VARIABLE",
    "Arranger",
    "Arrays",
    "Builder",
    "Caller",
    "CellsAsked",
    "CellsDivided",
    "Confirm",
    "Crossed",
    "Divider",
    "Few",
    "Hits",
    "Numbers",
    "Packed",
    "Painter",
    "Placed",
    "Questions",
    "Tallies",
    "VolumesAsked",
    "Walked",
    "arranger",
    "as_boxes",
    "builder",
    "crossing_surfaces",
    "cut_parts",
    "found",
    "joined_triangles",
    "kernel",
    "kernel_state",
    "listed_touches",
    "measured_pairs",
    "painter",
    "pairs_below",
    "parts_beside",
    "point_distances",
    "repaired",
    "seen_cutters",
    "shared_parts",
    "shortest_ways",
    "slid_surfaces",
    "split",
    "split_pieces",
    "split_quads",
    "threads_of",
    "touching_triangles",
    "tree_of",
    "use_kernel",
    "use_threads",
    "volume_kind",
    "why_not",
]
