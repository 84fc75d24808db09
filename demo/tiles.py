"""3D Tiles: a scene in chunks, and a page beside them that shows them in a browser.

    python3 -m http.server --directory demo/out/tiles

The viewer, `3d-tiles-renderer` and `three`, is packed by npm and checked by hash; the page loads
nothing from other servers.
"""

import base64
import shutil
import subprocess
import tarfile
import tempfile
import time
from hashlib import sha512
from pathlib import Path

import bpy

PAGE = Path(__file__).with_name("tiles.html")
# For each package, npm's hash (dist.integrity) and the files that the page needs.
VIEWER = {
    "3d-tiles-renderer@0.5.3": (
        "i2TEtsboVa7C5pCpNKO3ctAopK0NlIReRb/CJKpvXDrwjWYL1M2oaKRZddvGDHE5udx7OyGN04glotqNruQYmQ==",
        (
            "LICENSE",
            "build/index.three.js",
            "build/renderer-CUfHAmYW.js",
            "build/renderer-_7gAivIK.js",
        ),
    ),
    "three@0.187.0": (
        "Qiu7R+Cmh8CstZsY1uJOSWnVlfo7ZtNLV7mF8Jltk3LB3AtDu9cRZlcnRKkAk8Y4z6KKw35z7Y7Urd7jWY8etA==",
        (
            "LICENSE",
            "build/three.core.js",
            "build/three.module.js",
            "examples/jsm/controls/OrbitControls.js",
            "examples/jsm/loaders/GLTFLoader.js",
            "examples/jsm/utils/BufferGeometryUtils.js",
            "examples/jsm/utils/SkeletonUtils.js",
        ),
    ),
}


def run(name: str, folder: Path, budget: int) -> dict:
    """Export the visible objects as 3D Tiles by a budget, with the page; return figures."""
    start = time.perf_counter()
    # A map is divided as seen from above: fewer trees are cut.
    options = {"scope": "VISIBLE", "triangles": budget, "tree": "QUADTREE", "form": "TILES"}
    bpy.ops.octree.export_chunks(folder=str(folder.resolve()), **options)
    spent = 1000 * (time.perf_counter() - start)
    files = list(folder.glob("*.glb"))
    return {
        "name": name,
        "folder": str(folder),
        "budget": budget,
        "tiles": len(files),
        "bytes": sum(each.stat().st_size for each in files),
        "ms": spent,
        "viewer": fetch(folder),
    }


def fetch(folder: Path) -> str:
    """Put the page and the viewer beside tiles; return the reason if that fails, else no text."""
    try:
        with tempfile.TemporaryDirectory(prefix="octree-viewer-") as place:
            for spec, (wanted, files) in VIEWER.items():
                to = folder / "viewer" / spec.partition("@")[0]
                unpack(packed(spec, Path(place)), wanted, files, to)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return str(error).partition("\n")[0]
    shutil.copyfile(PAGE, folder / "index.html")
    return ""


def packed(spec: str, folder: Path) -> Path:
    """Let npm pack a package into an empty folder."""
    npm = shutil.which("npm")
    if npm is None:
        raise ValueError("there is no npm")
    command = [npm, "pack", "--silent", "--prefer-offline", "--pack-destination", folder, spec]
    # Fail fast if the registry cannot be reached.
    command += ["--fetch-retries=0", "--fetch-timeout=60000"]
    done = subprocess.run(
        command, cwd=folder, check=False, capture_output=True, text=True, timeout=300
    )
    path = folder / done.stdout.strip().rpartition("\n")[2]
    if done.returncode or not path.is_file():
        raise ValueError(f"npm cannot have {spec}")
    return path


def unpack(path: Path, wanted: str, files: tuple[str, ...], folder: Path) -> None:
    """Write some files of a package, if its hash is the wanted one."""
    content = path.read_bytes()
    if hash_of(content) != wanted:
        raise ValueError(f"{path.name} is not what it was: another hash")
    with tarfile.open(path) as archive:
        for name in files:
            member = archive.extractfile(f"package/{name}")
            assert member is not None, name
            to = folder / name
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(member.read())


def hash_of(content: bytes) -> str:
    """Return the hash of a package as npm shows it."""
    return base64.b64encode(sha512(content).digest()).decode()
