"""The film as figures: a dynamic octree follows the ships, and every frame is taken down."""

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
        """Return those that are there in a frame."""
        return self[(self.born <= frame) & (frame < self.died)]


@dataclass(frozen=True)
class Film:
    """What happened, a row of `FIGURES` for each frame, and which boxes there were.

    Splits, merges, growths and shrinks are those of the frame alone. `local` is how many ships the
    first one has to be held against, itself included; `median` is that of all ships. `cells` are
    those in which ships stand, as large as they are for these; `roots` are the roots, tight.
    """

    figures: np.ndarray
    cells: Lives
    roots: Lives

    def __getitem__(self, name: str) -> np.ndarray:
        """Return one of the figures, frame by frame."""
        return self.figures[:, FIGURES.index(name)]


def shoot(core: ModuleType) -> Film:
    """Let the ships fly, all of them in every frame."""
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
    """Join equal boxes (b, 6) of frames that follow each other."""
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
