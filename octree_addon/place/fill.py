"""Fill: linked copies on the faces of a surface or in a box, none of them into anything."""

from typing import Any

import bpy
import numpy as np

from ...core import Steps, between
from ..answers.kept import keep
from ..options import Asking, as_json
from ..results import Column, Rows, no_instances
from ..scope import viewport_of
from ..targets import SceneTarget, scene_steps
from ..ui import (
    Status,
    SteppedOperator,
    mode_obstacle,
    plural,
    settings_of,
)
from .candidates import Ranges
from .filling import Filling, FillWish, filling_steps, make_copies
from .fitting import room_named
from .settings import FillOptions
from .telling import answer_of, hidden_text, left_text, named


class OCTREE_OT_fill(Asking[FillOptions], SteppedOperator, bpy.types.Operator):
    """Put linked copies where they fit."""

    bl_idname = "octree.fill"
    bl_label = "Fill"
    bl_description = (
        "Put linked copies of the selected objects on the faces of the active one, or into its"
        " box: as many as asked, or as fit, none of them into anything"
    )
    bl_options = {"REGISTER", "UNDO"}
    doing = "Filling"

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        return mode_obstacle(context, may_edit=True)

    def steps(self, context: bpy.types.Context) -> Steps[Filling]:
        self.take(settings_of(context.scene).fill)
        target = yield from between(0.0, 0.2, scene_steps(context, viewport_of(context)))
        return (yield from between(0.2, 1.0, self._filling_steps(context, target.frozen())))

    def _filling_steps(self, context: bpy.types.Context, target: SceneTarget) -> Steps[Filling]:
        active = context.view_layer.objects.active
        others = [each for each in context.view_layer.objects.selected if each is not active]
        if active is None or not others:
            raise ValueError("Select what to copy, and last what to fill")
        options = self.taken
        wish = FillWish(
            in_box=options.where == "BOX",
            count=options.count,
            tries=options.tries,
            seed=options.seed,
            spacing=options.spacing,
            room=room_named(context, options.room),
            ranges=Ranges(
                scales=(options.min_scale, max(options.min_scale, options.max_scale)),
                turns=(options.min_turn, max(options.min_turn, options.max_turn)),
                slope=options.slope,
                is_upright=options.upright,
            ),
        )
        return (yield from filling_steps(context, target, active, others, wish))

    def finish(self, context: bpy.types.Context, result: Filling) -> Status:
        made = make_copies(context, result)
        self.write_back(settings_of(context.scene).fill)
        rows = copy_rows(result, made)
        options = self.taken
        keep(context, answer_of("fill", self.bl_label, as_json(options), rows), options.result)
        self.report({"INFO"}, fill_text(context, result, len(made), options))
        return {"FINISHED"}


def copy_rows(filling: Filling, made: list[tuple[int, int, Any]]) -> Rows:
    """Return a row for each copy."""
    names = filling.movers.names
    frames = filling.candidates.frames[[number for number, _, _ in made]].reshape(-1, 4, 4)
    scales = np.linalg.norm(frames[:, :3, 0], axis=1)
    sources = np.array([unit for _, unit, _ in made], np.int64)
    columns = (Column("Copy Of", "", sources, names), Column("Scale", "", scales))
    uids = np.array([items[0].session_uid for _, _, items in made], np.intp)
    return Rows(uids[None], no_instances(len(made)), columns)


def fill_text(
    context: bpy.types.Context, filling: Filling, made: int, options: FillOptions
) -> str:
    """Say in one line how many copies there are, and why not more."""
    wanted = f" of {options.count:,}" if made < options.count else ""
    parts = [f"{made:,}{wanted} copies placed" if made != 1 else f"1{wanted} copy placed"]
    causes = [f"{number:,} {cause}" for cause, number in filling.causes.items()]
    if causes:
        parts.append(f"of {plural(options.tries, 'place')} tried {', '.join(causes)}")
    if filling.rooms:
        parts.append(f"inside {named(filling.rooms)}")
    parts += [left_text(context.scene, filling.movers), hidden_text(context)]
    return "; ".join(part for part in parts if part)
