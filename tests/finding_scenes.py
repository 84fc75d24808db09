"""Findings to compare and to report, made without an audit: a few parts, or any that may be."""

from dataclasses import replace

import numpy as np
from examples import examples
from hypothesis import HealthCheck
from hypothesis import strategies as st

from octree_ext.core import FINDING_CLASSES, FINDING_MEASURES, Audit
from octree_ext.octree_addon.audit.model import NEW, STATUSES, Findings, audited_objects, checked
from octree_ext.octree_addon.audit.model.parts import columns_of, parts_of

ALLOWED = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
ANY = examples(20, suppress_health_check=ALLOWED)
GUIDS = ("1XbKhGD91DvhOpYZbhzGTI", "1bbI761TbBCOoIa5Kt6PXt", "")
# With lone surrogates, which a name in a damaged file may hold, and control characters.
TEXTS = st.text(st.characters(exclude_categories=()), max_size=12)
HOSTILE = (
    "=1+1", "-2", "@SUM(A1)", "+x", "a,b", 'say "x"', "two\nlines", "cr\rlf\r\n", "\t=tab", "\r",
    "<script>alert(1)</script>", "&amp;", "]]>", "'\"><img src=x onerror=alert(1)>",
    "\x00\x0b\x1f", "\ud800", "\ufffe", "🧱", "", "   ", "../../etc/passwd", "</style>", "#3 Tree",
)  # fmt: skip


def kind(name):
    return FINDING_CLASSES.index(name)


def make_findings(objects, classes, pairs, *numbers, **known):
    """Make findings of lists: measures, lower, upper and places; of parts, with their owners."""
    count, none = len(classes), np.empty(0, np.intp)
    measures, *lengths = numbers
    audit = Audit(
        np.asarray(classes, np.intp),
        np.asarray(pairs, np.intp),
        np.asarray(measures, np.intp),
        *(np.asarray(each, np.float64) for each in lengths),
        np.where(np.asarray(classes) == kind("contained"), 0, -1),
        np.zeros((2, count), bool),
        *known.get("segments", (np.empty((0, 2, 3)), none)),
        *columns_of(*known.get("faces", (none, none)), count),
        np.full(count, np.nan),
        np.nan,
    )
    statuses = np.asarray(known.get("statuses", [NEW] * count), np.intp)
    reasons = tuple(known.get("reasons", [""] * count))
    return checked(Findings(objects, audit, statuses, reasons, known.get("unit", "m")))


def house(**columns):
    """Let a pipe cross a beam and a slab, a chair stand, a wall be doubled, a door be near."""
    names = ("Pipe", "Beam", "Slab", "Chair", "Wall", "Wall.001", "Door")
    objects = audited_objects(
        names,
        guids=(*GUIDS, "", "", "", ""),
        collections=("MEP", "Frame", "Frame", "Room", "Room", "Room", "Room"),
        sizes=(4, 6, 12, 1, 5, 5, 2),
        uids=range(11, 18),
    )
    crossing = [[(0, 0, 3), (0.1, 0, 3)], [(0.1, 0, 3), (0.1, 0.1, 3)]]
    defaults = {
        "segments": parts_of([crossing, [], [], [], []], (2, 3), np.float64),
        "faces": parts_of([[4, 5], [1], [2], [], [], [], [], [], [9], [8]], (), np.intp),
    }
    return make_findings(
        objects,
        [kind(name) for name in ("overlap", "overlap", "touching", "duplicate", "near")],
        [(0, 0, 2, 4, 4), (1, 2, 3, 5, 6)],
        [1, 1, 0, 0, 0],
        (0.012, 0.2, 0, 0, 0.02),
        (0.013, 0.2, 1e-6, 2e-7, 0.02),
        [(0, 0, 3), (0, 2, 0.1), (3, 3, 0), (5, 0, 1), (5, 1, 1)],
        **(defaults | {"unit": "m"} | columns),
    )


def of_names(names, **columns):
    """One overlap of each two neighbors in a list of names, of which none need be unlike."""
    count = max(len(names) - 1, 0)
    objects = audited_objects(names, instances=ids(len(names)), collections=names)
    return make_findings(
        objects,
        [0] * count,
        [range(count), range(1, count + 1)],
        [1] * count,
        [0.1] * count,
        [0.2] * count,
        np.arange(3 * count).reshape(-1, 3),
        **columns,
    )


def ids(count):
    """Make persistent ids that tell objects apart whatever their names are."""
    numbers = np.full((count, 8), 2**31 - 1)
    numbers[:, 0] = np.arange(count)
    return numbers


@st.composite
def any_findings(draw):
    """Any findings that may be: hostile names, equal identities, every class and status."""
    names = draw(st.lists(TEXTS | st.sampled_from(HOSTILE), min_size=1, max_size=6))
    count = len(names)
    many = {"min_size": count, "max_size": count}
    objects = audited_objects(
        names,
        instances=draw(st.sampled_from((ids(count), np.full((count, 8), 2**31 - 1)))),
        libraries=draw(st.lists(TEXTS, **many)),
        guids=draw(st.lists(st.sampled_from(GUIDS), **many)),
        collections=draw(st.lists(TEXTS, **many)),
        sizes=draw(st.lists(st.floats(0, 1e6), **many)),
    )
    number = st.integers(0, count - 1)
    found = draw(
        st.lists(
            st.tuples(st.integers(0, len(FINDING_CLASSES) - 1), number, number),
            max_size=8,
            unique_by=lambda each: (each[0], *sorted(each[1:])),
        )
    )
    coordinates = st.floats(-1e6, 1e6)
    point = st.tuples(coordinates, coordinates, coordinates)
    each = {"min_size": len(found), "max_size": len(found)}
    ends = draw(st.lists(st.tuples(st.floats(0, 1e9), st.floats(0, 1e9)), **each))
    kinds, first, second = np.array(found, np.intp).reshape(-1, 3).T
    lines = st.lists(st.tuples(point, point), max_size=3)
    faces = st.lists(st.integers(0, 10**6), max_size=3)
    both = {"min_size": 2 * len(found), "max_size": 2 * len(found)}
    return make_findings(
        objects,
        kinds,
        [first, second],
        draw(st.lists(st.integers(0, len(FINDING_MEASURES) - 1), **each)),
        [min(pair) for pair in ends],
        [max(pair) for pair in ends],
        np.array(draw(st.lists(point, **each))).reshape(-1, 3),
        segments=parts_of(draw(st.lists(lines, **each)), (2, 3), np.float64),
        faces=parts_of(draw(st.lists(faces, **both)), (), np.intp),
        statuses=draw(st.lists(st.integers(0, len(STATUSES) - 1), **each)),
        reasons=draw(st.lists(TEXTS, **each)),
        unit=draw(st.sampled_from(("m", "BU"))),
    )


def shuffled(findings, seed):
    """Return the same findings, the objects numbered in another order and with sides turned."""
    random = np.random.default_rng(seed)
    numbers, audit = random.permutation(len(findings.objects)), findings.audit
    turned = random.random(len(findings)) < 0.5
    turned &= (audit.classes != kind("contained")) & (audit.pairs[0] != audit.pairs[1])
    audit = replace(audit, pairs=np.argsort(numbers)[audit.pairs])
    whole = replace(
        findings,
        objects=findings.objects.take(numbers),
        audit=audit.turned(np.flatnonzero(turned)),
    )
    return whole.take(random.permutation(len(findings)))
