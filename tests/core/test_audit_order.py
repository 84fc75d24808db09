"""The order of placements and of meshes decides nothing: not a class, not a place, not a bit."""

import numpy as np
import pytest
from audit_scenes import CORNERS, FACES, ball, box, scene_of, sheet
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from core import FINDING_CLASSES, SceneOctree, Triangles, audit, audit_again

COLUMNS = ("classes", "measures", "lower", "upper", "bands")


def grid(count=2):
    """Make an open sheet of squares, each of two triangles."""
    steps = np.linspace(-1, 1, count + 1)
    corners = np.stack(np.meshgrid(steps, steps, [0.0], indexing="ij"), -1).reshape(-1, 3)
    first = (np.arange(count)[:, None] * (count + 1) + np.arange(count)).ravel()[:, None]
    row = count + 1
    faces = np.concatenate(
        [first + np.array(half) for half in ([0, row, row + 1], [0, row + 1, 1])]
    )
    return Triangles(corners, faces)


def bow():
    """Make a mesh that crosses itself."""
    one, other = sheet([-1, -1, 0], [2, 0, 0], [0, 2, 0]), sheet([0, -2, -1], [0, 4, 0], [0, 0, 2])
    return Triangles(
        np.concatenate((one.vertices, other.vertices)),
        np.concatenate((one.faces, other.faces + 4)),
    )


MESHES = (
    box([-1, -1, -1], [1, 1, 1]),
    Triangles(2 * CORNERS[::-1] - 1, 7 - FACES[::-1, ::-1]),  # the same box, told otherwise
    box([-0.25, -0.25, -0.25], [0.25, 0.25, 0.25]),
    ball(1.0, 4),
    grid(),
    sheet([-1, 0, -1], [2, 0, 0], [0, 0, 2]),
    bow(),
)


def drawn(rng, count=12):
    """Draw meshes and matrices: most in steps of a quarter, where equals are many; one twice."""
    meshes = rng.integers(len(MESHES), size=count)
    matrices = np.tile(np.eye(4), (count, 1, 1))
    matrices[:, :3, 3] = rng.integers(-6, 7, (count, 3)) / 4
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    matrices[: count // 4, :3, :3] = turn
    matrices[-3:, 0, 0] = -1
    meshes[-1], matrices[-1] = meshes[-2], matrices[-2]
    return meshes, matrices


def placed(meshes, matrices, order, mesh_order):
    """Add meshes in an order of their own, and place them in another."""
    scene, numbers = SceneOctree(), np.empty(len(MESHES), int)
    for number in mesh_order:
        numbers[number] = scene.add_mesh(MESHES[number])
    scene.place(numbers[meshes[order]], matrices[order])
    return scene


def told(found, names):
    """Return all fields of each finding, by class and names; the lesser name first."""
    answer = {}
    for number, pair in enumerate(found.pairs.T):
        side = 1 if names[pair[0]] > names[pair[1]] else 0
        one, other = names[pair[side]], names[pair[1 - side]]
        inner = found.inner[number]
        faces = found.faces[:, found.face_findings == number]
        answer[FINDING_CLASSES[found.classes[number]], int(one), int(other)] = (
            *(getattr(found, name)[number].tobytes() for name in COLUMNS),
            found.places[number].tobytes(),
            int(inner if inner < 0 else inner ^ side),
            tuple(np.roll(found.are_open[:, number], side).tolist()),
            found.segments[found.segment_findings == number].tobytes(),
            np.roll(faces, side, axis=0).tobytes(),
        )
    assert len(answer) == len(found)
    return answer


@examples(8)
@given(st.integers(0, 10_000), st.sampled_from([None, 1e-5, 0.01]))
def test_whatever_the_order_all_findings_are_the_same(seed, band):
    rng = np.random.default_rng(seed)
    meshes, matrices = drawn(rng)
    options = {"clearance": 0.3, "band": band, "self_intersections": True}
    as_is, straight = np.arange(len(meshes)), np.arange(len(MESHES))
    one = audit(placed(meshes, matrices, as_is, straight), **options)
    order = rng.permutation(as_is)
    other = audit(placed(meshes, matrices, order, rng.permutation(straight)), **options)
    assert told(one, as_is) == told(other, order)


def test_each_class_is_among_what_the_law_is_about():
    rng = np.random.default_rng(3)
    seen = np.zeros(len(FINDING_CLASSES), bool)
    for _ in range(8):
        meshes, matrices = drawn(rng)
        scene = placed(meshes, matrices, np.arange(12), np.arange(len(MESHES)))
        seen[audit(scene, clearance=0.3, self_intersections=True).classes] = True
    assert seen.all()


@pytest.mark.parametrize("seed", range(3))
def test_what_is_audited_again_is_told_the_same(seed):
    rng = np.random.default_rng(seed)
    meshes, matrices = drawn(rng)
    scene = placed(meshes, matrices, np.arange(12), np.arange(len(MESHES)))
    whole = audit(scene, clearance=0.3, self_intersections=True)
    scene.move([4, 7], matrices[[7, 4]])
    before = audit(scene, clearance=0.3, self_intersections=True)
    scene.move([4, 7], matrices[[4, 7]])
    again = audit_again(scene, before, [4, 7])
    assert told(again, np.arange(12)) == told(whole, np.arange(12))


def test_equal_boxes_of_unlike_meshes_are_told_apart_by_what_they_are():
    """Boxes and matrices are equal: only the meshes decide which of the two comes first."""
    one, other = MESHES[0], Triangles(MESHES[0].vertices, np.roll(MESHES[0].faces, 5, axis=0))
    sheets = grid(), Triangles(grid().vertices, np.roll(grid().faces, 3, axis=0)[:, [1, 2, 0]])
    for pair in ((one, other), sheets):
        found = [audit(scene_of(*each)) for each in (pair, pair[::-1])]
        assert told(found[0], np.array([0, 1])) == told(found[1], np.array([1, 0]))
