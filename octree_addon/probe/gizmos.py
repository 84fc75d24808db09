"""Gizmos of the last question: six arrows that resize its sphere or box."""

from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .. import questions
from ..ui import settings_of
from . import session
from .shapes import Sized, normal_of, shape_of

_COLOR, _HIGHLIGHT = (0.90, 0.60, 0.0), (1.0, 0.85, 0.4)
# Arrows are hidden if the cosine of their angle to the line of sight is larger: too hard to drag.
_END_ON = 0.97


class OCTREE_GGT_resize(bpy.types.GizmoGroup):
    """Arrows at the six sides of the sphere or box of the last question."""

    bl_idname = "OCTREE_GGT_resize"
    bl_label = "Octree Question"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT", "SHOW_MODAL_ALL"}
    _arrows: list[Any]

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return shape_here(context) is not None

    def setup(self, context: bpy.types.Context) -> None:
        self._arrows = [self._arrow(side) for side in range(6)]

    def _arrow(self, side: int) -> Any:
        arrow: Any = self.gizmos.new("GIZMO_GT_arrow_3d")
        arrow.draw_style = "BOX"
        arrow.length = 0.35
        arrow.color, arrow.alpha = _COLOR, 0.8
        arrow.color_highlight, arrow.alpha_highlight = _HIGHLIGHT, 1.0
        arrow.use_draw_modal = True
        arrow.target_set_operator("octree.resize_answer").side = side
        return arrow

    def draw_prepare(self, context: bpy.types.Context) -> None:
        shape = shape_here(context)
        if shape is None:
            return
        eye = context.region_data.view_matrix.inverted()
        for side, arrow in enumerate(self._arrows):
            place, normal = Vector(shape.handle(side).tolist()), Vector(normal_of(side).tolist())
            arrow.matrix_basis = placed(place, normal)
            sight = place - eye.translation
            if not context.region_data.is_perspective:
                sight = eye.col[2].to_3d()
            arrow.hide = abs(sight.normalized().dot(normal)) > _END_ON


def placed(place: Vector, normal: Vector) -> Matrix:
    """Return the matrix that places a gizmo at a point, with its Z axis along a normal."""
    matrix: Matrix = normal.to_track_quat("Z", "Y").to_matrix().to_4x4()
    matrix.translation = place
    return matrix


def shape_here(context: bpy.types.Context) -> Sized | None:
    """Return the shape that arrows resize: the dragged one, or the shape of the last question."""
    if context.mode not in ("OBJECT", "EDIT_MESH") or context.region_data is None:
        return None
    live, settings = session.current(), settings_of(context.scene)
    if live is not None and live.is_held and live.scene == context.scene.session_uid:
        held = live.answered.shape if live.answered else None
        return held if isinstance(held, Sized) else None
    if not settings.answer.outline:
        return None
    shape = shape_of(questions.get(context.scene))
    return shape if shape and np.isfinite(shape.handle(0)).all() else None
