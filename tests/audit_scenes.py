"""Small solids, scenes with a known pair of each class, and what is true of them in fractions."""

from fractions import Fraction

import numpy as np

from core import FINDING_CLASSES, SceneOctree, Triangles

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
     [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
)  # fmt: skip


def box(lower, upper):
    lower, upper = np.asarray(lower, float), np.asarray(upper, float)
    return Triangles(lower + CORNERS * (upper - lower), FACES)


def sheet(corner, one, other):
    """Make a parallelogram of two triangles, which is open."""
    corner, one, other = (np.asarray(each, float) for each in (corner, one, other))
    corners = np.stack((corner, corner + one, corner + one + other, corner + other))
    return Triangles(corners, [[0, 1, 2], [0, 2, 3]])


def ball(radius=1.0, rings=12, center=(0, 0, 0)):
    """Make a closed ball of quads cut in two, with a fan at each pole."""
    down = np.linspace(0, np.pi, rings + 1)[1:-1, None]
    around = np.linspace(0, 2 * np.pi, 2 * rings + 1)[:-1]
    points = np.stack(
        np.broadcast_arrays(
            np.sin(down) * np.cos(around), np.sin(down) * np.sin(around), np.cos(down)
        ),
        axis=-1,
    ).reshape(-1, 3)
    poles = np.array([[0, 0, 1], [0, 0, -1]])
    columns = 2 * rings
    here = np.arange((rings - 2) * columns).reshape(-1, columns)
    there = np.roll(here, -1, axis=1)
    top, bottom = len(points), len(points) + 1
    first, last = np.arange(columns), np.arange(columns) + (rings - 2) * columns
    parts = [
        np.stack((here, here + columns, there), -1).reshape(-1, 3),
        np.stack((there, here + columns, there + columns), -1).reshape(-1, 3),
        np.stack((np.full(columns, top), first, np.roll(first, -1)), -1),
        np.stack((np.full(columns, bottom), np.roll(last, -1), last), -1),
    ]
    vertices = np.concatenate((points, poles)) * radius + center
    return Triangles(vertices, np.concatenate(parts))


def turned(triangles, rotation, shift=(0, 0, 0)):
    return Triangles(triangles.vertices @ np.asarray(rotation).T + shift, triangles.faces)


def scene_of(*meshes):
    """Place each mesh once, as it is."""
    scene = SceneOctree()
    numbers = [scene.add_mesh(mesh) for mesh in meshes]
    scene.place(numbers, np.tile(np.eye(4), (len(numbers), 1, 1)))
    return scene


def named(found):
    """Return the class of each finding by pair: {(one, other): {class, ...}}."""
    answer = {}
    for number, one, other in zip(found.classes, *found.pairs, strict=True):
        answer.setdefault((int(one), int(other)), set()).add(FINDING_CLASSES[number])
    return answer


def of_class(found, name):
    return np.flatnonzero(found.classes == FINDING_CLASSES.index(name))


def fractions_of(corners):
    return [[Fraction(float(number)) for number in corner] for corner in corners]


def _minus(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


def _cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def squared_distance(one, other):
    """Return the squared distance of two triangles (3, 3) in fractions; 0 where they touch."""
    one, other = fractions_of(one), fractions_of(other)
    if any(_pierces(*pair) for pair in _edges_and_faces(one, other)):
        return Fraction(0)
    found = [_point_to_triangle(p, other) for p in one]
    found += [_point_to_triangle(p, one) for p in other]
    found += [_edge_to_edge(*a, *b) for a in _edges(one) for b in _edges(other)]
    return min(found)


def _edges(triangle):
    return [(triangle[i], triangle[(i + 1) % 3]) for i in range(3)]


def _edges_and_faces(one, other):
    yield from ((edge, other) for edge in _edges(one))
    yield from ((edge, one) for edge in _edges(other))


def _pierces(edge, triangle):
    start, stop = edge
    normal = _cross(_minus(triangle[1], triangle[0]), _minus(triangle[2], triangle[0]))
    before, after = (_dot(normal, _minus(end, triangle[0])) for end in edge)
    if before * after > 0 or before == after:
        return False
    share = before / (before - after)
    point = [a + share * (b - a) for a, b in zip(start, stop, strict=True)]
    return _is_above(point, triangle, normal)


def _is_above(point, triangle, normal):
    if not any(normal):
        return False
    sides = [
        _dot(_cross(_minus(stop, start), _minus(point, start)), normal)
        for start, stop in _edges(triangle)
    ]
    return min(sides) >= 0 or max(sides) <= 0


def _point_to_triangle(point, triangle):
    normal = _cross(_minus(triangle[1], triangle[0]), _minus(triangle[2], triangle[0]))
    if _is_above(point, triangle, normal):
        return _dot(normal, _minus(point, triangle[0])) ** 2 / _dot(normal, normal)
    return min(_point_to_edge(point, *edge) for edge in _edges(triangle))


def _point_to_edge(point, start, stop):
    way = _minus(stop, start)
    length = _dot(way, way)
    share = min(max(_dot(_minus(point, start), way) / length, 0), 1) if length else Fraction(0)
    apart = _minus(_minus(point, start), [share * x for x in way])
    return _dot(apart, apart)


def _edge_to_edge(a, b, c, d):
    one, other, apart = _minus(b, a), _minus(d, c), _minus(a, c)
    normal = _cross(one, other)
    area = _dot(normal, normal)
    ends = [
        _point_to_edge(a, c, d), _point_to_edge(b, c, d),
        _point_to_edge(c, a, b), _point_to_edge(d, a, b),
    ]  # fmt: skip
    if area == 0:
        return min(ends)
    here = -_dot(_cross(apart, other), normal) / area
    there = -_dot(_cross(apart, one), normal) / area
    if 0 <= here <= 1 and 0 <= there <= 1:
        ends.append(_dot(normal, apart) ** 2 / area)
    return min(ends)
