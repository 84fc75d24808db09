"""Print what a dependency group of pyproject.toml is made from: pins.py GROUP.

The first line is the version of Python, the second the pin of pip, then one pin a line, those of
included groups too.
"""

import sys
import tomllib
from pathlib import Path

PROJECT = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text())
GROUPS = PROJECT["dependency-groups"]


def pins(group):
    """Yield the pins of a group, and of the groups that it includes."""
    for pin in GROUPS[group]:
        yield from (pin,) if isinstance(pin, str) else pins(pin["include-group"])


if __name__ == "__main__":
    group = sys.argv[1]
    python = PROJECT["tool"]["octree"]["python"].get(group, "3.11")
    print(python, *GROUPS["pip"], *pins(group), sep="\n")
