"""Visibility as data, NumPy only: tables of what cameras see, their merge, and files of them.

Read table, from_views, csv_file, json_file, merge; then rle, file_names, coco, bop, png.
"""

from .bop import bop_text
from .coco import coco_texts
from .csv_file import csv_text
from .file_names import picture_names
from .from_views import table_from_views
from .json_file import SeenAnswer, json_texts, read_json
from .merge import merged, merged_answers
from .png import (
    gray_of,
    label_folder,
    png_bytes,
    with_label_pictures,
    write_label_pictures,
)
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
    "gray_of",
    "json_texts",
    "label_folder",
    "masks_of",
    "merged",
    "merged_answers",
    "picture_names",
    "png_bytes",
    "read_json",
    "table_from_views",
    "with_label_pictures",
    "write_label_pictures",
]
