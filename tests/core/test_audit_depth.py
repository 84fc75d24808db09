"""Depths of a clash audit lie within their intervals; overlaps are those of all triangles."""

import audit_scenes as scenes
import numpy as np
import pytest
from audit_scenes import ball, box, named, of_class, scene_of, sheet, turned

from core import SceneOctree, Triangles, audit, pairs_within

EPSILON = 1e-9


def depth_of(found, name="overlap"):
    (number,) = of_class(found, name)
    return found.lower[number], found.upper[number]


def rotation(seed):
    turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return turn


# Two meshes, and the largest distance that a point of one, inside the other, has from it.
SOLIDS = {
    "crossing bars": (box([-5, 0, 0], [5, 1, 1]), box([0, -5, 0], [1, 5, 1]), 0.5),
    "thinner bar": (box([-5, 0, 0], [5, 1, 1]), box([0, -5, 0.2], [1, 5, 0.8]), 0.5),
    "2 mm": (box([0, 0, 0], [3, 1, 1]), box([0.1, 0.2, 0.998], [2.9, 0.7, 2]), 0.002),
    "longer": (box([0, 0, 0], [1, 1, 1]), box([0, 0, 0], [2, 1, 1]), 0.5),
    "sheet in a box": (sheet([-1, -1, 0.5], [3, 0, 0], [0, 3, 0]), box([0, 0, 0], [1, 1, 2]), 0.5),
    "a plate in a plate": (box([0, 0, 0], [4, 4, 0.1]), box([1, 1, -1], [1.05, 3, 1]), 0.05),
}  # fmt: skip


@pytest.mark.parametrize("seed", [None, 1, 2])
@pytest.mark.parametrize("name", SOLIDS)
def test_depths_are_those_of_the_formula(name, seed):
    one, other, depth = SOLIDS[name]
    turn, shift = (np.eye(3), 0) if seed is None else (rotation(seed), [3, -4, 5])
    found = audit(scene_of(*(turned(each, turn, shift) for each in (one, other))))
    lower, upper = depth_of(found)
    assert lower - EPSILON <= depth <= upper + EPSILON
    assert upper - lower <= max(0.1 * lower, 1e-4) + EPSILON


@pytest.mark.parametrize("seed", [None, 3])
def test_nested_boxes(seed):
    turn = np.eye(3) if seed is None else rotation(seed)
    outer, inner = box([0, 0, 0], [10, 10, 10]), box([1, 4, 4], [3, 6, 6])
    found = audit(scene_of(turned(outer, turn), turned(inner, turn)))
    assert named(found) == {(0, 1): {"contained"}}
    lower, upper = depth_of(found, "contained")
    assert lower - EPSILON <= 3.0 <= upper + EPSILON
    assert upper - lower <= 0.1 * lower + EPSILON


def test_nested_balls():
    found = audit(scene_of(ball(2.0, 24), ball(0.5, 12, (0.5, 0, 0))))
    lower, upper = depth_of(found, "contained")
    # The inner ball passes the middle of the outer one, whose faces are a little nearer.
    assert 0.97 * 2 <= upper and lower <= 2
    assert upper - lower <= 0.1 * lower + EPSILON


def test_two_open_surfaces_have_no_depth():
    found = audit(
        scene_of(sheet([0, 0, 0], [1, 0, 0], [0, 1, 0]), box([0.2, 0.2, -1], [0.6, 0.6, 1]))
    )
    assert depth_of(found)[1] == pytest.approx(0.2)
    holed = Triangles(box([0.2, 0.2, -1], [0.6, 0.6, 1]).vertices, scenes.FACES[2:])
    found = audit(scene_of(sheet([0, 0, 0], [1, 0, 0], [0, 1, 0]), holed))
    assert found.are_open.all()
    assert depth_of(found)[0] < 1.6 + EPSILON


KINDS = ("rigid", "mirrored", "uneven", "flat")


def soup(rng, kind):
    """Place balls and boxes so that many of them overlap."""
    scene = SceneOctree()
    for mesh in (ball(1.0, 6), box([-1, -1, -1], [1, 1, 1])):
        scene.add_mesh(mesh)
    matrices = np.tile(np.eye(4), (14, 1, 1))
    for matrix in matrices:
        scale = np.diag(rng.uniform(0.3, 1.2, 3))
        if kind == "mirrored":
            scale[0] *= -1
        elif kind == "rigid":
            scale = np.eye(3)
        elif kind == "flat":
            scale[2] = 0
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        matrix[:3, :3], matrix[:3, 3] = turn @ scale, rng.uniform(-2, 2, 3)
    scene.place(rng.integers(2, size=14), matrices)
    return scene


def touching_by_brute_force(scene, one, other):
    first, second = scene.triangles_of([one]), scene.triangles_of([other])
    ids, numbers = (each.ravel() for each in np.indices((len(first), len(second))))
    return pairs_within(first, ids, second, numbers).any()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_pairs_that_touch_are_those_of_all_triangles(kind, seed):
    scene = soup(np.random.default_rng(seed), kind)
    found = audit(scene, band=1e-9)
    surfaces = {"overlap", "touching", "duplicate"}
    told = {pair for pair, classes in named(found).items() if classes & surfaces}
    told -= {pair for pair in told if "contained" in named(found)[pair]}
    every = [(i, j) for i in range(14) for j in range(i + 1, 14)]
    wanted = {pair for pair in every if touching_by_brute_force(scene, *pair)}
    assert told == wanted and len(wanted) > 2
    if kind != "flat":
        # No two of these merely touch.
        assert len(of_class(found, "overlap")) == len(told)


@pytest.mark.parametrize("seed", range(2))
def test_depths_are_no_less_than_those_of_samples(seed):
    rng = np.random.default_rng(seed)
    scene = soup(rng, "uneven")
    found = audit(scene)
    for number in of_class(found, "overlap"):
        pair = found.pairs[:, number].tolist()
        best = max(sampled(rng, scene, *pair), sampled(rng, scene, *pair[::-1]))
        assert best <= found.upper[number] + EPSILON


def sampled(rng, scene, one, other):
    """Return how deep random points of a surface lie in a convex solid, at most."""
    corners = scene.triangles_of([one]).rows.T.reshape(-1, 3, 3)
    weights = rng.dirichlet([1, 1, 1], size=(20, 1))
    points = (weights[..., None] * corners).sum(axis=2).reshape(-1, 3)
    solid = scene.triangles_of([other])
    first, second, third = solid.rows.reshape(3, 3, -1)
    normals = np.cross((second - first).T, (third - first).T)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    middle = solid.vertices.mean(axis=0)
    heights = ((first.T - middle) * normals).sum(axis=1)
    normals = normals * np.sign(heights)[:, None]
    return (np.abs(heights) - (points - middle) @ normals.T).min(axis=1).max()
