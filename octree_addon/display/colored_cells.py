"""Cells of an answer in a colormap: boxes by their number, those over a limit in another color."""

from typing import Any, NamedTuple

import numpy as np

from ..arrays import Floats
from ..preferences import Colors, colors
from ..results import ActiveResult, ColoredCells, version_of_result
from .batches import lift
from .boxes import DrawnBoxes, draw_boxes, upload
from .cells import RAMP, SHADES
from .lines import blended
from .uploads import uploads

_WIDTH, _OPACITY, _BEHIND = 2.0, 0.9, 0.25


class _Uploaded(NamedTuple):
    """The cells of a result on the graphics card."""

    chosen: Colors
    boxes: DrawnBoxes | None


# By the session id of the scene and the number of the result.
_drawn: dict[tuple[int, int], _Uploaded] = uploads({})


def shades_of(cells: ColoredCells) -> Floats:
    """Return where each value stands between the least and the most, by ratio, (c,): 0 to 1."""
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


def draw_cells(active: ActiveResult) -> None:
    """Draw the cells of the active result, if it has any and the scene is as it was asked."""
    scene, result = active.scene, active.result
    if not version_of_result(scene, result).is_same(scene):
        return
    key = scene.session_uid, result.number
    known = _drawn.get(key)
    if known is None or known.chosen != colors():
        cells = active.view.kind.cells(scene, result)
        if cells is None:
            return
        rows = np.concatenate((cells.lower, cells.upper), axis=1).T.astype(np.float32)
        for other in [each for each in _drawn if each[0] == key[0]]:
            del _drawn[other]
        known = _drawn[key] = _Uploaded(colors(), upload(rows, colors_of(cells)))
    if known.boxes is not None:
        for depth, opacity in (("LESS_EQUAL", _OPACITY), ("GREATER", _BEHIND)):
            with blended(depth):  # type: ignore[arg-type]
                draw_boxes(known.boxes, opacity, _WIDTH, lift=lift())
