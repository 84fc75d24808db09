"""Cells of an answer in a colormap: boxes colored by a value, or by exceeding a limit."""

from typing import Any, NamedTuple

import bpy
import numpy as np

from ..arrays import Floats
from ..preferences import Colors, colors
from ..result_list import ActiveResult, ColoredCells, version_of_result
from .batches import lift
from .boxes import DrawnBoxes, draw_boxes, upload
from .cells import RAMP, SHADES
from .layers import Redraw, uploaded
from .lines import blended

_WIDTH, _OPACITY, _BEHIND = 2.0, 0.9, 0.25


class _Uploaded(NamedTuple):
    """The cells of a result on the graphics card; `boxes` is None if the result has none."""

    number: int
    chosen: Colors
    boxes: DrawnBoxes | None


def shades_of(cells: ColoredCells) -> Floats:
    """Return values on a logarithmic scale from the least, 0, to the largest, 1, (c,)."""
    logs = np.log1p(cells.values)
    span = np.ptp(logs) if len(logs) else 0.0
    shades: Floats = (logs - logs.min(initial=np.inf)) / (span or 1.0)
    return shades


def colors_of(cells: ColoredCells) -> Any:
    """Return the color of each cell, (c, 3)."""
    rows = np.rint(shades_of(cells) * (SHADES - 1)).astype(np.intp)
    found = RAMP[rows].copy()
    found[cells.over] = colors().other
    return found


def draw_cells(redraw: Redraw) -> None:
    """Draw the cells of the active result, if it has any and the scene has not changed since."""
    active, scene = redraw.active, redraw.scene
    if active is None or not redraw.settings.answer.found:
        return
    if not version_of_result(scene, active.result).is_same(scene):
        return
    number = active.result.number
    known = uploaded(
        ("colored cells", scene.session_uid),
        lambda known: (known.number, known.chosen) == (number, colors()),
        lambda: _uploaded(active, scene),
    )
    if known.boxes is not None:
        for depth, opacity in (("LESS_EQUAL", _OPACITY), ("GREATER", _BEHIND)):
            with blended(depth):  # type: ignore[arg-type]
                draw_boxes(known.boxes, opacity, _WIDTH, lift=lift())


def _uploaded(active: ActiveResult, scene: bpy.types.Scene) -> _Uploaded:
    cells = active.view.kind.cells(scene, active.result)
    if cells is None:
        return _Uploaded(active.result.number, colors(), None)
    rows = np.concatenate((cells.lower, cells.upper), axis=1).T.astype(np.float32)
    return _Uploaded(active.result.number, colors(), upload(rows, colors_of(cells)))
