"""The buttons that recipes name find what their pages say; `make recipes` draws them, too."""

import re
from pathlib import Path

import bpy
import pytest

from demo.recipe_scenes import RECIPES

PAGES = Path(__file__).resolve().parents[2] / "docs/recipes"
# These look at hundreds of frames, from many sides or at many places: `make recipes` presses them.
LONG = {"unseen_in_a_shot", "inside_a_machine", "plant_a_hill"}


@pytest.mark.parametrize(
    "recipe", [each for each in RECIPES if each.name not in LONG], ids=lambda each: each.name
)
def test_a_recipe_finds_what_its_page_says(recipe):
    recipe.build()
    bpy.context.view_layer.update()
    answer = recipe.ask()
    page = re.sub(r"\s+", " ", (PAGES / f"{recipe.name}.md").read_text(encoding="utf-8"))
    assert answer.told
    for told in answer.told:
        assert f"**{told}**" in page
    if recipe.mend:
        assert recipe.mend(answer).colors["Good"]
