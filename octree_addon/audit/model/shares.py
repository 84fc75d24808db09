"""Shards of an audit, one for each machine of a render farm: their files, and their merge."""

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
    """The findings of one machine.

    Attributes
    ----------
    chunk : tuple of int
        Number of the shard, from 1 on, and count of all shards.
    asked : Mapping of str to Any
        Options of the audit, equal in all of its shards.
    findings : Findings
        The findings of the shard.
    about : About
        Description of the audit for reports.
    """

    chunk: tuple[int, int]
    asked: Mapping[str, Any]
    findings: Findings
    about: About


def share_content(share: AuditShare) -> bytes:
    """Return a shard as the content of a file, lossless."""
    objects = share.findings.objects
    unknown = np.zeros_like(objects.uids)  # session ids have no meaning on other machines
    findings = replace(share.findings, objects=replace(objects, uids=unknown))
    asked, about = dict(share.asked), asdict(share.about)
    return pack_findings(
        findings, FORMAT, VERSION, chunk=list(share.chunk), asked=asked, about=about
    )


def read_share(content: bytes) -> AuditShare:
    """Return the shard in a file of `share_content`; raise `ValueError` for other content."""
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
    """Return the findings of all shards as of one audit, and their description for reports.

    Raises
    ------
    ValueError
        If a shard is missing or given twice, or shards are of different audits.
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
    """Return an identity of each object that is equal on all machines."""
    texts = [getattr(objects, name) for name in TEXTS]
    instances = map(tuple, objects.instances.tolist())
    return list(zip(*texts, instances, objects.sizes.tolist(), strict=True))
