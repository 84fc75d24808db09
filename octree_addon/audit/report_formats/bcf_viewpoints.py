"""BCF viewpoints: a perspective camera that looks at each contact, components in two colors."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import radians, sin
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from ...arrays import Floats
from ...xml_formats import one_line
from ..model.findings import Findings
from ..model.ifc_ids import valid_global_id
from .words import About, rounded, rounded_places, side_name

FIELD_OF_VIEW = 60.0  # degrees, from top to bottom
ASPECT = 4 / 3
# The camera looks from the right, the front and above; its distance depends on the contact.
_TOWARD = np.array([-1.0, 1.0, -0.8]) / np.linalg.norm([-1.0, 1.0, -0.8])
_RIGHT = np.cross(_TOWARD, (0.0, 0.0, 1.0))
_UP = np.cross(_RIGHT / np.linalg.norm(_RIGHT), _TOWARD)
_SMALLEST = 1e-3  # smallest radius in view of a camera, in meters
COLORS = ("3D7DCA", "E8853D")
# Maximum number of lines in a viewpoint: viewers draw each one separately.
MOST_LINES = 500


@dataclass(frozen=True, eq=False)
class Cameras:
    """Positions and targets of the cameras of n findings, (n, 3), in model coordinates."""

    positions: Floats
    targets: Floats


def cameras_of(findings: Findings, about: About) -> Cameras:
    """Return a camera for each finding, far enough to see its contact.

    In view are the whole line in which the surfaces cross, and half of the smaller object.
    """
    audit = findings.audit
    radius = np.full(len(findings), _SMALLEST)
    if len(findings.objects):
        radius = np.maximum(radius, findings.objects.sizes[audit.pairs].min(axis=0) / 2)
    owners = audit.segment_findings
    reach = audit.segments - audit.places[owners][:, None]
    np.maximum.at(radius, owners, np.linalg.norm(reach, axis=-1).max(axis=1, initial=0))
    distance = radius / sin(radians(FIELD_OF_VIEW / 2))
    targets = about.in_model(audit.places)
    return Cameras(targets - distance[:, None] * about.turned(_TOWARD), targets)


def viewpoint(findings: Findings, row: int, guid: str, camera: Floats, about: About) -> Element:
    """Return the VisualizationInfo of one finding.

    Both components are selected and colored. All others are hidden, unless one of the two has no
    GlobalId: a viewer could not find it, and would show nothing.
    """
    root = Element("VisualizationInfo", Guid=guid)
    components = SubElement(root, "Components")
    numbers = list(dict.fromkeys(findings.audit.pairs[:, row].tolist()))
    sides = range(len(numbers))
    _listed(SubElement(components, "Selection"), findings, row, sides)
    isolates = all(valid_global_id(findings.objects.guids[number]) for number in numbers)
    shown = str(not isolates).lower()
    visibility = SubElement(components, "Visibility", DefaultVisibility=shown)
    if isolates:
        _listed(SubElement(visibility, "Exceptions"), findings, row, sides)
    coloring = SubElement(components, "Coloring")
    for side in sides:
        color = SubElement(coloring, "Color", Color=COLORS[side])
        _listed(SubElement(color, "Components"), findings, row, [side])
    _add_camera(root, camera, about)
    _add_lines(root, about.in_model(findings.segments_of(row)[:MOST_LINES]))
    return root


def _listed(parent: Element, findings: Findings, row: int, sides: Iterable[int]) -> None:
    for side in sides:
        guid = valid_global_id(findings.objects.guids[findings.audit.pairs[side, row]])
        component = SubElement(parent, "Component", {"IfcGuid": guid} if guid else {})
        if not guid:
            name = one_line(side_name(findings, row, side))
            SubElement(component, "OriginatingSystem").text = "Blender"
            SubElement(component, "AuthoringToolId").text = name


def _add_camera(root: Element, position: Floats, about: About) -> None:
    camera = SubElement(root, "PerspectiveCamera")
    _add_point(camera, "CameraViewPoint", rounded_places(position)[0])
    _add_point(camera, "CameraDirection", rounded(about.turned(_TOWARD)))
    _add_point(camera, "CameraUpVector", rounded(about.turned(_UP)))
    SubElement(camera, "FieldOfView").text = f"{FIELD_OF_VIEW:g}"
    SubElement(camera, "AspectRatio").text = f"{ASPECT:.9g}"


def _add_lines(root: Element, segments: Floats) -> None:
    if len(segments):
        lines = SubElement(root, "Lines")
        ends = rounded_places(segments)
        for first, last in zip(ends[::2], ends[1::2], strict=True):
            line = SubElement(lines, "Line")
            _add_point(line, "StartPoint", first)
            _add_point(line, "EndPoint", last)


def _add_point(parent: Element, name: str, coordinates: list[float]) -> None:
    point = SubElement(parent, name)
    for axis, value in zip("XYZ", coordinates, strict=True):
        SubElement(point, axis).text = repr(value)
