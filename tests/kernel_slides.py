"""Random surfaces along directions, with the kernel and without: gaps are equal, bit by bit.

python tests/kernel_slides.py SEED WORLDS looks at many.
"""

import sys
from pathlib import Path

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import gap_oracle
import kernel_pairs as pairs
import kernel_worlds as worlds

from core import SceneOctree, compiled
from core.gaps.search import GapSearch
from core.gaps.way import Way
from core.place.sliding import scale_of
from core.steps import run

DIRECTIONS = ([0, 0, -1], [0, 1, 0], [-3, 0, 0], [1, -1, 0], [1, 2, -4], [1e-17, 0, 1], [1, 1, 1])


def world(seed):
    """Return a moment in a space of about one, its sheets, a way, pairs, keys and limits.

    Surfaces that stand one behind the other along the way, flush, or anywhere.
    """
    random = np.random.default_rng(seed)
    direction = random.normal(size=3)
    if random.random() < 0.8:
        direction = np.array(DIRECTIONS[random.integers(len(DIRECTIONS))], float)
    kind = random.random()
    if kind < 0.3:
        moment, _ = gap_oracle.flush(random)
        rows, direction = gap_oracle.pairs_of(moment, random), gap_oracle.way_of(random).direction
    elif kind < 0.5:
        made = pairs.surfaces(seed, float(random.choice([0.0, 0.2, 1.0])))
        if made is None:
            return None
        moment, rows, _, _ = made
        rows = np.concatenate((rows, rows[::-1]), axis=1)
    else:
        moment, rows = behind_each_other(random, direction)
    rows = rows[:, random.permutation(rows.shape[1])]
    moment = moment.scaled(scale_of(moment))
    pool = run(moment.meshes.pool(np.unique(moment.placements.meshes[rows])))
    keys = random.integers(0, 3, rows.shape[1])
    limits = random.choice([np.inf, np.inf, 0.0, 2.0**-6, random.random()], 3)
    return moment, pool, Way.of(direction), rows, keys, limits


def behind_each_other(random, direction):
    """Return the moment of surfaces that have others ahead of them, and pairs of rows."""
    scene, count = SceneOctree(), int(random.choice([2, 4, 8]))
    meshes = [scene.add_mesh(pairs.mesh(random)) for _ in range(random.integers(1, 4))]
    where = np.tile(np.eye(4), (count, 1, 1))
    if random.random() < 0.5:
        where[:, :3, :3] = random.normal(size=(count, 3, 3))
    apart = random.choice([0.0, 0.25, 1.0, 3.0]) * np.arange(count)
    beside = random.choice([0.0, 0.0, 0.5, 1.0], (count, 3))
    if random.random() < 0.5:
        beside *= random.random((count, 3))
    where[:, :3, 3] = np.outer(apart, np.round(direction * 8) / 8) + beside
    where[:, :3, 3] += random.choice([0.0, 0.0, 0.3, 1e5])
    where[:, :3] *= random.choice(pairs.SIZES)
    scene.place(random.choice(meshes, count), where)
    moment = scene._snapshot(worlds.ALL_BITS)
    (there,) = moment.placements.is_there.nonzero()
    every = np.stack(np.meshgrid(there, there)).reshape(2, -1)
    every = every[:, every[0] != every[1]]
    return moment, every[:, random.permutation(every.shape[1])[:24]]


def assert_gaps_equal(seed):
    made = world(seed)
    if made is None:
        return 0
    moment, pool, way, rows, keys, limits = made
    random = np.random.default_rng(seed)
    signed, shared = random.random() < 0.3, random.random() < 0.5

    def ask():
        search = GapSearch(moment, pool, way, signed=bool(signed))
        left = limits.copy()
        run(search.look(rows, keys, left, shared=bool(shared)))
        return search, left, run(search.every_face(everyone, everyone % 2 == 0))

    everyone = np.arange(rows.shape[1])
    (here, low, faces), (there, lower, same_faces) = pairs.with_and_without(ask)
    for name in ("gaps", "entries", "corners", "crossing"):
        one, other = getattr(here, name), getattr(there, name)
        np.testing.assert_array_equal(one, other, err_msg=f"{seed} {name}")
    np.testing.assert_array_equal(low, lower, err_msg=str(seed))
    for one, other in ((here.faces, there.faces), (faces, same_faces)):
        for name in ("pairs", "ones", "others"):
            named = getattr(one, name), getattr(other, name)
            np.testing.assert_array_equal(*named, err_msg=f"{seed} {name}")
    np.testing.assert_array_equal(here.places(everyone), there.places(everyone))
    return rows.shape[1]


def left_to_numpy(seed):
    """Return how many pairs of a world the kernel has answered, and how many it has not."""
    made = world(seed)
    if made is None:
        return np.zeros(2, int)
    moment, pool, way, rows, keys, limits = made
    side = pool, moment.placements.meshes, moment.placements.matrices
    steps = compiled.slid_surfaces(
        side, way.told, rows, keys, limits, signed=False, shared=False, wants_faces=False
    )
    are_left = np.isnan(run(steps).gaps)
    return np.array([(~are_left).sum(), are_left.sum()])


def survive_damage(seed):
    """Slide surfaces whose arrays contradict each other: some answer, or none, and no crash."""
    made = world(seed)
    if made is None:
        return 0
    moment, pool, way, rows, keys, limits = made
    random, placements = np.random.default_rng(seed), moment.placements
    pool = pairs.damaged(pool, random)
    nowhere = random.choice([-1, 0, 2**40], len(placements)).astype(np.intp)
    told = way.told if random.random() < 0.5 else random.choice([0.0, np.nan, np.inf, 1.0], 4)
    for meshes in (placements.meshes, nowhere):
        side, odd = (pool, meshes, placements.matrices), random.choice([rows, -rows], 1)[0]
        for keyed in (keys, keys - 1, keys + 2**40):
            steps = compiled.slid_surfaces(
                side, told, odd, keyed, limits.copy(), signed=False, shared=True, wants_faces=False
            )
            assert run(steps) is not None
    return 1


if __name__ == "__main__":
    first, count = map(int, sys.argv[1:])
    assert not compiled.why_not(), compiled.why_not()
    tests = assert_gaps_equal, survive_damage
    found = sum(test(seed) for seed in range(first, first + count) for test in tests)
    print(f"{count} worlds, {found} pairs: no difference")
