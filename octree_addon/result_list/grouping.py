"""Group and Ungroup: named groups of rows, which are carried over when a question is repeated."""

from typing import Any, TypeVar

import bpy

from ..answers.groups import grouped
from ..answers.kept import active_result, view_of, write_groups
from ..arrays import Ids
from ..options import Asking, string
from ..ui import Status, plural, settings_of, tag_redraw
from .choosing import NO_ROWS, pick, picked_rows, rows_meant
from .operators import ResultOperator, RowOptions

_USUAL = "Group"


class GroupOptions(RowOptions):
    """The rows, and the name of their group."""

    group: str = string(
        "",
        "Group",
        "Name of the group; rows are added to one of this name",
        options={"SKIP_SAVE"},
    )


Grouped = TypeVar("Grouped", bound=RowOptions)


class GroupingOperator(Asking[Grouped], ResultOperator):
    """An operator that changes the group of rows; a mixin."""

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        other = super().obstacle(context)
        if other:
            return other
        result, row = active_result(context.scene), settings_of(context.scene).results.row
        is_any = row >= 0 or len(picked_rows(context.scene, result))
        return "" if is_any else "Click rows first, with Shift or Ctrl for several"

    def meant(self, scene: bpy.types.Scene, result: Any) -> Ids:
        """Return the rows whose group changes: the picked rows, or the active ones."""
        return rows_meant(scene, result, self.taken.rows, "ACTIVE")

    def regroup(self, scene: bpy.types.Scene, result: Any, rows: Ids, name: str) -> None:
        """Move rows into a group, and make its header the active line.

        An empty name takes the rows out of their groups; the first of them becomes active.
        """
        groups = grouped(view_of(scene, result).groups, rows, name)
        write_groups(scene, result, groups)
        pick(result, NO_ROWS)
        settings = settings_of(scene).results
        names = view_of(scene, result).folds.names
        line = result.count + names.index(name) if name else int(rows[0])
        if settings.row != line:
            settings.row = line
        tag_redraw()


class OCTREE_OT_group_rows(GroupingOperator[GroupOptions], bpy.types.Operator):
    """Put rows into a group with a name."""

    bl_idname = "octree.group_rows"
    bl_label = "Group Result Rows"
    bl_description = (
        "Put the picked rows, or the active one, into a group with a name. It folds in the list"
        " and in reports, is one topic in BCF, and stays with what is found again. A group that is"
        " active is renamed"
    )
    button = "Group"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        """Ask for the name; the default is the name of the group, or a new one."""
        scene, result = context.scene, active_result(context.scene)
        try:
            rows = self.meant(scene, result)
        except ValueError as error:
            return self.refuse(error)
        if not self.taken.group:
            self.put(group=offered_name(scene, result, rows))
        if bpy.app.background:
            return self.execute(context)
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, context: bpy.types.Context) -> None:
        column = self.layout.column()
        column.use_property_split, column.use_property_decorate = True, False
        column.activate_init = True  # the text field has the focus
        column.prop(self, "group")

    def use(self, context: bpy.types.Context, result: Any) -> str:
        rows = self.meant(context.scene, result)
        name = " ".join(self.taken.group.split()) or offered_name(context.scene, result, rows)
        self.regroup(context.scene, result, rows, name)
        return f"{plural(len(rows), 'row')} in {name}"


def offered_name(scene: bpy.types.Scene, result: Any, rows: Ids) -> str:
    """Return the name of the group of exactly these rows, or an unused name."""
    groups = view_of(scene, result).groups
    chosen = set(rows.tolist())
    for name, members in groups.items():
        if chosen == set(members):
            return name
    numbered = (f"{_USUAL} {number}" for number in range(1, len(groups) + 2))
    return next(name for name in numbered if name not in groups)


class OCTREE_OT_ungroup_rows(GroupingOperator[RowOptions], bpy.types.Operator):
    """Take rows out of their groups."""

    bl_idname = "octree.ungroup_rows"
    bl_label = "Ungroup Result Rows"
    bl_description = "Take the picked rows, or the active group or row, out of their groups"

    def use(self, context: bpy.types.Context, result: Any) -> str:
        rows = self.meant(context.scene, result)
        groups = view_of(context.scene, result).groups.values()
        count = len({row for members in groups for row in members}.intersection(rows.tolist()))
        if not count:
            raise ValueError("None of these rows is in a group")
        self.regroup(context.scene, result, rows, "")
        return f"{plural(count, 'row')} in no group"
