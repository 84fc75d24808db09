"""Print and plot how time grows with a mesh, to ten million triangles, and with 64,000 placements.

    .venv/peers-numpy1/bin/python benchmarks/growth.py [--sizes 10000,100000] [--plot FILE.png]
        [--placements 1000,64000]

For each size a process of its own builds the octree of a landscape, or makes the index of a scene
of five meshes, and asks it 10,000 spheres that touch about 25 triangles each. A slope of 1 on
paper ruled by powers of ten means that twice as many take twice the time, a slope of 0 that they
take no longer.
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
    from core import Octree, SceneOctree

SIZES = (10_000, 31_623, 100_000, 316_228, 1_000_000, 3_162_278, 10_000_000)
PLACEMENTS = (1_000, 4_000, 16_000, 64_000)
QUESTIONS, HITS = 10_000, 25
# Required and desired slopes.
SLOPES = {"build": (1.15, 1.05), "ask": (0.35, 0.2)}
TITLES = {"build": "build", "ask": "ask 10,000 spheres", "move": "move 50"}


def measured(arrays: Path) -> dict[str, float]:
    """Build and ask: seconds, the best of some turns; and the highest use of memory in GiB."""
    from benchmarks import table
    from core import Spheres, Triangles, build_octree, query

    with np.load(arrays) as file:
        vertices, faces, places = file["vertices"], file["faces"], file["places"]
    mesh = Triangles(vertices, faces)
    tree = build_octree(mesh)
    memory = highest_memory()  # what it took to get here, NumPy and the arrays included
    start = (tree.node_upper[0] - tree.node_lower[0]).max() / len(tree) ** 0.5
    radius = radius_touching(tree, places[:300], start)
    spheres = Spheres(places, np.full(len(places), radius))
    asking = partial(query, tree, spheres)
    build, ask = table.fastest(partial(build_octree, mesh), asking, seconds=3)
    hits = asking().shape[1] / len(spheres)
    figures = {"build": build / 1000, "ask": ask / 1000, "hits": hits, "memory": memory}
    return {"triangles": len(mesh), **figures}


def measured_scene(count: int) -> dict[str, float]:
    """Place `count` meshes, query, and move 50: best seconds of some turns, and memory in GiB."""
    from benchmarks import placed_rows, table
    from core import Spheres, query

    scene = placed_rows.index(count)
    _, matrices = placed_rows.places(count)
    random = np.random.default_rng(3)
    near = random.normal(0.0, 0.5, (QUESTIONS, 3))
    places = matrices[random.integers(count, size=QUESTIONS), :3, 3] + near
    spheres = Spheres(places, np.full(QUESTIONS, radius_touching(scene, places, start=1.0)))
    few = (scene.ids[:50], matrices[:50].copy())

    def shift(number: int) -> None:
        few[1][:, :3, 3] += 0.01

    asking = partial(query, scene, spheres)
    build, ask = table.fastest(partial(placed_rows.index, count), asking, seconds=3)
    (move,) = table.fastest(lambda: scene.move(*few), seconds=1, before=shift)
    figures = {"build": build / 1000, "ask": ask / 1000, "move": move / 1000}
    hits = asking().shape[1] / QUESTIONS
    return {"placements": count, **figures, "hits": hits, "memory": highest_memory()}


def radius_touching(tree: "Octree | SceneOctree", places: np.ndarray, start: float) -> float:
    """Return the radius at which spheres touch about the wanted number of triangles."""
    from core import Spheres, query

    radius = start
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
    """Measure one size of a mesh in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        arrays = str(Path(folder) / "arrays.npz")
        run("--make", arrays, "--sizes", str(triangles))
        return json.loads(run("--measure", arrays))


def run(*arguments: str) -> str:
    """Run this script, and return the last line that it prints."""
    command = [sys.executable, __file__, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return (done.stdout.splitlines() or [""])[-1]


def make(arrays: Path, triangles: int) -> None:
    """Write the landscape and places on it to a file; Blender's memory ends with this process."""
    from benchmarks import scenes

    mesh = scenes.landscape(triangles)
    places = scenes.places_on(mesh, QUESTIONS)
    np.savez(arrays, vertices=mesh.vertices, faces=mesh.faces, places=places)


def slope(rows: list[dict[str, float]], name: str) -> float:
    """Return the exponent of the power law that fits best."""
    many, seconds = ([row[key] for row in rows] for key in (next(iter(rows[0])), name))
    return np.polyfit(np.log(many), np.log(seconds), 1)[0]


def last_decade(rows: list[dict[str, float]]) -> list[dict[str, float]]:
    """Return the sizes from a tenth of the largest on."""
    least = rows[-1]["triangles"] * 0.09
    return [row for row in rows if row["triangles"] >= least]


def report(rows: list[dict[str, float]]) -> str:
    """Set the figures of meshes as a Markdown table, and say which bounds were reached."""
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


def report_scenes(rows: list[dict[str, float]]) -> str:
    """Set the figures of scenes as a Markdown table, and the slopes below it."""
    lines = [
        "| placements | index made | 10,000 spheres | 50 moved | hits each | peak memory |",
        "| ---------: | ---------: | -------------: | -------: | --------: | ----------: |",
    ]
    lines += [
        f"| {row['placements']:,} | {row['build'] * 1e3:.3g} ms | {row['ask'] * 1e3:.3g} ms"
        f" | {row['move'] * 1e3:.3g} ms | {row['hits']:.1f} | {row['memory']:.2f} GiB |"
        for row in rows
    ]
    slopes = ", ".join(f"{name} {slope(rows, name):.2f}" for name in TITLES)
    return "\n".join([*lines, "", f"slopes: {slopes}"])


def plot(tables: list[list[dict[str, float]]], path: Path) -> None:
    """Draw the curves of each table side by side, and the power laws that fit them."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(
        1, len(tables), figsize=(10, 4.2), layout="constrained", squeeze=False
    )
    for axes, rows in zip(panels[0], tables, strict=True):
        what = next(iter(rows[0]))
        many = np.array([row[what] for row in rows])
        for name in (name for name in TITLES if name in rows[0]):
            seconds, fitted = np.array([row[name] for row in rows]), slope(rows, name)
            level = np.exp(np.log(seconds).mean() - fitted * np.log(many).mean())
            (points,) = axes.loglog(
                many, seconds, "o", label=f"{TITLES[name]}: slope {fitted:.2f}"
            )
            axes.loglog(many, level * many**fitted, "-", color=points.get_color(), alpha=0.5)
        axes.set(xlabel=what, ylabel="seconds, one core")
        axes.grid(which="major", alpha=0.3)
        axes.legend(frameon=False)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Measure every size, print the figures and draw them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="triangles, by commas")
    parser.add_argument(
        "--placements", default=",".join(map(str, PLACEMENTS)), help="of five meshes, by commas"
    )
    parser.add_argument("--plot", type=Path, help="a picture to write; needs matplotlib")
    for step in ("--make", "--measure"):
        parser.add_argument(step, type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--place", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    sizes = [int(size) for size in chosen.sizes.split(",")]
    if chosen.make:
        make(chosen.make, sizes[0])
    elif chosen.measure:
        print(json.dumps(measured(chosen.measure)))
    elif chosen.place:
        print(json.dumps(measured_scene(chosen.place)))
    else:
        rows = [of_size(size) for size in sizes]
        print(report(rows), end="\n\n")
        counts = chosen.placements.split(",")
        scenes = [json.loads(run("--place", count)) for count in counts]
        print(report_scenes(scenes))
        if chosen.plot:
            plot([rows, scenes], chosen.plot)


if __name__ == "__main__":
    main()
