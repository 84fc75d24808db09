"""Manifest of exported chunks as JSON: ids by Morton code, bounds, neighbors, files and hashes.

The next run reads it and leaves chunks with the same hash and intact files unchanged.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from ...core import Chunks
from ..chunks import ChunkOptions, SceneCut, parts_by_cell, shown_bounds
from ..shares import Chunk
from ..text_formats import json_file, read_head

FORMAT, VERSION = "octree chunks", 2
# `TEXTURES` is the folder of textures that the chunks share.
MANIFEST, TEXTURES = "manifest.json", "textures"
# Member of the manifest of a folder that holds one share of the work.
SHARE = "share"
_SIDES = ("-x", "+x", "-y", "+y", "-z", "+z")


class FolderShare(NamedTuple):
    """Share of the work in a folder: its number and count, and the SHA-1 of the blend file."""

    chunk: Chunk
    sha1: str


class KnownChunk(NamedTuple):
    """A chunk in a manifest: its hash, the hashes of its files by name, and all its members."""

    hash: str
    files: dict[str, str]
    members: dict[str, Any]


class KnownFolder(NamedTuple):
    """Contents of a folder of chunks, as its manifest lists them.

    Attributes
    ----------
    made : dict
        Format of the files, and the program that made them.
    chunks : dict of str to KnownChunk
        Chunks by id.
    others : frozenset of str
        Names of files about all chunks, and of files that an unfinished run was about to write or
        to delete.
    """

    made: dict[str, Any]
    chunks: dict[str, KnownChunk]
    others: frozenset[str]

    @property
    def owned(self) -> set[str]:
        """Names of all files that were written by this or an earlier export."""
        return {name for each in self.chunks.values() for name in each.files} | self.others


NOTHING = KnownFolder({}, {}, frozenset())


def code_bits(options: Mapping[str, Any]) -> int:
    """Return the number of bits by which the Morton code of a child is longer."""
    return 2 if options["tree"] == "QUADTREE" else 3


def side_neighbors(found: Chunks, names: Sequence[str]) -> list[dict[str, list[str]]]:
    """Return the names of the neighbors of each cell, by side from "-x" to "+z"."""
    near: list[dict[str, list[str]]] = [{side: [] for side in _SIDES} for _ in names]
    for cell, side, other in found.neighbors.T.tolist():
        near[cell][_SIDES[side]].append(names[other])
    return near


def chunk_members(cut: SceneCut, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the members of the manifest for each cell that do not depend on its files."""
    found = cut.found
    shift = code_bits(options)
    shown = (each.tolist() for each in shown_bounds(cut))
    near = side_neighbors(found, cut.names)
    return [
        {
            "id": name,
            "code": int(found.codes[cell]),
            "parent": int(found.codes[cell]) >> shift,
            "level": int(found.levels[cell]),
            "height": 0,
            "lower": found.lower[cell].tolist(),
            "upper": found.upper[cell].tolist(),
            "bounds": bounds,
            "over": bool(found.is_over[cell]),
            "objects": [part.source.label for part in parts],
            "neighbors": near[cell],
        }
        for cell, (name, parts, *bounds) in enumerate(
            zip(cut.names, parts_by_cell(cut), *shown, strict=True)
        )
    ]


def manifest_head(
    cut: SceneCut,
    options: ChunkOptions,
    file: str,
    meters: float,
    levels: int = 1,
    share: FolderShare | None = None,
) -> dict[str, Any]:
    """Return the manifest members about all cells; `meters` is the length of a Blender unit."""
    found = cut.found
    part = {} if share is None else {SHARE: {"chunk": [*share.chunk], "sha1": share.sha1}}
    return {
        "file": file,
        "options": options.values(),
        "levels": levels,
        "meters_per_unit": meters,
        "cell": found.cell,
        "root": {"lower": found.root_lower.tolist(), "size": found.root_size},
        **part,
    }


def manifest_text(
    head: Mapping[str, Any],
    made: Mapping[str, Any],
    chunks: Sequence[Mapping[str, Any]],
    index: Iterable[str],
    unfinished: Iterable[str] = (),
) -> str:
    """Return the manifest as JSON."""
    going, also = sorted(unfinished), sorted(index)
    return json_file(
        {
            "format": FORMAT,
            "version": VERSION,
            "made": dict(made),
            **head,
            **({"index": also} if also else {}),
            **({"unfinished": going} if going else {}),
            "chunks": list(chunks),
        }
    )


def read_manifest(content: str | bytes) -> KnownFolder:
    """Return the contents of a manifest; raise `ValueError` if it is invalid.

    File names that no export would write, such as those outside the folder, are left out.
    """
    head = read_head(content, FORMAT, VERSION)
    try:
        chunks = {
            str(each["id"]): KnownChunk(
                str(each["hash"]),
                {str(name): str(sums) for name, sums in each["files"].items() if is_ours(name)},
                dict(each),
            )
            for each in head["chunks"]
        }
        others = (*head.get("index", []), *head.get("unfinished", []))
        names = frozenset(name for name in others if is_ours(name))
        return KnownFolder(dict(head["made"]), chunks, names)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"This is no manifest of chunks: {error!r} is amiss") from None


def read_share(head: Mapping[str, Any]) -> FolderShare | None:
    """Return the share that a manifest describes; None if its folder holds the whole export."""
    if SHARE not in head:
        return None
    try:
        number, count = head[SHARE]["chunk"]
        return FolderShare((int(number), int(count)), str(head[SHARE]["sha1"]))
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"This is no share of chunks: {error!r} is amiss") from None


def is_ours(name: str) -> bool:
    """Return whether an export may write this name: in the folder, or in that of textures."""
    parts = PurePosixPath(name).parts
    if not parts or name != "/".join(parts) or parts[-1].startswith(".") or name == MANIFEST:
        return False
    return not set(name) & set('\\:<>"|?*') and (len(parts) == 1 or parts[:-1] == (TEXTURES,))
