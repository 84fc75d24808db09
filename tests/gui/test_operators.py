"""The operators as a user calls them: modal, redone with other values, undone, in local view."""

import pytest
from gui.harness import wait_for

pytestmark = pytest.mark.window


def add_plain(edges):
    """Add a plain of 2 * edges * edges triangles beside the default cube; select all meshes.

    The plain is drawn as a box: without a graphics card, a redraw would take longer than a test.
    """
    import bpy

    bpy.ops.mesh.primitive_grid_add(x_subdivisions=edges, y_subdivisions=edges, size=20)
    bpy.context.object.display_type = "BOUNDS"
    bpy.context.scene.octree.display.show = False
    bpy.data.objects["Cube"].select_set(True)
    bpy.ops.ed.undo_push(message="Plain")


def invoke(name, options):
    """Call an operator as a button does, with an undo step of its own."""
    import bpy

    return list(getattr(bpy.ops.octree, name)("INVOKE_DEFAULT", True, **options))


def tree():
    """Describe the scene's tree: nothing, or its triangles, its capacity and its objects."""
    import importlib

    import bpy

    trees = importlib.import_module("bl_ext.user_default.octree.octree_addon.trees")
    built = trees.get(bpy.context.scene)
    return built and [
        built.statistics.items,
        built.octree.capacity,
        sorted(each.name for each in built.source.objects),
    ]


def modal_operators():
    import bpy

    return len(bpy.context.window_manager.windows[0].modal_operators)


def settings():
    import bpy

    return [bpy.context.scene.octree.build.capacity, bpy.context.scene.octree.sphere.radius]


def selected():
    import bpy

    return sorted(item.name for item in bpy.context.selected_objects)


def redo_with(name, value):
    """Change a value in the redo panel, which leaves an undo step."""
    import bpy

    setattr(bpy.context.window_manager.operators[-1].properties, name, value)
    bpy.ops.ed.undo_redo("EXEC_DEFAULT", True)


def test_a_long_build_is_modal_and_ends_by_itself(window):
    window.call(add_plain, 600)
    assert window.call(invoke, "build", {}) == ["RUNNING_MODAL"]
    wait_for(lambda: window.call(tree) is not None)
    items, _, names = window.call(tree)
    assert (items, names) == (2 * 600**2 + 12, ["Cube", "Grid"])
    assert window.call(modal_operators) == 0
    window.call(redo_with, "capacity", 64)
    assert window.call(tree)[1] == 32  # until the other one is built
    wait_for(lambda: window.call(tree)[1] == 64)
    assert window.call(settings)[0] == 64
    window.call(redo_with, "capacity", 128)
    window.call(redo_with, "capacity", 16)  # the last one counts
    wait_for(lambda: window.call(tree)[1] == 16)
    window.keys("ctrl+z")
    assert window.call(tree) is None
    assert window.call(selected) == ["Cube", "Grid"]  # the step before is still there


def last_value(name):
    import bpy

    return getattr(bpy.context.window_manager.operators[-1].properties, name)


def test_escape_in_the_redo_panel_keeps_what_there_was(window):
    window.call(add_plain, 900)
    assert window.call(invoke, "build", {}) == ["RUNNING_MODAL"]
    wait_for(lambda: window.call(tree) is not None)
    with window.held_work():
        window.call(redo_with, "capacity", 64)
        wait_for(lambda: window.call(modal_operators) == 1)
        window.picture("redo_in_steps", redraw=False)
        window.keys("Escape")
        wait_for(lambda: window.call(modal_operators) == 0)
        assert window.call(tree)[1] == window.call(last_value, "capacity") == 32
        window.call(redo_with, "capacity", 64)
        wait_for(lambda: window.call(modal_operators) == 1)
        window.keys("a")  # another operator: its result is not undone
        wait_for(lambda: window.call(modal_operators) == 0)
    assert window.call(tree)[1] == 32
    window.keys("ctrl+z", "ctrl+z")
    assert window.call(tree) is None


def test_a_question_reads_a_large_scene_first(window):
    window.call(add_plain, 1000)
    question = {"center": [4, 4, 0], "radius": 1}
    assert window.call(invoke, "select_in_sphere", question) == ["RUNNING_MODAL"]
    wait_for(lambda: window.call(modal_operators) == 0)
    assert window.call(selected) == ["Grid"]
    assert window.call(tree) is None
    # Nothing has changed: there is nothing to wait for.
    assert window.call(invoke, "select_in_sphere", question) == ["FINISHED"]


def test_escape_leaves_no_answer_and_no_selection(window):
    window.call(add_plain, 1000)
    window.move(430, 420)
    question = {"center": [4, 4, 0], "radius": 1}
    with window.held_work():
        assert window.call(invoke, "select_in_sphere", question) == ["RUNNING_MODAL"]
        window.keys("Escape")
        wait_for(lambda: window.call(modal_operators) == 0)
    assert window.call(answer) is None
    assert window.call(selected) == ["Cube", "Grid"]


def answer():
    """Say how much the last question has found."""
    import importlib

    import bpy

    questions = importlib.import_module("bl_ext.user_default.octree.octree_addon.questions")
    query = questions.get(bpy.context.scene)
    return query and query.found_text


def test_a_moved_object_is_found_where_it_is(window):
    window.call(select_with, ["Cube"])
    assert window.call(invoke, "select_in_sphere", {"radius": 1}) == ["FINISHED"]
    window.move(430, 420)
    window.keys("g", "x", "5", "Return")
    assert window.call(invoke, "select_in_sphere", {"radius": 1}) == ["FINISHED"]
    assert window.call(selected) == []
    assert window.call(answer) == "0 of 12 triangles"
    window.keys("ctrl+z", "ctrl+z")
    assert window.call(invoke, "select_in_sphere", {"radius": 1}) == ["FINISHED"]
    assert window.call(selected) == ["Cube"]


def select_with(names):
    import bpy

    for item in bpy.context.view_layer.objects:
        item.select_set(item.name in names)
    bpy.context.view_layer.objects.active = bpy.data.objects[names[0]]


def test_another_file_ends_a_modal_build(window):
    window.call(add_plain, 1000)
    assert window.call(invoke, "build", {}) == ["RUNNING_MODAL"]
    window.call(open_empty)
    assert window.call(modal_operators) == 0
    assert window.call(tree) is None


def open_empty():
    import bpy

    bpy.ops.wm.read_homefile(use_empty=True)


def test_the_redo_panel_builds_again_with_other_values(window):
    window.call(add_plain, 20)
    assert window.call(invoke, "build", {}) == ["FINISHED"]
    window.call(redo_with, "capacity", 5)
    wait_for(lambda: window.call(tree)[1] == 5)  # a slow machine works ahead first
    assert window.call(settings)[0] == 5
    window.keys("ctrl+z")
    wait_for(lambda: window.call(settings)[0] == 32)


def open_redo_panel():
    """Open what F9 opens: Blender 5.2 does not get that key from xdotool."""
    import bpy

    bpy.ops.screen.redo_last("INVOKE_DEFAULT")


@pytest.mark.parametrize("name", ["build", "select_in_sphere", "select_nearest"])
def test_the_redo_panel_is_seen(window, name):
    window.call(add_plain, 20)
    window.move(430, 620)
    assert window.call(invoke, name, {}) == ["FINISHED"]
    before = window.picture("before_redo_panel")
    window.call(open_redo_panel)
    opened = window.picture(f"redo_panel_{name}")
    assert (opened != before).any(axis=2).sum() > 20_000
    assert "Traceback" not in window.read_log()


def test_one_undo_takes_back_a_selection(window):
    window.call(add_plain, 20)
    assert window.call(invoke, "build", {}) == ["FINISHED"]
    question = {"center": [4, 4, 0], "radius": 2}
    assert window.call(invoke, "select_in_sphere", question) == ["FINISHED"]
    assert window.call(selected) == ["Grid"]
    window.call(redo_with, "radius", 20)
    wait_for(lambda: window.call(selected) == ["Cube", "Grid"])
    window.move(430, 420)
    window.keys("ctrl+z")
    wait_for(lambda: window.call(selected) == ["Cube", "Grid"])
    assert window.call(settings)[1] == 1


def edit_plain():
    import bpy

    grid = bpy.data.objects["Grid"]
    bpy.ops.object.select_all(action="DESELECT")
    grid.select_set(True)
    bpy.context.view_layer.objects.active = grid
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.ed.undo_push(message="Nothing")


def selected_faces():
    import bmesh
    import bpy

    edit = bmesh.from_edit_mesh(bpy.data.objects["Grid"].data)
    return [number for number, face in enumerate(edit.faces) if face.select]


def test_one_undo_takes_back_faces_in_edit_mode(window):
    window.call(add_plain, 20)
    window.call(edit_plain)
    question = {"center": [0, 0, 0], "radius": 0.5}
    assert window.call(invoke, "select_in_sphere", question) == ["FINISHED"]
    assert len(window.call(selected_faces)) == 4
    window.picture("faces_in_edit_mode")
    window.move(430, 420)
    window.keys("ctrl+z")
    wait_for(lambda: window.call(selected_faces) == [])


def enter_local_view():
    import bpy

    bpy.ops.object.select_all(action="DESELECT")
    bpy.data.objects["Cube"].select_set(True)
    bpy.ops.view3d.localview(frame_selected=False)


def test_a_local_view_hides_the_rest_from_the_question(window):
    window.call(add_plain, 20)
    window.call(enter_local_view)
    assert window.call(invoke, "select_in_sphere", {"radius": 50}) == ["FINISHED"]
    assert window.call(selected) == ["Cube"]
    assert window.call(answer) == "12 of 12 triangles"


def lower_the_limit(triangles):
    import bpy

    addon = bpy.context.preferences.addons["bl_ext.user_default.octree"]
    addon.preferences.triangle_limit = triangles


def test_above_the_limit_the_button_asks(window):
    window.call(add_plain, 20)
    window.call(lower_the_limit, 100)
    window.move(430, 420)
    assert window.call(invoke, "build", {"capacity": 9}) == ["CANCELLED"]
    window.picture("question")
    assert window.call(tree) is None
    window.keys("Return")
    wait_for(lambda: window.call(tree) is not None)
    assert window.call(tree)[1] == 9


def test_much_memory_is_told_before_it_is_taken(window):
    window.call(lower_the_limit, 11)
    assert window.call(invoke, "select_in_sphere", {"radius": 50}) == ["CANCELLED"]
    window.picture("much_memory")
    assert window.call(answer) is None
    window.keys("Return")
    wait_for(lambda: window.call(answer) == "1 of 1 objects and instances")


def add_crossing():
    import bpy

    bpy.ops.mesh.primitive_cube_add(location=(1, 1, 1))
    bpy.ops.ed.undo_push(message="Crossing")


def move_cube():
    import bpy

    bpy.data.objects["Cube"].location.x += 9


def go_on():
    """Let Blender evaluate and draw what has been done."""
    yield
    yield


def never_rest():
    """Let nothing read the scene again by itself: work that notices begins anew."""
    import importlib
    from dataclasses import replace

    tuning = importlib.import_module("bl_ext.user_default.octree.octree_addon.tuning")
    tuning.current = replace(tuning.current, rest=1e6)


def has_changed(question):
    """Return whether an answer is told to be outdated, once its scene was read again."""
    import importlib

    import bpy

    at = "bl_ext.user_default.octree"
    index = importlib.import_module(f"{at}.octree_addon.scene_index")
    kept = importlib.import_module(f"{at}.octree_addon.answers.kept")
    result_list = importlib.import_module(f"{at}.octree_addon.result_list")
    core = importlib.import_module(f"{at}.core")
    scene, result = bpy.context.scene, bpy.context.scene.octree.results.kept[0]
    version = result_list.version_of_result(scene, result)
    state = core.run(index.confirm_steps(bpy.context, version))
    if question == "find_never_seen":
        assert kept.sees_at(scene, result.number).is_same(scene) == (state is index.State.SAME)
    return state is index.State.CHANGED


@pytest.mark.parametrize("question", ["audit", "select_collisions", "find_never_seen"])
def test_what_others_change_while_work_goes_on_makes_its_answer_old(window, question):
    window.call(add_crossing)
    window.call(never_rest)
    for is_moved in (True, False):  # an answer that is valid would not be asked again
        with window.held_work():
            assert window.call(invoke, question, {}) == ["RUNNING_MODAL"]
            window.call(go_on)
            if is_moved:
                window.call(move_cube)
            window.call(go_on)
        wait_for(lambda: not window.call(modal_operators))
        assert window.call(has_changed, question) == is_moved
    assert "Traceback" not in window.read_log()
