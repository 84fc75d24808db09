"""Examples of the essay and the front page run as shown; links of pages have targets."""

import doctest
import re
from pathlib import Path

import pytest

import core

CHECKOUT = Path(__file__).resolve().parents[2]
FOLDERS = ("", "docs", "docs/recipes", "docs/listing", "docs/website", "kernel")
PAGES = [path for folder in FOLDERS for path in (CHECKOUT / folder).glob("*.md")]


def test_the_essays_examples_run():
    result = doctest.testfile(str(CHECKOUT / "docs" / "how_it_works.md"), module_relative=False)
    assert result.attempted > 5
    assert result.failed == 0


def test_the_front_pages_examples_run():
    """Examples that need Blender are skipped."""
    blocks = re.findall(r"```python\n(.*?)```", (CHECKOUT / "README.md").read_text(), re.DOTALL)
    known: dict[str, object] = {}
    for block in blocks:
        if "bpy" not in block:
            exec(block, known)
    assert len(known["triangle"]) >= 5
    assert known["began"].shape[1] == len(known["ship"]) > 0


def test_python_stands_on_no_other_page():
    """On two of them it is run in Blender: `test_guide_examples.py`, `test_every_question.py`."""
    found = {page.name for page in PAGES if "```python" in page.read_text(encoding="utf-8")}
    assert found == {"CONTRIBUTING.md", "README.md", "how_it_works.md", "user_guide.md"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_of_make_are_there(page):
    known = re.findall(r"^([a-z-]+):", (CHECKOUT / "Makefile").read_text(), re.MULTILINE)
    text = page.read_text(encoding="utf-8")
    code = "\n".join(map("".join, re.findall(r"```sh\n(.*?)```|`([^`\n]+)`", text, re.DOTALL)))
    for words in re.findall(r"\bmake((?: [a-z-]+)+)", re.sub("#.*", "", code)):
        assert set(words.split()) <= set(known), words


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    """Pictures say what they show, and nothing leads anywhere in another way."""
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"<(?:a|img) |\]\[|^\[\w+\]: ", text, re.MULTILINE)
    assert "![](" not in text
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    for link in links:
        if "://" in link or link.endswith(".zip"):  # which `make zip` packs
            continue
        target, _, anchor = link.partition("#")
        goal = page.parent / target if target else page
        assert goal.exists(), link
        if anchor:
            assert anchor in anchors_of(goal), link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_list_of_contents_names_every_section(page):
    text = page.read_text(encoding="utf-8")
    listed = re.findall(r"^- \[(.+)\]\(#[^)]+\)$", text, re.MULTILINE)
    sections = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert not listed or listed == sections


def anchors_of(page):
    """Return GitHub's anchors for the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_guide_shows_every_picture_that_is_kept_for_it():
    shown = re.findall(r"\(guide/(\w+)\.png\)", (CHECKOUT / "docs/user_guide.md").read_text())
    kept = [path.stem for path in (CHECKOUT / "docs/guide").glob("*.png")]
    assert len(kept) > 5
    assert sorted(shown) == sorted(kept)


def test_every_picture_is_shown():
    shown = {
        (page.parent / link).resolve()
        for page in PAGES
        for link in re.findall(r"\]\(([^)\s]+\.(?:png|jpg))\)", page.read_text(encoding="utf-8"))
    }
    kept = {path for ending in ("png", "jpg") for path in (CHECKOUT / "docs").rglob(f"*.{ending}")}
    assert len(kept) > 30 and kept == shown


INSIDE = (CHECKOUT / "docs" / "inside_the_extension.md").read_text(encoding="utf-8")
BUTTON = re.compile(r"^\| [^|]*\| `(\w+)` \| `([\w/]+\.py)` \| ([^|]+) \|$", re.MULTILINE)
OPERATOR = re.compile(r'bl_idname = "octree\.(\w+)"')


def test_each_button_is_mapped_to_its_file():
    folder = CHECKOUT / "octree_addon"
    found = [
        (name, path.relative_to(folder).as_posix())
        for path in folder.rglob("*.py")
        for name in OPERATOR.findall(path.read_text(encoding="utf-8"))
    ]
    assert sorted(row[:2] for row in BUTTON.findall(INSIDE)) == sorted(found)


def test_each_button_is_mapped_to_functions_of_the_core_that_its_feature_may_call():
    """The functions are those that the extension imports from the core."""
    sources = [path.read_text("utf-8") for path in (CHECKOUT / "octree_addon").rglob("*.py")]
    lists = [re.findall(r"from \.+core import (\([^)]*\)|.*)", text) for text in sources]
    used = set(re.findall(r"\w+", str(lists)))
    for name, _, called in BUTTON.findall(INSIDE):
        assert set(re.findall(r"`(\w+)`", called)) <= used & set(core.__all__), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_are_named_are_there(page):
    """Below the core, the extension or the checkout."""
    roots = (CHECKOUT, CHECKOUT / "core", CHECKOUT / "octree_addon", page.parent)
    for name in re.findall(r"`(\w[\w/]*\.py)`", page.read_text(encoding="utf-8")):
        if page.name != "CHANGELOG.md" and "/" in name:
            assert any((root / name).exists() for root in roots), name
