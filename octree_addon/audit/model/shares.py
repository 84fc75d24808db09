"""Shares of an audit, as a render farm makes them: records of findings, and their merge."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

import numpy as np

from ....core import Audit
from ...shares import check_asked, check_chunks
from ..report_formats import About
from .findings import AuditedObjects, Findings
from .identity import canonical
from .record import DAMAGED, TEXTS, pack_findings, unpack_findings

FORMAT, VERSION = "octree audit chunk", 1


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
    objects = share.findings.objects
    unknown = np.zeros_like(objects.uids)  # session ids say nothing to other machines
    findings = replace(share.findings, objects=replace(objects, uids=unknown))
    asked, about = dict(share.asked), asdict(share.about)
    return pack_findings(
        findings, FORMAT, VERSION, chunk=list(share.chunk), asked=asked, about=about
    )


def read_share(content: bytes) -> AuditShare:
    """Return what `share_content` has written; a `ValueError` if it is no such file."""
    try:
        findings, head = unpack_findings(content, FORMAT, VERSION)
        about = dict(head["about"])
        for name in ("offset", "axis", "fail_on"):
            about[name] = tuple(about[name])
        number, total = head["chunk"]
        return AuditShare((int(number), int(total)), head["asked"], findings, About(**about))
    except DAMAGED as error:
        raise ValueError(f"This is no chunk of an audit: {error!r} is amiss") from None


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
    texts = [getattr(objects, name) for name in TEXTS]
    instances = map(tuple, objects.instances.tolist())
    return list(zip(*texts, instances, objects.sizes.tolist(), strict=True))
