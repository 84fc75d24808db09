"""Online Manual on any button or setting leads to a section of the guide that is there."""

import re
from fnmatch import fnmatchcase
from pathlib import Path

import bpy
import pytest
from bl_operators.wm import WM_OT_doc_view_manual

from octree_ext.octree_addon import GROUPS, manual
from octree_ext.octree_addon.preferences import OctreePreferences

DOCS = Path(__file__).resolve().parents[2] / "docs"


def anchors_of(page):
    headings = re.findall(r"^#+ (.+)$", (DOCS / page).read_text("utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}


def page_of(name):
    """Return where Blender itself would go, without the address of the site."""
    url = WM_OT_doc_view_manual._lookup_rna_url(name, verbose=False)
    assert url and url.startswith(manual.SITE), name
    return url.removeprefix(manual.SITE)


def names():
    operators = {name: f"bpy.ops.octree.{name}" for name in dir(bpy.ops.octree)}
    groups = {
        f"{group.__name__}.{each.identifier}": f"bpy.types.{group.__name__}.{each.identifier}"
        for group in (*GROUPS, OctreePreferences)
        for each in group.bl_rna.properties
        if each.identifier != "rna_type"
    }
    return operators, groups


def test_every_operator_and_setting_leads_to_a_heading_that_is_there():
    operators, groups = names()
    assert len(operators) > 80 and len(groups) > 200
    known = anchors_of("user_guide.md")
    for name in (*operators.values(), *groups.values()):
        page, _, anchor = page_of(name).partition("#")
        assert page == "user_guide.html"
        assert anchor in known, (name, anchor)


def test_every_operator_is_named_itself():
    """None falls to what stands for the rest; and none is named that is not there."""
    patterns = [pattern for pattern, _ in manual.pages()[1]]
    named = [each for each in patterns if each.startswith("bpy.ops.")]
    assert sorted(named) == sorted(names()[0].values())
    types = [each for each in patterns if each.startswith("bpy.types.")]
    for pattern in types:
        assert any(fnmatchcase(each.lower(), pattern) for each in names()[1].values()), pattern


@pytest.mark.parametrize(
    ("name", "anchor"),
    [
        ("bpy.ops.octree.drop", "place-objects-until-they-touch"),
        ("bpy.types.OctreeShotSettings.behind", "what-is-really-seen-and-how-much-of-it"),
        ("bpy.types.OctreeShotSettings.span", "find-what-cameras-see-over-a-whole-shot"),
        ("bpy.types.OctreePreferences.triangle_limit", "user-guide"),
    ],
)
def test_parts_stand_before_the_whole(name, anchor):
    assert page_of(name) == f"user_guide.html#{anchor}"


def test_blender_keeps_its_own_manual():
    assert "blender.org" in WM_OT_doc_view_manual._lookup_rna_url(
        "bpy.types.SubsurfModifier.levels", verbose=False
    )
