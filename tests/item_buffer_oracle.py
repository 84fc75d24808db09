"""Why two item buffers of the same views may differ in a pixel; and cameras to draw them with."""

from itertools import pairwise

import numpy as np


def perspective(*, angle=1.0, aspect=4 / 3, near=0.1, far=100.0):
    """Return a projection, as a camera with that horizontal angle has it."""
    scale = 1 / np.tan(angle / 2)
    depth = (far + near) / (near - far), 2 * far * near / (near - far)
    rows = [[scale, 0, 0, 0], [0, scale * aspect, 0, 0], [0, 0, *depth], [0, 0, -1, 0]]
    return np.array(rows, float)


def parallel(*, width=2.0, aspect=4 / 3, near=0.1, far=100.0):
    """Return a parallel projection of that width."""
    scale = [2 / width, 2 / width * aspect, -2 / (far - near), 1]
    matrix = np.diag(scale)
    matrix[2, 3] = -(far + near) / (far - near)
    return matrix


def camera(eye, target, up=(0.0, 0.0, 1.0)):
    """Return the view matrix of a camera that looks at a point."""
    back = np.subtract(eye, target).astype(float)
    back /= np.linalg.norm(back)
    right = np.cross(up, back)
    right /= np.linalg.norm(right)
    matrix = np.eye(4)
    matrix[:3, :3] = right, np.cross(back, right), back
    matrix[:3, 3] = -matrix[:3, :3] @ eye
    return matrix


def moved(x=0.0, y=0.0, z=0.0, *, scale=1.0):
    matrix = np.diag([scale, scale, scale, 1.0])
    matrix[:3, 3] = x, y, z
    return matrix


def differing(one, other):
    """Return the views, rows and columns (k, 3) of pixels that show different triangles."""
    same = (one.placements == other.placements) & (one.triangles == other.triangles)
    return np.argwhere(~same)


def unexplained(scene, one, other, *, edge, depth):
    """Return differing pixels that are no ties, nor nearer to an edge than `edge` pixels.

    A tie is a difference in nearness of at most `depth`, and what `edge` pixels change of it.
    """
    return [
        place
        for place in differing(one, other).tolist()
        if not _explained(scene, one, other, place, edge, depth)
    ]


def _explained(scene, one, other, place, edge, depth):
    view, row, column = place
    matrix, size = one.view_projection[view], one.placements.shape[:0:-1]
    nearness, slopes = [], 0.0
    for buffers in (one, other):
        shown = buffers.placements[view, row, column], buffers.triangles[view, row, column]
        if shown[0] < 0:
            continue
        corners = scene.triangles_of([shown[0]])[[shown[1]]].rows.reshape(3, 3)
        near, slope, distance = _at(corners, matrix, size, (column + 0.5, row + 0.5))
        slack = depth + slope * edge
        if distance <= edge or not slack < min(near, 1 - near):
            return True
        nearness.append(near)
        slopes += slope
    return len(nearness) == 2 and abs(nearness[0] - nearness[1]) <= depth + slopes * edge


def _at(corners, matrix, size, center):
    """Return nearness and slope of a triangle's plane at a point, and how far its edges are."""
    clip = (np.column_stack((corners, np.ones(3))) @ matrix.T).T
    x, y, z, w = clip
    screen = np.stack(((x + w) * size[0] / 2, (y + w) * size[1] / 2, w, (w - z) / 2))
    try:
        solve = np.linalg.inv(screen[:3])
    except np.linalg.LinAlgError:
        return 0.5, 0.0, 0.0
    by_x, by_y, constant = screen[3] @ solve
    near = by_x * center[0] + by_y * center[1] + constant
    polygon = _in_front(screen.T)
    ring = [point[:2] / point[2] for point in polygon]
    pairs = pairwise([*ring, ring[0]]) if ring else []
    distances = [_distance(np.array(center), a, b) for a, b in pairs]
    return near, abs(by_x) + abs(by_y), min(distances, default=0.0)


def _in_front(points):
    """Clip a polygon at the near plane, where nearness is 1."""
    result = []
    for one, other in pairwise([*points, points[0]]):
        here, there = one[2] - one[3], other[2] - other[3]
        if here >= 0:
            result.append(one)
        if (here < 0) != (there < 0):
            result.append(one + (other - one) * here / (here - there))
    return result


def _distance(point, start, end):
    """Return how far a point is from a segment."""
    way = end - start
    length = way @ way
    part = np.clip((point - start) @ way / length, 0, 1) if length > 0 else 0.0
    return np.linalg.norm(point - start - part * way)
