"""Hints: a sentence about an answer, and a button that asks again, or does what it is about."""

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from bpy.app.translations import pgettext_iface

from ..arrays import Flags, Ids
from ..ui import plural, working

# Letters of a line in a sidebar of 250 pixels.
LETTERS = 34


@dataclass(frozen=True)
class Hint:
    """What stands with an answer.

    Attributes
    ----------
    text : str
        The sentence.
    button : str
        What the button says.
    operator : str
        What it runs, such as "octree.audit".
    options : Mapping of str to Any
        What it runs that with; all else as the scene has it.
    at_once : bool
        Whether it runs without the dialog that it would open.
    """

    text: str
    button: str
    operator: str
    options: Mapping[str, Any] = field(default_factory=dict)
    at_once: bool = False


def draw_hints(layout: bpy.types.UILayout, hints: Iterable[Hint]) -> None:
    """Show each hint in lines that a narrow sidebar has room for, with its button under them."""
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
    """Return a text in lines of at most so many letters as a narrow sidebar has room for."""
    return textwrap.wrap(text, letters)


def instances_text(owners: Ids, is_instance: Flags) -> str:
    """Say how many instances count as one with their instancer; nothing if none does.

    Parameters
    ----------
    owners : ndarray of intp, shape (n,)
        Of each placement the session id of its object, or instancer.
    is_instance : ndarray of bool, shape (n,)
        Which of them are instances.
    """
    counts = np.unique(owners[is_instance], return_counts=True)[1]
    counts = counts[counts > 1]
    if not len(counts):
        return ""
    whose = "one instancer" if len(counts) == 1 else f"{len(counts):,} instancers"
    each = "" if len(counts) == 1 else " each"
    return f"{plural(int(counts.sum()), 'instance')} of {whose} were taken as one{each}"
