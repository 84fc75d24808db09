"""Cells by budget, anchored to the world: what each holds, whatever the rest of the scene."""

import clip_oracle as oracle
import core_scenes as scenes
import numpy as np
import pytest
from audit_scenes import box
from chunk_oracle import AXES, check_lattice, surface, together
from clip_oracle import corners_of
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tuned import tuned

import core
from core import Boxes, Running, Triangles, chunks, chunks_steps, density
from core.clipping.splits import Splits


def boxes_in_one_place(count):
    """Return `count` boxes as one batch of triangles, 12 each."""
    one = box((0, 0, 0), (4, 4, 4))
    faces = np.concatenate([one.faces + 8 * number for number in range(count)])
    return Triangles(np.tile(one.vertices, (count, 1)), faces)


def whole_ones(items, made):
    return items.vertices[items.faces[made.cells >= 0]], made.cells[made.cells >= 0]


def contents(items, made, names=None):
    """Return by level and coordinates what each chunk holds, as a sorted table."""
    names = np.zeros(len(items), int) if names is None else names
    corners, cells = whole_ones(items, made)
    corners = np.concatenate((corners, corners_of(made.pieces))).reshape(-1, 9)
    cells = np.concatenate((cells, made.pieces.cells))
    names = np.concatenate((names[made.cells >= 0], names[made.pieces.triangles]))
    rows = np.column_stack((names, corners))
    keys = np.column_stack((made.levels, made.coordinates)).tolist()
    tables = (rows[cells == cell] for cell in range(len(keys)))
    return {
        tuple(key): table[np.lexsort(table.T)].tolist()
        for key, table in zip(keys, tables, strict=True)
    }


def check(items, made, budget, cell=1.0, axes=3):
    """Check what is promised of any chunks, pieces and whole triangles together."""
    valid = np.isfinite(items.vertices[items.faces]).all(axis=(1, 2))
    cut = np.unique(made.pieces.triangles)
    assert_array_equal(valid.nonzero()[0], np.union1d((made.cells >= 0).nonzero()[0], cut))
    assert not (made.cells[cut] >= 0).any()
    corners, cells = whole_ones(items, made)
    for kind in (np.float64, np.float32):
        lower, upper, some = (each.astype(kind) for each in (made.lower, made.upper, corners))
        assert (some >= lower[cells, None]).all()
        assert (some <= upper[cells, None]).all()
    in_pieces = np.zeros(len(items), bool)
    in_pieces[cut] = True
    oracle.assert_lawful(items, made.pieces, made.lower, made.upper, in_pieces)
    counts = np.bincount(cells, minlength=len(made.counts)) + np.bincount(
        made.pieces.cells, minlength=len(made.counts)
    )
    assert_array_equal(made.counts, counts)
    assert (made.counts > 0).all()
    assert_array_equal(made.is_over, made.totals > budget)
    check_lattice(made, cell, axes)
    # No crack, by vertex number.
    faces = np.concatenate((items.faces[made.cells >= 0], made.pieces.faces))
    before = oracle.open_length(items.vertices, items.faces[valid])
    after = oracle.open_length(made.pieces.vertices, faces)
    slack = 1e-12 * before + 1e-13 * np.abs(items.vertices[valid_vertices(items)]).max(initial=0)
    assert abs(after - before) <= slack * (len(faces) + 1)


def valid_vertices(items):
    return np.isfinite(items.vertices).all(axis=1)


@pytest.mark.parametrize("shift", [0.0, 0.37, 1e6])
@pytest.mark.parametrize("split", ["octree", "quadtree"])
def test_a_surface_is_divided_until_all_is_within_the_budget(split, shift):
    items = surface(shift=(shift, -shift, 0))
    for budget, cell in ((100, 1.0), (300, 0.7), (5000, 8.0)):
        made = chunks(items, budget=budget, cell=cell, split=split)
        check(items, made, budget, cell, AXES[split])
        assert not made.is_over.any()
        assert (made.counts <= budget).all()
        assert len(made.counts) > len(items) // budget


KINDS = {
    "whole": lambda random, shape: random.integers(-4, 5, shape).astype(float),
    "any": lambda random, shape: random.uniform(-4, 4, shape),
    "far": lambda random, shape: random.uniform(-4, 4, shape) + np.array((1e6, -1e6, 0)),
    "slivers": lambda random, shape: random.uniform(-4, 4, shape) * (1, 1e-14, 1e-3) + 1,
}


@st.composite
def soups(draw):
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    count = draw(st.integers(1, 40))
    vertices = KINDS[draw(st.sampled_from(sorted(KINDS)))](random, (12, 3))
    faces = np.argsort(random.random((count, 12)), axis=1)[:, :3]
    return Triangles(vertices, np.concatenate((faces, faces[:3])))


@examples(60)
@given(soups(), st.sampled_from([1, 4, 20]), st.sampled_from(["octree", "quadtree"]))
def test_chunks_of_any_soup_are_lawful(items, budget, split):
    made = chunks(items, budget=budget, cell=0.6, split=split, least_size=0.6)
    if not (oracle.area_vectors(items.vertices[items.faces]) == 0).all(axis=1).any():
        check(items, made, budget, 0.6, AXES[split])
    assert (made.levels >= 0).all()


@examples(20)
@given(soups(), st.integers(-40, 40), st.integers(0, 2**32))
def test_neither_order_nor_scale_changes_a_chunk(items, power, seed):
    order, factor = np.random.default_rng(seed).permutation(len(items)), 2.0**power
    names = np.arange(len(items))
    wanted = contents(items, chunks(items, budget=8, least_size=0.3), names)
    found = chunks(items[order], budget=8, least_size=0.3)
    assert contents(items[order], found, order) == wanted
    larger = Triangles(items.vertices * factor, items.faces)
    scaled = chunks(larger, budget=8, cell=factor, least_size=0.3 * factor)
    scaled = contents(larger, scaled, names)
    assert sorted(scaled) == sorted(wanted)
    for key, table in scaled.items():
        assert (np.array(table)[:, 1:] / factor).tolist() == [row[1:] for row in wanted[key]]


def overlaps(made, lower, upper):
    """Return which chunks have an inside in common with any of some boxes."""
    return ((made.lower[:, None] < upper) & (made.upper[:, None] > lower)).all(axis=2).any(axis=1)


def touches(made, lower, upper):
    """Return which chunks touch any of some boxes."""
    return (
        ((made.lower[:, None] <= upper) & (made.upper[:, None] >= lower)).all(axis=2).any(axis=1)
    )


@examples(20)
@given(st.integers(0, 2**32))
def test_a_moved_object_changes_only_its_own_cells_and_what_touches_these(seed):
    random = np.random.default_rng(seed)
    ground, moving = surface(50), scenes.uv_sphere()
    tables, places = [], []
    frame = Triangles([[-3, -3, -3], [3, 3, 3], [3, 3, 2.9]], [[0, 1, 2]])
    for shift in random.uniform(-0.7, 0.7, (2, 3)):
        moved = Triangles(moving.vertices * 0.05 + shift, moving.faces)
        items, owners = together(ground, moved, frame)
        made = chunks(items, budget=150, cell=0.5, owners=owners)
        its = np.concatenate((made.cells[(made.cells >= 0) & (owners == 1)],
                              made.pieces.cells[owners[made.pieces.triangles] == 1]))  # fmt: skip
        tables.append((made, contents(items, made, owners)))
        places.append(np.unique(its))
    (before, old), (after, new) = tables
    lower = np.concatenate((before.lower[places[0]], after.lower[places[1]]))
    upper = np.concatenate((before.upper[places[0]], after.upper[places[1]]))
    # A cell that one of the two divides is a cell of the other.
    ones, others = (overlaps(made, lower, upper) for made in (before, after))
    lower = np.concatenate((before.lower[ones], after.lower[others]))
    upper = np.concatenate((before.upper[ones], after.upper[others]))
    for made, table, other in ((before, old, new), (after, new, old)):
        apart = ~touches(made, lower, upper)
        keys = [tuple(key) for key in np.column_stack((made.levels, made.coordinates)).tolist()]
        assert all(
            other[key] == table[key] for key, is_apart in zip(keys, apart, strict=True) if is_apart
        )
        assert 0 < apart.sum() < len(apart)


def test_what_moves_elsewhere_shifts_no_wall():
    items = surface()
    for far in (3.0, 40.0, -900.0):
        more, owners = together(items, surface(4, (far, 0, 0)))
        near, wide = chunks(items, budget=50), chunks(more, budget=50)
        assert wide.root_size > near.root_size
        here, there = contents(items, near), contents(more, wide, owners)
        same = [key for key in here if here[key] == there.get(key)]
        assert len(same) > len(here) / 2
        cells = wide.cells[: len(items)]
        assert (wide.depths[cells[cells >= 0]] > 3).all()


def test_objects_are_cut_assigned_or_kept():
    parts = [surface(16, (0.1 * i, 0.2 * i, 0)) for i in range(3)]
    items, owners = together(*parts)
    made = chunks(items, budget=120, owners=owners, modes=[0, 1, 2])
    assert set(owners[made.pieces.triangles]) == {0}
    centers = items.vertices[items.faces].sum(axis=1) / 3
    kept = items.vertices[items.faces[owners == 2]].reshape(-1, 3)
    points = np.where((owners == 2)[:, None], (kept.min(axis=0) + kept.max(axis=0)) / 2, centers)
    (some,) = (owners > 0).nonzero()
    cells = made.cells[some]
    assert ((points[some] >= made.lower[cells]) & (points[some] <= made.upper[cells])).all()
    assert len(np.unique(made.cells[owners == 2])) == 1
    alone = chunks(parts[2], budget=120, modes=[2])
    assert_array_equal(alone.counts, [len(parts[2])])
    assert alone.is_over.all()
    assert alone.depths[0] == 0


def test_budgets_count_objects_or_weights():
    parts = [surface(6, (2.1 * i, 0, 0)) for i in range(5)]
    items, owners = together(*parts)
    made = chunks(items, budget=1, counted="objects", owners=owners, least_size=0.25)
    for cell in range(len(made.counts)):
        pieces = made.pieces.triangles[made.pieces.cells == cell]
        held = np.unique(np.append(owners[made.cells == cell], owners[pieces]))
        assert made.totals[cell] == len(held)
    assert (made.totals == 1).any()
    weights = np.where(owners == 2, 100.0, 1.0)
    made = chunks(items, budget=500, counted="weights", weights=weights)
    assert_allclose(made.totals.sum(), weights.sum(), rtol=1e-12)
    assert (made.totals <= 500).all()
    heavy = touches(made, *([corner] for corner in parts[2].vertices.take([0, -1], axis=0)))
    assert heavy.sum() > (~heavy).sum()


def test_a_fan_around_a_point_ends_and_is_named():
    angles = np.linspace(0, 2 * np.pi, 401)
    rim = np.stack((np.cos(angles), np.sin(angles), 0.1 * np.sin(7 * angles)), axis=1)
    vertices = np.concatenate(([[0.123, 0.234, 0]], rim))
    ids = np.arange(1, 401)
    items = Triangles(vertices, np.stack((np.zeros(400, int), ids, ids + 1), axis=1))
    made = chunks(items, budget=50)
    check(items, made, 50)
    assert made.is_over.any()
    assert made.counts.sum() < 60 * len(items)
    heap = Triangles(vertices[:3], np.tile([[0, 1, 2]], (300, 1)))
    assert chunks(heap, budget=50).is_over.all()


def test_floors_are_kept():
    items = surface()
    for size in (0.2, 0.5):
        made = chunks(items, budget=0, least_size=size)
        assert ((made.upper - made.lower)[:, 0] >= size).all()
        assert ((made.upper - made.lower)[:, 0] < 2 * size).all()
    scattered, _ = together(items, scenes.uv_sphere(), surface(2, (9, 0.3, 0.2)))
    made = chunks(scattered, budget=0, least_size=0.3, cell=0.3)
    assert_array_equal(made.levels, 0)
    with pytest.raises(ValueError, match="least_size must be more than 0"):
        chunks(items, budget=0)
    made = chunks(items, budget=10, least_triangles=200)
    assert made.is_over.any()
    assert (made.counts[made.is_over] <= 200).all()


def test_nothing_and_what_is_not_finite_give_no_chunks():
    empty = Triangles(np.empty((0, 3)), np.empty((0, 3), int))
    made = chunks(empty)
    assert made.lower.shape == made.upper.shape == made.coordinates.shape == (0, 3)
    assert made.neighbors.shape == (3, 0)
    lost = Triangles([[np.nan] * 3, [0] * 3, [1, 0, 0], [0, 1, 0]], [[0, 1, 2], [1, 2, 3]])
    made = chunks(lost)
    assert_array_equal(made.counts, [1])
    assert_array_equal(made.cells, [-1, 0])
    with pytest.raises(ValueError, match="cell must be so large"), np.errstate(all="ignore"):
        chunks(Triangles([[1.7e308] * 3, [-1.7e308] * 3, [1, 0, 0]], [[0, 1, 2]]))


def test_parts_within_the_bounds_of_all_have_its_cells():
    """Centroids in walls, those of the root too, are on one side, whatever else there is."""
    random = np.random.default_rng(5)
    vertices = random.integers(-8, 9, (900, 3)) / 4.0
    vertices[::3] = vertices[1::3] = vertices[2::3]
    items = Triangles(vertices, np.arange(900).reshape(-1, 3))
    bounds = Boxes(vertices.min(axis=0)[None], vertices.max(axis=0)[None])
    asked = {"budget": 0, "least_size": 1.0, "bounds": bounds}
    whole = density(items, cell=1.0, budget=0, least_size=1.0)
    total = dict.fromkeys(map(tuple, whole.chunks.coordinates.tolist()), 0)
    for some in np.array_split(np.arange(300), [0, 7, 90, 91]):
        part = density(Triangles(vertices, items.faces[some]), **asked)
        assert part.chunks.root_size == whole.chunks.root_size
        for key, count in zip(part.chunks.coordinates.tolist(), part.chunks.counts, strict=True):
            total[tuple(key)] += int(count)
    assert list(total.values()) == whole.chunks.counts.tolist()


@pytest.mark.parametrize("split", AXES)
def test_a_root_holds_the_bounds_that_are_given(split):
    items, _ = together(surface())
    far = Boxes([[-9.0, 0, 0]], [[0, 0, 5.0]])
    made = chunks(items, budget=200, split=split, bounds=far)
    check(items, made, 200, axes=AXES[split])
    upper = made.root_lower + made.root_size
    assert (made.root_lower <= [-9, -0.97, -0.3]).all() and (upper >= [0.97, 0.97, 5]).all()
    nothing = chunks(Triangles(np.empty((0, 3)), np.empty((0, 3), int)), bounds=far)
    assert (nothing.root_lower <= [-9, 0, 0]).all()


@pytest.mark.parametrize("budget", [1, 10, 11, 12])
def test_by_default_no_budget_makes_cells_without_end(budget):
    """Six boxes in one place: twelve triangles meet everywhere, and more at each edge."""
    six = boxes_in_one_place(6)
    for cell in (1.0, 4.0):
        made = chunks(six, budget=budget, cell=cell)
        assert (made.upper - made.lower).min() >= cell / 4
        assert made == chunks(six, budget=budget, cell=cell, least_size=cell / 4)
        assert len(made.counts) <= 6 * (4 / (cell / 4) + 1) ** 2
    assert density(six, budget=budget).chunks.levels.min() >= -2


def test_work_between_two_steps_does_not_grow_with_the_chunks(monkeypatch):
    """Counted in corners of polygons in which cuts of their edges are looked for."""
    work, find = [0], Splits.find

    def found(splits, keys):
        work[-1] += len(keys)
        return find(splits, keys)

    monkeypatch.setattr(Splits, "find", found)
    steps = chunks_steps(boxes_in_one_place(6), budget=11, least_size=0.125)
    with tuned(core, piece=512):
        running, ends = Running(steps), []
        while running.step():
            ends.append(running.value)
            work.append(0)
    refining = [done for done, value in zip(work, ends, strict=False) if 0.8 < value < 0.85]
    # An eighth of a piece of polygons, of few corners each.
    assert max(refining) <= 64 * 12 < sum(refining)
