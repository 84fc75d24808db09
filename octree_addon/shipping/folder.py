"""Folders of chunks: staged files are put in place, one by one whole; nobody else's are touched.

Before the first file is put, the manifest says which are about to be: a run that was ended in the
middle leaves no file that the next one does not know. Nor do two that write at once: the last one
keeps in its manifest what the other has put meanwhile.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha1
from pathlib import Path
from typing import Any, NamedTuple

from ..written_files import write_file
from .manifest import MANIFEST, NOTHING, KnownFolder, manifest_text, read_manifest


class ChunkFiles(NamedTuple):
    """A chunk to be put: what the manifest says of it, its hash, and its files by name.

    `files` are hashes of their contents. Where a chunk is as it was, nothing of it is staged.
    """

    members: Mapping[str, Any]
    hash: str
    files: Mapping[str, str]

    def described(self) -> dict[str, Any]:
        """Return all that the manifest says."""
        files = dict(sorted(self.files.items()))
        return {**self.members, "files": files, "hash": self.hash}


class PutCounts(NamedTuple):
    """How many chunks there are, how many were written, and how many files were deleted."""

    chunks: int
    written: int
    deleted: int


def content_hash(content: bytes) -> str:
    """Return the hash of a file."""
    return sha1(content, usedforsecurity=False).hexdigest()


def known_folder(folder: Path) -> KnownFolder:
    """Return what an earlier run has left in a folder; nothing without a manifest of ours."""
    try:
        return read_manifest((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return NOTHING


def are_there(folder: Path, files: Mapping[str, str]) -> bool:
    """Tell whether all files are in a folder as they were written."""
    return all(_is_there(folder / name, sums) for name, sums in files.items())


def _is_there(path: Path, sums: str) -> bool:
    try:
        return content_hash(path.read_bytes()) == sums
    except OSError:
        return False


def put_chunks(
    folder: Path,
    head: Mapping[str, Any],
    made: Mapping[str, Any],
    chunks: Sequence[ChunkFiles],
    staged: Mapping[str, Path],
    index: Mapping[str, str | bytes],
) -> PutCounts:
    """Write a folder of chunks: what is staged, and the manifest; delete what is no more.

    Parameters
    ----------
    folder : Path
        Made if need be.
    head, made : Mapping of str to Any
        What the manifest says of all chunks, and of how they were made.
    chunks : sequence of ChunkFiles
        All of them.
    staged : Mapping of str to Path
        Where the new contents of files are; the other files stay as they are.
    index : Mapping of str to str or bytes
        Contents of files that are about all chunks.

    Raises
    ------
    OSError
        If a file cannot be written; those before it are, and the next run goes on from there.
    """
    known = known_folder(folder)
    wanted = {name for each in chunks for name in each.files} | index.keys()
    changed = {name: text for name, text in index.items() if not _is_written(folder / name, text)}
    gone = known.owned - wanted
    fresh = [each for each in chunks if each.files.keys() & staged.keys()]
    described = [each.described() for each in chunks]
    # Only files of `described` chunks of these ids are vouched for until the end.
    going = {id(each) for each in fresh}
    kept = [said for each, said in zip(chunks, described, strict=True) if id(each) not in going]
    folder.mkdir(parents=True, exist_ok=True)
    if staged or gone or changed:
        going_on = {*staged, *gone, *changed}
        _write_manifest(folder, manifest_text(head, made, kept, index, going_on))
    for name, path in staged.items():
        (folder / name).parent.mkdir(exist_ok=True)
        write_file(folder / name, path.read_bytes())
    for name, text in changed.items():
        write_file(folder / name, text)
    deleted = sum(_delete(folder, name) for name in sorted(gone))
    # What another writer has put meanwhile.
    owned = known_folder(folder).owned
    others = [name for name in owned - wanted if (folder / name).exists()]
    _write_manifest(folder, manifest_text(head, made, described, index, others))
    return PutCounts(len(chunks), len(fresh), deleted)


def _write_manifest(folder: Path, text: str) -> None:
    """Write the manifest, unless it stands there."""
    if not _is_written(folder / MANIFEST, text):
        write_file(folder / MANIFEST, text)


def _is_written(path: Path, content: str | bytes) -> bool:
    given = content.encode() if isinstance(content, str) else content
    return _is_there(path, content_hash(given))


def _delete(folder: Path, name: str) -> bool:
    path = folder / name
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    if path.parent != folder:
        with suppress(OSError):  # something else is in there
            path.parent.rmdir()
    return True
