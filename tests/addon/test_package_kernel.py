"""The zip with the kernel's wheels: whichever fits is used, and without one NumPy answers."""

import os
import subprocess
import sys

import bpy
import pytest
from packed_extension import CHECKOUT, LEAVE_WHEEL, MODULE, extension, packed

sys.path += [str(CHECKOUT / "kernel"), str(CHECKOUT / "tests/setup")]

from backend import PACKAGE, wheel_of
from compile import digest
from zip_with_wheels import add_wheels

FOUND = (CHECKOUT / "kernel/octree_kernel").glob("octree_kernel.*")
LIBRARY = next((path for path in FOUND if path.suffix != ".sha256"), None)
HERE = "manylinux_2_17_" + os.uname().machine if sys.platform == "linux" else "any"
ELSEWHERE = "win_arm64"
NONE = "No module named 'octree_kernel'"
pytestmark = pytest.mark.skipif(LIBRARY is None, reason="the kernel is not compiled: make kernel")

# Each word: a zip to install, or what to do; after each, why there is no kernel.
SESSION = f"""
import os, sys
os.environ.pop("OCTREE_KERNEL", None)
import bpy, addon_utils
def told():
    from {MODULE}.core import build_octree, compiled, lone, ray_test, Triangles
    tree = build_octree(Triangles([[-1, -1, 0], [1, -1, 0], [0, 2, 0]], [[0, 1, 2]]))
    assert ray_test(tree, [[0, 0, 5.0]] * 999, [[0, 0, -1.0]] * 999).all()
    assert (lone.packed_tree(tree, 999) is None) == bool(compiled.why_not())
    print("TOLD", compiled.why_not() or "kernel")
def preferences():
    return bpy.context.preferences.addons[{MODULE!r}].preferences
for word in sys.argv[sys.argv.index("--") + 1:]:
    if word.endswith(".zip"):
        bpy.ops.extensions.package_install_files(
            filepath=word, repo="user_default", enable_on_install=True)
    elif word == "read":
        bpy.ops.wm.read_userpref()
    elif word == "again":
        addon_utils.disable({MODULE!r}, default_set=True)
        addon_utils.enable({MODULE!r}, default_set=True)
    elif word == "keep":
        preferences().triangle_limit = 1234
        bpy.ops.wm.save_userpref()
        continue
    elif word == "kept":
        print("TOLD", preferences().triangle_limit)
        continue
    told()
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    return packed(tmp_path_factory.mktemp("package"))


@pytest.fixture
def with_wheels(package, tmp_path):
    """Return a function that packs the extension with wheels of some platforms."""

    def pack(*platforms, library=LIBRARY):
        wheels = [wheel_of(library, platform, tmp_path) for platform in platforms]
        out = tmp_path / f"{'-'.join(platforms)}.zip"
        add_wheels(package, out, wheels)
        return out

    return pack


def session(folder, *words):
    """Return what one session of Blender tells, as installed in a folder of the user."""
    command = [sys.executable, "-c", SESSION + LEAVE_WHEEL, "--"]
    if bpy.app.binary_path:
        command = [bpy.app.binary_path, "-b", "--python-exit-code", "1", "--python-expr"]
        command += [SESSION, "--"]
    done = subprocess.run(
        [*command, *map(str, words)],
        env=os.environ | {"BLENDER_USER_RESOURCES": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0 and "Traceback" not in done.stdout, done.stdout
    return [line[5:] for line in done.stdout.splitlines() if line.startswith("TOLD ")]


def test_blender_accepts_the_zip_with_wheels(with_wheels):
    extension("validate", with_wheels(HERE, ELSEWHERE))


@pytest.mark.skipif(
    bpy.app.version < (4, 3) and not bpy.app.binary_path,
    reason="the wheel of 4.2 crashes where it reads preferences",
)
def test_one_zip_over_the_other_keeps_the_settings(with_wheels, package, tmp_path):
    """The right wheel is used, also when enabled anew, and gone with the zip that has none."""
    whole, user = with_wheels(HERE, ELSEWHERE), tmp_path / "user"
    assert session(user, whole, "again", "keep") == ["kernel"] * 2
    assert session(user, "read", package, "kept")[::2] == ["kernel", "1234"]
    assert session(user, "read", whole, "kept") == [
        NONE,
        "kernel",
        "1234",
    ]


def test_where_no_wheel_fits_numpy_answers(with_wheels, tmp_path):
    assert session(tmp_path / "user", with_wheels(ELSEWHERE)) == [NONE]


def test_a_damaged_library_is_not_used(with_wheels, tmp_path):
    broken = tmp_path / LIBRARY.name
    broken.write_bytes(LIBRARY.read_bytes()[:9999])
    digest(broken).write_bytes(digest(LIBRARY).read_bytes())
    (told,) = session(tmp_path / "user", with_wheels(HERE, library=broken))
    assert told.endswith(f"{LIBRARY.name} is damaged: install it anew")


def test_a_foreign_interface_asks_for_a_restart(with_wheels, tmp_path, monkeypatch):
    """As on Windows, where a library that is in use outlives its update."""
    checkout = tmp_path / "checkout"
    (checkout / "octree_kernel").mkdir(parents=True)
    for name in PACKAGE:
        source = (CHECKOUT / "kernel" / name).read_text()
        (checkout / name).write_text(source.replace("\nABI = ", "\nABI = 9"))
    for name in ("pyproject.toml", "README.md"):
        (checkout / name).write_bytes((CHECKOUT / "kernel" / name).read_bytes())
    (checkout / "LICENSE").write_bytes(b"")
    monkeypatch.setattr("backend.HERE", checkout)
    (told,) = session(tmp_path / "user", with_wheels(HERE))
    assert "has the interface 9" in told and "restart Python or Blender" in told
