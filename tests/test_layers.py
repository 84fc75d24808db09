"""The staircase: a file imports only what stands above it in its list, relatively, at the top."""

import ast
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

import core

CHECKOUT = Path(__file__).resolve().parent.parent
CORE_ORDER = [
    "tuning", "arrays", "boxes", "rounds", "whole", "records", "checks", "steps", "passes",
    "shapes", "apart", "options",
    "grid", "child_masks", "cells", "walkable", "octree", "compiled", "checksumming",
    "touch", "lone", "snapshot", "construction", "mailboxing", "descend", "volumes",
    "rays", "nearby", "pairs", "dynamic", "scene", "gaps", "clash", "place", "clipping",
    "chunking", "item_buffer", "tracing", "atomic_files", "storage", "cell_statistics",
    "wireframe",
    "__init__",
]  # fmt: skip
ADDON_ORDER = [
    "tuning", "arrays", "lengths", "text_formats", "xml_formats", "shares", "png", "written_files",
    "ui", "options", "file_export", "menus", "translations", "shortcuts", "manual", "references",
    "preferences", "presets", "camera", "curves", "reader", "written_meshes", "scene_index",
    "item_buffer", "built_tree", "trees", "scope", "snapshots", "selection", "hiding", "answers",
    "cells", "result_list", "questions", "distances", "live", "display", "probe", "cameras",
    "audit", "place", "chunks", "density", "shipping", "town", "main_panel", "command_line",
    "handlers", "__init__",
]  # fmt: skip
BLENDER = {
    "bl_math", "bl_operators", "bl_ui", "blf", "bmesh", "bpy", "bpy_extras", "gpu", "gpu_extras",
    "mathutils", "rna_keymap_ui",
}  # fmt: skip
STANDARD = set(sys.stdlib_module_names)
# They declare properties by hand: preferences, display, and what files keep.
BY_HAND = {
    "OctreePreferences", "OctreeDisplaySettings", "OctreeAnswerSettings", "OctreeAnswerNumbers",
    "TreeRecord", "QueryRecord", "OctreeHiddenObject", "OctreeSceneMemory",
    "OctreeLayerMemory", "OctreeResultsSettings", "OctreeListSettings",
    "OctreeResult", "OCTREE_OT_put",
}  # fmt: skip


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


@pytest.mark.parametrize(
    "path", files("octree_addon/cameras/table") + files("octree_addon/audit/model"), ids=str
)
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


def test_a_class_is_named_once():
    """A public name is unique in the project, so that a search for it ends at one place."""
    named = Counter(
        node.name
        for path in files("core") + files("octree_addon")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, count in named.items() if count > 1] == []


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


def test_tunables_are_replaced_where_they_are_kept():
    """Tests replace fields of the records in `tuning`, and no constants of other files."""
    found = {
        f"{path}: {constant}"
        for path in files("tests")
        for call in ast.walk(tree_of(path))
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("setattr")
        for constant in constants_in(call)
        if path.name not in EXCEPTED
    }
    assert not found


# Some replace texts: the name of the installed extension, a shader, a pattern.
EXCEPTED = {"test_demo.py", "test_swarm.py", "test_gpu_buffer.py", "test_publishing.py"}


def constants_in(call):
    """Yield names of constants, in capitals, that a call says in quotes."""
    for word in call.args[1:2]:
        if isinstance(word, ast.Constant) and re.fullmatch(r"_?[A-Z][A-Z_]+", str(word.value)):
            yield word.value


def test_the_front_door_imports_nothing_until_it_is_opened():
    body = tree_of(Path("__init__.py")).body
    assert not any(isinstance(node, ast.Import | ast.ImportFrom) for node in body)
    assert imports(Path("__init__.py")) == (set(), {("octree_addon",)})


# What only some rooms of the add-on may do, by what doing it looks like.
DOORS = {
    "reads geometry": (r"\.to_mesh\(\)|\.object_instances", {"reader"}),
    "writes": (
        r"\.(select_set|hide_set|foreach_set)\(|\.(attributes|objects|collections)\.new\("
        r"|item\.(location|rotation_\w+) = |\.matrix_world = ",
        {
            "written_meshes",
            "selection",
            "hiding",
            "display",
            "town",
            "item_buffer",
            "cameras",
            "place",
            "chunks",
            "shipping",
        },
    ),
    "makes meshes": (r"meshes\.new\(|from_pydata|\.loops\.add\(", {"written_meshes"}),
    "changes the frame": (r"\.frame_set\(", {"cameras"}),
    "draws": (r"^\s*(import|from) (gpu|blf)\b", {"display", "item_buffer", "probe"}),
    "listens": (r"bpy\.app\.(handlers|timers)|bpy\.msgbus", {"ui"}),
    "remembers": (
        r"^_\w+(: .+)? = (\{\}|\[\]|(Weak\w+)\(\))",
        {
            "ui",
            "scene_index",
            "references",
            "display",
            "probe",
            "command_line",
        },
    ),
}


# What puts bytes on a disk: `open` by its mode, and some by where they are told to.
WRITES = re.compile(
    r"os\.(open|replace|rename|renames|link|fdopen|truncate)|shutil\..*|tempfile\.\w*(Named|mk).*"
    r"|.*\.(write_bytes|write_text|tofile|touch|save_render|save_mainfile|save_as_mainfile)"
)
MODE = re.compile(r"'[rwxabt+]*[wxa+][rwxabt+]*'")
WRITES_TO = re.compile(r"np\.save\w*|(zipfile\.)?ZipFile")


def written(path):
    """Yield the calls of a file that open a file of their own to write it."""
    for function in ast.walk(tree_of(path)):
        if isinstance(function, ast.FunctionDef):
            parts = list(ast.walk(function))
            opened = {name for node in parts for name in opened_by(node)}
            calls = [node for node in parts if isinstance(node, ast.Call)]
            yield from (ast.unparse(call) for call in calls if writes(call, opened))


def opened_by(node):
    """Yield what a part of a function names memory, or a file that `atomic_file` has opened."""
    if isinstance(node, ast.Assign) and ast.unparse(node.value) == "io.BytesIO()":
        yield from map(ast.unparse, node.targets)
    elif isinstance(node, ast.withitem) and node.optional_vars:
        if ast.unparse(node.context_expr).startswith("atomic_file("):
            yield ast.unparse(node.optional_vars)


def writes(call, opened):
    name = ast.unparse(call.func)
    words = [ast.unparse(each) for each in (*call.args, *(word.value for word in call.keywords))]
    if name.rpartition(".")[2] == "open":
        return name == "os.open" or any(map(MODE.fullmatch, words))
    if WRITES_TO.fullmatch(name):
        return words[0] not in opened
    return bool(WRITES.fullmatch(name))


@pytest.mark.parametrize(
    "line",
    [
        "open(path, 'w')", "open(path, mode='ab')", "path.open('xb')", "open(path, 'r+')",
        "path.write_bytes(b'')", "Path(path).write_text('', encoding='utf-8')",
        "np.save(path, array)", "np.savez_compressed(path, **arrays)", "array.tofile(path)",
        "ZipFile(path, 'w')", "os.replace(path, other)", "os.open(path, os.O_WRONLY)",
        "shutil.copy(path, other)", "image.save_render(path)", "tempfile.mkstemp()",
        "bpy.ops.wm.save_as_mainfile(filepath=path)", "file = open(path, 'wb'); np.save(file, a)",
    ],
)  # fmt: skip
def test_writing_is_noticed(line):
    calls = [node for node in ast.walk(ast.parse(line)) if isinstance(node, ast.Call)]
    assert any(writes(call, {"memory"}) for call in calls)


def test_reading_and_memory_are_no_writing():
    for line in ("open(path)", "path.open('rb')", "np.savez(memory)", "ZipFile(memory, 'w')"):
        assert not writes(ast.parse(line).body[0].value, {"memory"})


# Blender itself writes blend files whole: beside, and then it renames them.
BLENDS = {"octree_addon/command_line/place.py": {"bpy.ops.wm.save_as_mainfile"}}


def test_one_file_writes_files():
    """All else has it write, and so is written whole or not at all."""
    found = {path: {*written(path)} for path in files("core") + files("octree_addon")}
    found = {path.as_posix(): lines for path, lines in found.items() if lines}
    blends = {path: {line.partition("(")[0] for line in found.pop(path)} for path in BLENDS}
    assert blends == BLENDS
    assert found.keys() == {"core/atomic_files.py"}, found


@pytest.mark.parametrize(("pattern", "rooms"), DOORS.values(), ids=DOORS)
def test_few_rooms_have_a_door_to_blender(pattern, rooms):
    found = {
        step(path.parts)
        for path in files("octree_addon")
        if re.search(pattern, (CHECKOUT / path).read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert found == rooms


PAGE = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_page_shows_all_rooms_in_their_order():
    shown = re.search(r"```\ncore/ (.*?)\noctree_addon/ (.*?)\n```", PAGE, re.DOTALL)
    for rooms, order in zip(shown.groups(), (CORE_ORDER, ADDON_ORDER), strict=True):
        names = re.sub(r"^.*:|/", "", rooms, flags=re.MULTILINE).split()
        assert names == order[:-1]  # all but `__init__`


def test_the_page_shows_the_doors():
    lines = re.findall(r"^\| (.+?) \| (`.+?`) \|", PAGE, re.MULTILINE)
    shown = {door: set(re.findall(r"`(\w+)/?`", rooms)) for door, rooms in lines}
    doors = {door: rooms for door, (_, rooms) in DOORS.items()}
    assert {door: shown.get(door) for door in doors} == doors


def test_no_module_is_named_after_a_public_function():
    """`import core.name as module` gives a module, never the function of that name."""
    names = {part for path in files("core") for part in (*path.parent.parts, path.stem)}
    assert not names & {*core.__all__}


def is_property(node):
    """Tell whether a node annotates a name with one of Blender's properties."""
    made = (
        node.annotation.func
        if isinstance(node, ast.AnnAssign) and isinstance(node.annotation, ast.Call)
        else None
    )
    return isinstance(made, ast.Name) and made.id.endswith("Property")


def test_options_are_declared_by_options():
    """A property that users set is made by `octree_addon/options/`, which types it as well."""
    found = {
        each.name
        for path in files("octree_addon")
        for each in ast.walk(tree_of(path))
        if isinstance(each, ast.ClassDef) and any(map(is_property, ast.walk(each)))
    }
    assert found <= BY_HAND, found - BY_HAND
