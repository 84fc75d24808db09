"""Collisions: broad phase and exact tests for pairs of items of different owners."""

from dataclasses import dataclass
from typing import Literal, TypeVar

import bpy
import numpy as np

from ...core import Steps
from ..answers.hints import instances_text
from ..arrays import Ids
from ..options import OptionGroup, boolean, enum, integer, real, when
from ..snapshots import SceneTarget
from ..ui import OWN_WORDS
from .last_query import Query
from .query_operator import QueryOperator, QuerySteps, QuestionOptions
from .result_rows import pair_rows

# Maximum number of pairs of owners in the notes.
_NOTES = 10


@dataclass(frozen=True, eq=False)
class Collisions:
    """Pairs of items of different owners that touch, or are within a margin of each other.

    Attributes
    ----------
    pairs : ndarray of intp, shape (2, h)
        Numbers of items, the smaller first; sorted, each pair once.
    owners : ndarray of intp, shape (2, p)
        Pairs of owners with such items, the smaller number first; sorted, each pair once.
    counts : ndarray of intp, shape (p,)
        Number of pairs of items for each pair of owners.
    """

    pairs: Ids
    owners: Ids
    counts: Ids


CollisionSteps = Steps[Collisions]


def collision_steps(
    target: SceneTarget, owners: Ids, margin: float, *, objects_only: bool = False
) -> CollisionSteps:
    """Return all pairs of items of different owners that touch or are within a margin.

    `owners`, (p,), has the owner of each placement, a number from 0 on. Yields roughly the
    fraction done. With `objects_only`, each pair of placements that touch is reported once, by the
    first items of both.

    Pairs within one owner, the majority, are never compared: memory grows with the answer only,
    however large the margin is.
    """
    if objects_only:
        placements = yield from target.placement_pair_steps(owners, margin)
        pairs = target.starts[placements]
    else:
        pairs = yield from target.pair_steps(owners, margin)
        yield 1.0
        placements = target.placements_of(pairs)
    yield 1.0
    # Each pair packed into one integer: sorting columns takes ten times as long.
    many = int(owners.max(initial=0)) + 1
    ones, others = np.sort(owners[placements], axis=0).astype(np.int64)
    yield 1.0
    keys, counts = np.unique(ones * many + others, return_counts=True)
    return Collisions(pairs, np.stack(np.divmod(keys, many)).astype(np.intp), counts)


class SpanOptions(OptionGroup):
    """Options for the frames that are tested."""

    span: Literal["CURRENT", "SCENE", "CUSTOM"] = enum(
        "CURRENT",
        "Frames",
        "In which frames collisions are looked for",
        {
            "CURRENT": ("Current", "Only the current frame"),
            "SCENE": ("Scene Range", "The frame range of the scene, or its preview range"),
            "CUSTOM": ("Custom", "From a first to a last frame"),
        },
        translation_context=OWN_WORDS,
    )
    first: int = integer(1, "First", "The first frame", shown=when(span, "CUSTOM"))
    last: int = integer(250, "Last", "The last frame", shown=when(span, "CUSTOM"))
    step: int = integer(
        1,
        "Step",
        "Look at every frame (1), every second frame (2), and so on",
        min=1,
        soft_max=25,
        shown=when(span, "SCENE", "CUSTOM"),
    )


IN_ONE_FRAME = when(SpanOptions.flat["span"], "CURRENT")
OVER_FRAMES = when(SpanOptions.flat["span"], "SCENE", "CUSTOM")


class CollisionOptions(SpanOptions, QuestionOptions):
    """Options of collision questions."""

    margin: float = real(
        0.0,
        "Margin",
        "Objects within this distance of each other also collide",
        min=0.0,
        soft_max=10.0,
        subtype="DISTANCE",
        shown=IN_ONE_FRAME,
    )
    instances: bool = boolean(
        False,
        "Between Instances",
        "Also test instances of the same instancer against each other",
    )


Colliding = TypeVar("Colliding", bound=CollisionOptions)


class CollisionOperator(QueryOperator[Colliding]):
    """A question for collisions in the current frame; a mixin."""

    def needed(self, target: SceneTarget) -> Ids:
        return target.meeting(self._owners(target)[1], self.taken.margin)

    def _owners(self, target: SceneTarget) -> tuple[Ids, Ids]:
        """Return the session ids of the owners, and for each placement its owner's number."""
        if self.taken.instances:
            return target.owners, np.arange(len(target.owners))
        uids, owners = np.unique(target.owners, return_inverse=True)
        return uids, owners

    def ask_steps(self, target: SceneTarget) -> QuerySteps:
        uids, owners = self._owners(target)
        options, few = self.taken, self._whole_objects
        found = yield from collision_steps(target, owners, options.margin, objects_only=few)
        known = {item.session_uid: item.name for item in bpy.context.scene.objects}
        names = [known.get(uid, "") for uid in uids.tolist()]
        yield 1.0
        flags = np.zeros(int(target.starts[-1]), np.bool_)
        flags[found.pairs] = True
        yield 1.0
        return Query(
            target=target,
            title=self.bl_label,
            items=np.flatnonzero(flags),
            objects_only=few,
            notes=notes_of(found, names, counted=not few),
            pair_rows=pair_rows(
                target,
                found.owners,
                None if few else found.counts,
                of_instances=options.instances,
            ),
            hint="" if options.instances else instances_text(target.owners, target.is_instance),
        )


def notes_of(collisions: Collisions, names: list[str], *, counted: bool = True) -> tuple[str, ...]:
    """Return lines about colliding pairs: how many there are, then those with most contacts.

    `names` has the name of each owner; without `counted`, the lines omit the number of contacts.
    """
    count = collisions.owners.shape[1]
    most = np.argsort(-collisions.counts, kind="stable")[:_NOTES]
    lines = [f"{count:,} {'pair collides' if count == 1 else 'pairs collide'}"]
    for number in most:
        one, other = collisions.owners[:, number]
        contacts = f": {collisions.counts[number]:,}" if counted else ""
        lines.append(f"{names[one]}, {names[other]}{contacts}")
    if count > _NOTES:
        lines.append(f"and {count - _NOTES:,} more")
    return tuple(lines)
