"""Chunks exported step by step: of each cell its hash, and files of what has changed, staged.

Nothing in the file of the user changes, and nothing in the folder until all is staged.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import bpy
import numpy as np

from ...core import Steps
from ..cameras.frames import unkeyed_values, write_values
from ..chunks import CHUNK, SOURCE, CellFiles, Made, SceneCut, parts_by_cell
from ..scene_index import preserving_staleness
from ..ui import length_unit
from ..written_files import write_file
from .blends import blend_content
from .folder import ChunkFiles, PutCounts, are_there, content_hash, known_folder, put_chunks
from .georeference import Georeference
from .gltf import glb_files, gltf_files, gltf_maker
from .manifest import FolderShare, chunk_members, manifest_head
from .tileset import TILESET, LeafTile, tileset_text
from .twins import CellStage, Digests


class StagedCell(NamedTuple):
    """A cell whose files are made.

    Attributes
    ----------
    number : int
        Which of the cut.
    name : str
        Its id.
    stage : CellStage
        Its chunks.
    meters : float
        The length of a Blender unit.
    folder : Path
        An empty one for whatever writes files.
    """

    number: int
    name: str
    stage: CellStage
    meters: float
    folder: Path


class ShipmentWish(NamedTuple):
    """What chunks are written as, a name of `FORMS`, and where to; for tiles a georeference.

    `share` says that the folder is to be merged with others: nothing in it is about all cells.
    """

    form: str
    folder: Path
    georeference: Georeference | None = None
    share: FolderShare | None = None


MakeFiles = Callable[[StagedCell], dict[str, bytes]]


@dataclass
class Shipment:
    """Chunks that are ready to be put into a folder; it holds staged files until it is gone.

    Attributes
    ----------
    folder : Path
        Where they go.
    head, made : dict
        What the manifest says of all of them.
    chunks : list of ChunkFiles
        All of them.
    staged : dict of str to Path
        New contents of files.
    place : TemporaryDirectory
        Where these are.
    index : dict of str to str
        Texts of files that are about all chunks.
    """

    folder: Path
    head: dict[str, Any]
    made: dict[str, Any]
    place: "TemporaryDirectory[str]"
    chunks: list[ChunkFiles] = field(default_factory=list)
    staged: dict[str, Path] = field(default_factory=dict)
    index: dict[str, str] = field(default_factory=dict)

    def put(self) -> PutCounts:
        """Write the folder; the staged files are gone then."""
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
    options: Mapping[str, Any],
    wish: ShipmentWish,
) -> Steps[Shipment]:
    """Make the files of all cells that have changed; yield the fraction done.

    Parameters
    ----------
    scene : bpy.types.Scene
        That was cut.
    cut : SceneCut
        Its cells and their parts.
    made : Made
        The objects of the parts, new ones and those that stayed.
    options : Mapping of str to Any
        What it was cut with.
    wish : ShipmentWish
        As what it is written, and where to.

    Raises
    ------
    ValueError
        If Blender cannot write this.
    """
    meters = length_unit(scene)[1]
    head = manifest_head(cut, options, Path(bpy.data.filepath).name, meters, wish.share)
    form = FORMS[wish.form]
    making = {"form": wish.form, "by": form.maker(), "meters_per_unit": meters}
    place = TemporaryDirectory(prefix="octree_chunks_", dir=bpy.app.tempdir or None)
    shipment = Shipment(wish.folder, head, making, place)
    everything = (*(item for _, item in made.fresh), *made.kept)
    items = {(item[SOURCE], item[CHUNK]): item for item in everything}
    try:
        with _undisturbed():
            yield from _staged_steps(scene, shipment, cut, items, form)
        if wish.share is None:
            shipment.index.update(form.overview(shipment, wish.georeference))
    except BaseException:
        place.cleanup()
        raise
    return shipment


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Keep what was changed without a key: a scene that is shown again is evaluated anew."""
    values = unkeyed_values(bpy.context.scene)
    with preserving_staleness(bpy.context.view_layer):
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
) -> Steps[None]:
    known, meters = known_folder(shipment.folder), length_unit(scene)[1]
    chunks = known.chunks if known.made == shipment.made else {}
    members, make = chunk_members(cut, shipment.head["options"]), form.files(cut)
    digests, by_cell = Digests(), parts_by_cell(cut)
    for number in cut.own:
        name, parts = cut.names[number], by_cell[number]
        there = [items[part.source.label, name] for part in parts]
        stage = CellStage(parts, there, cut.matrices, digests, scene)
        try:
            sums = content_hash(b"".join(each.digest for each in stage.shown))
            former = chunks.get(name)
            if former and former.hash == sums and are_there(shipment.folder, former.files):
                files = former.files
            else:
                place = Path(shipment.place.name) / str(number)
                place.mkdir()
                made = make(StagedCell(number, name, stage, meters, place))
                files = _staged(shipment, made)
        finally:
            stage.close()
        shipment.chunks.append(ChunkFiles(members[number], sums, files))
        yield (number + 1 - cut.own.start) / len(cut.own)


def _staged(shipment: Shipment, made: Mapping[str, bytes]) -> dict[str, str]:
    """Put files aside, each once, and return their hashes."""
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
        return {f"{cell.name}.npz": files.content(cell.number, names), **blend(cell)}

    return made


def _no_index(*_: Any) -> dict[str, str]:
    return {}


def _tileset(shipment: Shipment, georeference: Georeference | None) -> dict[str, str]:
    meters, leaves = shipment.made["meters_per_unit"], []
    for members, _, files in shipment.chunks:
        lower, upper = meters * np.array(members["bounds"])
        leaves.append(LeafTile(members["code"], next(iter(files)), lower, upper))
    bits = 2 if shipment.head["options"]["tree"] == "QUADTREE" else 3
    return {TILESET: tileset_text(leaves, bits, georeference)}


def blend_maker() -> str:
    """Return what writes blend files here, with its version."""
    return f"Blender {bpy.app.version_string}"


class Form(NamedTuple):
    """What chunks are written as.

    Attributes
    ----------
    maker : callable
        Returns what writes them, with its version; a `ValueError` says that there is none.
    files : callable
        Takes the cut; returns what makes the files of a cell, by name.
    overview : callable
        Takes all that is known of all cells; returns the texts of files about these, by name.
    """

    maker: Callable[[], str]
    files: Callable[[SceneCut], MakeFiles]
    overview: Callable[[Shipment, Georeference | None], dict[str, str]] = _no_index


FORMS: Mapping[str, Form] = {
    "gltf": Form(gltf_maker, _gltf),
    "glb": Form(gltf_maker, _glb),
    "tiles": Form(gltf_maker, _glb, _tileset),
    "blend": Form(blend_maker, _blend),
    "arrays": Form(blend_maker, _arrays),
}
