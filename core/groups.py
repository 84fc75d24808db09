"""Group masks: 32 bits for each item; a query may be restricted to some of the groups.

Items in none of these groups are removed from the tree before the query descends. Therefore no
traversal, early exit or bound depends on groups, and cells without other items count as empty.
"""

from dataclasses import replace
from typing import SupportsIndex

import numpy as np

from . import checks
from .arrays import Flags
from .cells import child_masks_of
from .checks import ALL_GROUPS
from .octree import Octree

__all__ = ["ALL_GROUPS", "in_groups"]

# A tree caches its filtered trees for this many masks.
_MASKS = 4


def in_groups(tree: Octree, groups: SupportsIndex) -> Octree:
    """Return the tree's cells with only the items whose masks share a bit with `groups`.

    Results name items as before. A mask that is new to the tree costs a pass over all references
    and cells; a tree whose items have no masks is returned unchanged, unless `groups` is 0.
    Raises ValueError if `groups` is no mask of 32 bits.
    """
    mask = checks.mask("groups", groups)
    if tree.groups is None and mask:
        return tree
    seen = tree._seen.get(mask)
    if seen is None:
        seen = _only(tree, _is_there(tree, mask))
        if len(tree._seen) == _MASKS:
            tree._seen.clear()
        tree._seen[mask] = seen
    return seen


def _is_there(tree: Octree, mask: int) -> Flags:
    """Flag the items (n,) that share a bit with the mask; the mask is 0 if they have no masks."""
    if tree.groups is None:
        return np.zeros(len(tree.items), bool)
    return tree.groups & np.uint32(mask) != 0


def _only(tree: Octree, is_there: Flags) -> Octree:
    """Return the tree with only the flagged items, (n,), numbered anew."""
    if is_there.all():
        return replace(tree, groups=None)
    is_there[tree.invalid_items] = False
    is_kept = is_there[tree.order]  # entries
    numbers, entries = np.flatnonzero(is_there), np.flatnonzero(is_kept)
    new_number, new_entry = np.cumsum(is_there) - 1, np.cumsum(is_kept) - 1
    stays = is_kept[tree.references]
    references = tree.references.take(np.flatnonzero(stays))
    before = np.append(0, np.cumsum(stays))
    items = tree.items[numbers]
    begin, end = before[tree.begin], before[tree.end]
    return replace(
        tree,
        items=items,
        invalid_items=numbers[:0],
        order=new_number[tree.order[entries]],
        arranged=items if tree.arranged is tree.items else tree.arranged[entries],
        begin=begin,
        own_end=before[tree.own_end],
        end=end,
        child_masks=child_masks_of(tree.node_parent, end > begin),
        references=new_entry.take(references),
        outside=int(before[tree.outside]),
        copied=tree.copied[entries],
        strays=new_entry[tree.strays[is_kept[tree.strays]]],
        ids=tree.named(numbers),
        groups=None,
    )
