"""Report texts: how many views and samples, saturation, and what that promises."""

from collections import Counter
from collections.abc import Iterable

import bpy
import numpy as np

from ...ui import length_text, lengths_text, plural
from .safety import Kept
from .samples import Facts, Samples

_WHENCE = {"OUTSIDE": "from outside", "SHOT": "of cameras", "INSIDE": "inside the volume"}
_MOST_NAMES = 5
# Pixels that differ by less than this factor are written as one length.
_EQUAL = 1.001


def never_lines(samples: Samples) -> list[str]:
    """Return the lines above the list: how much was never seen, and was too small to tell."""
    small = (len(samples.small_objects), "object"), (samples.small_faces, "face")
    parts = [plural(count, noun) for count, noun in small if count]
    return [
        f"{len(samples.never):,} of {plural(len(samples.objects), 'object')} never seen",
        f"{samples.never_faces:,} of {plural(samples.face_count, 'face')} never seen",
        *([f"{', '.join(parts)} too small to tell"] if parts else []),
    ]


def samples_lines(samples: Samples, kept: Kept | None = None) -> list[str]:
    """Return more lines for the panel, none longer than the sidebar is wide."""
    facts = samples.facts
    wide, high = facts.size
    lines = [
        *(taken_lines(samples, kept) if kept is not None else ()),
        f"{plural(facts.views, 'view')}, {wide} x {high} pixels",
        f"Last tenth added {percent(facts.added_faces)} of faces",
    ]
    if facts.groups > 1:
        lines.append(f"Around {plural(facts.groups, 'group')}, far apart")
    if facts.opaque:
        lines.append(f"Counted as opaque: {names_text(facts.opaque, 2)}")
    if facts.not_counted:
        lines.append(f"Not counted: {names_text(facts.not_counted, 2)}")
    if samples.changed:
        lines.append(f"{meshes_text(len(samples.changed))} changed by modifiers")
    return lines


def taken_lines(samples: Samples, kept: Kept) -> list[str]:
    """Say what keeps unseen faces, and how much the buttons take if that is another number."""
    lines = [f"{count:,} kept by {reason.capitalize()}" for reason, count in kept.saved.items()]
    if len(kept.never) != len(samples.never):
        lines.append(f"{plural(len(kept.never), 'object')} to take away")
    if kept.face_count != samples.never_faces:
        lines.append(f"{plural(kept.face_count, 'face')} to take away")
    return lines


def saved_text(saved: Counter[str]) -> str:
    """Say how many faces are kept though they were not seen, by what keeps them."""
    parts = ", ".join(f"{count:,} by {reason}" for reason, count in saved.items())
    return f"; more unseen faces are kept: {parts}" if parts else ""


def copy_text(counts: Counter[str]) -> str:
    """Say what copies are without."""
    text = f"without {plural(counts['faces'], 'face')} and {plural(counts['left_out'], 'object')}"
    if counts["gone_along"]:
        text += f" (with {plural(counts['gone_along'], 'face')} of their own)"
    if counts["applied"]:
        text += f"; modifiers applied in {counts['applied']:,}"
    if counts["whole"]:
        text += f"; {counts['whole']:,} with all their faces, which are not known"
    return text


def copy_lines(counts: Counter[str]) -> list[str]:
    """Return what Delete in Copy will do, for the panel."""
    if not counts["copied"]:
        return ["Nothing would be left"]
    lines = [f"Deletes {plural(counts['faces'], 'face')}"]
    if counts["left_out"]:
        lines.append(f"Leaves out {plural(counts['left_out'], 'object')}")
    if counts["gone_along"]:
        lines.append(f"with {plural(counts['gone_along'], 'face')} of their own")
    if counts["whole"]:
        lines.append(f"{plural(counts['whole'], 'object')} with all faces")
    return lines


def samples_text(samples: Samples) -> str:
    """Say what was found, in one line."""
    text = f"{len(samples.never):,} of {plural(len(samples.objects), 'object')} and"
    text += f" {samples.never_faces:,} of {plural(samples.face_count, 'face')} never seen in"
    text += f" {views_text(samples.facts)}; {saturation_text(samples.facts)}"
    small = len(samples.small_objects), samples.small_faces
    if any(small):
        text += f"; too small to tell: {small_text(*small)}"
    if samples.facts.left_out:
        text += f"; without {names_text(samples.facts.left_out)}, whose view is no frustum"
    if samples.facts.opaque:
        text += f"; counted as opaque: {names_text(samples.facts.opaque)}"
    if samples.facts.not_counted:
        text += f"; not counted: {names_text(samples.facts.not_counted)}"
    if samples.changed:
        text += f"; {meshes_text(len(samples.changed))} changed by modifiers, faces not known"
    return text


def small_text(objects: int, faces: int) -> str:
    """Write how much is too small to tell."""
    counted = ((objects, "object"), (faces, "face"))
    return ", ".join(plural(count, noun) for count, noun in counted if count)


def pixel_text(scene: bpy.types.Scene, facts: Facts) -> str:
    """Say how large a pixel of the views is: what is smaller than some is too small to tell."""
    low, high = facts.pixels
    if not facts.are_parallel:
        return f"A pixel is {percent(high)} of the distance"
    if high <= low * _EQUAL:
        return f"A pixel is {lengths_text(scene, np.array([high]))}"
    return f"A pixel is {length_text(scene, low)} to {length_text(scene, high)}"


def views_text(facts: Facts) -> str:
    """Say how many views there are, from where, and how large."""
    text = f"{plural(facts.views, 'view')} {_WHENCE[facts.kind]}"
    if facts.frames > 1:
        text += f" in {facts.frames:,} frames"
    return f"{text}, {facts.size[0]} x {facts.size[1]} pixels each"


def saturation_text(facts: Facts) -> str:
    """Say what the last views added, from which the user sees whether more would find more."""
    return (
        f"the last tenth of them added {percent(facts.added_faces)} of the seen faces,"
        f" {percent(facts.added_objects)} of the objects"
    )


def promise_text(facts: Facts) -> str:
    """Say what it means to take away what is never seen: no more than was tested."""
    return f"No pixel of the tested views changes ({views_text(facts)})"


def percent(part: float) -> str:
    """Write a part of 1 in percent: 0 only if it is none."""
    share = max(100 * part, 0.01)
    return "0 %" if part == 0 else f"{share:.{2 if share < 10 else 3}g} %"


def meshes_text(count: int) -> str:
    """Write a count of meshes."""
    return "1 mesh" if count == 1 else f"{count:,} meshes"


def names_text(names: Iterable[str], most: int = _MOST_NAMES) -> str:
    """Write names, the first few of many."""
    listed = list(names)
    more = f" and {len(listed) - most:,} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more
