"""Properties of meshes that an audit caches: kept with each mesh and removed with it."""

import gc

import audit_scenes as solids
import numpy as np
import pytest

from core import SceneOctree, audit
from core.clash import shells


def three(last=None):
    """Return three solids in a row, each overlapping the next."""
    scene = SceneOctree()
    boxes = [solids.box((i, 0, 0), (i + 1.25, 1, 1)) for i in range(2)]
    last = last or solids.box((-1, 0, 0), (1, 1, 1))
    meshes = [scene.add_mesh(mesh) for mesh in [*boxes, last]]
    matrices = np.tile(np.eye(4), (3, 1, 1))
    matrices[2, 0, 3] = 2.5
    scene.place(meshes, matrices)
    return scene


@pytest.fixture
def looked(monkeypatch):
    """Return how many meshes were looked at, each time."""
    counts, real = [], shells._welded

    def watched(points, owners):
        counts.append(len(np.unique(owners)))
        return real(points, owners)

    monkeypatch.setattr(shells, "_welded", watched)
    return counts


def test_only_a_mesh_that_was_replaced_is_looked_at_again(looked):
    scene = three()
    audit(scene)
    assert looked == [3]
    audit(scene)
    assert looked == [3]
    smaller = solids.box((-0.5, 0, 0), (1, 1, 1))
    scene.replace_mesh(2, smaller)
    assert audit(scene) == audit(three(smaller))
    assert looked == [3, 1, 3]


def test_a_solid_that_is_replaced_by_a_sheet_is_open():
    sheet = solids.sheet((-0.5, -1, 0.25), (1.2, 0, 0), (0, 3, 0))
    scene = three()
    before = audit(scene)
    scene.replace_mesh(2, sheet)
    after = audit(scene)
    assert after == audit(three(sheet)) != before
    assert before.are_open.sum() == 0 < after.are_open.sum()


def test_nothing_is_kept_of_a_scene_that_is_gone():
    gc.collect()
    before, scene = len(shells._known), three()
    audit(scene)
    assert len(shells._known) == before + 1
    del scene
    gc.collect()
    assert len(shells._known) == before
