"""Answer: the record that every question returns."""

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
    """The findings of a question, and the data to ask the question again.

    Attributes
    ----------
    found : Found_co
        The question's own record, which only the session holds: for example its target, faces
        or pictures. None if the rows hold all findings.
    title : str
        The label of the question, and the default name of the result. The answer replaces an
        unpinned result of this name.
    question : str
        Name of the operator in `bpy.ops.octree` that asks the question.
    options : Mapping of str to Any
        The arguments of the operator for the same question.
    rows : Rows
        Objects by session id, with columns and frames. Empty in answers that the session holds,
        because the file holds the rows.
    data : bytes
        The rows in the question's own format, which its `ResultKind.rows` reads. Objects of the
        rows are then indices into `subjects`. If empty, `rows` is packed.
    subjects : Mapping of int to str
        Last names of the objects, by session id; deleted objects have a number below 0.
    details, marks : bytes, str
        Further findings of each row, packed, and the user's judgments of rows, as JSON.
    groups : str, optional
        Groups of rows by hand, in the format of `groups_text`. By default, the groups of the
        replaced result are carried over to the rows about the same objects.
    again : optional
        The `StandingQuestion` that asks again in this session, with the selection of that time.
    version : Version, optional
        The version of the scene that was asked; by default the version at the time of saving.
    sees : Version, optional
        A second dependency: the version of everything that cameras may see.
    number : int
        The unique number of the result in the file.
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
