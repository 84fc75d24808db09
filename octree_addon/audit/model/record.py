"""Record of findings: one archive of arrays (npz), lossless.

The blend file stores a record for each audit. The file of a shard is a record with more members
in its head.
"""

import io
import zlib
from dataclasses import fields
from typing import Any
from zipfile import BadZipFile

import numpy as np

from ....core import Audit
from ...text_formats import json_text, read_head
from .findings import Findings, audited_objects, checked

TEXTS = ("names", "libraries", "guids", "collections")
_NUMBERS = ("instances", "sizes", "uids")
# Errors from a file that is cut off or has another format.
DAMAGED = (LookupError, TypeError, AttributeError, EOFError, OSError, BadZipFile, zlib.error)


def pack_findings(findings: Findings, form: str, version: int, **more: Any) -> bytes:
    """Return findings as compressed bytes.

    Parameters
    ----------
    findings : Findings
        The findings to write, with statuses, reasons and groups.
    form, version : str, int
        Name and version of the format, which `unpack_findings` requires.
    **more
        Further members of the head, as JSON values.
    """
    audit, objects = findings.audit, findings.objects
    head = {
        "format": form,
        "version": version,
        **more,
        "unit": findings.unit,
        "reasons": findings.reasons if any(findings.reasons) else (),
        "groups": findings.groups,
        "objects": {name: getattr(objects, name) for name in TEXTS},
    }
    text = json_text(head, ascii_only=True).encode()
    arrays = {each.name: np.asarray(getattr(audit, each.name)) for each in fields(audit)}
    arrays |= {name: getattr(objects, name) for name in _NUMBERS}
    file = io.BytesIO()
    np.savez_compressed(
        file, head=np.frombuffer(text, np.uint8), statuses=findings.statuses, **arrays
    )
    return file.getvalue()


def unpack_findings(content: bytes, form: str, version: int) -> tuple[Findings, dict[str, Any]]:
    """Return the findings of a record, and its head.

    Raises
    ------
    ValueError, or one of `DAMAGED`
        If the content is no such record.
    """
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        found: dict[str, Any] = {name: arrays[name] for name in arrays.files}
    head = read_head(found.pop("head").tobytes(), form, version)
    statuses = found.pop("statuses")
    columns: dict[str, Any] = {name: head["objects"][name] for name in TEXTS}
    objects = audited_objects(**columns, **{name: found.pop(name) for name in _NUMBERS})
    audit = Audit(**{name: each if each.ndim else each.item() for name, each in found.items()})
    reasons = tuple(head["reasons"]) or ("",) * len(audit)
    groups = tuple(head["groups"])
    return checked(Findings(objects, audit, statuses, reasons, head["unit"], groups)), head
