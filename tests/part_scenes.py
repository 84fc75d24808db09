"""Turned boxes to push apart, in rooms or among posts, and tests of what became of them."""

from dataclasses import dataclass

import numpy as np
from audit_scenes import CORNERS, FACES

from core import SceneOctree, Triangles

# Rounding, in scenes of a size of some units.
TOLERANCE = 1e-9


@dataclass
class Block:
    """A box that is turned: its center, half its size, and its axes as columns."""

    center: np.ndarray
    half: np.ndarray
    turn: np.ndarray

    @classmethod
    def of(cls, lower, upper):
        lower, upper = np.asarray(lower, float), np.asarray(upper, float)
        return cls((lower + upper) / 2, (upper - lower) / 2, np.eye(3))

    @property
    def corners(self):
        return self.center + ((2 * CORNERS - 1) * self.half) @ self.turn.T

    def moved(self, move):
        return Block(self.center + move, self.half, self.turn)

    def turned(self, turn):
        return Block(turn @ self.center, self.half, turn @ self.turn)

    def holds(self, other):
        """Return whether another box lies whole in this one."""
        places = (other.corners - self.center) @ self.turn
        return bool((np.abs(places) <= self.half + TOLERANCE).all())

    def is_apart(self, other):
        """Return whether an axis separates the two."""
        edges = np.cross(self.turn.T[:, None], other.turn.T[None]).reshape(-1, 3)
        edges = edges[np.linalg.norm(edges, axis=1) > 1e-6]
        axes = np.concatenate((self.turn.T, other.turn.T, edges))
        axes /= np.linalg.norm(axes, axis=1)[:, None]
        reach = sum(np.abs(axes @ each.turn) @ each.half for each in (self, other))
        return bool((np.abs(axes @ (self.center - other.center)) - reach).max() >= -TOLERANCE)


def turns(rng):
    """Return a rotation: none, about z, or any."""
    kind = rng.integers(3)
    if kind == 0:
        return np.eye(3)
    if kind == 1:
        angle = rng.uniform(0, np.pi)
        cosine, sine = np.cos(angle), np.sin(angle)
        return np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1.0]])
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return turn * np.sign(np.linalg.det(turn))


def placed(blocks, order=None):
    """Return a scene of blocks, in an order of placements and of meshes."""
    order = np.arange(len(blocks)) if order is None else order
    scene = SceneOctree()
    meshes = [scene.add_mesh(Triangles(blocks[each].corners, FACES)) for each in order]
    scene.place(meshes, np.tile(np.eye(4), (len(blocks), 1, 1)))
    return scene


def world(seed, *, rooms):
    """Return blocks, and which of them may move: props in rooms in rooms, or among posts."""
    rng = np.random.default_rng(seed)
    turn, stays = turns(rng), []
    if rooms:
        stays.append(Block.of([-4, -4, -2], [4, 4, 2]))
        if rng.random() < 0.5:
            stays.append(Block.of([-2.5, -2, -2], [2, 2.5, 1.5]).moved(rng.uniform(-0.5, 0.5, 3)))
        if rng.random() < 0.3:
            stays.append(Block.of([-3.8, 1.5, -2], [-2.8, 2.5, 0]))
    else:
        for _ in range(rng.integers(0, 5)):
            lower = rng.uniform(-2, 1, 3)
            stays.append(Block(lower + 0.5, rng.uniform(0.2, 1.5, 3), turns(rng)))
    movers = []
    for _ in range(rng.integers(2, 7)):
        half = rng.uniform(0.15, 0.7, 3)
        own = turns(rng)
        reach = np.abs(own) @ half
        place = rng.uniform(-1.5, 1.5, 3)
        if rooms and rng.random() < 0.5:
            place[2] = reach[2] - 2.0
        movers.append(Block(place, half, own))
    blocks = [each.turned(turn) for each in stays + movers]
    return blocks, np.arange(len(stays), len(blocks)), turn


def wrong_pairs(blocks, movers, after, left):
    """Return pairs, a mover first, that are neither apart nor at home after a move, nor left."""
    named, found = {frozenset(pair) for pair in left.T.tolist()}, []
    for one in movers.tolist():
        for other in range(len(blocks)):
            stays = other not in movers
            if other == one or (not stays and other < one):
                continue
            if stays and blocks[other].holds(blocks[one]):
                is_good = after[other].holds(after[one])
            else:
                is_good = after[one].is_apart(after[other]) or frozenset((one, other)) in named
            if not is_good:
                found.append((one, other))
    return found
