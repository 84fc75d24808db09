"""Report texts: numbers of views and samples, saturation, validity of the result."""

from collections import Counter
from collections.abc import Iterable

import bpy
import numpy as np

from ...ui import length_text, lengths_text, plural
from .safety import Kept
from .samples import Facts, Samples

_WHENCE = {"OUTSIDE": "from outside", "SHOT": "of cameras", "INSIDE": "inside the volume"}
_MOST_NAMES = 5
# Pixel sizes that differ by less than this factor are written as one length.
_EQUAL = 1.001


def never_lines(samples: Samples) -> list[str]:
    """Return the lines above the list: counts of never-seen and of too small objects and faces."""
    small = (len(samples.small_objects), "object"), (samples.small_faces, "face")
    parts = [plural(count, noun) for count, noun in small if count]
    return [
        f"{len(samples.never):,} of {plural(len(samples.objects), 'object')} never seen",
        f"{samples.never_faces:,} of {plural(samples.face_count, 'face')} never seen",
        *([f"{', '.join(parts)} too small to tell"] if parts else []),
    ]


def samples_lines(samples: Samples, kept: Kept | None = None) -> list[str]:
    """Return more lines for the panel, short enough for the sidebar."""
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
    """Return lines on kept unseen faces, and on what buttons take if it differs from the list."""
    lines = [f"{count:,} kept by {reason.capitalize()}" for reason, count in kept.saved.items()]
    if len(kept.never) != len(samples.never):
        lines.append(f"{plural(len(kept.never), 'object')} to take away")
    if kept.face_count != samples.never_faces:
        lines.append(f"{plural(kept.face_count, 'face')} to take away")
    return lines


def saved_text(saved: Counter[str]) -> str:
    """Return a text with the number of unseen faces that are kept, by reason."""
    parts = ", ".join(f"{count:,} by {reason}" for reason, count in saved.items())
    return f"; more unseen faces are kept: {parts}" if parts else ""


def copy_text(counts: Counter[str]) -> str:
    """Return a text on the faces and objects that copies lack."""
    text = f"without {plural(counts['faces'], 'face')} and {plural(counts['left_out'], 'object')}"
    if counts["gone_along"]:
        text += f" (with {plural(counts['gone_along'], 'face')} of their own)"
    if counts["applied"]:
        text += f"; modifiers applied in {counts['applied']:,}"
    if counts["whole"]:
        text += f"; {counts['whole']:,} with all their faces, which are not known"
    return text


def copy_lines(counts: Counter[str]) -> list[str]:
    """Return the panel lines that forecast Delete in Copy."""
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
    """Return a one-line summary of samples."""
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
    """Return a text with the numbers of objects and faces that are too small to tell."""
    counted = ((objects, "object"), (faces, "face"))
    return ", ".join(plural(count, noun) for count, noun in counted if count)


def pixel_text(scene: bpy.types.Scene, facts: Facts) -> str:
    """Return a text with the size of a pixel in the views.

    It explains results: objects smaller than some pixels are too small to tell.
    """
    low, high = facts.pixels
    if not facts.are_parallel:
        return f"A pixel is {percent(high)} of the distance"
    if high <= low * _EQUAL:
        return f"A pixel is {lengths_text(scene, np.array([high]))}"
    return f"A pixel is {length_text(scene, low)} to {length_text(scene, high)}"


def views_text(facts: Facts) -> str:
    """Return a text with the number, the kind and the size of the views."""
    text = f"{plural(facts.views, 'view')} {_WHENCE[facts.kind]}"
    if facts.frames > 1:
        text += f" in {facts.frames:,} frames"
    return f"{text}, {facts.size[0]} x {facts.size[1]} pixels each"


def saturation_text(facts: Facts) -> str:
    """Return a text on saturation: high additions by the last views suggest testing more views."""
    return (
        f"the last tenth of them added {percent(facts.added_faces)} of the seen faces,"
        f" {percent(facts.added_objects)} of the objects"
    )


def promise_text(facts: Facts) -> str:
    """Return a text on the guarantee for removals, which covers the tested views only."""
    return f"No pixel of the tested views changes ({views_text(facts)})"


def percent(part: float) -> str:
    """Format a fraction in percent; only an exact 0 becomes "0 %"."""
    share = max(100 * part, 0.01)
    return "0 %" if part == 0 else f"{share:.{2 if share < 10 else 3}g} %"


def meshes_text(count: int) -> str:
    """Format a count of meshes."""
    return "1 mesh" if count == 1 else f"{count:,} meshes"


def names_text(names: Iterable[str], most: int = _MOST_NAMES) -> str:
    """Join names, and replace all after the first `most` by their number."""
    listed = list(names)
    more = f" and {len(listed) - most:,} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more
