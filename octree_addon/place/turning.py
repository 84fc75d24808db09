"""Rotations about objects' own origins, written in each object's rotation mode.

A unit is a group of objects that move together.
"""

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from ..arrays import Flags, Floats, Ids
from ..snapshots import SceneTarget
from .candidates import rotations_between
from .moves import Stored
from .units import Movers, space_of

# Relative difference of axes in an uneven space; cosine from which directions are parallel.
_UNEVEN, _ALONG = 1e-5, 1 - 1e-9


@dataclass(frozen=True, eq=False)
class Turns:
    """World-space rotations of u units, each about the origin of its first root object.

    Attributes
    ----------
    rotations : ndarray of float64, shape (u, 3, 3)
        The identity for units that are not turned.
    """

    rotations: Floats

    @classmethod
    def none(cls, count: int) -> "Turns":
        """Return identity rotations of `count` units."""
        return cls(np.repeat(np.eye(3)[None], count, axis=0))

    @property
    def are_turned(self) -> Flags:
        """Flags of the units that are turned, (u,)."""
        flags: Flags = (self.rotations != np.eye(3)).any(axis=(1, 2))
        return flags

    def without(self, refused: Flags) -> "Turns":
        """Return the rotations with the identity for the refused units, (u,)."""
        return Turns(np.where(refused[:, None, None], np.eye(3), self.rotations))


def turned(stored: Stored, turns: Turns, movers: Movers) -> Stored:
    """Return the stored matrices with each unit's rotation applied after its move."""
    is_turned = turns.are_turned[movers.bodies]
    if not is_turned.any():
        return stored
    roots = movers.first_roots
    pivots = (movers.frames[roots, :3, 3] + stored.went[roots])[movers.bodies]
    rotations = turns.rotations[movers.bodies]
    columns = stored.matrices.astype(np.float64).reshape(-1, 4, 4)  # column-major
    columns[:, :3, :3] = np.einsum("kij,kcj->kci", rotations, columns[:, :3, :3])
    columns[:, 3, :3] = pivots + np.einsum("kij,kj->ki", rotations, columns[:, 3, :3] - pivots)
    new = columns.reshape(-1, 16).astype(np.float32)
    return stored._replace(matrices=np.where(is_turned[:, None], new, stored.matrices))


def turns_onto(
    target: SceneTarget, movers: Movers, below: Ids, triangles: Ids, up: Floats
) -> Turns:
    """Return the smallest rotations that align an axis of each unit with the normal it lands on.

    The axis is the local axis, of either sign, that points upward most. A unit that has an axis
    along the normal already is not turned.
    """
    turns = Turns.none(len(movers))
    lands = movers.turnable & (below >= 0) & (triangles >= 0)
    for unit in np.flatnonzero(lands).tolist():
        surface = target.octree.triangles_of(target.octree.ids[below[unit : unit + 1]])
        one, two, three = surface[triangles[unit : unit + 1]].rows.reshape(3, 3)
        normal = np.cross(two - one, three - one)
        axes = movers.frames[movers.first_roots[unit], :3, :3].T
        lengths = np.linalg.norm(axes, axis=1, keepdims=True)
        size = float(np.linalg.norm(normal))
        if size == 0 or (lengths == 0).any():
            continue
        normal *= (1 if normal @ up > 0 else -1) / size
        axes = np.concatenate((axes / lengths, -axes / lengths))
        if (axes @ normal).max() < _ALONG:
            upward = axes[(axes @ up).argmax()]
            turns.rotations[unit] = rotations_between(upward, normal[None])[0]
    return turns


def write_turn(item: bpy.types.Object, rotation: Floats) -> None:
    """Rotate an object in world space by the channels of its rotation mode only."""
    space = space_of(item)
    there = np.linalg.solve(space, rotation @ space)
    mode = item.rotation_mode
    delta = np.eye(3)
    if mode == "QUATERNION":
        delta = np.array(item.delta_rotation_quaternion.to_matrix())
        own = np.array(item.rotation_quaternion.to_matrix())
    elif mode == "AXIS_ANGLE":
        turn: Any = item.rotation_axis_angle
        own = np.array(Matrix.Rotation(turn[0], 3, turn[1:]))
    else:
        delta = np.array(item.delta_rotation_euler.to_matrix())
        own = np.array(item.rotation_euler.to_matrix())
    new = Matrix((delta.T @ there @ delta @ own).tolist())
    if mode == "QUATERNION":
        item.rotation_quaternion = new.to_quaternion()
    elif mode == "AXIS_ANGLE":
        around, angle = new.to_quaternion().to_axis_angle()
        item.rotation_axis_angle = (angle, around.x, around.y, around.z)
    else:
        item.rotation_euler = new.to_euler(mode, item.rotation_euler)
