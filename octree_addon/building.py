"""From objects to a `BuiltTree`: read, divide, and keep what it was made of."""

from collections.abc import Generator, Iterable, Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any, TypeVar

import bpy

from ..core import Octree, Triangles, build_steps
from . import trees
from .reader import Source, object_bounds, read_triangles
from .trees import BuiltTree

TreeSteps = Generator[float, None, BuiltTree]
Result = TypeVar("Result")


def build_tree_steps(
    depsgraph: bpy.types.Depsgraph,
    objects: Iterable[bpy.types.Object],
    options: Mapping[str, Any],
    *,
    bounds_object: bpy.types.Object | None = None,
    viewport: bpy.types.SpaceView3D | None = None,
) -> TreeSteps:
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
        If there is no triangle, none with finite coordinates, or an option out of range.
    """
    started = perf_counter()
    source = read_triangles(depsgraph, objects, viewport=viewport)
    if not len(source.faces):
        left_out = f" ({skipped_text(source)})" if source.skipped else ""
        raise ValueError(f"There are no triangles to build an octree of{left_out}")
    bounds = None
    if bounds_object is not None:
        bounds = object_bounds(depsgraph, bounds_object)
        source = replace(source, ids=source.ids | {bounds_object.session_uid})
    items = Triangles(source.vertices, source.faces)
    steps = build_steps(items, bounds=bounds, **options)
    octree, seconds = yield from _timed(steps, started)
    if not len(octree):
        raise ValueError("There are no triangles with finite coordinates")
    return BuiltTree(octree, source, options, seconds)


def run(steps: Generator[float, None, Result]) -> Result:
    """Take all steps of any long work at once and return what they return."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result


def keep(scene: bpy.types.Scene, built: BuiltTree) -> None:
    """Store a tree as the scene's, with the objects that gave it triangles."""
    uids = {source_object.session_uid for source_object in built.source.objects}
    trees.store(scene, built, [item for item in scene.objects if item.session_uid in uids])


def skipped_text(source: Source) -> str:
    """Say how many objects gave no triangle, and why: such as "2 hidden, 1 without faces"."""
    return ", ".join(f"{count:,} {reason}" for reason, count in sorted(source.skipped.items()))


def _timed(
    steps: Generator[float, None, Octree], started: float
) -> Generator[float, None, tuple[Octree, float]]:
    """Pass the steps on, and return with the tree the seconds spent on it, pauses apart."""
    seconds = 0.0
    while True:
        try:
            fraction = next(steps)
        except StopIteration as end:
            return end.value, seconds + perf_counter() - started
        seconds += perf_counter() - started
        yield fraction
        started = perf_counter()
