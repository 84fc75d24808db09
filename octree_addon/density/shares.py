"""Shards of budget counts: JSON files that one machine each writes, and their merge.

A machine counts the triangles of a shard of the placements, in the cells of the whole scene. So
counts of shards add up to those of the scene. The largest contributor to a cell is a placement,
counted in one shard only; so it is found by a comparison of shards, the first of equal ones.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..shares import Chunk, check_asked, check_chunks
from ..text_formats import json_file, read_head
from ..ui import length_unit
from .budget import CountedPlace
from .counting import CountedCells

FORMAT, VERSION = "octree budget chunk", 1


class CellCount(NamedTuple):
    """Counts of one cell.

    Attributes
    ----------
    triangles, objects : int
        Number of triangles, and of objects and instances.
    materials : list of str
        Names of materials, sorted; "" for no material.
    culprit : str
        Name of the object with most triangles in the cell.
    share : int
        Number of that object's triangles.
    volume : float
        Volume of the cell in cubic Blender units.
    """

    triangles: int
    objects: int
    materials: list[str]
    culprit: str
    share: int
    volume: float


class BudgetShare(NamedTuple):
    """Counts of one machine.

    Attributes
    ----------
    chunk : tuple of int
        Number of the shard, and count of all shards.
    asked : Mapping of str to Any
        File, budget and checksum; equal in all shards.
    meters : float
        Length of a Blender unit in meters.
    objects : int
        Number of counted placements.
    largest : tuple of (int, str)
        Triangle count and name of the largest placement, the first of equal ones.
    cells : dict of str to CellCount
        Counts of cells by their name.
    """

    chunk: Chunk
    asked: Mapping[str, Any]
    meters: float
    objects: int
    largest: tuple[int, str]
    cells: dict[str, CellCount]


def budget_share(
    found: CountedCells, scene: bpy.types.Scene, asked: Mapping[str, Any], chunk: Chunk
) -> BudgetShare:
    """Return counted cells as plain data, without references to Blender."""
    names = {item.session_uid: item.name for item in scene.objects}
    owners = found.world.placements.owners.tolist()
    stuff = {each.session_uid: each.name_full for each in bpy.data.materials}
    used: list[list[str]] = [[] for _ in found.names]
    for cell, uid in found.cell_materials.T.tolist():
        used[cell].append(stuff.get(uid, ""))
    table = found.table
    columns: Any = (table.triangles, table.objects, table.culprits, table.shares)
    rows = zip(*(each.tolist() for each in columns), strict=True)
    volumes = np.prod(table.upper - table.lower, axis=1).tolist()
    cells = {
        where: CellCount(
            count, objects, sorted(kinds), names.get(owners[culprit], ""), share, volume
        )
        for where, (count, objects, culprit, share), kinds, volume in zip(
            found.names, rows, used, volumes, strict=True
        )
    }
    sizes = np.diff(found.world.starts).tolist()
    most = max(sizes, default=0)
    largest = names.get(owners[sizes.index(most)], "") if sizes else ""
    return BudgetShare(chunk, asked, length_unit(scene)[1], len(owners), (most, largest), cells)


def share_text(share: BudgetShare) -> str:
    """Return a shard as JSON, with floats of full precision."""
    return json_file({"format": FORMAT, "version": VERSION, **share._asdict()})


def read_share(content: str | bytes) -> BudgetShare:
    """Return the shard in a file of `share_text`; raise `ValueError` for other content."""
    head = read_head(content, FORMAT, VERSION)
    try:
        (number, count), (most, largest) = head["chunk"], head["largest"]
        asked = {name: head["asked"][name] for name in ("file", "budget", "sha1")}
        cells = {
            str(name): CellCount(
                int(triangles), int(objects), list(map(str, kinds)), str(culprit), int(share),
                float(volume),
            )
            for name, (triangles, objects, kinds, culprit, share, volume) in head["cells"].items()
        }  # fmt: skip
        return BudgetShare(
            (int(number), int(count)),
            asked,
            float(head["meters"]),
            int(head["objects"]),
            (int(most), str(largest)),
            cells,
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"This is no chunk of a budget: {error!r} is amiss") from None


def merged_counts(shares: Sequence[BudgetShare]) -> tuple[CountedPlace, list[CountedPlace]]:
    """Return the counts of the scene and of its cells.

    Raises
    ------
    ValueError
        If a shard is missing or given twice, or shards are of different files or budgets.
    """
    check_asked([each.asked for each in shares], "These are of different budgets")
    check_chunks([each.chunk for each in shares])
    cells: dict[str, CellCount] = {}
    for each in sorted(shares, key=lambda share: share.chunk):
        for name, cell in each.cells.items():
            cells[name] = _joined(cells[name], cell) if name in cells else cell
    total = {
        "triangles": sum(each.triangles for each in cells.values()),
        "objects": sum(each.objects for each in shares),
    }
    # `max` returns the first of equally large placements.
    _, largest = max(
        (each.largest for each in sorted(shares, key=lambda share: share.chunk)),
        key=lambda each: each[0],
    )
    places = [
        CountedPlace(
            name,
            {
                "triangles": cell.triangles,
                "objects": cell.objects,
                "materials": len(cell.materials),
                "density": cell.triangles / cell.volume / shares[0].meters ** 3,
            },
            cell.culprit,
        )
        for name, cell in cells.items()
    ]
    return CountedPlace("scene", dict(total), largest), places


def _joined(one: CellCount, other: CellCount) -> CellCount:
    """Return the counts of a cell from two shards; on a tie, the culprit of `one` stays."""
    most = other if other.share > one.share else one
    return most._replace(
        triangles=one.triangles + other.triangles,
        objects=one.objects + other.objects,
        materials=sorted({*one.materials, *other.materials}),
    )
