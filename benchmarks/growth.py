"""Print and plot how time grows with the mesh, from ten thousand to ten million triangles.

    .venv/peers-numpy1/bin/python benchmarks/growth.py [--sizes 10000,100000] [--plot FILE.png]

For each size a process of its own builds the octree of a landscape and asks it 10,000 spheres that
touch about 25 triangles each. A slope of 1 on paper ruled by powers of ten means that twice the
triangles take twice the time, a slope of 0 that they take no longer.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_name] = "1"  # NumPy reads it when it is imported
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

if TYPE_CHECKING:
    from core import Octree

SIZES = (10_000, 31_623, 100_000, 316_228, 1_000_000, 3_162_278, 10_000_000)
QUESTIONS, HITS = 10_000, 25
# The slope that was asked for, and the one that was hoped for.
SLOPES = {"build": (1.15, 1.05), "ask": (0.35, 0.2)}
TITLES = {"build": "build the octree", "ask": "ask 10,000 spheres"}


def measured(arrays: Path) -> dict[str, float]:
    """Build and ask: seconds, the best of some turns; and the highest use of memory in GiB."""
    from benchmarks import table
    from core import Spheres, Triangles, build_octree, query

    with np.load(arrays) as file:
        vertices, faces, places = file["vertices"], file["faces"], file["places"]
    mesh = Triangles(vertices, faces)
    tree = build_octree(mesh)
    memory = highest_memory()  # what it took to get here, NumPy and the arrays included
    spheres = Spheres(places, np.full(len(places), radius_touching(tree, places[:300])))
    asking = partial(query, tree, spheres)
    build, ask = table.fastest(partial(build_octree, mesh), asking, seconds=3)
    hits = asking().shape[1] / len(spheres)
    figures = {"build": build / 1000, "ask": ask / 1000, "hits": hits, "memory": memory}
    return {"triangles": len(mesh), **figures}


def radius_touching(tree: "Octree", places: np.ndarray) -> float:
    """Return the radius at which spheres there touch about so many triangles as is wanted."""
    from core import Spheres, query

    radius = (tree.node_upper[0] - tree.node_lower[0]).max() / len(tree) ** 0.5
    for _ in range(6):  # on a surface, twice the radius touches four times as many
        touched = query(tree, Spheres(places, np.full(len(places), radius))).shape[1]
        radius *= (HITS * len(places) / max(touched, 1)) ** 0.5
    return radius


def highest_memory() -> float:
    """Return the most memory that this process has had in use, in GiB."""
    # Not getrusage: what it calls the maximum is inherited from the parent.
    lines = Path("/proc/self/status").read_text().splitlines()
    (line,) = (line for line in lines if line.startswith("VmHWM"))
    return int(line.split()[1]) / 2**20


def of_size(triangles: int) -> dict[str, float]:
    """Measure one size in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        arrays = str(Path(folder) / "arrays.npz")
        for what in ("--make", "--measure"):
            command = [sys.executable, __file__, what, arrays, "--sizes", str(triangles)]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def make(arrays: Path, triangles: int) -> None:
    """Write the landscape and places on it to a file; Blender's memory ends with this process."""
    from benchmarks import scenes

    mesh = scenes.landscape(triangles)
    places = scenes.places_on(mesh, QUESTIONS)
    np.savez(arrays, vertices=mesh.vertices, faces=mesh.faces, places=places)


def slope(rows: list[dict[str, float]], name: str) -> float:
    """Return the exponent of the power law that fits best."""
    triangles, seconds = ([row[key] for row in rows] for key in ("triangles", name))
    return np.polyfit(np.log(triangles), np.log(seconds), 1)[0]


def last_decade(rows: list[dict[str, float]]) -> list[dict[str, float]]:
    """Return the sizes from a tenth of the largest on."""
    least = rows[-1]["triangles"] * 0.09
    return [row for row in rows if row["triangles"] >= least]


def report(rows: list[dict[str, float]]) -> str:
    """Set the figures as a Markdown table, and say which bounds were reached."""
    lines = [
        "| triangles | build | a million of them | 10,000 spheres | hits each | peak memory |",
        "| --------: | ----: | ----------------: | -------------: | --------: | ----------: |",
    ]
    for row in rows:
        each = row["build"] / row["triangles"] * 1e6
        lines.append(
            f"| {row['triangles']:,} | {row['build']:.3g} s | {each:.2f} s | {row['ask']:.3g} s"
            f" | {row['hits']:.1f} | {row['memory']:.2f} GiB |"
        )
    lines.append("")
    for name, (must, aim) in SLOPES.items():
        fitted = slope(rows, name)
        verdict = "aim" if fitted <= aim else "must" if fitted <= must else "missed"
        # A curve that falls and then rises may fit a flat line.
        end = slope(last_decade(rows), name)
        lines.append(
            f"{name}: slope {fitted:.2f}, must {must}, aim {aim}: {verdict};"
            f" {end:.2f} over the last tenfold alone"
        )
    return "\n".join(lines)


def plot(rows: list[dict[str, float]], path: Path) -> None:
    """Draw both curves and the power laws that fit them."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    triangles = np.array([row["triangles"] for row in rows])
    for name, title in TITLES.items():
        seconds, fitted = np.array([row[name] for row in rows]), slope(rows, name)
        level = np.exp(np.log(seconds).mean() - fitted * np.log(triangles).mean())
        (points,) = axes.loglog(triangles, seconds, "o", label=f"{title}: slope {fitted:.2f}")
        axes.loglog(triangles, level * triangles**fitted, "-", color=points.get_color(), alpha=0.5)
    axes.set(xlabel="triangles", ylabel="seconds, one core")
    axes.grid(which="major", alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Measure every size, print the figures and draw them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="triangles, by commas")
    parser.add_argument("--plot", type=Path, help="a picture to write; needs matplotlib")
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    sizes = [int(size) for size in chosen.sizes.split(",")]
    if chosen.make:
        make(chosen.make, sizes[0])
    elif chosen.measure:
        print(json.dumps(measured(chosen.measure)))
    else:
        rows = [of_size(size) for size in sizes]
        print(report(rows))
        if chosen.plot:
            plot(rows, chosen.plot)


if __name__ == "__main__":
    main()
