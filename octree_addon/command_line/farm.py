"""Options for render farms: a chunk of the work for each machine, and the merge of all chunks."""

import argparse
import re
from collections.abc import Callable
from hashlib import sha1
from pathlib import Path
from typing import TypeVar

from .command import named_files

Part = TypeVar("Part")


def chunk_of(text: str) -> tuple[int, int]:
    """Return the number and the count in a text such as 3/12; for argparse."""
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise argparse.ArgumentTypeError(f"{text!r} is no chunk such as 3/12")
    return int(match[1]), int(match[2])


def add_farm_options(
    parser: argparse.ArgumentParser, of_what: str, *, merged: str, out: bool = True
) -> None:
    """Add `--chunk`, `--merge` and, if a chunk is a file, `--out`."""
    farm = parser.add_argument_group("on a render farm")
    farm.add_argument(
        "--chunk", type=chunk_of, metavar="3/12", help=f"the third of twelve parts of {of_what}"
    )
    if out:
        farm.add_argument(
            "--out", type=Path, metavar="PART", help="where a chunk is written, to be merged"
        )
    farm.add_argument(
        "--merge", nargs="+", metavar="PART", help=f"instead of a FILE: make {merged} of chunks"
    )


def check_source(arguments: argparse.Namespace) -> None:
    """Refuse a file together with files to merge, and neither of both."""
    if (arguments.file is None) == (arguments.merge is None):
        raise ValueError("Name either a .blend FILE, or what to --merge")


def check_out(arguments: argparse.Namespace) -> None:
    """Refuse a chunk without `--out`, and `--out` without a chunk."""
    if (arguments.chunk is None) != (arguments.out is None):
        raise ValueError("A --chunk is written to --out, and nothing else is")


def parts_to_merge(
    arguments: argparse.Namespace, read: Callable[[Path], Part], out: Path | None = None
) -> list[Part]:
    """Return the parts to merge, as `read` returns them.

    A pattern in `--merge` may also match `out`, the file to be written, which is left out.

    Raises
    ------
    ValueError
        If a file is not a part; the message names the file.
    """
    paths = [
        path
        for path in named_files(arguments.merge)
        if out is None or path.resolve() != out.resolve()
    ]
    if not paths:
        raise ValueError(f"{out} is the only file or folder to --merge")
    return [_part(path, read) for path in paths]


def _part(path: Path, read: Callable[[Path], Part]) -> Part:
    try:
        return read(path)
    except ValueError as error:
        raise ValueError(f"{path} cannot be merged: {error}") from error


def file_sum(path: Path) -> str:
    """Return the SHA-1 of a file, by which chunks of the same file are recognized."""
    return sha1(path.read_bytes(), usedforsecurity=False).hexdigest()
