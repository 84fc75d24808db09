"""Questions of volumes: placements by their boxes, then triangles in the spaces of the meshes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np

from ..arrays import Flags, Ids, concatenated_ranges, dot, gather, joined
from ..descend import NOTHING, Found, descend, expanded, portions
from ..mailboxing import Answers, Pairs, deduplicate, mailboxes_for
from ..query import by_volume, vouched
from ..rounds import in_rounds
from ..shapes import Shapes, Spheres, Triangles
from ..steps import Steps, between
from ..touch import lying_inside, touching
from .culling import Compared, compared, needing_octrees, turns
from .forest import Forest
from .images import Images, images_of
from .moment import Moment, Reached

# References that are expanded together.
_PIECE = 262_144
# Triangles that a pair tests first if one hit is enough, and the factor for the next round.
_FEW, _MORE = 8, 8
# Placements that a volume tries first if any will do, and the factor for the next round.
_PLACES, _MORE_PLACES = 1, 8


@dataclass(frozen=True)
class PlacedCandidates:
    """Entries that may be what some pairs of volume and placement ask for.

    All of pairs `asked`, ascending: number i stands for pair `asked[i]`. Cells vouch for the
    certain ones; without cells, they lie in their volume. Entry e is triangle `order[e]`.
    """

    arranged: Triangles
    order: Ids
    forest: Forest | None
    asked: Ids
    doubtful: Pairs
    certain: Pairs

    def vouched(self, relation: str) -> tuple[Pairs, Pairs]:
        """Split the certain ones: those that are sure, and those to be tested."""
        if self.forest is None:
            return self.certain, (self.certain[0][:0], self.certain[1][:0])
        return vouched(self.forest, self.certain, relation)


def found_in(moment: Moment, volumes: Shapes, relation: str) -> Ids:
    """Return volumes, placements and triangles, (3, h), for which the relation holds."""
    parts = [np.empty((3, 0), np.intp)]
    for pairs in moment.reached(volumes):
        rest, answers = np.flatnonzero(~pairs.whole), Answers(len(pairs), moment.meshes.largest)
        some = pairs[rest]
        for found in candidates(moment, volumes, some):
            numbers, entries = confirmed(moment, volumes, some, found, relation)
            answers.add(rest[found.asked], numbers, found.order[entries])
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
        needed = needing_octrees(moment, volumes, pairs[rest])
        yield from between(0.0, 0.9, moment.meshes.prepare(needed))
        yield 0.9
        for some in turns(moment, volumes, pairs[rest]):
            touched[rest[some]] = any_of(moment, volumes, pairs[rest[some]])
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
    batches, rest = compared(moment, volumes, pairs)
    undecided = []
    for each in batches:
        touched[each.asked], misses = each.outcodes.hold_any()
        undecided.append((each, (~touched[each.asked] & ~misses).nonzero()[0]))
    for found in chain(_by_vertices(undecided), _by_octrees(moment, volumes, pairs, rest)):
        sure, unsure = found.vouched("touching")
        touched[found.asked[sure[0]]] = True
        for numbers, entries in (unsure, found.doubtful):
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
    sure, unsure = found.vouched(relation)
    parts = [sure]
    for numbers, entries in (found.doubtful, unsure):
        asked = found.asked[numbers]
        flags = _passed(moment, volumes, pairs, found, asked, entries, relation)
        parts.append((numbers[flags], entries[flags]))
    return joined(parts)


def _near(forest: Forest, images: Images, numbers: Ids, entries: Ids) -> Pairs:
    """Return the candidates whose bounding spheres come near spherical images, without placing."""
    triangles, spheres = forest.arranged, images.shapes
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
    items = moment.placed(found, entries, pairs.rows[asked])
    return test(items, np.arange(len(entries)), volumes, pairs.volumes[asked])


def candidates(moment: Moment, volumes: Shapes, pairs: Reached) -> Iterator[PlacedCandidates]:
    """Yield what may touch, each once, by vertices of meshes or down their octrees."""
    batches, rest = compared(moment, volumes, pairs)
    every = ((each, np.arange(len(each.asked))) for each in batches)
    return chain(_by_vertices(every), _by_octrees(moment, volumes, pairs, rest))


def _by_vertices(batches: Iterable[tuple[Compared, Ids]]) -> Iterator[PlacedCandidates]:
    """Yield what outcodes leave of some pairs of each batch."""
    for each, some in batches:
        if len(some):
            mesh, found = each.mesh, each.candidates(some)
            yield PlacedCandidates(mesh.triangles, mesh.valid, None, each.asked, *found)


def _by_octrees(
    moment: Moment, volumes: Shapes, pairs: Reached, some: Ids
) -> Iterator[PlacedCandidates]:
    """Yield what the walks of the volumes' images down the meshes' octrees find, of some pairs."""
    if len(some) == 0:
        return
    pairs = pairs[some]
    for images in images_of(volumes, pairs.volumes, moment.placements, pairs.rows):
        forest = moment.forest(pairs.rows[images.pairs], images.slacks)
        boxes = mailboxes_for(len(forest.order))
        runs = _runs(forest, images)
        references, count = sum(each.references for each in runs), len(images.pairs)
        for portion in portions(runs, count, _PIECE) if references > _PIECE else [runs]:
            found = [expanded(forest, each) for each in portion]
            found[0] = _near(forest, images, *found[0])
            if forest.straddlers != "keep":
                found = deduplicate(found, len(forest.order), boxes)
            asked = some[images.pairs]
            yield PlacedCandidates(forest.arranged, forest.order, forest, asked, *found)


def _runs(forest: Forest, images: Images) -> list[Found]:
    """Return doubtful and certain runs of references, both by pair."""
    if images.shapes is None:
        roots = forest.roots
        everyone = np.arange(len(roots))
        return [Found(everyone, forest.begin[roots], forest.end[roots], False), NOTHING]
    found: tuple[list[Found], list[Found]] = [], []
    for each in descend(forest, images.shapes, tight=False):
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
