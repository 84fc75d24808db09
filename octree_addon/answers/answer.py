"""Answers: the one record that each question gives."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from ..scene_index import Version
from .rows import Rows, no_instances

Found_co = TypeVar("Found_co", covariant=True)
NO_ROWS = Rows(np.empty((1, 0), np.intp), no_instances(0))


@dataclass(frozen=True, eq=False, kw_only=True)
class Answer(Generic[Found_co]):
    """What a question found, and how to ask again.

    Attributes
    ----------
    found : Found_co
        The question's own record, for the session: what was asked of what, faces, pictures. None
        where all is in the rows.
    title : str
        What the user calls the question. It is the name of the result; a result of this name is
        replaced unless it is pinned.
    question : str
        Name of the operator in `bpy.ops.octree` that asks again.
    options : Mapping of str to Any
        What it takes to ask the same.
    rows : Rows
        Objects by session id, with columns and frames. In the session they are empty: the file
        has them, as the user has marked them since.
    data : bytes
        The rows as the question packs them itself, which has a reader in `kept.READERS`. Objects
        of the rows are then places among `subjects`. By default columns are packed as they are.
    subjects : Mapping of int to str
        Last names of the objects, by session id, or by a number below 0 if they are gone.
    details, marks : bytes, str
        What else was found of each row, packed, and what the user has said of rows, as JSON.
    groups : str, optional
        Groups of rows by hand, as `groups_text` writes them; by default those of the rows that
        this answer replaces stay with what is about the same.
    again : optional
        How to ask again in this session, of what was selected then: `StandingQuestion`.
    version : Version, optional
        The version of the scene that was asked; by default the one in which the answer is kept.
    sees : Version, optional
        What it depends on of what cameras may see, besides.
    number : int
        That of its result in the file, which no other answer has.
    """

    found: Found_co
    title: str = ""
    question: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    rows: Rows = NO_ROWS
    data: bytes = b""
    subjects: Mapping[int, str] = field(default_factory=dict)
    details: bytes = b""
    marks: str = ""
    groups: str | None = None
    again: Any = None
    version: Version | None = None
    sees: Version | None = None
    number: int = 0
