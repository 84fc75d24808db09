"""What the benchmarks stand on: the scenes, the scan, the verdicts."""

from collections.abc import Iterator

import bpy
import numpy as np
import pytest

import octree_ext
from benchmarks import scan, scene_rows, scenes, seen_rows, table, worlds
from benchmarks.peers import moves, ours, ours_paired, ours_rebuilt


@pytest.mark.parametrize("triangles", [2_000, 20_000])
def test_a_landscape_has_about_as_many_triangles_as_wanted(triangles: int) -> None:
    mesh = scenes.landscape(triangles)
    assert len(mesh) == pytest.approx(triangles, rel=0.03)
    assert np.array_equal(np.unique(mesh.faces), np.arange(len(mesh.vertices)))


def test_blender_is_given_the_same_triangles() -> None:
    mesh = scenes.landscape(2_000)
    vertices, faces = scenes.textbook_arrays(scenes.blender_object(mesh).data)
    assert np.array_equal(vertices, mesh.vertices)
    assert np.array_equal(faces, mesh.faces)


@pytest.mark.parametrize("share", [0.05, 0.5])
def test_the_scan_finds_what_the_camera_sees(share: float) -> None:
    mesh = scenes.landscape(20_000)
    corners = scan.corners_of(mesh.vertices, mesh.faces)
    matrix = scenes.camera_seeing(share, corners)
    found = scan.touching(corners, scenes.planes_of(matrix))
    assert len(found) / len(mesh) == pytest.approx(share, abs=0.005)
    clip = np.pad(mesh.vertices, ((0, 0), (0, 1)), constant_values=1.0) @ matrix.T
    outside = np.concatenate([clip[:, :3] > clip[:, 3:], clip[:, :3] < -clip[:, 3:]], axis=1)
    assert found.tolist() == np.flatnonzero(~outside[mesh.faces].all(axis=1).any(axis=1)).tolist()
    inside = np.flatnonzero(~outside[mesh.faces].any(axis=(1, 2)))
    assert scan.inside(corners, scenes.planes_of(matrix)).tolist() == inside.tolist()


def test_a_verdict_is_of_the_ratio_or_of_the_time() -> None:
    row = table.Row("build", "theirs", ours=40.0, theirs=100.0, must=0.5, aim=0.4)
    assert "aim" in row.cells()
    assert "must" in table.Row("", "", 50.0, 100.0, must=0.5, aim=0.4).cells()
    assert "missed" in table.Row("", "", 51.0, 100.0, must=0.5, aim=0.4).cells()
    assert "missed" in table.Row("", "", 51.0, 100.0, must=50, aim=40, absolute=True).cells()
    assert len({len(line) for line in table.markdown([row]).splitlines()}) == 1


def test_without_an_aim_a_row_still_has_a_verdict() -> None:
    assert "must" in table.Row("", "", 50.0, 100.0, must=0.5).cells()
    assert "missed" in table.Row("", "", 51.0, 100.0, must=0.5).cells()
    assert not {"must", "missed"} & set(table.Row("", "", 50.0, 100.0).cells())


def test_rivals_without_an_answer_have_no_column() -> None:
    text = table.overview([table.Row("build", "theirs", 1.0, 2.0)], ["nobody", "theirs"])
    assert "theirs" in text and "nobody" not in text


@pytest.fixture
def disabled(registered: None) -> Iterator[None]:
    """Leave it to the benchmarks to enable the extension."""
    octree_ext.unregister()
    yield
    octree_ext.register()


@pytest.mark.skipif(
    bpy.app.version < (4, 5) or not bpy.app.module, reason="`make bench` takes the newest wheel"
)
@pytest.mark.parametrize("ask", scene_rows.EVERY)
def test_rows_about_scenes_come_to_their_end(ask: scene_rows.Ask, disabled: None) -> None:
    if ask is scene_rows.index_memory and bpy.app.binary_path:
        pytest.skip("the Python beside a whole Blender has no bpy")
    measured = list(ask(0.0, 0.02))
    assert measured
    assert all(row.ours > 0 and row.theirs > 0 for row in measured)


@pytest.mark.parametrize("ask", seen_rows.EVERY)
def test_rows_about_pictures_come_to_their_end(ask: seen_rows.Ask) -> None:
    measured = list(ask(0.0, 0.02))
    assert measured or ask is seen_rows.objects  # without pyrender it has none
    assert all(row.ours > 0 and row.theirs > 0 for row in measured)


def test_boxes_drift_by_a_tenth_and_come_back() -> None:
    lower, upper = worlds.boxes_of("cube", 1_000)
    turns = moves.drift(lower, upper, 0.1)
    start = lower[turns["ids"]]
    assert turns["lowers"].shape == (moves.TURNS, 100, 3)
    assert turns["lowers"][-1] == pytest.approx(start)
    steps = np.diff(turns["lowers"], axis=0, prepend=start[None])
    lengths = np.linalg.norm(steps, axis=2) / (upper - lower)[turns["ids"]].mean(axis=1)
    assert lengths == pytest.approx(0.1)
    assert len(np.unique(turns["ids"])) == 100


def test_moving_peers_of_our_own_agree() -> None:
    lower, upper = worlds.boxes_of("flat", 500)
    turns = moves.drift(lower, upper, 0.2)
    asked = moves.boxes_among(lower, upper, 20)
    one, two, three = (
        peer.build_moving(lower, upper) for peer in (ours, ours_rebuilt, ours_paired)
    )
    for _ in range(moves.TURNS):
        found = ours.move_boxes(one, **turns, **asked)
        assert found.shape[1] > 20
        assert np.array_equal(found, ours_rebuilt.move_boxes(two, **turns, **asked))
        ours_paired.move_changes(three, **turns)
        changed = ours.move_changes(one, **turns)
        pairs = ours_rebuilt.move_pairs(two, **turns)
        assert np.array_equal(pairs, ours_paired.move_changes(three, **turns))
        assert np.array_equal(pairs, changed[:, np.lexsort(changed[::-1])])
