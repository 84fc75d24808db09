"""Print what each way to divide cells and to treat straddlers costs, and what it buys.

    .venv/bpy-4.5/bin/python benchmarks/policies.py [--scenes objects,islands] [--quick]

Two landscapes and two scenes of boxes, each built in every way and asked the same 10,000 spheres.
All trees give the same answers; what differs is how much they have to look at. One thread on one
core, the best of some turns. Items that are kept in tight cells take minutes.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from unittest import mock

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_name] = "1"  # NumPy reads it when it is imported
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np  # noqa: E402

from benchmarks import run, scenes, table  # noqa: E402
from core import (  # noqa: E402
    Boxes,
    Octree,
    Spheres,
    Triangles,
    build_octree,
    clip,
    query,
    ray_cast,
    statistics,
)
from core.shapes import Shapes  # noqa: E402

POLICIES = {
    "copy": {},
    "copy, median": {"split": "median"},
    "hybrid": {"straddlers": "hybrid"},
    "keep": {"straddlers": "keep"},
    "keep, loose 1.25": {"straddlers": "keep", "loose_factor": 1.25},
    "keep, loose 1.5": {"straddlers": "keep", "loose_factor": 1.5},
    "keep, loose 2": {"straddlers": "keep", "loose_factor": 2.0},
    "keep, median": {"straddlers": "keep", "split": "median"},
    "clip": {"straddlers": "clip"},
}
HEADINGS = (
    "", "references per item", "cells", "tests per sphere", "10,000 spheres", "10,000 rays",
    "build", "memory",
)  # fmt: skip
QUESTIONS, HITS = 10_000, 25


def mesh(triangles: int) -> tuple[Shapes, np.ndarray]:
    """Return the triangles of a landscape, and places on it to ask about."""
    landscape = scenes.landscape(triangles)
    places = scenes.places_on(landscape, QUESTIONS)
    return Triangles(landscape.vertices, landscape.faces), places


def objects(count: int) -> tuple[Shapes, np.ndarray]:
    """Return the bounds of objects from screws to halls, in heaps, and places among them.

    Most are around a meter; one of a hundred is ten times as large, one of a thousand a hundred
    times.
    """
    random = np.random.default_rng(11)
    heaps = random.uniform(0, 1000, (count // 200, 3)) * (1, 1, 0.1)
    spread = 10 ** random.uniform(0, 2, (len(heaps), 1))
    chosen = random.integers(len(heaps), size=count)
    centers = heaps[chosen] + random.normal(size=(count, 3)) * spread[chosen]
    halves = 0.25 * np.exp(random.normal(0, 1, (count, 1)) + random.normal(0, 0.5, (count, 3)))
    halves[::100] *= 10
    halves[::1000] *= 10
    places = centers[random.integers(count, size=QUESTIONS)]
    return Boxes(centers - halves, centers + halves), places


def islands(count: int) -> tuple[Shapes, np.ndarray]:
    """Return boxes crowded in twenty places, each a ten thousandth of the world wide."""
    random = np.random.default_rng(12)
    middles = random.uniform(0, 1000, (20, 3))[random.integers(20, size=count)]
    centers = middles + random.normal(0, 0.1, (count, 3))
    halves = 0.002 * np.exp(random.normal(0, 0.5, (count, 3)))
    return Boxes(centers - halves, centers + halves), centers[:QUESTIONS]


SCENES = {
    "mesh": ("{:,} triangles", (200_000, 1_000_000), mesh),
    "objects": ("{:,} boxes of all sizes, in heaps", (100_000,), objects),
    "islands": ("{:,} boxes on 20 tiny islands", (100_000,), islands),
}


def measured(items: Shapes, places: np.ndarray, seconds: float) -> Iterator[tuple[str, ...]]:
    """Yield a line for each policy."""
    radius = radius_touching(build_octree(items), places[:300])
    spheres = Spheres(places, np.full(len(places), radius))
    rays = (
        places + radius * np.array([3.0, 2.0, 9.0]),
        np.tile([-3.0, -2.0, -9.0], (len(places), 1)),
    )
    for name, options in POLICIES.items():
        if name == "clip" and not isinstance(items, Triangles):
            continue
        tree = build_octree(items, **options)
        figures = statistics(tree)
        build, ask, cast = table.fastest(
            partial(made, items, **options),
            partial(query, tree, spheres),
            partial(ray_cast, tree, *rays),
            seconds=seconds,
        )
        yield (
            name,
            f"{figures.references_per_item:.2f}",
            f"{figures.cells:,}",
            f"{item_tests(tree, spheres) / len(spheres):,.0f}",
            f"{ask:,.0f} ms",
            f"{cast:,.0f} ms",
            f"{build:,.0f} ms",
            f"{figures.bytes / 1e6:,.0f} MB",
        )


def made(items: Shapes, **options: object) -> Octree:
    """Build a tree; where triangles are clipped, that counts, too."""
    tree = build_octree(items, **options)
    if tree.straddlers == "clip":
        clip(tree)
    return tree


def radius_touching(tree: Octree, places: np.ndarray) -> float:
    """Return the radius at which spheres there touch about as many items as is wanted."""

    def touched(radius: float) -> float:
        return query(tree, Spheres(places, np.full(len(places), radius))).shape[1] / len(places)

    return scenes.bisect(HITS, touched, 0.0, tree.node_upper[0].max() - tree.node_lower[0].max())


def item_tests(tree: Octree, spheres: Spheres) -> int:
    """Count the pairs that reach the exact test."""
    with counted() as pairs:
        query(tree, spheres)
    return sum(pairs)


@contextmanager
def counted() -> Iterator[list[int]]:
    """Note how many pairs each call of the exact test is given."""
    pairs: list[int] = []
    module = sys.modules[query.__module__]
    test: Callable[..., np.ndarray] = module.touching

    def noting(items: Shapes, ids: np.ndarray, *rest: object) -> np.ndarray:
        pairs.append(len(ids))
        return test(items, ids, *rest)

    with mock.patch.object(module, "touching", noting):
        yield pairs


def main() -> None:
    """Measure the scenes that were asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scenes", default=",".join(SCENES), help=", ".join(SCENES))
    parser.add_argument("--quick", action="store_true", help="a tenth of the size and of the time")
    chosen = parser.parse_args()
    share, seconds = (0.1, 0.3) if chosen.quick else (1.0, 3.0)
    print(run.machine())
    lines = [HEADINGS]
    for scene in chosen.scenes.split(","):
        title, sizes, make = SCENES[scene]
        for size in sizes:
            items, places = make(int(size * share))
            lines.append((f"**{title.format(len(items))}**", *[""] * (len(HEADINGS) - 1)))
            lines += measured(items, places, seconds)
    print(markdown(lines))


def markdown(lines: list[tuple[str, ...]]) -> str:
    """Set the lines as one Markdown table, numbers to the right."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    rows = [lines[0], tuple(rule), *lines[1:]]
    return "\n".join("| " + " | ".join(padded(row, widths)) + " |" for row in rows)


def padded(row: tuple[str, ...], widths: list[int]) -> list[str]:
    """Fill up the cells of a row, the first to the right, the others to the left."""
    first, *others = zip(row, widths, strict=True)
    return [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]


if __name__ == "__main__":
    main()
