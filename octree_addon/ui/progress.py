"""Progress bar with Cancel in place of the running operator's button; others are disabled."""

from typing import NamedTuple

import bpy

from .operators import RefusingOperator, Status


class Working(NamedTuple):
    """The progress of a running operator.

    Attributes
    ----------
    name : str
        The operator, such as "octree.find_seen".
    part : float
        The fraction done, from 0 to 1.
    text : str
        The label of the work.
    """

    name: str
    part: float
    text: str


# The progress that is shown, if any; names of operators whose Cancel was pressed.
_working: list[Working] = []
_cancelled: set[str] = set()


def show_progress(name: str, part: float, text: str) -> None:
    """Show the progress of an operator; sidebars are redrawn at each percent.

    If several operators run at once, the first one is shown until it ends.
    """
    before = working()
    if before is not None and before.name != name:
        return
    _working[:] = [Working(name, part, text)]
    if before is None or (before.text, f"{before.part:.0%}") != (text, f"{part:.0%}"):
        redraw_sidebars()


def end_progress(name: str = "") -> None:
    """Show the buttons again after this operator, by default any; forget its Cancel."""
    now = working()
    _cancelled.difference_update({name} if name else set(_cancelled))
    if now is not None and name in ("", now.name):
        _working.clear()
        redraw_sidebars()


def working() -> Working | None:
    """Return the progress of the running operator; None if none runs."""
    return _working[0] if _working else None


def is_cancelled(name: str) -> bool:
    """Return whether Cancel was pressed since this operator began."""
    return name in _cancelled


def redraw_sidebars() -> None:
    """Redraw the sidebars of all 3D views, and nothing else."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            for region in area.regions if area.type == "VIEW_3D" else ():
                if region.type == "UI":
                    region.tag_redraw()


def is_over_tab(context: bpy.types.Context, event: bpy.types.Event) -> bool:
    """Return whether the pointer is over the tab Octree, where only Cancel is enabled."""
    for area in context.screen.areas if context.screen else ():
        for region in area.regions if area.type == "VIEW_3D" else ():
            x, y = event.mouse_x - region.x, event.mouse_y - region.y
            if region.type == "UI" and 0 <= x < region.width and 0 <= y < region.height:
                return getattr(region, "active_panel_category", "") == "Octree"
    return False


class OCTREE_OT_cancel_work(RefusingOperator, bpy.types.Operator):
    """Stop the running operator."""

    bl_idname = "octree.cancel_work"
    bl_label = "Cancel"
    bl_description = "Stop, and leave everything as it was, as Esc does"
    bl_options = {"INTERNAL"}

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        return "" if working() else "Nothing is at work"

    def execute(self, context: bpy.types.Context) -> Status:
        if (now := working()) is not None:
            _cancelled.add(now.name)
        return {"FINISHED"}
