"""What no view sees: counted by item buffers, with rays as the oracle."""

import bpy
import numpy as np
import pytest
from behind_scenes import count
from blender_scenes import (
    collection_instance,
    cube,
    link,
    mesh_object,
    scatter,
    select_only,
)
from never_seen_scenes import (
    PARTS,
    PixelRays,
    ZBuffer,
    ask,
    box_of_parts,
    glass,
    never_names,
    overhead,
    samples,
    slab,
    views,
)

from octree_ext.octree_addon.cameras import never_seen, shown_scene
from octree_ext.octree_addon.cameras.never_seen import counting, panel, report
from octree_ext.octree_addon.cameras.never_seen.report import samples_lines, samples_text
from octree_ext.octree_addon.scene_index import scene_index
from octree_ext.octree_addon.ui import settings_of

pytestmark = pytest.mark.usefixtures("in_numpy")


@pytest.mark.parametrize("renderer", [ZBuffer, PixelRays])
def test_parts_in_a_closed_box_are_never_seen_from_outside(renderer):
    box, _ = box_of_parts()
    found = samples(views(resolution=200), renderer=renderer)
    assert len(found.never) == PARTS
    assert found.objects[box.session_uid] > 0
    assert found.never_faces == 12  # of two meshes
    assert found.facts.views == 8
    assert found.facts.size == (200, 200)


def test_no_part_in_a_glass_box_is_never_seen_if_glass_is_open():
    box, _ = box_of_parts()
    box.data.materials.append(glass())
    opaque = samples(views(resolution=512))
    assert len(opaque.never) == PARTS
    assert opaque.facts.opaque == ("Glass",)
    found = samples(views(resolution=512, count=24, is_open=True))
    assert found.never == []
    assert (found.meshes[box.data.session_uid] == never_seen.OPEN).all()
    assert found.facts.opaque == ()


@pytest.mark.parametrize(
    ("values", "is_clear"),
    [
        ({}, True),
        ({"Alpha": 0.5}, True),
        ({"Roughness": 0.1, "Transmission_Weight": 0.0}, False),
    ],
)
def test_materials_that_let_light_through_are_named(values, is_clear):
    box = cube("Box")
    box.data.materials.append(glass("Pane", **values))
    assert samples().facts.opaque == (("Pane",) if is_clear else ())


def test_glass_by_the_slot_of_the_object_and_by_face():
    """Of two objects of one mesh only one has glass, on one face."""
    one = cube("One", size=2)
    other = link(bpy.data.objects.new("Other", one.data), location=(9, 0, 0))
    inner = [cube("Inner", size=0.5), cube("Hidden", size=0.5, location=(9, 0, 0))]
    for _ in range(2):
        one.data.materials.append(None)
    for face in one.data.polygons:
        face.material_index = 1
    one.material_slots[1].link = "OBJECT"
    one.material_slots[1].material = glass()
    bpy.context.view_layer.update()
    found = samples(views(resolution=256, is_open=True))
    assert found.objects[inner[0].session_uid] > 0
    assert found.never == [inner[1].session_uid]
    assert (found.own[other.session_uid] > 0).all()
    assert (found.own[one.session_uid] == never_seen.OPEN).all()
    assert (found.meshes[one.data.session_uid] == never_seen.OPEN).all()


def test_the_fast_counts_are_those_of_rays():
    """Apart from edges and ties: a pixel's center may fall on either side."""
    rng = np.random.default_rng(2)
    for number in range(12):
        cube(
            f"Cube {number}", location=rng.uniform(-2, 2, 3), rotation_euler=rng.uniform(-3, 3, 3)
        )
    bpy.context.view_layer.update()
    fast, exact = samples(renderer=ZBuffer), samples(renderer=PixelRays)
    assert fast.objects.keys() == exact.objects.keys()
    for uid, counts in exact.meshes.items():
        assert np.abs(fast.meshes[uid] - counts).sum() <= 0.02 * counts.sum()
    total = sum(exact.objects.values())
    assert total == sum(int(counts.sum()) for counts in exact.meshes.values())


def test_a_face_is_seen_if_any_user_of_its_mesh_is():
    first = slab(2)
    other = link(bpy.data.objects.new("Other", first.data), location=(-1, -1, 1))
    overhead(size=0.9, location=(0.5, 0.5, 5), rotation_euler=(0, 0, 0))
    bpy.context.view_layer.update()
    found = samples(views("SHOT"))
    # The camera sees one quad of the upper slab, which covers the lower one.
    assert (found.meshes[first.data.session_uid] > 0).tolist() == [False, False, False, True]
    assert found.never == [first.session_uid]
    other.location = (9, 9, 9)
    bpy.context.view_layer.update()
    found = samples(views("SHOT"))
    assert (found.meshes[first.data.session_uid] > 0).tolist() == [True, False, False, False]


@pytest.mark.parametrize("how", ["object", "camera", "collection"])
def test_what_a_render_does_not_show_hides_nothing(how):
    """A cutter around a part is neither in the way nor tested."""
    inner, cutter = cube("Inner"), cube("Cutter", size=3)
    helpers = bpy.data.collections.new("Helpers")
    bpy.context.scene.collection.children.link(helpers)
    helpers.objects.link(cutter)
    bpy.context.scene.collection.objects.unlink(cutter)
    bpy.context.view_layer.update()
    assert ask() == {"Inner"}
    if how == "camera":
        cutter.visible_camera = False
    else:
        (cutter if how == "object" else helpers).hide_render = True
    assert ask() == set()
    assert never_seen.get(bpy.context.scene).objects.keys() == {inner.session_uid}
    inner.hide_render = True
    if how == "object":
        with pytest.raises(RuntimeError, match="nothing to look at"):
            ask()


def holdout(walls, _):
    walls[0].is_holdout = True
    return "Wall 0"


def hidden_from_rays(walls, _):
    walls[1].visible_camera = False


def indirect_only(walls, _):
    """Let a collection be met by other rays alone, and another be a hole."""
    for wall in walls[:2]:
        part = bpy.data.collections.new(wall.name)
        bpy.context.scene.collection.children.link(part)
        part.objects.link(wall)
        bpy.context.scene.collection.objects.unlink(wall)
    layers = bpy.context.view_layer.layer_collection.children
    layers["Wall 0"].indirect_only, layers["Wall 1"].holdout = True, True
    return "Wall 1"


def instanced(walls, inner):
    inner.hide_render = True
    collection_instance([inner, walls[0]], location=(0.1, 0.1, 0.4))
    scatter(walls[2], walls[1])


def bordered(*_):
    render = bpy.context.scene.render
    render.use_border, render.resolution_percentage = True, 73
    render.border_min_x, render.border_max_y = 0.213, 0.77


def nothing(*_):
    pass


CHANGES = [nothing, holdout, hidden_from_rays, indirect_only, instanced, bordered]


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("change", CHANGES, ids=lambda it: it.__name__)
def test_samples_of_a_shot_are_the_pixels_behind_others(change, is_open, monkeypatch):
    """Both count what a render shows: all but holes, whose samples no table has."""
    monkeypatch.setattr(shown_scene, "renderer_of", ZBuffer)
    inner = cube("Inner", size=0.8, location=(1, 1, -1), rotation_euler=(1, 2, 3))
    walls = [slab(2, location=(0.4 * at, 0.2 * at, 0.5 * at)) for at in range(3)]
    for at, wall in enumerate(walls):
        wall.name = f"Wall {at}"
    walls[2].data.materials.append(glass())
    overhead(size=4, location=(1.3, 1.2, 5), rotation_euler=(0.2, 0.1, 0.3))
    bpy.context.scene.render.resolution_y = 48
    hole = change(walls, inner)
    bpy.context.view_layer.update()
    table = count(open_faces=is_open).table
    found = samples(views("SHOT", resolution=max(table.which.size), is_open=is_open))
    assert found.facts.size == table.which.size
    names = {item.session_uid: item.name for item in bpy.data.objects}
    sampled = {names[uid]: number for uid, number in found.objects.items()}
    assert sum(sampled.values()) > 400
    assert hole is None or sampled.pop(hole) > 0
    counted = dict.fromkeys(sampled, 0)
    for item, pixels in zip(table.items_of, table.pixels.visible, strict=True):
        counted[table.items.names[item]] += pixels
    assert sampled == counted
    assert found.facts.opaque == (() if is_open else ("Glass",))


def test_what_has_no_triangles_is_named():
    cube("Box")
    link(bpy.data.objects.new("Smoke", bpy.data.volumes.new("Smoke")))
    found = samples()
    assert found.facts.not_counted == ("volumes",)
    assert "not counted: volumes" in samples_text(found)
    assert "Not counted: volumes" in samples_lines(found)


def test_instances_count_for_the_mesh_that_they_show():
    inner = cube("Inner", size=0.5)
    cube("Shell", size=2)
    assert ask() == {"Inner"}
    shown = collection_instance([inner], "Instancer")
    shown.location = (8, 0, 0)
    bpy.context.view_layer.update()
    found = samples(views(resolution=128))
    assert found.objects[shown.session_uid] > 0
    assert (found.meshes[inner.data.session_uid] > 0).all()


def test_meshes_changed_by_modifiers_are_not_known_by_face():
    item = cube("Smooth", size=2)
    item.modifiers.new("Subdivision", "SUBSURF")
    moved = cube("Moved", location=(5, 0, 0))
    moved.modifiers.new("Displace", "DISPLACE").strength = 0.2
    bpy.context.view_layer.update()
    found = samples()
    assert found.changed == {item.data.session_uid}
    assert found.meshes.keys() == {moved.data.session_uid}
    assert len(found.own[item.session_uid]) == 24
    assert "1 mesh changed by modifiers" in samples_text(found)
    other = link(bpy.data.objects.new("Other", item.data), location=(9, 0, 0))
    bpy.context.view_layer.update()
    found = samples()
    assert item.data.session_uid not in found.meshes  # though the other one shows its faces
    assert len(found.own[other.session_uid]) == 6


def test_a_shot_counts_all_frames_and_restores_the_scene():
    slab(6)
    view = overhead(size=0.8, location=(0.5, 0.5, 5), rotation_euler=(0, 0, 0))
    for frame in (1, 2, 3):
        view.location.x = frame - 0.5
        view.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(2)
    bpy.ops.octree.find_never_seen(views="SHOT", span="CUSTOM", first=1, last=3, resolution=32)
    found = never_seen.get(bpy.context.scene)
    (counts,) = found.meshes.values()
    assert np.flatnonzero(counts).tolist() == [0, 1, 2]
    assert found.facts.frames == 3
    assert found.facts.views == 3
    assert bpy.context.scene.frame_current == 2


def test_the_render_border_and_the_shape_of_the_image_count():
    slab(4)
    overhead(size=4, location=(2, 2, 5), rotation_euler=(0, 0, 0))
    render = bpy.context.scene.render
    render.use_border, render.border_max_x, render.border_max_y = True, 0.5, 0.25
    found = samples(views("SHOT", resolution=20))
    assert found.facts.size == (20, 10)
    (counts,) = found.meshes.values()
    assert np.flatnonzero(counts).tolist() == [0, 1]
    assert counts[0] == counts[1] == 100


def test_places_in_a_volume_leave_out_solid_parts():
    """Inside a room there is a closed closet with something in it."""
    room = cube("Room", size=8)
    closet, thing = cube("Closet", size=3), cube("Thing", size=1)
    outside = cube("Outside", size=1, location=(9, 0, 0))
    assert ask(views="INSIDE", volume="Room", places=12) == {"Thing", "Outside"}
    closet.hide_set(True)
    thing.hide_set(True)
    assert ask(views="INSIDE", volume="Room", places=12) == {"Outside"}
    room.display_type = "WIRE"
    assert ask(views="INSIDE", volume="Room", places=12) == set()
    assert outside.name not in never_names()


def test_a_turned_volume_is_looked_around_in_as_it_lies():
    volume = link(bpy.data.objects.new("Volume", None), location=(20, 0, 0))
    volume.scale, volume.rotation_euler = (0.2, 5, 0.2), (0, 0, np.pi / 2)
    mesh_object("Wall", [(20, -9, -9), (20, 9, -9), (20, 9, 9), (20, -9, 9)], [(0, 1, 2, 3)])
    cube("Left", location=(10, 0, 0))
    cube("Right", location=(30, 0, 0))
    bpy.context.view_layer.update()
    assert ask(views="INSIDE", volume="Volume", places=4) == set()
    volume.location.x = 13
    volume.scale.y = 1
    bpy.context.view_layer.update()
    assert ask(views="INSIDE", volume="Volume", places=4) == {"Right"}


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"views": "INSIDE"}, "Choose the volume"),
        ({"views": "INSIDE", "volume": "Nobody"}, "no object named Nobody"),
        ({"views": "INSIDE", "volume": "Tiny"}, "inside of solid parts"),
        ({"views": "SHOT"}, "no camera"),
        ({"views": "SHOT", "cameras": "ALL"}, "no camera"),
    ],
)
def test_reasons_why_nothing_is_found(values, reason):
    cube("Big", size=4)
    link(bpy.data.objects.new("Tiny", None), empty_display_size=0.1)
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match=reason):
        ask(**values)
    assert never_seen.get(bpy.context.scene) is None


def test_an_empty_scene_is_a_reason():
    with pytest.raises(RuntimeError, match="nothing to look at"):
        ask()


def test_edit_mode_is_asked_as_it_is_there():
    item = cube("Shell", size=4)
    cube("Inner")
    select_only(item)
    bpy.ops.object.mode_set(mode="EDIT")
    assert ask() == {"Inner"}
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.delete(type="ONLY_FACE")
    assert ask() == set()
    bpy.ops.object.mode_set(mode="OBJECT")


def test_the_report_tells_the_views_and_the_saturation(capfd):
    box_of_parts(4)
    ask()
    text = capfd.readouterr().out
    assert "4 of 5 objects and 12 of 18 faces never seen in 12 views from outside" in text
    assert "256 x 256 pixels each; the last tenth of them added 0 % of the seen faces" in text
    found = never_seen.get(bpy.context.scene)
    said = ["4 of 5 objects never seen", "12 of 18 faces never seen"]
    assert report.never_lines(found) == said
    assert samples_lines(found)[0] == "12 views, 256 x 256 pixels"


def test_saturation_is_what_the_last_tenth_added():
    tally = counting.Tally()
    tally.grow(6)
    tally.settle()
    for view, numbers in enumerate([[0, 0], [1], [2], [5, 0]]):
        tally.add(np.array(numbers), view)
    assert tally.added_since(3) == 0.25
    assert tally.added_since(0) == 1.0
    assert tally.counts.tolist() == [3, 1, 1, 0, 0, 1]
    assert counting.Tally().added_since(0) == 0.0


def test_the_settings_are_kept_and_the_result_can_be_asked_again():
    box_of_parts(3)
    ask(directions=9, resolution=200)
    settings = settings_of(bpy.context.scene)
    assert (settings.never_seen.directions, settings.never_seen.resolution) == (9, 200)
    assert [(each.name, each.count) for each in settings.results.kept] == [("Never Seen", 3)]
    bpy.data.objects["Part 0"].location = (20, 0, 0)
    assert bpy.ops.octree.refresh_result() == {"FINISHED"}
    assert never_names() == {"Part 1", "Part 2"}
    assert settings.results.kept[0].count == 2


def test_a_step_later_the_scene_may_not_have_changed():
    box_of_parts(3)
    steps = never_seen.samples_steps(bpy.context, views())
    while next(steps) < 0.5:
        pass
    bpy.data.objects["Part 0"].location.x += 1
    bpy.context.view_layer.update()
    scene_index()
    with pytest.raises(ValueError, match="changed meanwhile"):
        list(steps)


def screw_beside(case_size=10.0, **values):
    """Return a screw of 1 mm in the open, beside a closed case with parts in it."""
    case = cube("Case", size=case_size)
    cube("Part", size=case_size / 10, location=(1, 1, 1))
    return case, cube("Screw", size=1e-3, location=(0.4 * case_size, 5.7, 5.3), **values)


def results_of(scene):
    return {each.name: each.count for each in settings_of(scene).results.kept}


@pytest.mark.parametrize("how", ["own", "joined", "instanced"])
@pytest.mark.parametrize("views", ["OUTSIDE", "SHOT"])
def test_a_screw_in_the_open_is_too_small_to_tell(empty_scene, how, views):
    _, screw = screw_beside()
    overhead(size=20, location=(0, 0, 20), rotation_euler=(0, 0, 0))
    if how == "instanced":
        screw = collection_instance([screw], "Screws", location=(0.12, 0.01, 0))
    if how == "joined":
        plate = cube("Plate", size=2, location=(0, 9, 0))
        with bpy.context.temp_override(
            active_object=plate, selected_editable_objects=[plate, screw]
        ):
            bpy.ops.object.join()
        screw = plate
    bpy.context.view_layer.update()
    never = ask(views=views, resolution=300)
    found = never_seen.get(empty_scene)
    assert never == {"Part"}
    if how == "joined":
        assert found.small_objects == frozenset()
        assert (found.own[screw.session_uid][6:] == never_seen.TOO_SMALL).all()
        return
    assert found.small_objects == {screw.session_uid}
    assert results_of(empty_scene) == {"Too Small to Tell": 1, "Never Seen": 1}
    if how == "own":
        assert (found.own[screw.session_uid] == never_seen.TOO_SMALL).all()
        assert found.small_faces == 6 + 4 * (views == "SHOT")  # sides of the case, edge-on
        text = f"1 object, {found.small_faces} faces"
        assert f"too small to tell: {text}" in samples_text(found)
        lines = [f"1 object, {found.small_faces} faces too small to tell"]
        assert report.never_lines(found)[2:] == lines


def test_what_is_hidden_is_never_seen_however_small_it_is(empty_scene):
    cube("Case", size=10)
    for number, size in enumerate((1e-4, 1e-2, 1.0)):
        cube(f"Part {number}", size=size, location=(number, 1, 1))
    bpy.context.view_layer.update()
    assert ask(resolution=100) == {"Part 0", "Part 1", "Part 2"}
    assert results_of(empty_scene) == {"Never Seen": 3}


def test_groups_that_are_far_apart_are_looked_at_by_themselves(empty_scene):
    cube("Case", size=2)
    cube("Inner", size=0.5)
    cube("Moon", size=100, location=(0, 3e5, 0))
    cube("Core", size=20, location=(0, 3e5, 0))
    bpy.context.view_layer.update()
    assert ask(resolution=64, directions=7) == {"Inner", "Core"}
    found = never_seen.get(empty_scene).facts
    assert (found.views, found.groups) == (14, 2)
    assert np.allclose(found.pixels, (2 * 3**0.5 / 64, 100 * 3**0.5 / 64), rtol=1e-6)
    assert report.pixel_text(empty_scene, found) == "A pixel is 5.413 cm to 2.706 m"
    ask(resolution=64, views="INSIDE", volume="Case", places=1)
    assert report.pixel_text(empty_scene, never_seen.get(empty_scene).facts) == (
        "A pixel is 3.1 % of the distance"
    )


def test_the_hint_leaves_out_what_makes_pixels_large(empty_scene):
    """A ground of 30 km touches a house, and has no group of its own."""
    house = cube("House", size=8, location=(0, 0, 4.1))
    cube("Thing", size=2, location=(1, 1, 3))
    cube("Handle", size=0.3, location=(4.2, 0, 3))
    cube("Ground", size=3e4, scale=(1, 1, 1e-6))
    bpy.context.view_layer.update()
    assert "House" not in ask(resolution=128)
    found = never_seen.get(empty_scene)
    small = {item.name for item in bpy.data.objects if item.session_uid in found.small_objects}
    assert {"House", "Handle"} <= small
    (hint,) = panel.stretching_hints(empty_scene, found)
    assert hint.text.startswith("Without Ground a pixel is 3,0")
    assert dict(hint.options) == {"without": "Ground"}
    assert getattr(bpy.ops, hint.operator.split(".")[0]).find_never_seen(**hint.options) == {
        "FINISHED"
    }
    found = never_seen.get(empty_scene)
    assert never_names() == {"Thing"}
    assert found.objects[house.session_uid] > 0
    assert bpy.data.objects["Ground"].session_uid not in found.objects
    assert settings_of(empty_scene).never_seen.without.name == "Ground"
    assert not [*panel.stretching_hints(empty_scene, found)]
    with pytest.raises(RuntimeError, match="no object named Nobody"):
        ask(without="Nobody")
