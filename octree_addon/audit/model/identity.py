"""Stable identities: what an object and a finding are called by, whatever their order and number.

Within an open file an object is known by its session id, whatever it is renamed to. Between files
it is known by its IFC GlobalId, else by its library and name; an instance by its persistent id
besides. A finding is known by its class and its objects, in either order.

Duplicating an object in Blender duplicates its GlobalId too: where several have the same, their
names tell them apart.
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

# Of this format alone, so that the same finding has the same id in every file and on every day.
NAMESPACE = UUID("5f0e2c58-7b1d-5c0e-9a55-6d1a4e1f7a31")


def identities(objects: AuditedObjects) -> list[str]:
    """Return what each object is known by between files: ASCII text, each once in a file."""
    instances = objects.persistent_ids()
    times = Counter(zip(objects.guids, instances, strict=True))
    named = zip(objects.guids, objects.libraries, objects.names, instances, strict=True)
    known = [
        json.dumps(["guid", guid, ids] if guid and times[guid, ids] == 1 else [guid, *text, ids])
        for guid, *text, ids in named
    ]
    return _distinct(known)


def _distinct(texts: list[str]) -> list[str]:
    """Add a number to what stands there more than once, which no file of Blender has."""
    if len(set(texts)) == len(texts):
        return texts
    before = Counter[str]()
    numbered = []
    for text in texts:
        numbered.append(f"{text}#{before[text]}" if before[text] else text)
        before[text] += 1
    return numbered


def finding_keys(findings: Findings) -> list[str]:
    """Return what each finding is known by between files: ASCII text, each once."""
    pruned = findings.pruned()
    known, audit = identities(pruned.objects), pruned.audit
    return [
        json.dumps([FINDING_CLASSES[kind], *sorted((known[a], known[b]))])
        for kind, a, b in zip(audit.classes.tolist(), *audit.pairs.tolist(), strict=True)
    ]


def stable_id(*parts: str) -> str:
    """Return a UUID that depends on some texts alone (version 5, RFC 9562)."""
    return str(uuid5(NAMESPACE, json.dumps(parts)))


def finding_ids(findings: Findings) -> list[str]:
    """Return a UUID for each finding, the same in every run that finds it."""
    return [stable_id("finding", key) for key in finding_keys(findings)]


def ranks(known: Sequence[str]) -> Ids:
    """Return the place of each object in the order of identities, (k,)."""
    places = np.empty(len(known), np.intp)
    places[sorted(range(len(known)), key=known.__getitem__)] = np.arange(len(known))
    return places


def canonical(findings: Findings) -> Findings:
    """Return the same findings in an order that depends on nothing but what they are.

    Objects stand in the order of their identities, those of no finding are dropped; findings by
    class and objects. The two of a pair are ordered too, unless one is contained in the other.
    """
    return canonical_rows(findings)[0]


def canonical_rows(findings: Findings) -> tuple[Findings, Ids]:
    """Return the same as `canonical`, and which of the findings each is, (n,)."""
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
    """Return for each new object which old one it is, or -1, (k,). O(k).

    Only what is the same on both sides without a doubt counts: the same GlobalId, library and
    name; of the others the same GlobalId; of the others the same library and name, unless both
    have a GlobalId. An instance has to have the same persistent id.

    Parameters
    ----------
    old, new : AuditedObjects
        The objects of two audits.
    same_session : bool, default False
        Both are of the file as it is open now: the same session id decides before all else.
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
    """Return all that each object may be known by; None for what it has not."""
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
    """Match what has the same token, each once on either side, and no partner yet."""
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
