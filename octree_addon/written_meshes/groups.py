"""Vertex groups: weights blended along edges, and written in bulk (attribute conversion)."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import bpy
import numpy as np

from ..arrays import Floats, Ids
from ..reader import GroupWeights
from .assembly import Blend

# Groups with at most this number of distinct weights are filled one weight at a time.
_FEW = 32


def write_groups(item: bpy.types.Object, names: Sequence[str], groups: GroupWeights) -> None:
    """Replace the vertex groups of an object by groups with these names and weights."""
    item.vertex_groups.clear()
    order = np.lexsort((groups.weights, groups.groups))
    vertices, numbers, weights = (each[order] for each in groups)
    starts = np.searchsorted(numbers, np.arange(len(names) + 1)).tolist()
    for name, (start, stop) in zip(names, pairwise(starts), strict=True):
        _write_group(item, name, vertices[start:stop], weights[start:stop])


def _write_group(item: bpy.types.Object, name: str, vertices: Ids, weights: Floats) -> None:
    """Add a vertex group with these vertices and their ascending weights."""
    rest = len(weights)
    if np.count_nonzero(np.diff(weights)) >= _FEW:
        _convert(item, vertices, weights)
        group = item.vertex_groups[-1]
        group.name = name
        # The conversion drops vertices of weight 0, so they are added below.
        rest = int(np.searchsorted(weights, 0.0, "right"))
    else:
        group = item.vertex_groups.new(name=name)
    changes = np.flatnonzero(np.diff(weights[:rest], prepend=-1.0)).tolist()
    for start, stop in pairwise([*changes, rest]):
        group.add(vertices[start:stop].tolist(), float(weights[start]), "REPLACE")


def _convert(item: bpy.types.Object, vertices: Ids, weights: Floats) -> None:
    """Add a group by converting an attribute, Blender's only bulk way to write weights."""
    mesh: Any = item.data
    values = np.zeros(len(mesh.vertices), np.float32)
    values[vertices] = weights
    attribute = mesh.attributes.new("octree_weights", "FLOAT", "POINT")
    attribute.data.foreach_set("value", values)
    mesh.attributes.active = attribute
    with bpy.context.temp_override(object=item, active_object=item):
        bpy.ops.geometry.attribute_convert(mode="VERTEX_GROUP")


def blended_groups(groups: GroupWeights, points: Blend) -> GroupWeights:
    """Interpolate the group weights of a source mesh for blended vertices."""
    if not len(groups.vertices):
        return groups
    begins = np.searchsorted(groups.vertices, points.rows, "left")
    sizes = np.searchsorted(groups.vertices, points.rows, "right") - begins
    sizes[points.weights == 0.0] = 0
    entries = _spans(begins.ravel(), sizes.ravel())
    rows = np.repeat(np.repeat(np.arange(len(points.rows)), 3), sizes.ravel())
    shares = np.repeat(points.weights.ravel(), sizes.ravel())
    count = int(groups.groups.max()) + 1
    codes, places = np.unique(rows * count + groups.groups[entries], return_inverse=True)
    sums = np.bincount(places.ravel(), groups.weights[entries] * shares, len(codes))
    return GroupWeights(codes // count, codes % count, np.minimum(sums, 1.0))


def _spans(starts: Ids, sizes: Ids) -> Ids:
    """Return the concatenated integers of the ranges `starts` to `starts + sizes`."""
    offsets = np.cumsum(sizes) - sizes
    return np.arange(int(sizes.sum())) + np.repeat(starts - offsets, sizes)
