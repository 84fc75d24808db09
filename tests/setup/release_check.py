"""Say what keeps this from being published, if anything does: release_check.py [TAG].

Placeholders, files that do not repeat their values, and versions that differ.
"""

import sys
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

CHECKOUT = Path(__file__).resolve().parents[2]
RESERVED = ".example"  # no address ends so (RFC 2606)


def placeholders():
    """Return the placeholders: each with its value, and the files that repeat it."""
    path = CHECKOUT / "docs/listing/placeholders.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def host_of(value):
    """Return the host of an address, of mail or of a page."""
    return urlsplit(value).hostname or value.rpartition("@")[2]


def complaints(tag=""):
    """Yield a line for each thing that is amiss."""
    for name, told in placeholders().items():
        if host_of(told["value"]).endswith(RESERVED):
            yield f"{name} is a placeholder: {told['value']}"
        for path in told["repeated"]:
            if told["value"] not in (CHECKOUT / path).read_text(encoding="utf-8"):
                yield f"{path} does not say {told['value']}"
    manifest = (CHECKOUT / "blender_manifest.toml").read_text(encoding="utf-8")
    version = tomllib.loads(manifest)["version"]
    if f"## {version}\n" not in (CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8"):
        yield f"CHANGELOG.md has no section {version}"
    if tag and tag != f"v{version}":
        yield f"the tag is {tag}, the version {version}"


if __name__ == "__main__":
    found = list(complaints(*sys.argv[1:]))
    print(*found, sep="\n")
    sys.exit(bool(found))
