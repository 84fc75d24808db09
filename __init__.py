"""Octree, a Blender extension: the front door, open to a plain Python that has no `bpy`."""


def register() -> None:
    """Register the add-on with Blender."""
    from . import octree_addon

    octree_addon.register()


def unregister() -> None:
    """Take back everything that `register` and the use of the add-on left with Blender."""
    from . import octree_addon

    octree_addon.unregister()
