"""From objects to a `BuiltTree`: read, divide, and keep what it was made of."""

from collections.abc import Generator, Iterable, Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any

import bpy

from ..core import Boxes, DynamicOctree, Octree, Triangles, build_steps
from . import trees
from .properties import build_options, kinds_of, object_options
from .reader import Source, object_bounds, read_objects, read_triangles
from .trees import BuiltTree

TreeSteps = Generator[float, None, BuiltTree]


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
    found = read_triangles(depsgraph, objects, viewport=viewport)
    if not found.item_count:
        raise ValueError(f"There are no triangles to build an octree of{_left_out(found)}")
    source, bounds = _bounded(depsgraph, found, bounds_object)
    items = Triangles(found.vertices, found.faces)
    steps = build_steps(items, bounds=bounds, **options)
    octree, seconds = yield from _timed(steps, started)
    if not len(octree):
        raise ValueError("There are no triangles with finite coordinates")
    return BuiltTree(octree, source, options, seconds)


def object_tree_steps(
    depsgraph: bpy.types.Depsgraph,
    objects: Iterable[bpy.types.Object],
    options: Mapping[str, Any],
    *,
    kinds: Iterable[str] = (),
    bounds_object: bpy.types.Object | None = None,
) -> TreeSteps:
    """Build a tree of whole objects, each held by the box around it.

    Parameters
    ----------
    depsgraph : bpy.types.Depsgraph
        The evaluated state of the view layer.
    objects : iterable of bpy.types.Object
        Which objects; their instances come along.
    options : Mapping of str to Any
        Keyword arguments of `DynamicOctree` but for the bounds; see `object_options`.
    kinds : iterable of str
        As for `read_objects`.
    bounds_object : bpy.types.Object, optional
        Whose box is the root; by default the cube around the objects.

    Yields
    ------
    float
        Once, before the tree is made: that takes a tenth of a second for 10,000 objects.

    Returns
    -------
    BuiltTree
        The tree, not yet stored.

    Raises
    ------
    ValueError
        If there is no object with a shape, or an option out of range.
    """
    started = perf_counter()
    found = read_objects(depsgraph, objects, kinds=kinds)
    if not found.source.item_count:
        raise ValueError(f"There are no objects to build an octree of{_left_out(found.source)}")
    source, bounds = _bounded(depsgraph, found.source, bounds_object)
    seconds = perf_counter() - started
    yield 0.5
    started = perf_counter()
    tree = DynamicOctree(bounds=bounds, **options)
    tree.insert(Boxes(found.boxes[:3].T, found.boxes[3:].T))
    return BuiltTree(tree, source, options, seconds + perf_counter() - started)


def steps_as_set(
    depsgraph: bpy.types.Depsgraph,
    objects: Iterable[bpy.types.Object],
    source: Any,
    how: Any,
    *,
    bounds_object: bpy.types.Object | None = None,
    viewport: bpy.types.SpaceView3D | None = None,
) -> TreeSteps:
    """Build a tree of triangles or of objects, step by step.

    Parameters
    ----------
    depsgraph : bpy.types.Depsgraph
        The evaluated state of the view layer.
    objects : iterable of bpy.types.Object
        What it is built of.
    source : SourceOptions
        Whether it is built of triangles or of objects; an operator, or a scene's settings.
    how : BuildOptions or OctreeObjectSettings
        How it is built; likewise.
    bounds_object, viewport
        As for `build_tree_steps`.

    Returns
    -------
    TreeSteps
        As for `build_tree_steps` and `object_tree_steps`.
    """
    if source.source == "OBJECTS":
        kinds, options = kinds_of(source), object_options(how)
        return object_tree_steps(
            depsgraph, objects, options, kinds=kinds, bounds_object=bounds_object
        )
    return build_tree_steps(
        depsgraph, objects, build_options(how), bounds_object=bounds_object, viewport=viewport
    )


def keep(scene: bpy.types.Scene, built: BuiltTree) -> None:
    """Store a tree as the scene's, with the objects that gave it items."""
    uids = {source_object.session_uid for source_object in built.source.objects}
    trees.store(scene, built, [item for item in scene.objects if item.session_uid in uids])


def skipped_text(source: Source) -> str:
    """Say how many objects gave no triangle, and why: such as "2 hidden, 1 without faces"."""
    return ", ".join(f"{count:,} {reason}" for reason, count in sorted(source.skipped.items()))


def _bounded(
    depsgraph: bpy.types.Depsgraph, source: Source, bounds_object: bpy.types.Object | None
) -> tuple[Source, Boxes | None]:
    """Return the box of the root, if an object gives it, and a source that depends on it too."""
    if bounds_object is None:
        return source, None
    ids = source.ids | {bounds_object.session_uid}
    return replace(source, ids=ids), object_bounds(depsgraph, bounds_object)


def _left_out(source: Source) -> str:
    return f" ({skipped_text(source)})" if source.skipped else ""


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
