"""Local view: it narrows what a question pressed there asks, and changes nothing that is known."""

import answering
import bpy
import pytest
from blender_scenes import camera, cube, depsgraph, select_only

from octree_ext.octree_addon import scene_index, trees
from octree_ext.octree_addon.answers.kept import active_result
from octree_ext.octree_addon.reader import seen_objects
from octree_ext.octree_addon.scene_index import view_state_of


def in_view():
    area = next(each for each in bpy.context.screen.areas if each.type == "VIEW_3D")
    region = next(each for each in area.regions if each.type == "WINDOW")
    return bpy.context.temp_override(area=area, region=region)


@pytest.fixture
def scene(empty_scene):
    """Place three pairs of cubes before a camera; two pairs are alone in the local view."""
    cubes = [cube(f"Cube {x}", 0.9, location=(2 * x - 1.2 * (x % 2), 0, 0)) for x in range(6)]
    empty_scene.camera = camera(location=(3, 0, 12))
    bpy.context.view_layer.update()
    select_only(*cubes[:4])
    bpy.context.view_layer.objects.active = cubes[1]
    with in_view():
        bpy.ops.view3d.localview()
    bpy.context.view_layer.update()
    return empty_scene


@pytest.mark.parametrize("presses", answering.ASKED.values(), ids=answering.ASKED)
def test_an_answer_from_a_local_view_holds_outside_of_it(scene, presses):
    with in_view():
        answering.press_all(presses, undo=False)  # a step of it crashes without a window
    assert not answering.has_changed(active_result(scene))
    with in_view():
        assert not answering.has_changed(active_result(scene))
        bpy.ops.view3d.localview()
    bpy.context.view_layer.update()
    assert not answering.has_changed(active_result(scene))


def test_what_is_known_of_a_scene_is_the_same_in_a_local_view(scene):
    def known():
        bpy.data.objects["Cube 5"].update_tag()
        bpy.context.view_layer.update()
        index = scene_index.scene_index(depsgraph())
        layer, objects = bpy.context.view_layer, bpy.context.view_layer.objects
        seen, unseen = seen_objects(depsgraph(), objects, None)
        return len(index.placements), view_state_of(layer, rendered=True), list(seen), unseen

    with in_view():
        there = known()
    assert there == known()


def test_live_follows_all_objects_from_a_local_view(scene):
    bpy.ops.octree.live()
    count = len(trees.get(scene).octree)
    with in_view():
        for _ in range(2):
            bpy.ops.view3d.localview()
            bpy.context.view_layer.update()
            assert len(trees.get(scene).octree) == count == 6
