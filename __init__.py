"""Octree, a Blender extension: the front door, open to a plain Python that has no `bpy`."""


def register() -> None:
    """Register the add-on with Blender."""
    from . import octree_addon

    octree_addon.register()


def unregister() -> None:
    """Take back everything that `register` and the use of the add-on left with Blender."""
    from . import octree_addon

    octree_addon.unregister()


def __getattr__(name: str) -> object:
    """Return `scene_index` and `SceneIndex`, for other add-ons: see `octree_addon/scene_index`."""
    if name not in ("SceneIndex", "scene_index"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import octree_addon

    return getattr(octree_addon.scene_index, name)
