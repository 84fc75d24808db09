"""Folders of chunks: temporary files are moved in, one by one, each atomically.

Before that, a manifest lists all names that are about to be written or deleted, so that the next
run knows the files of an interrupted one. If two runs write at once, the later manifest keeps the
names of files that the other run has added. Files that no manifest lists stay untouched.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha1
from pathlib import Path
from typing import Any, NamedTuple

from ..written_files import write_file
from .manifest import MANIFEST, NOTHING, KnownFolder, manifest_text, read_manifest


class ChunkFiles(NamedTuple):
    """A chunk to be written: its manifest members, its hash, and the hashes of its files by name.

    An unchanged chunk has no temporary files.
    """

    members: Mapping[str, Any]
    hash: str
    files: Mapping[str, str]

    def described(self) -> dict[str, Any]:
        """Return all members of the manifest for this chunk."""
        files = dict(sorted(self.files.items()))
        return {**self.members, "files": files, "hash": self.hash}


class PutCounts(NamedTuple):
    """Numbers of chunks, of written chunks and of deleted files."""

    chunks: int
    written: int
    deleted: int


def content_hash(content: bytes) -> str:
    """Return the SHA-1 of the content of a file."""
    return sha1(content, usedforsecurity=False).hexdigest()


def known_folder(folder: Path) -> KnownFolder:
    """Return the manifest of a folder; `NOTHING` if it is missing or invalid."""
    try:
        return read_manifest((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return NOTHING


def are_there(folder: Path, files: Mapping[str, str]) -> bool:
    """Return whether all files exist with the given hashes."""
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
    """Write the temporary files and the manifest to a folder; delete files no longer needed.

    Parameters
    ----------
    folder : Path
        Created if necessary.
    head, made : Mapping of str to Any
        Members of the manifest about the whole export, and about the making of its files.
    chunks : sequence of ChunkFiles
        All chunks, unchanged ones included.
    staged : Mapping of str to Path
        Temporary files with new contents, by final name; other files stay unchanged.
    index : Mapping of str to str or bytes
        Contents of files about all chunks, by name.

    Raises
    ------
    OSError
        If a file cannot be written. Files written before stay, and the next run reuses them.
    """
    known = known_folder(folder)
    wanted = {name for each in chunks for name in each.files} | index.keys()
    changed = {name: text for name, text in index.items() if not _is_written(folder / name, text)}
    gone = known.owned - wanted
    fresh = [each for each in chunks if each.files.keys() & staged.keys()]
    described = [each.described() for each in chunks]
    # The first manifest omits the changed chunks: their files are not valid until the end.
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
    # Keep the names of files that another run has added meanwhile.
    owned = known_folder(folder).owned
    others = [name for name in owned - wanted if (folder / name).exists()]
    _write_manifest(folder, manifest_text(head, made, described, index, others))
    return PutCounts(len(chunks), len(fresh), deleted)


def _write_manifest(folder: Path, text: str) -> None:
    """Write the manifest, unless the file has this content already."""
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
        with suppress(OSError):  # the folder is not empty
            path.parent.rmdir()
    return True
