"""Other pools: entries in another order, under nodes that are cut anywhere."""

from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from unittest.mock import patch

import numpy as np

from core.scene import pool
from core.scene.growing import GrownTriangles
from core.scene.nodes import LEAF, Nodes, altitudes_of


@contextmanager
def indexed(order_of):
    """Index meshes in orders that are given for their sizes, under uneven nodes."""
    make = pool._indexed

    def otherwise(meshes):
        made = yield from make(meshes)
        sizes = np.diff(made.firsts, append=len(made.order))
        orders = [first + order_of(size) for first, size in zip(made.firsts, sizes, strict=True)]
        order = np.concatenate(orders)
        faces = made.arranged.faces.T.take(order, axis=1)
        arranged = GrownTriangles(made.arranged.vertices.T, faces, {})
        nodes = uneven(arranged, made.order[order], sizes)
        nodes.check(arranged, made.order[order])
        return replace(made, arranged=arranged, order=made.order[order], nodes=nodes)

    with patch.object(pool, "_indexed", otherwise):
        yield


def uneven(triangles, order, sizes):
    """Return the nodes of meshes, each cut anywhere into 2 to 8."""
    random, ends = np.random.default_rng(len(order)), np.cumsum(sizes)
    nodes = [(stop - size, stop) for stop, size in zip(ends, sizes, strict=True)]
    first, counts = [], []
    for begin, end in nodes:  # which grow meanwhile
        cuts = random.permutation(np.arange(begin + 1, end))[: random.integers(1, 8)]
        parts = [begin, *sorted(cuts), end] if end - begin > LEAF else []
        first.append(len(nodes) if parts else -1)
        counts.append(max(len(parts) - 1, 0))
        nodes += pairwise(parts)
    begin, end = np.array(nodes).T
    lower, upper = triangles.limits()
    below, altitudes = [slice(*run) for run in nodes], altitudes_of(triangles)
    return Nodes(
        np.stack([[*lower[:, s].min(axis=1), *upper[:, s].max(axis=1)] for s in below], axis=1),
        *map(np.array, (first, counts)),
        begin.copy(),
        end.copy(),
        np.array([altitudes[some].min() for some in below]),
        np.array([order[some].min() for some in below]),
        np.arange(len(sizes)),
    )
