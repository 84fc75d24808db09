"""Placements gathered mesh by mesh, then laid behind each other in world space."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .meshes import MeshArrays
from .source import SourceObject, TriangleSource

Rows = list[tuple[float, ...]]


@dataclass(eq=False)
class SharedMesh:
    """A mesh read once, and one entry in each list for every place that shows it.

    Attributes
    ----------
    arrays : MeshArrays
        Its triangles in its own space.
    matrices : list of four rows of four float
        From its own space to the world's.
    objects : list of int
        Indices of the objects that the placements belong to.
    instances : list of bool
        Whether the placement is an instance.
    editable : list of bool
        Whether its polygons are those of the object's original mesh.
    """

    arrays: MeshArrays
    matrices: list[Rows] = field(default_factory=list)
    objects: list[int] = field(default_factory=list)
    instances: list[bool] = field(default_factory=list)
    editable: list[bool] = field(default_factory=list)

    @property
    def vertex_count(self) -> int:
        """Vertices of all placements."""
        return len(self.objects) * len(self.arrays.positions)

    @property
    def triangle_count(self) -> int:
        """Triangles of all placements."""
        return len(self.objects) * len(self.arrays.triangles)


def baked(
    meshes: list[SharedMesh],
    objects: tuple[SourceObject, ...],
    skipped: Mapping[str, int],
    ids: frozenset[int],
) -> TriangleSource:
    """Bake every placement by its matrix, all placements of a mesh in one step.

    Parameters
    ----------
    meshes : list of SharedMesh
        Each with at least one triangle and one placement.
    objects : tuple of SourceObject
        What the placements belong to.
    skipped : Mapping of str to int
        Passed on.
    ids : frozenset of int
        Passed on.

    Returns
    -------
    TriangleSource
        In the order of the meshes, and of the placements of each.
    """
    vertices = np.empty((sum(shared.vertex_count for shared in meshes), 3))
    faces = np.empty((sum(shared.triangle_count for shared in meshes), 3), np.intp)
    polygons = np.empty(len(faces), np.intp)
    vertex = triangle = 0
    # A vertex that is not finite spoils itself alone; the core sets its triangles aside.
    with np.errstate(invalid="ignore", over="ignore"):
        for shared in meshes:
            vertex_end, end = vertex + shared.vertex_count, triangle + shared.triangle_count
            _place_vertices(shared, vertices[vertex:vertex_end])
            _place_triangles(shared, vertex, faces[triangle:end])
            _place_polygons(shared, polygons[triangle:end])
            vertex, triangle = vertex_end, end
    lengths = [len(shared.arrays.triangles) for shared in meshes for _ in shared.objects]
    return TriangleSource(
        vertices=vertices,
        faces=faces,
        polygon_of_triangle=polygons,
        placement_start=np.cumsum([0, *lengths]),
        object_of_placement=_joined([shared.objects for shared in meshes], np.intp),
        is_instance=_joined([shared.instances for shared in meshes], np.bool_),
        objects=objects,
        skipped=skipped,
        ids=ids,
    )


def _place_vertices(shared: SharedMesh, target: NDArray[np.float64]) -> None:
    matrices = np.array(shared.matrices, np.float64)
    linear = matrices[:, :3, :3].swapaxes(1, 2)
    placed = target.reshape(len(matrices), -1, 3)
    np.matmul(shared.arrays.positions.astype(np.float64), linear, out=placed)
    placed += matrices[:, None, :3, 3]


def _place_triangles(shared: SharedMesh, vertex: int, target: NDArray[np.intp]) -> None:
    copies, arrays = len(shared.objects), shared.arrays
    first = vertex + len(arrays.positions) * np.arange(copies)
    np.add(arrays.triangles, first[:, None, None], out=target.reshape(copies, -1, 3))


def _place_polygons(shared: SharedMesh, target: NDArray[np.intp]) -> None:
    polygons = target.reshape(len(shared.objects), -1)
    polygons[:] = -1
    polygons[np.array(shared.editable)] = shared.arrays.polygons


def _joined(lists: list[list[Any]], dtype: type) -> NDArray[Any]:
    return np.array([value for values in lists for value in values], dtype)
