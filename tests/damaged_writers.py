"""All that writes meshes, numbers or files, done to damaged meshes in a process of its own.

    python tests/damaged_writers.py WRITER FOLDER

It says "right NAME" of each mesh, or raises; Blender may end at any of them.
"""

import itertools
import json
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zipfile import ZipFile

import bpy
import conftest  # noqa: F401
import numpy as np
from blender_scenes import cube, select_only
from chunk_scenes import areas
from damaged_meshes import MESHES
from gltf_files import gltf_triangles

import octree_ext
from octree_ext.octree_addon.cameras.never_seen.copies import CopyOptions, copy_seen
from octree_ext.octree_addon.chunks.made import chunks_in, made_collection
from octree_ext.octree_addon.command_line import main
from octree_ext.octree_addon.density.counting import ObjectCounts
from octree_ext.octree_addon.density.decimated import decimate, remove_decimated

FORMS = ("gltf", "glb", "tiles", "blend", "out")
CUTS = ("--triangles", "2", "--least-triangles", "0", "--least-size", "0.5")
# What is no number as text formats have it, as a word of its own.
NOT_FINITE = re.compile(r"(?<![\w.])[-+]?(nan|inf|infinity)(?!\w)", re.IGNORECASE)


def triangles_of(mesh: bpy.types.Mesh, matrix: Any) -> np.ndarray:
    """Return the corners of a mesh's triangles in the world, of those that can be seen at all."""
    mesh.calc_loop_triangles()
    points = np.array([vertex.co for vertex in mesh.vertices], np.float64).reshape(-1, 3)
    faces = np.array([each.vertices for each in mesh.loop_triangles], np.intp).reshape(-1, 3)
    faces = faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)]
    matrix = np.array(matrix, np.float64)
    corners = (points @ matrix[:3, :3].T + matrix[:3, 3])[faces]
    return corners[np.isfinite(corners).all(axis=(1, 2))]


def shown(scene: bpy.types.Scene | None = None) -> np.ndarray:
    """Return all triangles that a scene shows."""
    layer = scene.view_layers[0] if scene else bpy.context.view_layer
    layer.update()
    found = [np.empty((0, 3, 3))]
    for each in layer.depsgraph.object_instances:
        if each.object.type == "MESH" and each.show_self:
            found.append(triangles_of(each.object.data, each.matrix_world))
    return np.concatenate(found)


def in_order(corners: np.ndarray) -> np.ndarray:
    """Return triangles as rows that can be compared, whichever corner comes first."""
    first = np.lexsort(corners.transpose(2, 0, 1)[::-1], axis=1)[:, :1]
    turned = np.take_along_axis(corners, ((first + np.arange(3)) % 3)[..., None], axis=1)
    rows = turned.reshape(len(corners), -1)
    return rows[np.lexsort(rows.T[::-1])]


def same(found: np.ndarray, wanted: np.ndarray) -> None:
    """Demand the same triangles, as single precision has them."""
    assert len(found) == len(wanted), (len(found), len(wanted))
    size = np.abs(wanted).max(initial=1.0)
    rows = [in_order(np.round(each / size, 5) + 0.0) for each in (found, wanted)]
    np.testing.assert_allclose(*rows, atol=3e-5)


def require_sound(meshes: Any) -> None:
    """Demand that Blender has nothing to mend, and that all that it stores is finite."""
    for mesh in set(meshes):
        points = np.array([vertex.co for vertex in mesh.vertices], np.float64)
        normals = np.array([each.vector for each in mesh.corner_normals], np.float64)
        assert np.isfinite(points).all(), mesh.name
        if np.abs(points).max(initial=0.0) < 1e18:  # Blender squares coordinates
            assert np.isfinite(normals).all(), mesh.name
        assert not mesh.copy().validate(), mesh.name


def require_finite_objects() -> None:
    """Demand that every object stands somewhere."""
    for item in bpy.data.objects:
        assert np.isfinite(np.array(item.matrix_basis)).all(), item.name
        assert np.isfinite(np.array(item.location)).all(), item.name


def require_finite_files(folder: Path) -> None:
    """Demand that no file of text has a number that is not finite."""

    def refuse(word: str) -> None:
        raise AssertionError(word)

    for path in folder.rglob("*"):
        for name, content in contents(path):
            text = content.decode("utf-8", "replace")
            assert not NOT_FINITE.search(text), (name, NOT_FINITE.search(text))
            if name.endswith((".json", ".gltf")):
                json.loads(text, parse_constant=refuse)


def contents(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the texts in a file by name."""
    if path.suffix in (".json", ".gltf", ".csv", ".html", ".xml"):
        yield path.name, path.read_bytes()
    elif path.suffix == ".bcf":
        with ZipFile(path) as archive:
            for name in archive.namelist():
                if not name.endswith(".png"):
                    yield name, archive.read(name)
    elif path.suffix == ".glb":
        head = path.read_bytes()
        size = int.from_bytes(head[12:16], "little")
        yield f"{path.name}.json", head[20 : 20 + size]


def twice(item: bpy.types.Object) -> None:
    """Show a mesh once more as an instance, turned."""
    group = bpy.data.collections.new("Group")
    copy = item.copy()
    group.objects.link(copy)
    empty = bpy.data.objects.new("Instance", None)
    empty.instance_type, empty.instance_collection = "COLLECTION", group
    empty.location, empty.rotation_euler = (20, 0.3, 0), (0, 0, 0.5)
    bpy.context.scene.collection.objects.link(empty)


def chunks_of(instances: str, item: bpy.types.Object, _: Path) -> None:
    """Cut chunks of the mesh and of an instance, once without a wall in it."""
    twice(item)
    before = shown()
    for options in (
        {"triangles": 10**6, "cell": 64.0},
        {"triangles": 2, "least_triangles": 0, "least_size": 0.5},
        {"triangles": 2, "least_triangles": 0, "least_size": 0.5, "method": "ASSIGN"},
    ):
        try:
            assert bpy.ops.octree.cut_chunks(**options, instances=instances) == {"FINISHED"}
        except RuntimeError as error:
            assert "no triangles" in str(error) and not len(before)
            return
        made = chunks_in(made_collection(bpy.context.scene))
        require_sound(each.data for each in made)
        after = shown()
        (result,) = list(bpy.context.scene.octree.results.kept)[-1:]
        if len(options) == 2 or options.get("method") == "ASSIGN":
            same(after, before)
        if np.abs(before).max(initial=0.0) < 1e9:
            assert abs(areas(after).sum() - areas(before).sum()) <= 1e-5 * (
                1 + areas(before).sum()
            )
        assert sum(triangles(result)) == len(after)
        assert bpy.ops.octree.remove_chunks() == {"FINISHED"}
        same(shown(), before)


def triangles(result: Any) -> list[int]:
    """Return what the list says of the triangles of chunks."""
    from octree_ext.octree_addon.answers.kept import view_of

    return view_of(bpy.context.scene, result).rows.column("Triangles").values.tolist()


def saved(folder: Path) -> Path:
    path = folder / "odd.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def files_of(levels: int, item: bpy.types.Object, folder: Path) -> None:
    """Export in all forms; the manifest tells how many triangles are in the files."""
    twice(item)
    before = shown()
    blend = saved(folder)
    runs = [(CUTS, ("glb",))] if levels > 1 else [((), FORMS), (CUTS, ("glb", "out"))]
    for words, forms in runs:
        places = {form: folder / f"{form} {len(words)}" for form in forms}
        asked = itertools.chain.from_iterable((f"--{form}", at) for form, at in places.items())
        told = ["chunks", blend, *words, "--levels", levels, *asked]
        code = main([str(each) for each in told])
        assert code == 0 or not len(before)
        for form, place in places.items() if code == 0 else ():
            said = json.loads((place / "manifest.json").read_text())["chunks"]
            for each in said:
                files = sorted(each["files"])
                counts = {count(place / name) for name in files if not name.endswith(".bin")}
                assert counts == {each["triangles"]}, (form, counts, each)
            if not words:
                assert sum(each["triangles"] for each in said) == len(before)


def count(path: Path) -> int:
    """Return how many triangles are in a file."""
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            return len(arrays["faces"])
    if path.suffix != ".blend":
        return len(gltf_triangles(path))
    with bpy.data.libraries.load(str(path)) as (there, to):
        to.objects = there.objects
    scene = bpy.data.scenes.new("File")
    for item in to.objects:
        scene.collection.objects.link(item)
    require_sound(item.data for item in to.objects if item.type == "MESH")
    found = len(shown(scene))
    bpy.data.scenes.remove(scene)
    bpy.data.batch_remove(to.objects)
    return found


def unseen(item: bpy.types.Object, _: Path) -> None:
    """Copy it without some of its faces, and with modifiers applied."""
    other = item.copy()
    other.modifiers.new("Move", "DISPLACE").strength = 0.0
    bpy.context.scene.collection.objects.link(other)
    bpy.context.view_layer.update()
    count = len(item.data.polygons)
    for wanted in (np.arange(count) > 0, np.arange(count) < 1, np.ones(count, bool)):
        own = {item.session_uid: wanted, other.session_uid: wanted}
        kept = SimpleNamespace(objects={}, own=own, meshes={item.data.session_uid: wanted})
        for modifiers in ("OWN", "APPLY"):
            if modifiers == "APPLY":
                kept.meshes = {}
            options = CopyOptions(modifiers=modifiers)
            home, copies = copy_seen(bpy.context, [item, other], kept, options, "Seen")
            require_sound(each.data for each in home.objects)
            if modifiers == "OWN":
                assert copies.counts["faces"] == (~wanted).sum()


def decimated(item: bpy.types.Object, _: Path) -> None:
    """Have Blender decimate a copy, and more than it can."""
    bpy.context.view_layer.update()
    for need in (0, 3):
        counts = ObjectCounts(
            np.array([item.session_uid]), np.array([99]), np.array([need]), np.array([1.0])
        )
        decimate(bpy.context, counts)
        shown()
        copies = bpy.context.scene.collection.children["Decimated"].objects
        require_sound(each.data for each in copies)
        meshes = set(bpy.data.meshes) - {each.data for each in copies}
        remove_decimated(bpy.context)
        assert set(bpy.data.meshes) - {item.data} <= meshes


def on_a_floor(name: str, item: bpy.types.Object, _: Path, **options: Any) -> None:
    """Place it above a floor, and another thing above it."""
    floor = cube("Floor", 20, location=(0, 0, -13))
    other = cube("Other", location=(0.5, 0.5, 8))
    select_only(floor, item, other) if name == "fill" else select_only(item, other)
    bpy.context.view_layer.objects.active = floor
    try:
        assert getattr(bpy.ops.octree, name)(**options) == {"FINISHED"}
    except RuntimeError as error:
        assert "Traceback" not in str(error)


def reports(item: bpy.types.Object, folder: Path) -> None:
    """Audit it, measure it, look at it, and write all that is found."""
    twice(item)
    cube("Floor", 2, location=(1, 1, 0.5))
    blend = saved(folder)
    names = [f"audit.{ending}" for ending in ("json", "csv", "html", "bcf", "xml")]
    asked = itertools.chain.from_iterable(("--report", folder / name) for name in names)
    for words in (
        ("audit", blend, "--contacts", "--clearance", 0.5, *asked),
        ("distances", blend, "--json", folder / "distances.json"),
        ("place", blend, "--drop", "Scene Collection", "--out", folder / "placed.blend", "--json",
         folder / "placed.json"),
    ):  # fmt: skip
        assert main([str(each) for each in words]) in (0, 1, 2)


def made_real(item: bpy.types.Object, folder: Path) -> None:
    """Make the cells of an octree real, and results tables of what a sphere meets."""
    select_only(item)
    try:
        bpy.ops.octree.build(capacity=1)
        bpy.ops.octree.make_real()
    except RuntimeError as error:
        assert "Traceback" not in str(error)
        return
    require_sound([bpy.context.object.data])


Writer = Callable[[bpy.types.Object, Path], None]
WRITERS: dict[str, Writer] = {
    "chunks, instances whole": lambda *given: chunks_of("WHOLE", *given),
    "chunks, instances made real": lambda *given: chunks_of("REAL", *given),
    "chunk files": lambda *given: files_of(1, *given),
    "chunk files with levels": lambda *given: files_of(3, *given),
    "copies without unseen faces": unseen,
    "decimated copies": decimated,
    "drop": lambda *given: on_a_floor("drop", *given, align=True),
    "push apart": lambda *given: on_a_floor("push_apart", *given),
    "fill": lambda *given: on_a_floor("fill", *given, count=3, tries=9),
    "reports": reports,
    "cells made real": made_real,
}


def run(writer: str, folder: Path) -> None:
    """Try all meshes, one after the other, each in a file of its own."""
    octree_ext.register()
    for number, (name, make) in enumerate(MESHES.items()):
        bpy.ops.wm.read_homefile(use_empty=True)
        place = folder / str(number)
        place.mkdir()
        print(f"now {name}", flush=True)
        try:
            WRITERS[writer](make(), place)
            require_finite_objects()
            require_finite_files(place)
        except Exception:
            traceback.print_exc()
            continue
        print(f"right {name}", flush=True)


if __name__ == "__main__":
    run(sys.argv[1], Path(sys.argv[2]))
    # Leave at once: with anything registered Blender 4.2 and 4.5 may crash or hang at exit.
    os._exit(0)
