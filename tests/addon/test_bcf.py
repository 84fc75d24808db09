"""BCF 3.0: files, cameras that see the contact, components, stable ids; read by others."""

import dataclasses
import io
import os
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from finding_scenes import (
    ANY,
    GUIDS,
    HOSTILE,
    any_findings,
    house,
    make_findings,
    of_names,
    shuffled,
)
from hypothesis import given

from octree_ext.core import FINDING_CLASSES
from octree_ext.octree_addon.audit import model as audit
from octree_ext.octree_addon.audit import report_formats as reports
from octree_ext.octree_addon.audit.model import IGNORED, STATUSES, About
from octree_ext.octree_addon.audit.report_formats import bcf_file, bcf_viewpoints

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
ABOUT = About("house.blend", "Ada", "2026-11-22T17:00:00+00:00")


def files_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def written(found=None, about=ABOUT, pictures=None, groups=None):
    found = house() if found is None else found
    return files_of(reports.bcf_report(found, about, pictures or {}, groups))


def parsed(files, name):
    """Return the roots of all files of some name, by the topic's id."""
    return {
        path.partition("/")[0]: ElementTree.fromstring(content)
        for path, content in files.items()
        if path.endswith(name)
    }


def point(element):
    return np.array([float(element.find(axis).text) for axis in "XYZ"])


def test_a_topic_is_a_folder_with_its_markup_and_its_viewpoint():
    files = written(pictures={0: PNG})
    ids = audit.finding_ids(house())
    assert set(files) == {
        "bcf.version",
        "extensions.xml",
        *(f"{each}/markup.bcf" for each in ids),
        *(f"{each}/viewpoint.bcfv" for each in ids),
        f"{ids[0]}/snapshot.png",
    }
    assert files[f"{ids[0]}/snapshot.png"] == PNG
    assert ElementTree.fromstring(files["bcf.version"]).get("VersionId") == "3.0"


def test_a_topic_says_what_was_found():
    markup = parsed(written(), "markup.bcf")[audit.finding_ids(house())[0]]
    topic = markup.find("Topic")
    assert topic.find("Title").text == "overlap: Pipe / Beam, depth 0.012 to 0.013 m"
    assert topic.find("Priority").text == "High"
    assert [label.text for label in topic.iter("Label")] == ["overlap", "new"]
    assert topic.find("CreationAuthor").text == "Ada"
    assert topic.get("TopicStatus") == "Open"
    assert markup.find("Header/Files/File/Filename").text == "house.blend"


@given(any_findings())
@ANY
def test_topics_use_the_words_that_the_file_declares(found):
    files = written(found)
    said = ElementTree.fromstring(files["extensions.xml"])
    words = {part.tag: {each.text for each in part} for part in said}
    for markup in parsed(files, "markup.bcf").values():
        topic = markup.find("Topic")
        assert topic.get("TopicType") in words["TopicTypes"]
        assert topic.get("TopicStatus") in words["TopicStatuses"]
        assert topic.find("Priority").text in words["Priorities"]
        assert {label.text for label in topic.iter("Label")} <= words["TopicLabels"]
        assert topic.find("CreationAuthor").text in words["Users"]


def test_every_class_has_a_priority_and_every_status_a_word():
    assert set(bcf_file.PRIORITIES) == set(FINDING_CLASSES)
    assert set(bcf_file.TOPIC_STATUSES) == set(STATUSES)


def test_what_is_ignored_is_closed_with_its_reason():
    found = house().with_statuses([0], IGNORED, "sleeve")
    topic = parsed(written(found), "markup.bcf")[audit.finding_ids(found)[0]].find("Topic")
    assert topic.get("TopicStatus") == "Closed"
    assert "Ignored: sleeve" in topic.find("Description").text


def test_topics_keep_their_ids_from_report_to_report():
    one, other = written(), written(shuffled(house(), 4), replace(ABOUT, date="2027-01-01"))
    assert set(one) == set(other)


def test_a_report_of_the_same_findings_is_the_same_file():
    once = reports.bcf_report(house(), ABOUT, {0: PNG})
    assert reports.bcf_report(house(), ABOUT, {0: PNG}) == once


def test_components_are_known_by_their_global_ids():
    found = house()
    views = parsed(written(), "viewpoint.bcfv")
    first = views[audit.finding_ids(found)[0]].find("Components")
    listed = [each.get("IfcGuid") for each in first.find("Selection")]
    assert listed == list(GUIDS[:2])
    colors = {each.get("Color"): each[0][0].get("IfcGuid") for each in first.find("Coloring")}
    assert colors == dict(zip(bcf_viewpoints.COLORS, GUIDS, strict=False))
    assert first.find("Visibility").get("DefaultVisibility") == "false"
    assert len(first.find("Visibility/Exceptions")) == 2


def test_components_without_one_are_known_by_name_and_all_is_shown():
    views = parsed(written(), "viewpoint.bcfv")
    second = views[audit.finding_ids(house())[1]].find("Components")
    slab, pipe = sorted(second.find("Selection"), key=lambda each: each.get("IfcGuid") or "")
    assert (pipe.get("IfcGuid"), slab.get("IfcGuid")) == (GUIDS[0], None)
    assert slab.find("OriginatingSystem").text == "Blender"
    assert slab.find("AuthoringToolId").text == "Slab"
    assert second.find("Visibility").get("DefaultVisibility") == "true"


def test_a_damaged_global_id_is_not_written():
    found = house()
    bad = replace(found, objects=replace(found.objects, guids=("x" * 22,) * 7))
    assert b"IfcGuid" not in b"".join(written(bad).values())


def test_a_self_intersection_is_one_component():
    objects = audit.audited_objects(("Sleeve",))
    found = make_findings(objects, [7], [(0,), (0,)], [3], [1], [1], [(0, 0, 0)])
    (view,) = parsed(written(found), "viewpoint.bcfv").values()
    assert len(view.find("Components/Selection")) == len(view.find("Components/Coloring")) == 1


def angles_seen(camera, points):
    """Tell how far points are from the middle of the view up and down, and to the sides."""
    position, forward = (
        point(camera.find("CameraViewPoint")),
        point(camera.find("CameraDirection")),
    )
    up = point(camera.find("CameraUpVector"))
    away = points - position
    depth = away @ forward
    assert (depth > 0).all()
    right = np.cross(forward, up)
    return np.degrees(np.arctan2(away @ up, depth)), np.degrees(np.arctan2(away @ right, depth))


@given(any_findings())
@ANY
def test_cameras_see_the_contact_and_the_line(found):
    offset = (1000.0, -2000.0, 30.0)
    views = parsed(written(found, replace(ABOUT, offset=offset)), "viewpoint.bcfv")
    for row, guid in enumerate(audit.finding_ids(found)):
        camera = views[guid].find("PerspectiveCamera")
        forward, up = (point(camera.find(f"Camera{each}")) for each in ("Direction", "UpVector"))
        assert np.allclose([forward @ forward, up @ up, forward @ up], [1, 1, 0], atol=1e-8)
        points = np.concatenate((found.audit.places[[row]], found.segments_of(row).reshape(-1, 3)))
        upward, sideward = angles_seen(camera, points + offset)
        half = float(camera.find("FieldOfView").text) / 2
        assert np.abs(upward).max() <= half + 0.1
        wide = np.degrees(np.arctan(np.tan(np.radians(half)) * 4 / 3))
        assert np.abs(sideward).max() <= wide + 0.1
        assert abs(upward[0]) + abs(sideward[0]) < 0.1  # the contact is in the middle


def test_the_line_of_the_contact_is_drawn():
    view = parsed(written(), "viewpoint.bcfv")[audit.finding_ids(house())[0]]
    ends = [[point(end).tolist() for end in line] for line in view.find("Lines")]
    assert ends == house().segments_of(0).tolist()


def test_a_group_is_one_topic_with_all_its_viewpoints():
    groups = audit.by_smaller_object(house())
    files = written(groups=groups, pictures={1: PNG})
    topics = parsed(files, "markup.bcf")
    assert len(topics) == len(groups) == 4
    (pipe,) = [each for each in topics.values() if "Pipe" in each.find("Topic/Title").text]
    assert pipe.find("Topic/Title").text == "Pipe: 2 findings"
    views = pipe.findall("Topic/Viewpoints/ViewPoint")
    names = [view.find("Viewpoint").text for view in views]
    folder = pipe.find("Topic").get("Guid")
    assert all(f"{folder}/{name}" in files for name in names)
    (drawn,) = [each.text for view in views for each in view.findall("Snapshot")]
    assert f"{folder}/{drawn}" in files
    assert set(written(shuffled(house(), 2), groups=audit.by_smaller_object(shuffled(house(), 2))))


@pytest.mark.parametrize("date", ["", "yesterday", "2026-13-01"])
def test_a_topic_needs_a_date(date):
    with pytest.raises(ValueError, match="date must be given in ISO 8601"):
        reports.bcf_report(house(), replace(ABOUT, date=date), {})


def instance_of(model, content):
    """Read a file as strictly as others can: nothing unknown, nothing that cannot be converted."""
    from xsdata.formats.dataclass.parsers import XmlParser
    from xsdata.formats.dataclass.parsers.config import ParserConfig

    config = ParserConfig(fail_on_unknown_attributes=True, fail_on_converter_warnings=True)
    return XmlParser(config).from_bytes(content, model)


def facets(instance):
    """Yield each field of a model with its value: what XML Schema says of it is in the field."""
    for field in dataclasses.fields(instance):
        value = getattr(instance, field.name)
        for each in value if isinstance(value, list) else [value]:
            yield field, each
            if dataclasses.is_dataclass(each):
                yield from facets(each)


def must_be_valid(instance):
    for field, value in facets(instance):
        rule = field.metadata
        if value is None:
            assert not rule.get("required"), field.name
        if isinstance(value, str):
            assert len(value) >= rule.get("min_length", 0), field.name
            assert len(value) == rule.get("length", len(value)), field.name
            assert re.fullmatch(rule.get("pattern", ".*"), value, re.DOTALL), (field.name, value)


def must_stand_in_order(model, content):
    """Written again by others, the elements stand in the order in which we wrote them."""
    from xsdata.formats.dataclass.serializers import XmlSerializer

    again = XmlSerializer().render(instance_of(model, content)).encode("utf-8")
    tags = [
        [each.tag for each in ElementTree.fromstring(text).iter()] for text in (content, again)
    ]
    assert tags[0] == tags[1]


CASES = {
    "house": lambda: written(pictures={0: PNG}),
    "groups": lambda: written(groups=audit.by_smaller_object(house())),
    "hostile": lambda: written(of_names(HOSTILE), replace(ABOUT, file=" ", author="\x00")),
    "nothing": lambda: written(house().take(np.arange(0))),
}


@pytest.mark.parametrize("case", CASES)
def test_the_models_of_the_published_schema_read_every_file(case):
    """`bcf-client` has classes made from the schema, which must not be copied to here."""
    model = pytest.importorskip("bcf.v3.model", reason="bcf-client is in the group bpy-4.5")
    models = {
        "markup.bcf": model.Markup,
        "bcf.version": model.Version,
        "extensions.xml": model.Extensions,
    }
    for path, content in CASES[case]().items():
        kind = models.get(path.rpartition("/")[2])
        if path.endswith(".bcfv"):
            kind = model.VisualizationInfo
        if kind is not None:
            must_be_valid(instance_of(kind, content))
            must_stand_in_order(kind, content)


@pytest.mark.parametrize("case", CASES)
def test_every_file_holds_to_the_published_schema(case):
    """With `xmlschema` and the schemas of release 3.0 in the folder BCF_SCHEMAS: none is ours."""
    schemas = pytest.importorskip("xmlschema", reason="pip install xmlschema")
    folder = os.environ.get("BCF_SCHEMAS") or pytest.skip("BCF_SCHEMAS names no folder")
    kinds = {"bcf": "markup", "bcfv": "visinfo", "version": "version", "xml": "extensions"}
    checked = 0
    for path, content in CASES[case]().items():
        kind = kinds.get(path.rpartition(".")[2])
        if kind is not None:
            schemas.validate(io.BytesIO(content), str(Path(folder, f"{kind}.xsd")))
            checked += 1
    assert checked >= 2


def test_a_reader_of_others_finds_topics_and_viewpoints(tmp_path):
    reader = pytest.importorskip("bcf.v3.bcfxml", reason="bcf-client is in the group bpy-4.5")
    path = tmp_path / "audit.bcf"
    path.write_bytes(reports.bcf_report(house(), ABOUT, {0: PNG}))
    with reader.BcfXml.load(path) as file:
        assert sorted(file.topics) == sorted(audit.finding_ids(house()))
        first = file.topics[audit.finding_ids(house())[0]]
        (view,) = first.viewpoints.values()
        assert view.snapshot == PNG
        guids = [each.ifc_guid for each in view.visualization_info.components.selection.component]
        assert guids == list(GUIDS[:2])


def test_viewpoints_stand_where_the_model_does():
    """A scene that Bonsai has moved and turned: what is east of its origin is north of it."""
    found = house()
    here, there = written(found), written(found, replace(ABOUT, offset=(1e3, 2e3, 3), axis=(0, 1)))
    turn = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    for own, moved in zip(
        parsed(here, ".bcfv").values(), parsed(there, ".bcfv").values(), strict=True
    ):
        for one, other in zip(own.iter(), moved.iter(), strict=True):
            if one.tag in ("CameraViewPoint", "StartPoint", "EndPoint"):
                assert np.allclose(point(other), turn @ point(one) + (1e3, 2e3, 3), atol=2e-6)
            elif one.tag in ("CameraDirection", "CameraUpVector"):
                assert np.allclose(point(other), turn @ point(one))
    assert not any(b"ClippingPlane" in each for each in (*here.values(), *there.values()))


STEP = b"""ISO-10303-21;
#1=IFCSIUNIT(*,.AREAUNIT.,$,.SQUARE_METRE.);
#2=IFCSIUNIT(*,.LENGTHUNIT.,$,.METRE.);
#3 = IFCMEASUREWITHUNIT(IFCLENGTHMEASURE(0.3048), #2);
#4=IFCCONVERSIONBASEDUNIT(#9,.LENGTHUNIT.,'FOOT',#3);
#5=IFCSIUNIT(*,.LENGTHUNIT.,.MILLI.,.METRE.);
#6=IFCUNITASSIGNMENT((#1,#ASSIGNED));
"""


@pytest.mark.parametrize(
    ("unit", "meters"), [(b"#2", 1), (b"#4", 0.3048), (b"#5", 1e-3), (b"#1", None), (b"#8", None)]
)
def test_the_unit_of_a_project_is_the_one_assigned(unit, meters):
    assert audit.meters_in(STEP.replace(b"#ASSIGNED", unit)) == meters


def test_a_file_without_units_has_none():
    assert audit.meters_in(b"") is None
