"""Files are written whole or not at all, and by any number of writers at once."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import core_scenes as scenes
import pytest
from agreement import assert_same, built
from failing_disks import FAILURES

from core import atomic_file, load, save


def write(path, content):
    with atomic_file(path) as file:
        file.write(content)


@pytest.mark.parametrize("kind", [str, Path])
def test_a_file_appears_at_the_end(tmp_path, kind):
    path = tmp_path / "file"
    write(kind(path), b"older")
    with atomic_file(kind(path)) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"older"
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("is_there", [False, True])
def test_a_failure_leaves_what_was_there(tree_file, monkeypatch, failure, is_there):
    before = tree_file.read_bytes()
    path = tree_file if is_there else tree_file.with_name("new")
    tree = built(scenes.random(70))
    with FAILURES[failure](monkeypatch, atomic_file) as expected:
        with pytest.raises(expected.kind) as raised:
            save(tree, path)
    assert expected.is_said(raised.value, path)
    assert tree_file.read_bytes() == before
    assert list(tree_file.parent.iterdir()) == [tree_file]
    save(tree, path)
    assert_same(tree, load(path))


def test_an_error_within_the_block_stays_what_it_is(tmp_path):
    """Reading may fail there, too."""
    with pytest.raises(FileNotFoundError) as raised, atomic_file(tmp_path / "file") as file:
        file.write((tmp_path / "other").read_bytes())
    assert Path(raised.value.filename).name == "other"
    with pytest.raises(OSError, match=r"^no more$"), atomic_file(tmp_path / "file"):
        raise OSError("no more")
    assert list(tmp_path.iterdir()) == []


def test_writers_that_overlap_both_write_whole_files(tmp_path):
    path = tmp_path / "file"
    inner, outer = (name * 100_000 for name in (b"inner", b"outer"))
    with atomic_file(path) as file:
        file.write(outer[:1000])
        write(path, inner)
        assert path.read_bytes() == inner
        file.write(outer[1000:])
    assert path.read_bytes() == outer
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_one_to_the_system_too(tmp_path):
    """The system itself refuses to let the file grow, in a process of its own."""
    pytest.importorskip("resource")
    path = tmp_path / "file"
    write(path, b"older")
    script = (
        "import resource, signal, sys\n"
        "from core import atomic_file\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try:\n"
        "    with atomic_file(sys.argv[1]) as file:\n"
        "        for _ in range(100): file.write(bytes(1000))\n"
        "except OSError as error:\n"
        "    sys.exit(error.errno if error.filename == sys.argv[1] else 1)\n"
    )
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-c", script, str(path)]
    done = subprocess.run(command, cwd=root, timeout=120, check=False)
    assert done.returncode == errno.EFBIG
    assert path.read_bytes() == b"older"
    assert list(tmp_path.iterdir()) == [path]


def test_permissions_stay(tmp_path):
    path = tmp_path / "file"
    write(path, b"older")
    path.chmod(0o640)
    write(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    (tmp_path / "plain").write_bytes(b"")
    write(tmp_path / "made", b"")
    assert (tmp_path / "made").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_the_longest_name_is_written(tmp_path):
    path = tmp_path / ("n" * 255)
    write(path, b"new")
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("there", ["folder", "pipe"])
def test_what_is_no_file_is_left_alone(tmp_path, there):
    path = tmp_path / "there"
    if there == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    with pytest.raises(FileExistsError, match=r"A folder or device stands there: .*there"):
        write(path, b"new")
    assert list(tmp_path.iterdir()) == [path]
    assert not path.is_file()


@pytest.mark.parametrize("path", [None, 3, b"file"])
def test_a_path_is_text_or_a_path(path):
    with pytest.raises(ValueError, match="path must be one of"), atomic_file(path):
        pass
