"""Lengths in the units of a scene: a common unit for numbers that are shown together."""

from dataclasses import dataclass

import numpy as np

from .arrays import Floats

# Symbol and length in meters of each unit, by Blender's name.
UNITS = {
    "KILOMETERS": ("km", 1000.0),
    "METERS": ("m", 1.0),
    "CENTIMETERS": ("cm", 0.01),
    "MILLIMETERS": ("mm", 1e-3),
    "MICROMETERS": ("µm", 1e-6),
    "MILES": ("mi", 1609.344),
    "FEET": ("ft", 0.3048),
    "INCHES": ("in", 0.0254),
    "THOU": ("thou", 2.54e-5),
}
# Units to choose from if the scene sets only a system, the largest first.
SYSTEMS = {
    "METRIC": ("METERS", "MILLIMETERS"),
    "IMPERIAL": ("FEET", "INCHES"),
}
_IMPERIAL = ("IMPERIAL", "MILES", "FEET", "INCHES", "THOU")


@dataclass(frozen=True)
class Unit:
    """A unit of length: its symbol, and its length in the unit of the numbers to write."""

    name: str
    size: float

    def write(self, low: float, high: float | None = None, power: int = 1) -> str:
        """Return the text of a length, "12 mm", or of a range, "12 to 13 mm".

        With power 2, the numbers are areas.
        """
        lengths = [low] if high is None else [low, high]
        numbers = dict.fromkeys(_four_digits(each / self.size**power) for each in lengths)
        return f"{' to '.join(numbers)} {self.name}{'²' if power == 2 else ''}"

    def write_all(self, values: Floats, between: str = ", ") -> str:
        """Return the text of several lengths with the unit written once: "1.5, 0.02, 3 m"."""
        numbers = between.join(_four_digits(each / self.size) for each in values.tolist())
        return f"{numbers} {self.name}"


def _four_digits(number: float) -> str:
    """Return a number with four significant digits, without an exponent if it is large."""
    short = float(f"{number:.4g}")
    return f"{short:,.0f}" if short >= 1000 else f"{short:g}"


def unit_for(units: str, unit: str, lengths: Floats, *, alone: bool = False) -> Unit:
    """Return a common unit for the text of some lengths.

    Of the units to choose from, the first in which the greatest length is 1 or more is returned,
    else the last. Blender units without a length in meters ("BU") are kept.

    Parameters
    ----------
    units : str
        A name in `UNITS` or in `SYSTEMS`; empty to keep `unit`.
    unit : {"m", "BU"}
        The unit of the lengths.
    lengths : ndarray of float64
        The lengths, of either sign.
    alone : bool, optional
        True if the lengths are in no column with others; then smaller units of the system may be
        used, too.
    """
    if unit != "m" or not units:
        return Unit(unit, 1.0)
    names: tuple[str, ...] = SYSTEMS.get(units, (units,))
    if alone:
        names += SYSTEMS["IMPERIAL" if units in _IMPERIAL else "METRIC"]
    largest = float(np.abs(lengths).max(initial=0)) or np.inf
    fitting = (name for name in names if UNITS[name][1] <= largest)
    return Unit(*UNITS[next(fitting, names[-1])])
