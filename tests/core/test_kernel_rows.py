"""Rows in queries of the compiled kernel: missing rows are refused."""

import numpy as np
import pytest
from audit_scenes import box, scene_of
from support.kernels import needs_kernel

from core import compiled
from core.clash.shells import ORIENTED
from core.compiled.walks import Questions
from core.scene.packed import PackedScene

pytestmark = needs_kernel
NOWHERE = (-1, 2, 2**40, -(2**62))


@pytest.fixture
def packed():
    scene = scene_of(box([0, 0, 0], [1, 1, 1]), box([2, 0, 0], [3, 1, 1]))
    moment = scene._snapshot(2**32 - 1)
    return PackedScene(moment.placements, moment.meshes)


def nearest(packed, rows):
    points = np.full((3, len(rows)), 0.25)
    return packed.nearest_of(points, np.array(rows), np.full(len(rows), np.inf))


def votes(packed, rows):
    points, ways = np.full((len(rows), 3), 0.25), np.full((len(rows), 3), [1.0, 0.1, 0.2])
    asked = Questions(points, ways, np.full(1, np.inf))
    return packed.wound(asked, np.array(rows), np.full(24, ORIENTED), np.array([0, 12]))


@pytest.mark.parametrize("ask", [nearest, votes])
@pytest.mark.parametrize("where", NOWHERE)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_row_that_is_not_there_is_refused_wherever_it_stands(packed, ask, where, place):
    with pytest.raises(IndexError, match="a row is not there"):
        ask(packed, [*[0, 1][:place], where, *[0, 1][place:]])
    assert ask(packed, [0, 1]) is not None


@pytest.mark.parametrize("ask", [nearest, votes])
@pytest.mark.parametrize("mesh", [-1, 2, 2**40])
def test_a_row_whose_mesh_is_not_there_is_refused(packed, ask, mesh):
    wrong = np.array([0, mesh])
    packed._scene.meshes = wrong.ctypes.data
    assert ask(packed, [0]) is not None
    with pytest.raises(IndexError, match="a row is not there"):
        ask(packed, [0, 1])


def test_rows_of_a_tree_without_placements_are_refused():
    library, package, _ = compiled.found()
    walked, rows = package.Walked(package.pointer(package.Tree())), np.zeros(1, np.intp)
    asked, room = np.ones((3, 3)), np.zeros(4_096)
    given = rows.ctypes.data, room.ctypes.data
    rays = package.Asked(asked.ctypes.data, asked.ctypes.data, asked.ctypes.data, 0)
    points = asked.ctypes.data, 1, given[0], asked.ctypes.data, 0, 1
    answers = [room.ctypes.data] * 4
    assert library.octree_kernel_nearest_in(package.byref(walked), *points, *answers) < 0
    codes = rows.ctypes.data, rows.ctypes.data, 1, room.ctypes.data
    wound = package.byref(walked), package.byref(rays), 0, 1, given[0], *codes, rows.ctypes.data
    assert library.octree_kernel_wound(*wound) < 0


def test_a_row_whose_mesh_has_no_codes_is_refused(packed):
    asked = Questions(np.full((1, 3), 0.25), np.ones((1, 3)), np.full(1, np.inf))
    for start in (-1, 12):
        with pytest.raises(IndexError, match="no codes"):
            packed.wound(asked, np.zeros(1, np.intp), np.zeros(12, np.intp), np.full(2, start))
