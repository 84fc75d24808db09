"""Merge of folders of chunks, each the share of one machine, into one of all chunks."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from ..shares import check_asked, check_chunks
from ..text_formats import read_head
from .folder import ChunkFiles, are_there
from .manifest import (
    FORMAT,
    MANIFEST,
    SHARE,
    VERSION,
    FolderShare,
    read_manifest,
    read_share,
)
from .shipping import FORMS, Shipment, ShipmentWish

# Of what a manifest says what is not of all cells, or of the format.
_OF_FOLDERS = ("format", "version", "made", "chunks", SHARE)


class ShareFolder(NamedTuple):
    """A share: where it is, what its manifest says, and what it is a share of."""

    folder: Path
    manifest: dict[str, Any]
    share: FolderShare


def read_share_folder(folder: Path) -> ShareFolder:
    """Return a share that was written whole.

    Raises
    ------
    ValueError
        If it is none, was not finished, or a file of it is another one or gone.
    OSError
        If there is no manifest.
    """
    content = (folder / MANIFEST).read_bytes()
    known = read_manifest(content)
    manifest = read_head(content, FORMAT, VERSION)
    share = read_share(manifest)
    if share is None:
        raise ValueError("it was not written with --chunk")
    if "unfinished" in manifest:
        raise ValueError("it was not finished: write it once more")
    for each, said in zip(known.chunks.values(), manifest["chunks"], strict=True):
        if each.files != said["files"] or not are_there(folder, each.files):
            raise ValueError(f"a file is gone or damaged: one of {', '.join(said['files'])}")
    return ShareFolder(folder, manifest, share)


def merged_shipment(shares: Sequence[ShareFolder], wish: ShipmentWish) -> Shipment:
    """Return all shares as one shipment, which is the whole to the byte once it is put.

    Raises
    ------
    ValueError
        If one is missing or there twice, if they are of different files or options, or written as
        something else than is wished.
    """
    told = [
        {name: each for name, each in manifest.items() if name not in ("chunks", SHARE)}
        | {"sha1": share.sha1}
        for _, manifest, share in shares
    ]
    check_asked(told, "These are chunks of different exports")
    check_chunks([share.chunk for _, _, share in shares])
    made = shares[0].manifest["made"]
    if made["form"] != wish.form:
        raise ValueError(f"The chunks are written as {made['form']}, not as {wish.form}")
    head = {name: each for name, each in shares[0].manifest.items() if name not in _OF_FOLDERS}
    shipment = Shipment(wish.folder, head, made, TemporaryDirectory(prefix="octree_chunks_"))
    try:
        for each in sorted(shares, key=lambda each: each.share.chunk):
            _add(shipment, each)
        shipment.index.update(FORMS[wish.form].overview(shipment, wish.georeference))
    except BaseException:
        shipment.place.cleanup()
        raise
    return shipment


def _add(shipment: Shipment, share: ShareFolder) -> None:
    for said in share.manifest["chunks"]:
        members = {name: each for name, each in said.items() if name not in ("files", "hash")}
        files = said["files"]
        shipment.chunks.append(ChunkFiles(members, said["hash"], files))
        for name, wanted in files.items():
            if not are_there(shipment.folder, {name: wanted}):
                shipment.staged.setdefault(name, share.folder / name)
