"""The Fill operator: linked copies on the faces of a surface or in a box, without overlaps."""

from typing import Any

import bpy
import numpy as np

from ...core import Steps, between
from ..answers.answer import Answer
from ..answers.asking import QuestionOperator, Told
from ..result_list import Column, Rows, no_instances
from ..scope import viewport_of
from ..snapshots import scene_steps
from ..ui import plural
from .candidates import Ranges
from .filling import Filling, FillWish, filling_steps, make_copies
from .fitting import room_named
from .settings import FillOptions
from .telling import hidden_text, left_text, named


class OCTREE_OT_fill(QuestionOperator[FillOptions], bpy.types.Operator):
    """Place linked copies where they fit."""

    bl_idname = "octree.fill"
    bl_label = "Fill"
    bl_description = (
        "Put linked copies of the selected objects on the faces of the active one, or into its"
        " box: as many as asked, or as fit, none of them into anything"
    )
    doing = "Filling"
    key = "fill"

    def run(self, context: bpy.types.Context, options: FillOptions) -> Steps[Filling]:
        target = yield from between(0.0, 0.2, scene_steps(context, viewport_of(context)))
        active = context.view_layer.objects.active
        others = [each for each in context.view_layer.objects.selected if each is not active]
        if active is None or not others:
            raise ValueError("Select what to copy, and last what to fill")
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
        filling = filling_steps(context, target.frozen(), active, others, wish)
        return (yield from between(0.2, 1.0, filling))

    def told(self, context: bpy.types.Context, found: Filling, options: FillOptions) -> Told:
        made = make_copies(context, found)
        text = fill_text(context, found, len(made), options)
        return Answer(found=None, rows=copy_rows(found, made)), text


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
    """Return the report in one line: how many copies were made, and why not more."""
    wanted = f" of {options.count:,}" if made < options.count else ""
    parts = [f"{made:,}{wanted} copies placed" if made != 1 else f"1{wanted} copy placed"]
    causes = [f"{number:,} {cause}" for cause, number in filling.causes.items()]
    if causes:
        parts.append(f"of {plural(options.tries, 'place')} tried {', '.join(causes)}")
    if filling.rooms:
        parts.append(f"inside {named(filling.rooms)}")
    parts += [left_text(context.scene, filling.movers), hidden_text(context)]
    return "; ".join(part for part in parts if part)
