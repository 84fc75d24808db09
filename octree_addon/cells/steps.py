"""Builds in steps: objects are read, divided into an octree, and stored as a `BuiltTree`."""

from collections.abc import Collection, Iterable, Mapping
from time import perf_counter
from typing import Any, TypeVar

import bpy

from ...core import Boxes, DynamicOctree, Running, Steps, between, build_steps, run
from .. import trees
from ..built_tree import BuiltTree
from ..reader import object_bounds
from ..scene_index import (
    Source,
    box_source,
    changed,
    count_triangles,
    triangle_source_steps,
)
from ..scope import current_objects, refuse_too_much, viewport_of, visible_objects
from ..ui import plural, settings_of

Made = TypeVar("Made")
TreeSteps = Steps[BuiltTree]
# Options of the core that octrees of triangles and of objects share.
_OF_BOTH = ("capacity", "max_depth", "min_size", "straddlers", "loose_factor")


def build_tree_steps(
    depsgraph: bpy.types.Depsgraph,
    objects: Iterable[bpy.types.Object],
    options: Mapping[str, Any],
    *,
    bounds_object: bpy.types.Object | None = None,
    viewport: bpy.types.SpaceView3D | None = None,
) -> TreeSteps:
    """Build an octree of the triangles of objects, without storing it; yield the fraction done.

    `options` are keyword arguments of `build_octree`, see `build_options`. The root is the box of
    `bounds_object`, by default the cube around the triangles. Objects outside the local view of
    `viewport` are left out.

    The scene index is brought up to date first; later changes of the scene are not included.

    Raises
    ------
    ValueError
        If there are no triangles, none with finite coordinates, or an option is out of range.
    """
    started = perf_counter()
    root = _root_of(depsgraph, bounds_object)
    reading = between(0.0, 0.25, triangle_source_steps(depsgraph, objects, viewport=viewport))
    (found, items), seconds = yield from _timed(reading, started)
    if not found.item_count:
        raise ValueError(f"There are no triangles to build an octree of{_left_out(found)}")
    source, bounds = _bounded(found, root)
    started = perf_counter()
    building = between(0.25, 1.0, build_steps(items, bounds=bounds, **options))
    octree, more = yield from _timed(building, started)
    if not len(octree):
        raise ValueError("There are no triangles with finite coordinates")
    return BuiltTree(octree, source, options, seconds + more)


def object_tree_steps(
    depsgraph: bpy.types.Depsgraph,
    objects: Iterable[bpy.types.Object],
    options: Mapping[str, Any],
    *,
    kinds: Collection[str] = (),
    bounds_object: bpy.types.Object | None = None,
) -> TreeSteps:
    """Build an octree of the boxes around whole objects, without storing it.

    `options` are keyword arguments of `DynamicOctree`, see `object_options`, and `kinds` as for
    `box_source`. The root is the box of `bounds_object`, by default the cube around the objects.

    Yields once, before the octree is made, which takes a tenth of a second for 10,000 objects.

    Raises
    ------
    ValueError
        If no object has a shape, or an option is out of range.
    """
    started = perf_counter()
    found = box_source(depsgraph, objects, kinds=kinds)
    if not found.item_count:
        raise ValueError(f"There are no objects to build an octree of{_left_out(found)}")
    source, bounds = _bounded(found, _root_of(depsgraph, bounds_object))
    seconds = perf_counter() - started
    yield 0.5
    started = perf_counter()
    tree = DynamicOctree(bounds=bounds, **options)
    tree.insert(source.boxes.items)
    return BuiltTree(tree, source, options, seconds + perf_counter() - started)


def steps_for_settings(
    depsgraph: bpy.types.Depsgraph,
    objects: Iterable[bpy.types.Object],
    source: Any,
    settings: Any,
    *,
    bounds_object: bpy.types.Object | None = None,
    viewport: bpy.types.SpaceView3D | None = None,
) -> TreeSteps:
    """Build an octree of triangles or of objects; yield the fraction done.

    `source` has the contents and `settings` the options; both are an operator or settings of a
    scene. Steps and errors are those of `build_tree_steps` and `object_tree_steps`.
    """
    if source.source == "OBJECTS":
        kinds, options = kinds_of(source), object_options(settings)
        return object_tree_steps(
            depsgraph, objects, options, kinds=kinds, bounds_object=bounds_object
        )
    return build_tree_steps(
        depsgraph, objects, build_options(settings), bounds_object=bounds_object, viewport=viewport
    )


def visible_tree_steps(context: bpy.types.Context) -> TreeSteps:
    """Build an octree of visible objects with the scene's settings; refuse too many triangles."""
    source, objects = settings_of(context.scene).source, visible_objects(context)
    refuse_too_much(count_to_divide(context, source, objects))
    settings = build_settings(context.scene, source.source)
    return steps_for_settings(
        context.evaluated_depsgraph_get(),
        objects,
        source,
        settings,
        bounds_object=chosen_bounds(settings),
        viewport=viewport_of(context),
    )


def fresh_tree_steps(context: bpy.types.Context) -> TreeSteps:
    """Return the scene's octree, rebuilt if outdated; without one, build it of visible objects."""
    scene, built = context.scene, trees.get(context.scene)
    if built is None:
        return (yield from visible_tree_steps(context))
    if not is_out_of_date(context, built):
        return built
    source = settings_of(scene).built_of
    settings = build_settings(scene, source.source)
    return (
        yield from steps_for_settings(
            context.evaluated_depsgraph_get(),
            objects_to_build_of(context),
            source,
            settings,
            bounds_object=chosen_bounds(settings),
            viewport=viewport_of(context),
        )
    )


def triangle_tree_steps(context: bpy.types.Context) -> TreeSteps:
    """Return an up-to-date octree of triangles: the scene's, or a new one of the same objects."""
    scene, built = context.scene, trees.get(context.scene)
    if built is not None and not built.holds_objects:
        return (yield from fresh_tree_steps(context))
    objects = visible_objects(context) if built is None else objects_to_build_of(context)
    depsgraph, viewport = context.evaluated_depsgraph_get(), viewport_of(context)
    refuse_too_much(count_triangles(depsgraph, objects, viewport=viewport))
    settings = build_settings(scene, "TRIANGLES")
    return (
        yield from build_tree_steps(
            depsgraph,
            objects,
            build_options(settings),
            bounds_object=chosen_bounds(settings),
            viewport=viewport,
        )
    )


def objects_to_build_of(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Return the visible objects for a rebuild of the scene's octree, new ones included."""
    layer = context.view_layer
    return [item for item in current_objects(context.scene, layer) if item.visible_get()]


def is_out_of_date(context: bpy.types.Context, built: BuiltTree) -> bool:
    """Return whether a rebuild would change the octree."""
    if built.is_live:
        return False
    if built.stale or not built.holds_objects:
        return built.stale
    kinds = kinds_of(settings_of(context.scene).built_of)
    depsgraph = context.evaluated_depsgraph_get()
    now = box_source(depsgraph, objects_to_build_of(context), kinds=kinds).placements
    return any(map(len, changed(built.source.placements.snapshot(), now.snapshot())))


def keep_tree(scene: bpy.types.Scene, built: BuiltTree) -> None:
    """Store the octree that `fresh_tree_steps` or `triangle_tree_steps` returned."""
    if trees.get(scene) is None:
        note_source(scene, "VISIBLE", source="OBJECTS" if built.holds_objects else "TRIANGLES")
    keep(scene, built)


def keep_visible_objects(context: bpy.types.Context) -> None:
    """Build an octree of the visible objects with the scene's settings, at once, and store it."""
    scene, settings = context.scene, settings_of(context.scene)
    steps = object_tree_steps(
        context.evaluated_depsgraph_get(),
        visible_objects(context),
        object_options(settings.objects),
        kinds=kinds_of(settings.source),
        bounds_object=chosen_bounds(settings.objects),
    )
    built = run(steps)
    note_source(scene, "VISIBLE", source="OBJECTS")
    keep(scene, built)


def count_to_divide(
    context: bpy.types.Context, source: Any, objects: Iterable[bpy.types.Object]
) -> int:
    """Count the triangles that a build divides: 0 for an octree of objects."""
    if source.source == "OBJECTS":
        return 0
    depsgraph = context.evaluated_depsgraph_get()
    return count_triangles(depsgraph, objects, viewport=viewport_of(context))


def keep(scene: bpy.types.Scene, built: BuiltTree) -> None:
    """Store an octree as the scene's, with the objects of its items."""
    uids = {source_object.session_uid for source_object in built.source.objects}
    trees.store(scene, built, [item for item in scene.objects if item.session_uid in uids])


def skipped_text(source: Source) -> str:
    """Return the numbers of objects without items, by reason, such as "1 camera, 2 hidden"."""
    return ", ".join(
        plural(count, reason.lower().replace("_", " "))
        if reason.isupper()
        else f"{count:,} {reason}"
        for reason, count in sorted(source.skipped.items())
    )


def _root_of(
    depsgraph: bpy.types.Depsgraph, bounds_object: bpy.types.Object | None
) -> tuple[int, Boxes] | None:
    """Return the session id and the box of the object that defines the root; None without one."""
    if bounds_object is None:
        return None
    return bounds_object.session_uid, object_bounds(depsgraph, bounds_object)


def _bounded(source: Source, root: tuple[int, Boxes] | None) -> tuple[Source, Boxes | None]:
    """Return a source that also depends on the object that defines the root, and the root box."""
    if root is None:
        return source, None
    uid, box = root
    return source.bounded_by(uid, box.rows), box


def _left_out(source: Source) -> str:
    return f" ({skipped_text(source)})" if source.skipped else ""


def _timed(steps: Steps[Made], started: float) -> Steps[tuple[Made, float]]:
    """Yield from steps; return their result and the seconds spent in them, without pauses."""
    seconds, running = 0.0, Running(steps)
    while running.step():
        seconds += perf_counter() - started
        yield running.value
        started = perf_counter()
    return running.result, seconds + perf_counter() - started


def build_settings(scene: bpy.types.Scene, source: str) -> Any:
    """Return the settings for a tree of "TRIANGLES" or "OBJECTS"."""
    settings = settings_of(scene)
    return settings.objects if source == "OBJECTS" else settings.build


def build_options(settings: Any) -> dict[str, Any]:
    """Return the keyword arguments of `build_octree`, without `bounds`."""
    return _core_options(settings, *_OF_BOTH, "split", "hybrid_limit")


def object_options(settings: Any) -> dict[str, Any]:
    """Return the keyword arguments of `DynamicOctree`, without `bounds`."""
    upkeep = ("merge_below", "merge", "grow_above", "shrink_below")
    return _core_options(settings, *_OF_BOTH, *upkeep)


def _core_options(settings: Any, *names: str) -> dict[str, Any]:
    values = {name: getattr(settings, name) for name in names}
    if settings.straddlers != "KEEP":
        values["loose_factor"] = 1.0
    return {name: each.lower() if isinstance(each, str) else each for name, each in values.items()}


def chosen_bounds(settings: Any) -> bpy.types.Object | None:
    """Return the object whose box is the root; None if the bounds are automatic."""
    return settings.bounds_object if settings.bounds == "OBJECT" else None


def kinds_of(source: Any) -> list[str]:
    """Return the types of objects without a shape to include."""
    chosen = {"LIGHT": source.lights, "CAMERA": source.cameras, "EMPTY": source.empties}
    return [kind for kind, is_wanted in chosen.items() if is_wanted]


def note_source(scene: bpy.types.Scene, scope: str, *, source: str = "") -> None:
    """Store the contents of the scene's octree: the source settings, except these arguments."""
    settings = settings_of(scene)
    for name in ("collection", "lights", "cameras", "empties"):
        setattr(settings.built_of, name, getattr(settings.source, name))
    settings.built_of.scope = scope
    settings.built_of.source = source or settings.source.source
