"""A crowd that comes, moves and goes, in a dictionary: what a dynamic octree has to agree with.

Coordinates are small whole numbers, or such numbers times a power of two, so that every answer
is exact.
"""

import numpy as np

from core import Boxes, DynamicOctree, Regions, Spheres

WORLD = Boxes([[0, 0, 0]], [[16, 16, 16]])
CORNERS = np.arange(8)[:, None] >> np.arange(3) & 1
EVERYWHERE = Boxes([[-1e12] * 3], [[1e12] * 3])


def rows_of(items):
    """Lower corner, upper corner and radius (n, 7) of boxes, spheres or regions."""
    lower = items.centers if isinstance(items, Spheres) else items.lower
    upper = items.centers if isinstance(items, Spheres) else items.upper
    radii = np.zeros(len(items)) if isinstance(items, Boxes) else items.radii
    return np.column_stack((lower, upper, radii))


def touching(ones, others):
    """Which rows touch which: (q, 7) and (n, 7) give (q, n)."""
    gap = np.maximum(ones[:, None, :3] - others[:, 3:6], others[:, :3] - ones[:, None, 3:6])
    square = (np.maximum(gap, 0) ** 2).sum(axis=2)
    return square <= (ones[:, None, 6] + others[:, 6]) ** 2


def assert_stands_in_what_it_touches(tree):
    """In "copy", every item within the root stands in each leaf that it touches, in no other.

    Of leaves without thickness, which coincide, one is enough.
    """
    octree = tree.octree
    if octree.straddlers != "copy":
        return
    lower, upper = octree.node_lower, octree.node_upper
    rows, within = rows_of(octree.items), ~np.isin(octree.ids, tree.outside)
    gaps = np.maximum(lower[:, None] - rows[:, 3:6], rows[:, :3] - upper[:, None])
    distances = np.sqrt((np.maximum(gaps, 0) ** 2).sum(axis=2)) - rows[:, 6]
    ids, cells = octree.cells_of()
    stands = np.zeros(distances.shape, bool)
    stands[cells, np.searchsorted(octree.ids, ids)] = True
    thick_leaf = octree.is_leaf & (upper > lower).all(axis=1)
    assert not stands[~octree.is_leaf][:, within].any()
    assert stands[thick_leaf][:, within][distances[thick_leaf][:, within] <= 0].all()
    assert (distances[:, within][stands[:, within]] <= octree.slack).all()


class Crowd:
    """Rows of living items by their ids, and the pairs that were told of last."""

    def __init__(self):
        self.living, self.told = {}, set()

    def __len__(self):
        return len(self.living)

    @property
    def ids(self):
        return np.array(sorted(self.living), np.intp)

    @property
    def rows(self):
        return np.array([self.living[i] for i in sorted(self.living)]).reshape(-1, 7)

    def put(self, ids, items):
        self.living |= dict(zip(np.asarray(ids).tolist(), rows_of(items), strict=True))

    def remove(self, ids):
        for one in np.asarray(ids).tolist():
            del self.living[one]

    def touched(self, volumes):
        """Pairs (2, h) of volumes and ids."""
        numbers, found = np.nonzero(touching(rows_of(volumes), self.rows))
        return np.stack((numbers, self.ids[found]))

    def pairs(self):
        """Pairs (2, h) of ids that touch each other."""
        rows = self.rows
        ones, others = np.nonzero(np.triu(touching(rows, rows), 1))
        return np.stack((self.ids[ones], self.ids[others]))

    def changes(self):
        """Pairs that began, lasted and ended since the last call, as sorted lists."""
        before, self.told = self.told, set(zip(*self.pairs().tolist(), strict=True))
        return sorted(self.told - before), sorted(self.told & before), sorted(before - self.told)


def some_items(random, count, span=30, size=6):
    """Boxes, spheres or regions in whole numbers, some alike, some points, some large."""
    kind = random.integers(3)
    lower = random.integers(-span, span + 1, (count, 3)).astype(float)
    if random.random() < 0.3:
        lower[:] = lower[:1]
    sizes = random.integers(0, size, (count, 3)) * random.choice([0, 1, 1, 1, 40], (count, 1))
    radii = random.integers(0, 4, count).astype(float)
    if kind == 0:
        return Boxes(lower, lower + sizes)
    return Spheres(lower, radii) if kind == 1 else Regions(lower, lower + sizes, radii)


def cubes(*lower, size=1.0):
    """Return cubes with these lower corners."""
    lower = np.array(lower, float).reshape(-1, 3)
    return Boxes(lower, lower + size)


def tree_of(items, **options):
    """Return a checked tree of items."""
    tree = DynamicOctree(**options)
    tree.insert(items)
    tree.check()
    return tree


def cells_of(tree, item):
    """Return the cells that an item stands in."""
    return tree.octree.cells_of([item])[1].tolist()


def walls(tree, cell):
    """Return the lower and the upper corner of a cell."""
    octree = tree.octree
    return octree.node_lower[cell].tolist() + octree.node_upper[cell].tolist()
