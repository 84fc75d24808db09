"""Record questions and NumPy's answers, and ask them anew in C on machines that are emulated.

    PYTHONPATH=.:tests .venv/core-newest/bin/python kernel/tests/recorded.py [WORLDS]

Compiles with the ziglang of `.venv/kernel`. ARM is played by qemu-user, Windows by wine, where
these are installed. That looks at compilers, not at NumPy, on those machines.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import kernel_worlds as worlds
import numpy as np

from core import Boxes, Spheres, Triangles, compiled, nearest, query, ray_cast

HERE = Path(__file__).resolve().parent
OUT = HERE.parents[1] / ".cache/recorded"
ZIG = HERE.parents[1] / ".venv/kernel/bin/python"
# What plays the machine, if it is none of ours, and what ziglang calls that. Debian's `wine64` is
# on no path.
MACHINES = {
    "x86_64-linux-musl": [],
    "aarch64-linux-musl": ["qemu-aarch64-static", "qemu-aarch64"],
    "x86_64-windows-gnu": ["wine64", "wine", "/usr/lib/wine/wine64"],
}


def recorded(seed: int) -> list[np.ndarray] | None:
    """Return a world, its questions and NumPy's answers; None of some that are not taken."""
    tree, (origins, directions, _, _) = worlds.world(seed)
    if tree.groups is not None or tree.outside or len(tree.order) == 0:
        return None
    sizes = np.ptp(origins, axis=0) / 9
    asked = Spheres(origins, np.full(len(origins), sizes.max())), Boxes(origins, origins + sizes)
    with worlds.packing(False):
        hits, near = ray_cast(tree, origins, directions), nearest(tree, origins)
        met = [query(tree, volumes) for volumes in asked]
    triangles = tree.arranged
    cells = (tree.first_child, tree.begin, tree.own_end, tree.end, tree.references, tree.strays)
    rays = (hits.items, hits.distances, hits.positions, hits.normals, hits.barycentric)
    apart = (near.items, near.distances, near.positions)
    touched = ((np.bincount(pairs[0], minlength=len(origins)), pairs[1]) for pairs in met)
    answers = (
        np.concatenate([np.ravel(row).astype(float) for row in rows])
        for rows in (rays, apart, *touched)
    )
    volumes = [compiled.VolumesAsked.of(each, Triangles, 1).rows for each in asked]
    # No number is written down as the kernel does: its NaN has one sign, NumPy's may have any.
    made = [np.where(np.isnan(each), np.nan, each) for each in answers]
    return [
        triangles.vertices.T, triangles.faces.T, tree.order, tree.loose_rows, *cells,
        np.array([tree.slack]), origins, directions, np.concatenate(volumes), *made,
    ]  # fmt: skip


def main(count: int) -> None:
    """Write the record, compile the driver for each machine, and run it."""
    OUT.mkdir(parents=True, exist_ok=True)
    known = [each for each in map(recorded, range(count)) if each]
    with (OUT / "answers").open("wb") as file:
        for array in [np.array([len(known)]), *(array for each in known for array in each)]:
            file.write(np.array([array.size, array.itemsize]).tobytes() + array.tobytes())
    for machine, names in MACHINES.items():
        program = OUT / f"driver-{machine}.exe"
        flags = ["-O3", "-std=c11", "-ffp-contract=off", "-fno-math-errno", "-target", machine]
        command = [ZIG, "-m", "ziglang", "cc", *flags, HERE / "driver.c", "-o", program]
        subprocess.run([*command, *(["-lm"] if "linux" in machine else [])], check=True)
        player = [path for path in map(shutil.which, names) if path][:1]
        if names and not player:
            print(f"{machine}: {names[0]} is not installed")
            continue
        done = subprocess.run([*player, program, "answers"], cwd=OUT, check=False,
                              capture_output=True, text=True)  # fmt: skip
        print(f"{machine}: {done.stdout.strip()[-300:]} (code {done.returncode})", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
