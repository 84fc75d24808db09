"""Each part of the demo runs, but for the rendering, and leaves the user's file alone."""

import json
import re
import tarfile
from pathlib import Path

import bpy
import numpy as np
import pytest

from demo import (
    cutting,
    extension,
    findings,
    forest,
    questions,
    report,
    scene,
    shelf,
    show,
    tiles,
    walk,
    woods,
)


@pytest.fixture(autouse=True)
def checkout_for_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the demo use the extension that the tests have registered."""
    monkeypatch.setattr(extension, "MODULE", "octree_ext")


@pytest.fixture
def monkey_file(tmp_path: Path) -> Path:
    """Save a file with a monkey, a text and a camera; edit mode is on, as users leave it."""
    bpy.ops.object.text_add(location=(3, 0, 0))
    bpy.ops.object.camera_add(location=(0, -8, 0), rotation=(np.pi / 2, 0, 0))
    bpy.context.scene.camera = bpy.context.object
    bpy.ops.mesh.primitive_monkey_add()
    bpy.ops.object.mode_set(mode="EDIT")
    path = tmp_path / "users" / "monkey.blend"
    path.parent.mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def test_kurt_millers_figure_holds_on_the_walk() -> None:
    room = scene.room()
    built = questions.build(room.objects)
    assert 19_000 <= built.source.item_count <= 21_000
    places = walk.places(room.stops, built.octree.items, scene.ENTITY_RADIUS)
    assert places.shape == (200, 3)
    assert questions.touched_objects(built, places, scene.ENTITY_RADIUS) >= set(scene.LANDMARKS)
    found = questions.of_entity(built, places, scene.ENTITY_RADIUS)
    assert 10 <= found["candidates"]["median"] <= 60
    assert found["places_checked"] == 200


def test_the_users_file_is_only_read(monkey_file: Path, tmp_path: Path) -> None:
    before = monkey_file.read_bytes(), monkey_file.stat().st_mtime_ns
    found = show.run(tmp_path / "out", monkey_file, with_picture=False)
    assert (monkey_file.read_bytes(), monkey_file.stat().st_mtime_ns) == before
    assert list(monkey_file.parent.iterdir()) == [monkey_file]
    assert found["camera"]["selected_objects"]
    written = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert written == ["monkey_octree.blend", "report.json"]


def test_the_copy_never_takes_the_place_of_the_users_file(monkey_file: Path) -> None:
    own = monkey_file.rename(monkey_file.with_name("room.blend"))
    before = own.read_bytes()
    show.run(own.parent, own, with_picture=False)
    assert own.read_bytes() == before


def test_the_forest_is_planted_in_three_ways_and_asked(tmp_path: Path) -> None:
    found = woods.run(tmp_path, with_picture=False)
    assert (found["placements"], found["meshes"]) == (forest.COUNT + 1, 4)
    assert found["stored_triangles"] < found["triangles"] / 10
    assert 300 < found["camera"]["objects"] < 600
    assert found["rays"]["objects"] <= found["camera"]["objects"]
    selected = {item.type for item in bpy.context.selected_objects}
    assert selected == {"MESH", "EMPTY"}
    assert f"{found['camera']['objects']} of them" in "\n".join(report.of_forest(found))
    assert [path.name for path in tmp_path.iterdir()] == ["forest.blend"]


def test_the_shelf_is_filled_without_an_overlap(tmp_path: Path) -> None:
    found = shelf.run(tmp_path, with_picture=False)
    assert found["overlaps"]["before"] > 0
    assert found["overlaps"]["after"] == 0
    assert found["copies"] > 3
    assert "overlap" in report.of_shelf(found)
    assert [path.name for path in tmp_path.iterdir()] == ["shelf.blend"]


def test_the_workshop_has_one_of_each_wrong(tmp_path: Path) -> None:
    found = findings.run(tmp_path, with_picture=False)
    known = {(each["class"], frozenset(each["objects"])) for each in found["findings"]}
    assert known == {
        ("overlap", frozenset(("Beam", "Pipe"))),
        ("overlap", frozenset(("Beam", "Pipe 2"))),
        ("overlap", frozenset(("Floor", "Sunken Crate"))),
        ("contained", frozenset(("Cabinet", "Forgotten"))),
        ("duplicate", frozenset(("Bust", "Bust 2"))),
        ("coplanar same-facing", frozenset(("Poster", "Poster 2"))),
        ("near", frozenset(("Barrel", "Barrel.001"))),
    }
    assert {name for name, _ in known} == set(findings.COLORS)
    page = "\n".join(report.of_audit(found))
    assert "Barrel / Barrel.001" in page and "20 mm apart" in page
    assert (tmp_path / "workshop.blend").is_file()


def test_the_room_is_cut_within_its_budget_and_put_back() -> None:
    room = scene.room()
    names = {item.name for item in bpy.data.objects}
    found = cutting.run("room", 1_000)
    assert found["most"] <= 1_000
    assert found["cells"] > 10
    assert {item.name for item in bpy.data.objects} == names
    assert all(item.visible_get() for item in room.objects)


def test_tiles_come_with_or_without_their_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.room()
    monkeypatch.setattr(tiles.shutil, "which", lambda _: None)
    found = tiles.run("room", tmp_path / "tiles", 5_000)
    assert (tmp_path / "tiles" / "tileset.json").is_file()
    assert found["tiles"] > 3
    assert "\n".join(report.of_tiles(found)).endswith(
        "Without a page that shows them: there is no npm."
    )
    assert not (tmp_path / "tiles" / "index.html").exists()


def test_only_the_viewer_that_is_pinned_is_unpacked(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("1")
    with tarfile.open(tmp_path / "a.tgz", "w:gz") as archive:
        archive.add(tmp_path / "a.js", "package/build/a.js")
    for wanted, _ in tiles.VIEWER.values():
        with pytest.raises(ValueError, match="another hash"):
            tiles.unpack(tmp_path / "a.tgz", wanted, ("build/a.js",), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    known = tiles.hash_of((tmp_path / "a.tgz").read_bytes())
    tiles.unpack(tmp_path / "a.tgz", known, ("build/a.js",), tmp_path / "out")
    assert (tmp_path / "out" / "build" / "a.js").read_text() == "1"


def test_the_page_asks_nobody_else() -> None:
    page = tiles.PAGE.read_text()
    assert "http://" not in page and "https://" not in page
    (listed,) = re.findall(r'importmap">(.*?)</script>', page, re.DOTALL)
    files = {
        f"./viewer/{spec.partition('@')[0]}/{name}"
        for spec, (_, names) in tiles.VIEWER.items()
        for name in names
    }
    for place in json.loads(listed)["imports"].values():
        assert any(name.startswith(place) for name in files)
