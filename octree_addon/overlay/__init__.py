"""What is drawn into the 3D views; read lines, then cells, found and outlines, then drawing."""

from .cells import counts
from .drawing import install, uninstall

__all__ = ["counts", "install", "uninstall"]
