"""Batches: frozen copies, selection, bounds, and what their constructors refuse."""

import core_scenes as scenes
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from core import (
    Boxes,
    Capsules,
    Frusta,
    HalfSpaces,
    OrientedBoxes,
    Regions,
    Spheres,
    Triangles,
)

POINTS = np.arange(24.0).reshape(8, 3)
# Permutations of the axes, some of them mirrored.
AXES, TURNS = np.eye(3), np.array([[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 0, 2]] * 2)
BATCHES = (
    (Boxes, {"lower": POINTS, "upper": POINTS + 1}),
    (Spheres, {"centers": POINTS, "radii": np.arange(8.0)}),
    (Regions, {"lower": POINTS, "upper": POINTS + 1, "radii": np.arange(8.0)}),
    (OrientedBoxes, {"centers": POINTS, "half_sizes": POINTS + 1, "rotations": AXES[TURNS]}),
    (Capsules, {"starts": POINTS, "ends": POINTS[::-1], "radii": np.arange(8.0)}),
    (HalfSpaces, {"planes": np.arange(32.0).reshape(8, 4) - 16}),
    (Triangles, {"vertices": POINTS, "faces": np.array([[0, 1, 2], [2, 1, 0], [5, 5, 7]])}),
    (Frusta, {"corners": np.stack([POINTS, POINTS + 1, POINTS * 2])}),
)
LENGTHS = {kind: 8 for kind, _ in BATCHES} | {Triangles: 3, Frusta: 3}
EMPTY = {
    "vertices": (0, 3), "faces": (0, 3), "corners": (0, 8, 3), "radii": (0,),
    "lower": (0, 3), "upper": (0, 3), "centers": (0, 3), "half_sizes": (0, 3),
    "rotations": (0, 3, 3), "starts": (0, 3), "ends": (0, 3), "planes": (0, 4),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "arrays"), BATCHES)
def test_attributes_carry_the_constructors_names_and_values(kind, arrays):
    batch = kind(**arrays)
    assert len(batch) == LENGTHS[kind]
    for name, array in arrays.items():
        assert_array_equal(getattr(batch, name), array)
        assert getattr(batch, name).dtype == (np.intp if name == "faces" else np.float64)


@pytest.mark.parametrize(("kind", "arrays"), BATCHES)
def test_input_is_copied(kind, arrays):
    given = {name: array.copy() for name, array in arrays.items()}
    batch = kind(**given)
    for name, array in given.items():
        array[...] = 0
        assert_array_equal(getattr(batch, name), arrays[name])


@pytest.mark.parametrize(("kind", "arrays"), BATCHES)
def test_attributes_are_read_only(kind, arrays):
    batch = kind(**arrays)
    for name in (*arrays, "rows"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(batch, name)[...] = 0


@pytest.mark.parametrize(("kind", "arrays"), BATCHES)
def test_every_axis_has_its_own_contiguous_row(kind, arrays):
    rows = kind(**arrays).rows
    assert rows.shape[1] == LENGTHS[kind]
    assert rows.flags.c_contiguous


@pytest.mark.parametrize("kind", LENGTHS)
def test_a_batch_may_be_empty(kind):
    names = dict(BATCHES)[kind]
    from_shapes = kind(
        *(np.empty(EMPTY[name], int if name == "faces" else float) for name in names)
    )
    from_lists = kind(*([] for name in names))
    for batch in (from_shapes, from_lists, kind(**names)[:0]):
        assert len(batch) == 0
        assert batch.bounds().lower.shape == (0, 3)
        for name in names:
            if (kind, name) != (Triangles, "vertices"):
                assert getattr(batch, name).shape == EMPTY[name]


@pytest.mark.parametrize(("kind", "arrays"), BATCHES)
@pytest.mark.parametrize("ids", [[2, 0, 2], slice(1, 3), np.array([1]), [], -1, 1])
def test_selection_gives_a_batch_of_the_same_kind(kind, arrays, ids):
    batch = kind(**arrays)
    wanted = np.arange(len(batch))[ids if np.size(ids) else slice(0)]
    some = batch[ids]
    assert type(some) is kind
    assert len(some) == np.size(wanted)
    assert_array_equal(some.rows, batch.rows[:, np.atleast_1d(wanted)])


@pytest.mark.parametrize(("kind", "arrays"), BATCHES)
def test_selection_by_flags(kind, arrays):
    batch = kind(**arrays)
    flags = np.arange(len(batch)) % 2 == 0
    assert_array_equal(batch[flags].rows, batch.rows[:, flags])


@pytest.mark.parametrize(("kind", "arrays"), BATCHES)
def test_selection_out_of_range_is_an_error(kind, arrays):
    with pytest.raises(IndexError):
        kind(**arrays)[[LENGTHS[kind]]]


def test_bounds_of_each_kind():
    triangle = Triangles([[0, 5, 1], [2, 3, 1], [-1, 4, 7]], [[0, 1, 2]]).bounds()
    assert_array_equal([triangle.lower[0], triangle.upper[0]], [[-1, 3, 1], [2, 5, 7]])
    sphere = Spheres([[1, 2, 3]], [2]).bounds()
    assert_array_equal([sphere.lower[0], sphere.upper[0]], [[-1, 0, 1], [3, 4, 5]])
    boxes = Boxes(POINTS, POINTS + 1)
    assert_array_equal(boxes.bounds().rows, boxes.rows)
    frustum = scenes.hexahedra(boxes).bounds()
    assert_array_equal(frustum.rows, boxes.rows)
    region = Regions(POINTS, POINTS + 1, np.full(8, 2)).bounds()
    assert_array_equal(region.rows, Boxes(POINTS - 2, POINTS + 3).rows)
    capsule = Capsules([[1, 5, 3]], [[4, 2, 6]], [2]).bounds()
    assert_array_equal([capsule.lower[0], capsule.upper[0]], [[-1, 0, 1], [6, 7, 8]])
    all_of_space = HalfSpaces([[0, 0, 1, 5]]).bounds()
    assert_array_equal(all_of_space.rows[:, 0], [-np.inf] * 3 + [np.inf] * 3)


def test_bounds_of_turned_boxes():
    lying = OrientedBoxes([[1, 2, 3]], [[1, 2, 3]], [AXES[[1, 2, 0]]]).bounds()
    assert_array_equal([lying.lower[0], lying.upper[0]], [[-1, -1, 2], [3, 5, 4]])
    half = 0.5**0.5
    on_edge = OrientedBoxes(
        [[1, 2, 3]], [[1, 1, 1]], [[[half, -half, 0], [half, half, 0], [0, 0, 1]]]
    ).bounds()
    assert_allclose(on_edge.upper[0] - [1, 2, 3], [2 * half, 2 * half, 1])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize(("kind", "arrays"), BATCHES)
def test_bounds_of_bad_rows_come_without_a_warning(kind, arrays, bad):
    if kind is Triangles:
        spoilt = Triangles(np.where(POINTS < 12, bad, POINTS), [[0, 1, 2]])
    else:
        spoilt = kind(**{name: np.full_like(array, bad) for name, array in arrays.items()})
    assert not np.isfinite(spoilt.bounds().rows).any()


def test_a_turned_box_has_the_columns_for_axes():
    turns = scenes.turns(5)
    boxes = OrientedBoxes(np.zeros((5, 3)), np.ones((5, 3)), turns)
    first, second, third = boxes.rows[6:].reshape(3, 3, 5)
    for axis, rows in enumerate((first, second, third)):
        assert_allclose(rows.T, turns[:, :, axis])


def test_what_single_precision_leaves_of_a_rotation_becomes_a_rotation():
    turns = scenes.turns(50).astype(np.float32)
    boxes = OrientedBoxes(np.zeros((50, 3)), np.ones((50, 3)), turns)
    products = boxes.rotations.swapaxes(1, 2) @ boxes.rotations
    assert_allclose(products, np.broadcast_to(AXES, (50, 3, 3)), atol=2e-15)
    assert_allclose(boxes.rotations, turns, atol=1e-6)


@pytest.mark.parametrize("bad", [2 * AXES, np.ones((3, 3)), np.full((3, 3), 1e300), 0 * AXES])
def test_what_is_no_rotation_is_an_error(bad):
    with pytest.raises(ValueError, match=r"rotations must have orthonormal columns.* in row 1"):
        OrientedBoxes(POINTS[:2], POINTS[:2], [AXES, bad])


def test_a_plane_without_a_normal_is_an_error():
    with pytest.raises(ValueError, match=r"planes must have a normal .* in row 1"):
        HalfSpaces([[0, 0, 1, 2], [0, 0, 0, 2]])


@pytest.mark.parametrize("kind", [Spheres, Regions, Capsules])
def test_a_negative_radius_is_an_error(kind):
    arrays = dict(BATCHES)[kind] | {"radii": 2 - np.arange(8.0)}
    with pytest.raises(ValueError, match=r"radii must not be negative, got -1.0 in row 3"):
        kind(**arrays)


def test_a_negative_size_is_an_error():
    with pytest.raises(ValueError, match=r"half_sizes must not be negative, .* in row 0"):
        OrientedBoxes([[0, 0, 0]], [[1, -1, 1]], [AXES])
    for kind in (Boxes, Regions):
        with pytest.raises(ValueError, match=r"lower must not exceed upper, .* in row 0"):
            kind(**dict(BATCHES)[kind] | {"lower": POINTS + 2})


def test_constructors_accept_nan_and_infinity():
    bad = POINTS.copy()
    bad[1], bad[2] = np.nan, np.inf
    assert_array_equal(Boxes(bad, bad).lower, bad)
    assert_array_equal(Spheres(bad, bad[:, 0]).radii, bad[:, 0])
    assert_array_equal(Triangles(bad, [[0, 1, 2]]).vertices, bad)
    assert_array_equal(Frusta(bad[None]).corners, bad[None])


def test_integers_and_single_precision_are_welcome():
    assert_array_equal(Boxes([[0, 0, 0]], [[1, 2, 3]]).upper, [[1.0, 2, 3]])
    assert Spheres(POINTS.astype(np.float32), np.ones(8, np.float32)).centers.dtype == np.float64
    assert Triangles(POINTS, np.array([[0, 1, 2]], np.uint16)).faces.dtype == np.intp
