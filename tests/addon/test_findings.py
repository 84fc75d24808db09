"""Findings: columns, stable identities, comparison of two audits and grouping, by brute force."""

from dataclasses import replace

import numpy as np
import pytest
from finding_scenes import (
    ANY,
    GUIDS,
    HOSTILE,
    any_findings,
    house,
    kind,
    make_findings,
    of_names,
    shuffled,
)
from hypothesis import assume, given
from hypothesis import strategies as st

from octree_ext.core import Audit
from octree_ext.octree_addon.audit import model as audit
from octree_ext.octree_addon.audit.model import IGNORED, NEW, RESOLVED, REVIEWED
from octree_ext.octree_addon.audit.model.parts import columns_of, faces_of, parts_of


def renamed(found, names=None, **columns):
    """Return the same findings of objects with other names, GlobalIds or session ids."""
    names = found.objects.names if names is None else names
    return replace(found, objects=replace(found.objects, names=tuple(names), **columns))


def match(old, new, **options):
    return audit.match_objects(old.objects, new.objects, **options)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"statuses": [9] * 5}, "statuses must be from 0 to 3"),
        ({"reasons": ["x"]}, "reasons must be 5 texts"),
        ({"unit": "in"}, "unit must be one of m, BU, got 'in'"),
        ({"segments": (np.ones((2, 2, 3)), np.array([4, 5]))}, "segment_findings must be from 0"),
        ({"segments": (np.ones((2, 2, 3)), np.array([4]))}, "segment_findings must have shape"),
        ({"segments": parts_of([[[(0, 0, np.nan)] * 2]] * 5, (2, 3), float)}, "must be finite"),
    ],
)
def test_columns_that_do_not_fit_are_refused(columns, said):
    with pytest.raises(ValueError, match=said):
        house(**columns)


def make(kinds=(0,), pairs=((0,), (1,)), lower=(0,), upper=(1,), places=((0, 0, 0),)):
    objects = audit.audited_objects(("a", "b"))
    return make_findings(objects, kinds, pairs, [1] * len(kinds), lower, upper, places)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"kinds": (8,)}, "classes must be from 0 to 7"),
        ({"pairs": ((0,), (2,))}, "pairs must be from 0 to 1"),
        ({"pairs": ((0,),)}, r"pairs must have shape \(2, 1\)"),
        ({"lower": (2,)}, "0 <= lower <= upper"),
        ({"lower": (np.nan,)}, "lower must be finite"),
        ({"upper": (np.inf,)}, "upper must be finite"),
        ({"places": ((0, np.inf, 0),)}, "places must be finite"),
    ],
)
def test_numbers_out_of_range_are_refused(columns, said):
    make()
    with pytest.raises(ValueError, match=said):
        make(**columns)


def test_a_pair_has_one_finding_of_a_class():
    with pytest.raises(ValueError, match="same class and the same objects"):
        make((0, 0), ((0, 1), (1, 0)), (0, 0), (1, 1), np.zeros((2, 3)))


def test_nothing_found_is_findings_too():
    nothing = house().take(np.arange(0))
    assert len(nothing) == len(audit.canonical(nothing)) == 0
    assert audit.finding_ids(nothing) == []
    assert all(len(group(nothing)) == 0 for group in audit.GROUPINGS.values())
    assert len(audit.compare(nothing, house(), match(nothing, house())).previous) == 5


def test_taking_rows_takes_their_lines_and_faces():
    found = house().take(np.array([4, 0]))
    assert found.audit.lower.tolist() == [0.02, 0.012]
    assert [len(found.segments_of(row)) for row in range(2)] == [0, 2]
    assert faces_by_side(found) == [[9], [8], [4, 5], [1]]


def faces_by_side(found):
    return [found.faces_of(row, side).tolist() for row in range(len(found)) for side in (0, 1)]


@given(st.lists(st.lists(st.integers(0, 99), max_size=4), max_size=6))
@ANY
def test_faces_of_sides_are_those_in_columns(sides):
    sides = sides[: len(sides) // 2 * 2]
    values, rows = parts_of(sides, (), np.intp)
    faces, owners = columns_of(values, rows, len(sides) // 2)
    assert (np.diff(owners) >= 0).all() and ((faces >= 0).any(axis=0)).all()
    found = replace(house().audit, faces=faces, face_findings=owners)
    assert [each.tolist() for each in faces_of(found)] == [values.tolist(), rows.tolist()]


@given(any_findings(), st.randoms(use_true_random=False))
@ANY
def test_taking_is_what_a_loop_does(found, random):
    rows = random.sample(range(len(found)), len(found) // 2)
    taken = found.take(np.array(rows, np.intp))
    for place, row in enumerate(rows):
        assert np.array_equal(taken.segments_of(place), found.segments_of(row))
        for side in (0, 1):
            assert np.array_equal(taken.faces_of(place, side), found.faces_of(row, side))
        assert taken.reasons[place] == found.reasons[row]


def test_ids_do_not_depend_on_order_or_numbers():
    found = house()
    other = shuffled(found, 3)
    assert set(audit.finding_ids(other)) == set(audit.finding_ids(found))
    assert audit.finding_ids(other) != audit.finding_ids(found)
    assert len(set(audit.finding_ids(found))) == len(found)


def test_an_id_is_the_same_in_every_version():
    """Topics of reports that are out there are known by it."""
    assert audit.finding_ids(house())[3] == "67d34e14-9120-5ad5-bae7-aab472b60ccb"


def test_a_global_id_outlives_a_new_name():
    found = house()
    other = renamed(found, ("Rohr", "Balken", *found.objects.names[2:]))
    assert audit.finding_ids(other)[0] == audit.finding_ids(found)[0]
    assert audit.finding_ids(other)[1] == audit.finding_ids(found)[1]


def test_a_copy_with_the_global_id_of_its_original_is_told_apart_by_its_name():
    found = of_names(("Wall", "Wall.001", "Wall.002"))
    same = renamed(found, guids=(GUIDS[0],) * 3, instances=house().objects.instances[:3])
    assert len(set(audit.identity.identities(same.objects))) == 3
    assert len(set(audit.finding_ids(same))) == 2


@given(any_findings())
@ANY
def test_identities_are_ascii_and_each_once(found):
    known = audit.identity.identities(found.objects)
    assert len(set(known)) == len(known)
    assert all(each.isascii() for each in known)
    assert len(set(audit.finding_ids(found))) == len(found)


@given(any_findings(), st.integers(0, 99))
@ANY
def test_the_canonical_order_knows_nothing_of_numbers(found, seed):
    # What nothing tells apart but its number has no other order.
    named = set(zip(found.objects.libraries, found.objects.names, strict=True))
    assume(len(named) == len(found.objects))
    one, other = audit.canonical(found), audit.canonical(shuffled(found, seed))
    assert audit.finding_ids(one) == audit.finding_ids(other)
    assert one.objects.names == other.objects.names
    assert one.audit == other.audit
    assert np.array_equal(one.statuses, other.statuses)
    assert sorted(audit.finding_ids(found)) == sorted(audit.finding_ids(one))


def test_the_inner_one_of_two_stays_first():
    turned = make((1,), ((1,), (0,)))
    ordered = audit.canonical(turned)
    assert [ordered.objects.names[number] for number in ordered.audit.pairs[:, 0]] == ["b", "a"]
    ordered = audit.canonical(make((0,), ((1,), (0,))))
    assert [ordered.objects.names[number] for number in ordered.audit.pairs[:, 0]] == ["a", "b"]


def test_matching_by_names_and_by_session():
    old = house()
    new = renamed(old, [*old.objects.names[:3], "Stool", "Wall", "Wall.001", "Gate"])
    assert match(old, new).tolist() == [0, 1, 2, -1, 4, 5, -1]
    assert match(old, new, same_session=True).tolist() == list(range(7))


def test_matching_by_global_id_before_names():
    old = renamed(house(), ["A", "B", "C", "D", "E", "F", "G"])
    swapped = renamed(old, ["B", "A", "C", "D", "E", "F", "G"])
    assert match(old, swapped).tolist() == list(range(7))
    other = renamed(old, guids=("0" * 22, GUIDS[1], *old.objects.guids[2:]))
    assert match(old, other).tolist() == [-1, 1, 2, 3, 4, 5, 6]  # named alike, another thing
    bare = renamed(old, guids=("",) * 7)
    assert match(old, bare).tolist() == match(bare, old).tolist() == list(range(7))


def test_a_copy_does_not_take_the_place_of_its_original():
    old = of_names(("Wall", "Beam"))
    old = renamed(old, guids=(GUIDS[0], ""), instances=house().objects.instances[:2])
    new = of_names(("Wall.001", "Wall", "Beam"))
    new = renamed(new, guids=(GUIDS[0],) * 2 + ("",), instances=house().objects.instances[:3])
    assert match(old, new).tolist() == [-1, 0, 1]


def test_instances_are_matched_by_their_persistent_ids():
    old = of_names(("Tree",) * 3)
    new = shuffled(old, 1)
    numbers = [new.objects.numbers_of(each)[0] for each in range(3)]
    assert match(old, new).tolist() == numbers


@given(any_findings(), st.integers(0, 99))
@ANY
def test_no_object_is_matched_twice(found, seed):
    matching = match(found, shuffled(found, seed))
    there = matching[matching >= 0]
    assert len(set(there.tolist())) == len(there)


def test_an_audit_compared_with_itself_is_still_there():
    found = house()
    compared = audit.compare(found, found, match(found, found))
    assert compared.previous.tolist() == list(range(5))
    assert len(compared.resolved) == 0


def test_new_still_there_and_resolved():
    old, new = house().take(np.arange(4)), shuffled(house().take(np.array([0, 2, 4])), 5)
    compared = audit.compare(old, new, match(old, new))
    ids = np.array(audit.finding_ids(new))
    assert ids[compared.is_new].tolist() == [audit.finding_ids(house())[4]]
    assert compared.resolved.tolist() == [1, 3]


@given(any_findings(), any_findings())
@ANY
def test_comparing_is_what_a_loop_over_pairs_finds(old, new):
    new = replace(new, unit=old.unit)
    matching = match(old, new)
    compared = audit.compare(old, new, matching)

    def key(found, row, number):
        pair = found.audit.pairs[:, row].tolist()
        return found.audit.classes[row], frozenset(map(number, pair))

    olds = {key(old, row, int): row for row in range(len(old)) if old.statuses[row] != RESOLVED}

    def partner(each):
        return int(matching[each]) if matching[each] >= 0 else -1 - each

    wanted = [
        None if new.statuses[row] == RESOLVED else olds.get(key(new, row, partner))
        for row in range(len(new))
    ]
    assert compared.previous.tolist() == [-1 if row is None else row for row in wanted]
    gone = set(olds.values()) - {row for row in wanted if row is not None}
    assert compared.resolved.tolist() == sorted(gone)
    there = new.statuses != RESOLVED
    assert compared.is_new.tolist() == (there & (compared.previous < 0)).tolist()


def test_a_history_compared_with_a_history():
    old, new = house(), house().with_statuses([1, 3], RESOLVED)
    compared = audit.compare(old, new, match(old, new))
    assert compared.resolved.tolist() == [1, 3]
    assert not compared.is_new.any()
    back = audit.compare(new, old, match(new, old))
    assert np.flatnonzero(back.is_new).tolist() == [1, 3]


def test_units_are_not_mixed():
    with pytest.raises(ValueError, match="must have one unit, got m and BU"):
        audit.compare(house(), house(unit="BU"), np.arange(7))


def test_what_was_ignored_and_reviewed_stays_so():
    old = house().with_statuses([0], IGNORED, "sleeve").with_statuses([2], REVIEWED)
    new = shuffled(house(), 2)
    kept = audit.compare(old, new, match(old, new)).history()
    states = zip(kept.statuses, kept.reasons, strict=True)
    said = dict(zip(audit.finding_ids(kept), states, strict=True))
    assert [said[each] for each in audit.finding_ids(house())] == [
        (IGNORED, "sleeve"), (NEW, ""), (REVIEWED, ""), (NEW, ""), (NEW, ""),
    ]  # fmt: skip


def test_what_is_gone_is_resolved_until_it_comes_back():
    whole = house().with_statuses([4], IGNORED, "by design")
    less = house().take(np.arange(3))
    without = replace(less, objects=less.objects.take(np.arange(4)))  # the walls are gone
    second = audit.compare(whole, without, match(whole, without)).history()
    assert second.statuses.tolist() == [NEW] * 3 + [RESOLVED] * 2
    assert audit.finding_ids(second) == audit.finding_ids(whole)
    assert second.faces_of(4, 1).tolist() == [8]
    again = audit.compare(second, without, match(second, without)).history()
    assert audit.finding_ids(again) == audit.finding_ids(second)  # the history stays
    back = audit.compare(second, house(), match(second, house())).history()
    assert back.statuses.tolist() == [NEW] * 5
    assert back.reasons == ("", "", "", "", "by design")  # to be offered again


def test_grouping_by_class_the_gravest_first():
    groups = audit.by_class(house())
    assert groups.names == ("overlap", "duplicate", "touching", "near")
    assert [rows.tolist() for rows in groups.rows()] == [[0, 1], [3], [2], [4]]


def test_grouping_by_the_smaller_object():
    groups = audit.by_smaller_object(house())
    assert groups.names == ("Pipe", "Chair", "Door", "Wall")
    assert groups.counts.tolist() == [2, 1, 1, 1]


def test_grouping_by_collections():
    groups = audit.by_collections(house())
    assert dict(zip(groups.names, groups.counts.tolist(), strict=True)) == {
        "Frame / MEP": 2, "Room": 2, "Frame / Room": 1,
    }  # fmt: skip


@pytest.mark.parametrize("grouping", audit.GROUPINGS.values(), ids=audit.GROUPINGS)
@given(found=any_findings(), seed=st.integers(0, 9))
@ANY
def test_groups_are_a_partition_and_know_nothing_of_numbers(grouping, found, seed):
    groups = grouping(found)
    rows = groups.rows()
    assert sorted(np.concatenate([*rows, np.empty(0, int)]).tolist()) == list(range(len(found)))
    assert groups.counts.tolist() == [len(each) for each in rows]
    assert len(set(groups.keys)) == len(groups)
    if len(set(found.objects.names)) == len(found.objects):
        other = grouping(shuffled(found, seed))
        assert (other.keys, other.names) == (groups.keys, groups.names)
        assert other.counts.tolist() == groups.counts.tolist()


def an_audit():
    """Make what a core answers of three placements: 2 in 0, which lies in one plane with 1."""
    return Audit(
        classes=np.array([1, 3]),
        pairs=np.array([[0, 0], [2, 1]]),
        measures=np.array([1, 2]),
        lower=np.array([0.5, 3.0]),
        upper=np.array([0.6, 3.0]),
        places=np.array([[1.0, 2, 3], [4, 5, 6]]),
        inner=np.array([1, -1]),
        are_open=np.zeros((2, 2), bool),
        segments=np.array([[[0.0, 0, 0], [2, 0, 0]]]),
        segment_findings=np.array([0]),
        faces=np.array([[7, 7, 8], [3, 4, 5]]),
        face_findings=np.array([0, 0, 1]),
        bands=np.array([0.02, 0.03]),
        band=0.02,
    )


def test_an_audit_becomes_findings():
    objects = audit.audited_objects(("Box", "Lid", "Nut"))
    found = audit.findings_of(an_audit(), objects, scale=0.1, unit="m")
    assert found.audit.pairs.tolist() == [[2, 0], [0, 1]]  # the inner one first
    assert found.audit.lower == pytest.approx([0.05, 0.03])  # a depth, an area
    assert found.audit.bands == pytest.approx([0.002, 0.003]) and found.audit.band == 0.002
    assert found.widened.tolist() == [False, True]
    assert found.audit.places[0] == pytest.approx([0.1, 0.2, 0.3])
    assert found.segments_of(0) == pytest.approx(np.array([[[0, 0, 0], [0.2, 0, 0]]]))
    assert faces_by_side(found) == [[3, 4], [7], [8], [5]]
    assert found.audit.classes.tolist() == [kind("contained"), kind("coplanar same-facing")]


STEP = b"""ISO-10303-21;
#1=IFCPROJECT('0YvctVUKr0kugbFTf53O9L',#2,'x',$,$,$,$,(#20),#7);
# 12 = IfcWall ( '1XbKhGD91DvhOpYZbhzGTI', $, 'Wall', $);
#13=IFCCARTESIANPOINT((0.,0.,0.));
#120=IFCSLAB('1bbI761TbBCOoIa5Kt6PXt',$,$,$,$,$,$,$,$);
"""


def test_global_ids_are_read_from_the_lines_of_an_ifc_file():
    assert audit.global_ids_in(STEP, (12, 13, 120, 999)) == {12: GUIDS[0], 120: GUIDS[1]}


@pytest.mark.parametrize("text", ["", "short", "4" + "a" * 21, GUIDS[0] + "x", "-" * 22, None, 7])
def test_only_a_global_id_is_one(text):
    assert audit.valid_global_id(text) == audit.own_global_id({"GlobalId": text}) == ""


def test_an_object_may_carry_its_global_id(empty_scene):
    import bpy

    item = bpy.data.objects.new("Wall", None)
    assert audit.own_global_id(item) == ""
    assert audit.bonsai_number(item) == 0
    assert audit.bonsai_file(empty_scene) == ""
    item["GlobalId"] = GUIDS[0]
    assert audit.own_global_id(item) == GUIDS[0]


def test_names_are_kept_as_they_are():
    assert of_names(HOSTILE).objects.names == HOSTILE
