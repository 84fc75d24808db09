"""Scenes with a tree that follows them, and whether it does."""

from typing import Any

import bpy
from blender_scenes import cube, depsgraph

from octree_ext.octree_addon import live, trees
from octree_ext.octree_addon.reader import read_boxes, taken_types


def grid(count: int, **values: Any) -> list[bpy.types.Object]:
    """Add a row of cubes that do not touch."""
    return [cube(f"Cube {x}", location=(3 * x, 0, 0), **values) for x in range(count)]


def switch_on(**options: Any) -> Any:
    """Build a tree of objects, have it follow them, and return it."""
    bpy.ops.octree.build(source="OBJECTS", **{"scope": "VISIBLE"} | options)
    bpy.ops.octree.live()
    return trees.get(bpy.context.scene)


def boxes_by_key(placements: Any, boxes: Any) -> dict[Any, Any]:
    """Return the box of each item."""
    keys = map(tuple, placements.keys.tolist())
    return dict(zip(keys, boxes.T.tolist(), strict=True))


def boxes_now(uids: Any = None) -> Any:
    """Read anew the boxes of objects with these session ids, by default of all visible ones."""
    read = read_boxes(depsgraph())
    owners = read.owners.tolist() if uids is None else uids
    return read.ordered(read.rows_of(set(owners), taken_types([])))


def assert_followed(built: Any) -> None:
    """Compare with what is read anew, item by item, and look at the structure."""
    bpy.context.view_layer.update()
    found, held = boxes_now(), built.octree.items.bounds().rows
    assert boxes_by_key(built.source.placements, held) == boxes_by_key(found, found.boxes)
    assert sorted(built.octree.cells_of()[0]) == sorted(built.octree.ids)
    assert not built.stale
    built.tree.check()


def step() -> Any:
    """Return what the last change did."""
    return live.get(bpy.context.scene).last_update
