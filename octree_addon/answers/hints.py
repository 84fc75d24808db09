"""Hints: a sentence about an answer, with a button that asks again or shows its subject."""

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from bpy.app.translations import pgettext_iface

from ..arrays import Flags, Ids
from ..ui import plural, working

# Letters per line in a sidebar of 250 pixels.
LETTERS = 34


@dataclass(frozen=True)
class Hint:
    """A sentence and a button that are drawn with an answer.

    Attributes
    ----------
    text : str
        The sentence.
    button : str
        The label of the button.
    operator : str
        The operator of the button, such as "octree.audit".
    options : Mapping of str to Any
        Arguments of the operator; the scene's settings give all others.
    at_once : bool
        True if the operator skips the dialog that it would open.
    """

    text: str
    button: str
    operator: str
    options: Mapping[str, Any] = field(default_factory=dict)
    at_once: bool = False


def draw_hints(layout: bpy.types.UILayout, hints: Iterable[Hint]) -> None:
    """Draw each hint, wrapped for a narrow sidebar, with its button below."""
    for hint in hints:
        column = layout.column(align=True)
        column.enabled = working() is None
        for number, line in enumerate(wrapped(hint.text, LETTERS - 4)):
            column.label(text=line, icon="BLANK1" if number else "INFO", translate=False)
        text: Any = pgettext_iface(hint.button, "Operator")  # type: ignore[func-returns-value]
        if hint.at_once:
            column.operator_context = "EXEC_REGION_WIN"
        button = column.operator(hint.operator, text=text, translate=False)
        for name, value in hint.options.items():
            setattr(button, name, value)


def wrapped(text: str, letters: int = LETTERS) -> list[str]:
    """Wrap a text into lines of at most `letters` letters."""
    return textwrap.wrap(text, letters)


def instances_text(owners: Ids, is_instance: Flags) -> str:
    """Return a sentence with the number of instances that were taken as one object.

    Empty if no instancer has two or more instances.

    Parameters
    ----------
    owners : ndarray of intp, shape (n,)
        Session id of the object, or the instancer, of each placement.
    is_instance : ndarray of bool, shape (n,)
        Flags of the placements that are instances.
    """
    counts = np.unique(owners[is_instance], return_counts=True)[1]
    counts = counts[counts > 1]
    if not len(counts):
        return ""
    whose = "one instancer" if len(counts) == 1 else f"{len(counts):,} instancers"
    each = "" if len(counts) == 1 else " each"
    return f"{plural(int(counts.sum()), 'instance')} of {whose} were taken as one{each}"
