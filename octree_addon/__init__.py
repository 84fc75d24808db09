"""The Blender side of Octree: its modules, registered in order and unregistered in reverse."""

from . import handlers, operators, panels, preferences, properties

MODULES = (properties, preferences, operators, panels, handlers)


def register() -> None:
    """Register every module, each after those that it builds on."""
    for module in MODULES:
        module.register()


def unregister() -> None:
    """Unregister every module, the last one first."""
    for module in reversed(MODULES):
        module.unregister()
