"""Chunks in Blender: objects in one collection for each cell, recognized by custom properties.

Chunks are made in steps; if the work is cancelled, all new data is removed.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import bpy
from mathutils import Matrix

from ...core import Steps
from .. import tuning
from ..arrays import Floats
from ..hiding import hide, plan, show_again, show_copies
from ..hiding.view_layer_hiding import is_hidden, set_hidden
from ..reader import MeshLayers
from ..written_meshes import (
    ChunkArrays,
    blended_groups,
    chunk_positions,
    write_groups,
    write_keys,
    write_mesh,
)
from .cutting import ChunkPart, SceneCut
from .names import safe_name
from .sources import ASSIGN, ChunkSource
from .world import CHUNK, is_chunk

# Custom properties: ROOT marks the collection of all chunks; a chunk has the others and `CHUNK`.
ROOT, SOURCE, SIGNATURE = "octree_chunks", "octree_source", "octree_signature"
NAME = "Chunks"
# Meshes of parts that are a whole mesh, by the `id` of the layers and the materials of slots.
SharedMeshes = dict[tuple[int, tuple[int, ...]], bpy.types.Mesh]


class Made(NamedTuple):
    """New chunks, and the fate of the chunks of an earlier cut.

    Attributes
    ----------
    fresh : list of (ChunkPart, object)
        New chunks, in no collection yet.
    kept, gone : list of object
        Earlier chunks that are unchanged, and those to be removed.
    draft : Draft
        The data of the new chunks; removed with the draft unless `take` was called.
    """

    fresh: list[tuple[ChunkPart, bpy.types.Object]]
    kept: list[bpy.types.Object]
    gone: list[bpy.types.Object]
    draft: "Draft"


class Draft:
    """New data-blocks, removed together with the draft unless `take` is called."""

    def __init__(self) -> None:
        self.data: list[bpy.types.ID] = []

    def __del__(self) -> None:
        self.drop()

    def drop(self) -> None:
        """Remove the data."""
        data, self.data = self.data, []
        if data:
            bpy.data.batch_remove(data[::-1])

    def take(self) -> None:
        """Keep the data in the file."""
        self.data = []


def has_chunks(collection: Any) -> bool:
    """Return whether a collection is the parent of all chunks."""
    return ROOT in collection


def made_collection(scene: bpy.types.Scene) -> bpy.types.Collection | None:
    """Return the collection of the chunks of a scene; None without any."""
    return next((each for each in scene.collection.children_recursive if has_chunks(each)), None)


def chunks_in(collection: bpy.types.Collection | None) -> list[bpy.types.Object]:
    """Return the chunks in a collection."""
    return (
        [] if collection is None else [each for each in collection.all_objects if is_chunk(each)]
    )


def sources_in(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Return the objects that were cut into the chunks of a scene, as far as they still exist."""
    root = made_collection(scene)
    names = json.loads(root[ROOT]) if root is not None else []
    return named_objects(scene, names)


def named_objects(scene: bpy.types.Scene, names: Iterable[str]) -> list[bpy.types.Object]:
    """Return the objects of these names, as far as the scene has them."""
    there = {item.name: item for item in scene.objects}
    return [there[name] for name in names if name in there]


@contextmanager
def shown_sources(context: bpy.types.Context) -> Iterator[None]:
    """Show the sources of chunks during the `with` block; hide them again after it."""
    layer = context.view_layer
    hidden = [item for item in sources_in(context.scene) if is_hidden(item, layer, "EYE")]
    names = [item.name for item in hidden]
    set_hidden(context, layer, hidden, "EYE", False)
    layer.update()
    try:
        yield
    finally:
        there = {item.name: item for item in bpy.context.view_layer.objects}
        set_hidden(
            bpy.context,
            bpy.context.view_layer,
            [there[name] for name in names if name in there],
            "EYE",
            True,
        )
        bpy.context.view_layer.update()


def make_steps(scene: bpy.types.Scene, cut: SceneCut) -> Steps[Made]:
    """Make an object for each new or changed part; yield the fraction done.

    If the steps are dropped or fail, all new data is removed.
    """
    before = {(item[SOURCE], item[CHUNK]): item for item in chunks_in(made_collection(scene))}
    made, kept, draft = [], [], Draft()
    taken = {item.name.casefold() for item in before.values()}
    size, items, shared = 0, {item.session_uid: item for item in bpy.data.objects}, SharedMeshes()
    materials = {each.session_uid: each for each in bpy.data.materials}
    try:
        for number, part in enumerate(cut.parts):
            key = part.source.label, cut.names[part.cell]
            former = before.get(key)
            if former is not None and former[SIGNATURE] == part.signature:
                kept.append(before.pop(key))
                continue
            name = safe_name(part.source.label, f"_{key[1]}", taken)
            item = _object_of(part, cut, name, items, materials, shared, draft.data)
            item[CHUNK], item[SOURCE], item[SIGNATURE] = key[1], key[0], part.signature
            made.append((part, item))
            size += part.triangles
            if size > tuning.current.vertices_read:
                size = 0
                yield number / len(cut.parts)
        show_copies((items[part.source.shown], item) for part, item in made)
        yield 1.0
    except BaseException:
        draft.drop()
        raise
    return Made(made, kept, list(before.values()), draft)


def _object_of(
    part: ChunkPart,
    cut: SceneCut,
    name: str,
    items: Mapping[int, bpy.types.Object],
    materials: Mapping[int, bpy.types.Material],
    shared: SharedMeshes,
    new: list[bpy.types.ID],
) -> bpy.types.Object:
    """Make the object of a part, in no collection; append all new data-blocks to `new`."""
    source = part.source
    item, matrix = items[source.shown], cut.matrices[source.row]
    if part.arrays is None:
        copy = item.copy()
        new.append(copy)
        if source.is_instance or _is_instanced_by_parents(item):
            _place_alone(copy, matrix)
        copy.name = name
        return copy
    mesh, is_filled = _mesh_of(part, cut, name, materials, shared, new)
    if source.is_instance or item.type != "MESH":
        made = bpy.data.objects.new(name, mesh)
        new.append(made)
        _place_alone(made, matrix)
    else:
        made = item.copy()
        new.append(made)
        made.data, made.name = mesh, name
        if _is_instanced_by_parents(item):
            _place_alone(made, matrix)
        if source.how != ASSIGN or not source.own:
            made.modifiers.clear()
    for slot in made.material_slots:
        slot.link = "DATA"
    if not is_filled:
        _fill(made, item, cut.layers[source.row], part.arrays)
    return made


def _mesh_of(
    part: ChunkPart,
    cut: SceneCut,
    name: str,
    materials: Mapping[int, bpy.types.Material],
    shared: SharedMeshes,
    new: list[bpy.types.ID],
) -> tuple[bpy.types.Mesh, bool]:
    """Return the mesh of a part, and whether it is shared with an equal part made before."""
    row, arrays = part.source.row, part.arrays
    assert arrays is not None
    layers, uids = cut.layers[row], cut.materials[row].slots
    key = id(layers), uids
    if part.is_whole and key in shared:
        return shared[key], True
    slots = [materials.get(uid) for uid in uids]
    positions = chunk_positions(layers, arrays, cut.made, cut.matrices[row])
    mesh = write_mesh(name, layers, arrays, positions, slots)
    new.append(mesh)
    if part.is_whole:
        shared[key] = mesh
    return mesh, False


def _fill(
    made: bpy.types.Object, item: bpy.types.Object, layers: MeshLayers, arrays: ChunkArrays
) -> None:
    """Write the vertex groups and the shape keys of a source to the mesh of its chunk."""
    names = [group.name for group in item.vertex_groups] if item.type == "MESH" else []
    if names:
        write_groups(made, names, blended_groups(layers.groups, arrays.points))
    write_keys(made, layers, arrays)


def _is_instanced_by_parents(item: bpy.types.Object) -> bool:
    """Return whether an ancestor instances its children on vertices or faces, so copies, too."""
    parent = item.parent
    while parent is not None and parent.instance_type == "NONE":
        parent = parent.parent
    return parent is not None


def _place_alone(item: bpy.types.Object, matrix: Floats) -> None:
    """Give an object a world matrix; remove its parent, constraints and animation."""
    item.animation_data_clear()
    item.constraints.clear()
    item.parent = None
    item.matrix_world = Matrix(matrix.tolist())


def link_made(context: bpy.types.Context, cut: SceneCut, made: Made) -> bpy.types.Collection:
    """Link new chunks to the collections of their cells, remove outdated ones, hide sources."""
    scene = context.scene
    root = made_collection(scene)
    made.draft.take()
    if root is None:
        root = bpy.data.collections.new(NAME)
        root[ROOT] = ""
        scene.collection.children.link(root)
    remove_with_meshes(made.gone)
    cells = {each[CHUNK]: each for each in root.children if is_chunk(each)}
    for part, item in made.fresh:
        name = cut.names[part.cell]
        if name not in cells:
            cells[name] = bpy.data.collections.new(f"{root.name} {name}")
            cells[name][CHUNK] = name
            root.children.link(cells[name])
        cells[name].objects.link(item)
    for each in list(root.children):
        if is_chunk(each) and not each.all_objects:
            bpy.data.collections.remove(each)
    owners = {each.owner for each in cut.sources}
    sources = [item for item in scene.objects if item.session_uid in owners]
    root[ROOT] = json.dumps([item.name for item in sources])
    hide_sources(context, sources, cut.sources)
    context.view_layer.update()
    return root


def hide_sources(
    context: bpy.types.Context, items: list[bpy.types.Object], sources: Iterable[ChunkSource]
) -> None:
    """Hide objects in viewports and renders; objects shown by instances only in viewports."""
    hide(context, plan(context, items, "EYE"))
    instanced = {each.shown for each in sources if each.is_instance}
    alone = [item for item in items if item.session_uid not in instanced]
    hide(context, plan(context, alone, "RENDER"))


def remove_with_meshes(items: list[bpy.types.Object]) -> None:
    """Delete objects, and their meshes that have no other users."""
    meshes = {item.data for item in items if isinstance(item.data, bpy.types.Mesh)}
    bpy.data.batch_remove(items)
    bpy.data.batch_remove([mesh for mesh in meshes if not mesh.users])


def remove_all(context: bpy.types.Context) -> tuple[int, int]:
    """Delete all chunks and show their sources again; return how many of each."""
    scene = context.scene
    root, sources = made_collection(scene), sources_in(scene)
    chunks = chunks_in(root)
    count = len(chunks)
    remove_with_meshes(chunks)
    if root is not None:
        cells = [each for each in root.children if is_chunk(each) and not each.all_objects]
        bpy.data.batch_remove([*cells, *([root] if not root.all_objects else [])])
    shown = show_again(context, sources)
    return count, shown
