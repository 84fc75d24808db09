"""A scene that changes while it is looked at: it is looked at again silently, once."""

import ast
from contextlib import contextmanager
from pathlib import Path

import answering
import bpy
import pytest
from blender_scenes import camera, cube, select_only

from octree_ext import octree_addon
from octree_ext.octree_addon.answers.kept import active_result
from octree_ext.octree_addon.ui import ChangedMeanwhileError

FOLDER = Path(octree_addon.__file__).parent


@pytest.fixture
def scene(empty_scene):
    cubes = [cube(f"Cube {x}", 0.9, location=(2 * x - 1.2 * (x % 2), 0, 0)) for x in range(4)]
    empty_scene.camera = camera(location=(3, 0, 12))
    select_only(*cubes[:2])
    bpy.context.view_layer.objects.active = cubes[1]
    return empty_scene


@contextmanager
def overtaken(name, times):
    """Let the scene have changed at the end of the first steps of an operator, so many times."""
    cls = getattr(bpy.types, f"OCTREE_OT_{name}")
    steps, begun = cls.steps, []

    def changed(self, context):
        begun.append(1)
        result = yield from steps(self, context)
        if len(begun) <= times:
            raise ChangedMeanwhileError
        return result

    cls.steps = changed
    try:
        yield begun
    finally:
        cls.steps = steps


@pytest.mark.parametrize("kind", answering.EACH)
def test_each_question_is_asked_again_once_before_it_gives_up(scene, kind):
    *before, (name, options) = answering.EACH[kind]
    answering.press_all(before)
    with overtaken(name, 2) as begun, pytest.raises(RuntimeError, match="changed meanwhile"):
        getattr(bpy.ops.octree, name)(**options)
    assert len(begun) == 2
    with overtaken(name, 1) as begun:
        answering.press_all([(name, options)])
    assert len(begun) == 2
    assert active_result(scene).question == name


def test_there_is_one_way_to_say_so():
    """Whatever ends since the scene has changed says it by the error that is tried again."""
    said = [
        path.relative_to(FOLDER).as_posix()
        for path in sorted(FOLDER.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and "changed meanwhile: " in node.value
    ]
    assert said == ["ui/stepped.py"]
