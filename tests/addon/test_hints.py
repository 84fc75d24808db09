"""Hints with an answer: what was taken as one, left out or too large, and a button each."""

import bpy
import numpy as np
import pytest
from blender_scenes import collection_instance, cube, select_only
from paper import Paper, Redo, buttons, drawn

from octree_ext.octree_addon import preferences, scope, trees
from octree_ext.octree_addon.answers.hints import instances_text
from octree_ext.octree_addon.cells.operators import OCTREE_OT_build
from octree_ext.octree_addon.ui import settings_of


@pytest.fixture
def kit(empty_scene):
    """Two cubes that cross, shown by one empty, and a camera that sees them."""
    collection_instance([cube("One"), cube("Two", location=(0.5, 0.5, 0.5))], "Kit")
    place(camera("View", (0, 0, 9)))
    return empty_scene


def camera(name, location, kind="PERSP"):
    item = bpy.data.objects.new(name, bpy.data.cameras.new(name))
    bpy.context.scene.collection.objects.link(item)
    item.location, item.data.type = location, kind
    return item


def place(item):
    bpy.context.scene.camera = item
    bpy.context.view_layer.update()


def hint_button(name):
    """Return what the panel of results calls an operator with, as its options."""
    drawn(bpy.types.OCTREE_PT_results)
    (found,) = (each for each in buttons(bpy.types.OCTREE_PT_results) if each.name == name)
    return found


def shown():
    return drawn(bpy.types.OCTREE_PT_results)


def said(words):
    return words in " ".join(shown())


def active():
    settings = settings_of(bpy.context.scene).results
    return settings.kept[settings.active]


def test_the_count_is_of_instances_that_share_an_instancer():
    owners, is_instance = np.array([1, 1, 1, 2, 3, 4, 4]), np.array([1, 1, 0, 1, 0, 1, 1], bool)
    assert instances_text(owners, is_instance) == (
        "4 instances of 2 instancers were taken as one each"
    )
    assert instances_text(owners[:5], is_instance[:5]) == (
        "2 instances of one instancer were taken as one"
    )
    assert instances_text(owners[2:5], is_instance[2:5]) == ""


@pytest.mark.parametrize("question", ["select_collisions", "audit"])
def test_instances_taken_as_one_are_told_and_asked_for(kit, question):
    getattr(bpy.ops.octree, question)("EXEC_DEFAULT", True)
    assert active().count == 0
    assert said("2 instances of one")
    button = hint_button(f"octree.{question}")
    assert button.instances
    options = (
        {"instances": True} if question == "audit" else {"instances": True, "kind": "OBJECTS"}
    )
    getattr(bpy.ops.octree, question)("EXEC_DEFAULT", True, **options)
    assert active().count == 1
    assert not said("taken as one")


def test_cameras_tell_it_too_and_offer_the_question_that_lists_each(kit):
    bpy.ops.octree.find_seen()
    assert said("2 instances of one")
    hint_button("octree.select_in_frustum")
    bpy.ops.octree.select_in_frustum()
    assert active().count == 2


OF_CAMERAS = {
    "in view": ("find_seen", {"behind": "IGNORE"}),
    "behind": ("find_seen", {"behind": "UNSEEN", "resolution": 10}),
    "never seen": ("find_never_seen", {"views": "SHOT", "resolution": 32}),
}


@pytest.mark.parametrize("asked", OF_CAMERAS)
def test_a_panoramic_camera_is_named_and_stops_no_other(kit, asked):
    camera("Cam[Pano]", (0, 0, 9), "PANO")
    name, options = OF_CAMERAS[asked]
    ask = getattr(bpy.ops.octree, name)
    ask(cameras="ALL", **options)
    assert active().question == name
    assert said("Cam[Pano] is panoramic and was")
    button = hint_button("object.select_pattern")
    select_only(*bpy.context.scene.objects)
    bpy.ops.object.select_pattern(pattern=button.pattern, case_sensitive=True, extend=False)
    assert [item.name for item in bpy.context.selected_objects] == ["Cam[Pano]"]
    place(bpy.data.objects["Cam[Pano]"])
    for cameras in ("SCENE", "SELECTED"):
        with pytest.raises(RuntimeError, match="is a panoramic camera"):
            ask(cameras=cameras, **options)


def test_too_large_a_build_offers_what_works(empty_scene, monkeypatch):
    small, large = cube("Small"), cube("Large", location=(3, 0, 0))
    large.modifiers.new("Subdivision", "SUBSURF").levels = 3
    select_only(small)
    monkeypatch.setattr(scope, "limits", lambda: preferences.Limits(triangles=100))
    with pytest.raises(RuntimeError, match="build of whole objects, or of fewer"):
        bpy.ops.octree.build(scope="VISIBLE")
    bpy.ops.octree.build(scope="SELECTED", any_size=True)  # from here on all has been read
    asking = Redo(OCTREE_OT_build, Paper())
    asking.scope, asking.source = "VISIBLE", "TRIANGLES"
    offered = list(OCTREE_OT_build.smaller(asking, bpy.context))
    assert [text for text, _ in offered] == [
        "Whole Objects",
        "Selected Objects Only",
        "Coarse: Kept Whole, by 256",
    ]
    counts = []
    for _, options in offered:
        given = {"scope": "VISIBLE", "source": "TRIANGLES", **options}
        assert bpy.ops.octree.build(**given) == {"FINISHED"}
        built = trees.get(empty_scene)
        counts.append((built.statistics.items, built.octree.capacity))
    assert counts == [(2, 8), (12, 32), (12 + 6 * 64 * 2, 256)]
