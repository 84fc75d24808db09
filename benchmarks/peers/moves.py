"""The rows where boxes move: each step moves some of them, then asks one question.

A step is timed as a whole, from arrays to arrays, so that deferred work is included; the result is
the mean of a round of `TURNS` steps. The boxes that move drift by a tenth of a box a step, and
after half of a round they turn back, so that every round is the same.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np

from benchmarks import worlds
from benchmarks.peers.questions import Arrays, Question

# Number of boxes, moving share, and arrangement.
CROWDS = tuple(product((10_000, 100_000), (0.01, 1.0), ("flat", "cube")))
TURNS = 8
STEP = 0.1  # of a box
HALF_SIZE = 2.0  # of a box that is asked about, in meters: it meets about fifteen
# Limits of a step: in ms, and as a share of the time of a rebuild.
GOALS = {
    ("one box", 10_000, 0.01): (1.0, 0.25),
    ("one box", 10_000, 1.0): (4.0, 1.0),
    ("one box", 100_000, 0.01): (5.0, None),
    ("1,000 boxes", 10_000, 0.01): (4.0, None),
    ("all pairs", 10_000, 0.01): (6.0, None),
    ("all pairs", 10_000, 1.0): (9.0, None),
}


def moving_one_box(scale: float) -> Iterator[Question]:
    """Move boxes and ask what one box touches."""
    for size, share, world in CROWDS:
        yield step("one box", size, share, world, scale)


def moving_boxes(scale: float) -> Iterator[Question]:
    """Move boxes and ask what a thousand boxes touch."""
    for size, share, world in CROWDS:
        yield step("1,000 boxes", size, share, world, scale)


def moving_pairs(scale: float) -> Iterator[Question]:
    """Move boxes and find all pairs."""
    for size, share, world in CROWDS:
        yield step("all pairs", size, share, world, scale)


def changes(scale: float) -> Iterator[Question]:
    """Ask which pairs began, lasted and ended, against all pairs each time."""
    for size in (10_000, 100_000):
        lower, upper = worlds.boxes_of("cube", int(size * scale))
        yield Question(
            f"changes, 1% of {len(lower):,} moved, cube",
            "build_moving",
            {"lower": lower, "upper": upper},
            "move_changes",
            drift(lower, upper, 0.01),
            goals={"all pairs": (0.5, None)},
            round=TURNS,
        )


def step(what: str, size: int, share: float, world: str, scale: float) -> Question:
    """Return one of the rows."""
    count = {"one box": 1, "1,000 boxes": 1_000, "all pairs": 0}[what]
    lower, upper = worlds.boxes_of(world, int(size * scale))
    arrays = drift(lower, upper, share)
    if count:
        arrays |= boxes_among(lower, upper, count)
    bound, of_rebuilding = GOALS.get((what, size, share), (None, None))
    many = size * share > 1_000 or (what == "all pairs" and size > 10_000)
    moved = f"{share:.0%} of" if share < 1 else "all"
    title = f"{what}, {moved} {len(lower):,} moved, {world}"
    return Question(
        title,
        "build_moving",
        {"lower": lower, "upper": upper},
        "move_boxes" if count else "move_pairs",
        arrays,
        goals={"rebuilt": (of_rebuilding, None)},
        without=("rtree",) if many else (),  # it would take seconds a step
        bound=bound,
        round=TURNS,
    )


def drift(lower: np.ndarray, upper: np.ndarray, share: float) -> dict[str, np.ndarray]:
    """Return the ids of moving boxes (k,) and their positions after each turn (TURNS, k, 3)."""
    random = np.random.default_rng(8)
    ids = np.sort(random.choice(len(lower), round(share * len(lower)), replace=False))
    course = random.normal(size=(len(ids), 3))
    course /= np.linalg.norm(course, axis=1, keepdims=True)
    course *= STEP * (upper - lower)[ids].mean(axis=1, keepdims=True)
    out = np.arange(1, TURNS // 2 + 1)
    turns = np.concatenate((out, out[::-1] - 1))[:, None, None] * course
    return {"ids": ids, "lowers": lower[ids] + turns, "uppers": upper[ids] + turns}


def boxes_among(lower: np.ndarray, upper: np.ndarray, count: int) -> Arrays:
    """Return boxes to ask about, anywhere in the world."""
    random = np.random.default_rng(9)
    middle = random.uniform(lower.min(axis=0), upper.max(axis=0), (count, 3))
    return {"low": middle - HALF_SIZE, "high": middle + HALF_SIZE}


EVERY = (moving_one_box, moving_boxes, moving_pairs, changes)
