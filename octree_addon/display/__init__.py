"""Drawing into the 3D views, and cells as a mesh; read cells, outlines, batches, then drawing."""

from .batches import counts
from .drawing import install, is_installed, uninstall

__all__ = ["counts", "install", "is_installed", "uninstall"]
