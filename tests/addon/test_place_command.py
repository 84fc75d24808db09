"""`blender --command octree place`: another file, what moved as JSON, and exit codes."""

import json
from pathlib import Path

import bpy
import pytest
from blender_scenes import cube

from octree_ext.octree_addon.command_line import main


def octree(*words):
    return main([str(word) for word in words])


@pytest.fixture
def blend(empty_scene, tmp_path):
    """Save a floor, two boxes above it in a collection, and two that overlap."""
    empty_scene.unit_settings.scale_length = 0.5
    props = bpy.data.collections.new("Props")
    empty_scene.collection.children.link(props)
    cube("Floor", 10, location=(0, 0, -5))
    for name, height in (("Low", 2), ("High", 4)):
        item = cube(name, location=(0, 0, height))
        empty_scene.collection.objects.unlink(item)
        props.objects.link(item)
    cube("One", location=(4, 0, 8)), cube("Other", location=(4.75, 0.125, 8.25))
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    image = bpy.data.images.new("Paint", 8, 8)
    image.filepath_raw, image.file_format = str(tmp_path / "in" / "paint.png"), "PNG"
    image.save()
    image.filepath, image.use_fake_user = "//paint.png", True
    path = tmp_path / "in" / "house.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out" / "placed.blend"


def places(path):
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return {item.name: tuple(item.location) for item in bpy.data.objects}


def test_a_collection_is_dropped_into_another_file(blend, out, tmp_path, capsys):
    before, told = blend.read_bytes(), tmp_path / "moved.json"
    assert octree("place", blend, "--drop", "Props", "--out", out, "--json", told) == 0
    assert "2 objects placed, 0 left" in capsys.readouterr().out
    assert blend.read_bytes() == before
    said = json.loads(told.read_text())
    assert (said["format"], said["file"], said["unit"]) == ("octree-place", "house.blend", "m")
    low, high = sorted(said["moved"], key=lambda each: each["onto"])
    assert (low["object"], low["onto"], high["object"], high["onto"]) == (
        "Low", "Floor", "High", "Low",
    )  # fmt: skip
    assert low["move"] == pytest.approx([0, 0, -0.75], abs=1e-6)  # meters
    found = places(out)
    assert found["Low"][2] == pytest.approx(0.5, abs=1e-6)
    assert found["High"][2] == pytest.approx(1.5, abs=1e-6)
    assert Path(bpy.path.abspath(bpy.data.images["Paint"].filepath)).is_file()
    assert {each.name for each in out.parent.iterdir()} == {"placed.blend"}


def test_overlaps_are_pushed_apart(blend, out, tmp_path):
    assert (
        octree("place", blend, "--push-apart", "--axes", "x", "--gap", "0.125", "--out", out) == 0
    )
    found = places(out)
    assert found["Other"][0] - found["One"][0] == pytest.approx(1.25, abs=1e-5)
    assert found["Other"][1:] == pytest.approx((0.125, 8.25))
    assert octree("audit", out, "--fail-on", "overlap") == 0


def test_a_surface_is_filled(blend, out, tmp_path):
    told = tmp_path / "moved.json"
    words = ("--fill", "Floor", "--of", "Props", "--count", "5", "--tries", "200", "--seed", "3")
    assert octree("place", blend, *words, "--out", out, "--json", told) == 0
    assert len(json.loads(told.read_text())["moved"]) == 5
    assert len(places(out)) == 10
    assert octree("place", blend, *words, "--count", "5000", "--out", out, "--json", told) == 1
    said = json.loads(told.read_text())
    assert said["refused"]["too near another copy"] > 0
    assert said["left"][0]["object"].endswith("more")


def test_what_is_left_is_said_and_fails(blend, out, capsys):
    bpy.data.objects["Low"].lock_location = (True, True, True)
    bpy.ops.wm.save_mainfile()
    assert octree("place", blend, "--drop", "Props", "--out", out) == 1
    assert "Low: locked" in capsys.readouterr().out
    assert places(out)["High"][2] == pytest.approx(3, abs=1e-6)  # 2.5, and half a box


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--drop", "Nothing"), 2),
        (("--fill", "Nothing", "--of", "Props"), 2),
        (("--fill", "Floor"), 2),
        (("--push-apart", "--axes", "w"), 2),
        (("--push-apart", "--drop", "Props"), 2),
        (("--drop", "Props", "--gap", "-1"), 2),
        ((), 2),
    ],
)
def test_what_cannot_be_done_writes_nothing(words, code, blend, out, capsys):
    assert octree("place", blend, *words, "--out", out) == code
    assert not out.exists()
    assert capsys.readouterr().err


def test_the_source_is_never_written(blend, tmp_path, capsys):
    before = blend.read_bytes()
    for place in (blend, blend.parent / ".." / "in" / "house.blend", tmp_path / "placed.txt"):
        assert octree("place", blend, "--drop", "Props", "--out", place) == 2
    assert octree("place", blend, "--drop", "Props", "--out", tmp_path / "no" / "a.blend") == 2
    assert blend.read_bytes() == before
    assert capsys.readouterr().err
