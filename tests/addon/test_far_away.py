"""A thing that is far away changes no answer about the others, whatever is asked."""

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import camera, collection_instance, cube, link, mesh_object, select_only

from octree_ext.octree_addon.answers.kept import view_of
from octree_ext.octree_addon.answers.result_kind import KINDS
from octree_ext.octree_addon.cameras import never_seen
from octree_ext.octree_addon.ui import forget_session, settings_of

pytestmark = pytest.mark.usefixtures("in_numpy")
FAR = "Backdrop"
SIDE, AWAY = 30e3, 20e3


def behind() -> None:
    corners = [
        (x * SIDE, AWAY, z * SIDE) for x, z in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
    ]
    mesh_object(FAR, corners, [(0, 1, 2, 3)])


def below() -> None:
    cube(FAR, size=SIDE, location=(0, 0, -AWAY), scale=(1, 1, 1e-6))


def a_tiny_one() -> None:
    cube(FAR, size=1e-3, location=(-AWAY, AWAY, AWAY))


PLACES = {"behind": behind, "below": below, "tiny": a_tiny_one}


def workshop() -> None:
    """Add a floor with a case of parts on it, things that cross and float, and a screw of 1 mm."""
    cube("Floor", size=10, location=(0, 0, -0.05), scale=(1, 1, 0.01))
    cube("Case", size=3, location=(2, 2, 1.5))
    rng = np.random.default_rng(3)
    parts = [
        cube(f"Part {n}", size=0.4, location=rng.uniform((1, 1, 0.5), (3, 3, 2.5)))
        for n in range(6)
    ]
    parts[5].location = (2, 2, 3.1)  # it sticks out of the case
    cube("Grain", size=1e-4, location=(2.0, 2.0, 1.5))
    for number in range(4):
        cube(f"Crate {number}", location=(-3 + 0.9 * number, -2, 0.5))
    collection_instance([cube("Brick", size=0.3)], "Bricks", location=(-2, 3, 0.15))
    cube("Lamp", size=0.5, location=(-2, 1, 2))
    cube("Twin 1", size=0.6, location=(3, -3, 0.3))
    cube("Twin 2", size=0.6, location=(3, -3, 0.3))
    cube("Screw", size=1e-3, location=(-4.123, -4.321, 2.5))
    cube("Dropped", size=1e-3, location=(-4.456, 4.321, 0.0005))
    bpy.context.scene.camera = camera(location=(-6, -6, 4), rotation_euler=(1.1, 0, -0.785))
    room = link(bpy.data.objects.new("Room", None), location=(0, 0, 2))
    room.scale, room.empty_display_size = (4, 4, 1.5), 1.0
    bpy.context.scene.cursor.location = (-2, -1.5, 0.5)
    select_only(bpy.data.objects["Lamp"])
    bpy.context.view_layer.update()


def listed(options: dict[str, Any]) -> Callable[[str], Any]:
    """Return how to read the rows of all results that a question has kept."""

    def ask(name: str) -> Any:
        assert getattr(bpy.ops.octree, name)("EXEC_DEFAULT", True, **options) == {"FINISHED"}
        return {each.name: rows_of(each) for each in settings_of(bpy.context.scene).results.kept}

    return ask


def rows_of(result: Any) -> list[Any]:
    """Return rows without the far thing, in an order of their own: names, and numbers."""
    view = view_of(bpy.context.scene, result)
    found = []
    for row in range(len(view.rows)):
        labels = [*view.labels(row)]
        if FAR not in labels:
            found.append((labels, [value_of(column, row) for column in view.rows.columns]))
    return sorted(found, key=str)


def value_of(column: Any, row: int) -> Any:
    value = column.values[row]
    return column.words[value] if column.words else f"{value:.6g}"


def places(options: dict[str, Any], *names: str) -> Callable[[str], Any]:
    """Return how to read where a question has put things, of those that are selected."""

    def ask(name: str) -> Any:
        select_only(*(bpy.data.objects[each] for each in names))
        assert getattr(bpy.ops.octree, name)("EXEC_DEFAULT", True, **options) == {"FINISHED"}
        return {
            item.name: np.round(np.array(item.matrix_world), 5).tolist()
            for item in bpy.context.scene.objects
            if item.name != FAR
        }

    return ask


def never(options: dict[str, Any]) -> Callable[[str], Any]:
    """Return how to read what views saw, of objects and of faces, and what buttons keep."""

    def ask(name: str) -> Any:
        rows = listed(options)(name)
        found = never_seen.get(bpy.context.scene)
        items = {item.session_uid: item for item in bpy.context.scene.objects if item.name != FAR}
        faces = {
            items[uid].name: counts.tolist() for uid, counts in found.own.items() if uid in items
        }
        counts = {items[uid].name: count for uid, count in found.objects.items() if uid in items}
        bpy.ops.octree.copy_never_seen("EXEC_DEFAULT", True)
        copied = {item.name for item in bpy.data.collections["Seen"].objects}
        return rows, faces, counts, sorted(copied - {f"{FAR}.001"})

    return ask


LOOK = {"directions": 12, "resolution": 256}
ASKED: dict[str, Callable[[str], Any]] = {
    "audit": listed({"clearance": 0.05, "itself": True, "touching": True}),
    "density": listed({"cell": 1.0}),
    "drop": places({"whose": "SELECTED"}, "Lamp", "Screw"),
    "fill": places({"where": "FACES", "count": 9, "spacing": 0.2}, "Floor", "Screw", "Crate 0"),
    "find_never_seen": never(LOOK),
    "find_never_seen inside": never({**LOOK, "views": "INSIDE", "volume": "Room", "places": 3}),
    "find_never_seen cameras": never({**LOOK, "views": "SHOT"}),
    "find_seen": listed({}),
    "find_seen behind": listed({"behind": "UNSEEN", "resolution": 20}),
    "measure_distances": listed({"pairs": "NEAREST", "count": 1}),
    "push_apart": places({"whose": "ALL"}, "Lamp"),
    "select_collisions": listed({"margin": 0.05}),
    "select_collisions over frames": listed({"span": "CUSTOM", "first": 1, "last": 2}),
    "select_floating": listed({}),
    "select_in_box": listed({}),
    "select_in_capsule": listed({}),
    "select_in_frustum": listed({}),
    "select_in_sphere": listed({}),
    "select_nearest": listed({"count": 9}),
    "select_on_ray": listed({"direction": (1, 0.1, 0)}),
}
# Cells of chunks are halves of the cube around everything, which the scene is asked for.
LEFT_OUT = {"cut_chunks", "preview_chunks"}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("question", ASKED)
def test_a_far_thing_changes_no_answer_about_the_others(empty_scene, question, place):
    name = question.partition(" ")[0]
    answers = []
    for far in (False, True):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        workshop()
        if far:
            PLACES[place]()
            bpy.context.view_layer.update()
        answers.append(ASKED[question](name))
        forget_session()
    assert answers[0]
    assert answers[0] == answers[1]


def test_every_question_is_under_the_law():
    assert KINDS.keys() - LEFT_OUT == {name.partition(" ")[0] for name in ASKED}
