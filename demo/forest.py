"""A forest on hills, as arrays: positions, kinds, scales and rotations of 2,000 trees.

Trees keep a distance, grow in groves of a kind, and leave clearings and a lane free.
"""

from dataclasses import dataclass

import numpy as np

COUNT = 2_000
SIZE = (380.0, 240.0)  # meters, around the origin
CELL = 2.5  # edge of the quads of the ground
SPACING = (3.9, 6.0)  # from tree to tree: in a thicket, and in a clearing
LANE = 5.0  # half the width of the strip where nothing grows


@dataclass(frozen=True)
class Forest:
    """Trees: positions (n, 3), kinds (n,), angles (n, 3), scales (n,)."""

    places: np.ndarray
    kinds: np.ndarray
    turns: np.ndarray
    sizes: np.ndarray


def forest() -> Forest:
    """Return the trees, the same ones in each call."""
    random = np.random.default_rng(2)
    spots = _spots(random)
    height, (x, y) = hills(spots), spots.T
    lane = np.abs(y - _lane(x))
    # Spruces on the hills, birches along the lane, oaks elsewhere, all a little mixed.
    chance = random.normal(0, 0.45, (3, COUNT))
    likes = np.stack([0.3 * height - 0.2, np.full(COUNT, 0.1), 1.5 - lane / 9])
    kinds = np.argmax(likes + chance, axis=0)
    turns = np.stack([*random.normal(0, 0.04, (2, COUNT)), random.uniform(0, 6.28, COUNT)], axis=1)
    sizes = np.clip(np.exp(random.normal(-0.05, 0.22, COUNT)), 0.45, 1.5)
    return Forest(np.column_stack([spots, height]), kinds, turns, sizes)


def hills(places: np.ndarray) -> np.ndarray:
    """Return the height of the ground at places (n, 2)."""
    x, y = places.T
    return 6.0 * np.sin(x / 47 + 0.4) * np.cos(y / 53) + 1.6 * np.sin(x / 19 + y / 23)


def ground() -> tuple[np.ndarray, np.ndarray]:
    """Return the vertices (v, 3) and quads (q, 4) of the ground."""
    across, along = (np.linspace(-side / 2, side / 2, round(side / CELL) + 1) for side in SIZE)
    x, y = (axis.ravel() for axis in np.meshgrid(across, along))
    row = len(across)
    corner = np.arange(len(x)).reshape(-1, row)[:-1, :-1].ravel()
    quads = corner[:, None] + [0, 1, row + 1, row]
    return np.column_stack([x, y, hills(np.column_stack([x, y]))]), quads


def _spots(random: np.random.Generator) -> np.ndarray:
    """Sample places (n, 2) with a minimum distance, by dart throwing."""
    half = 0.49 * np.array(SIZE)
    darts = random.uniform(-half, half, (20 * COUNT, 2))
    thin = _thinness(darts)
    grows = (random.random(len(darts)) > thin) & (np.abs(darts[:, 1] - _lane(darts[:, 0])) > LANE)
    apart = SPACING[0] + (SPACING[1] - SPACING[0]) * thin
    found, count = np.full((COUNT, 2), np.inf), 0
    for spot, distance in zip(darts[grows], apart[grows], strict=True):
        if count < COUNT and ((found[:count] - spot) ** 2).sum(1).min(initial=1e9) > distance**2:
            found[count], count = spot, count + 1
    assert count == COUNT, "the forest is too small for its trees"
    return found


def _thinness(spots: np.ndarray) -> np.ndarray:
    """Return 0 in a thicket, and up to 1 in a clearing, at spots (n, 2)."""
    x, y = spots.T
    waves = np.sin(x / 29 + 1.3) * np.sin(y / 24 - 0.6) + 0.6 * np.sin((x + y) / 41)
    return np.clip(0.2 + 0.75 * waves, 0, 0.97)


def _lane(x: np.ndarray) -> np.ndarray:
    """Return the position of the lane across the forest."""
    return 22 * np.sin(x / 60) - 0.12 * x - 12
