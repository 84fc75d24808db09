"""Passes in pieces: the same numbers as all at once, and steps as short as the pieces."""

import core_scenes as scenes
import numpy as np
import pytest
from agreement import POLICIES
from costs import bytes_of_steps
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from stepping import finished
from tuned import tuned

import core
from core import Boxes, Triangles, build_octree, build_steps, passes, run
from core.arrays import distinct, radix_argsort
from core.chunking.lattice import Lattice, LatticeCells, root_cell
from core.options import SPLITS

ARRAYS = (
    "cell_rows", "node_parent", "begin", "own_end", "end", "order", "references", "copied",
    "strays",
)  # fmt: skip


def keys_of(bits):
    """Return keys of `bits` bits, few of them distinct, and the number of bits."""
    some = st.sampled_from([0, 1, 2**bits - 1, 2 ** (bits - 1), 2 ** (bits // 2)])
    return st.tuples(arrays(np.intp, st.integers(0, 100), elements=some), st.just(bits))


@given(st.integers(1, 40), st.integers(1, 40).flatmap(keys_of))
def test_keys_are_sorted_in_pieces_as_all_at_once(piece, keys_and_bits):
    keys, bits = keys_and_bits
    with tuned(core, piece=piece, sorted_at_once=piece):
        _, order = finished(passes.radix_argsort_steps(keys, bits))
    assert_array_equal(order, np.argsort(keys, kind="stable"))
    assert_array_equal(order, radix_argsort(keys, bits))


@pytest.mark.parametrize("count", [0, 1, 7, 100])
@pytest.mark.parametrize("shape", [(50,), (3, 50)])
@tuned(core, piece=7)
def test_numbers_are_taken_in_pieces(shape, count):
    rows = np.arange(np.prod(shape)).reshape(shape)
    ids = np.random.default_rng(0).integers(0, 50, count)
    fractions, taken = finished(passes.taken_steps(rows, ids))
    assert_array_equal(taken, rows[..., ids])
    assert len(fractions) == -(-count // 7) * (len(shape) == 1 or shape[0])


@pytest.mark.parametrize("count", [0, 5, 60])
def test_triangles_are_made_in_pieces(count):
    random = np.random.default_rng(1)
    vertices = random.random((20, 3)).astype(np.float32)
    faces = random.integers(0, 20, (count, 3)).astype(np.int32)
    whole = Triangles(vertices, faces)
    for piece in (100, 7):
        with tuned(core, piece=piece):
            fractions, made = finished(Triangles.steps(vertices, faces))
        assert len(fractions) == (0 if piece == 100 else 3 + -(-count // 7))
        for name in ("rows", "vertices", "faces"):
            assert_array_equal(getattr(made, name), getattr(whole, name), strict=True)
            assert not getattr(made, name).flags.writeable
    faces[count // 2 :] = 20
    if count:
        with tuned(core, piece=7), pytest.raises(ValueError, match="faces must lie in 0"):
            finished(Triangles.steps(vertices, faces))


@tuned(core, piece=7)
def test_faces_that_nobody_writes_are_kept_as_they_are():
    rows = np.random.default_rng(1).integers(0, 20, (3, 60))
    vertices, seen = np.eye(20, 3), rows.view()
    rows_of_fours, turned = rows.astype(np.int32), rows.T.copy()
    for each in (seen, rows_of_fours, turned):
        each.setflags(write=False)
    # Read-only is not enough where another one writes, or where numbers lie otherwise.
    for each in (rows.T, seen.T, rows_of_fours.T, turned, rows[:, :50].T):
        _, made = finished(Triangles.steps(vertices, each))
        assert not np.shares_memory(made.faces, each)
    rows.setflags(write=False)
    _, made = finished(Triangles.steps(vertices, rows.T))
    assert np.shares_memory(made.faces, rows)
    assert_array_equal(made.faces, rows.T, strict=True)
    bad = rows.copy()
    bad[1, 59] = 20
    bad.setflags(write=False)
    with pytest.raises(ValueError, match="faces must lie in 0"):
        finished(Triangles.steps(vertices, bad.T))


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.longdouble, np.int8])
@tuned(core, piece=7)
def test_vertices_of_any_kind_are_made_in_pieces(kind):
    vertices = np.random.default_rng(1).integers(-9, 9, (60, 3)).astype(kind)
    _, made = finished(Triangles.steps(vertices, np.zeros((60, 3), int)))
    assert_array_equal(made.vertices, vertices.astype(np.float64), strict=True)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("bounds", [None, ([[0.2] * 3], [[0.7] * 3])])
def test_a_build_in_small_pieces_gives_the_same_bits(bounds, policy, split):
    items = scenes.random(2000, 0.1)
    options = {"capacity": 8, "straddlers": policy, "split": split}
    if bounds:
        options["bounds"] = Boxes(*bounds)
    whole = build_octree(items, **options)
    with tuned(core, piece=100, divided=100, sorted_at_once=100):
        tree = build_octree(items, **options)
    for name in ARRAYS:
        assert_array_equal(getattr(tree, name), getattr(whole, name), strict=True)
    assert_array_equal(tree.arranged.rows, whole.arranged.rows)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("policy", POLICIES)
@tuned(core, piece=1000, divided=1000)
def test_the_longest_step_is_as_long_as_a_piece(policy, split):
    """What is left of whole passes makes twelve numbers an item; a build makes four hundred."""
    items = scenes.random(50_000, 0.01)
    made = bytes_of_steps(build_steps(items, straddlers=policy, split=split))
    assert max(made) <= 100 * len(items)


@given(st.integers(0, 2**32), st.sampled_from([3, 2**18]), st.booleans())
def test_equal_columns_become_neighbors(seed, piece, are_whole):
    random = np.random.default_rng(seed)
    columns = random.integers(-2, 3, (random.integers(1, 5), random.integers(0, 60)))
    if not are_whole:
        columns = np.where(columns == 0, random.choice([0.0, -0.0], columns.shape), columns / 3)
    with tuned(core, piece=piece, sorted_at_once=7):
        order, is_first = run(passes.grouped_steps(columns))
    assert_array_equal(np.sort(order), np.arange(columns.shape[1]))
    ordered = columns[:, order]
    differ = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    assert_array_equal(is_first, np.append(True, differ)[: columns.shape[1]])
    assert is_first.sum() == len(np.unique(columns + 0.0, axis=1).T)


@given(
    arrays(np.intp, st.tuples(st.integers(0, 3), st.integers(0, 9)), elements=st.integers(-5, 5))
)
def test_distinct_numbers_are_those_of_numpy(numbers):
    assert_array_equal(distinct(numbers), np.unique(numbers), strict=True)


@pytest.mark.parametrize("axes", [(0, 1, 2), (0, 1)])
def test_cells_beside_each_other_are_found_in_pieces(axes):
    random, cells = np.random.default_rng(3), root_cell(Lattice(1.0, 8, np.zeros(3, int)), axes)
    for _ in range(4):
        is_divided = random.random(len(cells)) < 0.7
        cells = LatticeCells.joined([cells[~is_divided], cells[is_divided].children()])
    cells = cells[random.random(len(cells)) < 0.9]
    lower, upper = cells.bounds
    with tuned(core, piece=80):
        fractions, found = finished(cells.neighbor_steps())
    assert len(fractions) >= 2 * len(axes) * len(cells) // 10
    expected = []
    for axis in axes:
        others = [each for each in range(3) if each != axis]
        overlap = np.ones((len(cells), len(cells)), bool)
        for other in others:
            overlap &= lower[other][:, None] < upper[other]
            overlap &= upper[other][:, None] > lower[other]
        for side, (mine, theirs) in enumerate(((lower, upper), (upper, lower))):
            ones, twos = (overlap & (mine[axis][:, None] == theirs[axis])).nonzero()
            expected += [(one, 2 * axis + side, two) for one, two in zip(ones, twos, strict=True)]
    assert_array_equal(found, np.array(sorted(expected)).reshape(-1, 3).T)
