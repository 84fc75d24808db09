"""The counts that stand with the buttons of Never Seen are those of what they do, by reason."""

import bpy
import numpy as np
import pytest
from blender_scenes import cube, link, selected
from never_seen_scenes import ask, box_of_parts, overhead, slab
from paper import drawn, said

from octree_ext.octree_addon.answers.kept import active_result
from octree_ext.octree_addon.cameras import never_seen
from octree_ext.octree_addon.cameras.never_seen.forecast import forecast_of
from octree_ext.octree_addon.cameras.never_seen.report import percent, samples_text
from octree_ext.octree_addon.ui import plural, settings_of

pytestmark = pytest.mark.usefixtures("in_numpy")


def add_scene():
    """Add a slab of which one quad is seen, parts of two meshes, a seen user of one."""
    item = slab(6)
    overhead(size=0.8, location=(0.5, 0.5, 5), rotation_euler=(0, 0, 0))
    rng = np.random.default_rng(3)
    parts = [cube(name, size=0.2, location=(-4, -4, -4)) for name in ("Hidden", "Shared")]
    for number, mesh in enumerate([parts[0].data, parts[1].data, parts[0].data]):
        link(bpy.data.objects.new(f"Part {number}", mesh), location=rng.uniform(-3, -2, 3))
    link(bpy.data.objects.new("In View", parts[1].data), location=(0.3, 0.3, 1))
    thick = slab(2, location=(0, 0, -2))
    thick.name = "Thick"
    thick.modifiers.new("Solid", "SOLIDIFY")
    bent = slab(3, location=(0.6, 0.6, 0.5))
    bent.name, bent.scale = "Bent", (0.2, 0.2, 0.2)
    bent.modifiers.new("Solid", "SOLIDIFY")
    material = bpy.data.materials.new("Precious")
    item.data.materials.append(material)
    item.data.materials.append(bpy.data.materials.new("Plain"))
    for face in item.data.polygons[:20]:
        face.material_index = 1
    bpy.context.view_layer.update()
    assert ask(views="SHOT") >= {"Hidden", "Shared", "Thick"}
    return material


SETTINGS = [
    {"rings": 0},
    {"rings": 1},
    {"rings": 9},
    {"rings": 0, "least": 50},
    {"rings": 0, "material": True},
    {"rings": 1, "material": True},
    {"rings": 1, "modifiers": "APPLY"},
    {"rings": 0, "modifiers": "APPLY", "whole": "COPY"},
]


@pytest.fixture(params=SETTINGS, ids=str)
def settings(request):
    material = add_scene()
    found = settings_of(bpy.context.scene).never_seen
    for name, value in request.param.items():
        setattr(found, name, material if name == "material" else value)
    found.originals = "KEEP"
    return found


def test_copies_lack_what_was_said(settings, capfd):
    expected = forecast_of(bpy.context).copies
    lines = drawn(bpy.types.OCTREE_PT_results)
    before = {mesh.session_uid: len(mesh.polygons) for mesh in bpy.data.meshes}
    originals = bpy.data.meshes.values()
    capfd.readouterr()
    bpy.ops.octree.copy_never_seen()
    text = capfd.readouterr().out
    copies = bpy.data.collections["Seen"].objects
    assert len(copies) == expected["copied"]
    made = {each.data for each in copies}
    assert made.isdisjoint(originals)
    if not expected["applied"]:
        users = {bpy.data.objects[each.name.rpartition(".")[0]].data for each in copies}
        lost = sum(before[mesh.session_uid] for mesh in users)
        lost -= sum(len(mesh.polygons) for mesh in made)
        assert lost == expected["faces"]
    noun = "face" if expected["faces"] == 1 else "faces"
    assert f"Deletes {expected['faces']:,} {noun}" in lines
    assert f"copied into Seen without {expected['faces']:,} {noun} and " in text
    assert f" and {expected['left_out']} object" in text
    assert (f"; modifiers applied in {expected['applied']}" in text) == bool(expected["applied"])


def test_what_is_not_dropped_is_told_by_reason(settings, capfd):
    found = never_seen.get(bpy.context.scene)
    kept, copies, *_ = forecast_of(bpy.context)
    unseen = sum(int((counts < settings.least).sum()) for counts in found.meshes.values())
    assert unseen == kept.face_count + sum(kept.saved.values())
    if not copies["applied"]:
        assert kept.face_count == copies["faces"] + copies["gone_along"]
    lines = drawn(bpy.types.OCTREE_PT_results)
    assert f"{found.never_faces:,} of {found.face_count:,} faces never seen" in lines
    is_all = kept.face_count == found.never_faces
    taken = f"{kept.face_count:,} face{'s' * (kept.face_count != 1)} to take away"
    assert (taken in lines) != is_all
    bpy.ops.octree.copy_never_seen()
    text = capfd.readouterr().out
    for reason, count in kept.saved.items():
        assert f"{count:,} kept by {reason.capitalize()}" in lines
        assert f"{count:,} by {reason}" in text


def test_selecting_takes_what_was_said(settings):
    kept = forecast_of(bpy.context).kept
    bpy.ops.octree.select_never_seen(kind="OBJECTS")
    assert len(selected()) == len(kept.never)
    assert f"{len(kept.never)} of" in " ".join(drawn(bpy.types.OCTREE_PT_results))
    bpy.ops.octree.select_never_seen(kind="FACES")
    known = [mesh for mesh in bpy.data.meshes if mesh.session_uid in kept.meshes]
    chosen = sum(face.select for mesh in known for face in mesh.polygons)
    assert chosen == kept.face_count


def test_buttons_count_what_they_do_and_hide_tells_the_rest_by_reason(settings, capfd):
    hiding, scene = settings_of(bpy.context.scene).hiding, bpy.context.scene
    hiding.protect = bpy.data.collections.new("Precious")
    hiding.protect.objects.link(scene.objects["Thick"])
    bpy.data.objects["Hidden"].hide_set(True)
    forecast = forecast_of(bpy.context)
    assert dict(forecast.stay) == {"hidden already": 1, "protected": 1}
    lines = drawn(bpy.types.OCTREE_PT_results)
    assert "Hide leaves 1 protected" in lines
    assert lines["octree.hide_never_seen"] == f"Hide ({forecast.hidden})"
    assert lines["octree.collect_never_seen"] == f"Collect ({len(forecast.kept.never)})"
    bpy.ops.octree.mask_never_seen()
    said = capfd.readouterr().out
    assert f"{plural(forecast.masked['faces'], 'face')} of" in said
    bpy.ops.octree.unmask_never_seen()
    before = len([item for item in scene.objects if item.visible_get()])
    bpy.ops.octree.hide_never_seen()
    after = len([item for item in scene.objects if item.visible_get()])
    assert before - after == forecast.hidden > 0
    assert forecast_of(bpy.context).hidden == 0


def test_a_forecast_follows_settings_and_answers():
    box_of_parts(4)
    ask()
    first = forecast_of(bpy.context)
    assert forecast_of(bpy.context) is first
    settings_of(bpy.context.scene).never_seen.rings = 0
    assert forecast_of(bpy.context) is not first
    second = forecast_of(bpy.context)
    ask(result="Again")
    assert forecast_of(bpy.context) is not second


def test_a_distance_is_counted_by_the_buttons_alone(capfd):
    """It takes a question of its own, which a panel does not ask."""
    add_scene()
    settings_of(bpy.context.scene).never_seen.distance = 2.0
    assert forecast_of(bpy.context) is None
    assert not any("more kept" in line for line in drawn(bpy.types.OCTREE_PT_results))
    bpy.ops.octree.copy_never_seen(originals="KEEP")
    assert " by distance" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (0, "0 %"),
        (1e-9, "0.01 %"),
        (0.0123, "1.2 %"),
        (0.5, "50 %"),
        (0.9996, "100 %"),
        (1, "100 %"),
    ],
)
def test_percent_are_written_in_digits(part, text):
    assert percent(part) == text


def test_where_nothing_would_be_left_it_is_said():
    cube("Cube")
    overhead(location=(90, 90, 5))
    ask(views="SHOT")
    assert "Nothing would be left" in drawn(bpy.types.OCTREE_PT_results)
    with pytest.raises(RuntimeError, match="Nothing would be left"):
        bpy.ops.octree.copy_never_seen()


def test_one_number_of_what_is_never_seen(settings):
    """The report, the panel, and the rows of the list have it, whatever the buttons will keep."""
    found, scene = never_seen.get(bpy.context.scene), bpy.context.scene
    result = active_result(scene)
    lines, labels = zip(*said(bpy.types.OCTREE_PT_results), strict=True)
    objects = f"{result.count:,} of {len(found.objects):,} objects never seen"
    faces = f"{found.never_faces:,} of {found.face_count:,} faces never seen"
    assert result.count == len(found.never)
    assert objects in lines and faces in lines
    assert samples_text(found).startswith(f"{objects.removesuffix(' never seen')} and {faces}")
    kept = forecast_of(bpy.context).kept
    for label, count in (("Select Objects", len(kept.never)), ("Select Faces", kept.face_count)):
        assert f"{label} ({count:,})" in labels
    for noun, count, never in (
        ("object", len(kept.never), result.count),
        ("face", kept.face_count, found.never_faces),
    ):
        told = f"{count:,} {noun}{'s' * (count != 1)} to take away"
        assert (told in lines) == (count != never)
