"""BCF 3.0 report: a zip with a topic for each finding or group, and viewpoints of contacts.

BIM Collaboration Format, buildingSMART, release 3.0. The ids of topics and viewpoints depend only
on class and objects (UUID version 5), so a viewer that imports a later report updates its topics.
"""

import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, SubElement
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np

from ....core import FINDING_CLASSES
from ...xml_formats import one_line, xml
from ..model.findings import STATUSES, Findings
from ..model.grouping import Groups, by_finding, with_hand_groups
from ..model.identity import finding_ids, stable_id
from .bcf_viewpoints import Cameras, cameras_of, viewpoint
from .words import About, Pictures, checked_date, description, in_order, title

TOPIC_TYPE = "Clash"
PRIORITIES = {
    "overlap": "High",
    "contained": "High",
    "duplicate": "High",
    "coplanar same-facing": "Normal",
    "near": "Normal",
    "self-intersection": "Normal",
    "coplanar opposite-facing": "Low",
    "touching": "Low",
}
TOPIC_STATUSES = dict(zip(STATUSES, ("Open", "In Progress", "Closed", "Closed"), strict=True))
_OLDEST = (1980, 1, 1, 0, 0, 0)  # of a zip: equal findings give equal files


@dataclass(frozen=True, eq=False)
class _Report:
    """The data that all topics use."""

    findings: Findings
    about: About
    date: str
    pictures: Pictures
    ids: list[str]
    cameras: Cameras


@dataclass(frozen=True)
class _Topic:
    """A planned topic: its id, its title and its findings."""

    guid: str
    title: str
    rows: list[int]


def bcf_report(
    findings: Findings, about: About, pictures: Pictures, groups: Groups | None = None
) -> bytes:
    """Return findings as BCF 3.0, with a topic for each finding, or for each of some groups.

    A group made by the user is always one topic.

    Coordinates are in meters; Blender units of a scene without units are written as meters.

    Raises
    ------
    ValueError
        If `about` has no date, which every topic requires.
    """
    findings, pictures, groups = in_order(findings, pictures, groups)
    ids, cameras = finding_ids(findings), cameras_of(findings, about)
    report = _Report(findings, about, checked_date(about.date), pictures, ids, cameras)
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        _write(archive, "bcf.version", xml(Element("Version", VersionId="3.0")))
        _write(archive, "extensions.xml", xml(_extensions(about)))
        for topic in _topics(report, groups):
            _write_topic(archive, report, topic)
    return file.getvalue()


def _topics(report: _Report, groups: Groups | None) -> Iterable[_Topic]:
    """Yield a topic for each group, of the user or given, and for each finding without a group."""
    findings = report.findings
    chosen = with_hand_groups(findings, groups or by_finding(findings))
    numbered = zip(chosen.names, chosen.keys, chosen.rows(), strict=True)
    for number, (name, key, rows) in enumerate(numbered):
        if groups is None and number >= chosen.hand:
            yield _Topic(key, title(findings, rows[0]), rows.tolist())
            continue
        heading = f"{one_line(name)}: {len(rows)} finding{'s' if len(rows) != 1 else ''}"
        by = "hand" if number < chosen.hand else chosen.by
        yield _Topic(stable_id("group", by, key), heading, rows.tolist())


def _write_topic(archive: ZipFile, report: _Report, topic: _Topic) -> None:
    markup = Element("Markup")
    _add_header(markup, report)
    views = SubElement(_add_topic(markup, report, topic), "Viewpoints")
    for number, row in enumerate(topic.rows):
        guid = stable_id("viewpoint", topic.guid, report.ids[row])
        camera, picture = report.cameras.positions[row], report.pictures.get(row)
        view, snapshot = _add_view(views, guid, number, has_picture=picture is not None)
        made = viewpoint(report.findings, row, guid, camera, report.about)
        _write(archive, f"{topic.guid}/{view}", xml(made))
        if picture is not None:
            _write(archive, f"{topic.guid}/{snapshot}", picture)
    _write(archive, f"{topic.guid}/markup.bcf", xml(markup))


def _add_header(markup: Element, report: _Report) -> None:
    if report.about.file:
        files = SubElement(SubElement(markup, "Header"), "Files")
        file = SubElement(files, "File", IsExternal="true")
        _add(file, "Filename", one_line(report.about.file))
        _add(file, "Date", report.date)


def _add_topic(markup: Element, report: _Report, topic: _Topic) -> Element:
    """Add a topic with the priority and status of its worst finding."""
    findings, rows = report.findings, topic.rows
    classes = [FINDING_CLASSES[kind] for kind in np.unique(findings.audit.classes[rows])]
    statuses = [STATUSES[status] for status in np.unique(findings.statuses[rows])]
    ranks = list(dict.fromkeys(PRIORITIES.values()))
    first = TOPIC_STATUSES[statuses[0]]
    made = SubElement(markup, "Topic", Guid=topic.guid, TopicType=TOPIC_TYPE, TopicStatus=first)
    _add(made, "Title", topic.title)
    _add(made, "Priority", min((PRIORITIES[each] for each in classes), key=ranks.index))
    labels = SubElement(made, "Labels")
    for label in (*classes, *statuses):
        _add(labels, "Label", label)
    _add(made, "CreationDate", report.date)
    _add(made, "CreationAuthor", one_line(report.about.author))
    said = description if len(rows) == 1 else title
    _add(made, "Description", "\n".join(said(findings, row) for row in rows))
    return made


def _add_view(views: Element, guid: str, number: int, *, has_picture: bool) -> tuple[str, str]:
    """Add a viewpoint to a topic, and return the names of its files."""
    end = f"_{guid}" if number else ""
    view, snapshot = f"viewpoint{end}.bcfv", f"snapshot{end}.png"
    entry = SubElement(views, "ViewPoint", Guid=guid)
    _add(entry, "Viewpoint", view)
    if has_picture:
        _add(entry, "Snapshot", snapshot)
    _add(entry, "Index", str(number))
    return view, snapshot


def _extensions(about: About) -> Element:
    """Return the types, statuses, priorities, labels and users that topics may use."""
    root = Element("Extensions")
    lists: tuple[tuple[str, str, Iterable[Any]], ...] = (
        ("TopicTypes", "TopicType", [TOPIC_TYPE]),
        ("TopicStatuses", "TopicStatus", TOPIC_STATUSES.values()),
        ("Priorities", "Priority", PRIORITIES.values()),
        ("TopicLabels", "TopicLabel", FINDING_CLASSES + STATUSES),
        ("Users", "User", [one_line(about.author)]),
    )
    for plural, single, words in lists:
        parent = SubElement(root, plural)
        for word in dict.fromkeys(words):
            _add(parent, single, word)
    return root


def _add(parent: Element, name: str, text: str) -> None:
    SubElement(parent, name).text = text


def _write(archive: ZipFile, name: str, content: bytes) -> None:
    entry = ZipInfo(name, _OLDEST)
    entry.compress_type, entry.create_system = ZIP_DEFLATED, 3
    archive.writestr(entry, content)
