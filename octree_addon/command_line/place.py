"""The command `octree place`: drop, push apart or fill, and save the result as another file."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...core import Steps, run
from ..arrays import Floats
from ..audit import usual_band
from ..place import (
    AXES,
    PARTED,
    Falls,
    FallWish,
    Filling,
    FillWish,
    Movers,
    Parting,
    Ranges,
    carried_out,
    fall_steps,
    filling_steps,
    make_copies,
    movers_of,
    names_of,
    parting_steps,
    read_again,
    room_named,
    with_faces,
)
from ..snapshots import SceneTarget
from ..text_formats import json_file
from ..ui import length_unit, plural
from ..written_files import require_file, write_file
from .command import Command, open_blend
from .interrupt import heed

_DESCRIPTION = """Move objects of a file until they touch, never into each other, and save the
result as another file. FILE is read, never written."""
_TOWARD = {name.lower(): way for name, way in AXES.items()}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `octree place`."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the .blend file")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--drop", metavar="COLLECTION", help="let the objects of a collection fall")
    what.add_argument("--push-apart", action="store_true", help="move apart what overlaps")
    what.add_argument("--fill", metavar="OBJECT", help="put copies on the faces of an object")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the new .blend")
    parser.add_argument("--json", type=Path, metavar="FILE", help="what was moved, as JSON")
    parser.add_argument(
        "--fail-on", choices=("left", "none"), default="left", help="what counts as found (left)"
    )
    parser.add_argument("--gap", type=_length, default=0.0, metavar="METERS", help="to leave")
    drop = parser.add_argument_group("with --drop")
    drop.add_argument("--toward", choices=sorted(_TOWARD), default="down", help="(down)")
    drop.add_argument("--sink", type=_length, default=0.0, metavar="METERS", help="to go in")
    drop.add_argument("--keep-contacts", action="store_true", help="hold together what touches")
    drop.add_argument("--align", action="store_true", help="turn what lands to the surface")
    push = parser.add_argument_group("with --push-apart")
    push.add_argument("--axes", default="xyz", help="along which objects may move (xyz)")
    fill = parser.add_argument_group("with --fill")
    fill.add_argument("--of", metavar="COLLECTION", help="what is copied")
    fill.add_argument("--count", type=_number, default=100, help="copies at most (100)")
    fill.add_argument("--tries", type=_number, default=1000, help="places tried at most (1000)")
    fill.add_argument("--seed", type=int, default=0, help="another one gives other places (0)")
    fill.add_argument("--room", default="", metavar="OBJECT", help="in which copies may lie")
    fill.add_argument("--in-box", action="store_true", help="fill the box around it instead")


def _length(text: str) -> float:
    length = float(text)
    if not 0 <= length < float("inf"):
        raise argparse.ArgumentTypeError(f"must be 0 or more meters, got {text}")
    return length


def _number(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 1_000_000:
        raise argparse.ArgumentTypeError(f"must be 1 to 1,000,000, got {text}")
    return number


def run_place(_: bpy.types.Context, arguments: argparse.Namespace) -> bool:
    """Place objects, save and print the result; return whether any object was left out."""
    _refuse(arguments)
    for path in (arguments.out, arguments.json):
        if path is not None:
            require_file(path)
    open_blend(arguments.file)
    context = bpy.context
    told = _place(context, arguments)
    _save(arguments.out)
    if arguments.json is not None:
        about = {"format": "octree-place", "version": 1, "file": arguments.file.name}
        about["unit"] = length_unit(context.scene)[0]
        write_file(arguments.json, json_file({**about, **told}))
    moved, left = told["moved"], told["left"]
    print(f"{plural(len(moved), 'object')} placed, {len(left):,} left; written to {arguments.out}")
    for each in left:
        print(f"{each['object']}: {each['reason']}")
    return bool(left) and arguments.fail_on == "left"


def _refuse(arguments: argparse.Namespace) -> None:
    if arguments.out.resolve() == arguments.file.resolve():
        raise ValueError("--out must be another file than FILE, which is never written")
    if arguments.out.suffix.lower() != ".blend":
        raise ValueError("--out must end in .blend")
    if (arguments.fill is None) != (arguments.of is None):
        raise ValueError("--fill and --of go together: where to, and copies of what")
    if not arguments.axes or not set(arguments.axes) <= set("xyz"):
        raise ValueError(f"--axes takes some of xyz, got {arguments.axes!r}")


def _save(path: Path) -> None:
    """Save the open file under another name; Blender writes a temporary file and renames it.

    Relative paths are adapted to the new folder.
    """
    bpy.ops.wm.save_as_mainfile(filepath=str(path.resolve()), copy=True, relative_remap=True)


def _place(context: bpy.types.Context, arguments: argparse.Namespace) -> dict[str, Any]:
    if arguments.fill is not None:
        return _fill(context, arguments)
    if arguments.drop is not None:
        return _drop(context, arguments)
    return _push_apart(context, arguments)


def _members(context: bpy.types.Context, name: str) -> list[bpy.types.Object]:
    collection: bpy.types.Collection | None = bpy.data.collections.get(name)
    if collection is None and name == context.scene.collection.name:
        collection = context.scene.collection
    if collection is None:
        raise ValueError(f"There is no collection {name}")
    return list(collection.all_objects)


def _drop(context: bpy.types.Context, arguments: argparse.Namespace) -> dict[str, Any]:
    scene, objects = context.scene, _members(context, arguments.drop)
    scale = length_unit(scene)[1]
    wish = FallWish(
        direction=np.array(_TOWARD[arguments.toward]),
        gap=arguments.gap / scale,
        sink=arguments.sink / scale,
        keeps_contacts=arguments.keep_contacts,
        aligns=arguments.align,
        band=usual_band(scene),
    )

    def steps(target: SceneTarget, left: Mapping[int, str]) -> Steps[Falls]:
        movers = movers_of(context, target.placements, objects, wish.direction[None], left)
        return fall_steps(target, movers, wish)

    falls: Falls = carried_out(context, steps, heed)
    below = names_of(scene, falls.target, falls.below)
    return _told(context, falls, falls.shifts, below)


def _push_apart(context: bpy.types.Context, arguments: argparse.Namespace) -> dict[str, Any]:
    axes = np.eye(3)[["xyz".index(each) for each in sorted(set(arguments.axes))]]
    gap = arguments.gap / length_unit(context.scene)[1]

    def steps(target: SceneTarget, left: Mapping[int, str]) -> Steps[Parting]:
        objects = with_faces(target, context.view_layer.objects)
        movers = movers_of(context, target.placements, objects, axes, left)
        return parting_steps(target, movers, axes, gap)

    parting: Parting = carried_out(context, steps, heed)
    return _told(context, parting, parting.moves)


def _told(
    context: bpy.types.Context, plan: Any, shifts: Floats, below: list[str] | None = None
) -> dict[str, Any]:
    """Return the moved objects and those left out, for JSON."""
    movers, scale = plan.movers, length_unit(context.scene)[1]
    names = {item.session_uid: item.name for item in context.scene.objects}
    moved, left = [], _left(context, movers)
    for uid, unit in zip(movers.root_uids.tolist(), movers.root_units.tolist(), strict=True):
        if shifts[unit].any():
            row = {"object": names[uid], "move": (shifts[unit] * scale).tolist()}
            moved.append(row | ({"onto": below[unit]} if below else {}))
        if plan.notes[unit] not in ("", PARTED):
            left.append({"object": names[uid], "reason": plan.notes[unit]})
    return {"moved": moved, "left": left}


def _left(context: bpy.types.Context, movers: Movers) -> list[dict[str, str]]:
    names = {item.session_uid: item.name for item in context.scene.objects}
    return [
        {"object": names.get(uid, ""), "reason": reason} for uid, reason in movers.left.items()
    ]


def _fill(context: bpy.types.Context, arguments: argparse.Namespace) -> dict[str, Any]:
    surface: bpy.types.Object | None = context.view_layer.objects.get(arguments.fill)
    if surface is None:
        raise ValueError(f"There is no object {arguments.fill} in the view layer")
    originals = [item for item in _members(context, arguments.of) if item is not surface]
    wish = FillWish(
        in_box=arguments.in_box,
        count=arguments.count,
        tries=arguments.tries,
        seed=arguments.seed,
        spacing=arguments.gap / length_unit(context.scene)[1],
        ranges=Ranges(),
        room=room_named(context, arguments.room),
    )
    target = read_again(context)
    filling: Filling = run(filling_steps(context, target, surface, originals, wish), heed=heed)
    made = make_copies(context, filling)
    moved = [
        {"object": items[0].name, "copy_of": filling.movers.names[unit]} for _, unit, items in made
    ]
    left = _left(context, filling.movers)
    if len(made) < arguments.count:
        causes = ", ".join(f"{number:,} {cause}" for cause, number in filling.causes.items())
        missing = arguments.count - len(made)
        left.append({"object": f"{missing:,} more", "reason": causes or "all tries were taken"})
    return {"moved": moved, "left": left, "refused": dict(filling.causes)}


COMMAND = Command(
    name="place",
    help="objects moved until they touch, or copies put where they fit",
    description=_DESCRIPTION,
    add_arguments=add_arguments,
    run=run_place,
)
