"""Check the web site as a browser would read it: check.py FOLDER.

Every link, anchor and picture leads to something that is there; pictures say what they show; no
page asks another server for anything; and one click on the front page has the extension.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit
from zipfile import ZipFile, is_zipfile

# What a browser fetches by itself.
FETCHED = {"img": "src", "script": "src", "iframe": "src", "source": "src", "video": "src"}
NO_ZIP = "index.html: no link to the extension"
RELATIONS = {"stylesheet", "icon", "preconnect", "preload", "prefetch", "modulepreload"}


class Page(HTMLParser):
    """What a page links to, what it fetches, and its anchors."""

    def __init__(self, path: Path):
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.anchors: set[str] = set()
        self.unsaid: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag asks for."""
        known = {name: value or "" for name, value in attrs}
        self.anchors |= {known[name] for name in ("id", "name") if known.get(name)}
        if tag == "a" and "href" in known:
            self.links.append(known["href"])
        elif tag == "link" and RELATIONS & set(known.get("rel", "").split()):
            self.fetched.append(known["href"])
        elif tag in FETCHED and FETCHED[tag] in known:
            self.fetched.append(known[FETCHED[tag]])
        if tag == "img" and not known.get("alt"):
            self.unsaid.append(known.get("src", ""))


def complaints(folder: Path) -> list[str]:
    """Return a line for each thing that is wrong."""
    pages = {path.resolve(): Page(path) for path in folder.rglob("*.html")}
    found = []
    for path, page in pages.items():
        name = path.relative_to(folder.resolve())
        found += [f"{name}: a picture without words: {each}" for each in page.unsaid]
        for each in page.fetched:
            if urlsplit(each).netloc:
                found.append(f"{name}: asks another server for {each}")
        if name.name == "404.html":
            continue  # whose links begin at the address of the site
        for each in (*page.links, *page.fetched):
            parts = urlsplit(each)
            if parts.scheme or parts.netloc:
                continue
            goal = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            goal = goal / "index.html" if goal.is_dir() else goal
            if not goal.exists():
                found.append(f"{name}: leads nowhere: {each}")
            elif parts.fragment and goal in pages:
                if unquote(parts.fragment) not in pages[goal].anchors:
                    found.append(f"{name}: no such anchor: {each}")
    if not pages:
        return ["there are no pages"]
    return found + [NO_ZIP] * (not any(map(is_extension, linked(folder, pages))))


def linked(folder: Path, pages: dict[Path, Page]) -> list[Path]:
    """Return what the front page links to, if that is here."""
    front = (folder / "index.html").resolve()
    links = pages[front].links if front in pages else []
    return [front.parent / unquote(urlsplit(each).path) for each in links if "://" not in each]


def is_extension(path: Path) -> bool:
    """Tell whether a file is what Blender installs."""
    if path.suffix != ".zip" or not is_zipfile(path):
        return False
    with ZipFile(path) as archive:
        return "blender_manifest.toml" in archive.namelist()


if __name__ == "__main__":
    wrong = complaints(Path(sys.argv[1]))
    print(*wrong, sep="\n")
    sys.exit(1 if wrong else 0)
