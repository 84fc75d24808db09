"""Which rays go down together: neighbours, who meet the same cells and items in the cache."""

from collections.abc import Iterator

import numpy as np

from ..arrays import Ids, blocks, radix_argsort
from ..morton import Words, morton_codes
from ..octree import Octree
from .crossings import Rays
from .mailboxes import Mailboxes

# Rays that go down together at most, and so many that they get about this many letters, for
# whose mailboxes some ten megabytes are needed.
_TOGETHER, _LETTERS = 16_384, 524_288
# Bits of an origin's place along each axis: so many first, then the signs of the direction, then
# the others.
_COARSE, _FINE = 3, 4
_BLOCK = 65_536


def ray_packets(tree: Octree, rays: Rays, mailboxes: Mailboxes) -> Iterator[Ids]:
    """Yield the numbers of all rays, group by group, each with empty mailboxes.

    The more letters the rays of a group have got, the fewer rays are in the next. Where there is
    more than one group, rays are sorted by where they start and which way they go; those of one
    camera stay in their order, but for their octants.
    """
    order = np.arange(len(rays))
    if len(rays) > _TOGETHER:
        keys = np.concatenate([_keys(tree, rays, some) for some in blocks(len(rays), _BLOCK)])
        order = radix_argsort(keys, 3 * (_COARSE + 1 + _FINE))
    first, size = 0, _TOGETHER
    while first < len(rays):
        group = order[first : first + size]
        mailboxes.empty(len(group))
        yield group
        first += len(group)
        size = max(1, min(_TOGETHER, len(group) * _LETTERS // max(len(mailboxes), 1)))


def _keys(tree: Octree, rays: Rays, some: slice) -> Words:
    lower, upper = tree.cell_rows[:3, :1], tree.cell_rows[3:, :1]
    size = upper - lower
    bits = _COARSE + _FINE
    scale = np.divide(2**bits, size, out=np.zeros((3, 1)), where=size > 0)
    starts = np.clip(rays.origins[:, some], lower, upper)
    places = np.minimum((starts - lower) * scale, 2**bits - 1).astype(np.int64)
    codes = morton_codes(places, bits)
    backwards = rays.directions[:, some] < 0
    octants = backwards[0] | backwards[1] << 1 | backwards[2] << 2
    coarse, fine = codes >> 3 * _FINE, codes & 2 ** (3 * _FINE) - 1
    return (coarse << 3 | octants) << 3 * _FINE | fine
