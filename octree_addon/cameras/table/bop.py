"""BOP `scene_gt_info.json` of a visibility table: pixel counts, visible fraction, boxes.

The formulas are those of `calc_gt_info.py` in bop_toolkit (Hodan et al., "BOP: Benchmark for 6D
Object Pose Estimation", 2018): `px_count_all` includes pixels beyond the border of the picture;
the width of a box is the last pixel minus the first; both boxes are -1 if nothing is visible.
Every pixel of a silhouette in the picture has a depth, so all of these pixels are valid.
"""

import numpy as np

from ...text_formats import json_file
from .table import Pixels, SeenTable

_KEYS = (
    "px_count_all", "px_count_valid", "px_count_visib", "visib_fract", "bbox_obj", "bbox_visib",
)  # fmt: skip


def bop_text(table: SeenTable) -> str:
    """Return the JSON text of one camera: frame number -> info of all items, in their order.

    Raises a `ValueError` if the table has no pixels or several cameras, since a BOP scene has one
    camera.
    """
    if table.pixels is None:
        raise ValueError("BOP needs pixels: ask what stands in front, too")
    cameras = np.unique(table.which.cameras)
    if len(cameras) > 1:
        raise ValueError(f"BOP has one camera a scene, not {len(cameras)}: ask for one at a time")
    rows = np.full((len(table.which), len(table.items)), -1, np.intp)
    rows[table.views, table.items_of] = np.arange(len(table))
    infos = _infos(table.pixels)
    frames = table.which.frames.tolist()
    scene = {
        str(frame): [infos[row] for row in line]
        for frame, line in zip(frames, rows.tolist(), strict=True)
    }
    return json_file(scene)


def _infos(pixels: Pixels) -> list[dict[str, object]]:
    """Return the info of each row, and as last element the info of an absent item."""
    counts = (pixels.extended, pixels.amodal, pixels.visible)
    fractions = np.divide(
        pixels.visible, pixels.extended, out=np.zeros(len(pixels)), where=pixels.extended > 0
    )
    is_seen = pixels.visible[:, None] > 0
    columns = (
        *(np.rint(each).astype(np.int64) for each in counts),
        fractions,
        np.where(is_seen, pixels.amodal_boxes - [0, 0, 1, 1], -1),
        np.where(is_seen, pixels.visible_boxes - [0, 0, 1, 1], -1),
    )
    lines = zip(*(column.tolist() for column in columns), strict=True)
    nothing = (0, 0, 0, 0.0, [-1] * 4, [-1] * 4)
    return [dict(zip(_KEYS, line, strict=True)) for line in (*lines, nothing)]
