"""Add wheels to a packed extension: zip_with_wheels.py PACKED OUT WHEEL...

The manifest of the checkout names none, so that a linked checkout works; that in OUT does.
"""

import json
import sys
from pathlib import Path
from zipfile import ZIP_STORED, ZipFile

MANIFEST, NEXT = "blender_manifest.toml", "\n[permissions]"


def add_wheels(packed, out, wheels):
    """Write the extension with wheels."""
    names = json.dumps([f"./wheels/{wheel.name}" for wheel in wheels], indent=2)
    with ZipFile(packed) as source, ZipFile(out, "w") as archive:
        for entry in source.infolist():
            content = source.read(entry)
            if entry.filename == MANIFEST:
                before, mark, after = content.decode().partition(NEXT)
                assert mark, f"{MANIFEST} has no {NEXT.strip()}"
                content = f"{before}\nwheels = {names}\n{mark}{after}"
            archive.writestr(entry, content)
        for wheel in wheels:
            archive.write(wheel, f"wheels/{wheel.name}", ZIP_STORED)


if __name__ == "__main__":
    add_wheels(*sys.argv[1:3], sorted(map(Path, sys.argv[3:])))
