"""What a redraw of the tab is counted and timed with; each function imports for itself."""


def close_sections():
    """Show our tab with every panel closed."""
    import importlib

    import bpy

    addon = importlib.import_module("bl_ext.user_default.octree.octree_addon")
    panels = [each for each in addon.CLASSES if hasattr(each, "bl_category")]
    for panel in reversed(panels):
        bpy.utils.unregister_class(panel)
    for panel in panels:
        # Blender remembers by its name whether a panel is open: give it another.
        panel.bl_options = set(getattr(panel, "bl_options", ())) | {"DEFAULT_CLOSED"}
        panel.bl_idname = panel.__name__ + "_closed"
        if hasattr(panel, "bl_parent_id"):
            panel.bl_parent_id += "_closed"
        bpy.utils.register_class(panel)


def ask_many():
    """Ask about 10,000 objects: as many rows in the list."""
    import bpy

    cube = bpy.data.objects["Cube"]
    for number in range(9999):
        item = cube.copy()
        item.location = number % 100, number // 100 % 100, 0
        bpy.context.collection.objects.link(item)
    bpy.context.view_layer.update()
    bpy.ops.octree.select_in_sphere("EXEC_DEFAULT", True, radius=500.0)
    results = bpy.context.scene.octree.results
    return results.kept[results.active].count


def ask_terrain():
    """Ask about a million triangles, so that the answer is drawn over them."""
    import bpy

    bpy.data.objects.remove(bpy.data.objects["Cube"])
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=708, y_subdivisions=708, size=10)
    bpy.ops.octree.select_in_sphere("EXEC_DEFAULT", True, radius=3.0)
    results = bpy.context.scene.octree.results
    return results.kept[results.active].count


def redraw(times):
    """Redraw the window so often."""
    import bpy

    bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=times)


def count_redraw():
    """Return how many of our functions one redraw calls, and what it has the graphics card do."""
    import sys

    import bpy

    counts = {"calls": 0, "draws": 0}

    def count(frame, event, given):
        if event == "call" and "octree_addon" in frame.f_code.co_filename:
            counts["calls"] += 1
        elif event == "c_call" and "GPUBatch.draw" in getattr(given, "__qualname__", ""):
            counts["draws"] += 1

    sys.setprofile(count)
    try:
        bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)
    finally:
        sys.setprofile(None)
    return counts


def seconds_of_redraws(times):
    """Return how many seconds of all cores one redraw takes, of so many."""
    from time import process_time

    import bpy

    bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=2)
    start = process_time()
    bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=times)
    return (process_time() - start) / times
