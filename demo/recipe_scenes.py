"""Scenes of the recipes, and the operators that their pages use."""

from collections.abc import Callable
from math import cos, pi, sin
from typing import NamedTuple

import bpy
import numpy as np

from demo import studio
from demo.recipe_tools import (
    Answer,
    Things,
    aim,
    block,
    findings,
    named,
    press,
    rows,
    select,
    selected,
    thing,
    view_of,
)

ABOVE = (-0.18, -1.0, 0.66)


class Recipe(NamedTuple):
    """A recipe: its page, its scene, its query, and an optional fix."""

    name: str
    build: Callable[[], None]
    ask: Callable[[], Answer]
    mend: Callable[[Answer], Answer] | None = None
    view: tuple[float, float, float] = ABOVE


# --- What cameras see


def build_town() -> None:
    """Add the example town, whose camera drives into it."""
    press("add_example")


def ask_town() -> Answer:
    """Select the objects that the camera never sees during the shot."""
    press("find_seen", span="SCENE")
    press("select_seen", part="UNSEEN")
    unseen = selected()
    meshes = [item for item in bpy.context.scene.objects if item.type == "MESH"]
    told = f"{len(unseen)} of {len(meshes)} objects"
    view = view_of(bpy.context.scene.camera, 9, 0.08)
    return Answer([told], {"Found": unseen, "Ground": named("Lawn")}, extra=tuple(view))


def build_wall() -> None:
    """Put a camera before a wall, and balls before and behind it."""
    block("Floor", (16, 12, 0.2), (0, 2, -0.2))
    block("Wall", (7, 0.3, 2.6), (0, 2, 0))
    for at in range(5):
        thing("uv_sphere", "Ball", radius=0.5, location=(1.5 * at - 3, 4, 0.5))
    for at in range(3):
        thing("uv_sphere", "Ball", radius=0.5, location=(2.5 * at - 2.5, 0, 0.5))
    aim((0, -9, 1.6), (pi / 2 - 0.03, 0, 0), 28)


def ask_wall() -> Answer:
    """Select the objects without a visible pixel."""
    press("find_seen", behind="UNSEEN")
    press("select_seen", part="UNSEEN")
    return Answer(
        [f"{len(selected())} balls"],
        {"Found": selected(), "Ground": named("Floor"), "Other": named("Wall")},
        extra=tuple(view_of(bpy.context.scene.camera, 9, 0.05)),
    )


def build_machine() -> None:
    """Put a mechanism into a closed case, and a handle outside."""
    for name, size, place in (
        ("Case Bottom", (4, 3, 0.1), (0, 0, 0)),
        ("Case Top", (4, 3, 0.1), (0, 0, 2.4)),
        ("Case Left", (0.1, 3, 2.3), (-1.95, 0, 0.1)),
        ("Case Right", (0.1, 3, 2.3), (1.95, 0, 0.1)),
        ("Case Back", (3.8, 0.1, 2.3), (0, 1.45, 0.1)),
        ("Case Front", (3.8, 0.1, 2.3), (0, -1.45, 0.1)),
    ):
        block(name, size, place)
    ring = {"major_radius": 0.45, "minor_radius": 0.14, "major_segments": 24, "minor_segments": 8}
    for at in range(4):
        place = (0.9 * at - 1.35, 0, 1.3)
        thing("torus", "Gear", location=place, rotation=(pi / 2, 0, 0), **ring)
    along = {"rotation": (0, pi / 2, 0)}
    thing("cylinder", "Shaft", radius=0.1, depth=3.4, location=(0, 0, 1.3), **along)
    block("Motor", (1.2, 1.2, 0.8), (-1.1, 0, 0.1))
    thing("cylinder", "Handle", radius=0.12, depth=0.8, location=(2.3, 0, 1.3), **along)


def ask_machine() -> Answer:
    """Select the objects that are invisible from outside; open the case for the picture."""
    press("find_never_seen", views="OUTSIDE")
    press("select_never_seen", kind="OBJECTS")
    found = selected()
    for item in named("Case Front", "Case Top"):
        item.hide_set(True)
    return Answer([f"{len(found)} objects"], {"Found": found})


# --- What touches what


def build_pipes() -> None:
    """Put a pipe through a beam, another above it, and two crates at one place."""
    block("Floor", (8, 5, 0.2), (0, 0, -0.2))
    for x in (-2, 2):
        block("Post", (0.3, 0.3, 2.2), (x, 0, 0))
    block("Beam", (4.6, 0.3, 0.4), (0, 0, 2.2))
    thing(
        "cylinder",
        "Pipe",
        radius=0.12,
        depth=4,
        location=(-0.6, 0, 2.35),
        rotation=(pi / 2, 0, 0.4),
    )
    thing(
        "cylinder", "Pipe", radius=0.12, depth=4, location=(1.1, 0, 2.9), rotation=(pi / 2, 0, 0.4)
    )
    for _ in range(2):
        block("Crate", (0.8, 0.8, 0.8), (0.4, -1.4, 0), 0.3)


def ask_pipes() -> Answer:
    """Audit the scene."""
    crossed, twice = findings("overlap"), findings("duplicate")
    colors = {
        color: [bpy.data.objects[name] for names in found for name in names]
        for color, found in (("Found", crossed), ("Other", twice))
    }
    bpy.data.objects[twice[0][1]].hide_set(True)  # in the picture one crate shadows the other
    return Answer(
        [f"{len(crossed)} overlap", f"{len(twice)} duplicate"],
        {**colors, "Ground": named("Floor")},
        unframed=tuple(named("Floor")),
    )


def build_floating() -> None:
    """Put things on a table; some hang in the air."""
    block("Floor", (6, 4, 0.2), (0, 0, -0.2))
    block("Table", (3, 1.6, 0.12), (0, 0, 1))
    for x in (-1.35, 1.35):
        for y in (-0.65, 0.65):
            block("Leg", (0.12, 0.12, 1), (x, y, 0))
    for at, high in enumerate((1.12, 1.42, 1.12, 1.6, 1.3)):
        thing(
            "cylinder", "Cup", radius=0.16, depth=0.3, location=(0.55 * at - 1.1, 0.1, high + 0.15)
        )
    thing("monkey", "Bust", size=0.8, location=(2.2, -0.6, 0.9))


def ask_floating() -> Answer:
    """Select the objects without support."""
    press("select_floating")
    return Answer(
        [f"{len(selected())} objects float"], {"Found": selected(), "Ground": named("Floor")}
    )


def mend_floating(before: Answer) -> Answer:
    """Drop the floating objects."""
    press("drop")
    press("select_floating")
    assert not selected()
    return Answer([], {"Good": before.colors["Found"], "Ground": named("Floor")})


def build_crates() -> None:
    """Add overlapping crates."""
    block("Floor", (7, 6, 0.2), (0, 0, -0.2))
    dice = np.random.default_rng(3)
    for x, y in np.ndindex(3, 3):
        place = (
            0.8 * x - 0.8 + dice.uniform(-0.1, 0.1),
            0.8 * y - 0.8 + dice.uniform(-0.1, 0.1),
            0,
        )
        block("Crate", (0.9, 0.9, 0.6 + 0.2 * dice.integers(3)), place, dice.uniform(-0.4, 0.4))


def ask_crates() -> Answer:
    """Audit the scene."""
    pairs = len(findings("overlap"))
    return Answer([f"{pairs} pairs"], {"Found": named("Crate"), "Ground": named("Floor")})


def mend_crates(before: Answer) -> Answer:
    """Move the crates apart, on the floor."""
    select(*named("Crate"))
    press("push_apart", axes=(True, True, False))
    assert not findings("overlap")
    return Answer([], {"Good": named("Crate"), "Ground": named("Floor")})


def build_hill() -> None:
    """Add a hill, and a tree to plant on it."""
    hill("Hill", 48, 12)
    trunk = thing("cylinder", "Tree", radius=0.06, depth=0.4, vertices=8, location=(9, -4, 0.2))
    crown = thing("cone", "Crown", radius1=0.4, depth=1.1, vertices=12, location=(9, -4, 0.85))
    select(trunk, crown)
    bpy.ops.object.join()
    bpy.context.scene.cursor.location = (9, -4, 0)
    bpy.ops.object.origin_set(type="ORIGIN_CURSOR")


def ask_hill() -> Answer:
    """Fill the hill with copies of the tree."""
    select(*named("Hill"), *named("Tree"))
    known = set(bpy.context.scene.objects)
    press("fill", count=80, spacing=0.1, min_scale=0.7, max_scale=1.3, slope=0.6, seed=4)
    made = [item for item in bpy.context.scene.objects if item not in known]
    return Answer([f"{len(made)} trees"], {"Good": made, "Found": named("Tree")[:1]})


def hill(name: str, squares: int, size: float) -> bpy.types.Object:
    """Add a square ground with a hill."""
    made = thing("grid", name, x_subdivisions=squares, y_subdivisions=squares, size=size)
    for each in made.data.vertices:
        x, y = each.co.x / size * 10, each.co.y / size * 10
        each.co.z = 1.6 * 2.7 ** (-(x * x + y * y) / 8) + 0.25 * sin(x * 1.3) * cos(y * 1.7)
    return made


# --- What lies here


def build_seats() -> None:
    """Put chairs around a table, two of them too close together."""
    thing("cylinder", "Table", radius=1.1, depth=0.75, location=(0, 0, 0.375), vertices=48)
    for at, turn in enumerate((0.0, 0.9, 1.35, 2.6, 3.6, 4.7)):
        block(f"Chair {at + 1}", (0.5, 0.5, 0.9), (1.7 * cos(turn), 1.7 * sin(turn), 0), turn)


def ask_seats() -> Answer:
    """Measure from each chair to its nearest neighbor; turn dimension lines into meshes."""
    select(*named("Chair"))
    press("measure_distances", pairs="NEAREST")
    nearest = min(rows(), key=lambda row: row["Distance"])
    known = set(bpy.context.scene.objects)
    press("make_distances_real")
    real = [item for item in bpy.context.scene.objects if item not in known]
    for item in real:
        item.hide_set(True)
    glow = studio.glow("Lines", (1, 1, 1))
    return Answer(
        [f"{nearest['Distance'] * 100:.0f} cm"],
        {"Found": [bpy.data.objects[name] for name in nearest["objects"]]},
        extra=tuple(studio.lines(item.data, glow, 0.03) for item in real if item.type == "MESH"),
    )


def build_posts() -> None:
    """Add a field of posts and a goal; put the 3D cursor at the other end."""
    block("Field", (12, 8, 0.1), (0, 0, -0.1))
    for x, y in np.ndindex(16, 10):
        block("Post", (0.12, 0.12, 0.7), (0.7 * x - 5.25, 0.75 * y - 3.4, 0))
    goal = thing("uv_sphere", "Goal", radius=0.4, location=(4.6, 2.4, 0.4))
    bpy.context.scene.cursor.location = (-4.6, -2.2, 0.3)
    select(goal)


def ask_posts() -> Answer:
    """Select the objects near the segment from the cursor to the goal."""
    press("select_in_capsule", radius=0.4)
    found = [item for item in selected() if item.name.startswith("Post")]
    return Answer(
        [f"{len(found)} posts"], {"Found": found, "Other": named("Goal"), "Ground": named("Field")}
    )


def build_chunks() -> None:
    """Put heads on a hill."""
    hill("Hill", 64, 12)
    for place in ((2.5, 2, 1.2), (-3, 2, 0.8), (0, -0.4, 2.4)):
        thing("monkey", "Head", size=1.6, location=place)
        bpy.ops.object.modifier_add(type="SUBSURF")


def ask_chunks() -> Answer:
    """Cut the visible objects by a budget of triangles."""
    press("cut_chunks", triangles=2500, least_triangles=200)
    cells = bpy.data.collections["Chunks"].children
    colors: dict[str, Things] = {}
    for at, cell in enumerate(cells):
        colors.setdefault(f"Ramp {(at * 2) % 5}", []).extend(cell.all_objects)
    return Answer([f"{len(cells)} chunks"], colors)


def build_density() -> None:
    """Add a room of plain boxes, and one statue with far too many triangles."""
    block("Floor", (9, 6, 0.2), (0, 0, -0.2))
    for at in range(6):
        block("Shelf", (1, 0.6, 1.8), (1.4 * at - 3.5, 2, 0))
        block("Stool", (0.5, 0.5, 0.5), (1.4 * at - 3.5, -0.6, 0), 0.2 * at)
    statue = thing("monkey", "Statue", size=1.2, location=(0.4, -1.9, 0.75))
    statue.modifiers.new("Subdivision", "SUBSURF").levels = 4


def ask_density() -> Answer:
    """Count triangles in cells of one meter; go to the fullest cell."""
    press("density", cell=1.0)
    worst = rows()[0]
    (name,) = worst["objects"]
    return Answer(
        [name],
        {"Found": [bpy.data.objects[name]], "Ground": named("Floor")},
        unframed=tuple(named("Floor")),
    )


# --- The octree


def build_monkey() -> None:
    """Add a monkey."""
    thing("monkey", "Suzanne", size=2)
    bpy.ops.object.modifier_add(type="SUBSURF")


def ask_monkey() -> Answer:
    """Build the octree of the mesh, and turn its leaves into a mesh of edges."""
    press("build", capacity=64)
    press("make_real")
    (cells,) = [item for item in bpy.context.scene.objects if item.name != "Suzanne"]
    edges = studio.lines(cells.data, studio.glow("Cells", (0.2, 0.5, 0.9)), 0.012)
    cells.hide_set(True)
    return Answer(["Suzanne"], {"Found": named("Suzanne")}, extra=(edges,))


RECIPES = (
    Recipe("unseen_in_a_shot", build_town, ask_town, view=(-0.3, -0.8, 0.9)),
    Recipe("behind_a_wall", build_wall, ask_wall, view=(-0.5, -0.7, 0.8)),
    Recipe("inside_a_machine", build_machine, ask_machine, view=(-0.25, -1, 0.7)),
    Recipe("pipe_through_a_beam", build_pipes, ask_pipes, view=(-0.35, -1, 0.4)),
    Recipe("floating_things", build_floating, ask_floating, mend_floating, (-0.2, -1, 0.3)),
    Recipe("push_crates_apart", build_crates, ask_crates, mend_crates),
    Recipe("plant_a_hill", build_hill, ask_hill),
    Recipe("how_far_apart", build_seats, ask_seats, view=(-0.2, -0.8, 0.9)),
    Recipe("near_a_line", build_posts, ask_posts, view=(-0.1, -0.8, 0.8)),
    Recipe("chunks_for_a_game", build_chunks, ask_chunks),
    Recipe("where_the_triangles_are", build_density, ask_density),
    Recipe("octree_of_a_mesh", build_monkey, ask_monkey, view=(-0.5, -1.0, 0.3)),
)
