"""Comparing answers of a tree with the truth."""

import numpy as np
import oracle
from numpy.testing import assert_array_equal

from core import build_octree, query, query_any, query_count

POLICIES = ("copy", "keep", "hybrid")
TRUTH = {"touching": oracle.touching, "inside": oracle.inside}
# Two correct formulas may differ by this much of the largest coordinate.
TOLERANCE = 1e-9


def built(items, **options):
    """Build an octree and check it."""
    tree = build_octree(items, **options)
    tree.check()
    return tree


def flags(pairs, volumes, items):
    """Pairs as a matrix, after a look at their form."""
    assert pairs.shape == (2, pairs.shape[1])
    assert pairs.dtype == np.intp
    keys = pairs[0] * len(items) + pairs[1]
    assert (np.diff(keys) > 0).all()
    matrix = np.zeros((len(volumes), len(items)), bool)
    matrix[pairs[0], pairs[1]] = True
    return matrix


def assert_true_answers(tree, volumes, *, exactly=False):
    """All questions are answered with the truth, to the last pair where sums are exact."""
    items = tree.items
    found = {
        relation: flags(query(tree, volumes, relation=relation), volumes, items)
        for relation in ("inside", "touching", "candidates")
    }
    for relation in TRUTH:
        surely, possibly = truth(items, volumes, relation, exactly)
        wrong = np.argwhere((surely & ~found[relation]) | (found[relation] & ~possibly))
        assert len(wrong) == 0, f"{relation}: first of {len(wrong)} wrong pairs: {wrong[0]}"
    assert (found["inside"] <= found["touching"]).all()
    assert (found["touching"] <= found["candidates"]).all()
    assert_array_equal(query_any(tree, volumes), found["touching"].any(axis=1))
    assert_array_equal(query_count(tree, volumes), found["touching"].sum(axis=1))


def truth(items, volumes, relation, exactly):
    """Return the pairs that surely hold, and those that possibly hold; lately known ones again."""
    batches = [(type(batch), batch.rows.tobytes()) for batch in (items, volumes)]
    key = (*batches, relation, exactly)
    if key not in _known:
        if len(_known) > 100:
            _known.clear()
        _known[key] = computed_truth(items, volumes, relation, exactly)
    return _known[key]


# Trees of several policies are compared with the same brute force.
_known = {}


def computed_truth(items, volumes, relation, exactly):
    ask = TRUTH[relation]
    if exactly:
        number = np.asarray if are_whole(items, volumes) else oracle.exact
        return (ask(items, volumes, 0, number),) * 2
    doubt = TOLERANCE * largest_coordinate(items, volumes)
    return ask(items, volumes, -doubt), ask(items, volumes, doubt)


def are_whole(*batches):
    """Whether float64 is exact, as with fractions: no oracle divides."""
    rows = np.concatenate([np.ravel(batch.rows) for batch in batches])
    return not np.isfinite(rows).all() or (rows == np.round(rows)).all()


def largest_coordinate(*batches):
    """Of all that is finite."""
    limits = np.concatenate([np.ravel(batch.limits()) for batch in batches])
    return np.abs(limits[np.isfinite(limits)]).max(initial=0)


def assert_same(one, other):
    """Bit for bit, array for array."""
    assert vars(one).keys() == vars(other).keys()
    for name, value in vars(one).items():
        assert_alike(value, getattr(other, name))


def assert_alike(one, other):
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
    elif hasattr(one, "rows"):
        assert_alike(one.rows, other.rows)
    else:
        assert one == other
