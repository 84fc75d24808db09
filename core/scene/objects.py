"""Questions about whole placements: which a volume touches, which touch each other."""

from typing import SupportsIndex

from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Ids
from ..groups import ALL_GROUPS
from ..shapes import Shapes
from ..steps import Steps, at_once
from .tree import SceneOctree


def objects_touching_steps(
    scene: SceneOctree, volumes: Shapes, /, *, groups: SupportsIndex = ALL_GROUPS
) -> Steps[Ids]:
    """Find the placements that touch each volume; each stops at its first triangle, in steps.

    Parameters
    ----------
    scene : SceneOctree
        Placed meshes.
    volumes : Spheres, Boxes, Regions, OrientedBoxes, Capsules, HalfSpaces or Frusta
        q questions, asked together.
    groups : int
        A mask of 32 bits: placements with a mask that shares none of them are not there.

    Returns
    -------
    generator of ndarray of intp, shape (2, h)
        [0] volume numbers, [1] ids of placements, sorted by volume, then by placement, each pair
        once. No hits give (2, 0).

    Raises
    ------
    ValueError
        If this is no scene, a volume is not finite or a frustum is flat, or `groups` is no mask.
    RuntimeError
        At a step, if the scene has changed since the call.

    Notes
    -----
    O(cells touched + triangles tested until the first of each placement that touches). A step for
    each piece of an octree that is built.
    """
    checks.kind("scene", scene, (SceneOctree,))
    return scene._object_steps(volumes, groups)


objects_touching = at_once(objects_touching_steps)


def overlapping_objects_steps(
    scene: SceneOctree,
    /,
    *,
    margin: float = 0.0,
    owners: ArrayLike | None = None,
    groups: SupportsIndex = ALL_GROUPS,
) -> Steps[Ids]:
    """Find all pairs of placements that touch; each stops at its first triangles, in steps.

    Parameters
    ----------
    scene : SceneOctree
        Placed meshes.
    margin : float
        Placements no farther apart than this count, too; in scene units, 1e150 at most.
    owners : array_like of int, shape (n,), optional
        Pairs of placements of one owner do not count, and are not looked at.
    groups : int
        A mask of 32 bits: placements with a mask that shares none of them are not there.

    Returns
    -------
    generator of ndarray of intp, shape (2, h)
        Ids of placements, the smaller first; sorted, each pair once. No pairs give (2, 0).

    Raises
    ------
    ValueError
        If this is no scene, `margin` is negative or not finite, `owners` are not one
        whole number for each placement, or `groups` is no mask.
    RuntimeError
        At a step, if the scene has changed since the call.
    """
    checks.kind("scene", scene, (SceneOctree,))
    return scene._object_pair_steps(margin, owners, groups)


overlapping_objects = at_once(overlapping_objects_steps)
