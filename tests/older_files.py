"""What a user sees of an open file, as plain values: what older files state, and tests compare.

All of it comes from `scene.octree`, operators, their exports and Blender's own data, but for the
last three functions: they alone know of the inside.
"""

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import bpy
from snapshots import visibility

FOLDER = Path(__file__).parent / "fixtures" / "0.1.0_late"
# Records that the file keeps, each of which is looked at by what it is for.
RECORDS = ("hidden.", "question_", "results.kept", "sources", "tree_number")


def open_file(path: Path) -> None:
    """Open a blend file."""
    assert bpy.ops.wm.open_mainfile(filepath=str(path)) == {"FINISHED"}


def is_older(path: Path) -> bool:
    """Tell whether a file such as audit_4.5.blend is of this Blender, or of an older one."""
    major, minor = path.stem.rpartition("_")[2].split(".")
    return (int(major), int(minor)) <= bpy.app.version[:2]


def values(group: Any, path: str = "", *, only_set: bool = False) -> Iterator[tuple[str, Any]]:
    """Yield each property of a group, and of the groups in it, with its dotted path.

    If `only_set`, those that were never written, which follow their defaults, are left out.
    """
    for definition in group.bl_rna.properties:
        name = definition.identifier
        if name in {"rna_type", "name"}:
            continue
        value, full = getattr(group, name), f"{path}.{name}" if path else name
        if isinstance(value, bpy.types.PropertyGroup):
            yield from values(value, full, only_set=only_set)
        elif only_set and not group.is_property_set(name):
            continue
        elif definition.type == "POINTER":
            yield full, value and value.name
        elif definition.type == "COLLECTION":
            yield full, [dict(values(each)) for each in value]
        elif isinstance(value, set):
            yield full, sorted(value)
        else:
            is_vector = hasattr(value, "__len__") and not isinstance(value, (str, bytes))
            yield full, list(value) if is_vector else value


def scenes() -> Iterator[bpy.types.Scene]:
    """Show each scene in the window, and yield it."""
    for scene in bpy.data.scenes:
        bpy.context.window.scene = scene
        yield scene


def of_scenes(look: Callable[[bpy.types.Scene], Any]) -> dict[str, Any]:
    """Return what there is to see in each scene, by its name."""
    return {scene.name: look(scene) for scene in scenes()}


def settings_seen(scene: bpy.types.Scene) -> dict[str, Any]:
    """Return the settings of a scene that were ever set, by their paths in `scene.octree`."""
    found = values(scene.octree, only_set=True)
    return {path: value for path, value in found if not path.startswith(RECORDS)}


def shown_results(scene: bpy.types.Scene) -> Iterator[Any]:
    """Show each result in the list, whole and as it was found, and yield it.

    Those that come to be meanwhile are left out.
    """
    settings = scene.octree.results
    settings.search, settings.sort, settings.reverse = "", "", False
    for place in range(len(settings.kept)):
        settings.active = place
        yield settings.kept[place]


def exported(operator: Any) -> Any:
    """Return what an operator exports as JSON."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "export.json")
        assert operator(filepath=str(path)) == {"FINISHED"}
        return json.loads(path.read_text(encoding="utf-8"))


def results_seen(scene: bpy.types.Scene) -> list[dict[str, Any]]:
    """Return the rows of each result, with its title; of audits the findings as well."""
    found = []
    for result in shown_results(scene):
        rows = exported(bpy.ops.octree.export_rows)
        seen = {"title": result.title, "pinned": result.pinned, "table": rows}
        if result.question == "audit":
            seen["report"] = exported(bpy.ops.octree.export_audit)
            del seen["report"]["file"]
        found.append(seen)
    return found


def named_rows(table: dict[str, Any]) -> list[str]:
    """Return what the rows of a table are about, sorted; pairs either way round."""
    sides = (zip(row["objects"], row["instances"], strict=True) for row in table["rows"])
    return sorted(
        " and ".join(sorted(f"{name} {numbers}" for name, numbers in row)) for row in sides
    )


def asked_again(scene: bpy.types.Scene) -> list[list[Any]]:
    """Ask each kept question again, and return what the rows are about."""
    found = []
    for result in shown_results(scene):
        name = result.name
        assert bpy.ops.octree.refresh_result() == {"FINISHED"}
        table = exported(bpy.ops.octree.export_rows)
        assert table["result"] == name
        found.append([name, named_rows(table)])
    return found


def clicked(scene: bpy.types.Scene) -> list[list[Any]]:
    """Click the first and the last row of each result; return what is selected, and the frames.

    The first frame is that to which the click goes, the second that which shows the most.
    """
    found = []
    for result in shown_results(scene):
        for row in sorted({0, result.count - 1}) if result.count else ():
            scene.octree.results.row = row
            names = sorted(item.name for item in bpy.context.view_layer.objects.selected)
            frames = [scene.frame_current]
            if bpy.ops.octree.go_to_largest.poll():
                bpy.ops.octree.go_to_largest()
                frames.append(scene.frame_current)
            found.append([result.name, row, names, frames])
    return found


def marks_seen() -> dict[str, Any]:
    """Return the counts that are written into faces and objects, and the masks."""
    return {
        "faces": {
            mesh.name: {
                each.name: [element.value for element in each.data]
                for each in mesh.attributes
                if (each.domain, each.data_type) == ("FACE", "INT") and each.name[0] != "."
                and each.name != "material_index"
            }
            for mesh in bpy.data.meshes
            if mesh.users
        },
        "objects": {
            item.name: {name: item[name] for name in item.keys() if isinstance(item[name], int)}
            for item in bpy.data.objects
        },
        "modifiers": {
            item.name: [[each.name, each.type] for each in item.modifiers]
            for item in bpy.data.objects
        },
    }  # fmt: skip


def places_seen(scene: bpy.types.Scene) -> dict[str, list[float]]:
    """Return where the objects are that are visible, as Blender evaluates them."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return {
        item.name: list(item.evaluated_get(depsgraph).matrix_world.translation)
        for item in scene.objects
        if item.visible_get()
    }


def see_all() -> dict[str, Any]:
    """Return what is there to be seen once a file is open."""
    return {
        "settings": of_scenes(settings_seen),
        "visibility": visibility(),
        "marks": marks_seen(),
        "results": of_scenes(results_seen),
    }


def see_asked_again() -> dict[str, Any]:
    """Return what is found by asking again."""
    return of_scenes(asked_again)


def see_clicked() -> dict[str, Any]:
    """Return what clicks select."""
    return of_scenes(clicked)


def see_restored() -> dict[str, Any]:
    """Take back what is hidden and masked; return what shows that it was all, and nothing else."""
    for _ in scenes():
        if bpy.ops.octree.restore_hidden.poll():
            assert bpy.ops.octree.restore_hidden() == {"FINISHED"}
    if bpy.ops.octree.unmask_never_seen.poll():
        assert bpy.ops.octree.unmask_never_seen() == {"FINISHED"}
    return {
        "visibility": visibility(),
        "marks": marks_seen(),
        "places": of_scenes(places_seen),
    }


def see_built_again() -> dict[str, Any]:
    """Build the trees again, where they are shown as Blender does; return their statistics."""
    found = {}
    for scene in scenes():
        if scene.octree.display.show:
            let_tree_come_back()
            by_itself = statistics_of(scene)
        else:
            by_itself = None
        if bpy.ops.octree.rebuild.poll():
            assert bpy.ops.octree.rebuild() == {"FINISHED"}
        found[scene.name] = {"by itself": by_itself, "by button": statistics_of(scene)}
    return found


# What is stated of each file; each begins with the file as it was opened.
LOOKS: dict[str, Callable[[], dict[str, Any]]] = {
    "seen": see_all,
    "asked again": see_asked_again,
    "clicked": see_clicked,
    "restored": see_restored,
    "built again": see_built_again,
}


def differences(seen: Any, stated: Any, where: str = "") -> Iterator[str]:
    """Yield where what is seen lacks what is stated; keys that are new may be there."""
    if isinstance(stated, dict) and isinstance(seen, dict):
        for key, value in stated.items():
            if key not in seen:
                yield f"{where}/{key}: missing"
            else:
                yield from differences(seen[key], value, f"{where}/{key}")
    elif isinstance(stated, list) and isinstance(seen, (list, tuple)) and len(stated) == len(seen):
        for number, pair in enumerate(zip(seen, stated, strict=True)):
            yield from differences(*pair, f"{where}/{number}")
    elif not _is_same(seen, stated):
        yield f"{where}: {seen!r}, not {stated!r}"


def _is_same(seen: Any, stated: Any) -> bool:
    if isinstance(stated, float) and isinstance(seen, (int, float)):
        return math.isclose(seen, stated, rel_tol=1e-5, abs_tol=1e-6)
    return type(seen) is type(stated) and seen == stated


def statistics_of(scene: bpy.types.Scene) -> dict[str, Any] | None:
    """Return the statistics of the scene's tree, but for its bytes; None without a tree."""
    from octree_ext.octree_addon import trees

    built = trees.get(scene)
    if built is None:
        return None
    found = {each.name: getattr(built.statistics, each.name) for each in fields(built.statistics)}
    del found["bytes"]
    return {name: getattr(value, "tolist", lambda v=value: v)() for name, value in found.items()}


def let_tree_come_back() -> None:
    """Do what Blender does soon after it has drawn a file that shows a tree."""
    from octree_ext.octree_addon.handlers import restore_trees

    while restore_trees() is not None:
        pass


def command(*words: object) -> int:
    """Run `blender --command octree` with these words, and return its exit code."""
    from octree_ext.octree_addon.command_line import main

    return main([str(word) for word in words])
