"""Box against triangle is decided as in rational arithmetic, by every question and every build."""

import numpy as np
import planted_scenes as planted
import pytest
from agreement import POLICIES, built, flags
from clip_oracle import clipped_polygon
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from core import (
    Boxes,
    Regions,
    SceneOctree,
    Triangles,
    build_octree,
    objects_touching,
    query,
    query_any,
    query_count,
    use_kernel,
)
from core.touch.triangle_boxes import meet_boxes

with_and_without_kernel = pytest.mark.parametrize("kernel", [True, False])
# One power for all, or one for each axis; shifts in units of the scene, which cost up to 40 bits.
POWERS = (0, -300, 300, (-300, 0, 280))
SHIFTS = (0, 2**20 + 1, 2**40 - 3)


def truth(items, volumes):
    """Which triangles share a point with which boxes: what clipping leaves, in fractions."""
    corners, bounds = items.vertices[items.faces], items.bounds()
    flags = (bounds.lower <= volumes.upper[:, None]) & (bounds.upper >= volumes.lower[:, None])
    flags = flags.all(axis=2)
    for box, item in np.argwhere(flags):
        left = clipped_polygon(corners[item], volumes.lower[box], volumes.upper[box])
        flags[box, item] = len(left) > 0
    return flags


def world(seed, unit=1.0, power=0, shift=0, nudge=0.0, count=18):
    """Planted triangles and the boxes that they touch."""
    corners, both = planted.touching_pairs(seed, count)
    scale = unit * 2.0 ** np.array(power)
    corners, both = (corners + shift) * scale, (both.swapaxes(1, 2) + shift) * scale
    lower, upper = both
    corners, upper = planted.nudged(corners, seed, nudge), planted.nudged(upper, seed, nudge)
    return planted.triangles(corners), Boxes(np.minimum(lower, upper), upper)


def assert_answers(tree, volumes, wanted):
    for boxes in (volumes, Regions(volumes.lower, volumes.upper, np.zeros(len(volumes)))):
        assert_array_equal(flags(query(tree, boxes), boxes, tree.items), wanted)
        assert_array_equal(query_any(tree, boxes), wanted.any(axis=1))
        assert_array_equal(query_count(tree, boxes), wanted.sum(axis=1))
    for number in range(0, len(volumes), 5):
        alone = volumes[np.array([number])]
        assert_array_equal(query(tree, alone)[1], wanted[number].nonzero()[0])


@with_and_without_kernel
@pytest.mark.parametrize("power", POWERS, ids=str)
@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("nudge", [0, 0.3])
def test_boxes_are_asked_as_in_fractions(kernel, power, shift, nudge):
    use_kernel(kernel)
    for unit in planted.UNITS:
        items, volumes = world(7, unit, power, shift, nudge)
        wanted = truth(items, volumes)
        assert_answers(built(items, capacity=4), volumes, wanted)


@pytest.mark.parametrize("unit", planted.UNITS)
@pytest.mark.parametrize("shift", SHIFTS)
def test_what_is_planted_touches(unit, shift):
    for seed in range(20):
        items, volumes = world(seed, unit, 0, shift)
        kinds = [planted.KINDS[i % len(planted.KINDS)] for i in range(len(items))]
        kept = [kind in planted.ALONG_AXES or unit in planted.EXACT_UNITS for kind in kinds]
        corners = items.vertices[items.faces].transpose(1, 2, 0)
        found = meet_boxes(corners, volumes.lower.T, volumes.upper.T)
        assert found[kept].all()


@with_and_without_kernel
@given(
    seed=st.integers(0, 2**31),
    unit=st.sampled_from(planted.UNITS),
    power=st.sampled_from(POWERS),
    shift=st.sampled_from(SHIFTS),
    nudge=st.sampled_from((0, 0.1)),
    policy=st.sampled_from(POLICIES),
    split=st.sampled_from(("middle", "median")),
    bounds=st.booleans(),
)
def test_every_build_answers_as_fractions_do(
    kernel, seed, unit, power, shift, nudge, policy, split, bounds
):
    use_kernel(kernel)
    items, volumes = world(seed, unit, power, shift, nudge, 12)
    around = items.bounds()
    box = Boxes([around.lower.min(axis=0)], [around.upper.max(axis=0)]) if bounds else None
    tree = built(items, capacity=2, straddlers=policy, split=split, bounds=box)
    assert_answers(tree, volumes, truth(items, volumes))


@with_and_without_kernel
@pytest.mark.parametrize("power", (0, -300, 300))
@pytest.mark.parametrize("unit", planted.UNITS)
def test_scenes_answer_as_fractions_do(kernel, unit, power):
    use_kernel(kernel)
    items, volumes = world(3, unit, power)
    scene, step = SceneOctree(), 7 * unit * 2.0**power
    matrices = np.tile(np.eye(4), (3, 1, 1))
    matrices[:, 0, 3] = [0, step, -step]
    ids = scene.place([scene.add_mesh(items)] * 3, matrices)
    placed = [truth(scene.triangles_of(ids[i : i + 1]), volumes) for i in range(3)]
    wanted = np.stack(placed, axis=1)
    assert_array_equal(query(scene, volumes), np.stack(wanted.nonzero()))
    assert_array_equal(query_any(scene, volumes), wanted.any(axis=(1, 2)))
    assert_array_equal(query_count(scene, volumes), wanted.sum(axis=(1, 2)))
    assert_array_equal(objects_touching(scene, volumes), np.stack(wanted.any(axis=2).nonzero()))


@with_and_without_kernel
@pytest.mark.parametrize("policy", ["copy", "hybrid"])
@pytest.mark.parametrize("unit", planted.UNITS)
def test_items_stand_in_every_cell_that_they_touch(kernel, policy, unit):
    use_kernel(kernel)
    for seed, shift in enumerate(SHIFTS):
        corners, both = planted.touching_pairs(seed, 27)
        items = planted.triangles((corners + shift) * unit)
        lower, upper = (
            (both.min(axis=(0, 2)) + shift) * unit,
            (both.max(axis=(0, 2)) + shift) * unit,
        )
        tree = built(
            items, capacity=2, max_depth=4, straddlers=policy, hybrid_limit=8,
            bounds=Boxes([lower], [upper]),
        )  # fmt: skip
        leaves = tree.is_leaf.nonzero()[0]
        touched = truth(items, Boxes(tree.node_lower[leaves], tree.node_upper[leaves]))
        item, cell = tree.cells_of()
        stands = np.zeros((len(items), len(tree.is_leaf)), bool)
        stands[item, cell] = True
        for above in np.unique(tree.node_depth)[1:]:  # what a cell keeps stands above its leaves
            cells = (tree.node_depth == above).nonzero()[0]
            stands[:, cells] |= stands[:, tree.node_parent[cells]]
        assert (touched.T <= stands[:, leaves]).all()


@with_and_without_kernel
def test_a_box_beside_a_face_that_lies_in_its_wall(kernel):
    use_kernel(kernel)
    face = [[6.225999999999999, -10.8, 2.6], [0.4169999999999989, -10.37000000000003, 2.6],
            [6.2, -13.8, 2.6]]  # fmt: skip
    tree = built(Triangles(face, [[0, 1, 2]]))
    box = Boxes([[3.9000000000000004, -11.3, 2.5]], [[4.0, -11.200000000000001, 2.6]])
    assert_array_equal(query(tree, box), [[0], [0]])
    assert query_any(tree, box).all()


@with_and_without_kernel
@pytest.mark.parametrize("unit", [None, 0.001, 1 / 1024])
def test_boxes_right_under_a_face_touch_it(kernel, unit):
    use_kernel(kernel)
    random = np.random.default_rng(1)
    corners = random.normal(0, 8, (2000, 3, 3))
    corners[:, :, 2] = corners[:, :1, 2]
    weights = random.dirichlet((2, 2, 2), 2000)
    upper = (corners * weights[:, :, None]).sum(axis=1)
    if unit:
        corners, upper = np.round(corners / unit) * unit, np.round(upper / unit) * unit
    upper[:, 2] = corners[:, 0, 2]
    lower = upper - 0.1
    lower[:, :2] -= 0.1
    upper[:, :2] += 0.1
    items, volumes = planted.triangles(corners), Boxes(lower, upper)
    pairs = query(built(items), volumes)
    assert (pairs[:, pairs[0] == pairs[1]][0] == np.arange(2000)).all()


@with_and_without_kernel
def test_finer_cells_that_touch_lie_in_coarser_cells_that_touch(kernel):
    use_kernel(kernel)
    random = np.random.default_rng(2)
    corners = np.round(random.normal(0, 0.2, (60, 3, 3)) + random.random((60, 1, 3)), 2)
    corners[::2, :, 2] = np.round(corners[::2, :1, 2], 1)
    tree = built(planted.triangles(corners), capacity=4)
    numbers = np.stack(np.meshgrid(*[np.arange(-8, 28)] * 3, indexing="ij"), -1).reshape(-1, 3)
    fine = Boxes(numbers * 0.05, (numbers + 1) * 0.05)
    coarse = Boxes(numbers // 2 * 2 * 0.05, (numbers // 2 * 2 + 2) * 0.05)
    fine_touch, coarse_touch = query_any(tree, fine), query_any(tree, coarse)
    nested = (coarse.lower <= fine.lower).all(axis=1) & (coarse.upper >= fine.upper).all(axis=1)
    assert nested.sum() > 1000
    assert (fine_touch & nested <= coarse_touch).all()


def test_the_rarest_numbers_are_decided_too():
    """Decide coordinates from the smallest to the largest, where scaled ones lose bits."""
    corners, both = planted.touching_pairs(5, 90)
    corners = corners.transpose(1, 2, 0) * 1.0
    lower, upper = both * 1.0
    random = np.random.default_rng(5)
    for tiny in (-1074, -700, 900):
        shrunk = corners * 2.0 ** np.where(random.random(corners.shape) < 0.1, tiny, 0)
        for scale in (1.0, 2.0**-1070, 2.0**100):
            some = shrunk * scale, lower * scale, upper * scale
            with np.errstate(over="ignore", invalid="ignore"):
                found = meet_boxes(*some)
            wanted = [
                bool(clipped_polygon(some[0][..., i], some[1][:, i], some[2][:, i]))
                for i in range(90)
            ]
            assert_array_equal(found, wanted)


def slivers_beside_corners(rng, width, count=1000):
    """Needles of about this width that pass corners of the cells of the unit cube as closely."""
    corner = rng.integers(1, 4, (count, 3)) / 4
    width = width * 2.0 ** rng.uniform(-3, 3, (count, 1))
    corner += rng.normal(size=(count, 3)) * width * 2.0 ** rng.uniform(-2, 1, (count, 1))
    along = rng.normal(size=(count, 3))
    along *= rng.uniform(0.05, 0.2, (count, 1)) / np.linalg.norm(along, axis=1, keepdims=True)
    aside = corner + along * rng.uniform(-1, 1, (count, 1))
    aside += rng.normal(size=(count, 3)) * width
    needles = np.stack((corner - along, corner + along, aside), axis=1)
    ends = np.repeat([[[0.0]], [[1.0]]], 3, axis=1) + np.zeros(3)  # the root is the unit cube
    return np.concatenate((needles, ends))


@with_and_without_kernel
@pytest.mark.parametrize("policy", [{}, {"split": "median"}], ids=str)
@pytest.mark.parametrize("power", [0, 20, 30, 32])
def test_no_cell_vouches_for_slivers_beside_it(kernel, policy, power):
    use_kernel(kernel)
    width = np.sqrt(12 * (2.0**-48 + 2.0 ** (power - 50)))
    for seed in range(4):
        rng = np.random.default_rng(seed)
        corners = slivers_beside_corners(rng, width) + (2.0**power - 3)
        items = planted.triangles(corners)
        whole = build_octree(items, capacity=len(items))
        tree = build_octree(items, capacity=1, max_depth=2, **policy)
        cells = np.repeat(tree.loose_rows, 12, axis=1)
        grown = width * 2.0 ** rng.uniform(-10, 1, cells.shape[1])
        boxes = Boxes((cells[:3] - grown).T, (cells[3:] + grown).T)
        assert_array_equal(query(tree, boxes), query(whole, boxes))
