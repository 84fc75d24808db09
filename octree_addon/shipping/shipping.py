"""Export of chunks in steps: hashes of all cells, and temporary files for those that changed.

The user's file stays unchanged, and so does the folder until all temporary files are complete.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import bpy
import numpy as np

from ...core import Steps, between
from ..cameras.frames import unkeyed_values, write_values
from ..chunks import CHUNK, SOURCE, CellFiles, ChunkOptions, Made, SceneCut, parts_by_cell
from ..scene_index import changed_back
from ..ui import length_unit
from ..written_files import write_file
from .blends import blend_content
from .folder import ChunkFiles, PutCounts, are_there, content_hash, known_folder, put_chunks
from .georeference import Georeference
from .gltf import glb_files, gltf_files, gltf_maker
from .levels import LevelRoom
from .manifest import FolderShare, chunk_members, code_bits, manifest_head
from .parents import parent_cells
from .tileset import TILESET, ContentTile, tileset_text
from .twins import CellStage, Digests


class StagedCell(NamedTuple):
    """A cell whose files are to be made.

    Attributes
    ----------
    number : int or None
        Number of the cell in the cut; None for a cell of a coarser level.
    name : str
        Id of the cell.
    stage : CellStage
        The evaluated chunks of the cell.
    meters : float
        Length of a Blender unit.
    folder : Path
        Empty folder for exporters.
    """

    number: int | None
    name: str
    stage: CellStage
    meters: float
    folder: Path


class ShipmentWish(NamedTuple):
    """Format, folder and options of an export.

    `form` is a name in `FORMS`; only tiles use the georeference. `levels` is the number of levels
    of detail; 1 means chunks only. With `share`, the folder holds one share of the work, and files
    about all cells are left out until the shares are merged.
    """

    form: str
    folder: Path
    georeference: Georeference | None = None
    levels: int = 1
    share: FolderShare | None = None


MakeFiles = Callable[[StagedCell], dict[str, bytes]]


@dataclass
class Shipment:
    """An export ready to be written to its folder; owns the temporary files until `put`.

    Attributes
    ----------
    folder : Path
        Folder of the export.
    head, made : dict
        Members of the manifest about the whole export and about the making of its files.
    place : TemporaryDirectory
        Folder of the temporary files.
    chunks : list of ChunkFiles
        All chunks, followed by the cells of coarser levels.
    staged : dict of str to Path
        Temporary files with new contents, by final name.
    index : dict of str to str or bytes
        Contents of files about all chunks, by name.
    """

    folder: Path
    head: dict[str, Any]
    made: dict[str, Any]
    place: "TemporaryDirectory[str]"
    chunks: list[ChunkFiles] = field(default_factory=list)
    staged: dict[str, Path] = field(default_factory=dict)
    index: dict[str, str | bytes] = field(default_factory=dict)

    def put(self) -> PutCounts:
        """Write the folder, and remove the temporary files."""
        try:
            return put_chunks(
                self.folder, self.head, self.made, self.chunks, self.staged, self.index
            )
        finally:
            self.place.cleanup()


def ship_steps(
    scene: bpy.types.Scene,
    cut: SceneCut,
    made: Made,
    options: ChunkOptions,
    wish: ShipmentWish,
) -> Steps[Shipment]:
    """Make the files of all cells that have changed; yield the fraction done.

    Parameters
    ----------
    scene : bpy.types.Scene
        The scene that was cut.
    cut : SceneCut
        Its cells and their parts.
    made : Made
        The objects of the parts, new and unchanged ones.
    options : ChunkOptions
        The options of the cut.
    wish : ShipmentWish
        Format, folder and options of the export.

    Raises
    ------
    ValueError
        If Blender cannot write this format.
    """
    meters = length_unit(scene)[1]
    file = Path(bpy.data.filepath).name
    head = manifest_head(cut, options, file, meters, wish.levels, wish.share)
    form = FORMS[wish.form]
    making = {"form": wish.form, "by": form.maker(), "meters_per_unit": meters}
    place = TemporaryDirectory(prefix="octree_chunks_", dir=bpy.app.tempdir or None)
    shipment = Shipment(wish.folder, head, making, place)
    everything = (*(item for _, item in made.fresh), *made.kept)
    items = {(item[SOURCE], item[CHUNK]): item for item in everything}
    try:
        with _undisturbed():
            yield from _staged_steps(scene, shipment, cut, items, form, wish.levels)
        if wish.share is None:
            shipment.index.update(form.overview(shipment, wish.georeference))
    except BaseException:
        place.cleanup()
        raise
    return shipment


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Restore values without a keyframe, which Blender loses when it shows the scene again."""
    values = unkeyed_values(bpy.context.scene)
    with changed_back(bpy.context.view_layer):
        try:
            yield
        finally:
            bpy.context.view_layer.update()
            write_values(values)


def _staged_steps(
    scene: bpy.types.Scene,
    shipment: Shipment,
    cut: SceneCut,
    items: Mapping[tuple[str, str], bpy.types.Object],
    form: "Form",
    levels: int,
) -> Steps[None]:
    known, meters = known_folder(shipment.folder), length_unit(scene)[1]
    chunks = known.chunks if known.made == shipment.made else {}
    options = shipment.head["options"]
    members, make = chunk_members(cut, options), form.files(cut)
    digests, bits, parts = Digests(), code_bits(options), parts_by_cell(cut)
    parents = parent_cells(cut, levels, bits)
    count = len(cut.own) + len(parents)

    def stage_of(cell: int) -> CellStage:
        there = [items[part.source.label, cut.names[cell]] for part in parts[cell]]
        return CellStage(parts[cell], there, cut.matrices, digests, scene)

    def written(number: int | None, name: str, stage: CellStage) -> dict[str, str]:
        place = Path(shipment.place.name) / name
        place.mkdir()
        return _staged(shipment, make(StagedCell(number, name, stage, meters, place)))

    for number in cut.own:
        name, stage = cut.names[number], stage_of(number)
        try:
            sums = content_hash(b"".join(each.digest for each in stage.shown))
            former = chunks.get(name)
            if former and former.hash == sums and are_there(shipment.folder, former.files):
                files = former.files
            else:
                files = written(number, name, stage)
            said = members[number] | {"triangles": stage.triangle_count}
        finally:
            stage.close()
        shipment.chunks.append(ChunkFiles(said, sums, files))
        yield (number + 1 - cut.own.start) / count
    if parents:
        kept = {
            name: each for name, each in chunks.items() if are_there(shipment.folder, each.files)
        }
        room = LevelRoom(cut, parents, kept, meters, stage_of)
        making = room.steps(shipment.chunks, lambda *cell: written(None, *cell))
        shipment.chunks += yield from between(len(cut.own) / count, 1.0, making)


def _staged(shipment: Shipment, made: Mapping[str, bytes]) -> dict[str, str]:
    """Write new contents to temporary files, each once; return the hashes of all."""
    hashes = {name: content_hash(content) for name, content in made.items()}
    for name, content in made.items():
        if name not in shipment.staged and not are_there(shipment.folder, {name: hashes[name]}):
            path = Path(shipment.place.name) / f"{len(shipment.staged)}.staged"
            write_file(path, content)
            shipment.staged[name] = path
    return hashes


def _gltf(_: SceneCut) -> MakeFiles:
    def made(cell: StagedCell) -> dict[str, bytes]:
        twins = cell.stage.twins(cell.meters)
        return gltf_files(cell.stage.scene, twins, cell.name, cell.folder)

    return made


def _glb(_: SceneCut) -> MakeFiles:
    def made(cell: StagedCell) -> dict[str, bytes]:
        twins = cell.stage.twins(cell.meters)
        return glb_files(cell.stage.scene, twins, cell.name, cell.folder)

    return made


def _blend(_: SceneCut) -> MakeFiles:
    def made(cell: StagedCell) -> dict[str, bytes]:
        return {f"{cell.name}.blend": blend_content(cell.stage.items, cell.name, cell.folder)}

    return made


def _arrays(cut: SceneCut) -> MakeFiles:
    files, blend = CellFiles(cut), _blend(cut)
    names = {each.session_uid: each.name for each in bpy.data.materials}

    def made(cell: StagedCell) -> dict[str, bytes]:
        if cell.number is None:
            content = cell.stage.arrays()
        else:
            content = files.content(cell.number, names)
        return {f"{cell.name}.npz": content, **blend(cell)}

    return made


def _no_index(*_: Any) -> dict[str, str | bytes]:
    return {}


def _tileset(shipment: Shipment, georeference: Georeference | None) -> dict[str, str | bytes]:
    bits = code_bits(shipment.head["options"])
    return {TILESET: tileset_text(_contents(shipment), bits, georeference)}


def _contents(shipment: Shipment) -> list[ContentTile]:
    """Return the cells of all levels as tiles, in meters."""
    meters, found = shipment.made["meters_per_unit"], []
    for said, _, files in shipment.chunks:
        (uri,) = files
        least, most = meters * np.array(said["bounds"])
        found.append(ContentTile(said["code"], uri, least, most, said.get("geometricError", 0.0)))
    return found


def blend_maker() -> str:
    """Return the name and version of the writer of blend files."""
    return f"Blender {bpy.app.version_string}"


class Form(NamedTuple):
    """A format of chunk files.

    Attributes
    ----------
    maker : callable
        Return the name and version of the writer; raise `ValueError` if it is not available.
    files : callable
        Take a cut; return the function that makes the files of a cell, by name.
    overview : callable
        Take a shipment and a georeference; return the contents of files about all cells, by name.
    """

    maker: Callable[[], str]
    files: Callable[[SceneCut], MakeFiles]
    overview: Callable[[Shipment, Georeference | None], dict[str, str | bytes]] = _no_index


FORMS: Mapping[str, Form] = {
    "gltf": Form(gltf_maker, _gltf),
    "glb": Form(gltf_maker, _glb),
    "tiles": Form(gltf_maker, _glb, _tileset),
    "blend": Form(blend_maker, _blend),
    "arrays": Form(blend_maker, _arrays),
}
