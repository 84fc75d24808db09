"""Audits in chunks: their merge equals the whole to the byte; what is missing or other is said."""

import json

import bpy
import numpy as np
import pytest
from blender_scenes import collection_instance, cube
from clash_scenes import plant

from octree_ext.octree_addon.audit.model import read_share, share_content
from octree_ext.octree_addon.command_line import main
from octree_ext.octree_addon.shares import share_range

ENDINGS = (".json", ".csv", ".xml")
ASKED = ("--clearance", "0.125", "--contacts", "--fail-on", "overlap,near,self-intersection")


def octree(*words):
    return main([str(word) for word in words])


@pytest.fixture
def blend(empty_scene, tmp_path):
    """Save the plant, instances that cross, and a row of boxes."""
    plant()
    for number in range(9):
        cube(f"Row {number}", location=(60 + 0.9 * number, 0.01 * number, 0))
    collection_instance([cube("Part", 0.4, location=(40, 1, 0))])
    path = tmp_path / "plant.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def chunked(blend, folder, count, *words):
    """Return the files of all chunks."""
    parts = [folder / f"part {at}.npz" for at in range(1, count + 1)]
    for at, part in enumerate(parts, 1):
        assert octree("audit", blend, *words, "--chunk", f"{at}/{count}", "--out", part) == 0
    return parts


def reports(folder, name):
    paths = [folder / f"{name}{ending}" for ending in ENDINGS]
    return paths, [word for path in paths for word in ("--report", path)]


@pytest.mark.parametrize(("count", "asked"), [(1, ASKED), (4, ASKED), (3, ()), (50, ASKED)])
def test_merged_chunks_are_the_whole_to_the_byte(blend, tmp_path, capsys, count, asked):
    whole, words = reports(tmp_path, "whole")
    code = octree("audit", blend, *asked, *words)
    said = capsys.readouterr().out.splitlines()
    parts = chunked(blend, tmp_path, count, *asked)
    capsys.readouterr()
    merged, words = reports(tmp_path, "merged")
    assert octree("audit", "--merge", *reversed(parts), *words) == code == 1
    assert capsys.readouterr().out.splitlines()[-3:] == said[-3:]
    for one, other in zip(whole, merged, strict=True):
        assert one.read_bytes() == other.read_bytes()
    findings = json.loads(merged[0].read_text())["findings"]
    shares = [len(read_share(part.read_bytes()).findings) for part in parts]
    assert sum(shares) == len(findings) > 5
    assert count == 1 or max(shares) < len(findings)


def test_a_baseline_and_a_star_belong_to_the_merge(blend, tmp_path):
    parts = chunked(blend, tmp_path, 2)
    old = tmp_path / "old.json"
    assert octree("audit", "--merge", *parts, "--report", old) == 1
    assert octree("audit", "--merge", tmp_path / "part *.npz", "--baseline", old) == 0


def test_what_cannot_be_merged_is_said(blend, tmp_path, capsys):
    one, two, three = chunked(blend, tmp_path, 3)
    other = tmp_path / "other.npz"
    words = ("--clearance", "1", "--chunk", "2/3", "--out", other)
    assert octree("audit", blend, *words) == 0
    (tmp_path / "bad.npz").write_bytes(b"nothing of the kind")
    (tmp_path / "short.npz").write_bytes(one.read_bytes()[:-30])
    for parts, message in (
        ((one, three), "Missing of 3 chunks: 2"),
        ((one, one, two, three), None),
        ((one, other, three), "different audits: clearance"),
        ((one, tmp_path / "bad.npz"), "bad.npz cannot be merged"),
        ((tmp_path / "short.npz",), "short.npz cannot be merged"),
        ((tmp_path / "none.npz",), "none.npz"),
    ):
        capsys.readouterr()
        code = octree("audit", "--merge", *parts)
        assert code == (1 if message is None else 2)
        assert message is None or message in capsys.readouterr().err
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    bpy.context.scene.objects[0].location.z += 1
    bpy.ops.wm.save_mainfile()
    assert octree("audit", blend, "--chunk", "2/3", "--out", two) == 0
    assert octree("audit", "--merge", one, two, three) == 2
    assert "different audits: sha1" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        (), ("FILE", "--merge", "a.npz"), ("FILE", "--chunk", "1/2"), ("FILE", "--out", "a.npz"),
        ("FILE", "--chunk", "3/2", "--out", "a.npz"),
        ("FILE", "--chunk", "1/2", "--out", "a.npz", "--report", "a.json"),
        ("FILE", "--chunk", "1/2", "--out", "no/folder/a.npz"),
        ("--merge", "a.npz", "--out", "b.npz"),
    ],
)  # fmt: skip
def test_what_contradicts_itself_is_refused(blend, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    assert octree("audit", *(blend if word == "FILE" else word for word in words)) == 2
    assert not list(tmp_path.glob("*.npz"))


def test_a_share_is_read_as_it_was_written(blend, tmp_path):
    (part,) = chunked(blend, tmp_path, 1, *ASKED)
    content = part.read_bytes()
    share = read_share(content)
    assert share_content(share) == content
    again = read_share(content)
    assert again.findings.audit == share.findings.audit
    assert again.about == share.about


@pytest.mark.parametrize("count", [1, 2, 3, 7, 40])
def test_ranges_are_neighbors_and_have_as_many_pairs(count):
    random = np.random.default_rng(count)
    for counts in (random.integers(0, 30, 200), np.zeros(3, int), np.array([500, 0, 1, 9])):
        ranges = [share_range(counts, (at, count)) for at in range(1, count + 1)]
        assert [start for start, _ in ranges] == [0, *(stop for _, stop in ranges[:-1])]
        assert ranges[-1][1] == len(counts)
        work = [int((counts[start:stop] + 1).sum()) for start, stop in ranges]
        assert max(work) <= (counts + 1).sum() / count + counts.max() + 1
