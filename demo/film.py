"""The film as figures: a dynamic octree follows the ships, and each frame is recorded."""

from dataclasses import dataclass
from types import ModuleType

import numpy as np

from demo import ships

OPTIONS = {"capacity": 16, "merge_below": 8, "grow_above": 10, "shrink_below": 10}
FIGURES = ("cells", "splits", "merges", "growths", "shrinks", "outside", "local", "median")


@dataclass(frozen=True)
class Lives:
    """Boxes that come and go: walls (b, 6), each there from frame `born` until before `died`."""

    walls: np.ndarray
    born: np.ndarray
    died: np.ndarray

    def __getitem__(self, which: np.ndarray) -> "Lives":
        """Return some of them."""
        return Lives(self.walls[which], self.born[which], self.died[which])

    def at(self, frame: int) -> "Lives":
        """Return the boxes that exist in a frame."""
        return self[(self.born <= frame) & (frame < self.died)]


@dataclass(frozen=True)
class Film:
    """Record of the film: a row of `FIGURES` for each frame, and the boxes of cells and roots.

    Splits, merges, growths and shrinks are counted per frame. `local` is the number of candidates
    of the first ship, itself included; `median` is the median over all ships. `cells` are the
    loose bounds of the cells that hold ships; `roots` are the tight bounds of the roots.
    """

    figures: np.ndarray
    cells: Lives
    roots: Lives

    def __getitem__(self, name: str) -> np.ndarray:
        """Return one of the figures, frame by frame."""
        return self.figures[:, FIGURES.index(name)]


def shoot(core: ModuleType) -> Film:
    """Move all ships in every frame and record the tree."""
    harbour, radii = np.array([ships.HARBOUR]), ships.radii()
    tree = core.DynamicOctree(bounds=core.Boxes(-harbour, harbour), **OPTIONS)
    ids = tree.insert(core.Spheres(ships.places(0), radii))
    figures, cells, roots, before = [], [], [], np.zeros(4, int)
    for frame in range(ships.FRAMES):
        fleet = core.Spheres(ships.places(frame), radii)
        tree.move(ids, fleet)
        octree, turnover = tree.octree, np.array([*vars(tree.turnover).values()])
        local = np.bincount(core.query(octree, fleet, relation="candidates")[0])
        counts = len(octree.node_depth), *(turnover - before), len(tree.outside)
        figures.append((*counts, local[0], np.median(local)))
        held, before = np.flatnonzero(octree.item_counts), turnover
        cells.append(np.concatenate((octree.loose_lower[held], octree.loose_upper[held]), axis=1))
        roots.append(np.concatenate((octree.node_lower[:1], octree.node_upper[:1]), axis=1))
    return Film(np.array(figures), _lives(cells), _lives(roots))


def _lives(frames: list[np.ndarray]) -> Lives:
    """Merge equal boxes (b, 6) of consecutive frames."""
    frame = np.repeat(np.arange(len(frames)), [len(boxes) for boxes in frames])
    walls, number = np.unique(np.concatenate(frames), axis=0, return_inverse=True)
    number = number.ravel()  # NumPy 2.0 returned a column
    order = np.argsort(number, kind="stable")
    number, frame = number[order], frame[order]
    begins = np.ones(len(order) + 1, bool)
    begins[1:-1] = (np.diff(number) != 0) | (np.diff(frame) != 1)
    first, last = np.flatnonzero(begins[:-1]), np.flatnonzero(begins[1:])
    return Lives(walls[number[first]], frame[first], frame[last] + 1)


def summary(film: Film) -> dict:
    """Sum up the film for the report."""
    sums = {name: int(film[name].sum()) for name in ("splits", "merges", "growths", "shrinks")}
    cells, local = film["cells"], film["median"]
    return {
        "ships": ships.COUNT,
        "frames": len(film.figures),
        "cells": {"fewest": int(cells.min()), "most": int(cells.max())},
        **sums,
        "local": {"fewest": local.min(), "median": np.median(local), "most": local.max()},
    }
