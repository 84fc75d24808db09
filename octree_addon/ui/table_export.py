"""Export: operators that ask for a file, and write CSV or JSON by its extension."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, StringProperty

from ..written_files import write_texts
from .operators import Mixin, Status

# From 4.5 on a path that may begin with "//", the folder of the file, has to say so.
FILE_PATH: Any = {"PATH_SUPPORTS_BLEND_RELATIVE"} if bpy.app.version >= (4, 5) else set()


class TableExport(Mixin):
    """The part of an operator that asks for a file and writes it; a mixin.

    Attributes
    ----------
    stem : str
        What is added to the name of the blend file, for the name that is offered.
    ending : str
        The extension of that name.
    """

    stem: str
    ending = ".csv"

    if TYPE_CHECKING:
        filepath: str
        check_existing: bool
        filter_glob: str
    else:
        filepath: StringProperty(
            name="File",
            description="Path of the .csv or .json file",
            subtype="FILE_PATH",
            options=FILE_PATH,
        )
        check_existing: BoolProperty(default=True, options={"HIDDEN", "SKIP_SAVE"})
        filter_glob: StringProperty(default="*.csv;*.json", options={"HIDDEN", "SKIP_SAVE"})

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        if not self.filepath:
            blend = Path(bpy.data.filepath or "untitled.blend")
            self.filepath = str(blend.with_name(f"{blend.stem}_{self.stem}{self.ending}"))
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def write(self, tables: Mapping[str, Callable[..., str]], *data: Any) -> Path:
        """Write the table of a file extension; a `ValueError` if there is none of it."""
        path = Path(bpy.path.abspath(self.filepath))
        table = tables.get(path.suffix.lower())
        if table is None:
            raise ValueError(f"The name of the file does not end in {' or '.join(tables)}")
        write_texts(path, [table(*data)])
        return path
