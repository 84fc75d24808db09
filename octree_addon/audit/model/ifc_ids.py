"""IFC GlobalIds of objects: a custom property, or the STEP number that Bonsai leaves on an object.

Bonsai keeps no GlobalId on an object. It keeps `BIMObjectProperties.ifc_definition_id`, the number
of the entity in the IFC file that `scene.BIMProperties.ifc_file` names, and looks the rest up in
that file. Both are there while Bonsai is enabled. From then on two ways are honest, and neither
needs Bonsai's modules: the line of that number in that file as it was last saved, or a custom
property "GlobalId" that an importer or the user has written. What was not saved yet has no line,
and so no GlobalId.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

# Of 22 characters with six bits each the first holds no more than two: a GUID has 128.
_GLOBAL_ID = re.compile(r"[0-3][0-9A-Za-z_$]{21}")
# An entity of IfcRoot: its first attribute is its GlobalId. ISO 10303-21 allows spaces between.
_ROOTED = re.compile(rb"#\s*(\d+)\s*=\s*IFC\w+\s*\(\s*'([0-3][0-9A-Za-z_$]{21})'", re.IGNORECASE)
PROPERTIES = ("GlobalId", "IfcGuid", "ifc_guid")


def valid_global_id(text: Any) -> str:
    """Return a text that is a GlobalId as IFC files write it; empty for all else."""
    return text if isinstance(text, str) and _GLOBAL_ID.fullmatch(text) else ""


def own_global_id(properties: Mapping[str, Any]) -> str:
    """Return the GlobalId among the custom properties of an object; empty without one."""
    found = (valid_global_id(properties.get(name)) for name in PROPERTIES)
    return next((each for each in found if each), "")


def bonsai_number(item: Any) -> int:
    """Return the number of an object's entity in the IFC file; 0 without Bonsai, or for others."""
    return int(getattr(getattr(item, "BIMObjectProperties", None), "ifc_definition_id", 0))


def bonsai_file(scene: Any) -> str:
    """Return the path of the IFC file that Bonsai has open in a scene; empty without it."""
    return str(getattr(getattr(scene, "BIMProperties", None), "ifc_file", ""))


def global_ids_in(step: bytes, numbers: Iterable[int]) -> dict[int, str]:
    """Return the GlobalIds of some entities of an IFC file, by their numbers. O(its length).

    Parameters
    ----------
    step : bytes
        The content of an .ifc file.
    numbers : iterable of int
        Their STEP numbers. Those that are not there, or are no IfcRoot, are left out.
    """
    wanted = set(numbers)
    found = ((int(number), guid) for number, guid in _ROOTED.findall(step))
    return {number: guid.decode("ascii") for number, guid in found if number in wanted}
