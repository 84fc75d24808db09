"""The film of the ships as a scene: it plays in a Blender without the extension."""

from pathlib import Path

import bpy
import numpy as np
import pytest

import core
from demo import extension, film, ships, swarm


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the film, without its pictures."""
    written = tmp_path_factory.mktemp("film")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extension, "MODULE", "octree_ext")
        swarm.run(written, with_picture=False)
    return written


@pytest.fixture
def swarm_file(folder: Path) -> Path:
    """Open the film."""
    bpy.ops.wm.open_mainfile(filepath=str(folder / "swarm.blend"), use_scripts=False)
    return folder


def drawn_boxes(objects: list[bpy.types.Object], frame: int) -> np.ndarray:
    """Walls (b, 6) of the boxes that are seen in a frame, sorted."""
    bpy.context.scene.frame_set(frame)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    corners = [
        np.array([vertex.co for vertex in item.evaluated_get(depsgraph).data.vertices])
        for item in objects
    ]
    corners = np.concatenate([some.reshape(-1, 8, 3) for some in corners])
    return np.unique(np.concatenate((corners.min(axis=1), corners.max(axis=1)), axis=1), axis=0)


def test_it_plays_without_the_extension_and_without_scripts(swarm_file: Path) -> None:
    assert sorted(path.name for path in swarm_file.iterdir()) == ["swarm.blend"]
    assert not bpy.data.texts
    assert not any(item.animation_data.drivers for item in bpy.data.objects if item.animation_data)
    assert bpy.context.scene.frame_end - bpy.context.scene.frame_start + 1 == ships.FRAMES
    assert bpy.context.scene.camera
    views = [area.spaces.active for area in bpy.context.screen.areas if area.type == "VIEW_3D"]
    assert views and all(view.region_3d.view_perspective == "CAMERA" for view in views)


def test_every_frame_shows_its_cells(swarm_file: Path) -> None:
    shot = film.shoot(core)
    cells = [item for item in bpy.data.objects if item.name.startswith("Cells")]
    for item in [*cells, bpy.data.objects["Root"]]:
        item.modifiers["Lines"].show_viewport = False
    for frame in (0, 149, 150, 300, 599):
        wanted = np.unique(shot.cells.at(frame).walls, axis=0)
        assert drawn_boxes(cells, frame) == pytest.approx(wanted, abs=1e-5)
        root = shot.roots.at(frame).walls
        assert drawn_boxes([bpy.data.objects["Root"]], frame) == pytest.approx(root)


def test_ships_are_where_the_tree_has_them(swarm_file: Path) -> None:
    fleet = [item for item in bpy.data.objects if item.name.startswith("Ship")]
    assert len(fleet) == ships.COUNT
    for frame in (57, 153, 225, 435):
        bpy.context.scene.frame_set(frame)
        places = np.array([item.matrix_world.translation for item in fleet])
        strayed = np.linalg.norm(places - ships.places(frame), axis=1)
        assert (strayed < 0.1 * ships.radii()).all()
        ahead = np.array([item.matrix_world.col[1].xyz.normalized() for item in fleet])
        course = ships.places(frame + 3) - ships.places(frame - 3)
        along = (ahead * course).sum(axis=1) / np.linalg.norm(course, axis=1)
        assert np.median(along) > 0.99


def test_the_strip_has_all_panels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extension, "MODULE", "octree_ext")
    monkeypatch.setitem(swarm.studio.CYCLES, "samples", 1)
    monkeypatch.setitem(swarm.studio.CYCLES, "use_denoising", False)  # not in every build
    monkeypatch.setattr(swarm, "PANEL", (60, 48))
    scene = swarm.stage(film.shoot(core))
    swarm.strip(scene, tmp_path / "swarm.png")
    image = bpy.data.images.load(str(tmp_path / "swarm.png"))
    assert tuple(image.size) == (3 * 60 + 2 * swarm.GAP, 48)
    pixels = np.array(image.pixels).reshape(48, -1, 4)
    panels = [pixels[:, start : start + 60, :3] for start in (0, 60 + swarm.GAP)]
    assert all(np.ptp(panel) > 0.2 for panel in panels)
    assert not np.array_equal(*panels)
