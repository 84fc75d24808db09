"""Reports: CSV, JSON, HTML and JUnit, read back by the readers of others; hostile names."""

import csv
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest
from finding_scenes import ANY, HOSTILE, any_findings, house, of_names, shuffled
from hypothesis import given
from hypothesis import strategies as st

from octree_ext.core import FINDING_CLASSES, FINDING_MEASURES
from octree_ext.octree_addon import xml_formats
from octree_ext.octree_addon.audit import model as audit
from octree_ext.octree_addon.audit import report_formats as reports
from octree_ext.octree_addon.audit.model import IGNORED, RESOLVED, About
from octree_ext.octree_addon.audit.report_formats import words
from octree_ext.octree_addon.display.snapshot import MOST_BYTES
from octree_ext.octree_addon.written_files import writer_of

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
ABOUT = About("house.blend", "Ada", "2026-11-22T17:00:00+00:00", {"clearance": 0.03})


def rows_of(content):
    return list(csv.reader(io.StringIO(content, newline="")))


def test_csv_has_units_in_the_header_and_a_line_for_each_finding():
    header, *lines = rows_of(reports.csv_report(house(), ABOUT, {}))
    table = [dict(zip(header, line, strict=True)) for line in lines]
    assert len(table) == 5
    (line,) = [each for each in table if each["Depth min [m]"] == "0.012"]
    assert line["Class"] == "overlap"
    assert line["Area max [m2]"] == line["Distance min [m]"] == ""
    assert {line["Object"], line["Other Object"]} == {"Pipe", "Beam"}
    assert float(line["Z [m]"]) == 3
    assert rows_of(reports.csv_report(house(unit="BU"), ABOUT, {}))[0][11] == "Distance min [BU]"
    # Columns that came later stand last, so that the places of the others hold.
    assert header[22:] == ["Status", "Reason", "Id", "Tolerance [m]", "Judged by [m]"]


@given(any_findings())
@ANY
def test_csv_is_read_back_whole_and_runs_nothing(found):
    content = reports.csv_report(found, ABOUT, {})
    header, *lines = rows_of(content)
    assert len(lines) == len(found)
    texts = [0, 1, 2, 3, 4, 6, 7, 8, 9, *map(header.index, ("Status", "Reason", "Id"))]
    for line in lines:
        assert len(line) == len(header)
        assert not any(line[place].startswith(tuple("=+-@\t\r")) for place in texts)


def test_csv_keeps_hostile_names():
    found = of_names(HOSTILE)
    lines = rows_of(reports.csv_report(found, ABOUT, {}))[1:]
    names = {line[2] for line in lines} | {line[7] for line in lines}  # their collections
    kept = {xml_formats.plain(name) for name in HOSTILE}
    assert names == {f"'{name}" if name.startswith(tuple("=+-@\t\r")) else name for name in kept}


@given(any_findings())
@ANY
def test_json_is_read_back_and_written_the_same(found):
    content = reports.json_report(found, ABOUT, {})
    again, about = reports.read_json(content)
    assert reports.json_report(again, about, {}) == content
    assert (about.file, about.options) == (ABOUT.file, ABOUT.options)
    wanted = audit.canonical(found)
    assert audit.finding_ids(again) == audit.finding_ids(wanted)
    assert again.objects.names == wanted.objects.names
    for name in ("classes", "pairs", "measures", "faces", "face_findings", "segment_findings"):
        assert np.array_equal(getattr(again.audit, name), getattr(wanted.audit, name)), name
    assert np.array_equal(again.statuses, wanted.statuses)
    assert np.allclose(again.audit.lower, wanted.audit.lower, rtol=1e-8)
    assert np.allclose(again.audit.places, wanted.audit.places, atol=1e-6)
    assert np.allclose(again.audit.segments, wanted.audit.segments, atol=1e-6)
    assert (again.reasons, again.unit) == (wanted.reasons, wanted.unit)


@pytest.mark.parametrize("seed", range(4))
def test_json_is_the_same_whatever_the_order(seed):
    other = About("house.blend", "Bob", "2027-01-01", {"clearance": 0.03})
    one = reports.json_report(house(), ABOUT, {})
    assert reports.json_report(shuffled(house(), seed), other, {}) == one


def test_json_is_the_same_in_every_version_of_blender():
    """Written by hand: all Blenders of the test matrix have to agree with it."""
    found = house().take(np.array([0]))
    text = reports.json_report(found, ABOUT, {})
    assert text == JSON


JSON = """\
{
 "format": "octree-audit",
 "version": 1,
 "file": "house.blend",
 "unit": "m",
 "options": {"clearance": 0.03},
 "tolerance": null,
 "widened": 0,
 "counts": {"overlap": 1, "contained": 0, "duplicate": 0, "coplanar same-facing": 0, "coplanar opposite-facing": 0, "touching": 0, "near": 0, "self-intersection": 0},
 "objects": [
  {"name": "Pipe", "instance": [], "library": "", "guid": "1XbKhGD91DvhOpYZbhzGTI", "collection": "MEP", "size": 4.0},
  {"name": "Beam", "instance": [], "library": "", "guid": "1bbI761TbBCOoIa5Kt6PXt", "collection": "Frame", "size": 6.0}
 ],
 "findings": [
  {"id": "071474d1-8223-5cdc-964e-c12dc37b70e6", "class": "overlap", "objects": [0, 1], "names": ["Pipe", "Beam"], "measure": "depth", "unit": "m", "lower": 0.012, "upper": 0.013, "band": null, "place": [0.0, 0.0, 3.0], "segments": [[[0.0, 0.0, 3.0], [0.1, 0.0, 3.0]], [[0.1, 0.0, 3.0], [0.1, 0.1, 3.0]]], "faces": [[4, 5], [1]], "status": "new", "reason": ""}
 ]
}
"""  # noqa: E501


def test_noise_in_the_last_digits_does_not_show():
    found, lengths = house(), house().audit
    lower, places = lengths.lower * (1 - 1e-14), lengths.places * (1 + 1e-14) - 1e-16
    noisy = replace(found, audit=replace(lengths, lower=lower, places=places))
    written = [reports.json_report(each, ABOUT, {}) for each in (found, noisy)]
    assert written[0] == written[1]


def test_json_is_compared_with_a_new_audit():
    earlier = house().with_statuses([0], IGNORED, "sleeve")
    old, _ = reports.read_json(reports.json_report(earlier, ABOUT, {}))
    new = shuffled(house(), 1)
    kept = audit.compare(old, new, audit.match_objects(old.objects, new.objects)).history()
    assert sorted(kept.reasons) == ["", "", "", "", "sleeve"]


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"format": "other"},
        {"findings": None},
        {"findings": [{}]},
        {"objects": [{"name": "x"}]},
        {"objects": []},
        {"unit": "in"},
        {"options": 3},
    ],
    ids=str,
)
def test_what_is_no_report_is_refused(change):
    head = json.loads(reports.json_report(house(), ABOUT, {})) | change
    with pytest.raises(ValueError):
        reports.read_json(json.dumps(head).encode())


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"3", b"null", b"\xff\xfe", b"[" * 9999])
def test_what_is_no_json_is_refused(content):
    with pytest.raises(ValueError):
        reports.read_json(content)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("class", "crash"), ("class", 3), ("objects", [0]), ("objects", [0, 99]), ("lower", "1"),
        ("lower", None), ("upper", -1), ("place", [1, 2]), ("place", ["x", 1, 2]),
        ("segments", [[1]]), ("faces", [[1]]), ("faces", 3), ("status", "gone"), ("reason", 3),
        ("measure", "mass"),
    ],
)  # fmt: skip
def test_a_damaged_finding_is_refused(name, value):
    head = json.loads(reports.json_report(house(), ABOUT, {}))
    head["findings"][0][name] = value
    with pytest.raises(ValueError):
        reports.read_json(json.dumps(head).encode())


class Page(HTMLParser):
    """What a browser makes of a page: its tags, and the texts between them."""

    def __init__(self, content):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(content)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.texts.append(data)

    def named(self, wanted):
        return [attributes for tag, attributes in self.tags if tag == wanted]


@given(any_findings())
@ANY
def test_the_page_holds_what_we_put_there_and_nothing_else(found):
    page = Page(reports.html_report(found, ABOUT, {}))
    assert len(page.named("tr")) == len(found) + 2 * len(set(found.audit.classes.tolist())) + bool(
        len(found)
    )
    assert {tag for tag, _ in page.tags} <= {
        "html", "head", "meta", "title", "style", "body", "h1", "p", "table", "thead", "tbody",
        "tr", "th", "td", "details", "summary", "span", "div", "small", "i", "script", "input",
        "label", "output",
    }  # fmt: skip
    assert len(page.named("script")) == 1
    assert not any(name.startswith("on") for _, each in page.tags for name in each)


def test_the_page_shows_hostile_names_as_text():
    page = Page(reports.html_report(of_names(HOSTILE), replace(ABOUT, file="<b>.blend"), {}))
    assert "<script>alert(1)</script>" in page.texts
    assert "Audit of <b>.blend" in page.texts
    assert page.named("b") == page.named("img") == []


def test_the_page_needs_no_network():
    content = reports.html_report(house(), ABOUT, {1: PNG})
    assert not re.search(r"https?:|//|@import|url\(", content.replace("data:image/png;base64", ""))
    page = Page(content)
    (picture,) = page.named("img")
    assert picture["src"].startswith("data:image/png;base64,iVBORw0KGgo")
    (policy,) = [each["content"] for each in page.named("meta") if "http-equiv" in each]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_the_policy_admits_the_style_and_the_script_as_they_stand_there():
    import base64
    import hashlib

    content = reports.html_report(house(), ABOUT, {})
    for tag in ("style", "script"):
        (text,) = re.findall(f"<{tag}>(.*?)</{tag}>", content, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src &#x27;sha256-{digest}&#x27;" in content


def test_the_page_is_grouped_as_asked():
    groups = audit.by_smaller_object(house())
    page = Page(reports.html_report(house(), ABOUT, {}, groups))
    assert len(page.named("details")) == 4
    assert "Pipe " in page.texts
    assert page.texts.count("0.012\xa0to\xa00.013\xa0m") == 1


def test_an_empty_page_says_so():
    nothing = house().take(np.arange(0))
    page = Page(reports.html_report(nothing, ABOUT, {}))
    assert any("Nothing was found." in text for text in page.texts)
    assert page.named("input") == page.named("details") == []


def page_text(found, **about):
    """Return the text of a page in one line, and what cells say how much."""
    texts = Page(reports.html_report(found, replace(ABOUT, **about), {})).texts
    return " ".join(" ".join(texts).replace("\xa0", " ").split())


def test_the_head_says_in_sentences_what_was_audited_and_found():
    options = {
        "ones": "COLLECTION", "ones_collection": "MEP", "others": "VISIBLE", "clearance": 0.03,
        "overlap": True, "duplicate": True, "coplanar": False, "instances": False,
        "apart_one": "Doors", "apart_other": "Walls",
    }  # fmt: skip
    found = house().with_statuses([0], IGNORED, "sleeve")
    bands = np.array([1e-5, 2e-3, 1e-5, 1e-5, 1e-5])
    found = replace(found, audit=replace(found.audit, band=1e-5, bands=bands))
    said = page_text(found, options=options, units="METRIC")
    for sentence in (
        "house.blend was audited on 2026-11-22 at 17:00 UTC.",
        "The objects of “MEP” were checked against all visible objects.",
        "There are 5 findings: 2 overlap, 1 duplicate, 1 touching and 1 near.",
        "By status: 4 new and 1 ignored.",
        "Looked for: overlap, duplicate, near.",
        "What comes nearer than 30 mm without touching is near.",
        "The tolerance is 0.01 mm: what is no farther apart touches",
        "For 1 finding it was widened",
        "Instances of one instancer were not checked against each other.",
        "The objects of “Doors” may meet those of “Walls”.",
    ):
        assert sentence in said, sentence
    assert not re.search(r"\b(ones|others|VISIBLE|True|False|apart_one)\b", said)


def test_the_head_says_no_more_than_is_known():
    said = page_text(house(), file="", date="", options={})
    assert "The scene was audited. All visible objects were checked against each other." in said
    assert "tolerance" not in said
    assert "Looked for" not in said


@pytest.mark.parametrize(
    ("units", "much", "place"),
    [
        ("METRIC", "12 to 13 mm", "Place [m] 0, 2, 0.1"),
        ("METERS", "0.012 to 0.013 m", "Place [m] 0, 2, 0.1"),
        ("CENTIMETERS", "1.2 to 1.3 cm", "Place [cm] 0, 200, 10"),
        ("IMPERIAL", "0.4724 to 0.5118 in", "Place [ft] 0, 6.562, 0.328"),
        ("", "0.012 to 0.013 m", "Place [m] 0, 2, 0.1"),
    ],
)
def test_lengths_are_told_in_the_units_of_the_scene(units, much, place):
    said = page_text(house(), units=units)
    header, coordinates = place.split("] ")
    assert much in said
    assert f"{header}]" in said
    assert coordinates in said


def test_a_tolerance_needs_no_zeros_where_all_is_in_meters():
    found = replace(house(), audit=replace(house().audit, band=1e-5))
    assert "The tolerance is 0.01 mm:" in page_text(found, units="METERS")
    assert "The tolerance is 0.0003937 in:" in page_text(found, units="FEET")
    assert "The tolerance is 0.01 mm:" in page_text(found, units="KILOMETERS")
    assert "The tolerance is 1e-05 m:" in page_text(found)


def test_areas_are_told_in_square_units():
    found = house()
    areas = np.full(5, FINDING_MEASURES.index("area"))
    found = replace(found, audit=replace(found.audit, measures=areas))
    assert "200,000 mm²" in page_text(found, units="METRIC")
    assert "2.153 ft²" in page_text(found, units="IMPERIAL")
    assert "0.2 BU²" in page_text(replace(found, unit="BU"), units="IMPERIAL")


def test_a_page_of_a_hundred_findings_is_two_megabytes_at_most():
    """With pictures as large as they are ever drawn, and names as long as Blender has them."""
    found = of_names([f"{number:03} {'x' * 59}" for number in range(101)])
    picture = PNG + bytes(MOST_BYTES - len(PNG))
    content = reports.html_report(found, ABOUT, dict.fromkeys(range(100), picture))
    assert content.count("<img") == 100
    assert len(content.encode()) < 2_000_000


def suites(found, **options):
    root = ElementTree.fromstring(reports.junit_report(found, replace(ABOUT, **options)))
    return root, {suite.get("name"): suite for suite in root}


def test_junit_has_a_suite_for_each_class_and_a_failure_for_each_finding():
    root, by_name = suites(house())
    assert list(by_name) == list(FINDING_CLASSES)
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("9", "5", "0")
    assert by_name["overlap"].get("failures") == "2"
    assert [case.get("name") for case in by_name["contained"]] == ["no contained"]
    failure = by_name["duplicate"].find("testcase/failure")
    assert "Wall" in failure.get("message")
    assert "At 5, 0, 1 m" in failure.text


def test_junit_fails_on_the_classes_that_fail():
    found = house().with_statuses([0], IGNORED, "sleeve").with_statuses([3], RESOLVED)
    root, by_name = suites(found, fail_on=("overlap", "duplicate"))
    assert (root.get("failures"), root.get("skipped")) == ("1", "1")
    assert by_name["overlap"].find("testcase/skipped").get("message") == "sleeve"
    assert by_name["near"].get("failures") == "0"
    assert [case.get("name") for case in by_name["duplicate"]] == ["no duplicate"]


@given(any_findings())
@ANY
def test_junit_counts_what_it_holds(found):
    root, by_name = suites(found)
    cases = list(root.iter("testcase"))
    assert len({(case.get("classname"), case.get("name")) for case in cases}) == len(cases)
    assert int(root.get("tests")) == len(cases)
    assert int(root.get("failures")) == len(list(root.iter("failure")))
    open_ones = found.statuses < IGNORED
    for number, name in enumerate(FINDING_CLASSES):
        wanted = np.count_nonzero(open_ones & (found.audit.classes == number))
        assert int(by_name[name].get("failures")) == wanted


@given(any_findings(), st.text(st.characters(exclude_categories=())))
@ANY
def test_every_report_can_be_written(found, text):
    about = About(text, text, ABOUT.date, {text: text})
    for name, writer in reports.REPORTS.items():
        written = writer.content(found, about, {})
        assert written if isinstance(written, bytes) else written.encode(), name


@pytest.mark.parametrize("path", ["", "report", "report.pdf", "report.", ".json"])
def test_only_known_kinds_of_files_are_written(path):
    with pytest.raises(ValueError, match=r"must end in \.csv, \.json, \.bcf, \.html or \.xml"):
        writer_of(reports.REPORTS, path)


def test_descriptions_say_what_is_known():
    assert words.title(house(), 0) == "overlap: Pipe / Beam, depth 0.012 to 0.013 m"
    said = words.description(house().with_statuses([0], IGNORED, "sleeve"), 0).splitlines()
    assert said[2] == "Pipe, GlobalId 1XbKhGD91DvhOpYZbhzGTI, collection MEP"
    assert said[-1] == "Ignored: sleeve"
    assert {words.unit_of(house(), each) for each in FINDING_MEASURES} == {"m", "m2"}
