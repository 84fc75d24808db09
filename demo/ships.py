"""Two hundred ships that fly through space for 600 frames: where each is, and how large.

After the film in Piko3D's "Space Partitioning Tutorial", 2010. Ships that are scattered over a
harbour gather in eight squadrons, which circle; three of these fly far out, and all come back. The
last frame leads to the first, so that the film may be played in a loop.
"""

import numpy as np

FRAMES = 600
SQUADRONS, SHIPS = 8, 25  # number of squadrons, ships of each
COUNT = SQUADRONS * SHIPS
FIGHTER, FREIGHTER = 0.4, 0.8  # radii
HARBOUR = (12.0, 12.0, 6.0)  # half of the space that the film begins in, around the origin
LEVEL = 2.2  # the height that all of them keep to, about
CIRCLE, FAR = 8.0, 24.0  # how far squadrons are from the middle; how far out the travellers go
PLASTIC = 1.2207440846057596  # x ** 4 = x + 1
TRAVELLERS = {0: (1.0, 0.1), 1: (0.75, 0.8), 2: (0.1, 1.0)}  # squadrons and where they head


def radii() -> np.ndarray:
    """Return the radius of each ship, (200,): one of ten is a freighter."""
    return np.where(np.arange(COUNT) % 10 == 0, FREIGHTER, FIGHTER)


def places(frame: float) -> np.ndarray:
    """Return the ships' centers (200, 3) in a frame; frame 600 is frame 0 again."""
    time = 2 * np.pi * frame / FRAMES
    share = _smooth(np.minimum(1.7 * _swell(time), 1))
    in_squadrons = np.repeat(_squadrons(time), SHIPS, axis=0) + _formation(time)
    return (1 - share) * _at_anchor() + share * in_squadrons


def _at_anchor() -> np.ndarray:
    """Return the places where the ships lie, (200, 3): evenly scattered, squadrons in sectors.

    By the sequence of Martin Roberts, "The Unreasonable Effectiveness of Quasirandom Sequences",
    2018.
    """
    share = (0.5 + np.arange(COUNT)[:, None] * PLASTIC ** -np.arange(1.0, 4.0)) % 1
    place = (2 * share - 1) * (10.8, 10.8, 0.6) + (0, 0, LEVEL)
    towards = np.arctan2(place[:, 1], place[:, 0]) % (2 * np.pi)
    return place[np.argsort(towards)]


def _squadrons(time: float) -> np.ndarray:
    """Return the middle of each squadron, (8, 3)."""
    number = np.arange(SQUADRONS)
    angle = 2 * np.pi * (number + 0.5) / SQUADRONS + 0.5 * np.sin(time)
    rows = (CIRCLE * np.cos(angle), CIRCLE * np.sin(angle), np.full(SQUADRONS, LEVEL))
    middles = np.stack(rows, axis=1)
    middles[list(TRAVELLERS), :2] += FAR * _swell(time) ** 3 * np.array([*TRAVELLERS.values()])
    return middles


def _formation(time: float) -> np.ndarray:
    """Return where each ship is in its squadron, (200, 3): they wheel, spread and close up."""
    random = np.random.default_rng(4)
    distance, angle = np.sqrt(random.random(COUNT)), random.uniform(0, 2 * np.pi, COUNT)
    squadron = np.repeat(np.arange(SQUADRONS), SHIPS)
    angle += time * (1 + squadron % 3)
    distance *= 2.0 + 0.4 * np.sin(3 * time + squadron)
    rows = distance * np.cos(angle), distance * np.sin(angle), random.uniform(-0.7, 0.7, COUNT)
    return np.stack(rows, axis=1)


def _swell(phase: float) -> float:
    """Rise from 0 to 1 and fall again, once around."""
    return 0.5 - 0.5 * np.cos(phase)


def _smooth(share: float) -> float:
    """Start and end at rest."""
    return share * share * (3 - 2 * share)
