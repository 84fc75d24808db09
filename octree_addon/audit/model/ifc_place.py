"""Position of a scene in an IFC model, after Bonsai moved and rotated it at import.

Bonsai imports a model that is far from the origin near to it. `scene.BIMGeoreferenceProperties`
stores the transform: `has_blender_offset`; `blender_offset_x`, `_y` and `_z`, texts in the unit of
the IFC project; and the model's direction of the scene's X axis, `blender_x_axis_abscissa` and
`blender_x_axis_ordinate`. They work as an IfcMapConversion does, without its scale. Only the file
has the unit, in its IfcUnitAssignment (ISO 10303-21).
"""

import math
import re
from collections.abc import Mapping
from typing import Any

_NUMBERS = ("offset_x", "offset_y", "offset_z", "x_axis_abscissa", "x_axis_ordinate")
_ENTITIES = re.compile(
    rb"#\s*(\d+)\s*=\s*IFC(SIUNIT|CONVERSIONBASEDUNIT|MEASUREWITHUNIT|UNITASSIGNMENT)\s*"
    rb"\(([^;]*)\)\s*;",
    re.IGNORECASE,
)
_PREFIXES = {
    "KILO": 1e3, "HECTO": 1e2, "DECA": 10.0, "DECI": 0.1, "CENTI": 1e-2, "MILLI": 1e-3,
    "MICRO": 1e-6,
}  # fmt: skip
Offset = tuple[float, float, float]
Axis = tuple[float, float]


def bonsai_place(scene: Any) -> tuple[Offset, Axis]:
    """Return the scene's origin in the model, and the direction of its X axis there.

    The origin is in the unit of the IFC project. Without Bonsai or an offset, it is 0 and the
    direction is (1, 0). Raise `ValueError` if Bonsai's texts are no numbers.
    """
    told = getattr(scene, "BIMGeoreferenceProperties", None)
    if told is None or not told.has_blender_offset:
        return (0.0, 0.0, 0.0), (1.0, 0.0)
    texts = [getattr(told, f"blender_{name}") for name in _NUMBERS]
    try:
        x, y, z, across, along = map(float, texts)
    except ValueError:
        raise ValueError(f"Bonsai's offset must be numbers, got {', '.join(texts)}") from None
    length = math.hypot(across, along)
    axis = (across / length, along / length) if length else (1.0, 0.0)
    return (x, y, z), axis


def meters_in(step: bytes) -> float | None:
    """Return the length unit of an IFC file in meters; None if it is not found.

    O(length of the file).
    """
    found = {
        int(number): (kind.decode("ascii").upper(), text.decode("latin-1"))
        for number, kind, text in _ENTITIES.findall(step)
    }
    assigned = (text for kind, text in found.values() if kind == "UNITASSIGNMENT")
    sizes = (_meters(each, found) for text in assigned for each in _references(text))
    return next((size for size in sizes if size is not None), None)


def _references(text: str) -> list[int]:
    return [int(each) for each in re.findall(r"#\s*(\d+)", text)]


def _meters(number: int, found: Mapping[int, tuple[str, str]]) -> float | None:
    """Return an SI or a converted unit of length in meters; None for other entities."""
    kind, text = found.get(number, ("", ""))
    if ".LENGTHUNIT." not in text.upper():
        return None
    if kind == "SIUNIT":
        words = re.findall(r"\.(\w+)\.", text.upper())
        return _PREFIXES.get(words[1], 1.0)
    of, measure = found.get(_references(text)[-1], ("", ""))
    value = re.search(r"\(\s*([-+.\dE]+)\s*\)\s*,\s*#\s*(\d+)", measure, re.IGNORECASE)
    if kind != "CONVERSIONBASEDUNIT" or of != "MEASUREWITHUNIT" or value is None:
        return None
    size = _meters(int(value[2]), found)
    return None if size is None else float(value[1]) * size
