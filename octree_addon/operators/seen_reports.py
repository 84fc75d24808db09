"""What an operator says about what cameras saw."""

from collections import Counter

from ..shot import Seen
from ..ui import number


def seen_text(seen: Seen) -> str:
    """Say how much was seen.

    Parameters
    ----------
    seen : Seen
        The answer.

    Returns
    -------
    str
        One line.
    """
    by = "" if seen.is_exact else " by their boxes"
    text = f"{seen.seen_count:,} of {number(len(seen.objects), 'object')} seen{by}"
    text += f" in {number(len(seen.frames), 'frame')} by {number(len(seen.cameras), 'camera')}"
    if seen.skipped:
        text += f"; skipped: {seen.skipped:,} hidden or without faces"
    return text


def collected_text(name: str, linked: int, wanted: int) -> str:
    """Say what was linked into a collection.

    Parameters
    ----------
    name : str
        Of the collection.
    linked, wanted : int
        How many objects were linked, and how many should have been.

    Returns
    -------
    str
        One line.
    """
    gone = f"; {wanted - linked:,} are gone" if linked < wanted else ""
    return f"{number(linked, 'object')} linked into {name}{gone}"


def marked_text(counts: Counter[str], name: str) -> str:
    """Say what was marked.

    Parameters
    ----------
    counts : Counter of str
        What `mark_objects` or `mark_faces` returned.
    name : str
        Of the mark.

    Returns
    -------
    str
        One line.
    """
    marked = number(counts["objects"], "object")
    if "meshes" in counts:
        marked = "1 mesh" if counts["meshes"] == 1 else f"{counts['meshes']:,} meshes"
    refused = f"; {counts['refused']:,} could not be" if counts["refused"] else ""
    return f"{marked} marked with {name}{refused}"
