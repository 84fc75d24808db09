"""What the user guide shows, set up inside Blender; each function imports for itself."""


def build_town():
    """Lay out a town of blocks, and a camera that drives through it in 48 frames."""
    import random

    import bpy
    from mathutils import Euler

    bpy.data.objects.remove(bpy.data.objects["Cube"])
    bpy.ops.mesh.primitive_cube_add(size=1)
    house = bpy.context.object
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=0.35)
    tree = bpy.context.object
    dice = random.Random(4)
    for x in range(-10, 11):
        for y in range(-10, 11):
            if x % 5 == 0 or y % 5 == 0:
                continue
            item = (tree if dice.random() < 0.3 else house).copy()
            item.name = "House" if item.data == house.data else "Tree"
            height = dice.uniform(0.5, 2.5) if item.data == house.data else 1.0
            item.scale = dice.uniform(0.6, 1.05), dice.uniform(0.6, 1.05), height
            item.location = x, y, 0.5 * height
            bpy.context.collection.objects.link(item)
    for item in (house, tree):
        bpy.data.objects.remove(item)
    camera = bpy.context.scene.camera
    camera.data.clip_end, camera.data.lens = 16, 40
    for frame, y, turn in ((1, -12, 0.0), (48, 2, -0.7)):
        camera.location, camera.rotation_euler = (0, y, 1.2), (1.5, 0, turn)
        camera.keyframe_insert("location", frame=frame)
        camera.keyframe_insert("rotation_euler", frame=frame)
    scene = bpy.context.scene
    scene.frame_end = 48
    scene.frame_set(1)
    bpy.data.objects.remove(bpy.data.objects["Light"])
    view = bpy.context.space_data.region_3d
    view.view_rotation = Euler((0.9, 0, -0.5)).to_quaternion()
    view.view_distance, view.view_location = 30, (0, -1.5, 0)
    bpy.ops.object.select_by_type(type="MESH")
    bpy.ops.ed.undo_push(message="Town")


def add_example():
    """Add the example town to an empty scene."""
    import bpy

    for item in list(bpy.context.scene.objects):
        bpy.data.objects.remove(item)
    bpy.ops.octree.add_example()
    bpy.ops.ed.undo_push(message="Town")


def look_at_example():
    import bpy
    from mathutils import Euler

    view = bpy.context.space_data.region_3d
    view.view_rotation = Euler((0.85, 0, -0.6)).to_quaternion()
    view.view_distance, view.view_location = 44, (2, -3, 0)


def build_swarm():
    """Let 200 balls fly together and apart again in 48 frames."""
    import math
    import random

    import bpy
    from mathutils import Euler, Vector

    for item in list(bpy.context.scene.objects):
        bpy.data.objects.remove(item)
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=0.2)
    ball = bpy.context.object
    dice = random.Random(7)
    for number in range(200):
        item = ball.copy()
        angle = 2 * math.pi * dice.random()
        far = Vector((math.cos(angle), math.sin(angle), dice.uniform(-0.3, 0.3)))
        near = Vector(dice.gauss(0, 1) for _ in range(3))
        for frame, place in ((1, dice.uniform(5, 8) * far), (24, near), (48, -7 * far)):
            item.location = place
            item.keyframe_insert("location", frame=frame)
        item.name = f"Ball {number}"
        bpy.context.collection.objects.link(item)
    bpy.data.objects.remove(ball)
    scene = bpy.context.scene
    scene.frame_end = 48
    scene.frame_set(1)
    view = bpy.context.space_data.region_3d
    view.view_rotation = Euler((1.0, 0, 0.4)).to_quaternion()
    view.view_distance = 26
    bpy.ops.object.select_by_type(type="MESH")
    bpy.context.view_layer.objects.active = bpy.data.objects["Ball 0"]
    bpy.ops.ed.undo_push(message="Swarm")


def go_to(frame):
    import bpy

    bpy.context.scene.frame_set(frame)


def cells_drawn():
    """Tell how many cells were drawn last."""
    import importlib

    import bpy

    batches = importlib.import_module("bl_ext.user_default.octree.octree_addon.display.batches")
    return batches.shown_picture(bpy.context.scene).wanted


def show_panels(names):
    """Show our tab in a wide sidebar, with these panels open and no other."""
    import importlib

    import bpy

    addon = importlib.import_module("bl_ext.user_default.octree.octree_addon")
    panels = [each for each in addon.CLASSES if hasattr(each, "bl_category")]
    for panel in reversed(panels):
        if panel.is_registered:
            bpy.utils.unregister_class(panel)
    for panel in panels:
        if panel.__name__.removeprefix("OCTREE_PT_") in names:
            panel.bl_options = set(getattr(panel, "bl_options", ())) - {"DEFAULT_CLOSED"}
            bpy.utils.register_class(panel)
    bpy.context.space_data.show_region_ui = True
    sidebar = next(region for region in bpy.context.area.regions if region.type == "UI")
    bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=2)  # the tabs are known then
    sidebar.active_panel_category = "Octree"


def change(settings):
    """Change settings of the scene's octree, each by its path."""
    import bpy

    for path, value in settings.items():
        group, name = path.split(".")
        setattr(getattr(bpy.context.scene.octree, group), name, value)


def press(name, options):
    """Press a button, with an undo step of its own."""
    import bpy

    return list(getattr(bpy.ops.octree, name)("INVOKE_DEFAULT", True, **options))


def call(name, options):
    """Call an operator without the dialog that its button would open."""
    import bpy

    return list(getattr(bpy.ops.octree, name)("EXEC_DEFAULT", True, **options))


def is_busy():
    """Tell whether one of our operators is still at work."""
    import bpy

    window = bpy.context.window_manager.windows[0]
    return any("octree" in operator.bl_idname.lower() for operator in window.modal_operators)


def select_nothing():
    import bpy

    bpy.ops.object.select_all(action="DESELECT")


def paint_unseen():
    """Show what no camera saw in orange; tell how many objects that are."""
    import importlib

    import bpy

    shot = importlib.import_module("bl_ext.user_default.octree.octree_addon.cameras")
    unseen = shot.get(bpy.context.scene).subjects(seen=False).objects
    for item in bpy.context.scene.objects:
        item.color = (0.9, 0.35, 0.0, 1) if item.session_uid in unseen else (0.6, 0.7, 0.8, 1)
        item.select_set(False)
    bpy.context.space_data.shading.color_type = "OBJECT"
    return len(unseen)


def make_single():
    """Give each object a mesh of its own, so that each face is seen by itself."""
    import bpy

    for item in bpy.context.scene.objects:
        if item.type == "MESH":
            item.data = item.data.copy()
        item.select_set(False)
    bpy.ops.ed.undo_push(message="Single")


def look_at_street():
    import bpy
    from mathutils import Euler

    view = bpy.context.space_data.region_3d
    view.view_rotation = Euler((0.8, 0, -0.75)).to_quaternion()
    view.view_distance, view.view_location = 20, (0.5, -4.5, 0)


def paint_faces():
    """Show the faces that no sample saw in orange; tell how many they are."""
    import bpy
    import numpy as np

    unseen = 0
    for item in bpy.context.scene.objects:
        if item.type != "MESH":
            continue
        mesh = item.data
        counts = np.empty(len(mesh.polygons), np.int32)
        mesh.attributes["samples_seen"].data.foreach_get("value", counts)
        sizes = np.empty(len(mesh.polygons), np.int32)
        mesh.polygons.foreach_get("loop_total", sizes)
        never = np.repeat(counts == 0, sizes)[:, None]
        colors = np.where(never, (0.9, 0.35, 0.0, 1), (0.6, 0.7, 0.8, 1)).astype(np.float32)
        layer = mesh.color_attributes.new("Seen", "FLOAT_COLOR", "CORNER")
        layer.data.foreach_set("color", colors.ravel())
        mesh.color_attributes.active_color = layer
        unseen += int((counts == 0).sum())
    bpy.context.space_data.shading.color_type = "VERTEX"
    return unseen


def paint_never_seen():
    """Show what no view saw in orange, through all that is before it; tell how many they are."""
    import importlib

    import bpy

    room = importlib.import_module("bl_ext.user_default.octree.octree_addon.cameras.never_seen")
    never = set(room.get(bpy.context.scene).never)
    for item in bpy.context.scene.objects:
        item.color = (0.9, 0.35, 0.0, 1) if item.session_uid in never else (0.6, 0.7, 0.8, 1)
        item.select_set(False)
    space = bpy.context.space_data
    space.shading.type, space.shading.color_type = "SOLID", "OBJECT"
    space.shading.show_xray, space.shading.xray_alpha = True, 0.6
    space.show_region_ui = space.show_region_toolbar = False
    return len(never)


def look_at_hill(distance=21):
    import bpy
    from mathutils import Euler

    view = bpy.context.space_data.region_3d
    view.view_rotation = Euler((1.0, 0, -0.45)).to_quaternion()
    view.view_distance, view.view_location = distance, (distance / 35, 0, 0)


def open_popover(name):
    """Open a panel under the pointer."""
    import bpy

    bpy.ops.wm.call_panel("INVOKE_DEFAULT", name=name, keep_open=True)


def paint_chunks():
    """Give each chunk a color of its own; return how many there are."""
    import colorsys

    import bpy

    chunks = [item for item in bpy.data.objects if "octree_chunk" in item]
    cells = sorted({item["octree_chunk"] for item in chunks})
    for item in chunks:
        hue = cells.index(item["octree_chunk"]) * 0.618 % 1
        item.color = (*colorsys.hsv_to_rgb(hue, 0.5, 0.9), 1)
    bpy.context.space_data.shading.color_type = "OBJECT"
    return len(chunks)


def hidden_objects():
    import bpy

    return sum(item.hide_get() for item in bpy.context.view_layer.objects)


def start_probe():
    """Let the pointer ask about a sphere."""
    import bpy

    octree = bpy.context.scene.octree
    octree.tab.near, octree.sphere.radius = "sphere", 2.5
    bpy.ops.octree.probe()


def probe_shows():
    """Tell whether there is an answer under the pointer."""
    import importlib

    module = "bl_ext.user_default.octree.octree_addon.probe.session"
    live = importlib.import_module(module).current()
    return live is not None and live.answered is not None


def end_probe():
    import bpy

    bpy.ops.octree.probe_end()


def smooth(samples):
    """Choose how many samples each picture of the 3D view has: "OFF" is one."""
    import bpy

    bpy.context.preferences.system.viewport_aa = samples
