"""Trees of boxes in a row whose items have masks, and all questions that ask for groups."""

import numpy as np

from core import (
    Boxes,
    DynamicOctree,
    nearest,
    overlapping_pairs,
    query,
    query_any,
    query_count,
    ray_cast,
    ray_cast_all,
    ray_test,
)

ALL = 0xFFFFFFFF
WORLD = Boxes([[-999] * 3], [[999] * 3])
RAY = ([[-5, 0, 0]], [[1, 0, 0]])
QUESTIONS = {
    "query": lambda tree, **options: query(tree, WORLD, **options)[1],
    "query_any": lambda tree, **options: query_any(tree, WORLD, **options).nonzero()[0],
    "query_count": lambda tree, **options: np.arange(query_count(tree, WORLD, **options)[0]),
    "ray_cast": lambda tree, **options: hits(ray_cast(tree, *RAY, **options)),
    "ray_test": lambda tree, **options: ray_test(tree, *RAY, **options).nonzero()[0],
    "ray_cast_all": lambda tree, **options: ray_cast_all(tree, *RAY, **options).pairs[1],
    "nearest": lambda tree, **options: hits(nearest(tree, [[0, 0, 0]], **options)),
    "overlapping_pairs": lambda tree, **options: overlapping_pairs(tree, **options)[0],
    "two trees": lambda tree, **options: overlapping_pairs(tree, tree, **options)[0],
}


def hits(found):
    return found.items[found.items >= 0]


def row(count):
    """Return boxes along the x axis, from -5 on, each of which touches the next."""
    lower = np.arange(count)[:, None] * [1.0, 0, 0] - [5, 4, 4]
    return Boxes(lower, lower + np.array([1.0, 5, 5]))


def tree_of(count, groups, **options):
    tree = DynamicOctree(capacity=2, merge_below=1, **options)
    tree.insert(row(count), groups=groups)
    return tree


def there(tree, groups):
    return query(tree, WORLD, groups=groups)[1].tolist()
