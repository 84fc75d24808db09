"""Print and plot the gain of loose cells in a forest: items in upper cells, and tested items.

    .venv/peers-numpy1/bin/python benchmarks/looseness.py [--plot FILE.png]

The forest that Piko3D worries about ("Space Partitioning Tutorial", 2010): 20,000 trees whose
crowns touch, many of them across the walls of cells, so that a character who walks among them is
held against all those that no small cell can hold. The counts are exact and the same everywhere.

The icoseptree that the article weighs is measured on paper: of the trees that a tight octree keeps
in a divided cell, how many would a middle part hold? It has 27 parts: the eight, and one between
any neighbors, each half as wide as the cell.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from core import Boxes, DynamicOctree, Octree, Spheres, query

FACTORS = (1.0, 1.05, 1.1, 1.15, 1.2, 1.25, 1.3, 1.4, 1.5, 1.6, 1.75, 2.0)
TREES, SIDE = 20_000, 640.0  # of the forest, in meters
PLACES, REACH = 10_000, 0.5  # of the character, a sphere
UPPER = 3  # cells above this depth are 80 m wide or more


def forest() -> Boxes:
    """Return the bounds of trees 3 to 24 m high, about a third as wide, on rolling hills."""
    random = np.random.default_rng(5)
    place = random.uniform(0, SIDE, (TREES, 2))
    height = np.clip(12 * np.exp(random.normal(0, 0.35, TREES)), 3, 24)
    width = height * random.uniform(0.25, 0.45, TREES)
    ground = hills(place)
    half = np.stack([width / 2, width / 2], axis=1)
    lower = np.column_stack((place - half, ground))
    return Boxes(lower, np.column_stack((place + half, ground + height)))


def hills(place: np.ndarray) -> np.ndarray:
    """Return how high the ground is at places (n, 2)."""
    x, y = place.T
    return 15 * np.sin(x / 70) * np.cos(y / 90) + 4 * np.sin(x / 23 + y / 31)


def walk() -> Spheres:
    """Return the character at many places in the forest."""
    place = np.random.default_rng(6).uniform(0, SIDE, (PLACES, 2))
    return Spheres(np.column_stack((place, hills(place) + 1)), np.full(PLACES, REACH))


def tree_of(items: Boxes, factor: float) -> Octree:
    """Return a dynamic octree of the items with defaults, except for factor and bounds."""
    lower = items.lower.min(axis=0)
    size = (items.upper.max(axis=0) - lower).max()
    world = Boxes([lower], [lower + size])  # the forest covers its floor
    tree = DynamicOctree(loose_factor=factor, bounds=world)
    tree.insert(items)
    return tree.octree


def cell_of(tree: Octree) -> np.ndarray:
    """Return the cell of each item, (n,)."""
    items, cells = tree.cells_of()
    return cells[np.argsort(items)]


def figures(tree: Octree, character: Spheres) -> tuple[int, float, int]:
    """Return items left in upper cells, tests per query, and cells."""
    upper = np.count_nonzero(tree.node_depth[cell_of(tree)] < UPPER)
    tests = query(tree, character, relation="candidates").shape[1] / len(character)
    return upper, tests, len(tree.node_depth)


def kept_by(tree: Octree, items: Boxes) -> tuple[np.ndarray, np.ndarray]:
    """Return lower and upper corners of the items in divided cells, (k, 3) each.

    Coordinates are relative to the cell, which reaches from 0 to 1.
    """
    cells = cell_of(tree)
    kept = np.flatnonzero(~tree.is_leaf[cells])
    low, high = tree.node_lower[cells[kept]], tree.node_upper[cells[kept]]
    return tuple((walls[kept] - low) / (high - low) for walls in (items.lower, items.upper))


def held_by_middle(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Flag the items that fit into one of the 27 parts of an icoseptree, (k,)."""
    parts = [(start >= low) & (end <= low + 0.5) for low in (0, 0.25, 0.5)]
    return np.any(parts, axis=0).all(axis=1)


def held_by_loose(start: np.ndarray, end: np.ndarray, factor: float) -> np.ndarray:
    """Flag the items that fit into the loose child cell around their center, (k,)."""
    middle = np.where(start + end >= 1, 0.75, 0.25)
    half = 0.25 * factor
    return ((start >= middle - half) & (end <= middle + half)).all(axis=1)


def measured(factors: tuple[float, ...] = FACTORS) -> tuple[np.ndarray, int, float]:
    """Return a row for each factor, the items kept by a tight tree, and the icoseptree's share.

    A row is the factor, items in upper cells, the share of those kept that would sink, tests per
    query, and cells.
    """
    items, character = forest(), walk()
    start, end = kept_by(tree_of(items, 1.0), items)
    rows = []
    for factor in factors:
        upper, tests, cells = figures(tree_of(items, factor), character)
        rows.append((factor, upper, held_by_loose(start, end, factor).mean(), tests, cells))
    return np.array(rows), len(start), float(held_by_middle(start, end).mean())


def report(rows: np.ndarray, kept: int, icoseptree: float) -> str:
    """Set the figures as a Markdown table."""
    lines = [
        f"| loose factor | in upper cells | of {kept:,} kept, sink | tests per query | cells |",
        "| -----------: | -------------: | ------------------: | --------------: | ----: |",
    ]
    for factor, upper, share, tests, cells in rows:
        lines.append(f"| {factor:g} | {upper:,.0f} | {share:.1%} | {tests:,.0f} | {cells:,.0f} |")
    lines.append(f"| icoseptree, on paper | | {icoseptree:.1%} | | |")
    return "\n".join(lines)


def plot(rows: np.ndarray, icoseptree: float, path: Path) -> None:
    """Draw what is tested, and what sinks, against the factor."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    factors, upper, share, tests, _ = rows.T
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    left.semilogy(factors, tests, "o-", label="tests per query")
    left.semilogy(factors[upper > 0], upper[upper > 0], "s-", label="trees left in upper cells")
    right.plot(factors, 100 * share, "o-", label="loose cells")
    right.axhline(100 * icoseptree, color="gray", linestyle=":", label="icoseptree, 27 parts")
    right.set(ylabel="% of the trees kept that would sink", ylim=(0, 103))
    for axes in (left, right):
        axes.set(xlabel="loose factor")
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Measure every factor, print the figures and draw them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", type=Path, help="a picture to write; needs matplotlib")
    chosen = parser.parse_args()
    rows, kept, icoseptree = measured()
    print(report(rows, kept, icoseptree))
    if chosen.plot:
        plot(rows, icoseptree, chosen.plot)


if __name__ == "__main__":
    main()
