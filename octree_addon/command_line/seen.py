"""The command `octree seen`: objects that cameras see, in chunks for render farms, and a merge."""

import argparse
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import bpy

from ...core import Steps, run
from ..cameras import PixelOptions, Shot, pixel_steps, pixel_texts, shot_steps
from ..cameras.table import (
    FORMATS,
    SeenAnswer,
    SeenTable,
    label_folder,
    merged,
    merged_answers,
    read_json,
    with_label_pictures,
    write_label_pictures,
)
from ..ui import plural
from ..written_files import Writer, require_file, require_folder, write_file, writer_of
from .command import Command, open_blend
from .farm import check_source, chunk_of, parts_to_merge
from .frame_ranges import frames_in_chunk, frames_of
from .interrupt import heed

_DESCRIPTION = """Tell which objects cameras see in which frames. The blend file is read, never
written; its scripts run only if Blender's own settings allow it (blender --enable-autoexec)."""


def _percent(text: str) -> float:
    """Return the fraction for a percentage from 1 to 100; for argparse."""
    percent = float(text)
    if not 1 <= percent <= 100:
        raise argparse.ArgumentTypeError(f"{text} is no percentage from 1 to 100")
    return percent / 100


def _least(text: str) -> float:
    """Return a number of pixels, 0 or more; for argparse."""
    least = float(text)
    if not 0 <= least < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no number of pixels")
    return least


_ARGUMENTS: dict[str, dict[str, Any]] = {
    "file": {"nargs": "?", "type": Path, "metavar": "FILE", "help": "the .blend file"},
    "--merge": {
        "nargs": "+", "metavar": "JSON", "help": "instead of a FILE: make one answer of chunks",
    },
    "--frames": {
        "type": frames_of,
        "help": "such as 1-240, or 1,5,10-20x2; by default those of the scene",
    },
    "--cameras": {
        "nargs": "+", "default": ["scene"],
        "help": "names; or all; or scene, which markers may switch (default)",
    },
    "--boxes": {
        "action": "store_true", "help": "count objects by their boxes: faster, never too few",
    },
    "--chunk": {
        "type": chunk_of, "metavar": "3/12", "help": "the third of twelve parts of the frames",
    },
    "--out": {"type": Path, "required": True, "help": "the file to write: .json or .csv"},
    "--format": {
        "choices": FORMATS, "help": "by default as --out ends; coco and bop end in .json",
    },
    "--behind-others": {
        "action": "store_true", "help": "count pixels: what stands in front hides",
    },
}  # fmt: skip
_PIXEL_ARGUMENTS: dict[str, dict[str, Any]] = {
    "--size": {
        "type": _percent, "default": 1.0, "metavar": "PERCENT", "help": "of the render's; 100",
    },
    "--samples": {
        "type": int, "default": 1, "choices": range(1, 17), "metavar": "1-16",
        "help": "n by n in each pixel; 1",
    },
    "--least": {
        "type": _least, "default": 1.0, "metavar": "PIXELS", "help": "fewer are too small; 1",
    },
    "--open": {"action": "store_true", "help": "leave out faces of see-through materials"},
    "--labels": {
        "type": Path, "metavar": "FOLDER",
        "help": "write label pictures, 16-bit PNG; with --merge those of the chunks, which it"
        " holds",
    },
}  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `octree seen`."""
    pixels = parser.add_argument_group("with --behind-others")
    for adder, arguments in ((parser, _ARGUMENTS), (pixels, _PIXEL_ARGUMENTS)):
        for name, options in arguments.items():
            adder.add_argument(name, **options)


def run_seen(context: bpy.types.Context, arguments: argparse.Namespace) -> bool:
    """Ask or merge, write the answer, print a summary; return False: nothing counts as found."""
    writer = _writer(arguments)
    require_file(arguments.out)  # checked before hours of work
    if arguments.labels:
        require_folder(arguments.labels)
    answer = _merge(arguments) if arguments.merge else _ask(context, arguments)
    if arguments.labels:
        write_label_pictures(answer.table, label_folder(arguments.labels, answer.chunk))
    write_file(arguments.out, writer.content(answer))
    table = answer.table
    seen = f"{table.seen_count:,} of {plural(len(table.items), 'object')} seen"
    print(f"{seen} in {plural(len(table.which), 'view')}; written to {arguments.out}")
    return False


def _writer(arguments: argparse.Namespace) -> Writer:
    """Return the writer of the wanted format; raise `ValueError` for contradictory arguments."""
    check_source(arguments)
    try:
        writer = writer_of(FORMATS, arguments.out, arguments.format or "")
    except ValueError as error:
        raise ValueError(f"--out: {error}") from error
    if arguments.chunk and writer is not FORMATS["json"]:
        raise ValueError("A chunk is written as JSON, which can be merged")
    if arguments.merge and writer is FORMATS["coco"] and not arguments.labels:
        raise ValueError("COCO of chunks is made of their label pictures: give --labels")
    needs_pixels = arguments.labels or writer.is_pictured
    if needs_pixels and not (arguments.behind_others or arguments.merge):
        raise ValueError("Pixels are counted with --behind-others")
    if arguments.behind_others and arguments.boxes:
        raise ValueError("--boxes have no pixels: leave it out, or --behind-others")
    asked = (arguments.frames, arguments.chunk, arguments.boxes, arguments.cameras != ["scene"])
    if arguments.merge and any(asked):
        raise ValueError("--frames, --cameras, --boxes and --chunk ask about a FILE")
    return writer


def _merge(arguments: argparse.Namespace) -> SeenAnswer:
    def read(path: Path) -> SeenAnswer:
        return _read(path, arguments.labels)

    # A pattern such as *.json may match the result of an earlier merge, which is left out.
    return merged_answers(parts_to_merge(arguments, read, arguments.out))


def _read(path: Path, labels: Path | None) -> SeenAnswer:
    """Return the answer in a file, with its label pictures if `labels` is their folder."""
    answer = read_json(path.read_text(encoding="utf-8"))
    if labels is None:
        return answer
    if answer.table.pixels is None:
        raise ValueError("it has no label pictures: it was asked without --behind-others")
    folder = label_folder(labels, answer.chunk)
    return replace(answer, table=with_label_pictures(answer.table, folder))


def _ask(context: bpy.types.Context, arguments: argparse.Namespace) -> SeenAnswer:
    open_blend(arguments.file)
    scene = context.scene
    frames = arguments.frames
    if frames is None:
        frames = tuple(range(scene.frame_start, scene.frame_end + 1, scene.frame_step))
    if arguments.chunk:
        frames = frames_in_chunk(frames, arguments.chunk)
    behind: bool = arguments.behind_others
    pixels = PixelOptions(arguments.size, arguments.samples, arguments.least, arguments.open)
    cameras = _cameras(context, arguments.cameras)
    if arguments.format == "bop" and len(cameras) > 1:
        raise ValueError(f"BOP has one camera a scene, not {len(cameras)}: name one")
    shot = Shot(frames=frames, cameras=cameras, exact=not arguments.boxes)
    found = run(table_steps(context, shot, pixels if behind else None), heed=heed)
    table = merged([found])  # to sort it as merged answers are
    asked: dict[str, Any] = {
        "file": arguments.file.name,
        "scene": scene.name,
        "cameras": arguments.cameras,
        "boxes": arguments.boxes,
        "behind_others": behind,
    }
    if behind:
        asked["pixels"] = asdict(pixels)
    return SeenAnswer(table, asked, arguments.chunk)


def table_steps(
    context: bpy.types.Context, shot: Shot, pixels: PixelOptions | None
) -> Steps[SeenTable]:
    """Find objects in view or, with pixels, visible ones; yield the fraction done."""
    if pixels is None:
        return (yield from shot_steps(context, shot)).table
    result = yield from pixel_steps(context, shot, pixels)
    assert result.pixels is not None
    print("; ".join(pixel_texts(result, result.pixels)))
    return result.table


def _cameras(context: bpy.types.Context, names: list[str]) -> tuple[str, ...]:
    """Return the names of the cameras; empty for the scene's own."""
    scene = context.scene
    if names == ["scene"]:
        if not (scene.camera or any(marker.camera for marker in scene.timeline_markers)):
            raise ValueError("The scene has no camera")
        return ()
    if names != ["all"]:
        for name in names:
            if name not in scene.objects:
                raise ValueError(f"The scene has no camera named {name}")
        return tuple(dict.fromkeys(names))
    cameras = [item.name for item in context.view_layer.objects if item.type == "CAMERA"]
    if not cameras:
        raise ValueError("The file has no camera")
    return tuple(cameras)


COMMAND = Command(
    name="seen",
    help="which objects cameras see in which frames",
    description=_DESCRIPTION,
    add_arguments=add_arguments,
    run=run_seen,
)
