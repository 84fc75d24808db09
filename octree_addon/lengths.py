"""Lengths in the units of a scene: one unit for all numbers that are read beside each other."""

from dataclasses import dataclass

import numpy as np

from .arrays import Floats

# Names as Blender has them, what is written behind a number, and how many meters each is.
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
# Those to choose from where a scene leaves it open, the largest first.
SYSTEMS = {
    "METRIC": ("METERS", "MILLIMETERS"),
    "IMPERIAL": ("FEET", "INCHES"),
}
_IMPERIAL = ("IMPERIAL", "MILES", "FEET", "INCHES", "THOU")


@dataclass(frozen=True)
class Unit:
    """A unit of length: what it is called, and how many units of the findings it is."""

    name: str
    size: float

    def write(self, low: float, high: float | None = None, power: int = 1) -> str:
        """Write a number in it, such as "12 mm", or two: "12 to 13 mm"; an area of power 2."""
        lengths = [low] if high is None else [low, high]
        numbers = dict.fromkeys(_four_digits(each / self.size**power) for each in lengths)
        return f"{' to '.join(numbers)} {self.name}{'²' if power == 2 else ''}"

    def write_all(self, values: Floats, between: str = ", ") -> str:
        """Write numbers that stand in one line, with their unit once: "1.5, 0.02, 3 m"."""
        numbers = between.join(_four_digits(each / self.size) for each in values.tolist())
        return f"{numbers} {self.name}"


def _four_digits(number: float) -> str:
    """Write a number with four digits that count, and no exponent that a client has to read."""
    short = float(f"{number:.4g}")
    return f"{short:,.0f}" if short >= 1000 else f"{short:g}"


def unit_for(units: str, unit: str, lengths: Floats, *, alone: bool = False) -> Unit:
    """Return the unit to tell some lengths in.

    Parameters
    ----------
    units : str
        A name in `UNITS` or in `SYSTEMS`; empty for the unit of the findings.
    unit : {"m", "BU"}
        That of the findings.
    lengths : ndarray of float64
        In that unit, of either sign. The largest is 1 or more in the one returned, where there is
        such a unit.
    alone : bool, optional
        Whether they stand in no column: the smaller units of the same system will do, too.
    """
    if unit != "m" or not units:
        return Unit(unit, 1.0)
    names: tuple[str, ...] = SYSTEMS.get(units, (units,))
    if alone:
        names += SYSTEMS["IMPERIAL" if units in _IMPERIAL else "METRIC"]
    largest = float(np.abs(lengths).max(initial=0)) or np.inf
    fitting = (name for name in names if UNITS[name][1] <= largest)
    return Unit(*UNITS[next(fitting, names[-1])])
