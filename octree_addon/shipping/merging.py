"""Merge of the folders that several machines have written, each with one share of the chunks."""

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

# Members of a manifest that describe its own folder or format, not the whole export.
_OF_FOLDERS = ("format", "version", "made", "chunks", SHARE)


class ShareFolder(NamedTuple):
    """Folder with one share of the chunks, its manifest, and the share that this describes."""

    folder: Path
    manifest: dict[str, Any]
    share: FolderShare


def read_share_folder(folder: Path) -> ShareFolder:
    """Return a share whose files are complete.

    Raises
    ------
    ValueError
        If the manifest is invalid, describes no share, or was not finished, or if a file is
        missing or has changed.
    OSError
        If the manifest cannot be read.
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
    """Return all shares as one export, equal byte for byte to one made without shares.

    Raises
    ------
    ValueError
        If a share is missing or given twice, if the shares differ in blend file or options, or if
        their format is not that of `wish`.
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
