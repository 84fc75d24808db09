"""Level of detail: every wanted cell is covered once, whatever the view; the cell under a ray."""

import numpy as np
import pytest
from costs import lines_run
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from octree_ext.core import Boxes, DynamicOctree, build_octree
from octree_ext.core.shapes.boxes import CORNERS
from octree_ext.octree_addon.display import cells, detail
from octree_ext.octree_addon.display.boxes import packed
from octree_ext.octree_addon.display.detail import (
    DetailView,
    cell_under,
    drawn_in,
    family_of,
    ranges,
)


def cloud(count=3000, seed=1):
    lower = np.random.default_rng(seed).normal(size=(count, 3))
    return Boxes(lower, lower + 0.02)


def changing():
    """Make a tree whose cells do not stand level after level: it has grown, split and merged."""
    tree = DynamicOctree(capacity=4, merge_below=2)
    ids = tree.insert(cloud(400))
    tree.move(ids[:100], Boxes(*[np.full((100, 3), 30.0) + np.arange(100)[:, None]] * 2))
    tree.remove(ids[300:])
    return tree.octree


TREES = {
    "tight": build_octree(cloud(), capacity=8),
    "loose": build_octree(cloud(), capacity=8, straddlers="keep", loose_factor=1.5),
    "medians": build_octree(cloud(), capacity=8, split="median"),
    "changing": changing(),
    "blocks": build_octree(cloud(8000), capacity=4),
    "one cell": build_octree(cloud(5), capacity=8),
}
CHOICES = ("ALL", "LEAVES", "OCCUPIED_LEAVES", "DEPTH", "OCCUPIED_AND_INTERNAL")


def wanted_of(octree, choice):
    return cells.wanted_cells(octree, cells.Look(choice, 3, "TIGHT", "DEPTH"))


def views():
    numbers = st.floats(-40, 40, allow_nan=False, width=32)
    eyes = st.tuples(numbers, numbers, numbers).map(np.array)
    scales = st.floats(0.5, 5000, width=32)
    return st.builds(DetailView, eyes, scales, st.booleans(), st.none())


def looks_large(octree, cell, view, least, boxes):
    """Brute force: whether the children of one cell look large enough."""
    rows = (octree.loose_rows if boxes == "LOOSE" else octree.cell_rows)[:, cell]
    rows = rows.astype(np.float32)
    away = np.linalg.norm(np.clip(view.eye, rows[:3], rows[3:]) - view.eye)
    edge = (rows[3:] - rows[:3]).max()
    return edge * view.scale >= 2 * least * (1 if view.is_parallel else away)


def stand_in(octree, cell, view, least, boxes):
    """Brute force: the cell, or the lowest above it in an open one, or the root."""
    while cell:
        above, is_open = octree.node_parent[cell], True
        while above >= 0:
            is_open &= looks_large(octree, above, view, least, boxes)
            above = octree.node_parent[above]
        if is_open:
            break
        cell = octree.node_parent[cell]
    return cell


@pytest.mark.parametrize("boxes", ["TIGHT", "LOOSE"])
@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("tree", [name for name in TREES if name != "blocks"])
@examples(30)
@given(view=views(), least=st.sampled_from([0.0, 2.0, 16.0, 300.0]))
def test_every_wanted_cell_is_covered_exactly_once(tree, choice, boxes, view, least):
    octree = TREES[tree]
    wanted = wanted_of(octree, choice)
    family = family_of(octree, wanted, boxes)
    drawn = set(family.cells[drawn_in(family, view, least)].tolist())
    for cell in np.random.default_rng(len(drawn)).permutation(wanted)[:20].tolist():
        assert stand_in(octree, cell, view, least, boxes) in drawn
    # Going up from the wanted cells, each meets one cell that is drawn for it.
    for cell in drawn:
        place = family.places[cell]
        assert family.wanted[place] or family.has_finer[place]
    covers = np.zeros(len(octree.node_depth), np.intp)
    for cell in wanted.tolist():
        first = cell
        while first not in drawn:
            first = octree.node_parent[first]
            assert first >= 0
        covers[first] += 1
        if first != cell:  # it stands in, so it is not open: nothing below it is drawn
            assert not looks_large(octree, first, view, least, boxes) or least == 0
    assert set(np.flatnonzero(covers).tolist()) == drawn


@pytest.mark.parametrize("tree", TREES)
@examples(50)
@given(view=views(), least=st.sampled_from([2.0, 16.0, 300.0]))
def test_what_is_left_out_of_a_draw_is_not_drawn(tree, view, least):
    octree = TREES[tree]
    family = family_of(octree, wanted_of(octree, "OCCUPIED_LEAVES"), "TIGHT")
    assert not drawn_in(family, view, least)[~asked_for(family, view, least)].any()


def asked_for(family, view, least):
    """Tell which cells of a family the ranges hold, each at most once."""
    held = np.zeros(len(family), np.intp)
    for first, count in ranges(family, view, least):
        assert count > 0
        held[first : first + count] += 1
    assert held.max(initial=0) <= 1
    return held > 0


@examples(50)
@given(
    seed=st.integers(0, 2**32 - 1), distance=st.floats(0.1, 30), least=st.sampled_from([1.0, 16.0])
)
def test_what_is_in_view_is_not_left_out(seed, distance, least):
    family, rng = (
        family_of(TREES["blocks"], wanted_of(TREES["blocks"], "ALL"), "TIGHT"),
        (np.random.default_rng(seed)),
    )
    rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    model_view = np.eye(4)
    model_view[:3, :3] = rotation
    model_view[:3, 3] = -rotation @ rng.normal(size=3) * 0.5 - [0, 0, distance]
    projection = np.array([(2, 0, 0, 0), (0, 2.5, 0, 0), (0, 0, -1, -0.2), (0, 0, -1, 0)])
    view = detail.view_of(model_view, projection, 800)
    corners = family.rows.astype(float)[np.arange(3)[:, None] + 3 * CORNERS.T]
    clip = np.tensordot(view.clip[:, :3], corners, 1) + view.clip[:, 3, None, None]
    inside = (np.abs(clip[:3]) <= clip[3]).all(axis=0).any(axis=0)
    kept = asked_for(family, view, least)
    assert kept[inside & drawn_in(family, view, least)].all()


def test_what_is_out_of_view_is_left_out():
    family = family_of(TREES["blocks"], wanted_of(TREES["blocks"], "ALL"), "TIGHT")
    assert family.blocks.shape[1] > 30
    projection = np.array([(2, 0, 0, 0), (0, 2.5, 0, 0), (0, 0, -1, -0.2), (0, 0, -1, 0)])
    away = np.eye(4)
    away[2, 3] = 50  # behind the eye
    assert ranges(family, detail.view_of(away, projection, 800), 0.0) == []
    # From the middle some of the blocks are seen, and all of the cells from outside.
    part = asked_for(family, detail.view_of(np.eye(4), projection, 800), 0.0).sum()
    assert 0 < part < 0.7 * len(family)
    away[2, 3] = -50
    assert ranges(family, detail.view_of(away, projection, 800), 0.0) == [(0, len(family))]


def test_far_away_the_root_alone_is_drawn_and_asked_for():
    octree = TREES["tight"]
    family = family_of(octree, wanted_of(octree, "OCCUPIED_LEAVES"), "TIGHT")
    view = DetailView(np.array([1e6, 0, 0]), 1000.0, False)
    assert family.cells[drawn_in(family, view, 16.0)].tolist() == [0]
    assert ranges(family, view, 16.0) == [(0, 1)]
    inside = DetailView(octree.cell_rows[:3, 0] + 0.1, 1000.0, False)
    assert ranges(family, inside, 16.0) == [(0, len(family))]


def test_no_size_draws_the_wanted_cells_alone():
    octree = TREES["tight"]
    for choice in CHOICES:
        wanted = wanted_of(octree, choice)
        family = family_of(octree, wanted, "TIGHT")
        view = DetailView(np.array([50.0, 0, 0]), 100.0, False)
        assert sorted(family.cells[drawn_in(family, view, 0.0)].tolist()) == wanted.tolist()


def test_no_cells_are_no_family():
    octree = TREES["tight"]
    family = family_of(octree, np.empty(0, np.intp), "TIGHT")
    view = DetailView(np.zeros(3), 1.0, False)
    assert (len(family), ranges(family, view, 1.0)) == (0, [])
    assert drawn_in(family, view, 1.0).shape == (0,)
    assert cell_under(octree, family, (np.zeros(3), np.ones(3)), "TIGHT", view, 1.0) is None


def test_a_redraw_costs_lines_by_block_and_not_by_cell():
    few, many = (
        family_of(tree, wanted_of(tree, "ALL"), "TIGHT")
        for tree in (build_octree(cloud(n), capacity=2) for n in (10_000, 60_000))
    )
    assert len(many) > 3 * len(few) > 3 * many.blocks.shape[1]
    assert many.blocks.shape[1] <= 65
    view = DetailView(np.array([0.0, 0, 9]), 1000.0, False)
    few_lines, many_lines = (
        lines_run(lambda each=each: ranges(each, view, 16.0)).total() for each in (few, many)
    )
    assert many_lines / few_lines < 1.1 * many.blocks.shape[1] / few.blocks.shape[1]


def test_texels_hold_what_the_shader_reads():
    octree = TREES["tight"]
    family = family_of(octree, wanted_of(octree, "OCCUPIED_LEAVES"), "TIGHT")
    colors = np.random.default_rng(1).uniform(size=(len(family), 3)).astype(np.float32)
    texels = packed(family.rows, colors, family.parents, family.wanted, family.has_finer)
    assert texels.dtype == np.float32
    assert len(texels) % (4 * 4096) == 0
    texels = texels.reshape(-1, 8)[: len(family)]
    np.testing.assert_array_equal(texels[:, :6], family.rows.T)
    np.testing.assert_array_equal(np.abs(texels[:, 6]) - 2, family.parents)
    np.testing.assert_array_equal(texels[:, 6] > 0, family.wanted)
    np.testing.assert_array_equal(texels[:, 7] < 0, family.has_finer)
    codes = np.abs(texels[:, 7]).astype(int) - 1
    read = np.stack((codes >> 16, codes >> 8 & 255, codes & 255), axis=1) / 255
    np.testing.assert_allclose(read, colors, atol=0.51 / 255)
    # Without parents all are drawn.
    plain = packed(family.rows, colors).reshape(-1, 8)[: len(family)]
    assert (plain[:, 6] == 1).all()


def test_view_knows_its_eye_and_its_scale():
    model_view = np.eye(4)
    model_view[:3, 3] = -1, -2, -3
    projection = np.diag([2.0, 1.5, -1, 0])
    view = detail.view_of(model_view, projection, 800)
    np.testing.assert_allclose(view.eye, [1, 2, 3])
    assert (view.scale, view.is_parallel) == (600.0, False)
    projection[3, 3] = 1
    assert detail.view_of(model_view, projection, 800).is_parallel


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("tree", TREES)
def test_cell_under_a_ray_is_the_first_of_the_smallest(tree, choice):
    octree, rng = TREES[tree], np.random.default_rng(3)
    family = family_of(octree, wanted_of(octree, choice), "TIGHT")
    found = 0
    for _ in range(60):
        origin = rng.normal(size=3) * 9
        direction = octree.cell_rows[:3, 0] + rng.uniform(size=3) * 4 - origin
        view = DetailView(origin, 800.0, False)
        drawn = family.cells[drawn_in(family, view, 16.0)].tolist()
        met = {cell: entry_of(octree, cell, origin, direction) for cell in drawn}
        met = {cell: entry for cell, entry in met.items() if entry is not None}
        above = {up for cell in met for up in ups(octree, cell)}
        expected = (
            min((entry, cell) for cell, entry in met.items() if cell not in above)[1]
            if (met)
            else None
        )
        cell = cell_under(octree, family, (origin, direction), "TIGHT", view, 16.0)
        assert (cell is None) == (expected is None)
        if cell is not None:
            assert met[cell] == pytest.approx(met[expected])
            assert cell not in above
            found += 1
    assert found or choice == "DEPTH"


def ups(octree, cell):
    while octree.node_parent[cell] >= 0:
        cell = octree.node_parent[cell]
        yield cell


def entry_of(octree, cell, origin, direction):
    """Brute force: where a ray without zeros enters a cell, in lengths of its direction."""
    rows = octree.cell_rows[:, cell]
    near = np.minimum((rows[:3] - origin) / direction, (rows[3:] - origin) / direction).max()
    far = np.maximum((rows[:3] - origin) / direction, (rows[3:] - origin) / direction).min()
    return max(near, 0.0) if near <= far and far >= 0 else None
