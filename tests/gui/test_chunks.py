"""Preview, cut and density in a window, with the pointer; the pictures are kept in tests/out."""

import time

import numpy as np
import pytest
from gui.harness import wait_for
from gui.test_results import show_results_alone

pytestmark = pytest.mark.window


def build_scene():
    """Set up a hill of many triangles, and a few things on it."""
    import bpy
    import numpy as np

    bpy.data.objects.remove(bpy.data.objects["Cube"])
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=120, y_subdivisions=120, size=12)
    hill = bpy.context.object
    hill.name = "Hill"
    count = len(hill.data.vertices)
    points = np.empty(3 * count, np.float32)
    hill.data.vertices.foreach_get("co", points)
    x, y, z = points.reshape(-1, 3).T
    z[:] = np.sin(x) * np.cos(0.7 * y)
    hill.data.vertices.foreach_set("co", points)
    hill.data.shade_smooth()
    for place in range(3):
        bpy.ops.mesh.primitive_monkey_add(location=(3 * place - 3.2, 1.3, 1.6))
        bpy.context.object.modifiers.new("Subdivision", "SUBSURF").levels = 2
    settings = bpy.context.scene.octree.chunks
    settings.triangles, settings.least_triangles = 3000, 0
    bpy.context.scene.octree.density.cell = 2.0
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.ed.undo_push(message="Scene")


def press(name, options):
    import bpy

    return list(getattr(bpy.ops.octree, name)("INVOKE_DEFAULT", True, **options))


def state():
    """Return the results by name, how many rows the last one has, and how many chunks."""
    import bpy

    results = bpy.context.scene.octree.results
    chunks = [item for item in bpy.data.objects if "octree_chunk" in item]
    kept = [result.name for result in results.kept]
    shown = results.kept[results.active].count if kept else 0
    hidden = not bpy.data.objects["Hill"].visible_get()
    return {"kept": kept, "rows": shown, "chunks": len(chunks), "hidden": hidden}


@pytest.fixture
def scene(window):
    window.call(build_scene)
    window.call(show_results_alone)
    window.move(430, 420)
    return window


def test_preview_cut_again_and_restore(scene):
    scene.picture("chunks_before")
    scene.call(press, "preview_chunks", {})
    wait_for(lambda: scene.call(state)["kept"] == ["Chunks Preview"])
    rows = scene.call(state)["rows"]
    assert rows > 8
    before = scene.picture("chunks_preview")
    scene.press_button("octree.cut_chunks")
    wait_for(lambda: scene.call(state)["chunks"] > rows)
    now = scene.call(state)
    assert now["hidden"]
    assert now["kept"] == ["Chunks Preview", "Chunks"]
    assert (scene.picture("chunks_cut") != before).any()
    scene.keys("ctrl+z")
    wait_for(lambda: scene.call(state)["chunks"] == 0)
    assert not scene.call(state)["hidden"]
    scene.keys("ctrl+shift+z")
    wait_for(lambda: scene.call(state)["chunks"] == now["chunks"])
    scene.call(press, "remove_chunks", {})
    assert scene.call(state)["chunks"] == 0
    assert not scene.call(state)["hidden"]


def exported(folder):
    """Return the files that are there, what the window shows, and all scenes."""
    from pathlib import Path

    import bpy

    files = {path.name for path in Path(folder).rglob("*") if path.is_file()}
    shown = bpy.context.window.scene.name, bpy.context.window.view_layer.name
    return {"files": sorted(files), "shown": shown, "scenes": bpy.data.scenes.keys()}


def choose(folder, form):
    import bpy

    shipment = bpy.context.scene.octree.shipment
    shipment.folder, shipment.form = folder, form


@pytest.mark.parametrize("form", ["GLTF", "TILES"])
def test_export_goes_on_step_by_step_and_leaves_the_scene(scene, tmp_path, form):
    folder = str(tmp_path / "chunks")
    scene.call(choose, folder, form)
    before = scene.call(exported, folder)
    assert before["files"] == []
    picture = scene.picture(f"export_before_{form}")
    with scene.held_work():
        scene.call(press, "export_chunks", {})
        scene.keys("Escape")
        time.sleep(1)
    assert scene.call(exported, folder) == before
    scene.call(press, "export_chunks", {})
    wait_for(lambda: "manifest.json" in scene.call(exported, folder)["files"], 180)
    wait_for(lambda: "unfinished" not in (tmp_path / "chunks" / "manifest.json").read_text())
    after = scene.call(exported, folder)
    assert (after["shown"], after["scenes"]) == (before["shown"], before["scenes"])
    assert len(after["files"]) > 8
    assert ("tileset.json" in after["files"]) == (form == "TILES")
    assert scene.call(state)["chunks"] == 0
    assert not scene.call(state)["hidden"]
    other = scene.picture(f"export_after_{form}")
    # But for the report in the status bar, and edges that are smoothed anew.
    assert (np.abs(other.astype(int) - picture.astype(int)) > 40).mean() < 0.02


def test_density_colors_cells(scene):
    before = scene.picture("density_before")
    scene.call(press, "density", {"what": "CELLS", "by": "VOLUME", "budget": 1500})
    wait_for(lambda: scene.call(state)["kept"] == ["Density"])
    assert (scene.picture("density") != before).any()


def test_the_tab_has_a_row_for_each(window):
    window.call(build_scene)
    from gui.test_sidebar import open_sidebar

    window.call(open_sidebar)
    window.picture("chunks_tab")
    window.press_button("octree.density")
    wait_for(lambda: window.call(state)["kept"] == ["Density"])
    window.press_button("octree.preview_chunks")
    wait_for(lambda: "Chunks Preview" in window.call(state)["kept"])
    window.picture("chunks_tab_results")
