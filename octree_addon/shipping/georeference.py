"""Location of the world origin on the WGS 84 ellipsoid, and its transform (ENU to ECEF).

X points east, Y north and Z up.
"""

import math
from typing import NamedTuple

import numpy as np

from ..arrays import Floats

# Equatorial radius of WGS 84 in meters, and its flattening.
_RADIUS, _FLATTENING = 6378137.0, 1 / 298.257223563


class Georeference(NamedTuple):
    """Location of the world origin: degrees, and meters above the ellipsoid."""

    longitude: float
    latitude: float
    height: float


def read_georeference(text: str) -> Georeference | None:
    """Return the location in a text such as "8.5417, 47.3769, 408"; None if it is blank.

    Raises
    ------
    ValueError
        If the text is not two or three numbers, or the location is out of range.
    """
    if not text.strip():
        return None
    try:
        numbers = [float(each) for each in text.split(",")]
        longitude, latitude, height = [*numbers, 0.0] if len(numbers) == 2 else numbers
    except ValueError:
        wanted = "A georeference is longitude, latitude and height, such as 8.5417, 47.3769, 408"
        raise ValueError(f"{wanted}; got {text!r}") from None
    if not (abs(longitude) <= 180 and abs(latitude) <= 90 and abs(height) < _RADIUS):
        raise ValueError(f"There is no such place on Earth: {text!r}")
    return Georeference(longitude, latitude, height)


def to_earth_center(place: Georeference) -> Floats:
    """Return the transform from east, north, up at a location to ECEF, (4, 4), in meters.

    Hofmann-Wellenhof et al., "GNSS", 2008, section 8.2.
    """
    longitude, latitude = math.radians(place.longitude), math.radians(place.latitude)
    (cos_e, sin_e), (cos_n, sin_n) = (
        (math.cos(angle), math.sin(angle)) for angle in (longitude, latitude)
    )
    squared = _FLATTENING * (2 - _FLATTENING)
    curvature = _RADIUS / math.sqrt(1 - squared * sin_n * sin_n)
    across = (curvature + place.height) * cos_n
    return np.array(
        [
            [-sin_e, -sin_n * cos_e, cos_n * cos_e, across * cos_e],
            [cos_e, -sin_n * sin_e, cos_n * sin_e, across * sin_e],
            [0.0, cos_n, sin_n, (curvature * (1 - squared) + place.height) * sin_n],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )
