"""One definition of inside: all that asks for it agrees with a formula, over a list of bodies."""

import audit_scenes as solids
import numpy as np
import pytest
import solid_bodies as bodies
from solid_bodies import WORLD

from core import (
    ContactTracker,
    SceneOctree,
    Triangles,
    audit,
    distances,
    fits,
    obstacles,
    separate,
)
from core.clash.inside import inside
from core.clash.rules import moment_of
from core.clash.shells import shells_of
from core.scene.in_rows import _wound_about, wound_about
from core.steps import run
from core.touch.rays import Rays

SMALL = solids.box((-1 / 64, -1 / 64, -1 / 64), (1 / 64, 1 / 64, 1 / 64))
EVERYTHING = 2**32 - 1
MATRICES = {
    "as it is": np.eye(4),
    "turned": [[0.6, -0.8, 0, 3], [0.8, 0.6, 0, -7], [0, 0, 1, 2], [0, 0, 0, 1]],
    "mirrored": np.diag([-1.0, 1, 1, 1]),
    "small": np.diag([2.0**-30, 2.0**-30, 2.0**-30, 1]),
}


def points_around(body, count=40):
    """Return points off all walls, as many inside as outside where there is an inside."""
    steps = np.arange(-0.5, 13, 0.75) + 0.0625
    grid = np.stack(np.meshgrid(steps, steps[:9], steps[:9], indexing="ij"), -1).reshape(-1, 3)
    is_in, random = body.holds(grid), np.random.default_rng(3)
    chosen = [random.permutation(np.flatnonzero(flags))[:count] for flags in (is_in, ~is_in)]
    return grid[np.sort(np.concatenate(chosen))]


def placed(mesh, matrix, *others):
    """Return a scene of a mesh placed by a matrix, and of small boxes at places in its space."""
    scene = SceneOctree()
    matrix = np.asarray(matrix, float)
    scene.place([scene.add_mesh(mesh)], matrix[None])
    if others:
        scene.place([scene.add_mesh(SMALL)] * len(others), matrix @ shifts(np.array(others)))
    return scene


def shifts(points):
    """Return the matrices that move to points, (q, 4, 4)."""
    matrices = np.tile(np.eye(4), (len(points), 1, 1))
    matrices[:, :3, 3] = points
    return matrices


def world_points(matrix, points):
    matrix = np.asarray(matrix, float)
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def by_points(mesh, matrix, points):
    moment = moment_of(placed(mesh, matrix), EVERYTHING)
    return run(inside(moment, world_points(matrix, points).T.copy(), np.zeros(len(points), int)))


def by_rays_in_numpy(mesh, matrix, points):
    return _by_rays(mesh, matrix, points, _wound_about)


def by_rays(mesh, matrix, points):
    return _by_rays(mesh, matrix, points, wound_about)


def _by_rays(mesh, matrix, points, ask):
    moment = moment_of(placed(mesh, matrix), EVERYTHING)
    pool = run(moment.meshes.pool(np.zeros(1, int)))
    shells = run(shells_of(pool, moment.meshes.sizes, np.zeros(1, int)))
    origins = world_points(matrix, points).T.copy()
    ways = np.tile([[0.3], [0.5], [0.7]], len(points))
    rays = Rays.of(origins, ways, np.full(len(points), np.inf))
    return ask(moment, rays, np.zeros(len(points), int), shells.codes, shells.starts)


def by_audit(mesh, matrix, points):
    found = audit(placed(mesh, matrix, *points))
    some = solids.of_class(found, "contained")
    flags = np.zeros(len(points), bool)
    for (one, other), inner in zip(found.pairs[:, some].T, found.inner[some], strict=True):
        assert (one, inner) == (0, 1)
        flags[other - 1] = True
    return flags


def by_distances(mesh, matrix, points):
    others = np.arange(1, len(points) + 1)
    found = distances(placed(mesh, matrix, *points), np.stack((0 * others, others)))
    assert (found.inside != 0).all()
    return found.inside == 1


def by_fits(mesh, matrix, points):
    return ~fits(placed(mesh, matrix), SMALL, np.asarray(matrix) @ shifts(points))


def by_obstacles(mesh, matrix, points):
    found = obstacles(placed(mesh, matrix), SMALL, np.asarray(matrix) @ shifts(points))
    assert (found[1] == 0).all()
    return np.isin(np.arange(len(points)), found[0])


def by_what_it_holds(mesh, matrix, points):
    """Place the body itself among small things: what holds one does not fit."""
    flags = [~fits(placed(SMALL, here), mesh, np.asarray(matrix)[None])[0]
             for here in np.asarray(matrix) @ shifts(points[::8])]  # fmt: skip
    return np.repeat(flags, 8)[: len(points)]


def by_separate(mesh, matrix, points):
    flags = [separate(placed(mesh, matrix, point), [0]).moves.any() for point in points[::8]]
    return np.repeat(flags, 8)[: len(points)]


def by_contacts(mesh, matrix, points):
    tracker = ContactTracker()
    tracker.look(placed(mesh, matrix, *points))
    pairs = tracker.intervals.pairs
    return np.isin(np.arange(1, len(points) + 1), pairs[1][pairs[0] == 0])


ASKS = [
    by_points, by_rays, by_rays_in_numpy, by_audit, by_distances, by_fits, by_obstacles,
    by_what_it_holds, by_separate, by_contacts,
]  # fmt: skip
FEW = (by_what_it_holds, by_separate)


@pytest.mark.parametrize("ask", ASKS)
@pytest.mark.parametrize("name", WORLD)
def test_all_that_ask_for_inside_agree_with_the_formula(ask, name):
    body = WORLD[name]
    points = points_around(body)
    if ask in FEW:
        points = np.repeat(points[::8], 8, axis=0)[: len(points)]
    for matrix in MATRICES.values() if ask is by_points else [np.eye(4)]:
        assert (ask(body.triangles, matrix, points) == body.holds(points)).all()


@pytest.mark.parametrize("ask", [by_audit, by_distances, by_fits])
@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("name", ["one triangle twice", "overlapping shells", "twisted", "hollow"])
def test_inside_does_not_depend_on_where_a_mesh_is_placed(ask, matrix, name):
    body = WORLD[name]
    points = points_around(body)
    assert (ask(body.triangles, MATRICES[matrix], points) == body.holds(points)).all()


@pytest.mark.parametrize("name", WORLD)
def test_a_mesh_is_open_where_it_has_no_inside(name):
    body = WORLD[name]
    far = solids.sheet((-9, -9, -1e-9), (99, 0, 0), (0, 99, 0))
    found = audit(solids.scene_of(body.triangles, far), clearance=2.0)
    assert len(found) and (found.are_open[0] == (not body.boxes)).all() and found.are_open[1].all()


@pytest.mark.parametrize("name", ["box", "overlapping shells", "twisted", "torus"])
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_triangles_and_vertices_does_not_matter(name, seed):
    body, random = WORLD[name], np.random.default_rng(seed)
    faces = np.concatenate((body.triangles.faces, body.triangles.faces[random.integers(0, 9, 5)]))
    order = random.permutation(len(body.triangles.vertices))
    turns = np.array([np.roll(face, turn) for face, turn in
                      zip(faces, random.integers(0, 3, len(faces)), strict=True)])  # fmt: skip
    ranks = np.argsort(order)
    mesh = Triangles(body.triangles.vertices[order], random.permutation(ranks[turns]))
    points = points_around(body)
    assert (by_points(mesh, np.eye(4), points) == body.holds(points)).all()


CARDS = {
    "card": solids.sheet((0, 0, -0.5), (1, 0, 0), (0, 0, 1)),
    "two-sided card": bodies.two_sided(solids.sheet((0, 0, -0.5), (1, 0, 0), (0, 0, 1))),
    "card beside a box": bodies.joined(
        solids.sheet((0, 0, -0.5), (1, 0, 0), (0, 0, 1)), solids.box((0, 0, 3), (1, 1, 4))
    ),
}
LARGE = solids.sheet((-5, -5, 0), (10, 0, 0), (0, 10, 0))
SHEETS = {
    "one side": LARGE,
    "two sides": bodies.two_sided(LARGE),
    "two sides of their own": bodies.joined(LARGE, bodies.flipped(LARGE)),
    "a soup of two sides": bodies.soup(bodies.two_sided(LARGE)),
    "beside a box": bodies.joined(bodies.two_sided(LARGE), solids.box((7, 7, 0), (8, 8, 1))),
}


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize("card", CARDS)
def test_lines_decide_where_what_crosses_has_no_inside(sheet, card):
    found = audit(solids.scene_of(SHEETS[sheet], CARDS[card]))
    assert solids.named(found) == {(0, 1): {"overlap"}}
    assert found.lower[0] == found.upper[0] == pytest.approx(1.0)
    assert found.are_open.tolist() == [[sheet != "beside a box"], [card != "card beside a box"]]
    lengths = np.linalg.norm(found.segments[:, 1] - found.segments[:, 0], axis=1)
    assert lengths.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("sheet", SHEETS)
def test_an_area_is_shared_once_however_often_a_triangle_is_there(sheet):
    found = audit(solids.scene_of(SHEETS[sheet], solids.box((0, 0, 0), (2, 3, 1))))
    assert found.lower[found.measures == 2].sum() == pytest.approx(6.0)


CUBE = solids.box((0, 0, 0), (1, 1, 1))
CUTS = {
    "as it is": CUBE,
    "turned": bodies.flipped(CUBE),
    "soup": bodies.soup(CUBE),
    "other diagonals": bodies.other_diagonals(CUBE),
    "turned other diagonals": bodies.flipped(bodies.other_diagonals(CUBE)),
    "fans": bodies.fans(CUBE),
    "fans, twice": bodies.joined(bodies.fans(CUBE), bodies.fans(CUBE)),
}


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("matrix", MATRICES)
def test_two_solids_in_one_place_are_one_however_they_are_cut(cut, matrix):
    scene = SceneOctree()
    meshes = [scene.add_mesh(mesh) for mesh in (CUBE, CUTS[cut])]
    scene.place(meshes, np.array([MATRICES[matrix]] * 2))
    assert solids.named(audit(scene)) == {(0, 1): {"duplicate"}}
    assert distances(scene, [[0], [1]]).inside.tolist() == [-1]
    for some in ([0], [1], [0, 1]):
        found = separate(scene, some)
        assert found.left.size or np.linalg.norm(found.moves, axis=1).sum() > 0
    if matrix == "as it is":
        assert not fits(solids.scene_of(CUBE), CUTS[cut], np.eye(4)[None]).any()
        assert not fits(solids.scene_of(CUTS[cut]), CUBE, np.eye(4)[None]).any()


def test_a_solid_that_is_one_of_two_in_a_mesh_shares_its_room():
    two = bodies.joined(CUBE, solids.box((5, 0, 0), (6, 1, 1)))
    found = audit(solids.scene_of(two, bodies.other_diagonals(CUBE)))
    assert solids.named(found) == {(0, 1): {"overlap", "coplanar same-facing"}}
    assert not fits(solids.scene_of(two), bodies.fans(CUBE), np.eye(4)[None]).any()


@pytest.mark.parametrize("step", [0.0, 0.25, 1.0])
def test_solids_that_share_faces_alone_are_apart(step):
    other = bodies.fans(solids.box((1, step, 0), (2, 1 + step, 1)))
    ell = bodies.joined(solids.box((0, 0, 0), (1, 2, 1)), solids.box((1, 2, 0), (3, 3, 1)))
    for one in (CUBE, ell):
        classes = solids.named(audit(solids.scene_of(one, other)))[0, 1]
        assert classes <= {"touching", "coplanar same-facing", "coplanar opposite-facing"}


@pytest.mark.parametrize("name", ["one triangle twice", "all triangles twice, turned", "soup"])
def test_depths_do_not_depend_on_how_often_a_triangle_is_there(name):
    half = solids.box((3, 1, 1), (5, 2, 2))
    found = audit(solids.scene_of(WORLD[name].triangles, half))
    assert found.lower[0] == found.upper[0] == pytest.approx(1.0)
    assert solids.named(found) == {(0, 1): {"overlap"}}


FLAT = Triangles(bodies.GRID.vertices - [0, 0, 1], bodies.GRID.faces)
UPRIGHT = Triangles(
    np.column_stack((np.ones(9), FLAT.vertices[:, 1], FLAT.vertices[:, 0] - 1)), FLAT.faces
)
CROSSINGS = {
    "on their own": bodies.joined(FLAT, UPRIGHT),
    "one a soup": bodies.joined(bodies.soup(FLAT), UPRIGHT),
    "one of two sides": bodies.joined(bodies.two_sided(FLAT), UPRIGHT),
    "one of two sides of their own": bodies.joined(FLAT, bodies.flipped(FLAT), UPRIGHT),
    "turned": bodies.joined(bodies.flipped(FLAT), UPRIGHT),
}


@pytest.mark.parametrize("name", CROSSINGS)
def test_sheets_of_one_mesh_cross_where_their_vertices_coincide(name):
    found = audit(solids.scene_of(CROSSINGS[name]), self_intersections=True)
    assert solids.named(found) == {(0, 0): {"self-intersection"}}
    assert found.lower[0] == pytest.approx(2.0)


@pytest.mark.parametrize("name", [name for name in WORLD if "overlapping" not in name])
def test_neighbors_do_not_cross_however_vertices_are_split(name):
    mesh = WORLD[name].triangles
    for each in (mesh, bodies.soup(mesh)):
        assert len(audit(solids.scene_of(each), self_intersections=True)) == 0


HOLLOW = WORLD["hollow"].triangles
PARTS = {
    "hollow": (HOLLOW, bodies.joined(
        bodies.other_diagonals(bodies.BOX), bodies.flipped(bodies.other_diagonals(bodies.INNER)))),
    "overlapping": (WORLD["overlapping shells"].triangles, bodies.joined(
        bodies.fans(bodies.SECOND), bodies.other_diagonals(bodies.BOX))),
    "apart": (bodies.joined(bodies.BOX, bodies.THIRD), bodies.joined(
        bodies.other_diagonals(bodies.THIRD), bodies.soup(bodies.fans(bodies.BOX)))),
    "twisted": (bodies.TWISTED, bodies.fans(bodies.BOX)),
}  # fmt: skip


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("seed", range(3))
def test_solids_of_several_shells_are_one_however_they_are_cut(name, seed):
    random = np.random.default_rng(seed)
    rotation = np.linalg.qr(random.normal(size=(3, 3)))[0] * random.uniform(0.1, 50)
    shift = random.uniform(-9, 9, 3)
    meshes = [solids.turned(mesh, rotation, shift) for mesh in PARTS[name]]
    assert solids.named(audit(solids.scene_of(*meshes))) == {(0, 1): {"duplicate"}}
    other = solids.turned(HOLLOW if name != "hollow" else bodies.BOX, rotation, shift)
    assert "duplicate" not in solids.named(audit(solids.scene_of(meshes[0], other)))[0, 1]
