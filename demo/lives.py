"""Animated boxes: one mesh of edges, with the first and last frame of each box as attributes.

Geometry nodes delete the boxes outside their frames, so that playback needs no script.
"""

import bpy
import numpy as np

from demo import studio
from demo.film import Lives

# Corner `i` of a box is the upper one in x where bit 0 of `i` is set, in y bit 1, in z bit 2; an
# edge joins two corners whose numbers differ in one bit.
_UPPER = np.arange(8)[:, None] >> np.arange(3) & 1
_EDGES = np.array([(i, i | bit) for bit in (1, 2, 4) for i in range(8) if not i & bit])


def boxes(name: str, lives: Lives, material: bpy.types.Material, width: float) -> bpy.types.Object:
    """Make lines of the edges of boxes."""
    corners = np.where(_UPPER, lives.walls[:, None, 3:], lives.walls[:, None, :3])
    edges = _EDGES + 8 * np.arange(len(corners))[:, None, None]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners.reshape(-1, 3), edges.reshape(-1, 2), [])
    for when in ("born", "died"):
        frames = np.repeat(getattr(lives, when), 8).astype(np.int32)
        mesh.attributes.new(when, "INT", "POINT").data.foreach_set("value", frames)
    made = studio.lines(mesh, material, width)
    made.modifiers.new("Lives", "NODES").node_group = _living()
    made.modifiers.move(1, 0)  # before the lines
    return made


def _living() -> bpy.types.NodeTree:
    """Return the node group that deletes boxes outside their frames; make it once."""
    if "Lives" in bpy.data.node_groups:
        return bpy.data.node_groups["Lives"]
    group = bpy.data.node_groups.new("Lives", "GeometryNodeTree")
    link, new = group.links.new, group.nodes.new
    for in_out in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=in_out, socket_type="NodeSocketGeometry")
    either, delete = new("FunctionNodeBooleanMath"), new("GeometryNodeDeleteGeometry")
    either.operation = "OR"
    link(_frame_is(group, "LESS_THAN", "born"), either.inputs[0])
    link(_frame_is(group, "GREATER_EQUAL", "died"), either.inputs[1])
    link(new("NodeGroupInput").outputs[0], delete.inputs["Geometry"])
    link(either.outputs[0], delete.inputs["Selection"])
    link(delete.outputs[0], new("NodeGroupOutput").inputs[0])
    return group


def _frame_is(group: bpy.types.NodeTree, operation: str, name: str) -> bpy.types.NodeSocket:
    """Compare the frame of the scene with an attribute."""
    clock, attribute, compare = (
        group.nodes.new(kind)
        for kind in (
            "GeometryNodeInputSceneTime",
            "GeometryNodeInputNamedAttribute",
            "FunctionNodeCompare",
        )
    )
    attribute.inputs["Name"].default_value = name
    compare.operation = operation
    group.links.new(clock.outputs["Frame"], compare.inputs[0])
    group.links.new(attribute.outputs[0], compare.inputs[1])
    return compare.outputs[0]
