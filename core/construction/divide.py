"""The build loop: cells are divided level by level, unless that makes too many copies."""

from copy import copy
from functools import partial

import numpy as np

from .. import tuning
from ..arrays import Ids
from ..options import Options
from ..steps import Ticks
from .levels import Level
from .rules import Rule

# The leaf capacity that `copies_on_the_way` is measured for.
_IN_LEAVES_OF = 32
# Average copies per item at one depth above which a build is refused, unless the tree is small.
MOST_FOR_AN_ITEM = 8
# Cells per depth in a trial build, about; and an irrational step that never repeats a pattern.
_SAMPLE, _GOLDEN = 2048, 0.6180339887498949


def divide(root: Level, rule: Rule, entries: float) -> Ticks[list[Level]]:
    """Divide cells, their children and so on; return the levels.

    `entries` is the number of items; if it is infinite, any number of copies is allowed.
    """
    levels, is_foreseen = [root], False
    while len(overfull := _overfull(levels[-1], rule)):
        copies = len(levels[-1].copies)
        if not is_foreseen and may_be_refused(copies, len(overfull), entries, rule.options):
            yield from _foresee(levels[-1], copy(rule), entries)
            is_foreseen = True
        check = partial(check_copies, entries, rule.options)
        levels.append((yield from rule.divide(levels[-1], overfull, check)))
    return levels


def _overfull(level: Level, rule: Rule) -> Ids:
    """Return the cells that hold more items than the capacity and may be divided."""
    (overfull,) = (level.cells.held > rule.options.capacity).nonzero()
    return overfull[rule.divisible(level.cells, overfull)]


def _foresee(level: Level, rule: Rule, entries: float) -> Ticks[None]:
    """Divide a sample of the cells to full depth; raise if the copies exceed the limit.

    At each depth, one of every few cells is taken and represents the others.
    """
    weight = 1.0
    while len(overfull := _overfull(level, rule)):
        some = _sample(overfull)
        weight *= len(overfull) / len(some)
        check = partial(check_copies, entries, rule.options, weight=weight)
        level = yield from rule.divide(level, some, check)


def _sample(cells: Ids) -> Ids:
    """Return one of every few cells, with a varying position among eight siblings."""
    step = -(-len(cells) // _SAMPLE)
    first = np.arange(0, len(cells) - step + 1, step)
    return cells[first + (first * _GOLDEN % 1 * step).astype(np.intp)]


def most_references(entries: float, options: Options) -> float:
    """Return the average number of references per item that all divisions together may make.

    With leaves of 32 or more, no more than `check_copies` allows. With "hybrid", as many as are
    cheap, even if cells then keep more items than the capacity.
    """
    if options.straddlers == "hybrid":
        return tuning.current.copies_while_cheap
    most = min(tuning.current.copies_on_the_way, most_copies(entries) / max(entries, 1))
    return most * _IN_LEAVES_OF / min(options.capacity, _IN_LEAVES_OF)


def check_copies(
    entries: float, options: Options, depth: int, count: int, weight: float = 1.0
) -> None:
    """Raise ValueError if `count` copies of `entries` items at one depth exceed the limit.

    A sample, which represents `weight` times as many cells, must exceed it by a safety factor.
    """
    certainly = tuning.current.certainly_too_many
    if weight == 1.0 and count > most_copies(entries):
        made = f"{count:,}"
    elif weight > 1.0 and count * weight > certainly * most_copies(entries):
        made = f"about {float(f'{count * weight:.1e}'):,.0f}"
    else:
        return
    raise ValueError(
        f"capacity must be larger, or max_depth smaller: got {options.capacity} and"
        f" {options.max_depth}, which make {made} copies at depth {depth}"
    )


def most_copies(entries: float) -> float:
    """Return the largest allowed number of copies of `entries` items at one depth."""
    return max(MOST_FOR_AN_ITEM * entries, tuning.current.copies_at_a_depth)


def may_be_refused(copies: int, overfull: int, entries: float, options: Options) -> bool:
    """Return whether a sample of the cells should be divided before all cells are.

    This requires many copies so far, and enough overfull cells for a sample. The smaller the
    leaves, the more of the copies are still to be made.
    """
    ahead = tuning.current.copies_ahead
    many = copies * ahead > most_copies(entries) * options.capacity
    return many and overfull >= _SAMPLE // 2
