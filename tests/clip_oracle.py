"""Clipping done slowly: in fractions, a triangle and a cell at a time; and what pieces promise."""

from fractions import Fraction

import numpy as np
from numpy.testing import assert_array_equal

from core import Triangles

STEP = 2.0**-52


def clipped_polygon(corners, lower, upper):
    """Return the corners of a triangle cut by a box, as fractions (Sutherland and Hodgman)."""
    polygon = [tuple(map(Fraction, map(float, corner))) for corner in corners]
    for axis in range(3):
        for sign, wall in ((1, upper[axis]), (-1, lower[axis])):
            polygon = _half(polygon, axis, sign, Fraction(float(wall)))
    return polygon


def _half(polygon, axis, sign, wall):
    kept = []
    for one, other in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        here, there = (sign * (wall - corner[axis]) for corner in (one, other))
        if here >= 0:
            kept.append(one)
        if here * there < 0:
            part = here / (here - there)
            kept.append(tuple(a + (b - a) * part for a, b in zip(one, other, strict=True)))
    return kept


def area_vector(polygon):
    """Return twice the area of a polygon along its normal, as fractions."""
    total = [Fraction(0)] * 3
    for one, other in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        for axis in range(3):
            i, j = (axis + 1) % 3, (axis + 2) % 3
            total[axis] += one[i] * other[j] - one[j] * other[i]
    return total


def corners_of(pieces):
    return pieces.vertices[pieces.faces]


def area_vectors(corners):
    """Return twice the areas of triangles (n, 3, 3) along their normals."""
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])


def places_of(vertices):
    """Return one number for all vertices with equal coordinates."""
    _, numbers = np.unique(vertices + 0.0, axis=0, return_inverse=True)
    return numbers.reshape(-1)


def edges_of(faces):
    """Return directed edges (3 n, 2), those of a face beside each other."""
    return np.stack((faces, np.roll(faces, -1, axis=1)), axis=2).reshape(-1, 2)


def open_edges(faces):
    """Return the edges (e, 2) that are once more there in one direction than in the other."""
    edges = edges_of(faces)
    edges = edges[edges[:, 0] != edges[:, 1]]
    keys, number = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True)
    sign = np.where(edges[:, 0] < edges[:, 1], 1, -1)
    balance = np.bincount(number.reshape(-1), sign, minlength=len(keys))
    return np.repeat(keys, np.abs(balance).astype(int), axis=0)


def open_length(vertices, faces):
    ends = vertices[open_edges(faces)]
    return np.sqrt(((ends[:, 1] - ends[:, 0]) ** 2).sum(axis=1)).sum()


def volume(vertices, faces):
    first, second, third = np.moveaxis(vertices[faces], 1, 0)
    return (np.cross(first, second) * third).sum() / 6


def canonical(pieces, cells=None, triangles=None):
    """Return the pieces as a sorted table: what they are, whatever their order."""
    cells = pieces.cells if cells is None else cells
    triangles = pieces.triangles if triangles is None else triangles
    rows = np.column_stack((triangles, cells, corners_of(pieces).reshape(-1, 9)))
    return rows[np.lexsort(rows.T[::-1])]


def assert_lawful(items, pieces, lower, upper, valid=None):
    """Check what `clip` promises of any pieces, in cells with these walls (m, 3)."""
    assert isinstance(items, Triangles)
    valid = np.isfinite(items.vertices[items.faces]).all(axis=(1, 2)) if valid is None else valid
    triangles, weights, corners = pieces.triangles, pieces.weights, corners_of(pieces)
    largest = np.abs(items.vertices[items.faces[valid]]).max(initial=0.0)
    # Each of its own source, each source has one, in its closed cell, also in single precision.
    assert np.array_equal(np.unique(triangles), valid.nonzero()[0])
    assert (np.diff(triangles) >= 0).all()
    inside = pieces.cells >= 0
    for kind in (np.float64, np.float32):
        some, low, high = (
            rows.astype(kind)
            for rows in (corners[inside], lower[pieces.cells[inside]], upper[pieces.cells[inside]])
        )
        assert (some >= low[:, None]).all()
        assert (some <= high[:, None]).all()
    # The vertices of the source keep their numbers.
    count = len(items.vertices)
    assert np.array_equal(pieces.vertices[:count], items.vertices, equal_nan=True)
    assert np.array_equal(np.unique(pieces.faces[pieces.faces >= count]),
                          np.arange(count, len(pieces.vertices)))  # fmt: skip
    # Weights.
    assert (np.abs(weights.sum(axis=2) - 1) <= STEP).all()
    assert (weights >= 0).all()
    sources = items.vertices[items.faces[triangles]]
    only = (weights != 0).sum(axis=2, keepdims=True) == 1
    row, corner, source = ((weights != 0) & only).nonzero()
    unit = pieces.faces[row, corner]
    named = items.faces[triangles[row], source]
    assert_array_equal(items.vertices[unit], items.vertices[named])
    if area_vectors(items.vertices[items.faces[valid]]).any(axis=1).all():
        assert_array_equal(unit, named)
        of_source = pieces.faces < count
        assert only[:, :, 0][of_source].all()
    expected = (weights[:, :, :, None] * sources[:, None]).sum(axis=2)
    assert np.abs(expected - corners).max(initial=0.0) <= 4 * STEP * largest
    assert_subdivision(items, pieces, largest)


def assert_subdivision(items, pieces, largest):
    """Check that pieces fit: inner edges are paired, others lie on the edges of the source."""
    places = places_of(pieces.vertices)
    keys = pieces.triangles[:, None] * len(places) + places[pieces.faces]
    known, number = np.unique(keys, return_inverse=True)
    # Where rounding put several vertices on one place, one on an edge may stand for the others.
    sources = items.vertices[items.faces[pieces.triangles]]
    opposite = np.roll(sources, -1, axis=1) - np.roll(sources, -2, axis=1)
    lengths = np.sqrt((opposite**2).sum(axis=2))
    twice = np.sqrt((area_vectors(sources) ** 2).sum(axis=1))
    near = pieces.weights * twice[:, None, None] <= 8 * STEP * largest * lengths[:, None]
    on_edge = np.zeros((len(known), 3), bool)
    np.logical_or.at(on_edge, number.reshape(-1), near.reshape(-1, 3))
    ends = on_edge[np.searchsorted(known, open_edges(keys))]
    assert ends.all(axis=1).any(axis=1).all()
    # None is left out but those with two corners at one place, which have no area.
    found, source = area_vectors(corners_of(pieces)), area_vectors(items.vertices[items.faces])
    sums = np.zeros_like(source)
    np.add.at(sums, pieces.triangles, found)
    valid = np.unique(pieces.triangles)
    reach = np.abs(items.vertices[items.faces[valid]]).max(axis=(1, 2), initial=0.0)
    sides = np.ptp(items.vertices[items.faces[valid]], axis=1).max(axis=1)
    slack = 64 * STEP * largest * sides[:, None] + 1e-300
    assert (np.abs(sums[valid] - source[valid]) <= slack).all()
    # No piece is turned over.
    lengths = np.sqrt((source**2).sum(axis=1))[pieces.triangles]
    along = (found * source[pieces.triangles]).sum(axis=1)
    extent = np.ptp(corners_of(pieces), axis=1).max(axis=1)
    assert (along >= -16 * STEP * (largest + reach.max(initial=0)) * extent * lengths).all()
