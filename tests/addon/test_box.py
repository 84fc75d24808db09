"""What is in a box, that of an object or one around the 3D cursor: against cutting triangles."""

import bpy
import numpy as np
import pytest
from blender_scenes import (
    collection_instance,
    cube,
    lamp,
    link,
    mesh_object,
    monkey,
    scatter,
    select_only,
    selected,
    text,
    world_triangles,
)
from brute_force import check_last_answer
from camera_oracle import inside, touches
from mathutils import Matrix
from paper import drawn

from octree_ext.octree_addon import questions, trees

SQUARE = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]
# Turned, mirrored, sheared, sheared and mirrored, thin.
MATRICES = [
    Matrix.LocRotScale((0.5, -0.25, 1), Matrix.Rotation(0.7, 3, (1, 2, 3)), (2, 1, 3)),
    Matrix.LocRotScale((1, 0, 0), Matrix.Rotation(2.0, 3, (0, 1, 1)), (-1, 2, 2)),
    Matrix(((1, 1.5, 0, 0), (0, 2, -0.75, 0.5), (0.25, 0, 1, -1), (0, 0, 0, 1))),
    Matrix(((-2, 0.5, 0, 1), (0, 1, 2, 0), (1, 0, 3, 0), (0, 0, 0, 1))),
    Matrix.LocRotScale((2, 2, -1), Matrix.Rotation(1.0, 3, (1, 0, 0)), (1, 2, 0.125)),
]


@pytest.fixture
def crowd():
    """Objects of many kinds about the origin, with instances, and a tree of their triangles."""
    random = np.random.default_rng(3)

    def anywhere():
        place, turn = random.uniform(-4, 4, 3), random.uniform(-3, 3, 3)
        return {"location": place, "rotation_euler": turn}

    monkey(0, **anywhere())
    text("Words", **anywhere())
    scatter(cube("Pebble", size=0.3, **anywhere()), cube("Points", size=3, **anywhere()))
    collection_instance([cube("In")], scale=(-1, 2, 1), **anywhere())
    for number in range(40):
        cube(f"Cube {number}", size=random.uniform(0.1, 1.0), **anywhere())
    bpy.context.view_layer.update()


def build(*others, **options):
    bpy.context.view_layer.update()
    select_only(*bpy.context.view_layer.objects)
    bpy.ops.octree.build(**options)
    select_only(*others)


def activate(item):
    bpy.context.view_layer.objects.active = item
    bpy.context.view_layer.update()


def ask(**options):
    assert bpy.ops.octree.select_in_box("EXEC_DEFAULT", True, **options) == {"FINISHED"}
    return questions.get(bpy.context.scene)


def place(item, matrix):
    """Give an object a world matrix that its own channels may not be able to say."""
    item.parent = link(bpy.data.objects.new("Parent", None))
    item.matrix_parent_inverse = matrix
    bpy.context.view_layer.update()
    np.testing.assert_allclose(item.matrix_world, matrix, atol=1e-6)


def planes_of(lower, upper, matrix):
    """Six inward planes of a box that a matrix has placed."""
    to_local = np.linalg.inv(np.array(matrix, np.float64))
    upward = np.hstack((np.eye(3), -np.array(lower, np.float64)[:, None]))
    downward = np.hstack((-np.eye(3), np.array(upper, np.float64)[:, None]))
    return np.vstack((upward, downward)) @ to_local


def expected(planes, without=""):
    """Cut every triangle; return the names that are touched, and those wholly inside."""
    shown = {name: tris for name, tris in world_triangles().items() if name != without}
    touched = {name for name, tris in shown.items() if any(touches(planes, t) for t in tris)}
    return touched, {name for name, tris in shown.items() if all(inside(planes, t) for t in tris)}


@pytest.mark.parametrize("matrix", MATRICES)
def test_box_of_an_object_agrees_with_cutting_every_triangle(crowd, matrix):
    box = cube("Box", size=2.0)
    place(box, matrix)
    build(capacity=8)
    activate(box)
    planes = planes_of([-1] * 3, [1] * 3, box.matrix_world)
    touched, within = expected(planes, without="Box")
    for relation, wanted in (("TOUCHING", touched), ("INSIDE", within)):
        ask(relation=relation)
        assert selected() == wanted
        check_last_answer()
    assert touched


def test_box_around_the_cursor_agrees_with_cutting_every_triangle(crowd):
    build(capacity=8, straddlers="KEEP", loose_factor=1.5)
    several = 0
    for center, size in zip(
        np.random.default_rng(8).uniform(-4, 4, (10, 3)).astype(np.float32),
        np.random.default_rng(9).uniform(1, 8, (10, 3)).astype(np.float32),
        strict=True,
    ):
        touched, within = expected(planes_of(center - size / 2, center + size / 2, np.eye(4)))
        several += bool(within) and touched != within
        for relation, wanted in (("TOUCHING", touched), ("INSIDE", within)):
            ask(around="CURSOR", center=center, size=size, relation=relation)
            assert selected() == wanted
    assert several >= 3


@pytest.fixture
def row():
    """Build a tree of five cubes along x, one unit wide, two apart."""
    cubes = [cube(f"Cube {x}", location=(2 * x, 0, 0)) for x in range(5)]
    build(*cubes[:1], capacity=4)
    return cubes


def test_the_object_that_gives_the_box_is_not_found(row):
    activate(row[1])
    row[1].scale = (4, 1, 1)
    bpy.ops.octree.rebuild()
    query = ask()
    assert selected() == {"Cube 0", "Cube 2"}
    assert not query.missed[12:24].any()
    check_last_answer()


def test_touching_the_box_is_enough_and_inside_is_wholly(row):
    ask(around="CURSOR", center=(1, 0, 0), size=(1, 9, 9))
    assert selected() == {"Cube 0", "Cube 1"}
    ask(around="CURSOR", center=(1, 0, 0), size=(0.9375, 9, 9))
    assert selected() == set()
    ask(around="CURSOR", center=(1, 0, 0), size=(3, 1, 1), relation="INSIDE")
    assert selected() == {"Cube 0", "Cube 1"}
    ask(around="CURSOR", center=(1, 0, 0), size=(2.9375, 1, 1), relation="INSIDE")
    assert selected() == set()


@pytest.mark.parametrize(
    ("size", "found"),
    [
        ((0, 9, 9), {"Cube 1"}),
        ((4, 0, 9), {"Cube 0", "Cube 1", "Cube 2"}),
        ((4, 0, 0), {"Cube 0", "Cube 1", "Cube 2"}),
        ((0, 0, 0), set()),
    ],
)
def test_flat_boxes_are_boxes(row, size, found):
    ask(around="CURSOR", center=(2, 0.125, 0.25), size=size)
    assert selected() == found
    check_last_answer()
    ask(around="CURSOR", center=(2.5, 0, 0), size=(0, 1, 1), relation="INSIDE")
    assert len(questions.get(bpy.context.scene).items) == 2  # the triangles of one side


@pytest.mark.parametrize("scale", [(3, 1, 1), (3, 1, 0), (3, 0, 0)])
def test_a_flat_object_gives_a_flat_box(row, scale):
    plane = mesh_object("Plane", SQUARE, [(0, 1, 2, 3)], location=(2, 0, 0.5), scale=scale)
    plane.rotation_euler.x = 0.25
    activate(plane)
    ask()
    assert selected() == {"Cube 0", "Cube 1", "Cube 2"}
    plane.location.z = 0.75
    plane.rotation_euler.x = 0.0
    activate(plane)
    ask()
    assert selected() == set()


def test_what_has_no_box_is_refused(row):
    light = lamp()
    with pytest.raises(RuntimeError, match="has no bounding box"):
        ask(object=light.name)
    row[2].location.x = float("nan")
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match="Cube 2 has no bounding box"):
        ask(object="Cube 2")
    with pytest.raises(RuntimeError, match="no object named Nobody"):
        ask(object="Nobody")
    bpy.context.view_layer.objects.active = None
    with pytest.raises(RuntimeError, match="There is no active object"):
        ask()
    assert questions.get(bpy.context.scene) is None


def test_an_empty_gives_a_box_as_large_as_it_is_drawn(row):
    empty = link(bpy.data.objects.new("Empty", None), location=(4, 0, 0))
    empty.empty_display_size = 1.5
    bpy.context.view_layer.update()
    ask(object="Empty")
    assert selected() == {"Cube 1", "Cube 2", "Cube 3"}


def test_its_outline_is_the_box(row):
    row[1].matrix_world = MATRICES[0]
    activate(row[1])
    corners = np.array([row[1].matrix_world @ v.co for v in row[1].data.vertices])
    outline = ask().outline
    near = np.linalg.norm(outline.points[:, None] - corners, axis=2).min(axis=1)
    np.testing.assert_allclose(near, 0, atol=1e-6)
    assert outline.edges.shape == (12, 2)
    assert bpy.ops.octree.show_cells() == {"FINISHED"}
    octree = trees.get(bpy.context.scene).octree
    states = questions.get(bpy.context.scene).states_in(octree)
    assert set(states.tolist()) <= {0, 1, 2, 3}


def test_settings_are_remembered_and_shown(row):
    ask(around="CURSOR", size=(1, 2, 3), relation="INSIDE")
    box = bpy.context.scene.octree.box
    assert (box.around, box.size[:], box.relation) == ("CURSOR", (1, 2, 3), "INSIDE")
    bpy.context.scene.octree.tab.near = "box"
    lines = drawn(bpy.types.OCTREE_PT_cursor)
    assert {"around", "size"} <= lines.keys()
    assert not {"object", "center"} & lines.keys()
    query = ask()
    box.around = "ACTIVE"
    assert "size" not in drawn(bpy.types.OCTREE_PT_cursor)
    assert query.relation == "inside"
    np.testing.assert_array_equal(np.ptp(query.volume.corners[0], axis=0), (1, 2, 3))
