"""COCO files of a visibility table: images, categories, annotations with RLE masks.

`pycocotools` can read the files. An annotation has `id`, `image_id`, `category_id`, `bbox` and
`area` of the visible pixels, `segmentation` and `iscrowd`. Additional keys are `object_id`,
`visible_fraction`, `truncated_fraction` and `amodal_bbox`. The list `objects` has names and
instances. Ids start at 1.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...arrays import Ids
from ...text_formats import json_lines, json_text
from .label_pictures import picture_names
from .rle import masks_of
from .table import Pixels, SeenTable

# The category of items without one.
NO_CATEGORY = "object"


def coco_texts(table: SeenTable) -> Iterator[str]:
    """Yield pieces of the JSON text; label pictures are loaded one at a time.

    Raises a `ValueError` if the table has no pixels or no label pictures.
    """
    if table.pixels is None or table.labels is None:
        raise ValueError("COCO needs label pictures: ask what stands in front, too")
    names = [name or NO_CATEGORY for name in table.items.categories]
    categories = sorted(set(names))
    ids = np.array([1 + categories.index(name) for name in names], np.intp)
    head = {
        "images": _images(table),
        "categories": [{"id": 1 + at, "name": name} for at, name in enumerate(categories)],
        "objects": [
            {"id": 1 + at, "name": name, "instance": list(table.items.instances[at])}
            for at, name in enumerate(table.items.names)
        ],
    }
    annotations = enumerate(_annotations(table, table.pixels, ids), start=1)
    yield json_text(head, 1)[:-2] + ',\n "annotations": '
    yield from json_lines(json_text({"id": number, **each}) for number, each in annotations)
    yield "}\n"


def _images(table: SeenTable) -> list[dict[str, Any]]:
    which = table.which
    width, height = which.size
    views = zip(picture_names(which), which.frames.tolist(), which.cameras.tolist(), strict=True)
    return [
        {
            "id": 1 + view,
            "file_name": name,
            "width": width,
            "height": height,
            "frame": frame,
            "camera": which.names[camera],
        }
        for view, (name, frame, camera) in enumerate(views)
    ]


def _annotations(table: SeenTable, pixels: Pixels, categories: Ids) -> Iterator[dict[str, Any]]:
    """Yield the annotations of all views, without the key `id`."""
    rows = table.ordered[pixels.visible[table.ordered] > 0]
    size = list(table.which.size[::-1])
    visible, truncated = pixels.visible_fractions, pixels.truncated_fractions
    bounds = np.searchsorted(table.views[rows], np.arange(len(table.which) + 1))
    for view in range(len(table.which)):
        here = rows[bounds[view] : bounds[view + 1]]
        masks = masks_of(table.label_picture(view))
        for row, item in zip(here.tolist(), table.items_of[here].tolist(), strict=True):
            if item not in masks:  # with several samples per pixel, an item may miss all middles
                continue
            yield {
                "image_id": 1 + view,
                "category_id": int(categories[item]),
                "object_id": 1 + item,
                "bbox": pixels.visible_boxes[row].tolist(),
                "area": pixels.visible[row].item(),
                "segmentation": {"size": size, "counts": masks[item]},
                "iscrowd": 0,
                "visible_fraction": float(visible[row]),
                "truncated_fraction": float(truncated[row]),
                "amodal_bbox": pixels.amodal_boxes[row].tolist(),
            }
