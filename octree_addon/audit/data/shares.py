"""Shares of an audit, as a render farm makes them: exact arrays (npz), and their merge."""

import io
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from ....core import Audit
from ...shares import check_asked, check_chunks
from ...text_formats import json_text, read_head
from .findings import AuditedObjects, Findings, checked
from .identity import canonical
from .reports import About

FORMAT, VERSION = "octree audit chunk", 1
_TEXTS = ("names", "libraries", "guids", "collections")
# What a file raises that is cut off, or none of ours.
_DAMAGED = (LookupError, TypeError, AttributeError, EOFError, OSError, BadZipFile, zlib.error)
_NUMBERS = {"instances": np.int32, "sizes": np.float64}


class AuditShare(NamedTuple):
    """What one machine has found.

    Attributes
    ----------
    chunk : tuple of int
        Its number, from 1 on, and how many there are.
    asked : Mapping of str to Any
        What was asked for, the same in all shares of one audit.
    findings : Findings
        What was found.
    about : About
        What reports say of the audit.
    """

    chunk: tuple[int, int]
    asked: Mapping[str, Any]
    findings: Findings
    about: About


def share_content(share: AuditShare) -> bytes:
    """Return a share as a file, to the last bit."""
    findings, audit = share.findings, share.findings.audit
    parts = {each.name: getattr(audit, each.name) for each in fields(audit)}
    arrays = {name: value for name, value in parts.items() if isinstance(value, np.ndarray)}
    objects = findings.objects
    head = {
        "format": FORMAT,
        "version": VERSION,
        "chunk": list(share.chunk),
        "asked": dict(share.asked),
        "about": asdict(share.about),
        "unit": findings.unit,
        "reasons": findings.reasons,
        "groups": findings.groups,
        "objects": {name: getattr(objects, name) for name in _TEXTS},
        "audit": {name: value for name, value in parts.items() if name not in arrays},
    }
    arrays |= {name: getattr(objects, name) for name in _NUMBERS}
    file = io.BytesIO()
    text = json_text(head, ascii_only=True).encode()
    np.savez_compressed(
        file, head=np.frombuffer(text, np.uint8), statuses=findings.statuses, **arrays
    )
    return file.getvalue()


def read_share(content: bytes) -> AuditShare:
    """Return what `share_content` has written; a `ValueError` if it is no such file."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in arrays.files}
        head = read_head(found.pop("head").tobytes(), FORMAT, VERSION)
        return _share(head, found)
    except _DAMAGED as error:
        raise ValueError(f"This is no chunk of an audit: {error!r} is amiss") from None


def _share(head: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> AuditShare:
    statuses = arrays.pop("statuses")
    columns: dict[str, Any] = {name: tuple(head["objects"][name]) for name in _TEXTS}
    columns |= {name: arrays.pop(name).astype(kind) for name, kind in _NUMBERS.items()}
    unknown = np.zeros(len(columns["names"]), np.intp)
    objects = AuditedObjects(**columns, uids=unknown)
    parts: dict[str, Any] = {**arrays, **head["audit"]}
    audit = Audit(**parts)
    groups, reasons = tuple(head["groups"]), tuple(head["reasons"])
    findings = checked(Findings(objects, audit, statuses, reasons, head["unit"], groups))
    about = dict(head["about"])
    for name in ("offset", "axis", "fail_on"):
        about[name] = tuple(about[name])
    number, total = head["chunk"]
    return AuditShare((int(number), int(total)), head["asked"], findings, About(**about))


def merged_shares(shares: Sequence[AuditShare]) -> tuple[Findings, About]:
    """Return the findings of all shares as one audit has them, and what to say of it.

    Raises
    ------
    ValueError
        If one is missing or there twice, or they are of different audits.
    """
    check_asked([each.asked for each in shares], "These are of different audits")
    check_chunks([each.chunk for each in shares])
    parts = [each.findings for each in shares]
    numbers: dict[tuple[Any, ...], int] = {}
    maps = [
        np.array([numbers.setdefault(key, len(numbers)) for key in _keys(part.objects)], np.intp)
        for part in parts
    ]
    every = parts[0].objects
    for part in parts[1:]:
        every = every.joined(part.objects)
    _, first = np.unique(np.concatenate(maps), return_index=True)
    joined = Audit.joined(
        [
            replace(part.audit, pairs=new[part.audit.pairs].reshape(2, -1))
            for part, new in zip(parts, maps, strict=True)
        ]
    )
    groups = [part.group_of(row) for part in parts for row in range(len(part))]
    findings = Findings(
        every.take(first),
        joined,
        np.concatenate([part.statuses for part in parts]),
        tuple(reason for part in parts for reason in part.reasons),
        parts[0].unit,
    ).with_groups(groups)
    last = max(each.about.date for each in shares)
    return canonical(findings), replace(shares[0].about, date=last)


def _keys(objects: AuditedObjects) -> list[tuple[Any, ...]]:
    """Return what each object is known by, whichever machine has looked at it."""
    texts = [getattr(objects, name) for name in _TEXTS]
    instances = map(tuple, objects.instances.tolist())
    return list(zip(*texts, instances, objects.sizes.tolist(), strict=True))
