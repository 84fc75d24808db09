"""Triangle budgets: limits for a scene and its cells, the places over them, and CI reports.

    blender house.blend --command octree budget --budget budget.json --fail-on over

A budget is a JSON object with `cell`, the edge of cells in meters, and any limits of `LIMITS`.
"""

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ..text_formats import json_file
from ..written_files import Writer
from ..xml_formats import JUnitCase, JUnitSuite, junit_file

# By name in a budget: the limited count, and whether the limit is for each cell or the scene.
LIMITS: Mapping[str, tuple[str, bool]] = {
    "triangles": ("triangles", False),
    "objects": ("objects", False),
    "triangles_per_cell": ("triangles", True),
    "objects_per_cell": ("objects", True),
    "materials_per_cell": ("materials", True),
    "triangles_per_cubic_meter": ("density", True),
}
FORMAT, VERSION = "octree budget", 1


class TriangleBudget(NamedTuple):
    """A budget: the edge of cells in meters, and the largest values allowed, as in `LIMITS`."""

    cell: float
    limits: dict[str, float]


class CountedPlace(NamedTuple):
    """Counts of a cell or the scene, by kinds of `LIMITS`, and the object with most triangles."""

    name: str
    counts: dict[str, float]
    culprit: str


class OverBudget(NamedTuple):
    """A broken limit: its name, place, count and bound, and the object with most triangles."""

    rule: str
    where: str
    value: float
    most: float
    culprit: str

    @property
    def said(self) -> str:
        """A readable line."""
        most = f"{self.where}: {self.value:,.10g} {self.rule.replace('_', ' ')}"
        return f"{most}, {self.most:,.10g} allowed; most of it {self.culprit}"


def read_budget(content: str | bytes) -> TriangleBudget:
    """Return the budget in a JSON file.

    Raises
    ------
    ValueError
        If the content is no JSON object, names an unknown limit, or has an invalid number.
    """
    return budget_of(json.loads(content))


def budget_of(given: Any) -> TriangleBudget:
    """Return the budget in a decoded JSON object; errors are those of `read_budget`."""
    if not isinstance(given, dict):
        raise ValueError(f"a budget must be an object of JSON, got {type(given).__name__}")
    numbers = {"cell": 10.0, **given}
    for name, value in numbers.items():
        if name not in ("cell", *LIMITS):
            raise ValueError(f"a budget has cell, {', '.join(LIMITS)}; got {name!r}")
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 <= value < math.inf or (name == "cell" and value == 0):
            raise ValueError(f"{name} must be a number of at least 0, got {value!r}")
    cell = float(numbers.pop("cell"))
    if not numbers:
        raise ValueError(f"a budget needs a limit: {', '.join(LIMITS)}")
    return TriangleBudget(cell, {name: float(value) for name, value in numbers.items()})


def over_budget(
    budget: TriangleBudget, scene: CountedPlace, cells: Iterable[CountedPlace]
) -> list[OverBudget]:
    """Return the broken limits of a budget, in its order, and for each the highest count first."""
    places, found = list(cells), []
    for rule, most in budget.limits.items():
        what, in_cells = LIMITS[rule]
        here = [
            OverBudget(rule, place.name, place.counts[what], most, place.culprit)
            for place in (places if in_cells else [scene])
            if place.counts[what] > most
        ]
        found += sorted(here, key=lambda each: (-each.value, each.where))
    return found


def json_report(file: str, budget: TriangleBudget, over: list[OverBudget], scene: Any) -> str:
    """Return a report as JSON: the budget, the counts of the scene, and the broken limits."""
    return json_file(
        {
            "format": FORMAT,
            "version": VERSION,
            "file": file,
            "budget": {"cell": budget.cell, **budget.limits},
            "scene": scene.counts,
            "over": [each._asdict() for each in over],
        }
    )


def junit_report(file: str, budget: TriangleBudget, over: list[OverBudget], _: Any) -> bytes:
    """Return a report as JUnit XML: a suite for each limit, a failure for each broken one."""
    return junit_file(
        file,
        (
            JUnitSuite(
                rule,
                "within",
                [JUnitCase(each.where, each.said) for each in over if each.rule == rule],
            )
            for rule in budget.limits
        ),
    )


BUDGET_REPORTS: Mapping[str, Writer] = {
    "json": Writer(".json", json_report),
    "junit": Writer(".xml", junit_report),
}
