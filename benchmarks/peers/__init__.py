"""The peers: one file for each, all with the same functions, each run in a process of its own.

A file offers what its library can do, under these names:

    build_triangles(vertices, faces)      build_boxes(lower, upper)      -> tree
    spheres(tree, centers, radii)         boxes(tree, lower, upper)      -> pairs (2, h)
    rays(tree, origins, directions)       nearest(tree, points)          -> items, distances, ...
    pairs(tree)                           frustum(tree, planes, corners) -> pairs (2, h)
    build_moving(lower, upper)            -> tree whose boxes move: `ids` to where `turns` has them
    move_boxes(tree, ids, lowers, uppers, low, high)    move_pairs(tree, ids, lowers, uppers)
    move_changes(tree, ids, lowers, uppers)             -> pairs (2, h)
    keep_objects(vertices, faces, owners)               -> whatever `objects_within` starts from
    objects_within(tree, radii) -> pairs (2, h) of objects no farther apart than the only radius

A miss has item -1. Arrays go in and arrays come out; `NAME_ready` takes the same and returns a
call without arguments that asks with the library's own kinds, prepared beforehand. `PASSES_MORE`
tells for which questions a library stops at something coarser, `MOST_TRIANGLES` beyond which size
it would take minutes.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Peer:
    """Where a library's file is, what it runs in, and which packages it is made of."""

    name: str
    module: str
    packages: tuple[str, ...]
    environment: str = "peers-numpy1"


OURS = Peer("ours", "ours", ("numpy",))
PEERS = (
    Peer("rebuilt", "ours_rebuilt", ("numpy",)),
    Peer("all pairs", "ours_paired", ("numpy",)),
    Peer("BVHTree", "blender_bvh", ("bpy",)),
    Peer("KDTree", "blender_kd", ("bpy",)),
    Peer("cKDTree", "scipy_kd", ("scipy",)),
    Peer("rtree", "rtree_index", ("rtree",), "peers-numpy2"),
    Peer("shapely", "shapely_strtree", ("shapely",)),
    Peer("open3d", "open3d_scene", ("open3d",)),
    Peer("embreex", "embreex_scene", ("embreex",)),
    Peer("trimesh", "trimesh_mesh", ("trimesh",)),
    Peer("libigl", "igl_aabb", ("libigl",)),
    Peer("vtk", "vtk_locator", ("vtk",)),
    Peer("vtkOBBTree", "vtk_obb", ("vtk",)),
    Peer("python-fcl", "fcl_tree", ("python-fcl",)),
    Peer("IfcOpenShell", "ifc_clash", ("ifcopenshell",)),
    Peer("coal", "coal_tree", ("coal",), "peers-numpy2"),
    Peer("pyoctree", "pyoctree_tree", ("pyoctree",)),
    Peer("scan", "numpy_scan", ("numpy",)),
)
