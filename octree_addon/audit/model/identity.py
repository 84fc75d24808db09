"""Stable identities of objects and findings, independent of their order and number.

Within an open file an object is identified by its session id, which a rename keeps. Across files
it is identified by its IFC GlobalId, else by its library and name; an instance also by its
persistent id. A finding is identified by its class and its objects, in either order.

Blender duplicates the GlobalId with an object: if several objects have one GlobalId, their names
are used as well.
"""

import json
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace
from uuid import UUID, uuid5

import numpy as np

from ....core import FINDING_CLASSES
from ...arrays import Flags, Ids
from .findings import CONTAINED, AuditedObjects, Findings

# Namespace of this format, so that equal findings have equal ids in all files and runs.
NAMESPACE = UUID("5f0e2c58-7b1d-5c0e-9a55-6d1a4e1f7a31")


def identities(objects: AuditedObjects) -> list[str]:
    """Return the identity of each object across files: ASCII text, unique in a file."""
    instances = objects.persistent_ids()
    times = Counter(zip(objects.guids, instances, strict=True))
    named = zip(objects.guids, objects.libraries, objects.names, instances, strict=True)
    known = [
        json.dumps(["guid", guid, ids] if guid and times[guid, ids] == 1 else [guid, *text, ids])
        for guid, *text, ids in named
    ]
    return _distinct(known)


def _distinct(texts: list[str]) -> list[str]:
    """Return texts with a number added to repeated ones, which a Blender file does not have."""
    if len(set(texts)) == len(texts):
        return texts
    before = Counter[str]()
    numbered = []
    for text in texts:
        numbered.append(f"{text}#{before[text]}" if before[text] else text)
        before[text] += 1
    return numbered


def finding_keys(findings: Findings) -> list[str]:
    """Return the identity of each finding across files: ASCII text, each once."""
    pruned = findings.pruned()
    known, audit = identities(pruned.objects), pruned.audit
    return [
        json.dumps([FINDING_CLASSES[kind], *sorted((known[a], known[b]))])
        for kind, a, b in zip(audit.classes.tolist(), *audit.pairs.tolist(), strict=True)
    ]


def stable_id(*parts: str) -> str:
    """Return a UUID that depends only on some texts (version 5, RFC 9562)."""
    return str(uuid5(NAMESPACE, json.dumps(parts)))


def finding_ids(findings: Findings) -> list[str]:
    """Return a UUID for each finding, equal in every run with that finding."""
    return [stable_id("finding", key) for key in finding_keys(findings)]


def ranks(known: Sequence[str]) -> Ids:
    """Return the position of each object in the order of identities, (k,)."""
    places = np.empty(len(known), np.intp)
    places[sorted(range(len(known)), key=known.__getitem__)] = np.arange(len(known))
    return places


def canonical(findings: Findings) -> Findings:
    """Return the same findings in canonical order, independent of the order in a scene.

    Objects are in the order of their identities, without unused ones; findings by class and
    objects. The two objects of a pair are ordered too, unless one is contained in the other.
    """
    return canonical_rows(findings)[0]


def canonical_rows(findings: Findings) -> tuple[Findings, Ids]:
    """Return the findings of `canonical`, and the former row of each, (n,)."""
    pruned = findings.pruned()
    objects, audit = pruned.objects, pruned.audit
    rank = ranks(identities(objects))
    pairs = rank[audit.pairs]
    turned = (pairs[0] > pairs[1]) & (audit.classes != CONTAINED)
    audit = replace(audit, pairs=pairs).turned(turned.nonzero()[0])
    whole = replace(pruned, objects=objects.take(np.argsort(rank)), audit=audit)
    order = np.lexsort((*np.sort(pairs, axis=0)[::-1], audit.classes))
    return whole.take(order), order


def match_objects(old: AuditedObjects, new: AuditedObjects, *, same_session: bool = False) -> Ids:
    """Return the old object that equals each new one, or -1, (k,). O(k).

    Only unambiguous matches count, in this order: equal GlobalId, library and name; equal
    GlobalId; equal library and name, unless both have a GlobalId. Instances also need equal
    persistent ids.

    Parameters
    ----------
    old, new : AuditedObjects
        The objects of two audits.
    same_session : bool, default False
        If true, both audits are of the open file, and equal session ids match first.
    """
    found = np.full(len(new), -1, np.intp)
    olds, news = _tokens(old), _tokens(new)
    stages = ["uid", "whole", "guid"] if same_session else ["whole", "guid"]
    for stage in stages:
        _join(olds[stage], news[stage], found)
    _join(olds["name without guid"], news["name"], found)
    _join(olds["name"], news["name without guid"], found)
    return found


Token = Hashable | None


def _tokens(objects: AuditedObjects) -> dict[str, list[Token]]:
    """Return the tokens by which objects may match, by kind; None for a missing token."""
    ids = objects.persistent_ids()
    names = list(zip(objects.libraries, objects.names, ids, strict=True))
    uids = zip(objects.uids.tolist(), ids, strict=True)
    guids = list(zip(objects.guids, ids, strict=True))
    bare = zip(objects.guids, names, strict=True)
    return {
        "uid": [each if each[0] else None for each in uids],
        "whole": list(zip(objects.guids, names, strict=True)),
        "guid": [each if each[0] else None for each in guids],
        "name": list(names),
        "name without guid": [None if guid else name for guid, name in bare],
    }


def _join(old: Sequence[Token], new: Sequence[Token], found: Ids) -> None:
    """Match unmatched objects with equal tokens, if the token is unique on both sides."""
    codes: dict[Token, int] = {None: 0}
    olds, news = (
        np.array([codes.setdefault(token, len(codes)) for token in tokens], np.intp)
        for tokens in (old, new)
    )
    taken = np.zeros(len(olds), np.bool_)
    taken[found[found >= 0]] = True
    olds, news = np.where(taken, 0, olds), np.where(found >= 0, 0, news)
    partner = np.full(len(codes), -1, np.intp)
    partner[olds] = np.arange(len(olds))
    partner[~(_once(olds, len(codes)) & _once(news, len(codes)))] = -1
    partner[0] = -1
    np.copyto(found, partner[news], where=partner[news] >= 0)


def _once(codes: Ids, count: int) -> Flags:
    flags: Flags = np.bincount(codes, minlength=count) == 1
    return flags
