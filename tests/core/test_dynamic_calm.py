"""How calm a tree is whose items breathe across a wall, and how one flutters."""

import numpy as np
import pytest
from crowd import CORNERS, WORLD

from core import DynamicOctree, Spheres

FRAMES, BREATH = 1000, 20
CAPACITY = 8
RESIDENTS = np.concatenate((CORNERS[:6] * 3 + 2.0, [[13, 13, 13]]))
SWARM = np.array([[8, 4, 4]]) + np.arange(4)[:, None] * [0, 0.5, 0.5]
AHEAD = np.array([1.0, 0, 0])


def turnover_of_breathing(**options):
    """Count splits and merges, frame by frame, while four of eleven breathe across x = 8.

    Six stand in one part of the root, which may hold eight; with the four, it holds ten.
    """
    tree, turnover = DynamicOctree(bounds=WORLD, capacity=CAPACITY, **options), []
    ids = tree.insert(balls(np.concatenate((RESIDENTS, SWARM))))
    for frame in range(FRAMES):
        breath = 3 * np.sin(2 * np.pi * frame / BREATH)
        tree.move(ids[len(RESIDENTS) :], balls(SWARM + breath * AHEAD))
        if frame < 2 * BREATH:
            tree.check()
        turnover.append(tree.turnover.splits + tree.turnover.merges)
    return turnover


def balls(centers):
    return Spheres(centers, np.full(len(centers), 0.5))


@pytest.mark.parametrize("straddlers", ["keep", "copy"])
def test_far_thresholds_keep_a_breathing_swarm_calm(straddlers):
    turnover = turnover_of_breathing(merge_below=4, straddlers=straddlers)
    assert 0 < turnover[-1] == turnover[BREATH]


@pytest.mark.parametrize("straddlers", ["keep", "copy"])
def test_one_threshold_both_ways_flutters(straddlers):
    """A division and a merge with every breath."""
    turnover = turnover_of_breathing(merge_below=CAPACITY, straddlers=straddlers)
    assert turnover[-1] >= 2 * FRAMES / BREATH - 1
