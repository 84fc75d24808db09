"""VTK's `vtkOBBTree`: the build, and rays that meet every triangle in their way."""

import numpy as np
import vtk

from benchmarks.peers.vtk_locator import mesh_of


def build_triangles(vertices: np.ndarray, faces: np.ndarray) -> vtk.vtkOBBTree:
    """Build a tree of turned boxes."""
    tree = vtk.vtkOBBTree()
    tree.SetDataSet(mesh_of(vertices, faces))
    tree.BuildLocator()
    return tree
