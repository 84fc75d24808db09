"""Plain walks: the oracle of every traversal, written to be read and not to be fast.

One walk down a tree answers rays, nearest items and volumes; one walk down two trees answers
pairs. They share the exact tests of items with `core`, hence the bits of every distance, and
nothing else: no order of cells, no seed, no cull, no packet and no early end.
"""

import numpy as np

from core.arrays import concatenated_ranges
from core.checks import ALL_GROUPS
from core.rays.api import checked_rays
from core.rays.hits import crossings
from core.snapshot import in_groups
from core.touch import lying_inside, touching
from core.touch.points import distances
from core.touch.rays import between_walls

# Rounding of cells, relative to the largest coordinate.
ROUNDING = 2.0**-40


def walk(tree, count, meets, visit):
    """Take `count` questions down a tree, and visit the cells that `meets` keeps, by level.

    `meets(questions, boxes (6, k))` flags the cells that a question touches, `visit(questions,
    entries)` receives the items of these cells, first the items that lie beyond the root.
    """
    questions, cells = np.arange(count), np.zeros(count, np.intp)
    visit(*entries_in(tree, questions, 0 * cells, 0 * cells + tree.outside))
    while len(questions):
        (met,) = meets(questions, tree.loose_rows[:, cells]).nonzero()
        questions, cells = questions[met], cells[met]
        visit(*entries_in(tree, questions, tree.begin[cells], tree.own_end[cells]))
        below = [tree.children(cells[i : i + 1])[1] for i in range(len(cells))]
        questions = np.repeat(questions, [len(some) for some in below])
        cells = np.concatenate([np.empty(0, np.intp), *below])


def entries_in(tree, questions, begin, end):
    """Pairs of questions and entries of their runs of references, each pair once."""
    entries = tree.references[concatenated_ranges(begin, end - begin)]
    pairs = np.stack((np.repeat(questions, end - begin), entries))
    return np.unique(pairs, axis=1)


def slack_of(tree, coordinates):
    """Distance that cells are enlarged by, for questions with these coordinates."""
    finite = np.abs(coordinates[np.isfinite(coordinates)])
    return 2 * tree.slack + max(finite.max(initial=0.0), np.abs(tree.loose_rows).max()) * ROUNDING


# One tree


def related(tree, volumes, relation="touching", groups=ALL_GROUPS):
    """Pairs (2, h) of `query`, sorted by volume, then by item."""
    tree, found = in_groups(tree, groups), []
    lower, upper = volumes.limits()
    slack = slack_of(tree, np.concatenate((lower, upper)))
    test = touching if relation == "touching" else lying_inside

    def meets(numbers, boxes):
        low, high = lower[:, numbers] - slack, upper[:, numbers] + slack
        return ((boxes[:3] <= high) & (boxes[3:] >= low)).all(axis=0)

    def visit(numbers, entries):
        held = test(tree.arranged, entries, volumes, numbers)
        found.append(np.stack((numbers, tree.named(tree.order[entries])))[:, held])

    walk(tree, len(volumes), meets, visit)
    return np.unique(np.concatenate(found, axis=1), axis=1)


def crossed(tree, origins, directions, max_distance=np.inf, groups=ALL_GROUPS):
    """Pairs (2, h) and distances (h,) of `ray_cast_all`."""
    tree, found = in_groups(tree, groups), [np.empty((3, 0))]
    rays = checked_rays(origins, directions, max_distance)
    slack = slack_of(tree, rays.origins)

    def meets(numbers, boxes):
        lower, upper = boxes[:3] - slack, boxes[3:] + slack
        ray = rays.origins[:, numbers], rays.directions[:, numbers]
        near, far = between_walls(*ray, lower, upper)
        enter, leave = np.maximum(near.max(axis=0), 0.0), far.min(axis=0)
        rounding = ROUNDING * np.maximum(np.abs(enter), np.abs(leave))
        rounding[~np.isfinite(rounding)] = 0.0
        return (enter <= leave + rounding) & (enter - rounding <= rays.reaches[numbers])

    def visit(numbers, entries):
        where = crossings(tree.arranged, entries, rays, numbers)
        hits = np.stack((numbers, where, tree.named(tree.order[entries])))
        found.append(hits[:, where <= rays.limits[numbers]])

    walk(tree, len(rays), meets, visit)
    numbers, where, items = np.unique(np.concatenate(found, axis=1), axis=1)
    return np.stack((numbers, items)).astype(np.intp), where


def closest(tree, origins, directions, max_distance=np.inf, groups=ALL_GROUPS):
    """Items (q,) and distances (q,) of `ray_cast`: the first row of `crossed`."""
    (rays, found), where = crossed(tree, origins, directions, max_distance, groups)
    items, lengths = np.full(len(origins), -1), np.full(len(origins), np.inf)
    rays, first = np.unique(rays, return_index=True)
    items[rays], lengths[rays] = found[first], where[first]
    return items, lengths


def nearby(tree, points, count=1, max_distance=np.inf, groups=ALL_GROUPS):
    """Items and distances (q, count) of `nearest`."""
    tree, points = in_groups(tree, groups), np.asarray(points, float)
    rows, found = np.ascontiguousarray(points.T), [np.empty((3, 0))]
    limits = np.full(len(points), float(max_distance))
    slack = slack_of(tree, rows)

    def meets(numbers, boxes):
        place = rows[:, numbers]
        gaps = np.maximum(np.maximum(boxes[:3] - place, place - boxes[3:]) - slack, 0.0)
        return np.sqrt((gaps * gaps).sum(axis=0)) * (1 - ROUNDING) <= limits[numbers]

    def visit(numbers, entries):
        lengths = distances(tree.arranged, entries, rows, numbers, np.full(len(points), np.inf))
        pairs = np.stack((numbers, lengths, tree.named(tree.order[entries])))
        pairs = pairs[:, lengths <= limits[numbers]]
        found[:] = [np.unique(np.concatenate((*found, pairs), axis=1), axis=1)]
        ranks = np.arange(found[0].shape[1]) - np.searchsorted(found[0][0], found[0][0])
        found[0] = found[0][:, ranks < count]
        last = found[0][:, ranks[ranks < count] == count - 1]
        limits[last[0].astype(np.intp)] = last[1]

    walk(tree, len(points), meets, visit)
    asked, lengths, items = found[0]
    ranks, asked = np.arange(len(asked)) - np.searchsorted(asked, asked), asked.astype(np.intp)
    answer = np.full((len(points), count), -1), np.full((len(points), count), np.inf)
    answer[0][asked, ranks], answer[1][asked, ranks] = items, lengths
    return answer


# Two trees


def walk_both(tree, other, near, visit):
    """Take two trees down together: all pairs of cells whose boxes are `near` are visited.

    The larger of two cells is replaced by its children, after its own items were visited
    against all of the other's subtree. `near(boxes, boxes)` flags pairs of boxes (6, k),
    `visit(entries, entries)` receives pairs of entries.
    """
    trees, cells = (tree, other), np.zeros((2, 1), np.intp)
    beyond = [each.references[: each.outside] for each in trees]
    whole = [np.unique(each.references) for each in trees]
    visit(*all_pairs(beyond[0], whole[1]))
    visit(*all_pairs(whole[0], beyond[1]))
    while cells.shape[1]:
        boxes = [each.loose_rows[:, some] for each, some in zip(trees, cells, strict=True)]
        cells = cells[:, near(*boxes)]
        below = [np.empty((2, 0), np.intp)]
        for pair in cells.T:
            below.append(divided(trees, pair, visit))
        cells = np.concatenate(below, axis=1)


def divided(trees, pair, visit):
    """Visit the own items of the larger cell of a pair against the other's subtree.

    Return the pairs (2, k) of its children and the other cell.
    """
    here = [*zip(trees, pair, strict=True)]
    sizes = [np.ptp(each.loose_rows[:, cell].reshape(2, 3), axis=0).max() for each, cell in here]
    is_inner = [bool(each.child_masks[cell]) for each, cell in here]
    side = max((0, 1), key=lambda number: (is_inner[number], sizes[number]))
    entries = [each.references[each.begin[cell] : each.end[cell]] for each, cell in here]
    own = slice(trees[side].begin[pair[side]], trees[side].own_end[pair[side]])
    entries[side] = trees[side].references[own]
    visit(*all_pairs(*entries))
    children = trees[side].children(pair[side : side + 1])[1]
    below = np.repeat(pair[:, None], len(children), axis=1)
    below[side] = children
    return below


def all_pairs(ones, others):
    """All pairs of two batches of numbers."""
    return np.repeat(ones, len(others)), np.tile(others, len(ones))


def joined(tree, other, test, margin=0.0):
    """Pairs (2, h) of items of two trees that pass `test(items, items)`."""
    tree, other = in_groups(tree, ALL_GROUPS), in_groups(other, ALL_GROUPS)
    found = [np.empty((2, 0), np.intp)]
    slack = slack_of(tree, other.loose_rows) + slack_of(other, tree.loose_rows) + margin

    def near(boxes, others):
        gaps = np.maximum(boxes[:3] - others[3:], others[:3] - boxes[3:])
        return (gaps <= slack).all(axis=0)

    def visit(ones, others):
        found.append(np.stack((tree.named(tree.order[ones]), other.named(other.order[others]))))

    walk_both(tree, other, near, visit)
    pairs = np.unique(np.concatenate(found, axis=1), axis=1)
    return pairs[:, test(*pairs)]
