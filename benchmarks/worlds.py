"""Worlds of boxes, for pairs and moves: log-normal sizes about 1 m, 6 cubic meters for each."""

import numpy as np

SPACE = 6.0  # cubic meters for each box


def boxes_of(world: str, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper corners (n, 3) of the boxes of one of `WORLDS`, with a fixed seed."""
    random = np.random.default_rng(7)
    half_sizes = 0.5 * np.exp(random.normal(0.0, 0.3, size=(count, 3)))
    centers = WORLDS[world](random, count)
    if world == "clustered":
        half_sizes[::200] *= 10
    return centers - half_sizes, centers + half_sizes


def flat(random: np.random.Generator, count: int) -> np.ndarray:
    """Centers in a world 6 m high."""
    side = np.sqrt(count * SPACE / 6.0)
    return random.uniform(0.0, (side, side, 6.0), size=(count, 3))


def cube(random: np.random.Generator, count: int) -> np.ndarray:
    """Centers in a cube."""
    return random.uniform(0.0, np.cbrt(count * SPACE), size=(count, 3))


def clustered(random: np.random.Generator, count: int) -> np.ndarray:
    """Centers in the same cube, about one place for every hundred of them."""
    side = np.cbrt(count * SPACE)
    places = random.uniform(0.0, side, size=(max(1, count // 100), 3))
    spread = 0.5 * side / np.cbrt(len(places))
    return places[random.integers(len(places), size=count)] + random.normal(
        0.0, spread, size=(count, 3)
    )


WORLDS = {"flat": flat, "clustered": clustered, "cube": cube}
