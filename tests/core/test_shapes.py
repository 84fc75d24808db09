"""Batches: frozen copies, selection, bounds, and the three ways to a frustum."""

import core_scenes as scenes
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from core import Boxes, Frusta, Spheres, Triangles

POINTS = np.arange(24.0).reshape(8, 3)
BATCHES = (
    (Boxes, {"lower": POINTS, "upper": POINTS + 1}),
    (Spheres, {"centers": POINTS, "radii": np.arange(8.0)}),
    (Triangles, {"vertices": POINTS, "faces": np.array([[0, 1, 2], [2, 1, 0], [5, 5, 7]])}),
    (Frusta, {"corners": np.stack([POINTS, POINTS + 1, POINTS * 2])}),
)
LENGTHS = {Boxes: 8, Spheres: 8, Triangles: 3, Frusta: 3}
EMPTY = {
    "vertices": (0, 3), "faces": (0, 3), "corners": (0, 8, 3), "radii": (0,),
    "lower": (0, 3), "upper": (0, 3), "centers": (0, 3),
}  # fmt: skip


def clip_matrix():
    """View from (1, 2, 3) along -z: depths 1 to 4, slopes 1 across and 0.5 up."""
    near, far = 1, 4
    projection = np.zeros((4, 4))
    projection[0, 0], projection[1, 1], projection[3, 2] = 1, 2, -1
    projection[2, 2:] = -(far + near) / (far - near), -2 * far * near / (far - near)
    view = np.eye(4)
    view[:3, 3] = -1, -2, -3
    return projection @ view


CLIP_CORNERS = np.array([
    [0, 1.5, 2], [2, 1.5, 2], [2, 2.5, 2], [0, 2.5, 2],
    [-3, 0, -1], [5, 0, -1], [5, 4, -1], [-3, 4, -1],
])  # fmt: skip


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


@pytest.mark.parametrize("kind", [Boxes, Spheres, Triangles, Frusta])
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


def test_bounds_of_infinite_spheres_come_without_a_warning():
    bounds = Spheres([[np.inf, 0, 0], [0, 0, 0]], [np.inf, np.inf]).bounds()
    assert not np.isfinite(bounds.rows).all(axis=0).any()


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


def test_frusta_from_planes_have_their_corners_where_three_planes_meet():
    planes = [
        [1, 0, 0, 1],
        [-1, 0, 0, 2],
        [0, 1, 0, 3],
        [0, -1, 0, 4],
        [0, 0, 1, 5],
        [0, 0, -1, 6],
    ]
    box = Boxes([[-1, -3, -5]], [[2, 4, 6]])
    assert_allclose(Frusta.from_planes([planes]).corners, scenes.hexahedra(box).corners)


def test_frusta_from_planes_whatever_their_lengths():
    views = scenes.views_about(scenes.random())
    planes = views.plane_rows.transpose(2, 0, 1)
    lengths = scenes.numbers().uniform(0.1, 10, (len(views), 6, 1))
    assert_allclose(Frusta.from_planes(planes * lengths).corners, views.corners, atol=1e-9)


def test_frusta_from_matrices_undo_the_projection():
    frusta = Frusta.from_matrices([clip_matrix()])
    assert_allclose(frusta.corners, [CLIP_CORNERS], atol=1e-12)


def test_frusta_from_orthographic_matrices():
    frusta = Frusta.from_matrices([np.diag([1, 0.5, -0.25, 1])])
    box = Boxes([[-1, -2, -4]], [[1, 2, 4]])
    corners = scenes.hexahedra(box).corners[:, [4, 5, 6, 7, 0, 1, 2, 3]]
    assert_allclose(frusta.corners, corners)


def test_no_frusta_from_no_planes_and_no_matrices():
    assert len(Frusta.from_planes(np.empty((0, 6, 4)))) == 0
    assert len(Frusta.from_matrices(np.empty((0, 4, 4)))) == 0
