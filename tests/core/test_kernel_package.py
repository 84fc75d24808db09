"""The kernel's package: wheels and source are the same bytes wherever they are made."""

import csv
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from base64 import urlsafe_b64decode
from hashlib import sha256

import pytest
from support.kernels import needs_kernel
from test_layers import CHECKOUT

from core.compiled import door

SOURCES = CHECKOUT / "kernel"
LIBRARIES = [
    path for path in SOURCES.glob("octree_kernel/octree_kernel.*") if path.suffix != ".sha256"
]


def elsewhere(folder):
    """Return a copy of the sources in another folder."""
    here = shutil.copytree(SOURCES, folder, ignore=shutil.ignore_patterns("octree_kernel.[!h]*"))
    shutil.copy(CHECKOUT / "LICENSE", folder)
    return here


def run(folder, code, *, umask=0o022, **environment):
    """Run some lines beside the backend in a folder, and return what they print."""
    return subprocess.run(
        [sys.executable, "-c", f"import backend, compile, pathlib; {code}"],
        cwd=folder,
        umask=umask,
        env={"PATH": "/usr/bin:/bin", **environment},
        check=True,
        capture_output=True,
        text=True,
    ).stdout


@needs_kernel  # compiled here again: in one suite
@pytest.mark.skipif(not shutil.which("gcc"), reason="wants gcc")
def test_two_builds_in_two_folders_are_equal_to_the_byte(tmp_path):
    """By people with other homes, clocks, languages and habits, too."""
    build = "print(backend.build_wheel('.'), backend.build_sdist('.'))"
    wheels, sources = set(), set()
    somebody = {"USER": "somebody", "TZ": "Pacific/Kiritimati", "LANG": "tr_TR", "umask": 0o077}
    for name, habits in (("one", {}), ("other place", somebody)):
        folder = elsewhere(tmp_path / name)
        wheel, source = run(folder, build, CC="gcc", HOME=str(folder), **habits).split()
        wheels.add((wheel, (folder / wheel).read_bytes()))
        sources.add((source, (folder / source).read_bytes()))
    assert len(wheels) == len(sources) == 1
    with tarfile.open(folder / source) as archive:
        archive.extractall(tmp_path, filter="data")
    unpacked = tmp_path / source.removesuffix(".tar.gz")
    again = run(unpacked, "print(backend.build_wheel('.'))", CC="gcc").strip()
    assert {(again, (unpacked / again).read_bytes())} == wheels


@pytest.mark.skipif(not LIBRARIES, reason="the kernel is not compiled: make kernel")
def test_a_wheel_holds_what_its_record_says(tmp_path):
    platform = "manylinux_2_17_x86_64"
    code = f"print(backend.wheel_of(pathlib.Path({str(LIBRARIES[0])!r}), {platform!r}, "
    path = run(SOURCES, f"{code}pathlib.Path({str(tmp_path)!r})))").strip()
    assert path.endswith(f"octree_kernel-1.5.0-py3-none-{platform}.whl")
    with zipfile.ZipFile(path) as wheel:
        record = next(name for name in wheel.namelist() if name.endswith("/RECORD"))
        rows = [row for row in csv.reader(wheel.read(record).decode().splitlines()) if row[1]]
        assert {record, *(name for name, *_ in rows)} == set(wheel.namelist())
        for name, digest, size in rows:
            content = wheel.read(name)
            told = urlsafe_b64decode(digest.removeprefix("sha256=") + "=")
            assert (told, int(size)) == (sha256(content).digest(), len(content))


def test_its_structures_are_written_from_its_header():
    written = run(SOURCES, "import bindings; print(bindings.written(), end='')")
    assert (SOURCES / "octree_kernel" / "structures.py").read_text() == written


def test_python_and_the_library_know_each_other_by_a_digest_of_the_header():
    assert run(SOURCES, "import bindings; print(bindings.interface())") == f"{door._ABI}\n"


def test_there_is_one_compiler():
    pinned = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["dependency-groups"]
    assert (
        run(SOURCES, "print(*backend.get_requires_for_build_wheel())").split()
        == (pinned["kernel"])
    )
    assert run(SOURCES, "print(backend.get_requires_for_build_wheel())", CC="gcc") == "[]\n"


@needs_kernel  # compiled here again: in one suite
@pytest.mark.skipif(not shutil.which("gcc"), reason="wants gcc")
@pytest.mark.parametrize(
    ("path", "right", "wrong"),
    [
        ("slides.c", "", "-ffast-math"),
        ("shadows.h", "which < 3 ? -1 : 1", "which < 4 ? -1 : 1"),
        ("slides.c", "? are_lower(named", "? !are_lower(named"),
    ],
)
def test_slides_that_are_wrongly_compiled_are_refused_at_load(tmp_path, path, right, wrong):
    """By a compiler that takes liberties, or by one that takes some line for another."""
    folder = elsewhere(tmp_path / "kernel")
    source = (folder / path).read_text()
    assert right in source
    flags = ["-O3", "-DNDEBUG"]
    if right:
        (folder / path).write_text(source.replace(right, wrong))
    else:
        (folder / "others").mkdir()
        (folder / path).rename(folder / "others" / path)
        command = ["gcc", "-std=c11", "-fPIC", f"-I{folder}", *flags, wrong, "-c", path]
        subprocess.run([*command, "-o", "slides.o"], cwd=folder / "others", check=True)
        flags.append(str(folder / "others/slides.o"))
    run(folder, f"compile.compiled(pathlib.Path('octree_kernel'), {flags})", CC="gcc")
    told = run(
        folder,
        "import octree_kernel\ntry: octree_kernel.opened()\nexcept OSError as error: print(error)",
    )
    assert told.endswith("does not compute as it has to on this machine\n")
