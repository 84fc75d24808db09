"""What is drawn into the 3D views; read lines, then cells, found and outlines, then drawing."""

from .batches import counts
from .drawing import install, is_installed, uninstall

__all__ = ["counts", "install", "is_installed", "uninstall"]
