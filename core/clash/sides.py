"""Order within pairs of placements: by box, matrix and mesh content, never by id.

In a tie, as between two nearest points, the audit reports the first candidate. This order keeps
the choice independent of the ids and the order of placements.
"""

from hashlib import blake2b

import numpy as np

from ..arrays import Flags, Ids
from ..scene.moment import Moment
from ..scene.store import Mesh


def in_order(moment: Moment, met: Ids) -> Ids:
    """Return pairs of placements, as rows of the snapshot, (2, p), each in this order."""
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
    """Return a hash of the vertices and faces of a mesh."""
    held = blake2b(digest_size=16)
    for array in (mesh.triangles.vertices, mesh.triangles.faces):
        held.update(np.ascontiguousarray(array).tobytes())
    return held.hexdigest().encode()
