"""Report texts: how many views and samples, saturation, and what that promises."""

from collections.abc import Iterable

from ..ui import plural
from .samples import Facts, Samples

_WHENCE = {"OUTSIDE": "from outside", "SHOT": "of cameras", "INSIDE": "inside the volume"}
_MOST_NAMES = 5


def samples_lines(samples: Samples) -> list[str]:
    """Return lines for the panel, none longer than the sidebar is wide."""
    facts = samples.facts
    wide, high = facts.size
    lines = [
        f"{len(samples.never):,} of {plural(len(samples.objects), 'object')} never seen",
        f"{samples.never_faces:,} of {plural(samples.face_count, 'face')} never seen",
        f"{plural(facts.views, 'view')}, {wide} x {high} pixels",
        f"Last tenth added {percent(facts.added_faces)} of faces",
    ]
    if facts.opaque:
        lines.append(f"Counted as opaque: {names_text(facts.opaque, 2)}")
    if facts.not_counted:
        lines.append(f"Not counted: {names_text(facts.not_counted, 2)}")
    if samples.changed:
        lines.append(f"{meshes_text(len(samples.changed))} changed by modifiers")
    return lines


def samples_text(samples: Samples) -> str:
    """Say what was found, in one line."""
    text = f"{len(samples.never):,} of {plural(len(samples.objects), 'object')} and"
    text += f" {samples.never_faces:,} of {plural(samples.face_count, 'face')} never seen in"
    text += f" {views_text(samples.facts)}; {saturation_text(samples.facts)}"
    if samples.facts.opaque:
        text += f"; counted as opaque: {names_text(samples.facts.opaque)}"
    if samples.facts.not_counted:
        text += f"; not counted: {names_text(samples.facts.not_counted)}"
    if samples.changed:
        text += f"; {meshes_text(len(samples.changed))} changed by modifiers, faces not known"
    return text


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
    return "0 %" if part == 0 else f"{max(100 * part, 0.01):.2g} %"


def meshes_text(count: int) -> str:
    """Write a count of meshes."""
    return "1 mesh" if count == 1 else f"{count:,} meshes"


def names_text(names: Iterable[str], most: int = _MOST_NAMES) -> str:
    """Write names, the first few of many."""
    listed = list(names)
    more = f" and {len(listed) - most:,} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more
