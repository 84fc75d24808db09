"""What an operator asks and a scene remembers, each property once: mixins for both."""

from .build import ADVANCED, PLAIN, BuildOptions, CellOptions, ObjectOptions, UpkeepOptions
from .hiding import HidingOptions
from .names import option_names
from .questions import (
    CollisionOptions,
    FrustumOptions,
    NearestOptions,
    RayOptions,
    SelectionOptions,
    SphereOptions,
)
from .shot import SeenOptions, ShotOptions
from .source import SourceOptions

__all__ = [
    "ADVANCED",
    "PLAIN",
    "BuildOptions",
    "CellOptions",
    "CollisionOptions",
    "FrustumOptions",
    "HidingOptions",
    "NearestOptions",
    "ObjectOptions",
    "RayOptions",
    "SeenOptions",
    "SelectionOptions",
    "ShotOptions",
    "SourceOptions",
    "SphereOptions",
    "UpkeepOptions",
    "option_names",
]
