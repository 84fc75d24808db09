"""Builds with the compiled kernel give NumPy's octrees to the last bit, and read within arrays."""

from dataclasses import replace

import kernel_builds as builds
import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.testing import assert_array_equal
from support.kernels import needs_kernel
from tuned import tuned

import core
from core import (
    Running,
    SceneOctree,
    Triangles,
    build_octree,
    build_steps,
    compiled,
    run,
    use_kernel,
)
from core.cells import Cells, child_walls
from core.construction.levels import judged

pytestmark = needs_kernel


@pytest.fixture(scope="module")
def sheet():
    """Return a wavy sheet of 20,000 triangles."""
    x, y = np.meshgrid(np.linspace(0, 9, 101), np.linspace(0, 9, 101))
    corner = np.arange(100 * 101).reshape(100, 101)[:, :100].ravel()
    quads = corner[:, None] + [0, 1, 102, 0, 102, 101]
    vertices = np.stack((x.ravel(), y.ravel(), np.sin(x.ravel()) * np.cos(y.ravel())), axis=1)
    return Triangles(vertices, quads.reshape(-1, 3))


@pytest.fixture(scope="module")
def expected(sheet):
    use_kernel(False)
    try:
        return build_octree(sheet, capacity=8)
    finally:
        use_kernel(True)


@pytest.mark.parametrize("seed", range(40))
def test_octrees_are_equal_to_the_last_bit(seed):
    builds.assert_builds_equal(seed)


@pytest.mark.parametrize("seed", range(25))
def test_items_that_move_stand_in_the_same_cells(seed):
    builds.assert_moves_equal(seed)


@pytest.mark.parametrize("seed", range(30))
def test_meshes_are_laid_out_alike(seed):
    builds.assert_layouts_equal(seed)


def outlined(items):
    return compiled.Arranger().outline(items)


def keyed(items):
    given = items.vertices.T, items.faces.T, slice(0, 2), np.ones((5, 1)), np.zeros(2, np.intp)
    return compiled.Arranger().keys(*given, np.empty(2, np.int64))


def cut_at_medians(items):
    node = np.zeros(1, np.intp), np.full(1, 2), slice(0, 1), np.arange(2)
    return compiled.Arranger().medians(items.vertices.T, items.faces.T, *node)


def bounded(items):
    runs = np.zeros(1, np.intp), np.full(1, 2)
    return compiled.Arranger().runs(items, *runs, slice(0, 1), np.empty((6, 1)), np.empty(1))


@pytest.mark.parametrize("ask", [outlined, keyed, cut_at_medians, bounded])
@pytest.mark.parametrize("wrong", [-1, 3, 2**62])
def test_corners_that_are_not_there_are_refused(ask, wrong):
    items = Triangles(np.eye(3), [[0, 1, 2], [2, 1, 0]])
    ask(items)
    items._face_rows.setflags(write=True)
    items._face_rows[1, 1] = wrong
    with pytest.raises(IndexError, match="points nowhere"):
        ask(items)


@pytest.mark.parametrize("wrong", [-1, 2, 2**62])
def test_triangles_that_are_not_there_are_refused(wrong):
    items, runs = Triangles(np.eye(3), [[0, 1, 2], [2, 1, 0]]), np.empty((6, 1))
    node = np.zeros(1, np.intp), np.full(1, 2), slice(0, 1), np.array([0, wrong])
    with pytest.raises(IndexError, match="points nowhere"):
        compiled.Arranger().medians(items.vertices.T, items.faces.T, *node)
    for start, count in ((wrong, 1), (0, wrong if wrong < 0 else wrong + 1)):
        with pytest.raises(IndexError, match="points nowhere"):
            compiled.Arranger().runs(
                items, np.array([start]), np.array([count]), slice(0, 1), runs, np.empty(1)
            )


def test_levels_that_contradict_each_other_are_refused():
    """A node of a thousand triangles would have a thousand children."""
    levels, root = np.zeros(1_000, np.uint8), (np.zeros(1, np.intp), np.full(1, 1_000))
    with pytest.raises(IndexError, match="contradict each other"):
        run(compiled.Arranger().divided(levels, *root))


@pytest.mark.parametrize("seed", range(12))
def test_boxes_of_placed_meshes_are_equal_to_the_last_bit(seed):
    random = np.random.default_rng(seed)
    size = random.choice([1e-12, 1.0, 1e150])
    meshes = [random.normal(size=(3 * count, 3)) * size for count in (1, 7, 8, 300)]
    matrices, numbers = np.tile(np.eye(4), (40, 1, 1)), random.permutation(40) % 4
    matrices[:, :3] = random.normal(size=(40, 3, 4))
    matrices[10:, :3] *= random.choice([1.0, 0.0, 1e170], (30, 3, 1))
    matrices[7, 1, 2] = np.nan
    found = []
    for is_wanted in (False, True):
        use_kernel(is_wanted)
        try:
            scene = SceneOctree()
            for mesh in meshes:
                scene.add_mesh(Triangles(mesh, np.arange(len(mesh)).reshape(-1, 3)))
            with np.errstate(all="ignore"):
                ids = scene.place(numbers, matrices)
            found.append(scene.bounds_of(ids).rows)
        finally:
            use_kernel(True)
    assert np.isfinite(found[0]).all(axis=0).any()
    assert_array_equal(*found)


@pytest.mark.parametrize("where", ["starts", "counts", "meshes"])
@pytest.mark.parametrize("wrong", [-1, 2, 2**62])
def test_parts_that_are_not_there_are_refused(where, wrong):
    given = {name: np.array([number]) for name, number in (("starts", 0), ("counts", 1))}
    given |= {"parts": np.ones((6, 1)), "meshes": np.array([0]), "matrices": np.ones((12, 1))}
    compiled.Arranger().surrounded(**given)
    with pytest.raises(IndexError, match="points nowhere"):
        compiled.Arranger().surrounded(**{**given, where: np.array([wrong])})


def eight():
    """Return a root and its children."""
    cells = Cells.of_root(np.array([0, 0, 0, 8, 8, 8.0]), 1.0)
    return cells.with_children(np.zeros(1, np.intp), child_walls(cells.rows, np.full((3, 1), 4.0)))


def moved(cells, item, start):
    """Move the one item there is from a cell to the first of eight."""
    box, own = np.array([1, 1, 1, 2, 2, 2, 0.0])[:, None], np.zeros(9, np.intp)
    own[3] = 1
    return compiled.Builder().moved(cells, box, np.array([item]), np.array([start]), own)


@pytest.mark.parametrize(
    "wrong",
    [
        *[(0, start, 0, 1) for start in (-2, 9, 2**40)],
        *[(0, 3, parent, 1) for parent in (-2, 3, 2**40)],
        *[(0, 3, 0, first) for first in (2, 3, 2**40)],
        *[(item, 3, 0, 1) for item in (-1, 1, 2**40)],
    ],
)
def test_cells_that_contradict_each_other_are_refused(wrong):
    item, start, parent, first = wrong
    cells = eight()
    tallies, gone, stands, own, slices = moved(cells, 0, 3)
    assert (*tallies, *gone, *stands, *own) == (0, 1, 1, 1, 0, 1, 0, 1, *[0] * 7)
    assert_array_equal(slices.child_masks, [1, *[0] * 8])
    parents, firsts = cells.parent.copy(), cells.first_child.copy()
    parents[3], firsts[0] = parent, first
    damaged = replace(cells, parent=parents, first_child=firsts)
    with pytest.raises(IndexError, match="points nowhere"):
        moved(damaged, item, start)


@pytest.mark.parametrize("wrong", [-1, 3, 2**40])
def test_parents_that_are_not_there_are_refused(wrong):
    parents = eight().parent.copy()
    parents[3] = wrong
    with pytest.raises(IndexError, match="points nowhere"):
        compiled.Builder().sliced(replace(eight(), parent=parents), np.zeros(9, np.intp), 0)


@pytest.mark.parametrize("wrong", [(0, 9), (0, -1), (1, 0), (1, 10)])
def test_places_that_contradict_each_other_are_refused(wrong):
    which, number = wrong
    order = eight().place.copy(), eight().span.copy()
    order[which][3] = number
    with pytest.raises(IndexError, match="points nowhere"):
        compiled.Builder().sliced(replace(eight(), order=order), np.zeros(9, np.intp), 0)


@pytest.mark.parametrize("where", ["references", "moved", "stands", "ends"])
@pytest.mark.parametrize("wrong", [-2, 9, 2**40])
def test_references_that_contradict_each_other_are_refused(where, wrong):
    own = np.array([0, 2, 0, 0, 1, 0, 0, 0, 0])
    given = {
        "references": np.array([1, 0, 2]),
        "moved": np.array([0]),
        "stands": np.array([4, 1, 1]),
        "cells": eight(),
        "ends": compiled.Builder().sliced(eight(), own, 0).ends,
    }
    found = compiled.Builder().referred(**given)
    assert found.tolist() == [1, 2, 0]
    given[where] = given[where].copy()
    given[where][5 if where == "ends" else 0] = wrong
    with pytest.raises(IndexError, match="points nowhere"):
        compiled.Builder().referred(**given)


@given(
    arrays.arrays(float, (9, 3, 3), elements=st.integers(-3, 3).map(float)),
    st.sampled_from([1e-12, 1.0, 2.0**40]),
    st.sampled_from([0.0, 1e6]),
    st.integers(1, 4),
)
@examples(40)
def test_triangles_on_walls_go_to_the_same_children(corners, size, shift, capacity):
    items = Triangles(corners.reshape(-1, 3) * size + shift, np.arange(27).reshape(-1, 3))
    found = []
    for is_wanted in (False, True):
        use_kernel(is_wanted)
        try:
            found.append(build_octree(items, capacity=capacity, max_depth=20))
        finally:
            use_kernel(True)
    builds.assert_same(*found)


def test_pieces_of_any_size_give_the_same_octree(sheet, expected):
    fractions, building = [], Running(build_steps(sheet, capacity=8))
    with tuned(core, piece=500, divided=333):
        while building.step():
            fractions.append(building.value)
    assert len(fractions) > 1000
    assert fractions == sorted(fractions)
    builds.assert_same(expected, building.result)
    builds.assert_same(expected, build_octree(sheet, capacity=8))


def test_too_many_copies_are_refused_as_by_numpy(sheet):
    said = []
    for is_wanted in (False, True):
        use_kernel(is_wanted)
        try:
            with tuned(core, copies_at_a_depth=1), pytest.raises(ValueError, match="make") as told:
                build_octree(thick(sheet), capacity=1, max_depth=12)
            said.append(str(told.value))
        finally:
            use_kernel(True)
    assert said[0] == said[1]


def thick(sheet):
    """Return the triangles, each thirty times as large."""
    corners = sheet.vertices[sheet.faces]
    corners += 30 * (corners - corners.mean(axis=1, keepdims=True))
    return Triangles(corners.reshape(-1, 3), np.arange(3 * len(sheet)).reshape(-1, 3))


@given(st.integers(0, 60), st.integers(0, 300), st.integers(0, 2**32))
@examples(30)
def test_keys_are_sorted_stably(bits, count, seed):
    random = np.random.default_rng(seed)
    keys = random.integers(0, 2**bits, count) >> random.integers(0, 9) * 4
    numbers = random.permutation(count) if seed % 2 else None
    with tuned(core, piece=37):
        found, order = run(compiled.Builder().sorted_steps(keys, numbers, bits))
    places = np.argsort(keys, kind="stable")
    assert_array_equal(found, keys[places])
    assert_array_equal(order, places if numbers is None else numbers[places])


@pytest.mark.parametrize("wrong", [-1, 2, 2**40])
@pytest.mark.parametrize("where", ["slices", "copied", "copies", "which", "room"])
def test_indices_that_point_nowhere_are_refused(wrong, where):
    items = Triangles(np.eye(3), [[0, 1, 2]])
    words = np.zeros((3, 1), np.int64)
    grid = core.grid.Grid(np.zeros(3), np.ones(3), 4)
    divider = compiled.Divider(items, tuple(words), np.zeros(1, np.uint8), grid)
    (numbers, rows), which = root_rows(), np.zeros(1, np.intp)
    copies = np.zeros(1, np.int32)
    rows[3] = 1
    if where in ("slices", "copied"):
        rows[1 if where == "slices" else 3] = wrong
    elif where == "copies":
        copies[0] = min(wrong, 2**31 - 1)
    elif where == "which":
        which[0] = wrong
    asked, one = compiled.CellsAsked(numbers, rows, np.ones(1), copies, 0), np.ones(1, np.intp)
    cells = compiled.CellsDivided(divider, asked, which, one, 1 if where == "room" else 2)
    with pytest.raises(IndexError, match="points nowhere"):
        run(cells.classify())
    if where == "which":
        with pytest.raises(IndexError, match="points nowhere"):
            cells.judge(4)
    if where in ("slices", "copied"):
        with pytest.raises(IndexError, match="points nowhere"):
            run(divider.file([asked], one, np.ones(1, bool), which, which.copy()))


def root_rows():
    """Return a root that holds one entry, as the kernel takes it."""
    return np.zeros((3, 1), np.int64), np.array([[0, 1, 0, 0, 1, 1, 0]]).T


def test_what_rounding_hides_from_all_children_goes_to_those_it_overlaps():
    items = Triangles(np.eye(3) + 50.0, [[0, 1, 2]])
    grid = core.grid.Grid(np.zeros(3), np.ones(3), 4)
    far = core.grid.pack(np.array([[15], [15], [3]]))
    words = np.zeros(1, np.int64), np.zeros(1, np.int64), far
    divider = compiled.Divider(items, words, np.zeros(1, np.uint8), grid)
    numbers, rows = root_rows()
    asked = compiled.CellsAsked(numbers, rows, np.full(1, 128.0), np.empty(0, np.int32), 0)
    which, one = np.zeros(1, np.intp), np.ones(1, np.intp)
    cells = compiled.CellsDivided(divider, asked, which, one, 1)
    run(cells.classify())
    ends, bounds, copied, held = np.split(cells.children, [1, 10, 18])
    assert (cells.pairs.tolist(), cells.masks.tolist(), ends.tolist()) == ([0], [0x0F], [1])
    assert bounds.tolist() == [0] + [1] * 8
    assert copied.tolist() == held.tolist() == [1, 1, 1, 1, 0, 0, 0, 0]
    assert divider.strays.tolist() == [1]
    rows, allowance, copies = cells.judge(4)
    verdict = judged(held[None], one, one, np.full(1, 128.0))
    assert (cells.worth, cells.separates, copies) == (verdict.worth, verdict.separated, 4)
    assert_array_equal(allowance, np.repeat(verdict.allowance, 8))
    assert_array_equal(rows[8:], [np.repeat(verdict.spread, 8), [1] * 8])
    assert_array_equal(rows[5:8], [[0, 1, 2, 3, 4, 4, 4, 4], [1, 2, 3, 4, 4, 4, 4, 4], held])
    assert run(cells.hand_down()).tolist() == [0] * 4
