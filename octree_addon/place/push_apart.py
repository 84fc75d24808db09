"""The Push Apart operator: the least moves along allowed axes that end all overlaps.

A unit is a group of objects that move together.
"""

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

# Maximum number of rounds that test stored moves; the gap doubles each time.
_ROUNDS = 8
# Gap between separated units, in float32 steps (ULPs) at their position.
_STEPS = 2.0


@dataclass(frozen=True, eq=False)
class Parting:
    """A separation plan: moves after which u units overlap nothing.

    Attributes
    ----------
    target : SceneTarget
        The scene before the moves.
    movers : Movers
        The units that move.
    axes : ndarray of float64, shape (a, 3)
        Axes along which units may move, in both directions.
    gap : float
        Distance to leave between separated units.
    moves : ndarray of float64, shape (u, 3)
        Move of each unit.
    stuck : tuple of tuple of int
        The units of each pair that cannot be separated, one or two each.
    """

    target: SceneTarget
    movers: Movers
    axes: Floats
    gap: float
    moves: Floats
    stuck: tuple[tuple[int, ...], ...] = ()

    @property
    def turns(self) -> Turns:
        """The rotations of the units: none."""
        return Turns.none(len(self.movers))

    @property
    def notes(self) -> list[str]:
        """A note for each unit; mostly empty."""
        stuck = {unit for pair in self.stuck for unit in pair}
        return ["cannot be parted" * (unit in stuck) for unit in range(len(self.movers))]

    @property
    def stored(self) -> Stored:
        """The locations and matrices that Blender will store."""
        return stored_moves(self.movers, self.target, self.moves, outward=True)

    def octree(self) -> SceneOctree:
        """Return the scene as it will be stored."""
        ids = self.target.octree.ids[self.movers.rows]
        return placed(self.target.octree, ids, self.stored.matrices)

    def settled_steps(self, look: Callable[[Self], SceneOctree]) -> Steps["Parting"]:
        """Separate units until none overlaps in the scene that `look(plan)` returns."""
        now = self
        # Float32 steps of moving units only: a far unit's large step must not widen other gaps.
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
    """Return the units of each pair of placement ids in `left`, one or two each."""
    place = {number: unit for unit, number in enumerate(ids.tolist())}
    pairs = [[place[each] for each in pair if each in place] for pair in left.T.tolist()]
    return tuple(tuple(pair) for pair in pairs)


def parting_steps(target: SceneTarget, movers: Movers, axes: Floats, gap: float) -> Steps[Parting]:
    """Return the separation plan of units, in steps; write nothing."""
    still = Parting(target, movers, axes, gap, np.zeros((len(movers), 3)))
    if not len(movers):
        return still
    return (yield from between(0.0, 1.0, still.settled_steps(Parting.octree)))


class OCTREE_OT_push_apart(PlacingOperator[PushApartOptions], bpy.types.Operator):
    """Move objects apart that overlap."""

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
    """Return the report of a separation in one line."""
    movers = plan.movers
    parts = [f"{plural(int(plan.moves.any(axis=1).sum()), 'object')} pushed apart"]
    stuck = sorted({movers.names[unit] for pair in plan.stuck for unit in pair})
    if stuck:
        parts.append(f"{len(stuck):,} cannot be parted: {named(stuck)}")
    parts += [left_text(context.scene, movers), hidden_text(context)]
    return "; ".join(part for part in parts if part)
