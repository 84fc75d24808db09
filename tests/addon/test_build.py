"""The build by the operator: what it takes, what it leaves, what it says."""

import re

import bpy
import numpy as np
import pytest
from blender_scenes import cube, link, mesh_object, monkey, select_only, text

from octree_ext.core import Spheres, query, run
from octree_ext.octree_addon import preferences, scope, trees
from octree_ext.octree_addon.cells import steps as steps_module
from octree_ext.octree_addon.cells.operators import BuildOperator
from octree_ext.octree_addon.cells.panel import table_of
from octree_ext.octree_addon.cells.steps import build_tree_steps
from octree_ext.octree_addon.ui import settings_of


def built():
    return trees.get(bpy.context.scene)


def settings():
    return settings_of(bpy.context.scene).build


def test_takes_the_selected_objects():
    first, _ = cube("First"), cube("Second", location=(5, 0, 0))
    select_only(first)
    assert bpy.ops.octree.build() == {"FINISHED"}
    assert [each.name for each in built().source.objects] == ["First"]
    assert trees.source_objects(bpy.context.scene) == [first]


def test_takes_what_is_in_edit_mode():
    item = cube()
    select_only(item)
    bpy.ops.object.mode_set(mode="EDIT")
    item.select_set(False)
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide()
    bpy.ops.octree.build()
    assert len(built().octree) == 48
    bpy.ops.object.mode_set(mode="OBJECT")


def test_takes_the_scene_settings_unless_told_otherwise():
    select_only(monkey())
    settings().capacity, settings().straddlers = 11, "KEEP"
    bpy.ops.octree.build()
    assert (built().octree.capacity, built().octree.straddlers) == (11, "keep")
    bpy.ops.octree.build(capacity=5)
    assert (built().octree.capacity, built().octree.straddlers) == (5, "keep")
    assert settings().capacity == 5


def test_an_explicit_default_wins_over_the_settings():
    select_only(monkey())
    settings().capacity = 7
    bpy.ops.octree.build(capacity=32)
    assert built().octree.capacity == settings().capacity == 32


def test_what_an_earlier_call_was_told_does_not_count():
    select_only(monkey())
    bpy.ops.octree.build(capacity=5)
    settings().capacity = 9
    bpy.ops.octree.build("INVOKE_DEFAULT")
    assert built().octree.capacity == 9


def test_loose_factor_counts_with_keep_only():
    select_only(monkey())
    bpy.ops.octree.build(straddlers="COPY", loose_factor=1.5)
    assert built().octree.loose_factor == 1.0
    bpy.ops.octree.build(straddlers="KEEP")
    assert built().octree.loose_factor == 1.5


def test_bounds_of_an_object_become_the_root():
    box = link(bpy.data.objects.new("Box", None), location=(1, 0, 0), empty_display_size=4)
    select_only(monkey())
    bpy.ops.octree.build(bounds="OBJECT", bounds_object="Box")
    assert np.allclose(built().octree.node_lower[0], (-3, -4, -4))
    assert settings().bounds_object == box
    bpy.ops.octree.build()
    assert np.allclose(built().octree.node_upper[0], (5, 4, 4))
    bpy.ops.octree.build(bounds="AUTOMATIC")
    assert built().octree.node_upper[0, 0] < 2


def test_rebuild_takes_the_same_objects_as_they_are_now():
    item = cube()
    select_only(item)
    bpy.ops.octree.build(capacity=3)
    select_only()
    item.location.x = 10
    bpy.context.view_layer.update()
    assert built().stale
    assert bpy.ops.octree.rebuild() == {"FINISHED"}
    assert not built().stale
    assert built().octree.capacity == 3
    assert built().octree.node_lower[0, 0] > 9


def test_clear_forgets_the_tree():
    select_only(cube())
    bpy.ops.octree.build()
    assert bpy.ops.octree.clear() == {"FINISHED"}
    assert built() is None
    with pytest.raises(RuntimeError, match="There is no octree"):
        bpy.ops.octree.clear()


def test_says_what_was_built(capfd):
    broken, lamp = cube("Broken"), bpy.data.lights.new("Lamp", "POINT")
    broken.data.vertices[0].co.x = np.nan
    loose, lamp = mesh_object("Loose", [], []), link(bpy.data.objects.new("Lamp", lamp))
    select_only(cube(), broken, text(), loose, lamp)
    bpy.ops.octree.build()
    line = capfd.readouterr().out
    pattern = (
        r"Info: Octree of [\d,]+ triangles: [\d,]+ cells?, \d\.\d\d copies per triangle, "
        r"\d\.\d\d s; \d triangles without finite coordinates left out; "
        r"1 object without faces to select; 1 light, 1 without faces left out"
    )
    assert re.search(pattern, line), line


def test_above_the_limit_it_fails_with_the_count(monkeypatch):
    select_only(cube())
    monkeypatch.setattr(preferences, "limits", lambda: preferences.Limits(triangles=11))
    monkeypatch.setattr(scope, "limits", preferences.limits)
    with pytest.raises(RuntimeError, match="12 triangles are more than the 11"):
        bpy.ops.octree.build()
    assert built() is None
    bpy.ops.octree.build(any_size=True)
    assert len(built().octree) == 12


def test_settings_change_with_success_only():
    select_only(mesh_object("Empty", [], []))
    with pytest.raises(RuntimeError, match="no triangles"):
        bpy.ops.octree.build(capacity=5)
    assert settings().capacity == 32


def everything():
    """Return all that the scene remembers of builds."""
    groups = settings_of(bpy.context.scene)
    return {
        (name, each.identifier): getattr(getattr(groups, name), each.identifier)
        for name in ("source", "build", "objects", "built_of")
        for each in getattr(groups, name).bl_rna.properties
        if each.identifier not in {"rna_type", "name"}
    }


@pytest.mark.parametrize("call", ["EXEC_DEFAULT", "INVOKE_DEFAULT"])
@pytest.mark.parametrize("source", ["TRIANGLES", "OBJECTS"])
def test_a_build_that_fails_on_the_way_leaves_no_option_behind(monkeypatch, call, source):
    def fail(*_, **__):
        raise ValueError("28,374,214 copies at depth 11")

    select_only(monkey())
    bpy.ops.octree.build(source=source)
    before, tree = everything(), built()
    for name in ("build_steps", "DynamicOctree"):
        monkeypatch.setattr(steps_module, name, fail)
    with pytest.raises(RuntimeError, match="copies at depth"):
        bpy.ops.octree.build(call, capacity=1, max_depth=12, scope="VISIBLE", min_size=0.125)
    with pytest.raises(RuntimeError, match="copies at depth"):
        bpy.ops.octree.rebuild(call, capacity=1, max_depth=12)
    assert everything() == before
    assert built() is tree


@pytest.mark.parametrize("count", [0, 1])
def test_what_goes_between_two_steps_is_not_in_the_tree(count):
    items = [monkey(), *(cube() for _ in range(count))]
    depsgraph = bpy.context.evaluated_depsgraph_get()
    steps = build_tree_steps(depsgraph, items, {"capacity": 8, "max_depth": 10})
    next(steps)
    bpy.data.objects.remove(items[0])
    if count:
        found = run(steps)
        assert len(found.octree) == found.source.item_count == 12
    else:
        with pytest.raises(ValueError, match="no triangles"):
            run(steps)


def test_the_redo_panel_shows_every_option():
    assert {"capacity", "max_depth", "min_size", "bounds", "straddlers", "loose_factor"} <= set(
        bpy.ops.octree.build.get_rna_type().properties.keys()
    )
    assert BuildOperator.draw


def test_what_is_clipped_answers_as_copies_do_and_counts_pieces(visible_scope, ball):
    found = {}
    for policy in ("COPY", "CLIP"):
        assert bpy.ops.octree.build(straddlers=policy, capacity=8) == {"FINISHED"}
        octree = built().octree
        assert octree.straddlers == policy.lower()
        found[policy] = query(octree, Spheres([(0.9, 0, 0)], [0.3])).tolist()
    assert found["COPY"] == found["CLIP"]
    assert "Pieces per Triangle" in dict(table_of(built()))
    assert settings().straddlers == "CLIP"
