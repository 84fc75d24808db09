"""Narrow phase of the audit: classification of pairs of placements whose boxes are near.

Pairs are classified by their contacts, depths, shared faces and gaps. The findings of a pair do
not depend on the other pairs of the batch, so an audit of some pairs finds the same for them
as an audit of all. All pairs of a batch have one band.

A row is the position of a placement in the snapshot of the scene. `met` are pairs of rows, (2, p).
A sheet is a surface without an inside.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import tuning
from ..arrays import Flags, Floats, Ids, blocks, distinct, flagged, ranks_of, starts_of_runs
from ..records import Columns
from ..scene.moment import Moment
from ..steps import Steps, between
from . import findings as of
from .contacts import Contacts, contacts_of, gaps_of
from .coplanar import shared_areas
from .crossings import crossings_of, lengths_of, middles_between
from .depth import DepthBounds
from .findings import Audit, findings_of, nothing
from .seams import Seams, seams_of
from .shared_rooms import shared_rooms
from .shells import shells_of
from .solids import World, both_depths, nested_both
from .twins import apart_at_most, twins_of


@dataclass(frozen=True)
class ContactFeatures(Columns):
    """Shared area of each contact and its centroid, intersection segment, corner distance.

    `same` flags triangles that face the same way. `alike` is NaN for corners beyond the band.
    """

    areas: Floats
    middles: Floats
    same: Flags
    segments: Floats
    alike: Floats


def world_of(moment: Moment, meshes: Ids, band: float) -> Steps[World]:
    """Return the scene with `meshes` indexed, and the connected components of these meshes."""
    pool = yield from between(0.0, 0.5, moment.meshes.pool(meshes))
    steps = shells_of(pool, moment.meshes.sizes, meshes)
    shells = yield from between(0.5, 1.0, steps)
    return World(moment, pool, shells, band)


def judged(moment: Moment, met: Ids, band: float, clearance: float) -> Steps[Audit]:
    """Return the findings of pairs of rows whose boxes are near, (2, p), in any order.

    The order within a pair breaks ties, mostly in the choice of the places.
    """
    if met.shape[1] == 0:
        return nothing()
    meshes = distinct(moment.placements.meshes[distinct(met)])
    world = yield from between(0.0, 0.15, world_of(moment, meshes, band))
    looking = contacts_of(moment, world.pool, met, band)
    contacts = yield from between(0.15, 0.4, looking)
    features = yield from between(0.4, 0.48, _features(world, met, contacts))
    touched = np.zeros(met.shape[1], bool)
    touched[contacts.pairs] = True
    are_open = ~world.shells.closed[world.meshes(met)]
    twins = twins_of(world, met, contacts, features.alike)
    are_sheets = world.shells.is_open[contacts.entries].all(axis=0)
    crossing = seams_of(world, met, contacts[are_sheets & np.isnan(twins)[contacts.pairs]])
    seams = yield from between(0.48, 0.5, crossing)
    (free,) = (~touched).nonzero()
    within, whole = yield from between(0.5, 0.6, nested_both(world, met, are_open, free))
    wanted = ((touched & np.isnan(twins)) | within) & ~are_open[::-1]
    deep = yield from between(0.6, 0.88, both_depths(world, met, contacts, wanted))
    crossed = flagged(len(touched), seams.pairs)
    is_deep = touched & (crossed | (deep.lower > band)) & np.isnan(twins)
    flush = touched & ~is_deep & np.isnan(twins) & ~are_open.any(axis=0)
    areas = np.bincount(contacts.pairs, features.areas, len(touched)).astype(np.float64)
    sharing = shared_rooms(world, met, flush, areas)
    shared, apart, points = yield from between(0.88, 0.9, sharing)
    twins = np.where(np.isnan(twins), apart, twins)
    single = np.isnan(twins)
    is_deep |= (shared & single) | (within.any(axis=0) & ~whole.any(axis=0))
    deep.places[:, shared] = points[:, shared]
    verdict = _Verdict(world, met, contacts, features, seams, are_open, are_sheets)
    parts = [
        verdict.duplicates(twins),
        verdict.contained(whole, deep),
        verdict.overlaps(is_deep, deep),
    ]
    yield 0.9
    parts.append(verdict.touching(touched & single & ~is_deep))
    yield 0.9
    parts += [verdict.coplanar(single, same) for same in (True, False)]
    yield 0.9
    if clearance > band:
        (rest,) = (~touched & ~within.any(axis=0)).nonzero()
        steps = gaps_of(moment, world.pool, met[:, rest], clearance)
        gaps = yield from between(0.9, 1.0, steps)
        parts.append(verdict.near(Contacts(rest[gaps.pairs], gaps.entries, gaps.distances)))
    return Audit.joined(parts)


def _features(world: World, met: Ids, contacts: Contacts) -> Steps[ContactFeatures]:
    """Return the features of pairs of triangles in contact."""
    parts = []
    repeated = (world.shells.leads[contacts.entries] != contacts.entries).any(axis=0)
    for some in blocks(len(contacts), tuning.current.contacts_together):
        rows, entries = met[:, contacts.pairs[some]], contacts.entries[:, some]
        ones, others = (world.corners(*each) for each in zip(entries, rows, strict=True))
        areas, middles, same = shared_areas(ones, others, world.band)
        alike = apart_at_most(ones, others, world.band)
        # Coincident triangles of one mesh share an area once.
        areas = np.where(repeated[some], 0.0, areas)
        parts.append(ContactFeatures(areas, middles, same, crossings_of(ones, others), alike))
        yield some.stop / len(contacts)
    if not parts:
        none = np.empty(0)
        return ContactFeatures(none, np.empty((3, 0)), none > 0, np.empty((2, 3, 0)), none)
    return ContactFeatures.joined(parts)


class _Verdict:
    """Findings by class, made from the contacts of pairs and their features."""

    def __init__(
        self,
        world: World,
        met: Ids,
        contacts: Contacts,
        features: ContactFeatures,
        seams: Seams,
        are_open: Flags,
        are_sheets: Flags,
    ) -> None:
        self._world, self._met, self._contacts = world, met, contacts
        self._features, self._seams = features, seams
        self._are_open, self._are_sheets = are_open, are_sheets

    def _found(
        self,
        number: int,
        some: Ids,
        measures: Ids | int,
        lower: Floats,
        upper: Floats,
        **known: Any,
    ) -> Audit:
        """Return findings of the pairs `some`."""
        ids = self._world.moment.placements.ids[self._met[:, some]]
        known["are_open"] = self._are_open[:, some]
        return findings_of(number, ids, measures, lower, upper, **known)

    def _ranks(self, some: Ids) -> Ids:
        """Return the index in `some` of the pair of each contact, -1 for other pairs, (c,)."""
        return ranks_of(self._met.shape[1], some)[self._contacts.pairs]

    def _faces(self, some: Ids, which: Flags | None = None) -> dict[str, Ids]:
        """Return the triangles in contact of the pairs `some`, for all contacts or for `which`."""
        ranks = self._ranks(some)
        (kept,) = ((ranks >= 0) if which is None else (ranks >= 0) & which).nonzero()
        faces = self._world.pool.order[self._contacts.entries[:, kept]]
        return {"faces": faces, "face_findings": ranks[kept]}

    def _segments(self, some: Ids) -> dict[str, Any]:
        """Return the crossing segments of the pairs `some`; sheets cross only in seams."""
        features, seams = self._features, self._seams
        are_long = lengths_of(features.segments) > self._world.band
        (solid,) = (~self._are_sheets & are_long).nonzero()
        pairs = np.concatenate((self._contacts.pairs[solid], seams.pairs))
        ranks = ranks_of(self._met.shape[1], some)[pairs]
        segments = np.concatenate((features.segments[:, :, solid], seams.segments), axis=-1)
        order = np.argsort(ranks, kind="stable")
        order = order[ranks[order] >= 0]
        segments = segments[:, :, order].transpose(2, 0, 1).copy()
        return {"segments": segments, "segment_findings": ranks[order]}

    def _middles(self, pairs: Ids, weights: Floats, points: Floats) -> Floats:
        """Return the weighted mean of the points of each pair, (p, 3); NaN without points."""
        count = self._met.shape[1]
        totals = np.bincount(pairs, weights, minlength=count)
        sums = [np.bincount(pairs, weights * row, minlength=count) for row in points]
        with np.errstate(invalid="ignore"):
            return (np.stack(sums) / totals).T

    def duplicates(self, twins: Floats) -> Audit:
        """Return the duplicates: pairs whose `twins` distance is a number."""
        (some,) = (~np.isnan(twins)).nonzero()
        boxes = self._world.moment.placements.boxes[:, self._met[0, some]]
        places = (boxes[:3] + boxes[3:]).T / 2
        return self._found(
            of.DUPLICATE, some, of.DISTANCE, twins[some], twins[some], places=places
        )

    def contained(self, whole: Flags, deep: DepthBounds) -> Audit:
        """Return the contained pairs: one placement lies wholly in the other."""
        (some,) = whole.any(axis=0).nonzero()
        inner = np.where(whole[0, some], 0, 1)
        return self._found(
            of.CONTAINED, some, of.DEPTH, deep.lower[some], deep.upper[some],
            places=deep.places[:, some].T, inner=inner,
        )  # fmt: skip

    def overlaps(self, is_deep: Flags, deep: DepthBounds) -> Audit:
        """Return the overlapping pairs: surfaces cross, or one solid lies partly in the other."""
        seams, count = self._seams, len(is_deep)
        (some,) = is_deep.nonzero()
        by_length = (flagged(count, seams.pairs) & ~(deep.lower > self._world.band))[some]
        lengths = lengths_of(seams.segments)
        length = np.bincount(seams.pairs, lengths, minlength=count)[some]
        halfway = (seams.segments[0] + seams.segments[1]) / 2
        middles = self._middles(seams.pairs, lengths, halfway)
        return self._found(
            of.OVERLAP,
            some,
            np.where(by_length, of.LENGTH, of.DEPTH),
            np.where(by_length, length, deep.lower[some]),
            np.where(by_length, length, deep.upper[some]),
            places=np.where(by_length[:, None], middles[some], deep.places[:, some].T),
            **self._segments(some),
            **self._faces(some),
        )

    def touching(self, wanted: Flags) -> Audit:
        """Return the touching pairs, as flagged by `wanted`, with their nearest contacts."""
        (some,) = wanted.nonzero()
        nearest = self._nearest()
        places = ranks_of(len(wanted), self._contacts.pairs[nearest])
        best = self._contacts[nearest[places[some]]]
        return self._found(
            of.TOUCHING, some, of.DISTANCE, best.distances, best.distances,
            places=self._between(best), **self._faces(some),
        )  # fmt: skip

    def _nearest(self) -> Ids:
        """Return the nearest contact of each pair with contacts; ties go to the first."""
        order = np.lexsort((self._contacts.distances, self._contacts.pairs))
        return order[starts_of_runs(self._contacts.pairs[order])]

    def _between(self, contacts: Contacts) -> Floats:
        """Return the middle of the shortest connection of the two triangles, (c, 3)."""
        rows = self._met[:, contacts.pairs]
        corners = [self._world.corners(*each) for each in zip(contacts.entries, rows, strict=True)]
        return middles_between(*corners).T

    def coplanar(self, wanted: Flags, same: bool) -> Audit:
        """Return the pairs with coplanar faces: of the same orientation, or else of opposite."""
        features = self._features
        areas = np.where(features.same == same, features.areas, 0.0)
        sums = np.bincount(self._contacts.pairs, areas, minlength=len(wanted))
        (some,) = ((sums > 0) & wanted).nonzero()
        middles = self._middles(self._contacts.pairs, areas, features.middles)
        return self._found(
            of.COPLANAR_SAME if same else of.COPLANAR_OPPOSITE, some, of.AREA,
            sums[some], sums[some], places=middles[some], **self._faces(some, areas > 0),
        )  # fmt: skip

    def near(self, gaps: Contacts) -> Audit:
        """Return the near pairs: farther apart than the band, but within the clearance."""
        faces = self._world.pool.order[gaps.entries]
        return self._found(
            of.NEAR, gaps.pairs, of.DISTANCE, gaps.distances, gaps.distances,
            places=self._between(gaps), faces=faces, face_findings=np.arange(len(gaps)),
        )  # fmt: skip
