"""Preferences of the add-on, or their defaults: triangle limit, colors, kernel and shortcuts."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, FloatVectorProperty, IntProperty

from ..core import kernel_state, use_kernel, use_threads
from . import shortcuts
from .ui import Feature, tag_redraw

PACKAGE = __package__.rpartition(".")[0]
Color = tuple[float, float, float]
# In the order of `Colors`.
_COLORS = ("found_color", "other_color", "missed_color", "first_color", "probe_color")


@dataclass(frozen=True)
class Limits:
    """Limits beyond which the user is asked first."""

    triangles: int = 5_000_000


@dataclass(frozen=True)
class Colors:
    """Colors of answers, of the active row and of the probe; distinct for the color-blind, too.

    Okabe and Ito, "Color Universal Design", 2008: sky blue, vermilion, reddish purple, yellow,
    bluish green.
    """

    found: Color = (0.34, 0.71, 0.91)
    other: Color = (0.84, 0.37, 0.0)
    missed: Color = (0.80, 0.47, 0.65)
    first: Color = (0.94, 0.89, 0.26)
    probe: Color = (0.0, 0.62, 0.45)

    @property
    def pair(self) -> tuple[Color, Color]:
        """The colors of the first and the second object of a row."""
        return self.first, self.other


def _color_property(name: str, description: str, default: Color) -> Any:
    # COLOR_GAMMA, as the colors are drawn without the conversion that COLOR implies.
    return FloatVectorProperty(
        name=name,
        description=description,
        default=default,
        size=3,
        min=0.0,
        max=1.0,
        subtype="COLOR_GAMMA",
        update=tag_redraw,
    )


def _switch_kernel(preferences: "OctreePreferences", context: bpy.types.Context) -> None:
    use_kernel(preferences.is_kernel_used)
    use_threads(preferences.threads or None, spare=1)


class OctreePreferences(bpy.types.AddonPreferences):
    """The preferences of the add-on in Blender: limit, colors, kernel and shortcuts."""

    bl_idname = PACKAGE

    if TYPE_CHECKING:
        triangle_limit: int
        found_color: Color
        other_color: Color
        missed_color: Color
        first_color: Color
        probe_color: Color
        is_kernel_used: bool
        threads: int
    else:
        triangle_limit: IntProperty(
            name="Triangle Limit",
            description="Ask before reading more triangles than this for an octree or a question",
            default=Limits.triangles,
            min=1,
            soft_max=100_000_000,
        )
        found_color: _color_property(
            "Found",
            "Color of what a question found, and of cells that lie inside",
            Colors.found,
        )
        other_color: _color_property(
            "Other of a Pair",
            "Color of the second of a pair, of cells that a question crossed, and of distances",
            Colors.other,
        )
        missed_color: _color_property(
            "Not Found",
            "Color of what a question did not find, and of cells that lie outside",
            Colors.missed,
        )
        first_color: _color_property(
            "First of a Pair", "Color of what the active row is about", Colors.first
        )
        probe_color: _color_property(
            "Under the Pointer", "Color of what the probe would find", Colors.probe
        )
        is_kernel_used: BoolProperty(
            name="Compiled Kernel",
            description=(
                "Let the compiled kernel answer what it can, if it is there: the same answers as"
                " NumPy's, but faster"
            ),
            default=True,
            update=_switch_kernel,
        )
        threads: IntProperty(
            name="Threads",
            description=(
                "How many threads of the compiled kernel answer a large question. 0: as many as"
                " there are cores, but one, so that Blender stays quick"
            ),
            default=0,
            min=0,
            soft_max=64,
            update=_switch_kernel,
        )

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "triangle_limit")
        layout.label(text="Colors")
        for name in _COLORS:
            layout.prop(self, name)
        layout.prop(self, "is_kernel_used")
        layout.prop(self, "threads")
        version, reason = kernel_state()
        if version:
            layout.label(text="The kernel helps to answer")
            layout.label(text=f"octree-kernel {version}", translate=False)
        else:
            layout.label(text="NumPy answers alone")
            layout.label(text=reason, translate=False)
        layout.label(text="Shortcuts")
        shortcuts.draw(layout, context)


def apply_kernel() -> None:
    """Apply the preferences for the compiled kernel and its threads to the core."""
    preferences = _preferences()
    use_kernel(preferences is None or preferences.is_kernel_used)
    use_threads((preferences and preferences.threads) or None, spare=1)


def limits() -> Limits:
    """Return the user's limits, or the defaults where the add-on runs without preferences."""
    preferences = _preferences()
    return Limits(preferences.triangle_limit) if preferences else Limits()


def colors() -> Colors:
    """Return the user's colors, or the defaults where the add-on runs without preferences."""
    preferences = _preferences()
    if preferences is None:
        return Colors()
    return Colors(*(tuple(getattr(preferences, name)) for name in _COLORS))


def _preferences() -> Any:
    addons = bpy.context.preferences.addons
    return addons[PACKAGE].preferences if PACKAGE in addons else None


FEATURE = Feature(classes=(OctreePreferences,))
