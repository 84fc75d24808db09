"""Copies of mutable structures change independently of the original, however they are made."""

import pickle
from copy import copy, deepcopy

import numpy as np
import pytest
from audit_scenes import box
from scene_questions import masked_scene

import core
from core import Boxes, ContactTracker, DynamicOctree, Spheres, ZBuffer, item_buffers
from core.arrays import address
from core.cells import Cells

POINTS = np.random.default_rng(0).uniform(0, 4, (20, 3))
WAYS = {
    "copy": copy,
    "deepcopy": deepcopy,
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
}
TRACKED = masked_scene(3)[0]


def scene():
    return masked_scene(1)[0]


def changed_scene(made):
    made.replace_mesh(0, box([0] * 3, [3] * 3))
    made.place([made.add_mesh(box([1] * 3, [2] * 3))], np.eye(4)[None], groups=1)
    made.move(made.ids[:2], np.tile(np.eye(4), (2, 1, 1)))
    made.remove(made.ids[3:5])


def dynamic():
    made = DynamicOctree(capacity=4)
    made.insert(Boxes(POINTS, POINTS + 1), groups=3)
    made.changes()
    made.remove([4])
    return made


def changed_dynamic(made):
    made.insert(Spheres(POINTS[:5], np.ones(5)))
    made.move([1, 2], Spheres(POINTS[:2] + 1, np.ones(2)))
    made.remove([0, 3])
    made.changes()


def tracker():
    made = ContactTracker(band=0.01)
    made.look(TRACKED)
    return made


def changed_tracker(made):
    other = copy(TRACKED)
    other.move(other.ids[2:7], np.tile(np.eye(4), (5, 1, 1)))
    made.look(other)


def of_scene(made):
    found = core.nearest(made, POINTS, count=5), core.overlapping_pairs(made, within=True)
    return [
        made.ids,
        made.meshes_of(made.ids),
        *found,
        *core.query(made, Boxes([[0] * 3], [[9] * 3])),
    ]


def of_dynamic(made):
    """Return answers of a dynamic octree; `changes` is called on a copy, as it alters the tree."""
    return [made.ids, made.outside, core.overlapping_pairs(made.octree), *deepcopy(made).changes()]


def of_tracker(made):
    now = deepcopy(made)
    return [made.intervals, now.look(TRACKED), now.intervals]


KINDS = {
    "SceneOctree": (scene, changed_scene, of_scene),
    "DynamicOctree": (dynamic, changed_dynamic, of_dynamic),
    "ContactTracker": (tracker, changed_tracker, of_tracker),
}


def assert_same(one, other):
    for mine, theirs in zip(one, other, strict=True):
        same = np.array_equal(mine, theirs) if isinstance(mine, np.ndarray) else mine == theirs
        assert same, (mine, theirs)


def check(thing):
    if hasattr(thing, "check"):
        thing.check()


@pytest.mark.parametrize("asked_first", [False, True])
@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_done_to_one_is_not_done_to_the_other(kind, way, which, asked_first):
    make, change, answers = KINDS[kind]
    original, same, wanted = make(), make(), make()
    if asked_first:
        answers(original)
    both = original, WAYS[way](original)
    change(both[which])
    change(wanted)
    check(both[0]), check(both[1])
    assert_same(answers(both[which]), answers(wanted))
    assert_same(answers(both[1 - which]), answers(same))


def test_an_octree_stays_current_while_a_copy_of_its_tree_changes():
    made = dynamic()
    octree, other = made.octree, copy(made)
    changed_dynamic(other)
    octree.require_current()
    changed_dynamic(made)
    with pytest.raises(RuntimeError, match="changed"):
        octree.require_current()


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_of_cells_knows_where_its_own_arrays_lie(way):
    cells = Cells.of_root(np.array([0, 0, 0, 8, 8, 8.0]), 1.25)
    assert cells.addresses[0] == address(cells.rows)
    other = WAYS[way](cells)
    arrays = other.rows, other.loose_rows, other.middle_rows, other.parent, other.first_child
    assert other.addresses == (*map(address, (*arrays, other.place, other.span)),)


def test_steps_go_on_while_a_copy_of_the_scene_changes():
    made = scene()
    steps = core.overlapping_pairs_steps(made)
    next(steps)
    changed_scene(copy(made))
    assert all(0 <= done <= 1 for done in steps)


def test_a_copied_renderer_draws_the_same_scene():
    made = scene()
    renderer, view = ZBuffer(made), core.views_around(Boxes([[0] * 3], [[5] * 3]), count=1)
    other = copy(renderer)
    assert other.scene is made
    changed_scene(made)
    found = item_buffers(other, view, size=(9, 9))
    assert found == item_buffers(renderer, view, size=(9, 9))
    assert found == item_buffers(ZBuffer(made), view, size=(9, 9))


def test_a_copied_tracker_tests_again_only_what_has_moved():
    made = tracker()
    for other, tested in ((copy(made), 0), (pickle.loads(pickle.dumps(made)), made.tested[0])):
        other.look(TRACKED)
        assert other.tested.tolist() == [made.tested[0], tested]
