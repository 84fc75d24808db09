"""What an operator asks and a scene remembers, each property once: mixins for both."""

from .build import ADVANCED, PLAIN, BuildOptions, CellOptions, ObjectOptions, UpkeepOptions
from .names import option_names
from .questions import (
    CollisionOptions,
    FrustumOptions,
    NearestOptions,
    RayOptions,
    SelectionOptions,
    SphereOptions,
)
from .source import SourceOptions

__all__ = [
    "ADVANCED",
    "PLAIN",
    "BuildOptions",
    "CellOptions",
    "CollisionOptions",
    "FrustumOptions",
    "NearestOptions",
    "ObjectOptions",
    "RayOptions",
    "SelectionOptions",
    "SourceOptions",
    "SphereOptions",
    "UpkeepOptions",
    "option_names",
]
