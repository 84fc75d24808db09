"""The order of triangles: that of entries decides no bit, that of faces only what equals name."""

import numpy as np
import pytest
from audit_scenes import ball, box
from entry_orders import indexed
from gap_oracle import both
from kernel_pairs import heights
from scene_questions import QUESTIONS, masked_scene
from steps_world import assert_same

import core
from core import SceneOctree

ORDERS = {
    "as they come": np.arange,
    "reversed": lambda size: np.arange(size)[::-1],
    "shuffled": np.random.default_rng(8).permutation,
}
NAMES = [name for name in QUESTIONS if not name.endswith("_steps")]
ALL = 0xFFFFFFFF


def slope(places):
    return places[:, 0] / 4


MESHES = (
    box([0, 0, 0], [1, 1, 1]),
    heights(12, lambda places: 0 * places[:, 0]),
    heights(7, slope),
    ball(1.0, 6),
    both(box([-1, -1, 0], [0, 0, 1]), box([0.25, 0.25, 0], [1, 1, 0.5])),
    both(ball(0.25, 4, (0.5, 0.5, 0.5)), box([-2, -2, -2], [-1, -1, -1])),
)


def heap(seed, meshes=MESHES):
    """Return a scene of heaps, grids and flush faces, in steps of a half; the last are turned."""
    rng, scene, count = np.random.default_rng(seed), SceneOctree(), 12
    numbers = [scene.add_mesh(mesh) for mesh in meshes]
    matrices = np.tile(np.eye(4), (count, 1, 1))
    matrices[:, :3, 3] = rng.integers(0, 5, (count, 3)) / 2
    matrices[:, 2, 2] = rng.choice([-1, 1, 1], count)
    matrices[-4:, :3, :3], _ = np.linalg.qr(rng.normal(size=(4, 3, 3)))
    scene.place(rng.choice(numbers, count), matrices)
    return scene


def answers(scene):
    """Return the results for pairs of all placements, and for each placement."""
    ones, others = np.triu_indices(len(scene.ids), 1)
    pairs = scene.ids[np.stack((ones, others))]
    ways = [0, 0, -1], [1, 0, 0], [1, 1, 0]
    return (
        core.distances(scene, pairs),
        core.audit(scene, band=2.0**-12, clearance=0.5, self_intersections=True),
        *(core.slide(scene, [each], way) for each in scene.ids for way in ways),
        *(core.slide(scene, scene.ids, way) for way in ways),
        core.separate(scene, scene.ids),
        core.overlapping_pairs(scene, within=True),
    )


@pytest.mark.usefixtures("each_kernel")
@pytest.mark.parametrize("order", ORDERS)
def test_the_order_of_entries_decides_nothing(order):
    wanted = answers(heap(0))
    with indexed(ORDERS[order]):
        assert_same(answers(heap(0)), wanted, order)


@pytest.mark.usefixtures("each_kernel")
@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_entries_decides_no_answer(name):
    wanted = QUESTIONS[name](masked_scene(3)[0], groups=ALL)
    for order_of in ORDERS.values():
        with indexed(order_of):
            found = QUESTIONS[name](masked_scene(3)[0], groups=ALL)
        for one, other in zip(found, wanted, strict=True):
            assert_same(one, other, name)


def permuted(orders):
    """Return the meshes with their faces in these orders, one of each."""
    return [
        core.Triangles(mesh.vertices, mesh.faces[order])
        for mesh, order in zip(MESHES, orders, strict=True)
    ]


def pairs_touching(scene, named):
    found = core.overlapping_pairs(scene, within=True)
    return {(*sorted([(a, named(a, i)), (b, named(b, j))]),) for a, i, b, j in found.T.tolist()}


def without_names(scene):
    """Return the parts of answers in which no triangle is named, nor a place of such a one."""
    found, slid, asked = core.audit(scene, band=2.0**-12, clearance=0.5), [], scene.ids
    pairs = asked[np.stack(np.triu_indices(len(asked), 1))]
    far = core.distances(scene, pairs)
    for way in ([0, 0, -1], [1, 1, 0]):
        each = core.slide(scene, asked, way)
        slid += [each.distances, each.onto, each.crossing, each.moves]
    parted = core.separate(scene, asked)
    places = np.tile(np.eye(4), (20, 1, 1))
    places[:, :3, 3] = np.random.default_rng(5).integers(0, 9, (20, 3)) / 2
    return (
        *(far.distances, far.inside, *slid, parted.moves, parted.left),
        core.fits(scene, MESHES[0], places),
        *(found.classes, found.pairs, found.measures, found.inner),
    )


def names(scene):
    """Return whose triangles distances and slides name, (2, n), and these, (2, n); -1 of none."""
    pairs = scene.ids[np.stack(np.triu_indices(len(scene.ids), 1))]
    slid = [core.slide(scene, scene.ids, way) for way in ([0, 0, -1], [1, 1, 0])]
    whose = [pairs, *(np.stack((scene.ids, each.onto)) for each in slid)]
    items = [core.distances(scene, pairs).items, *(each.items for each in slid)]
    return np.concatenate(whose, axis=1), np.concatenate(items, axis=1)


@pytest.mark.usefixtures("each_kernel")
@pytest.mark.parametrize("seed", range(2))
def test_the_order_of_faces_decides_which_of_equals_are_named_alone(seed):
    rng = np.random.default_rng(seed)
    orders = [[np.arange(len(mesh.faces)) for mesh in MESHES]]
    orders += [[rng.permutation(each) for each in orders[0]] for _ in range(2)]
    scenes = [heap(seed, permuted(each)) for each in orders]
    first, *others = scenes
    mesh_of = first.meshes_of(first.ids)
    wanted, touching = without_names(first), pairs_touching(first, lambda _, item: item)
    for scene, order in zip(others, orders[1:], strict=True):
        assert_same(without_names(scene), wanted, seed)
        named = pairs_touching(scene, lambda a, item, o=order: int(o[mesh_of[a]][item]))
        assert named == touching
    # What another order names is as near here, so that none of it has smaller numbers.
    told = [names(scene) for scene in scenes]
    for (whose, items), here in zip(told, orders, strict=True):
        for (same, others), there in zip(told, orders, strict=True):
            np.testing.assert_array_equal(same, whose)
            np.testing.assert_array_equal(others < 0, items < 0)
            meshes = mesh_of[whose]
            as_here = renumbered(others, meshes, there, here)
            for one, other in zip(items.T.tolist(), as_here.T.tolist(), strict=True):
                assert one <= other


def renumbered(items, meshes, there, here):
    """Return the numbers that triangles of meshes `there` have `here`; -1 of -1."""
    backward = [np.argsort(order) for order in here]
    return np.array(
        [
            [
                -1 if item < 0 else backward[mesh][there[mesh][item]]
                for item, mesh in zip(*row, strict=True)
            ]
            for row in zip(items, meshes, strict=True)
        ]
    )
