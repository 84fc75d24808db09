"""Export: operators that ask for a file, and write it by its extension or format."""

from pathlib import Path
from typing import Any, TypeVar

import bpy

from .options import Asking, OptionGroup, boolean, string
from .ui import Mixin, Status
from .written_files import Writer, Writers, require_file, write_file, writer_of

# From 4.5 on a path that may begin with "//", the folder of the file, has to say so.
FILE_PATH: Any = {"PATH_SUPPORTS_BLEND_RELATIVE"} if bpy.app.version >= (4, 5) else set()


class FileOptions(OptionGroup):
    """The file that is written."""

    filepath: str = string(
        "",
        "File",
        "Path of the .csv or .json file",
        subtype="FILE_PATH",
        options=FILE_PATH,
    )
    check_existing: bool = boolean(True, "", "", options={"HIDDEN", "SKIP_SAVE"})
    filter_glob: str = string("*.csv;*.json", "", "", options={"HIDDEN", "SKIP_SAVE"})


Filed = TypeVar("Filed", bound=FileOptions)


class FileExport(Asking[Filed], Mixin):
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

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        if not self.taken.filepath:
            blend = Path(bpy.data.filepath or "untitled.blend")
            self.put(filepath=str(blend.with_name(f"{blend.stem}_{self.stem}{self.ending}")))
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def chosen(self, writers: Writers, form: str = "") -> tuple[Path, Writer]:
        """Return the place of the file and what writes it, before any work.

        A `ValueError` says that none does, an `OSError` that nothing can be written there.
        """
        path = Path(bpy.path.abspath(self.taken.filepath))
        writer = writer_of(writers, path, form)
        require_file(path)
        return path, writer

    def write(self, path: Path, writer: Writer, *data: Any, said: str) -> str:
        """Write a file whole, and return what to report: where, and what it holds."""
        write_file(path, writer.content(*data))
        return f"Written to {path}: {said}"
