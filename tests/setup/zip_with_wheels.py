"""Pack an extension again, the same bytes each time: zip_with_wheels.py PACKED OUT [WHEEL...].

Blender's own tool keeps when each file was touched; here all are of 1980, and in order. Wheels are
added, if there are any: the manifest of the checkout names none, so that a linked checkout works;
that in OUT does.
"""

import json
import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

MANIFEST, NEXT = "blender_manifest.toml", "\n[permissions]"


def add_wheels(packed, out, wheels):
    """Write the extension with wheels."""
    with ZipFile(packed) as source, ZipFile(out, "w") as archive:
        for name in sorted(each for each in source.namelist() if not each.endswith("/")):
            content = source.read(name)
            if name == MANIFEST and wheels:
                content = with_wheels(content.decode(), wheels).encode()
            put(archive, name, content, ZIP_DEFLATED)
        for wheel in sorted(wheels):
            put(archive, f"wheels/{wheel.name}", wheel.read_bytes(), ZIP_STORED)


def with_wheels(manifest, wheels):
    """Return the manifest with the names of wheels."""
    names = json.dumps([f"./wheels/{wheel.name}" for wheel in sorted(wheels)], indent=2)
    before, mark, after = manifest.partition(NEXT)
    assert mark, f"{MANIFEST} has no {NEXT.strip()}"
    return f"{before}\nwheels = {names}\n{mark}{after}"


def put(archive, name, content, how):
    """Add a file as if it had always been there, wherever it is packed."""
    entry = ZipInfo(name)
    entry.create_system, entry.external_attr = 3, 0o644 << 16
    archive.writestr(entry, content, how)


if __name__ == "__main__":
    add_wheels(*sys.argv[1:3], [Path(each) for each in sys.argv[3:]])
