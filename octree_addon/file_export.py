"""File export: base of operators that ask for a file, and write it in a format."""

from pathlib import Path
from typing import Any, TypeVar

import bpy

from .options import Asking, OptionGroup, boolean, string
from .ui import Mixin, Status
from .written_files import Writer, Writers, require_file, write_file, writer_of

# Since Blender 4.5, properties need this option to accept paths relative to the file ("//").
FILE_PATH: Any = {"PATH_SUPPORTS_BLEND_RELATIVE"} if bpy.app.version >= (4, 5) else set()


class FileOptions(OptionGroup):
    """The file to write, and the options of Blender's file browser."""

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
    """An operator that asks for a file and writes it; a mixin.

    Attributes
    ----------
    stem : str
        Suffix that the default name adds to the name of the blend file.
    ending : str
        Extension of the default name.
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
        """Return the path of the file and its writer, to be called before any work.

        Raises a `ValueError` if no writer fits, and an `OSError` if the file cannot be written.
        """
        path = Path(bpy.path.abspath(self.taken.filepath))
        writer = writer_of(writers, path, form)
        require_file(path)
        return path, writer

    def write(self, path: Path, writer: Writer, *data: Any, said: str) -> str:
        """Write the file, and return the report; `said` describes the content."""
        write_file(path, writer.content(*data))
        return f"Written to {path}: {said}"
