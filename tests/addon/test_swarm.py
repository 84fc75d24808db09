"""The film of the ships as a scene: it plays in a Blender without the extension."""

from pathlib import Path

import bpy
import pytest

from demo import extension, ships, swarm


def test_it_plays_without_the_extension_and_without_scripts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extension, "MODULE", "octree_ext")
    swarm.run(tmp_path, with_picture=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["swarm.blend"]
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "swarm.blend"), use_scripts=False)
    assert not bpy.data.texts
    assert not any(item.animation_data.drivers for item in bpy.data.objects if item.animation_data)
    assert bpy.context.scene.frame_end - bpy.context.scene.frame_start + 1 == ships.FRAMES
    assert bpy.context.scene.camera
    views = [area.spaces.active for area in bpy.context.screen.areas if area.type == "VIEW_3D"]
    assert views and all(view.region_3d.view_perspective == "CAMERA" for view in views)
