"""Order within pairs: by box, matrix and mesh, never by number.

Of equals, such as two nearest points, the first one found is told: names and order of placements
must not decide which that is.
"""

from hashlib import blake2b
from typing import Any

import numpy as np

from ..arrays import Flags, Ids
from ..scene.moment import Moment
from ..scene.store import Mesh


def in_order(moment: Moment, met: Ids) -> Ids:
    """Return pairs of rows, (2, p), each with the one first that comes first."""
    return np.where(_is_turned(moment, met), met[::-1], met)


def _is_turned(moment: Moment, met: Ids) -> Flags:
    placements = moment.placements
    turned, equal = np.zeros(met.shape[1], bool), np.ones(met.shape[1], bool)
    for row in (*placements.boxes, *placements.matrices):
        one, other = row[met]
        turned |= equal & (one > other)
        equal &= one == other
    (left,) = equal.nonzero()
    meshes, which = np.unique(placements.meshes[met[:, left]], return_inverse=True)
    contents = [_content(moment.meshes[number]) for number in meshes.tolist()]
    ranks = np.unique(contents, return_inverse=True)[1] if contents else np.empty(0, np.intp)
    one, other = ranks[which.reshape(2, -1)]
    turned[left] = one > other
    return turned


def _content(mesh: Mesh) -> bytes:
    """Return what is the same for equal meshes alone."""
    held = blake2b(digest_size=16)
    for array in (mesh.triangles.vertices, mesh.triangles.faces):
        held.update(np.ascontiguousarray(array).tobytes())
    return held.hexdigest().encode()


def in_order_of_ids(part: dict[str, Any]) -> dict[str, Any]:
    """Return arrays of findings with the smaller placement of each pair first."""
    turned = part["pairs"][0] > part["pairs"][1]
    faces = turned[part["face_findings"]]
    return part | {
        "pairs": np.sort(part["pairs"], axis=0),
        "inner": np.where(turned & (part["inner"] >= 0), 1 - part["inner"], part["inner"]),
        "are_open": np.where(turned, part["are_open"][::-1], part["are_open"]),
        "faces": np.where(faces, part["faces"][::-1], part["faces"]),
    }
