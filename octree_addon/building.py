"""From objects to a `BuiltTree`: read, divide, and keep what it was made of."""

from collections.abc import Generator, Iterable, Mapping
from time import perf_counter
from typing import Any

import bpy

from ..core import Triangles, build_steps
from .reader import object_bounds, read_triangles
from .trees import BuiltTree


def build_tree_steps(
    depsgraph: bpy.types.Depsgraph,
    objects: Iterable[bpy.types.Object],
    options: Mapping[str, Any],
    *,
    bounds_object: bpy.types.Object | None = None,
    viewport: bpy.types.SpaceView3D | None = None,
) -> Generator[float, None, BuiltTree]:
    """Build a tree of the objects' triangles, step by step.

    Parameters
    ----------
    depsgraph : bpy.types.Depsgraph
        The evaluated state of the view layer.
    objects : iterable of bpy.types.Object
        Whose triangles are divided.
    options : Mapping of str to Any
        Keyword arguments of `build_octree` but for the bounds; see `build_options`.
    bounds_object : bpy.types.Object, optional
        Whose box is the root; by default the cube around the triangles.
    viewport : bpy.types.SpaceView3D, optional
        A 3D view whose local view hides the objects outside it.

    Yields
    ------
    float
        The fraction done. All reading is done before the first: Blender may change the scene
        between two steps.

    Returns
    -------
    BuiltTree
        The tree, not yet stored.

    Raises
    ------
    ValueError
        If there is no triangle, or an option is out of range.
    """
    started = perf_counter()
    source = read_triangles(depsgraph, objects, viewport=viewport)
    if not len(source.faces):
        raise ValueError("There are no triangles to build an octree of")
    bounds = None if bounds_object is None else object_bounds(depsgraph, bounds_object)
    items = Triangles(source.vertices, source.faces)
    octree = yield from build_steps(items, bounds=bounds, **options)
    return BuiltTree(octree, source, options, perf_counter() - started)


def run(steps: Generator[float, None, BuiltTree]) -> BuiltTree:
    """Take all steps at once and return what they return."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            built: BuiltTree = end.value
            return built
