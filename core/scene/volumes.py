"""Questions of volumes: placements by their boxes, then triangles in the spaces of the meshes."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .. import tuning
from ..arrays import Flags, Ids, blocks, concatenated_ranges, distinct, dot, gather, joined
from ..descend import NOTHING, Found, descend, expanded, portions
from ..mailboxing import Answers, Pairs
from ..query import by_volume
from ..rounds import in_rounds
from ..shapes import Shapes, Spheres
from ..steps import Steps, between
from ..touch import lying_inside, touching
from .images import Images, images_of
from .moment import Moment, Reached
from .pool import WalkedNodes

# References that are expanded together.
_PIECE = 262_144
# Triangles that a pair tests first if one hit is enough, and the factor for the next round.
_FEW, _MORE = 8, 8
# Placements that a volume tries first if any will do, and the factor for the next round.
_PLACES, _MORE_PLACES = 1, 8


@dataclass(frozen=True)
class PlacedCandidates:
    """Entries that may be what some pairs of volume and placement ask for.

    All of pairs `asked`, ascending: number i stands for pair `asked[i]`. Certain ones lie in nodes
    inside their volume.
    """

    nodes: WalkedNodes
    asked: Ids
    doubtful: Pairs
    certain: Pairs


def found_in(moment: Moment, volumes: Shapes, relation: str) -> Ids:
    """Return volumes, placements and triangles, (3, h), for which the relation holds."""
    parts = [np.empty((3, 0), np.intp)]
    for pairs in moment.reached(volumes):
        rest, answers = np.flatnonzero(~pairs.whole), Answers(len(pairs), moment.meshes.largest)
        some = pairs[rest]
        for found in candidates(moment, volumes, some):
            numbers, entries = confirmed(moment, volumes, some, found, relation)
            answers.add(rest[found.asked], numbers, found.nodes.order[entries])
        parts.append(_with_whole(moment, pairs, answers.pairs()))
    return parts[1] if len(parts) == 2 else np.concatenate(parts, axis=1)


def counted_in(moment: Moment, volumes: Shapes) -> Ids:
    """Return how many placed triangles touch each volume."""
    counts, each = np.zeros(len(volumes), np.intp), moment.meshes.sizes
    for pairs in moment.reached(volumes):
        whole = pairs[pairs.whole]
        of_whole = each[moment.placements.meshes[whole.rows]]
        np.add.at(counts, whole.volumes, of_whole)
        some = pairs[~pairs.whole]
        for found in candidates(moment, volumes, some):
            numbers, _ = confirmed(moment, volumes, some, found, "touching")
            asked = some.volumes[found.asked]
            np.add.at(counts, asked, np.bincount(numbers, minlength=len(asked)))
    return counts


def objects_in(moment: Moment, volumes: Shapes) -> Steps[Ids]:
    """Return volumes and placements, (2, h), of which a triangle touches the volume, in steps."""
    parts = [np.empty((2, 0), np.intp)]
    for pairs in moment.reached(volumes):
        touched = pairs.whole.copy()
        (rest,) = (~touched).nonzero()
        yield 0.0
        needed = distinct(moment.placements.meshes[pairs.rows[rest]])
        yield from between(0.0, 0.9, moment.meshes.pool(needed))
        yield 0.9
        for few in blocks(len(rest), tuning.current.pairs_looked_at):
            some = rest[few]
            touched[some] = any_of(moment, volumes, pairs[some])
            yield 0.95
        met = pairs[touched]
        parts.append(np.stack((met.volumes, moment.placements.ids[met.rows])))
    return np.concatenate(parts, axis=1)


def any_in(moment: Moment, volumes: Shapes) -> Flags:
    """Return which volumes touch a triangle; each stops at the first that it finds."""
    flags = np.zeros(len(volumes), bool)
    for pairs in moment.reached(volumes):
        flags[pairs.volumes[pairs.whole]] = True
        for early in in_rounds(pairs.volumes, _PLACES, _MORE_PLACES, lambda of, _: ~flags[of]):
            some = pairs[early]
            flags[some.volumes[any_of(moment, volumes, some)]] = True
    return flags


def any_of(moment: Moment, volumes: Shapes, pairs: Reached) -> Flags:
    """Return which pairs have a triangle that touches; more and more are looked at."""
    touched = np.zeros(len(pairs), bool)
    for found in candidates(moment, volumes, pairs):
        touched[found.asked[found.certain[0]]] = True
        numbers, entries = found.doubtful
        asked = found.asked[numbers]
        for early in in_rounds(asked, _FEW, _MORE, lambda of, _: ~touched[of]):
            some = asked[early]
            flags = _passed(moment, volumes, pairs, found, some, entries[early])
            touched[some[flags]] = True
    return touched


def confirmed(
    moment: Moment, volumes: Shapes, pairs: Reached, found: PlacedCandidates, relation: str
) -> Pairs:
    """Return the candidates for which the relation holds, in no order."""
    numbers, entries = found.doubtful
    asked = found.asked[numbers]
    flags = _passed(moment, volumes, pairs, found, asked, entries, relation)
    return joined([found.certain, (numbers[flags], entries[flags])])


def _near(nodes: WalkedNodes, images: Images, numbers: Ids, entries: Ids) -> Pairs:
    """Return the candidates whose bounding spheres come near spherical images, without placing."""
    triangles, spheres = nodes.arranged, images.shapes
    if not (isinstance(spheres, Spheres) and triangles.is_worth_spheres(len(entries))):
        return numbers, entries
    apart = gather(triangles.bounding_spheres, entries)
    asked = gather(spheres.rows, numbers)
    apart[:3] -= asked[:3]
    reach = apart[3] + asked[3] + 2 * images.slacks[numbers]
    (some,) = (dot(apart, apart) <= reach * reach).nonzero()
    return numbers[some], entries[some]


def _passed(
    moment: Moment,
    volumes: Shapes,
    pairs: Reached,
    found: PlacedCandidates,
    asked: Ids,
    entries: Ids,
    relation: str = "touching",
) -> Flags:
    """Return which entries pass the exact test of their pairs, `asked`."""
    test = touching if relation == "touching" else lying_inside
    items = moment.placed(found.nodes, entries, pairs.rows[asked])
    return test(items, np.arange(len(entries)), volumes, pairs.volumes[asked])


def candidates(moment: Moment, volumes: Shapes, pairs: Reached) -> Iterator[PlacedCandidates]:
    """Yield what may touch, each once: what volumes, in the spaces of meshes, find in nodes."""
    for images in images_of(volumes, pairs.volumes, moment.placements, pairs.rows):
        nodes = moment.nodes(pairs.rows[images.pairs], images.slacks)
        runs = _runs(nodes, images)
        references, count = sum(each.references for each in runs), len(images.pairs)
        for portion in portions(runs, count, _PIECE) if references > _PIECE else [runs]:
            doubtful, certain = (expanded(nodes, each) for each in portion)
            near = _near(nodes, images, *doubtful)
            yield PlacedCandidates(nodes, images.pairs, near, certain)


def _runs(nodes: WalkedNodes, images: Images) -> list[Found]:
    """Return doubtful and certain runs of references, both by pair."""
    if images.shapes is None:
        roots = nodes.roots
        everyone = np.arange(len(roots))
        return [Found(everyone, nodes.begin[roots], nodes.end[roots], False), NOTHING]
    found: tuple[list[Found], list[Found]] = [], []
    for each in descend(nodes, images.shapes, tight=False):
        found[each.certain and images.exact].append(each)
    return [by_volume(some) for some in found]


def _with_whole(moment: Moment, pairs: Reached, found: Ids) -> Ids:
    """Return volumes, placements and triangles, (3, h): those found, and all of whole pairs."""
    meshes = moment.placements.meshes[pairs.rows]
    sizes = moment.meshes.sizes[meshes]
    counts = np.where(pairs.whole, sizes, np.bincount(found[0], minlength=len(pairs)))
    ends = np.cumsum(counts)
    result = np.empty((3, int(counts.sum())), np.intp)
    ids = moment.placements.ids[pairs.rows]
    cuts = [0, *(np.flatnonzero(np.diff(ends // _PIECE)) + 1).tolist(), len(pairs)]
    for first, stop in pairwise(cuts if len(pairs) else []):
        some = slice(first, stop)
        volumes, placements, triangles = result[:, ends[first] - counts[first] : ends[stop - 1]]
        volumes[:] = np.repeat(pairs.volumes[some], counts[some])
        placements[:] = np.repeat(ids[some], counts[some])
        if pairs.whole[some].any():
            triangles[:] = moment.meshes.table.valid_triangles(meshes[some], counts[some])
    (rest,) = (~pairs.whole).nonzero()
    if len(rest) == len(pairs):
        result[2] = found[1]
    else:
        result[2, concatenated_ranges(ends[rest] - counts[rest], counts[rest])] = found[1]
    return result
