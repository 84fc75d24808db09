"""What is drawn into the 3D views; read in this order: lines, cells, drawing."""

from .cells import counts
from .drawing import install, uninstall

__all__ = ["counts", "install", "uninstall"]
