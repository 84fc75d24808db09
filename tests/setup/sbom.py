"""Write what is shipped as a software bill of materials (CycloneDX 1.6): sbom.py OUT [FILE...].

The parts with their versions and licenses, and the digests of the files that are named, of zips
and wheels. It has no date, and its number comes from its content: equal files give equal bills.
"""

import json
import sys
import tomllib
import uuid
from hashlib import sha256
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
GPL, BSD, MIT = "GPL-3.0-or-later", "BSD-3-Clause", "MIT"


def bill(files):
    """Return the bill of materials, with the digests of files."""
    manifest = read("blender_manifest.toml")
    kernel = read("kernel/pyproject.toml")
    compiler = kernel["tool"]["octree-kernel"]["compiler"][0].split("==")
    name, version = kernel["project"]["name"], kernel["project"]["version"]
    octree = part("application", "octree", manifest["version"], GPL)
    parts = [
        part("library", name, version, GPL, f"pkg:pypi/{name}@{version}"),
        part("library", "compiler-rt", compiler[1], MIT, note="linked in by the compiler"),
        part("library", "mingw-w64", compiler[1], "ZPL-2.1", note="start code, for Windows"),
        part("library", "numpy", "", BSD, "pkg:pypi/numpy", note="comes with Blender", out=True),
        part("application", "blender", "", GPL, note="not shipped", out=True),
        part("application", compiler[0], compiler[1], MIT,
             f"pkg:pypi/{compiler[0]}@{compiler[1]}", note="compiles the kernel", out=True),
    ]  # fmt: skip
    made = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": octree},
        "components": parts + [shipped(path) for path in sorted(files)],
        "dependencies": [
            {"ref": "octree", "dependsOn": [name, "numpy", "blender"]},
            {"ref": name, "dependsOn": ["compiler-rt", "mingw-w64", compiler[0]]},
        ],
    }
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(made, sort_keys=True))
    return {**made, "serialNumber": f"urn:uuid:{number}"}


def part(kind, name, version, license, purl="", note="", out=False):
    """Return a component; one that is not in the files is excluded."""
    told = {"type": kind, "bom-ref": name, "name": name, "version": version, "description": note}
    told |= {"licenses": [{"license": {"id": license}}], "purl": purl}
    told |= {"scope": "excluded" if out else "required"}
    return {key: value for key, value in told.items() if value}


def shipped(path):
    """Return a file that is shipped, with its digest."""
    digest = sha256(path.read_bytes()).hexdigest()
    hashes = [{"alg": "SHA-256", "content": digest}]
    return {"type": "file", "bom-ref": path.name, "name": path.name, "hashes": hashes}


def read(path):
    """Return a file of settings."""
    return tomllib.loads((CHECKOUT / path).read_text(encoding="utf-8"))


if __name__ == "__main__":
    out, *files = map(Path, sys.argv[1:])
    out.write_text(json.dumps(bill(files), indent=1) + "\n", encoding="utf-8")
    print(f"{out}: {len(files)} files")
