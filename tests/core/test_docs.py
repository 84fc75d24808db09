"""What the essay and the front page show is what happens; what pages link to is there."""

import doctest
import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
PAGES = [*CHECKOUT.glob("*.md"), *(CHECKOUT / "docs").glob("*.md")]


def test_the_essays_examples_run():
    result = doctest.testfile(str(CHECKOUT / "docs" / "how_it_works.md"), module_relative=False)
    assert result.attempted > 5
    assert result.failed == 0


def test_the_front_pages_examples_run():
    """But for those that need Blender."""
    blocks = re.findall(r"```python\n(.*?)```", (CHECKOUT / "README.md").read_text(), re.DOTALL)
    known: dict[str, object] = {}
    for block in blocks:
        if "bpy" not in block:
            exec(block, known)
    assert len(known["triangle"]) >= 5
    assert known["began"].shape[1] == len(known["ship"]) > 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
    for link in links:
        if "://" in link:
            continue
        target, _, anchor = link.partition("#")
        goal = page.parent / target if target else page
        assert goal.exists(), link
        if anchor:
            assert anchor in anchors_of(goal), link


def anchors_of(page):
    """Return what GitHub calls the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_guide_shows_every_picture_that_is_taken_for_it():
    steps = (CHECKOUT / "tests/gui/test_guide.py").read_text(encoding="utf-8")
    taken = re.findall(r'(?:keep|save)\((?:town, |window, )?"(\w+)"', steps)
    shown = re.findall(r"\(guide/(\w+)\.png\)", (CHECKOUT / "docs/user_guide.md").read_text())
    kept = [path.stem for path in (CHECKOUT / "docs/guide").glob("*.png")]
    assert len(taken) > 5
    assert sorted(taken) == sorted(shown) == sorted(kept)
