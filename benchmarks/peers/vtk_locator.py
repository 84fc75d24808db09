"""VTK's `vtkStaticCellLocator`, one question at a time, and `vtkExtractSelectedFrustum`."""

from typing import NamedTuple

import numpy as np
import vtk
from vtk.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray, vtk_to_numpy

from benchmarks.peers import centroids

PASSES_MORE = {"boxes": "the boxes around triangles"}


class Tree(NamedTuple):
    """The locator, its mesh, and the triangles for the filter."""

    locator: vtk.vtkStaticCellLocator
    mesh: vtk.vtkPolyData
    triangles: centroids.Triangles


def mesh_of(vertices: np.ndarray, faces: np.ndarray) -> vtk.vtkPolyData:
    """Hand the arrays over."""
    points, cells, mesh = vtk.vtkPoints(), vtk.vtkCellArray(), vtk.vtkPolyData()
    points.SetData(numpy_to_vtk(vertices, deep=True))
    cells.SetData(3, numpy_to_vtkIdTypeArray(faces.astype(np.int64).ravel(), deep=True))
    mesh.SetPoints(points)
    mesh.SetPolys(cells)
    return mesh


def build_triangles(vertices: np.ndarray, faces: np.ndarray) -> Tree:
    """Sort the triangles into bins."""
    mesh = mesh_of(vertices, faces)
    locator = vtk.vtkStaticCellLocator()
    locator.SetDataSet(mesh)
    locator.BuildLocator()
    return Tree(locator, mesh, centroids.triangles_of(vertices, faces))


def spheres(tree: Tree, centers: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Ask for the box around one sphere after another, then test what it found."""
    found = _found(tree, centers - radii[:, None], centers + radii[:, None])
    return centroids.touching(tree.triangles, centers, radii, found)


def boxes(tree: Tree, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Ask for one box after another, then compare it with the boxes around the triangles."""
    found = _found(tree, lower, upper)
    corners = tree.triangles.corners[found[1]]
    overlap = corners.min(axis=1) <= upper[found[0]]
    overlap &= corners.max(axis=1) >= lower[found[0]]
    return found[:, overlap.all(axis=1)]


def _found(tree: Tree, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Return the items in the bins that the boxes touch: pairs (2, h)."""
    bounds = np.stack([lower, upper], axis=2).reshape(-1, 6).tolist()
    ids, counts, items = vtk.vtkIdList(), [], []
    for box in bounds:
        tree.locator.FindCellsWithinBounds(box, ids)
        counts.append(ids.GetNumberOfIds())
        items.extend(map(ids.GetId, range(counts[-1])))
    return np.stack([np.repeat(np.arange(len(bounds)), counts), np.array(items, dtype=np.intp)])


def rays(tree: Tree, origins: np.ndarray, directions: np.ndarray) -> tuple[np.ndarray, ...]:
    """Cast one segment after another, each as long as the scene is far."""
    length = 4 * np.abs(tree.triangles.centroids).max()
    ends = origins + length * directions
    place, weights, part = [0.0] * 3, [0.0] * 3, vtk.mutable(0)
    along, item = vtk.mutable(0.0), vtk.mutable(0)
    hits = []
    for start, end in zip(origins.tolist(), ends.tolist(), strict=True):
        hit = tree.locator.IntersectWithLine(start, end, 0.0, along, place, weights, part, item)
        hits.append((item.get(), along.get(), *place) if hit else (-1, np.inf, *place))
    table = np.array(hits).reshape(-1, 5)
    return table[:, 0].astype(np.intp), table[:, 1] * length, table[:, 2:]


def nearest(tree: Tree, points: np.ndarray) -> tuple[np.ndarray, ...]:
    """Ask one point after another."""
    place, item, part, square = [0.0] * 3, vtk.mutable(0), vtk.mutable(0), vtk.mutable(0.0)
    found = []
    for point in points.tolist():
        tree.locator.FindClosestPoint(point, place, item, part, square)
        found.append((item.get(), square.get(), *place))
    table = np.array(found).reshape(-1, 5)
    return table[:, 0].astype(np.intp), np.sqrt(table[:, 1]), table[:, 2:]


def frustum(tree: Tree, planes: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Extract the triangles between the corners (8, 3), and take their numbers."""
    # VTK counts near lower left, far lower left, near upper left, far upper left, then right.
    order = corners[[0, 4, 3, 7, 1, 5, 2, 6]]
    selecting = vtk.vtkExtractSelectedFrustum()
    selecting.SetInputData(tree.mesh)
    selecting.SetFieldType(vtk.vtkSelectionNode.CELL)
    selecting.CreateFrustum(np.insert(order, 3, 1.0, axis=1).ravel().tolist())
    selecting.Update()
    numbers = selecting.GetOutput().GetCellData().GetArray("vtkOriginalCellIds")
    items = np.sort(vtk_to_numpy(numbers).astype(np.intp))
    return np.stack([np.zeros_like(items), items])
