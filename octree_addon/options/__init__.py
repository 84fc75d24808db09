"""What an operator asks and a scene remembers, each property once: mixins for both."""

from .hiding import HidingOptions
from .shot import SeenOptions, ShotOptions

__all__ = ["HidingOptions", "SeenOptions", "ShotOptions"]
