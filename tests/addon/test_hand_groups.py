"""Groups by hand in findings and their reports: JSON, CSV, BCF, HTML, and what comes back."""

import csv
import io
import json
import re
from dataclasses import replace
from xml.etree import ElementTree
from zipfile import ZipFile

import numpy as np
import pytest
from finding_scenes import ANY, house
from hypothesis import given
from hypothesis import strategies as st

from octree_ext.octree_addon.audit import report_formats as reports
from octree_ext.octree_addon.audit.model import (
    RESOLVED,
    About,
    by_collections,
    checked,
    compare,
    match_objects,
)
from octree_ext.octree_addon.audit.model.grouping import by_class, with_hand_groups

ABOUT = About("house.blend", date="2026-11-22T17:00:00+00:00")
PIPES = ["Pipes", "Pipes", "", "", "Doors & walls"]


def grouped_house():
    return house().with_groups(PIPES)


def topics(found, groups=None):
    """Return the title of each topic by its id, and how many viewpoints it has."""
    with ZipFile(io.BytesIO(reports.bcf_report(found, ABOUT, {}, groups))) as archive:
        marks = [name for name in archive.namelist() if name.endswith("markup.bcf")]
        roots = [ElementTree.fromstring(archive.read(name)) for name in marks]
    made = [root.find("Topic") for root in roots]
    return {
        each.get("Guid"): (each.findtext("Title"), len(each.find("Viewpoints"))) for each in made
    }


def test_findings_are_taken_with_their_groups():
    found = grouped_house()
    assert found.take(np.array([4, 0])).groups == ("Doors & walls", "Pipes")
    assert found.with_groups([""] * 5).groups == ()
    assert house().take(np.array([1])).groups == ()
    with pytest.raises(ValueError, match="groups must be 5 texts"):
        checked(replace(house(), groups=("a",)))


def test_a_group_is_one_topic_and_keeps_its_id():
    plain, found = topics(house()), topics(grouped_house())
    titles = sorted(found.values())
    assert ("Doors & walls: 1 finding", 1) in titles and ("Pipes: 2 findings", 2) in titles
    assert len(found) == 4 and len(plain) == 5
    assert len(found.keys() & plain.keys()) == 2  # those of findings in no group
    fewer = house().with_groups(["Pipes", "", "", "", "Doors & walls"])
    assert {t for t in topics(fewer) if t in found} >= {
        guid for guid, (title, _) in found.items() if title.startswith(("Pipes", "Doors"))
    }
    by_two = topics(grouped_house(), by_collections(grouped_house()))
    assert sum(views for _, views in by_two.values()) == 5
    assert ("Pipes: 2 findings", 2) in by_two.values()


def test_json_and_csv_name_the_group():
    text = reports.json_report(grouped_house(), ABOUT)
    read = reports.read_json(text)[0]
    assert sorted(read.groups) == sorted(PIPES)
    assert reports.json_report(read, ABOUT) == text
    assert sum("group" in each for each in json.loads(text)["findings"]) == 3
    header, *lines = csv.reader(io.StringIO(reports.csv_report(grouped_house(), ABOUT)))
    assert header[-1] == "Group"
    assert sorted(line[-1] for line in lines) == sorted(PIPES)
    assert "Group" not in reports.csv_report(house(), ABOUT)


def test_the_page_folds_groups_with_their_sums_before_all_others():
    page = reports.html_report(grouped_house(), ABOUT, {})
    heads = re.findall(r"<summary>(.*?) <span>(\d+)</span>(?:<small>(.*?)</small>)?", page)
    assert heads == [
        ("Doors &amp; walls", "1", "1 near, from 0.02 m"),
        ("Pipes", "2", "2 overlap, up to 0.2 m"),
        ("duplicate", "1", ""),
        ("touching", "1", ""),
    ]
    assert page.count("<details open>") == 4
    assert page.count("data-by=") > 0 and 'type="search"' in page


@ANY
@given(st.lists(st.sampled_from(["", "a", "b", "<i>", "\ud800"]), min_size=5, max_size=5))
def test_hand_groups_are_a_partition(names):
    found = house().with_groups(names)
    groups = with_hand_groups(found, by_class(found))
    assert groups.hand == len(set(names) - {""})
    assert sorted(np.concatenate(groups.rows()).tolist()) == list(range(5))
    for number, rows in enumerate(groups.rows()):
        said = {names[row] for row in rows.tolist()}
        assert said == ({groups.names[number]} if number < groups.hand else {""})
    assert len(set(groups.keys[: groups.hand])) == groups.hand
    reports.html_report(found, ABOUT, {})
    reports.bcf_report(found, ABOUT, {})


def test_groups_are_carried_over_with_what_is_gone_and_what_comes_back():
    old, new = grouped_house(), house().take(np.array([1, 2, 3]))
    matching = match_objects(old.objects, new.objects)
    whole = compare(old, new, matching).history()
    assert whole.groups == ("Pipes", "", "", "Pipes", "Doors & walls")
    assert whole.statuses.tolist()[3:] == [RESOLVED, RESOLVED]
    back = compare(whole, house(), match_objects(whole.objects, house().objects)).history()
    assert list(back.groups) == PIPES
    mine = house().with_groups(["", "Mine", "", "", ""])
    again = compare(old, mine, match_objects(old.objects, mine.objects)).grouped()
    assert again.groups == ("Pipes", "Mine", "", "", "Doors & walls")
