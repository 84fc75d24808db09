"""Enable, use, disable, three times over: nothing stays behind."""

import bpy
import pytest
from bl_ui.space_toolsystem_toolbar import VIEW3D_PT_tools_active
from probing import ask_at
from shot_scenes import keep_answer

import octree_ext
from octree_ext import octree_addon
from octree_ext.octree_addon import command_line, handlers, hiding, trees
from octree_ext.octree_addon.display import drawing
from octree_ext.octree_addon.hiding import hidden_objects
from octree_ext.octree_addon.probe import session
from octree_ext.octree_addon.scene_index import rest

KINDS = (
    bpy.types.AddonPreferences,
    bpy.types.GizmoGroup,
    bpy.types.Header,
    bpy.types.Menu,
    bpy.types.Operator,
    bpy.types.Panel,
    bpy.types.PropertyGroup,
)
OWNERS = (
    bpy.types.Object,
    bpy.types.Scene,
    bpy.types.Screen,
    bpy.types.ViewLayer,
    bpy.types.WindowManager,
)


def registered_classes():
    return {each.__name__ for kind in KINDS for each in below(kind) if is_registered(each)}


def is_registered(each):
    # Gizmo groups do not say so themselves.
    return getattr(each, "is_registered", hasattr(bpy.types, each.__name__))


def below(kind):
    for each in kind.__subclasses__():
        yield each
        yield from below(each)


def listeners():
    lists = {name: getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)}
    return {name: list(each) for name, each in lists.items() if isinstance(each, list)}


def menu_entries():
    drawn = {name: getattr(bpy.types, name).draw for name in dir(bpy.types) if "_MT_" in name}
    drawn |= {
        name: getattr(bpy.types, name).draw for name in ("VIEW3D_HT_header", "VIEW3D_PT_overlay")
    }
    return {name: len(getattr(draw, "_draw_funcs", ())) for name, draw in drawn.items()}


def properties():
    return {owner.__name__: set(owner.bl_rna.properties.keys()) for owner in OWNERS}


def timers():
    return [
        each
        for each in (
            handlers.restore_trees,
            handlers.update_display,
            handlers.after_change,
            rest.come_to_rest,
            drawing.switch_off,
            hidden_objects.show_warning,
            session.go_on,
            session.watch,
        )
        if bpy.app.timers.is_registered(each)
    ]


def tools():
    """Return the toolbar of 3D views, mode by mode, and the keymaps of its tools."""
    shown = {mode: list(each) for mode, each in VIEW3D_PT_tools_active._tools.items()}
    configs = bpy.context.window_manager.keyconfigs
    keymaps = {config.name: [each.name for each in config.keymaps] for config in configs}
    tool = bpy.context.workspace.tools.from_space_view3d_mode("OBJECT", create=True)
    # Before any is chosen, none is active in background.
    return shown, keymaps, tool.idname or "builtin.select_box"


def traces():
    """Whatever an add-on can leave with Blender."""
    return {
        "classes": registered_classes(),
        "draw handlers": list(drawing._handles),
        "listeners": listeners(),
        "menu entries": menu_entries(),
        "properties": properties(),
        "live questions": session.current(),
        "manual": list(bpy.utils._manual_map),
        "timers": timers(),
        "commands": list(command_line._handles),
        "tools": tools(),
        "trees": trees.is_empty(),
    }


@pytest.fixture
def unregistered():
    octree_ext.unregister()
    yield
    octree_ext.register()


def use():
    bpy.ops.mesh.primitive_monkey_add()
    bpy.ops.octree.build()
    bpy.ops.octree.select_in_sphere()
    assert not trees.is_empty()
    assert bpy.ops.octree.probe() == {"FINISHED"}
    ask_at((0, 0, 0))
    assert session.current() is not None
    keep_answer([bpy.context.object])
    bpy.ops.octree.hide_unseen(everything=True)
    assert hiding.is_hiding(bpy.context.scene)


@pytest.mark.usefixtures("unregistered")
def test_nothing_stays_behind():
    before = traces()
    for _ in range(3):
        octree_ext.register()
        use()
        octree_ext.unregister()
        assert traces() == before


@pytest.mark.usefixtures("unregistered")
def test_pending_timers_go_too(ball):
    octree_ext.register()
    bpy.app.timers.register(handlers.restore_trees)
    bpy.app.timers.register(handlers.update_display)
    bpy.app.timers.register(handlers.after_change)
    bpy.app.timers.register(rest.come_to_rest)
    bpy.app.timers.register(drawing.switch_off)
    bpy.app.timers.register(hidden_objects.show_warning)
    octree_ext.unregister()
    assert timers() == []


@pytest.mark.usefixtures("unregistered")
def test_without_a_tree_there_are_classes_properties_and_menus_alone():
    before = listeners()
    octree_ext.register()
    assert listeners() == before
    assert drawing._handles == []
    octree_ext.unregister()


def test_classes_stand_after_those_that_they_use():
    names = [each.__name__ for each in octree_addon.CLASSES]
    assert names[0] == "OctreePreferences"
    parents = [getattr(each, "bl_parent_id", "") for each in octree_addon.CLASSES]
    assert all(parent in names[:place] for place, parent in enumerate(parents) if parent)


def test_defaults_hold_without_preferences():
    from octree_ext.octree_addon.preferences import Colors, Limits, colors, limits

    assert limits() == Limits(triangles=5_000_000)
    assert colors() == Colors()
