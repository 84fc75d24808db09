"""Make the files and pictures of the recipes: a small scene each, saved, then asked and drawn.

    .venv/bpy-5.2/bin/python demo/recipes.py --out .cache/recipes [--only NAME]

Each presses the buttons that its page in `docs/recipes` names; the page has to tell what is found.
"""

import argparse
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs/recipes"

if TYPE_CHECKING:
    from demo.recipe_scenes import Recipe
    from demo.recipe_tools import Answer


def main() -> None:
    """Set up a throw-away Blender and make all recipes in it."""
    chosen = arguments()
    chosen.out.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory(prefix="octree-recipes-") as folder:
        os.environ["BLENDER_USER_RESOURCES"] = folder  # read when bpy is imported
        from demo import extension, recipe_scenes

        extension.install(Path(folder))
        width, height = map(int, chosen.size.split("x"))
        size = (width, height)
        try:
            for recipe in recipe_scenes.RECIPES:
                if chosen.only in ("", recipe.name):
                    make(recipe, chosen.out, size)
        finally:
            extension.uninstall()
        sys.stdout.flush()
    os._exit(0)  # at exit some wheels crash over what is registered


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / ".cache/recipes", help="folder")
    parser.add_argument("--only", default="", help="the name of one recipe")
    parser.add_argument("--size", default="480x320", help="pixels of a picture")
    return parser.parse_args()


def make(recipe: "Recipe", out: Path, size: tuple[int, int]) -> None:
    """Save the scene of a recipe, press its buttons, and draw what they show."""
    import bpy

    from demo import studio

    bpy.ops.wm.read_homefile(use_empty=True)
    recipe.build()
    bpy.context.view_layer.update()
    path = (out / f"{recipe.name}.blend").resolve()
    path.unlink(missing_ok=True)  # else Blender keeps the old one beside it
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=True)
    answer = recipe.ask()
    check(recipe.name, answer)
    picture = out / f"{recipe.name}.png"
    draw(answer, recipe.view, picture, size)
    if recipe.mend:
        before, after = out / "before.png", out / "after.png"
        picture.rename(before)
        draw(recipe.mend(answer), recipe.view, after, size)
        studio.side_by_side([before, after], picture, 8)
        before.unlink()
        after.unlink()
    as_photograph(picture)
    print(f"{recipe.name}: {'; '.join(answer.told)}; {path.stat().st_size // 1024} KB", flush=True)


def as_photograph(picture: Path) -> None:
    """Write a picture as JPEG, a sixth as large, and without what Blender tells of the file."""
    import bpy
    import numpy as np

    drawn = bpy.data.images.load(str(picture))
    pixels = np.empty(4 * drawn.size[0] * drawn.size[1], np.float32)
    drawn.pixels.foreach_get(pixels)
    plain = bpy.data.images.new(picture.stem, *drawn.size)
    plain.pixels.foreach_set(pixels)
    plain.file_format = "JPEG"
    plain.save(filepath=str(picture.with_suffix(".jpg")), quality=88)
    for image in (drawn, plain):
        bpy.data.images.remove(image)
    picture.unlink()


def check(name: str, answer: "Answer") -> None:
    """Check that the page states the results."""
    page = re.sub(r"\s+", " ", (PAGES / f"{name}.md").read_text(encoding="utf-8"))
    missing = [each for each in answer.told if f"**{each}**" not in page]
    if missing:
        raise SystemExit(f"docs/recipes/{name}.md does not say {missing}")


def draw(
    answer: "Answer", view: tuple[float, float, float], path: Path, size: tuple[int, int]
) -> None:
    """Render the visible objects, gray unless they have a color."""
    import bpy
    import numpy as np
    from mathutils import Vector

    from demo import studio
    from demo.recipe_tools import COLORS

    shown = [item for item in bpy.context.visible_objects if item.type in ("MESH", "FONT")]
    chosen = {item: color for color, items in answer.colors.items() for item in items}
    materials = {name: studio.clay(name, color) for name, color in COLORS.items()}
    scene = bpy.data.scenes.new("Picture")
    for item in shown:
        paint(item, materials[chosen.get(item, "Rest")])
        scene.collection.objects.link(item)
    for item in answer.extra:
        scene.collection.objects.link(item)
    framed = [item for item in shown if item not in answer.unframed]
    corners = [item.matrix_world @ Vector(at) for item in framed for at in item.bound_box]
    vertices = np.array(corners)
    eye = studio.eye(vertices, Vector(view).normalized(), size)
    studio.prepare(scene, vertices, eye, size)
    studio.render(scene, path)
    bpy.data.scenes.remove(scene)


def paint(item: "bpy.types.Object", material: "bpy.types.Material") -> None:  # noqa: F821
    """Give an object one material, whatever its mesh has."""
    if not item.material_slots:
        item.data.materials.append(material)
    for slot in item.material_slots:
        slot.link = "OBJECT"
        slot.material = material


if __name__ == "__main__":
    main()
