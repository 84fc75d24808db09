"""Folders of chunks, whatever comes in between: files are whole, and the next run ends equal."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import bpy
import pytest
from chunk_folders import CHUNKS, MANIFEST, files_in, octree, saved_boxes, shipped
from failing_disks import FAILURES

from octree_ext.core import atomic_file
from octree_ext.octree_addon.shipping.folder import (
    ChunkFiles,
    are_there,
    content_hash,
    put_chunks,
)
from octree_ext.octree_addon.shipping.manifest import is_ours, read_manifest

TESTS = Path(__file__).resolve().parents[1]


@pytest.fixture
def blend(empty_scene, tmp_path):
    """Save a sheet, and boxes with pictures."""
    return saved_boxes(tmp_path / "scene.blend")


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failing_disk_is_told_and_the_next_run_ends_as_the_whole(
    blend, tmp_path, monkeypatch, capsys, failure
):
    shipped(blend, tmp_path / "whole")
    folder = tmp_path / "out"
    with FAILURES[failure](monkeypatch, atomic_file):
        code = octree("chunks", blend, *CHUNKS, "--gltf", folder)
    assert code in (2, 130)
    assert "Traceback" not in capsys.readouterr().err
    shipped(blend, folder)
    assert files_in(folder) == files_in(tmp_path / "whole")


@pytest.mark.parametrize("at", [0, 1, 4, 9, -2, -1])
def test_ended_at_any_file_the_next_run_ends_as_the_whole(tmp_path, monkeypatch, at):
    """An older folder, of which files go, stay and change; the next run has something else yet."""
    older = a_folder(tmp_path / "staged", {"a": 1, "b": 1, "c": 1})
    newer = a_folder(tmp_path / "staged", {"b": 1, "c": 2, "d": 1, "e": 1})
    last = a_folder(tmp_path / "staged", {"b": 1, "c": 1, "f": 1})
    put(tmp_path / "out", older)
    calls, replace, unlink = [], os.replace, Path.unlink
    count = count_of_moves(tmp_path, monkeypatch, older, newer)

    def ending(move):
        def moved(*args, **options):
            if len(calls) == at % count:
                raise KeyboardInterrupt
            calls.append(args)
            return move(*args, **options)

        return moved

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", ending(replace))
        patch.setattr(Path, "unlink", ending(unlink))
        with pytest.raises(KeyboardInterrupt):
            put(tmp_path / "out", newer)
    for wanted in (last, newer):
        put(tmp_path / "out", wanted)
        put(tmp_path / f"fresh {len(wanted)}", wanted)
        assert files_in(tmp_path / "out") == files_in(tmp_path / f"fresh {len(wanted)}")


@pytest.mark.parametrize("ended", [False, True])
def test_of_two_writers_at_once_the_next_run_ends_as_the_whole(tmp_path, monkeypatch, ended):
    """Another begins and ends at any file of the first, which goes on or is ended then."""
    older = a_folder(tmp_path / "staged", {"a": 1, "b": 1, "c": 1})
    one = a_folder(tmp_path / "staged", {"b": 1, "c": 2, "d": 1, "e": 1})
    other = a_folder(tmp_path / "staged", {"a": 1, "c": 3, "e": 1, "f": 1})
    for number, wanted in enumerate((one, other)):
        put(tmp_path / f"fresh {number}", wanted)
    count, replace, unlink = (
        count_of_moves(tmp_path, monkeypatch, older, one),
        os.replace,
        Path.unlink,
    )
    for at in range(1, count, 2):
        folder, calls = tmp_path / f"out {at}", []
        put(folder, older)

        def meeting(move, at=at, folder=folder, calls=calls):
            def moved(*args, **options):
                calls.append(args)
                # Not while a manifest is exchanged: files cannot be compared and swapped.
                if len(calls) == at + 1 and Path(args[-1]).name != MANIFEST:
                    put(folder, other)
                    if ended:
                        raise KeyboardInterrupt
                return move(*args, **options)

            return moved

        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", meeting(replace))
            patch.setattr(Path, "unlink", meeting(unlink))
            try:
                put(folder, one)
            except KeyboardInterrupt:
                assert ended
        for number, wanted in enumerate((one, other)):
            put(folder, wanted)
            assert files_in(folder) == files_in(tmp_path / f"fresh {number}"), at


def count_of_moves(tmp_path, monkeypatch, older, newer):
    """Return how often files are put or deleted."""
    put(tmp_path / "counted", older)
    counts, replace, unlink = [], os.replace, Path.unlink
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", lambda *args: (counts.append(1), replace(*args)))
        patch.setattr(Path, "unlink", lambda *args: (counts.append(1), unlink(*args)))
        put(tmp_path / "counted", newer)
    return len(counts)


def a_folder(place, versions):
    """Return contents of files, two a chunk and a shared one, by chunk."""
    place.mkdir(exist_ok=True)
    return {
        name: {
            f"{name}.gltf": f"{name} {version}".encode(),
            f"{name}.bin": f"bin {version}".encode(),
            f"textures/t_{version}.png": f"texture {version}".encode(),
        }
        for name, version in versions.items()
    }


def put(folder, contents):
    """Put what has other hashes than the manifest says, as a shipment does."""
    known = {}
    if (folder / MANIFEST).is_file():
        known = read_manifest((folder / MANIFEST).read_bytes()).chunks
    chunks, staged, index = [], {}, {"tileset.json": " ".join(contents)}
    for name, files in contents.items():
        sums = {path: content_hash(content) for path, content in files.items()}
        chunk = ChunkFiles({"id": name}, content_hash(repr(files).encode()), sums)
        chunks.append(chunk)
        is_known = name in known and known[name].hash == chunk.hash
        if not (is_known and are_there(folder, sums)):
            for number, (path, content) in enumerate(files.items()):
                place = folder.parent / f"{folder.name}.{name}.{number}"
                place.write_bytes(content)
                staged[path] = place
    return put_chunks(folder, {"file": "a.blend"}, {"form": "gltf"}, chunks, staged, index)


def test_nothing_outside_the_folder_is_ever_deleted(tmp_path):
    for name in (
        "../a", "/a", "a/b", "textures/../a", "textures/a/b", "", ".", "..", "manifest.json",
        ".hidden", "c:a", "textures\\a", "textures/.a",
    ):  # fmt: skip
        assert not is_ours(name), name
    assert all(is_ours(name) for name in ("1_0_-1_0.gltf", "textures/a_1.png"))
    (tmp_path / "precious.txt").write_text("mine")
    folder = tmp_path / "out"
    put(folder, a_folder(tmp_path / "staged", {"a": 1}))
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["chunks"][0]["files"]["../precious.txt"] = "0"
    manifest["unfinished"] = ["../precious.txt", str(tmp_path / "precious.txt")]
    (folder / MANIFEST).write_text(json.dumps(manifest))
    put(folder, a_folder(tmp_path / "staged", {"b": 1}))
    assert (tmp_path / "precious.txt").read_text() == "mine"
    assert not (folder / "a.gltf").exists()


def started(blend, folder, *words):
    """Start a process that exports chunks."""
    words = ["--command", "octree", "chunks", blend, *CHUNKS, *words, "--gltf", folder]
    paths = (TESTS.parent, TESTS, os.environ.get("PYTHONPATH", ""))
    return subprocess.Popen(
        [sys.executable, TESTS / "blender_stand_in.py", *map(str, words)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))},
        stdout=subprocess.DEVNULL,
    )


@pytest.mark.skipif(bool(bpy.app.binary_path), reason="the processes are made of a wheel")
def test_two_processes_at_once_leave_whole_files_and_the_next_one_ends_equal(blend, tmp_path):
    wholes, folder = [tmp_path / "whole", tmp_path / "assigned"], tmp_path / "out"
    shipped(blend, wholes[0])
    shipped(blend, wholes[1], "gltf", "--assign")
    processes = [started(blend, folder), started(blend, folder, "--assign")]
    assert all(process.wait() in (0, 1) for process in processes)
    contents = [files_in(whole) for whole in wholes]
    for name, content in files_in(folder).items():
        assert name == MANIFEST or content in [each.get(name) for each in contents]
    read_manifest((folder / MANIFEST).read_bytes())
    for whole, words in zip(wholes, ((), ("--assign",)), strict=True):
        shipped(blend, folder, "gltf", *words)
        assert files_in(folder) == files_in(whole)


@pytest.mark.skipif(bool(bpy.app.binary_path), reason="the processes are made of a wheel")
def test_a_killed_process_leaves_whole_files_and_the_next_one_ends_equal(blend, tmp_path):
    shipped(blend, tmp_path / "whole")
    folder, killed = tmp_path / "out", []
    process = started(blend, folder)
    while process.poll() is None and not killed:
        if folder.is_dir() and len(list(folder.glob("*.gltf"))) > 1:
            process.send_signal(signal.SIGKILL)
            killed.append(process.wait())
    whole = files_in(tmp_path / "whole")
    found = {name: content for name, content in files_in(folder).items() if ".part" not in name}
    assert all(content == whole[name] for name, content in found.items() if name != MANIFEST)
    for path in folder.rglob(".octree-*.part"):
        path.unlink()
    shipped(blend, folder)
    assert files_in(folder) == whole
