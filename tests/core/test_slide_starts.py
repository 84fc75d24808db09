"""Slides that start in contact or overlap: blocked moves, contact points, repeated slides."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import slide_oracle as oracle
from audit_scenes import CORNERS, FACES, box, scene_of, sheet
from examples import examples
from hypothesis import example, given
from hypothesis import strategies as st

from core import Triangles, slide

DOWN = [0, 0, -1]
GROUND = box([-40, -40, -60], [40, 40, -50])


def solid(origin, edges):
    """Make the solid that three edges (3, 3) span from a corner; its faces look outward."""
    faces = FACES if np.linalg.det(edges) > 0 else FACES[:, ::-1]
    return Triangles(np.asarray(origin, float) + CORNERS @ np.asarray(edges, float), faces)


def two_sided(one, kind):
    """Give a sheet a back: on its vertices, on vertices of its own, or cut along the others."""
    own, back = np.concatenate((one.vertices, one.vertices)), one.faces[:, ::-1]
    return {
        "one side": one,
        "shared": Triangles(one.vertices, np.concatenate((one.faces, back))),
        "own": Triangles(own, np.concatenate((one.faces, back + len(one.vertices)))),
        "other cut": Triangles(one.vertices, np.concatenate((one.faces, [[3, 1, 0], [3, 2, 1]]))),
    }[kind]


def wedge(low, size):
    """Make a wedge of two triangles and three quads."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 0], [0, 1, 1]], float)
    faces = [
        [0, 1, 2],
        [3, 5, 4],
        [0, 3, 4],
        [0, 4, 1],
        [1, 4, 5],
        [1, 5, 2],
        [0, 2, 5],
        [0, 5, 3],
    ]
    return Triangles(low + corners * size, faces)


@pytest.mark.parametrize("exponent", [0, 25, 26, 30, 52, 53, 60, 300, 1000])
@pytest.mark.parametrize("size", [1.0, 2.0**-20, 2.0**-26])
def test_only_the_sign_along_a_touched_face_decides(exponent, size):
    """A cube upon, below and beside others: it holds what leads into one, by however little."""
    little = 2.0**-exponent
    cube = box(np.ones(3), np.ones(3) + size)
    for axis, side in product(range(3), (-1, 1)):
        low, high = np.full(3, -3.0), np.full(3, 5.0)
        low[axis], high[axis] = (-3, 1) if side < 0 else (1 + size, 5)
        scene = scene_of(box(low, high), cube)
        for along, sign in product((1, 2), (-1, 0, 1)):
            direction = np.zeros(3)
            direction[(axis + along) % 3], direction[axis] = 1.0, sign * little
            found = slide(scene, [1], direction)
            assert (found.distances[0] == 0.0) == (sign == side), (axis, side, sign)
            assert np.isinf(found.distances[0]) == (sign != side)


@examples(80)
@given(seed=st.integers(0, 2**32 - 1), exponent=st.sampled_from([0, 20, 26, 30, 40]))
def test_the_sign_along_a_slanted_face_is_exact(seed, exponent):
    """Two solids on either side of a slanted plane; whole numbers tell where a direction leads."""
    rng = np.random.default_rng(seed)
    edges = np.zeros((3, 3))
    while abs(np.linalg.det(edges)) < 1:
        edges = rng.integers(-9, 10, (3, 3)).astype(float)
    lower = solid([1, 2, 3], np.stack((edges[0] * 4, edges[1] * 4, -edges[2])))
    upper = solid(np.array([1, 2, 3]) + edges[0] + edges[1], edges)
    share = rng.integers(-3, 4, 2)
    if not share.any():
        return
    little = 2.0**-exponent * rng.integers(-3, 4)
    direction = share @ edges[:2] + little * edges[2]
    normal = np.cross(edges[0], edges[1]).astype(int).tolist()
    side = sum(int(n) * int(e) for n, e in zip(normal, edges[2], strict=True))
    height = sum(Fraction(float(d)) * n for d, n in zip(direction, normal, strict=True)) * side
    found = slide(scene_of(lower, upper), [1], direction)
    assert (found.distances[0] == 0.0) == (height < 0)
    assert np.isinf(found.distances[0]) == (height >= 0)


SHEETS = ["one side", "shared", "own", "other cut"]


def sheets(*spanned):
    return [two_sided(sheet(*spanned), kind) for kind in SHEETS]


MOVERS = [
    *sheets([0, 0, 2], [1, 0, 0], [0, 1, 0]),
    sheet([0, 0.25, 2], [1, 0, 0], [0, 0, 1]),
    box([0, 0, 2], [1, 1, 3]),
    wedge([0, 0, 2], [1, 1, 1]),
    wedge([0, 0, 3], [1, 1, -1]),
]
FLOORS = [
    *sheets([-9, -9, 0], [18, 0, 0], [0, 18, 0]),
    *sheets([-8, -8, -4], [16, 0, 8], [0, 16, 0]),
    box([-9, -9, -2], [9, 9, 0]),
    wedge([-8, -8, -8], [16, 16, 16]),
]
WAYS = (DOWN, [1, 0, -4], [-1, 2, -8])


@pytest.mark.parametrize("floor", range(len(FLOORS)))
@pytest.mark.parametrize("mover", range(len(MOVERS)))
def test_slid_twice_is_slid_once(floor, mover):
    """Onto sheets of one side and two, and onto solids, whichever way all are turned."""
    rng = np.random.default_rng(10 * floor + mover)
    for is_posed in (False, True, False):
        turn = np.eye(3)[rng.permutation(3)] * rng.choice([-1, 1], 3)
        way = np.array(WAYS[rng.integers(3)]) @ turn
        scene = scene_of(
            *(
                Triangles(each.vertices @ turn, each.faces)
                for each in (FLOORS[floor], GROUND, MOVERS[mover])
            )
        )
        if is_posed:
            scene.move([2], posed(rng, turn))
        assert slid(scene, [2], way).onto.tolist() == [0]
        for _ in range(2):
            again = slid(scene, [2], way)
            assert again.onto.tolist() == [0] and (np.abs(again.moves) <= 2.0**-40).all()


def posed(rng, turn):
    """Return a matrix (1, 4, 4) that turns at random, and lifts above the floors."""
    matrix = np.eye(4)[None]
    matrix[0, :3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    matrix[0, :3, 3] = np.array([0.1, 0.2, 9.0]) @ turn
    return matrix


def slid(scene, ids, direction):
    """Slide, and move the scene by the results."""
    found = slide(scene, ids, direction)
    matrices = scene.matrices_of(ids)
    matrices[:, :3, 3] += found.moves
    scene.move(ids, matrices)
    return found


def test_where_faces_of_one_plane_bound_no_solid_both_are_sheets():
    lower, flat = box([0, 0, 0], [1, 1, 1]), sheet([-1, -1, 1], [3, 0, 0], [0, 3, 0])
    upper = box([0.25, 0.25, 1], [2, 2, 2])
    for kind in SHEETS:
        floor = two_sided(flat, kind)
        for one, held in [
            (upper, True), (lower, False), *((two_sided(flat, other), True) for other in SHEETS),
        ]:  # fmt: skip
            found = slide(scene_of(one, floor), [0], DOWN)
            assert found.onto.tolist() == ([1] if held else [-1]), kind
        for other, held in ((lower, True), (upper, False)):
            found = slide(scene_of(floor, other), [0], DOWN)
            assert found.onto.tolist() == ([1] if held else [-1]), kind


def test_a_card_joined_with_a_solid_is_held_where_the_solid_is_not():
    """Both lie wholly ahead of the plane; the solid leaves it, the card would go through."""
    plane = sheet([-9, -9, 1], [18, 0, 0], [0, 18, 0])
    solid, card = box([0, 0, 0], [1, 1, 1]), sheet([2, 0, 1], [1, 0, 0], [0, 1, 0])
    for kind in SHEETS[:3]:
        floor = two_sided(plane, kind)
        assert np.isinf(slide(scene_of(floor, solid), [1], DOWN).distances[0])
        for one, other in ((solid, card), (card, solid)):
            found = slide(scene_of(floor, both(one, other)), [1], DOWN)
            assert found.distances.tolist() == [0.0] and found.onto.tolist() == [0]
            assert found.points[0, 0] >= 2 and found.points[0, 2] == 1


@example(seed=0, direction=DOWN)
@examples(80)
@given(
    seed=st.integers(0, 2**32 - 1),
    direction=st.sampled_from([DOWN, [0, 2, 0], [1, -1, 0], [1, 2, -4]]),
)
def test_what_crosses_is_named_by_the_middle_of_what_two_triangles_share(seed, direction):
    rng = np.random.default_rng(seed)
    corners = rng.integers(0, 7, (2, int(rng.integers(1, 4)), 3, 3)).astype(float)
    meshes = [Triangles(c.reshape(-1, 3), np.arange(c.size // 3).reshape(-1, 3)) for c in corners]
    found = slide(scene_of(*meshes), [1], direction)
    shown = [[oracle.Shadow(each, direction) for each in mesh] for mesh in corners]
    crossing = {
        (i, j)
        for (i, one), (j, other) in product(enumerate(shown[1]), enumerate(shown[0]))
        if cross(one, other)
    }
    assert found.crossing[0] == bool(crossing)
    if not crossing:
        return
    pair = tuple(found.items[:, 0].tolist())
    assert pair in crossing and found.distances[0] == 0.0
    ends = common_segment(corners[1, pair[0]], corners[0, pair[1]])
    if ends is not None:
        middle = [float((a + b) / 2) for a, b in zip(*ends, strict=True)]
        assert found.points[0] == pytest.approx(middle, abs=1e-9)


def cross(one, other):
    gaps = oracle.signed_gaps(one, other)
    return bool(gaps) and min(gaps) < 0 < max(gaps)


def common_segment(one, other):
    """Return both ends of two triangles' common segment, in fractions; None without piercings."""
    points = {
        point
        for here, there in ((one, other), (other, one))
        for edge in range(3)
        for point in pierced(here[edge], here[(edge + 1) % 3], there)
    }
    return (min(points), max(points)) if points else None


def pierced(start, stop, corners):
    """Yield where an edge meets the face of a triangle with an area, in fractions."""
    start, stop, a, b, c = ([Fraction(float(x)) for x in p] for p in (start, stop, *corners))
    normal = product_of(minus(b, a), minus(c, a))
    low, high = scalar(normal, minus(start, a)), scalar(normal, minus(stop, a))
    if low == high or low * high > 0:
        return
    point = [p + low / (low - high) * (q - p) for p, q in zip(start, stop, strict=True)]
    sides = [
        scalar(normal, product_of(minus(q, p), minus(point, p)))
        for p, q in ((a, b), (b, c), (c, a))
    ]
    if min(sides) >= 0:
        yield tuple(point)


def minus(one, other):
    return [a - b for a, b in zip(one, other, strict=True)]


def scalar(one, other):
    return sum(a * b for a, b in zip(one, other, strict=True))


def product_of(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def test_solids_that_share_room_name_no_triangles():
    one = box([0, 0, 0], [1, 1, 1])
    other = both(box([0, 0, 0], [0.25, 1, 1]), box([1, 0, 0], [1.25, 1, 1]))
    for mover in (one, other):
        found = slide(scene_of(mover, one), [0], DOWN)
        assert found.crossing.tolist() == [True] and found.onto.tolist() == [1]
        assert (found.items == -1).all() and np.isnan(found.points).all()
    # Another member of the body crosses, and names its triangles.
    first, third = box([0.5, 0, 0], [1.5, 1, 1]), box([4.5, 0.25, 0.5], [5.5, 0.75, 1.5])
    target = both(one, box([4, 0, 0], [5, 1, 1]))
    found = slide(scene_of(first, target, third), [0, 2], DOWN, bodies=[0, 0])
    assert found.onto.tolist() == [1, 1] and (found.items >= 0).all()
    assert (found.points[:, 0] >= 4.5).all() and (found.points[:, 1] >= 0.25).all()


def both(one, other):
    faces = np.concatenate((one.faces, other.faces + len(one.vertices)))
    return Triangles(np.concatenate((one.vertices, other.vertices)), faces)


@pytest.mark.parametrize("direction", [DOWN, [3, -4, 0], [1e-200, 2e-200, 0], [1e200, 1, -1e200]])
@pytest.mark.parametrize("scale", [1.0, 2.0**-300, 2.0**300])
def test_moves_are_finite_and_lead_along_the_direction(direction, scale):
    parts = [box([-4, -4, -9], [4, 4, -8]), box([0, 0, 0], [1, 1, 1]), box([9, 9, 0], [10, 10, 1])]
    scene = scene_of(*(Triangles(each.vertices * scale, each.faces) for each in parts))
    for limit in (np.inf, 2.0 * scale):
        found = slide(scene, [1, 2], direction, limit=limit)
        assert found.moves.shape == (2, 3) and np.isfinite(found.moves).all()
        unit = np.array(direction) / np.abs(direction).max()
        unit /= np.linalg.norm(unit)
        wanted = np.where(np.isfinite(found.distances), found.distances, 0.0)[:, None] * unit
        assert found.moves / scale == pytest.approx(wanted / scale, rel=1e-15)
        assert not np.signbit(found.moves[found.moves == 0]).any()
    assert slide(scene, [], direction).moves.shape == (0, 3)
