"""`octree seen --behind-others`: pixels in files, by chunks, and with and without EGL."""

import json
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import bpy
import numpy as np
import pytest
from behind_scenes import eye, known_shapes
from blender_scenes import collection_instance, cube

from octree_ext.octree_addon import command_line

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.fixture
def blend(tmp_path):
    """Save known shapes and an instance, before a camera that moves on in four frames."""
    item = eye(320, 240)
    known_shapes()
    collection_instance([cube("Inner", 0.3)], location=(1.2, 3, 0.7))
    visitor = cube("Visitor", 0.4, location=(-1.2, 3, 0.9))
    for frame, hidden in ((1, True), (3, False)):
        visitor.hide_viewport = hidden
        visitor.keyframe_insert("hide_viewport", frame=frame)
    for frame, x in ((1, 0.0), (4, 0.6)):
        item.location.x = x
        item.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 4
    path = tmp_path / "shapes.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True)
    return path


def octree(*words):
    return command_line.main([str(word) for word in words])


def ask(blend, out, *words):
    assert octree("seen", blend, "--behind-others", "--out", out, *words) == 0
    return json.loads(out.read_text())


def test_states_and_fractions(blend, tmp_path, capsys):
    data = ask(blend, tmp_path / "a.json", "--frames", "1", "--least", 16)
    assert "behind others at 320 x 240 pixels" in capsys.readouterr().out
    rows, names = data["rows"], [each["name"] for each in data["objects"]]
    states = dict(zip((names[at] for at in rows["object"]), rows["state"], strict=True))
    assert states == {
        "Half Out": "seen",
        "Behind": "seen",
        "Beside": "out of view",
        "Tiny": "too small",
        "Hidden": "occluded",
        "Card": "seen",
        "Large Card": "seen",
        "Instance": "seen",
    }
    by_name = {names[at]: row for row, at in enumerate(rows["object"])}
    assert abs(rows["visible_fraction"][by_name["Behind"]] - 0.4) < 0.02
    assert abs(rows["truncated_fraction"][by_name["Half Out"]] - 0.5) < 0.02
    assert data["question"]["pixels"] == {
        "share": 1.0, "samples": 1, "least": 16.0, "open_faces": False
    }  # fmt: skip
    assert data["size"] == [320, 240]


@pytest.mark.parametrize("count", [2, 3, 6])
def test_chunks_merge_into_the_whole(blend, tmp_path, count):
    whole = ask(blend, tmp_path / "whole.json", "--cameras", "all", "--size", 50)
    assert len(whole["views"]["frame"]) == 4
    assert {each["name"] for each in whole["objects"]} > {"Visitor", "Instance"}
    parts = [tmp_path / f"{at}.json" for at in range(1, count + 1)]
    labels = ("--labels", tmp_path / "labels")
    for at, part in enumerate(parts, start=1):
        words = ("--cameras", "all", "--size", 50, "--chunk", f"{at}/{count}")
        ask(blend, part, *words, *labels)
    merge = ("seen", "--merge", *parts, "--out", tmp_path / "merged.json")
    assert octree(*merge) == 0
    assert (tmp_path / "merged.json").read_bytes() == (tmp_path / "whole.json").read_bytes()
    # Their label pictures get the numbers of the whole, and make its masks; also a second time.
    words = ("--cameras", "all", "--size", 50, "--format", "coco", "--labels", tmp_path / "all")
    ask(blend, tmp_path / "whole.json", *words)
    for _ in range(2):
        assert octree(*merge, *labels, "--format", "coco") == 0
        assert (tmp_path / "merged.json").read_bytes() == (tmp_path / "whole.json").read_bytes()
        for picture in (tmp_path / "all").iterdir():
            assert (tmp_path / "labels" / picture.name).read_bytes() == picture.read_bytes()
    assert len(list((tmp_path / "labels").glob("*.png"))) == 4


def test_chunks_without_their_label_pictures_are_said(blend, tmp_path, capsys):
    for at in (1, 2):
        ask(blend, tmp_path / f"{at}.json", "--chunk", f"{at}/2", "--size", 10)
    merge = ("seen", "--merge", tmp_path / "1.json", tmp_path / "2.json", "--out")
    assert octree(*merge, tmp_path / "a.json", "--format", "coco") == 2
    assert "give --labels" in capsys.readouterr().err
    assert octree(*merge, tmp_path / "a.json", "--labels", tmp_path / "labels") == 2
    assert "Camera_0001.png" in capsys.readouterr().err
    assert not (tmp_path / "labels").exists()
    for frame, chunk in ((1, 1), (2, 1), (3, 2), (4, 2)):
        folder = tmp_path / "labels" / f"chunk-{chunk}-of-2"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"Camera_000{frame}.png").write_bytes(b"nothing of the kind")
    assert octree(*merge, tmp_path / "a.json", "--labels", tmp_path / "labels") == 2
    assert "cannot be read" in capsys.readouterr().err
    assert octree("seen", blend, "--chunk", "1/1", "--out", tmp_path / "1.json") == 0
    merge = ("seen", "--merge", tmp_path / "1.json", "--out", tmp_path / "a.json")
    assert octree(*merge, "--labels", tmp_path / "labels") == 2
    assert "without --behind-others" in capsys.readouterr().err
    assert not (tmp_path / "a.json").exists()


def read_png(path):
    """Return a 16-bit picture without filters, (height, width)."""
    data = path.read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    start = data.index(b"IDAT") + 4
    (length,) = struct.unpack(">I", data[start - 8 : start - 4])
    rows = np.frombuffer(zlib.decompress(data[start : start + length]), np.uint8)
    rows = rows.reshape(height, 1 + 2 * width)[:, 1:]
    return np.ascontiguousarray(rows).view(">u2").astype(int)


def test_label_pictures_show_what_the_table_says(blend, tmp_path):
    out = tmp_path / "a.json"
    data = ask(blend, out, "--frames", "1,4", "--labels", tmp_path / "labels")
    rows = data["rows"]
    for view, frame in enumerate(data["views"]["frame"]):
        picture = read_png(tmp_path / "labels" / f"Camera_{frame:04}.png")
        assert picture.shape == (240, 320)
        counts = {
            item: pixels
            for at, item, pixels in zip(
                rows["view"], rows["object"], rows["visible_pixels"], strict=True
            )
            if at == view and pixels
        }
        numbers, pixels = np.unique(picture[picture > 0] - 1, return_counts=True)
        assert dict(zip(numbers.tolist(), pixels.tolist(), strict=True)) == counts
    data = ask(blend, out, "--frames", "1", "--format", "coco")
    assert (
        len(data["annotations"])
        == len(np.unique(read_png(tmp_path / "labels/Camera_0001.png"))) - 1
    )


@pytest.mark.skipif(sys.platform != "linux", reason="hides EGL as Linux finds it")
@pytest.mark.skipif(bool(bpy.app.binary_path), reason="the stand-in is made of a wheel")
@pytest.mark.parametrize("has_egl", [True, False])
def test_background_answers_with_and_without_egl(blend, tmp_path, has_egl):
    """A library of that name that is none, found first, is as good as none."""
    environment = dict(os.environ)
    if not has_egl:
        for name in ("libEGL.so", "libEGL.so.1"):
            (tmp_path / name).write_text("none", encoding="utf-8")
        environment["LD_LIBRARY_PATH"] = str(tmp_path)
    environment["PYTHONPATH"] = os.pathsep.join(map(str, (CHECKOUT, CHECKOUT / "tests")))
    stand_in = (sys.executable, CHECKOUT / "tests" / "blender_stand_in.py")
    words = ("--command", "octree", "seen", blend, "--behind-others", "--out", tmp_path / "a.json")
    done = subprocess.run(
        [*stand_in, *words], env=environment, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found, known = (json.loads((tmp_path / "a.json").read_text()), ask(blend, tmp_path / "b.json"))
    assert found["rows"]["state"] == known["rows"]["state"]
    difference = np.abs(np.subtract(*(each["rows"]["visible_pixels"] for each in (found, known))))
    assert (difference <= 0.02 * np.array(known["rows"]["amodal_pixels"]) + 1).all()
