"""Push Apart: what overlaps moves the least along allowed axes until nothing does."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Self

import bpy
import numpy as np

from ...core import SceneOctree, Steps, between, separate_steps
from ..answers.answer import Answer
from ..answers.asking import Told
from ..arrays import Floats, Ids
from ..snapshots import SceneTarget
from ..ui import plural
from .bodies import as_bodies
from .moves import Stored, least_steps, placed, stored_moves
from .placing import PlacingOperator
from .settings import PushApartOptions
from .telling import hidden_text, left_text, move_rows, named
from .turning import Turns
from .units import Movers, movers_of, with_faces

# How often what is stored is looked at, by twice the distance each time.
_ROUNDS = 8
# What is left between two that were parted, in least steps of where they are.
_STEPS = 2.0


@dataclass(frozen=True, eq=False)
class Parting:
    """Where u units go to overlap nothing any more.

    Attributes
    ----------
    target : SceneTarget
        The scene before.
    movers : Movers
        Who moves.
    axes : ndarray of float64, shape (a, 3)
        Along which, both ways.
    gap : float
        What is to be between them.
    moves : ndarray of float64, shape (u, 3)
        Where to.
    stuck : tuple of tuple of int
        The units of pairs that cannot be parted, one or two each.
    """

    target: SceneTarget
    movers: Movers
    axes: Floats
    gap: float
    moves: Floats
    stuck: tuple[tuple[int, ...], ...] = ()

    @property
    def turns(self) -> Turns:
        """How they are turned: not at all."""
        return Turns.none(len(self.movers))

    @property
    def notes(self) -> list[str]:
        """What there is to say of each unit; mostly nothing."""
        stuck = {unit for pair in self.stuck for unit in pair}
        return ["cannot be parted" * (unit in stuck) for unit in range(len(self.movers))]

    @property
    def stored(self) -> Stored:
        """What Blender is to store."""
        return stored_moves(self.movers, self.target, self.moves, outward=True)

    def octree(self) -> SceneOctree:
        """Return the scene as it will be stored."""
        ids = self.target.octree.ids[self.movers.rows]
        return placed(self.target.octree, ids, self.stored.matrices)

    def settled_steps(self, look: Callable[[Self], SceneOctree]) -> Steps["Parting"]:
        """Part what still overlaps in the scene that `look` shows, until nothing does."""
        now = self
        # Of those that move: a far one, which rounds more, does not part the others by more.
        steps = least_steps(self.movers, self.target)
        least = float(steps.min()) if len(steps) else 0.0
        for turn in range(_ROUNDS):
            seen = replace(now.target, octree=look(now))
            bodies = as_bodies(seen, now.movers)
            gap = max(now.gap, _STEPS * 2**turn * least)
            apart = yield from separate_steps(bodies.octree, bodies.ids, axes=now.axes, gap=gap)
            now = replace(now, moves=now.moves + apart.moves, stuck=_units(bodies.ids, apart.left))
            moved = apart.moves.any(axis=1)
            if not moved.any():
                break
            least = float(steps[moved].max())
        return now


def _units(ids: Ids, left: Ids) -> tuple[tuple[int, ...], ...]:
    """Return the units of pairs that are left, one or two each."""
    place = {number: unit for unit, number in enumerate(ids.tolist())}
    pairs = [[place[each] for each in pair if each in place] for pair in left.T.tolist()]
    return tuple(tuple(pair) for pair in pairs)


def parting_steps(target: SceneTarget, movers: Movers, axes: Floats, gap: float) -> Steps[Parting]:
    """Work out how units go apart, step by step; nothing is written."""
    still = Parting(target, movers, axes, gap, np.zeros((len(movers), 3)))
    if not len(movers):
        return still
    return (yield from between(0.0, 1.0, still.settled_steps(Parting.octree)))


class OCTREE_OT_push_apart(PlacingOperator[PushApartOptions], bpy.types.Operator):
    """Move what overlaps apart."""

    bl_idname = "octree.push_apart"
    bl_label = "Push Apart"
    bl_description = (
        "Move the selected objects as little as possible, until none of them overlaps anything"
        " visible; what is locked stays"
    )
    doing = "Pushing apart"
    key = "push_apart"

    def plan_steps(
        self, context: bpy.types.Context, target: SceneTarget, left: Mapping[int, str]
    ) -> Steps[Parting]:
        axes = np.eye(3)[np.array(self.taken.axes, np.bool_)]
        if not len(axes):
            raise ValueError("Allow an axis along which objects may move")
        objects = self.objects(context)
        if self.taken.whose == "ALL":
            objects = with_faces(target, objects)
        movers = movers_of(context, target.placements, objects, axes, left)
        return (yield from parting_steps(target, movers, axes, self.taken.gap))

    def told(self, context: bpy.types.Context, found: Parting, options: PushApartOptions) -> Told:
        rows = move_rows(found.movers, np.linalg.norm(found.moves, axis=1), found.notes)
        return Answer(found=None, rows=rows), push_text(context, found)


def push_text(context: bpy.types.Context, plan: Parting) -> str:
    """Say in one line what has come of it."""
    movers = plan.movers
    parts = [f"{plural(int(plan.moves.any(axis=1).sum()), 'object')} pushed apart"]
    stuck = sorted({movers.names[unit] for pair in plan.stuck for unit in pair})
    if stuck:
        parts.append(f"{len(stuck):,} cannot be parted: {named(stuck)}")
    parts += [left_text(context.scene, movers), hidden_text(context)]
    return "; ".join(part for part in parts if part)
