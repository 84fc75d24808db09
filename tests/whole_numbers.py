"""Hypothesis strategies: shapes in small whole numbers, for exact brute force, and options."""

import core_scenes as scenes
import numpy as np
from agreement import POLICIES
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core import Boxes, Capsules, HalfSpaces, OrientedBoxes, Regions, Spheres

ITEM_KINDS = ("triangles", "boxes", "spheres", "regions")


@st.composite
def batches(draw, kinds=ITEM_KINDS, most=12):
    """Shapes in small whole numbers, often alike, and often of no area or size."""
    kind, count = draw(st.sampled_from(kinds)), draw(st.integers(0, most))
    corners = draw(arrays(np.int64, (count, 3, 3), elements=st.integers(-4, 4)))
    if kind == "triangles":
        return scenes.loose_triangles(corners)
    lower, upper = corners[:, :2].min(axis=1), corners[:, :2].max(axis=1)
    radii = np.abs(corners[:, 2, 0])
    if kind == "frusta":
        return scenes.whole_frusta(count, seed=draw(st.integers(0, 2**31)))
    if kind == "half-spaces":
        normals = np.where(corners[:, :1].any(axis=2), corners[:, 0], (0, 0, 1))
        return HalfSpaces(np.column_stack((normals, corners[:, 1, 0])))
    return {
        "boxes": lambda: Boxes(lower, upper),
        "spheres": lambda: Spheres(corners[:, 0], radii),
        "regions": lambda: Regions(lower, upper, radii),
        "capsules": lambda: Capsules(corners[:, 0], corners[:, 1], radii),
        "turned boxes": lambda: quarter_turned(lower, upper, np.argsort(corners[:, 2], axis=1)),
    }[kind]()


def quarter_turned(lower, upper, axes):
    """Boxes in whole numbers, their own axes in any order."""
    half = np.take_along_axis((upper - lower) // 2, axes, axis=1)
    return OrientedBoxes(lower + (upper - lower) // 2, half, np.eye(3)[axes].swapaxes(1, 2))


# Any options of a build.
options = st.fixed_dictionaries(
    {
        "capacity": st.integers(1, 4),
        "max_depth": st.integers(0, 5),
        "split": st.sampled_from(("middle", "median")),
        "straddlers": st.sampled_from(POLICIES),
        "hybrid_limit": st.integers(1, 8),
        "loose_factor": st.sampled_from((1.0, 1.5, 2.0)),
        "bounds": st.sampled_from(
            (None, Boxes([[-2] * 3], [[2] * 3]), Boxes([[0, -4, 1]], [[3, 4, 1]]))
        ),
    }
)
