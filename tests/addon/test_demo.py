"""The demo's room, its walk and its care for the user's file; the rendering is left out."""

from pathlib import Path

import bpy
import numpy as np
import pytest

from demo import (
    brute_force,
    checks,
    extension,
    findings,
    forest,
    picture,
    questions,
    report,
    scene,
    show,
    user_file,
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


def test_the_room_is_what_its_description_says() -> None:
    room = scene.room()
    copies = [bpy.data.objects[name] for name in scene.COPIES]
    assert {item.data.users for item in copies} <= {2, 3}
    assert any(item.matrix_world.is_negative for item in copies)
    assert any(len(set(item.scale)) == 3 for item in copies)
    assert bpy.data.objects["Torus"].location.x < 0 < bpy.data.objects["Sphere"].location.x
    assert bpy.data.objects["Entity"] not in room.objects
    for name in scene.SHELL:
        panel = bpy.data.objects[name].data
        towards_middle = np.array((0, 0, scene.SIZE.z / 2)) - panel.polygons[0].center
        assert np.dot(panel.polygons[0].normal, towards_middle) > 0


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


def test_steps_are_even() -> None:
    stops = np.array([[0.0, 0, 0], [3, 0, 0], [3, 1, 0]])
    steps = walk.even_steps(stops, 5)
    assert steps.tolist() == [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [3, 1, 0]]


def test_brute_force_knows_corners_edges_faces_and_points() -> None:
    triangle = np.array([[0.0, 0, 0], [2, 0, 0], [0, 2, 0]])
    corners = np.array([triangle, np.zeros((3, 3))])
    ask = brute_force.triangles_in_sphere
    assert ask(corners, np.array([0.5, 0.5, 1.0]), 1.0).tolist() == [0]
    assert ask(corners, np.array([2.0, 2, 0]), 1.0).tolist() == []
    assert ask(corners, np.array([-1.0, 0, 0]), 1.0).tolist() == [0, 1]


def test_brute_force_knows_what_passes_the_edge_of_a_frustum() -> None:
    cube = np.array([[-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]] * 2, float)
    cube[4:, 2] = -1
    beside = np.array([[0.0, 2.1, 0], [2.1, 0, 0], [3, 3, 0]])
    corners = beside - np.array([[[0, 0, 0]], [[0.2, 0.2, 0]], [[2, 2, 0]]])
    assert brute_force.triangles_in_frustum(corners, cube).tolist() == [1, 2]


def test_a_rim_is_where_rounding_decides() -> None:
    corners = np.array([[[1.0, 0, 0], [1, 1, 0], [1, 0, 1]]])
    center = np.zeros(3)

    def ask(slack: float) -> np.ndarray:
        return brute_force.triangles_in_sphere(corners, center, 1 - 1e-15 + slack)

    assert checks.agrees(np.array([0]), ask, 1e-9)
    assert checks.agrees(np.array([], int), ask, 1e-9)
    assert not checks.agrees(np.array([], int), lambda slack: ask(slack + 1), 1e-9)


def test_only_what_spans_the_room_is_backdrop() -> None:
    room = scene.room()
    built = questions.build(room.objects)
    source = built.source
    owners = np.unique(source.object_of_item[picture.backdrop_triangles(built)])
    assert {source.objects[owner].name for owner in owners} == set(scene.SHELL)


def test_deep_cells_are_shown_by_the_cell_above() -> None:
    octree = questions.build(scene.room().objects).octree
    shown = picture.cells_down_to(octree, np.arange(len(octree.node_depth)), 3)
    assert shown.tolist() == np.flatnonzero(octree.node_depth <= 3).tolist()


def test_the_users_file_is_only_read(monkey_file: Path, tmp_path: Path) -> None:
    before = monkey_file.read_bytes(), monkey_file.stat().st_mtime_ns
    found = show.run(tmp_path / "out", monkey_file, with_picture=False)
    assert (monkey_file.read_bytes(), monkey_file.stat().st_mtime_ns) == before
    assert list(monkey_file.parent.iterdir()) == [monkey_file]
    assert found["camera"]["selected_objects"]
    written = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert written == ["monkey_octree.blend", "report.json"]


@pytest.mark.parametrize("camera", ["none", "a lamp", "panoramic"])
def test_without_a_frustum_only_the_walk_is_asked(
    monkey_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture, camera: str
) -> None:
    bpy.ops.object.mode_set(mode="OBJECT")
    if camera == "none":
        bpy.context.scene.camera = None
    elif camera == "a lamp":
        bpy.ops.object.light_add()
        bpy.context.scene.camera = bpy.context.object
    else:
        bpy.context.scene.camera.data.type = "PANO"
    bpy.ops.wm.save_mainfile()
    found = show.run(tmp_path / "out", monkey_file, with_picture=False)
    assert "camera" not in found and found["entity"]["places"] == 200
    assert "no perspective or orthographic camera" in capsys.readouterr().out


def test_the_copy_never_takes_the_place_of_the_users_file(monkey_file: Path) -> None:
    own = monkey_file.rename(monkey_file.with_name("room.blend"))
    before = own.read_bytes()
    show.run(own.parent, own, with_picture=False)
    assert own.read_bytes() == before


@pytest.mark.parametrize("missing", ["nothing.blend", "."])
def test_what_is_no_file_ends_with_a_sentence(tmp_path: Path, missing: str) -> None:
    with pytest.raises(SystemExit, match="There is no file"):
        user_file.opened(tmp_path / missing)


def test_a_file_that_is_no_scene_ends_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "text.blend").write_text("not a scene")
    with pytest.raises(SystemExit, match="cannot be opened"):
        user_file.opened(tmp_path / "text.blend")


def test_an_empty_scene_ends_with_a_sentence(tmp_path: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "empty.blend"))
    with pytest.raises(SystemExit, match="no object with faces"):
        user_file.opened(tmp_path / "empty.blend")


def test_a_newer_file_is_announced() -> None:
    assert "5.2" in user_file.newer("a.blend", (5, 2, 0), (5, 0, 1))
    assert user_file.newer("a.blend", (4, 2, 0), (5, 0, 1)) == ""


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


def test_trees_of_the_forest_keep_their_distance() -> None:
    places = forest.forest().places
    away = np.linalg.norm(places[:, None, :2] - places[None, :, :2], axis=2)
    assert away[~np.eye(len(places), dtype=bool)].min() >= forest.SPACING[0]
    assert np.array_equal(places, forest.forest().places)


def test_brute_force_knows_which_triangles_an_edge_passes() -> None:
    flat = np.array([[[0.0, 0, 0], [4, 0, 0], [0, 4, 0]]])
    upright = np.array([[[1.0, 1, -1], [1, 1, 1], [2, 1, 1]], [[3, 3, -1], [3, 3, 1], [4, 3, 1]]])
    assert brute_force.triangles_that_touch(flat, upright).tolist() == [[0], [0]]
    starts, steps = np.array([[1.0, 1, 2], [5, 5, 2]]), np.array([[0.0, 0, -4]] * 2)
    assert brute_force.shares_along(starts, steps, flat).tolist() == [[0.5], [np.inf]]


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


def test_each_finding_of_the_workshop_has_its_color(tmp_path: Path) -> None:
    findings.run(tmp_path, with_picture=False)
    looked = extension.part("octree_addon.clash.auditing").without_rules(bpy.context.scene)
    octree = looked.target.octree
    placed = octree.triangles_of(octree.ids)
    shades = findings.painted(looked.found, octree, placed.vertices.copy(), placed.faces)
    shown = {findings.PLACES[shade] for shade in np.unique(shades)}
    assert shown >= {"Dim", "Glass", *findings.COLORS}
    assert np.count_nonzero(shades == 0) > 100
