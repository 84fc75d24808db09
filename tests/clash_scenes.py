"""Blender scenes with a known pair of each class of findings, and what a result holds."""

import bpy
import numpy as np
from blender_scenes import collection_instance, cube, mesh_object

from octree_ext.octree_addon import result_list
from octree_ext.octree_addon.audit.keeping import findings_in
from octree_ext.octree_addon.audit.model import STATUSES
from octree_ext.octree_addon.ui import settings_of


def plant():
    """Add a pair of each class, far from each other, along x."""
    cube("Beam", location=(0, 0, 0), scale=(1, 4, 1))
    cube("Pipe", location=(0.25, 0, 0.5), scale=(-3, 0.5, 0.5))  # mirrored, unevenly scaled
    cube("Shell", location=(10, 0, 0), size=2)
    cube("Core", location=(10, 0.25, 0), size=0.5)
    cube("Panel", location=(20, 0, 0))
    cube("Copy", location=(20, 0, 0))
    cube("Poster", location=(30, 0, 0))
    cube("Wall", location=(30, 0.25, 0.5), scale=(1, 1.5, 0.5))
    cube("Table", location=(40, 0, 0))
    cube("Cup", location=(40, 0, 0.75), size=0.5)
    cube("Door", location=(50, 0, 0))
    cube("Frame", location=(51.0625, 0, 0))
    sheet = [(60, -1, 0), (61, -1, 0), (61, 1, 0), (60, 1, 0)]
    bow = [*sheet, (60.25, -0.5, -0.5), (60.75, -0.5, -0.5), (60.5, 0.5, 0.5)]
    mesh_object("Bow", bow, [(0, 1, 2, 3), (4, 5, 6)])
    bpy.context.view_layer.update()


KNOWN = {
    ("overlap", "Beam", "Pipe"),
    ("contained", "Core", "Shell"),
    ("duplicate", "Copy", "Panel"),
    ("overlap", "Poster", "Wall"),
    ("coplanar same-facing", "Poster", "Wall"),
    ("coplanar opposite-facing", "Cup", "Table"),
    ("touching", "Cup", "Table"),
    ("near", "Door", "Frame"),
    ("self-intersection", "Bow", "Bow"),
}
EVERYTHING = {"clearance": 0.125, "touching": True, "itself": True}


def audit(**options):
    """Press Audit, and return what is kept."""
    assert bpy.ops.octree.audit("EXEC_DEFAULT", True, **options) == {"FINISHED"}
    return kept()


def recheck():
    assert bpy.ops.octree.recheck("EXEC_DEFAULT", True) == {"FINISHED"}
    return kept()


def kept():
    """Return the findings of the active result."""
    return findings_in(bpy.context.scene, result_list.active_result(bpy.context.scene))


def key_of(findings, row):
    """Return the class of a finding and the sorted names of its objects."""
    return findings.class_of(row), *sorted(
        findings.objects.names[n] for n in findings.audit.pairs[:, row]
    )


def named(findings):
    """Return the keys of the findings that are not resolved."""
    open_ones = np.flatnonzero(findings.statuses < STATUSES.index("resolved")).tolist()
    return {key_of(findings, row) for row in open_ones}


def statuses(findings):
    """Return status and reason of each finding by its key."""
    words = [STATUSES[status] for status in findings.statuses]
    both = zip(words, findings.reasons, strict=True)
    return {key_of(findings, row): each for row, each in enumerate(both)}


def choose(*key):
    """Make the finding with this class and these names the active row."""
    settings_of(bpy.context.scene).results.row = list(statuses(kept())).index(key)


def mark(*key, **options):
    choose(*key)
    assert bpy.ops.octree.mark_findings("EXEC_DEFAULT", True, **options) == {"FINISHED"}


def instanced_pair():
    """Let an empty show a cube that stands in another object, and one inside its own other."""
    return collection_instance([cube("Inner"), cube("Inner 2", location=(0.5, 0.25, 0.25))])
