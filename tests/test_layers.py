"""The staircase: a file imports only what stands above it in its list, relatively, at the top."""

import ast
import re
import sys
from pathlib import Path

import pytest

import core

CHECKOUT = Path(__file__).resolve().parent.parent
CORE_ORDER = [
    "arrays", "passes", "checks", "shapes", "touch", "options", "grid", "child_masks", "cells",
    "octree", "two_levels",
    "groups", "construction", "mailboxing", "descend", "query", "rays", "nearest",
    "pairs", "dynamic", "scene", "audit", "item_buffer", "trace", "storage", "statistics",
    "wireframe",
    "__init__",
]  # fmt: skip
ADDON_ORDER = [
    "arrays", "spreadsheets", "seen", "audit", "ui", "menus", "translations", "shortcuts",
    "references", "preferences", "presets", "camera", "curves", "reader", "scene_index",
    "item_buffer", "built_tree", "trees", "scope", "targets", "selection", "build", "results",
    "questions", "live", "display", "probe", "shot", "clash", "hiding", "never_seen", "example",
    "main_panel", "command_line", "handlers",
    "__init__",
]  # fmt: skip
BLENDER = {
    "bl_math", "bl_operators", "bl_ui", "blf", "bmesh", "bpy", "bpy_extras", "gpu", "gpu_extras",
    "mathutils", "rna_keymap_ui",
}  # fmt: skip
STANDARD = set(sys.stdlib_module_names)


def files(folder):
    return sorted(path.relative_to(CHECKOUT) for path in (CHECKOUT / folder).rglob("*.py"))


def tree_of(path):
    return ast.parse((CHECKOUT / path).read_text(encoding="utf-8"))


def imports(path):
    """Absolute imports as top names, relative ones as parts of the path from the checkout."""
    outside, ours = set(), set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            outside |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            outside.add(node.module.partition(".")[0])
        elif isinstance(node, ast.ImportFrom):
            base = base_of(path, node)
            ours |= {base + (() if is_file(base) else (alias.name,)) for alias in node.names}
    return outside, ours


def base_of(path, node):
    """Return the parts of the path from the checkout that a relative import begins with."""
    return path.parts[: -node.level] + (tuple(node.module.split(".")) if node.module else ())


def is_file(parts):
    return CHECKOUT.joinpath(*parts).with_suffix(".py").exists()


def step(parts):
    """Name the stair that a module stands on: its file or folder below the layer's folder."""
    return Path(parts[1]).stem if len(parts) > 1 else "__init__"


@pytest.mark.parametrize(
    ("folder", "order"), [("core", CORE_ORDER), ("octree_addon", ADDON_ORDER)]
)
def test_every_file_has_its_place(folder, order):
    assert {step(path.parts) for path in files(folder)} == set(order)
    assert len(order) == len(set(order))


@pytest.mark.parametrize("path", files("core"), ids=str)
def test_core_imports_numpy_and_what_stands_above(path):
    outside, ours = imports(path)
    assert outside <= STANDARD | {"numpy"}
    assert all(is_above(used, path.parts, CORE_ORDER) for used in ours), ours


@pytest.mark.parametrize("path", files("octree_addon"), ids=str)
def test_the_addon_imports_blender_the_core_and_what_stands_above(path):
    outside, ours = imports(path)
    assert outside <= STANDARD | BLENDER | {"numpy"}
    addon = [used for used in ours if used[0] != "core"]
    assert all(is_above(used, path.parts, ADDON_ORDER) for used in addon), addon


@pytest.mark.parametrize("path", files("octree_addon/seen") + files("octree_addon/audit"), ids=str)
def test_what_cameras_and_audits_find_as_data_needs_no_blender(path):
    assert imports(path)[0] <= STANDARD | {"numpy"}


@pytest.mark.parametrize("path", files("octree_addon"), ids=str)
def test_the_addon_imports_public_names_of_the_core_alone(path):
    found = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.ImportFrom)]
    used = [node for node in found if node.level and base_of(path, node)[:1] == ("core",)]
    assert {base_of(path, node) for node in used} <= {("core",)}
    assert {alias.name for node in used for alias in node.names} <= set(core.__all__)


def is_above(used, user, order):
    """Tell whether a module may use another; within one folder each may use its neighbors."""
    if used[0] != user[0]:
        return False
    if step(used) == step(user):
        return len(used) > 2 or len(user) > 2
    return order.index(step(used)) < order.index(step(user))


@pytest.mark.parametrize("path", files("core") + files("octree_addon"), ids=str)
def test_imports_stand_at_the_top(path):
    inner = [
        node
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]
    late = [node for one in inner for node in ast.walk(one)]
    assert not any(isinstance(node, ast.Import | ast.ImportFrom) for node in late)


def test_folders_have_no_circles():
    """Files of one folder import each other in one direction only."""
    for folder in {path.parent for path in files("core") + files("octree_addon")}:
        used = {path.stem: neighbors(path) for path in files(folder)}
        while used:
            ready = {name for name, names in used.items() if not names & set(used)}
            assert ready, f"{folder}: {used}"
            used = {name: names for name, names in used.items() if name not in ready}


def neighbors(path):
    """Names in the same folder that a file imports."""
    here = path.parent.parts
    return {used[len(here)] for used in imports(path)[1] if used[: len(here)] == here}


def test_the_front_door_imports_nothing_until_it_is_opened():
    body = tree_of(Path("__init__.py")).body
    assert not any(isinstance(node, ast.Import | ast.ImportFrom) for node in body)
    assert imports(Path("__init__.py")) == (set(), {("octree_addon",)})


# What only some rooms of the add-on may do, by what doing it looks like.
DOORS = {
    "reads geometry": (r"\.to_mesh\(|\.object_instances", {"reader", "shot", "never_seen"}),
    "writes": (
        r"\.(select_set|hide_set|foreach_set)\(|\.(attributes|objects|collections)\.new\(",
        {"selection", "hiding", "display", "example", "item_buffer", "never_seen"},
    ),
    "changes the frame": (r"\.frame_set\(", {"shot"}),
    "draws": (r"^\s*(import|from) (gpu|blf)\b", {"display", "item_buffer", "probe"}),
    "listens": (r"bpy\.app\.(handlers|timers)|bpy\.msgbus", {"ui", "shot"}),
    "remembers": (
        r"^_\w+(: .+)? = (\{\}|\[\]|(Weak\w+)\(\))",
        {
            "ui",
            "scene_index",
            "references",
            "built_tree",
            "trees",
            "results",
            "questions",
            "live",
            "shot",
            "never_seen",
            "display",
            "probe",
            "clash",
            "command_line",
        },
    ),
}


@pytest.mark.parametrize(("pattern", "rooms"), DOORS.values(), ids=DOORS)
def test_few_rooms_have_a_door_to_blender(pattern, rooms):
    found = {
        step(path.parts)
        for path in files("octree_addon")
        if re.search(pattern, (CHECKOUT / path).read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert found == rooms
