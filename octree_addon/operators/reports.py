"""What an operator says when it is done."""

from collections import Counter

from ...core import Triangles
from ..brute_force import Proof
from ..building import skipped_text
from ..reader import ObjectSource, TriangleSource
from ..trees import BuiltTree


def built_text(built: BuiltTree) -> str:
    """Say what was built, and what is not in it.

    Parameters
    ----------
    built : BuiltTree
        The new tree.

    Returns
    -------
    str
        One line.
    """
    found, source = built.statistics, built.source
    parts = [
        f"Octree of {number(found.items, source.noun)}: {number(found.cells, 'cell')},"
        f" {found.references_per_item:.2f} references per {source.noun},"
        f" {built.build_seconds:.2f} s"
    ]
    if found.invalid:
        parts.append(f"{number(found.invalid, source.noun)} without finite coordinates left out")
    without_faces = sum(not each.editable for each in source.objects)
    if without_faces and isinstance(source, TriangleSource):
        parts.append(f"{number(without_faces, 'object')} without faces to select")
    if source.skipped:
        parts.append(f"skipped: {skipped_text(source)}")
    return "; ".join(parts)


def asked_text(counts: Counter[str], action: str, built: BuiltTree, is_new: bool) -> str:
    """Say what was really selected or deselected, and by which tree.

    Parameters
    ----------
    counts : Counter of str
        What `select_objects` or `select_faces` returned.
    action : {"REPLACE", "EXTEND", "SUBTRACT"}
        What was done.
    built : BuiltTree
        What was asked.
    is_new : bool
        Whether it was built for this question.

    Returns
    -------
    str
        Such as "12 objects, 340 instances selected".
    """
    text = found_text(counts, action, by_bounds=isinstance(built.source, ObjectSource))
    if built.stale:
        text += "; the octree is out of date"
    if is_new:
        items = number(built.statistics.items, f"visible {built.source.noun}")
        text += f"; built an octree of {items} first"
    return text


def found_text(counts: Counter[str], action: str, *, by_bounds: bool = False) -> str:
    """Say what was really selected or deselected.

    Parameters
    ----------
    counts : Counter of str
        What `select_found` or `select_polygons` returned.
    action : {"REPLACE", "EXTEND", "SUBTRACT"}
        What was done.
    by_bounds : bool, default False
        Whether objects were found by their bounds alone.

    Returns
    -------
    str
        Such as "12 objects, 340 instances selected".
    """
    kind = "face" if "faces" in counts else "object"
    parts = [number(counts[f"{kind}s"], kind)]
    if counts["instances"]:
        parts.append(number(counts["instances"], "instance"))
    text = f"{', '.join(parts)} {'deselected' if action == 'SUBTRACT' else 'selected'}"
    if by_bounds:
        text += ", by their bounds"
    if counts["refused"]:
        text += f"; {counts['refused']:,} could not be"
    if counts["unknown"]:
        meshes = "mesh has" if counts["unknown"] == 1 else "meshes have"
        text += f"; {counts['unknown']:,} {meshes} no known faces"
    return text


def proof_text(proof: Proof) -> str:
    """Say what brute force makes of an answer.

    Parameters
    ----------
    proof : Proof
        Of the last question.

    Returns
    -------
    str
        One line that begins with "Proven" or "Wrong".
    """
    asked, hits = proof.asked, int(proof.hits.sum())
    noun = "triangle" if isinstance(asked.octree.items, Triangles) else "object"
    effort = f"{number(len(asked.octree), noun)} asked one by one in {proof.seconds:.3f} s"
    if not proof.holds:
        return f"Wrong: {effort}, {proof.missing:,} missing and {proof.surplus:,} too many"
    if asked.relation == "candidates":
        return f"Proven: {effort}, all {hits:,} hits are among the {len(asked.items):,} found"
    return f"Proven: {effort}, the same {hits:,} found"


def number(count: int, noun: str) -> str:
    """Write a number and what it counts, with an s if it is not one."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
