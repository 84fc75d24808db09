"""Bodies with a formula of their inside: as they are modeled, exported, joined, and damaged."""

from dataclasses import dataclass

import audit_scenes as solids
import numpy as np

from core import Triangles


@dataclass(frozen=True)
class Body:
    """Triangles, and boxes of which they are the union, without holes."""

    triangles: Triangles
    boxes: tuple = ()
    holes: tuple = ()

    def holds(self, points):
        """Tell which points (q, 3) are inside; none of them lies in a wall."""
        return _in_any(points, self.boxes) & ~_in_any(points, self.holes)


def _in_any(points, boxes):
    inside = np.zeros(len(points), bool)
    for lower, upper in boxes:
        inside |= ((points > lower) & (points < upper)).all(axis=1)
    return inside


def joined(*parts):
    """Join meshes into one, each with vertices of its own."""
    starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
    faces = [part.faces + start for part, start in zip(parts, starts, strict=False)]
    return Triangles(np.concatenate([part.vertices for part in parts]), np.concatenate(faces))


def more(mesh, faces):
    """Add faces on the same vertices."""
    return Triangles(mesh.vertices, np.concatenate((mesh.faces, faces)))


def two_sided(mesh):
    """Turn each face, too, on the same vertices."""
    return more(mesh, mesh.faces[:, ::-1])


def flipped(mesh, some=slice(None)):
    """Turn faces over."""
    faces = mesh.faces.copy()
    faces[some] = faces[some][:, ::-1]
    return Triangles(mesh.vertices, faces)


def soup(mesh):
    """Give each face vertices of its own."""
    return Triangles(
        mesh.vertices[mesh.faces].reshape(-1, 3), np.arange(mesh.faces.size).reshape(-1, 3)
    )


def other_diagonals(mesh):
    """Cut the quads of a box along their other diagonals."""
    a, b, c, d = _quads(mesh).T
    return Triangles(
        mesh.vertices, np.concatenate((np.stack((a, b, d), 1), np.stack((b, c, d), 1)))
    )


def _quads(mesh):
    return np.concatenate((mesh.faces[::2], mesh.faces[1::2, 2:]), axis=1)


def fans(mesh):
    """Cut the quads of a box into four around their middles."""
    quads = _quads(mesh)
    middles = mesh.vertices[quads].mean(axis=1)
    top = len(mesh.vertices) + np.arange(len(quads))
    faces = [np.stack((quads[:, i], quads[:, (i + 1) % 4], top), 1) for i in range(4)]
    return Triangles(np.concatenate((mesh.vertices, middles)), np.concatenate(faces))


def frame():
    """Make a square ring, (0, 0, 0) to (4, 4, 1) with a hole (1, 1) to (3, 3): a torus."""
    around = np.array([[0, 0], [4, 0], [4, 4], [0, 4]], float)
    inner = np.array([[1, 1], [3, 1], [3, 3], [1, 3]], float)
    rings = [np.column_stack((ring, np.full(4, z))) for ring in (around, inner) for z in (0, 1)]
    faces = []
    for low, high in ((0, 4), (4, 12), (12, 8), (8, 0)):
        for i in range(4):
            j = (i + 1) % 4
            faces += [[low + i, low + j, high + j], [low + i, high + j, high + i]]
    return Triangles(np.concatenate(rings), faces)


BOX = solids.box((0, 0, 0), (4, 4, 4))
WHOLE = (((0, 0, 0), (4, 4, 4)),)
INNER = solids.box((1, 1, 1), (3, 3, 3))
HOLE = (((1, 1, 1), (3, 3, 3)),)
SECOND = solids.box((2, 0, 0), (6, 4, 4.5))
BOTH = (*WHOLE, ((2, 0, 0), (6, 4, 4.5)))
BESIDE = solids.box((4, 0, 0), (8, 4, 4))
ROW = (*WHOLE, ((4, 0, 0), (8, 4, 4)))
THIRD = solids.box((8, 0, 0), (12, 4, 4))
FIRST = Triangles(BOX.vertices[BOX.faces[0]], [[0, 1, 2]])
CARD = solids.sheet((0, 0, 4), (4, 0, 0), (0, 0, 3))
CELLS = np.array([0, 1, 3, 4])
GRID = Triangles(
    [[x, y, 1] for x in range(3) for y in range(3)],
    [[cell, cell + 3, cell + 4] for cell in CELLS]
    + [[cell, cell + 4, cell + 1] for cell in CELLS],
)
OPEN = Triangles(BOX.vertices, BOX.faces[2:])
TWISTED = flipped(BOX, [0, 5])
WORLD = {
    "box": Body(BOX, WHOLE),
    "turned box": Body(flipped(BOX), WHOLE),
    "torus": Body(frame(), (((0, 0, 0), (4, 4, 1)),), (((1, 1, -1), (3, 3, 2)),)),
    "soup": Body(soup(BOX), WHOLE),
    "hollow": Body(joined(BOX, flipped(INNER)), WHOLE, HOLE),
    "turned hollow": Body(joined(flipped(BOX), INNER), WHOLE, HOLE),
    "box in a box": Body(joined(BOX, INNER), WHOLE),
    "one triangle twice": Body(more(BOX, BOX.faces[:1]), WHOLE),
    "one triangle twice, turned": Body(more(BOX, BOX.faces[:1, ::-1]), WHOLE),
    "one triangle twice, on its own": Body(joined(BOX, FIRST), WHOLE),
    "one triangle three times": Body(more(BOX, BOX.faces[[0, 0]]), WHOLE),
    "one triangle twice, soup": Body(soup(more(BOX, BOX.faces[:1])), WHOLE),
    "all triangles twice": Body(more(BOX, BOX.faces), WHOLE),
    "all triangles twice, turned": Body(more(BOX, BOX.faces[:, ::-1]), WHOLE),
    "all triangles twice, on their own": Body(joined(BOX, BOX), WHOLE),
    "all triangles twice, turned on their own": Body(joined(BOX, flipped(BOX)), WHOLE),
    "all triangles twice, soup": Body(soup(more(BOX, BOX.faces[:, ::-1])), WHOLE),
    "overlapping shells": Body(joined(BOX, SECOND), BOTH),
    "overlapping shells, soup": Body(soup(joined(BOX, SECOND)), BOTH),
    "shells with a common wall": Body(joined(BOX, BESIDE), ROW),
    "shells with a common wall, soup": Body(soup(joined(BOX, BESIDE)), ROW),
    "shell within a row": Body(joined(BOX, THIRD, BESIDE), (*ROW, ((8, 0, 0), (12, 4, 4)))),
    "other diagonals": Body(other_diagonals(BOX), WHOLE),
    "other diagonals in one": Body(joined(BOX, other_diagonals(BOX)), WHOLE),
    "fans": Body(fans(BOX), WHOLE),
    "twisted": Body(TWISTED, WHOLE),
    "twisted, soup": Body(soup(TWISTED), WHOLE),
    "twisted overlapping": Body(joined(TWISTED, flipped(SECOND, [1])), BOTH),
    "twisted overlapping oriented": Body(joined(TWISTED, SECOND), BOTH),
    "twisted, twice": Body(joined(TWISTED, flipped(TWISTED)), WHOLE),
    "box and sheet": Body(joined(BOX, solids.sheet((0, 0, 6), (4, 0, 0), (0, 4, 0))), WHOLE),
    "box with a card on an edge": Body(joined(BOX, CARD), WHOLE),
    "open box": Body(OPEN),
    "sheet": Body(GRID),
    "two-sided sheet": Body(two_sided(GRID)),
    "two-sided sheet on its own": Body(joined(GRID, flipped(GRID))),
    "two-sided sheet, soup": Body(soup(joined(GRID, flipped(GRID)))),
    "two-sided open box": Body(joined(OPEN, flipped(OPEN))),
    "triangle": Body(FIRST),
    "two-sided triangle": Body(two_sided(FIRST)),
}  # fmt: skip
