"""Ragged columns of findings: flat values, and the row that each value belongs to.

Faces in contact have a row for each finding and side: row 2 i + s is side s of finding i. An audit
stores them in two columns, one for each side, where -1 fills up the side with fewer faces.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....core import Audit
from ...arrays import Ids


def parts_of(
    rows: Iterable[ArrayLike], width: tuple[int, ...], kind: Any
) -> tuple[NDArray[Any], Ids]:
    """Return all values of ragged rows, each of shape `width`, and the row of each value."""
    arrays = [np.asarray(row, kind).reshape(-1, *width) for row in rows]
    owners = np.repeat(np.arange(len(arrays)), np.array([len(row) for row in arrays], np.intp))
    return np.concatenate([np.empty((0, *width), kind), *arrays]), owners


def starts_of(owners: Ids, count: int) -> Ids:
    """Return the index of the first value of each of `count` rows, and the end, (count + 1,).

    `owners`, the row of each value, ascend.
    """
    return np.searchsorted(owners, np.arange(count + 1))


def columns_of(values: Ids, rows: Ids, count: int) -> tuple[Ids, Ids]:
    """Return the faces of `count` findings in two columns, (2, c), and their findings, (c,).

    `rows`, by finding and side, ascend.
    """
    counts = np.bincount(rows, minlength=2 * count).reshape(-1, 2)
    owners = np.repeat(np.arange(count), counts.max(axis=1, initial=0))
    faces = np.full((2, len(owners)), -1)
    places = np.arange(len(rows)) - starts_of(rows, 2 * count)[rows]
    faces[rows % 2, starts_of(owners, count)[rows // 2] + places] = values
    return faces, owners


def faces_of(audit: Audit) -> tuple[Ids, Ids]:
    """Return the faces of an audit as flat values, and their rows, ascending."""
    rows = 2 * audit.face_findings + [[0], [1]]
    there = audit.faces >= 0
    order = np.argsort(rows[there], kind="stable")
    return audit.faces[there][order], rows[there][order]
