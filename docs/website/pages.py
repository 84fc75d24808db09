"""Lay out the pages of the web site: pages.py FOLDER.

The site is made of the pages that the repository shows by itself, at other addresses: links are
written anew, and what they lead to is copied. A link that leads nowhere ends it.
"""

import os
import re
import shutil
import sys
from pathlib import Path, PurePosixPath

from plots import with_plots

CHECKOUT = Path(__file__).resolve().parents[2]
# Where a page stands on the site, by where it stands in the checkout.
PLACES = {
    **{
        f"docs/{folder}{path.name}": f"{folder}{path.name}"
        for folder in ("", "recipes/", "listing/")
        for path in (CHECKOUT / "docs" / folder).glob("*.md")
    },
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "README.md": "first_minute.md",
    "SECURITY.md": "security.md",
    "docs/website/index.md": "index.md",
}
# Made of sections of the front page.
EXCERPTS = {
    "first_minute.md": (
        "First minute",
        ["Install", "A first result in one minute", "Try it without installing anything"],
    ),
    "in_python.md": ("In Python", ["In Python"]),
}
# What a search shows first: what artists read, before what is read for a name.
FIRST = re.compile(r"user_guide|first_minute|recipes/")
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^( *)(```|~~~).*?^\1\2 *$", re.DOTALL | re.MULTILINE)
BLEND = re.compile(r"`(\w+)\.blend`")
ZIP = re.compile(r"`(octree-\d[\w.-]*\.zip)`")


def main(folder: Path) -> None:
    """Write all pages, and what they show, into a folder that is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    for source, place in PLACES.items():
        if source != "README.md":
            text = (CHECKOUT / source).read_text(encoding="utf-8")
            text = moved(text, source, place, folder)
            write(folder, place, with_plots(text, folder) if place == "benchmarks.md" else text)
    front = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    for place, (title, headings) in EXCERPTS.items():
        text = f"# {title}\n\n" + "\n".join(section(front, each) for each in headings)
        text = text.replace(f"## {title}\n", "")
        write(folder, place, moved(text, "README.md", place, folder))
    for path in ("docs/listing/icon.png", "docs/website/style.css"):
        shutil.copy(CHECKOUT / path, folder)


def section(text: str, heading: str) -> str:
    """Return a section of a page, with its heading."""
    found = re.search(rf"^## {re.escape(heading)}\n.*?(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    if not found:
        raise SystemExit(f"README.md has no section {heading}")
    return found.group()


def moved(text: str, source: str, place: str, folder: Path) -> str:
    """Return a page with links for its place on the site; copy what is no page."""

    def link(found: re.Match[str]) -> str:
        target, mark, anchor = found.group(1).partition("#")
        if "://" in target or not target:
            return found.group()
        goal = os.path.normpath(PurePosixPath(source).parent / target).replace(os.sep, "/")
        if goal.endswith(".zip"):
            return f"]({offered(goal, goal, 'zip')})"
        there = PLACES.get(goal) or copied(goal, source, folder)
        if (goal, anchor) == ("README.md", "in-python"):
            there = "in_python.md"
        return f"]({relative(there, place)}{mark}{anchor})"

    def blend(found: re.Match[str]) -> str:
        name = f"{found.group(1)}.blend"
        return f"[{name}]({offered(f'.cache/recipes/{name}', f'recipes/{name}', 'recipes')})"

    def packed(found: re.Match[str]) -> str:
        return f"[{found.group(1)}]({offered(found.group(1), found.group(1), 'zip')})"

    def offered(path: str, there: str, command: str) -> str:
        (folder / there).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(made(path, command), folder / there)
        return relative(there, place)

    parts, at = [], 0
    for fence in FENCE.finditer(text):
        parts += [text[at : fence.start()], fence.group()]
        at = fence.end()
    parts.append(text[at:])
    prose = [LINK.sub(link, part) for part in parts[::2]]
    if source.startswith("docs/recipes/"):
        prose = [BLEND.sub(blend, part) for part in prose]
    if place == "first_minute.md":
        prose = [ZIP.sub(packed, part) for part in prose]
    parts[::2] = prose
    return "".join(parts)


def made(path: str, command: str) -> Path:
    """Return a file that a command of the Makefile has made."""
    if not (CHECKOUT / path).is_file():
        raise SystemExit(f"there is no {path}: make {command}")
    return CHECKOUT / path


def copied(goal: str, source: str, folder: Path) -> str:
    """Copy a file of the checkout to the site, and return its place there."""
    path = CHECKOUT / goal
    if not path.is_file():
        raise SystemExit(f"{source} links to {goal}, which is no file")
    place = goal.removeprefix("docs/") if goal.startswith("docs/") else f"files/{goal}"
    (folder / place).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, folder / place)
    return place


def relative(there: str, place: str) -> str:
    """Return the way from one place of the site to another."""
    return os.path.relpath(there, PurePosixPath(place).parent).replace(os.sep, "/")


def write(folder: Path, place: str, text: str) -> None:
    """Write a page of the site."""
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    front = "---\nsearch:\n  boost: 3\n---\n\n" if FIRST.match(place) else ""
    path.write_text(front + text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
