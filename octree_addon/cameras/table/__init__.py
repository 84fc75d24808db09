"""Visibility tables without Blender: tables of views and items, merging, file formats.

Read table, from_views, csv_file, json_file, merge; then rle, label_pictures, coco, bop.
"""

from ...written_files import Writer, Writers
from .bop import bop_text
from .coco import coco_texts
from .csv_file import csv_text
from .from_views import table_from_views
from .json_file import SeenAnswer, json_texts, read_json
from .label_pictures import (
    label_folder,
    picture_names,
    with_label_pictures,
    write_label_pictures,
)
from .merge import merged, merged_answers
from .rle import masks_of
from .table import (
    IN_VIEW,
    OCCLUDED,
    OUT_OF_VIEW,
    SEEN,
    STATES,
    TOO_SMALL,
    Items,
    LabelPicture,
    Pixels,
    SeenTable,
    Views,
)

__all__ = [
    "FORMATS",
    "IN_VIEW",
    "OCCLUDED",
    "OUT_OF_VIEW",
    "SEEN",
    "STATES",
    "TOO_SMALL",
    "Items",
    "LabelPicture",
    "Pixels",
    "SeenAnswer",
    "SeenTable",
    "Views",
    "bop_text",
    "coco_texts",
    "csv_text",
    "json_texts",
    "label_folder",
    "masks_of",
    "merged",
    "merged_answers",
    "picture_names",
    "read_json",
    "table_from_views",
    "with_label_pictures",
    "write_label_pictures",
]

# File formats of an answer; each writer takes a `SeenAnswer`.
FORMATS: Writers = {
    "json": Writer(".json", json_texts),
    "csv": Writer(".csv", lambda answer: csv_text(answer.table)),
    "coco": Writer(".json", lambda answer: coco_texts(answer.table), is_pictured=True),
    "bop": Writer(".json", lambda answer: bop_text(answer.table), is_pictured=True),
}
