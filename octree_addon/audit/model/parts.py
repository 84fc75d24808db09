"""Parts of findings: values one after the other, beside the finding that each belongs to.

Faces in contact are known by finding and side: row 2 i + s is that of side s of finding i. An
audit has them in columns of both sides, where -1 fills up the side with fewer.
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
    """Return the values of rows, each of shape `width`, and the row that each belongs to."""
    arrays = [np.asarray(row, kind).reshape(-1, *width) for row in rows]
    owners = np.repeat(np.arange(len(arrays)), np.array([len(row) for row in arrays], np.intp))
    return np.concatenate([np.empty((0, *width), kind), *arrays]), owners


def starts_of(owners: Ids, count: int) -> Ids:
    """Return where the parts of each of `count` rows begin, and where the last end, (count + 1,).

    The rows that parts belong to ascend.
    """
    return np.searchsorted(owners, np.arange(count + 1))


def columns_of(values: Ids, rows: Ids, count: int) -> tuple[Ids, Ids]:
    """Return the faces of `count` findings in columns, (2, c), and the finding of each, (c,).

    `rows` are those of the faces, by finding and side, and ascend.
    """
    counts = np.bincount(rows, minlength=2 * count).reshape(-1, 2)
    owners = np.repeat(np.arange(count), counts.max(axis=1, initial=0))
    faces = np.full((2, len(owners)), -1)
    places = np.arange(len(rows)) - starts_of(rows, 2 * count)[rows]
    faces[rows % 2, starts_of(owners, count)[rows // 2] + places] = values
    return faces, owners


def faces_of(audit: Audit) -> tuple[Ids, Ids]:
    """Return the faces of an audit, and their rows, by finding and side; these ascend."""
    rows = 2 * audit.face_findings + [[0], [1]]
    there = audit.faces >= 0
    order = np.argsort(rows[there], kind="stable")
    return audit.faces[there][order], rows[there][order]
