"""IFC GlobalIds of objects, from a custom property or from the IFC file that Bonsai has open.

Bonsai stores no GlobalId on an object. It stores `BIMObjectProperties.ifc_definition_id`, the
number of the object's entity in the IFC file of `scene.BIMProperties.ifc_file`. Both properties
exist while Bonsai is enabled.

Two sources need no module of Bonsai: the entity's line in the saved file, and a custom property
"GlobalId" that an importer or the user has written. An entity that was not saved yet has no line
in the file, and so no GlobalId.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

# 22 characters of six bits each for 128 bits: the first character has only two bits.
_GLOBAL_ID = re.compile(r"[0-3][0-9A-Za-z_$]{21}")
# An entity of IfcRoot has its GlobalId as first attribute. ISO 10303-21 allows spaces between.
_ROOTED = re.compile(rb"#\s*(\d+)\s*=\s*IFC\w+\s*\(\s*'([0-3][0-9A-Za-z_$]{21})'", re.IGNORECASE)
PROPERTIES = ("GlobalId", "IfcGuid", "ifc_guid")


def valid_global_id(text: Any) -> str:
    """Return a text if it is a GlobalId in the encoding of IFC files, else an empty text."""
    return text if isinstance(text, str) and _GLOBAL_ID.fullmatch(text) else ""


def own_global_id(properties: Mapping[str, Any]) -> str:
    """Return the GlobalId among the custom properties of an object; empty without one."""
    found = (valid_global_id(properties.get(name)) for name in PROPERTIES)
    return next((each for each in found if each), "")


def bonsai_number(item: Any) -> int:
    """Return the number of an object's entity in the IFC file; 0 if there is none."""
    return int(getattr(getattr(item, "BIMObjectProperties", None), "ifc_definition_id", 0))


def bonsai_file(scene: Any) -> str:
    """Return the path of the IFC file that Bonsai has open in a scene; empty without it."""
    return str(getattr(getattr(scene, "BIMProperties", None), "ifc_file", ""))


def global_ids_in(step: bytes, numbers: Iterable[int]) -> dict[int, str]:
    """Return the GlobalIds of entities of an IFC file, by their numbers. O(length of the file).

    Parameters
    ----------
    step : bytes
        The content of an .ifc file.
    numbers : iterable of int
        STEP numbers of the entities. Missing ones, and entities that are no IfcRoot, are left out.
    """
    wanted = set(numbers)
    found = ((int(number), guid) for number, guid in _ROOTED.findall(step))
    return {number: guid.decode("ascii") for number, guid in found if number in wanted}
