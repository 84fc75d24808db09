"""The words of the field lead to the code; first lines are no riddles; spelling is American."""

import ast
import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent
GLOSSARY = (CHECKOUT / "docs" / "glossary.md").read_text(encoding="utf-8")
# What somebody searches for, and the module whose first line has to answer.
LANDINGS = {
    r"\bAABB\b": "core/shapes/boxes.py",
    r"\bOBB\b|[Oo]riented": "core/shapes/oriented_boxes.py",
    r"\bSAT\b|[Ss]eparating.axis": "core/touch/separating_axis.py",
    r"[Nn]arrow phase": "core/touch/__init__.py",
    r"Morton": "core/grid.py",
    r"[Mm]ailbox": "core/mailboxing.py",
    r"[Bb]road phase": "core/pairs/broad_phase.py",
    r"[Ss]lab": "core/rays/walk.py",
    r"[Bb]ounding.sphere": "core/rays/hits.py",
    r"[Tt]raversal": "core/descend.py",
    r"[Cc]ull": "core/touch/frusta.py",
    r"\bRLE\b": "octree_addon/cameras/table/rle.py",
    r"\bCOCO\b": "octree_addon/cameras/table/coco.py",
    r"\bCLI\b": "octree_addon/command_line/__init__.py",
    r"[Ll]oose": "core/dynamic/placement.py",
    r"[Bb]ranch and bound": "core/nearby/walked.py",
    r"[Dd]ual": "core/scene/dual_walk.py",
    r"[Ii]tem buffer": "core/item_buffer/__init__.py",
    r"[Zz]-buffer": "core/item_buffer/z_buffer.py",
    r"[Rr]asteriz": "core/item_buffer/scan_conversion.py",
    r"[Aa]modal": "core/item_buffer/visible_pixels.py",
    r"[Ss]aturation": "core/item_buffer/face_sampling.py",
    r"Fibonacci": "core/item_buffer/views.py",
}
TERMS = (
    "AABB", "OBB", "BVH", "SAT", "TLAS", "two-level", "Morton", "mailbox", "broad phase",
    "spatial join", "slab test", "bounding sphere", "frustum culling",
    "quantized", "loose octree", "straddler", "traversal", "kNN", "segmentation map",
    "item buffer", "z-buffer", "rasterization", "amodal",
)  # fmt: skip
BRITISH = r"colour|centre|neighbour|behaviour|\bgrey\b|\bmetre|travell|licence|favour"


def sources(*patterns):
    return sorted(path for pattern in patterns for path in CHECKOUT.glob(pattern))


def first_line(path):
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]


@pytest.mark.parametrize(("word", "path"), LANDINGS.items())
def test_a_search_for_the_fields_word_ends_where_the_thing_is(word, path):
    assert re.search(word, first_line(CHECKOUT / path)), first_line(CHECKOUT / path)


@pytest.mark.parametrize("term", TERMS)
def test_the_glossary_knows_the_term(term):
    assert term.lower() in GLOSSARY.lower()


@pytest.mark.parametrize("path", sources("core/**/*.py", "octree_addon/**/*.py"), ids=str)
def test_the_first_line_of_a_module_is_no_riddle(path):
    assert not re.match(r"(What|Which|How|Who|Whose|Where)\b", first_line(path))


@pytest.mark.parametrize(
    "path",
    sources("core/**/*.py", "octree_addon/**/*.py", "docs/**/*.md", "*.md"),
    ids=lambda path: path.name,
)
def test_spelling_is_american(path):
    text = path.read_text(encoding="utf-8").replace("skip_neighbours", "")
    assert not re.findall(BRITISH, text, re.IGNORECASE)
