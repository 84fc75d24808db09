"""Queries of a changing tree: every kind, by ids; old octrees; files; bad arguments."""

import numpy as np
import pytest
from crowd import some_items
from numpy.testing import assert_array_equal

from core import (
    Boxes,
    DynamicOctree,
    Octree,
    Spheres,
    build_octree,
    load,
    nearest,
    overlapping_pairs,
    query,
    query_any,
    query_count,
    ray_cast,
    ray_cast_all,
    ray_test,
    save,
    statistics,
    trace,
)

ONE = Boxes([[0, 0, 0]], [[1, 1, 1]])
QUESTIONS = {
    "query": lambda tree: query(tree, ONE),
    "query_any": lambda tree: query_any(tree, ONE),
    "query_count": lambda tree: query_count(tree, ONE),
    "trace": lambda tree: trace(tree, ONE),
    "ray_cast": lambda tree: ray_cast(tree, [[0, 0, 0]], [[0, 0, 1]]),
    "ray_test": lambda tree: ray_test(tree, [[0, 0, 0]], [[0, 0, 1]]),
    "ray_cast_all": lambda tree: ray_cast_all(tree, [[0, 0, 0]], [[0, 0, 1]]),
    "nearest": lambda tree: nearest(tree, [[0, 0, 0]]),
    "overlapping_pairs": overlapping_pairs,
    "two trees": lambda tree: overlapping_pairs(build_octree(ONE), tree),
}
CHANGES = {
    "insert": lambda tree: tree.insert(ONE),
    "move": lambda tree: tree.move(tree.ids[:1], ONE),
    "remove": lambda tree: tree.remove(tree.ids[:1]),
    "prune": lambda tree: tree.prune(),
}


@pytest.fixture(params=["keep", "copy"])
def tree(request):
    """Return a tree of three kinds of items, some removed, some out of bounds."""
    random = np.random.default_rng(4)
    tree = DynamicOctree(
        capacity=3, merge_below=2, straddlers=request.param, grow_above=6, shrink_below=3,
        bounds=Boxes([[-24] * 3], [[30] * 3]),
    )  # fmt: skip
    for _ in range(6):
        tree.insert(some_items(random, 15))
    tree.remove(tree.ids[::3])
    tree.check()
    assert len(tree.outside) > 1
    return tree


def test_questions_answer_with_ids(tree):
    octree, ids = tree.octree, tree.ids
    static, random = build_octree(octree.items), np.random.default_rng(1)
    assert not np.array_equal(ids, np.arange(len(ids)))
    points = random.integers(-40, 40, (50, 3)).astype(float)
    directions = random.integers(1, 9, (50, 3)) * random.choice([-1, 1], (50, 3))
    for one, other in (
        (nearest(octree, points, count=3), nearest(static, points, count=3)),
        (ray_cast(octree, points, directions), ray_cast(static, points, directions)),
    ):
        assert (other.items >= 0).any()
        assert_array_equal(one.items, np.where(other.items < 0, -1, ids[other.items]))
        assert_array_equal(one.distances, other.distances)
        assert_array_equal(one.positions, other.positions)
    one, other = (ray_cast_all(each, points, directions) for each in (octree, static))
    assert_array_equal(one.pairs, [other.pairs[0], ids[other.pairs[1]]])
    for relation in ("touching", "inside"):
        volumes = Spheres(points, np.full(50, 9))
        one, other = (query(each, volumes, relation=relation) for each in (octree, static))
        assert other.shape[1] > 9
        assert_array_equal(one, [other[0], ids[other[1]]])
    assert_array_equal(overlapping_pairs(octree), ids[overlapping_pairs(static)])
    one, other = overlapping_pairs(octree, static), overlapping_pairs(static, static)
    assert_array_equal(one, [ids[other[0]], other[1]])
    assert_array_equal(query_count(octree, ONE), query_count(static, ONE))
    assert_array_equal(ray_test(octree, points, directions), ray_test(static, points, directions))


def test_cells_name_ids(tree):
    octree = tree.octree
    found = [octree.items_in(cell) for cell in range(len(octree.node_depth))]
    pairs = octree.cells_of()
    assert_array_equal(np.unique(pairs[0]), tree.ids)
    for cell, items in enumerate(found):
        assert_array_equal(items, pairs[0][pairs[1] == cell])
    assert_array_equal(np.unique(octree.items_below(0)), tree.ids)
    assert_array_equal(octree.cells_of(tree.ids[3:5]), pairs[:, np.isin(pairs[0], tree.ids[3:5])])
    with pytest.raises(ValueError, match=r"items must be ids of the tree, got 0"):
        octree.cells_of([0])


def test_an_octree_is_like_any_other(tree):
    octree = tree.octree
    assert isinstance(octree, Octree)
    assert tree.octree is octree
    assert len(octree.invalid_items) == 0
    figures = statistics(octree)
    assert figures.items == len(tree) == len(octree.items)
    assert (figures.references_per_item == 1) == (octree.straddlers == "keep")
    states = trace(octree, ONE)
    assert states.shape == octree.node_depth.shape


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("question", QUESTIONS)
def test_an_old_octree_refuses_questions(tree, question, change):
    octree = tree.octree
    QUESTIONS[question](octree)
    CHANGES[change](tree)
    with pytest.raises(RuntimeError, match="the tree has changed since this octree was taken"):
        QUESTIONS[question](octree)
    QUESTIONS[question](tree.octree)


def test_an_old_octrees_arrays_stay_as_they_were(tree):
    octree = tree.octree
    before = {name: np.copy(value) for name, value in arrays(octree)}
    walls = octree.items.limits()
    random = np.random.default_rng(8)
    tree.move(tree.ids, some_items(random, len(tree)))
    tree.remove(tree.ids[::2])
    tree.insert(some_items(random, 40))
    for name, value in arrays(octree):
        assert_array_equal(value, before[name])
    assert_array_equal(octree.items.limits(), walls)
    octree.check()


def arrays(octree):
    return [(name, value) for name, value in vars(octree).items() if isinstance(value, np.ndarray)]


def test_a_tree_is_saved_and_loaded_with_its_ids(tree, tmp_path):
    save(tree.octree, tmp_path / "tree.npz")
    octree, again = tree.octree, load(tmp_path / "tree.npz")
    again.check()
    for name, value in arrays(octree):
        assert_array_equal(getattr(again, name), value)
    tree.remove(tree.ids)
    assert_array_equal(query(again, Boxes([[-99] * 3], [[99] * 3]))[1], again.ids)


def test_an_empty_tree_answers_every_question():
    tree = DynamicOctree()
    for _ in range(2):
        tree.check()
        assert len(tree) == len(tree.ids) == len(tree.outside) == 0
        for ask in QUESTIONS.values():
            ask(tree.octree)
        assert query(tree.octree, ONE).shape == (2, 0)
        assert [pairs.shape for pairs in tree.changes()] == [(2, 0)] * 3
        assert_array_equal(tree.insert(ONE[:0]), np.empty(0, np.intp))
        tree.move([], ONE[:0])
        tree.remove([])
        tree.prune()
        tree.remove(tree.insert(ONE))


BAD = {
    "an unknown id": (lambda tree: tree.remove([90]), r"ids must lie in 0\.\.89, got \[90\]"),
    "a removed id": (lambda tree: tree.move([1, 0], ONE[[0, 0]]), "name living items, got 0"),
    "a repeated id": (lambda tree: tree.remove([1, 2, 1]), "ids must not repeat, got 1 in row"),
    "a negative id": (lambda tree: tree.remove([-1]), "ids must lie in"),
    "ids that are no numbers": (lambda tree: tree.remove([0.5]), "ids must hold whole numbers"),
    "too few items": (lambda tree: tree.move([1, 2], ONE), "ids and items must have the same len"),
    "NaN": (lambda tree: tree.insert(Spheres([[0, 0, np.nan]], [1])), "items must be finite"),
    "infinity": (lambda tree: tree.move([1], Boxes([[0] * 3], [[np.inf] * 3])), "be finite"),
    "bounds that overflow": (lambda tree: tree.insert(Spheres([[1e308] * 3], [1e308])), "finite"),
    "no items": (lambda tree: tree.insert([[0, 0, 0]]), "items must be one of Boxes"),
}  # fmt: skip


@pytest.mark.parametrize("wrong", BAD)
def test_a_bad_change_changes_nothing(tree, wrong):
    call, message = BAD[wrong]
    tree.changes()
    octree, ids = tree.octree, tree.ids.copy()
    with pytest.raises(ValueError, match=message):
        call(tree)
    assert tree.octree is octree
    query(octree, ONE)
    assert_array_equal(tree.ids, ids)
    began, _, ended = tree.changes()
    assert began.size == ended.size == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"capacity": 3}, "merge_below must not exceed capacity, got 4 and 3"),
        ({"merge_below": 0}, "merge_below must be a whole number of at least 1, got 0"),
        ({"straddlers": "hybrid"}, "straddlers must be one of keep, copy, got 'hybrid'"),
        ({"merge": "never"}, "merge must be one of eager, deferred, got 'never'"),
        ({"grow_above": -1}, "grow_above must be a whole number of at least 0, got -1"),
        ({"shrink_below": 0.5}, "shrink_below must be a whole number"),
        ({"loose_factor": 0.5}, "loose_factor must be a finite number of at least 1"),
        ({"bounds": Boxes([[0, 0, 0]], [[1, 1, np.inf]])}, "bounds must be finite"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        DynamicOctree(**options)
