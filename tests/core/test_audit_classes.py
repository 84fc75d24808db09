"""Classes of a clash audit: each known pair gets the right class and the right measure."""

import audit_scenes as scenes
import numpy as np
import pytest
from audit_scenes import box, named, of_class, scene_of, sheet
from pair_oracle import hulls_near

from core import FINDING_CLASSES, FINDING_MEASURES, SceneOctree, Triangles, audit

CM = 0.01


def one_finding(found, name):
    """Return the lower and upper bound of the only finding of a class, and what they measure."""
    (number,) = of_class(found, name)
    return found.lower[number], found.upper[number], FINDING_MEASURES[found.measures[number]]


def test_nothing_is_found_where_nothing_is():
    for scene in (SceneOctree(), scene_of(box([0, 0, 0], [1, 1, 1]))):
        found = audit(scene, clearance=1.0, self_intersections=True)
        assert len(found) == 0
        assert found.pairs.shape == found.faces.shape == (2, 0)
        assert found.places.shape == (0, 3) and found.segments.shape == (0, 2, 3)


# Pairs far away from each other: meshes of both, and the classes that are right.
KNOWN = {
    "deep": ((box([0, 0, 0], [1, 1, 1]), box([0.5, 0.4, 0.3], [2, 2, 2])), {"overlap"}),
    "pierced, no corner inside": (
        (box([-2, 0.1, 0.1], [3, 0.3, 0.35]), box([0, 0, 0], [1, 1, 1])),
        {"overlap"},
    ),
    "face to face": (
        (box([0, 0, 0], [1, 1, 1]), box([1, 0.2, 0.2], [2, 0.8, 0.7])),
        {"touching", "coplanar opposite-facing"},
    ),
    "corner to face": ((box([0, 0, 0], [1, 1, 1]), box([1, 1, 1], [2, 2, 2])), {"touching"}),
    "a gap of 10 mm": ((box([0, 0, 0], [1, 1, 1]), box([1.01, 0, 0], [2, 1, 1])), {"near"}),
    "a gap of 40 mm": ((box([0, 0, 0], [1, 1, 1]), box([1.04, 0, 0], [2, 1, 1])), set()),
    "inside": ((box([0, 0, 0], [1, 1, 1]), box([0.3, 0.4, 0.3], [0.6, 0.6, 0.5])), {"contained"}),
    "other order": (
        (box([0, 0, 0], [1, 1, 1]), Triangles(scenes.CORNERS[::-1], 7 - scenes.FACES[::-1, ::-1])),
        {"duplicate"},
    ),
    "4 square cm, opposite": (
        (box([0, 0, 0], [1, 1, 1]), box([0.98, 0.98, 1], [2, 2, 2])),
        {"touching", "coplanar opposite-facing"},
    ),
    "4 square cm, the same way": (
        (sheet([0, 0, 0], [1, 0, 0], [0, 1, 0]), sheet([0.98, 0.98, 0], [1, 0, 0], [0, 1, 0])),
        {"touching", "coplanar same-facing"},
    ),
    "open sheets that cross": (
        (sheet([0, 0, 0], [1, 0, 0], [0, 1, 0]), sheet([0.2, 0.5, -1], [0.5, 0, 0], [0, 0, 2])),
        {"overlap"},
    ),
}  # fmt: skip


def known_scene():
    """Return a scene of all known pairs and many objects apart, and the placements of each."""
    rng = np.random.default_rng(7)
    scene, where = SceneOctree(), {}
    for number, (name, (meshes, _)) in enumerate(KNOWN.items()):
        matrices = np.tile(np.eye(4), (2, 1, 1))
        matrices[:, :3, 3] = (10 * number, 0, 0)
        numbers = [scene.add_mesh(mesh) for mesh in meshes]
        where[name] = tuple(scene.place(numbers, matrices).tolist())
    shared = scene.add_mesh(scenes.ball())
    matrices = np.tile(np.eye(4), (2, 1, 1))
    matrices[:, :3, 3] = (0, 10, 0)
    where["the same mesh"] = tuple(scene.place([shared, shared], matrices).tolist())
    away = scene.add_mesh(box([8, 8, 8], [9, 9, 9]))
    here = scene.add_mesh(box([0, 0, 0], [1, 1, 1]))
    matrices[:, :3, 3] = (0, -20, 0), (-8, -28, -8)
    where["other origin"] = tuple(scene.place([here, away], matrices).tolist())
    matrices[1, :3, 3] = (0.5, 10, 10)
    matrices[0, :3, 3] = (0, 10, 10)
    where["parent and child"] = tuple(scene.place([shared, shared], matrices).tolist())
    others = np.tile(np.eye(4), (150, 1, 1))
    others[:, :3, 3] = np.indices((6, 5, 5)).reshape(3, -1).T * 4 + (0, 20, 20)
    others[:, :3, 3] += rng.uniform(-0.9, 0.9, (150, 3))
    scene.place(np.full(150, shared), others)
    return scene, where


def test_each_known_pair_is_what_it_is_among_many():
    scene, where = known_scene()
    owners = np.arange(len(scene))
    parent, child = where["parent and child"]
    owners[child] = owners[parent]
    found = audit(scene, clearance=0.03, owners=owners)
    wanted = {where[name]: classes for name, (_, classes) in KNOWN.items() if classes}
    wanted[where["the same mesh"]] = wanted[where["other origin"]] = {"duplicate"}
    assert named(found) == wanted
    assert named(audit(scene, clearance=0.03))[parent, child] == {"overlap"}
    assert named(audit(scene, clearance=0.03, skipped=[[child], [parent]])) == wanted


def add_crowd(scene, count=3000):
    """Place tetrahedra anywhere: mirrored, unevenly scaled, flat, instanced; in whole numbers."""
    rng = np.random.default_rng(11)
    faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
    meshes = [Triangles(rng.integers(0, 7, (4, 3)), faces) for _ in range(40)]
    numbers = np.array([scene.add_mesh(mesh) for mesh in meshes])
    matrices = np.tile(np.eye(4), (count, 1, 1))
    scales = rng.choice([-2, -1, 0, 1, 1, 1, 2, 3], (count, 3))
    matrices[:, np.arange(3), np.arange(3)] = scales
    matrices[:, :3, 3] = rng.integers((0, 200, 0), (110, 310, 110), (count, 3))
    return scene.place(numbers[rng.integers(0, 40, count)], matrices)


def touching_by_brute_force(scene, ids):
    """Return the pairs of placements with touching triangles, in exact integers."""
    triangles = scene.triangles_of(ids)
    corners = triangles.vertices[triangles.faces].round().astype(np.int64).reshape(-1, 4, 3, 3)
    lower, upper = corners.min(axis=(1, 2)), corners.max(axis=(1, 2))
    met = np.ones((len(ids), len(ids)), bool)
    for axis in range(3):
        met &= lower[:, None, axis] <= upper[:, axis]
        met &= upper[:, None, axis] >= lower[:, axis]
    ones, others = np.triu(met, 1).nonzero()
    here, there = corners[ones][:, :, None], corners[others][:, None]
    here, there = np.broadcast_arrays(here, there)
    flags = hulls_near(here, there, np.zeros(here.shape[:3], np.int64)).any(axis=(1, 2))
    return set(zip(ids[ones[flags]].tolist(), ids[others[flags]].tolist(), strict=True))


def test_contacts_among_thousands_are_those_of_all_pairs_of_triangles():
    scene, where = known_scene()
    crowd = add_crowd(scene)
    owners = np.arange(len(scene))
    parent, child = where["parent and child"]
    owners[child] = owners[parent]
    found = named(audit(scene, clearance=0.03, owners=owners))
    in_crowd = {pair: classes for pair, classes in found.items() if pair[0] >= crowd[0]}
    contacts = {pair for pair, classes in in_crowd.items() if classes - {"near", "contained"}}
    assert contacts == touching_by_brute_force(scene, crowd)
    assert len(contacts) > 300 and any("overlap" in each for each in in_crowd.values())
    wanted = {where[name]: classes for name, (_, classes) in KNOWN.items() if classes}
    wanted[where["the same mesh"]] = wanted[where["other origin"]] = {"duplicate"}
    assert {pair: each for pair, each in found.items() if pair not in in_crowd} == wanted


def test_only_pairs_of_both_sides_count():
    scene, where = known_scene()
    one, other = where["deep"]
    everyone = named(audit(scene))
    assert (one, other) in everyone and len(everyone) > 5
    assert set(named(audit(scene, ones=[other], others=scene.ids))) == {(one, other)}
    assert set(named(audit(scene, ones=[one], others=[one]))) == set()
    assert set(named(audit(scene, ones=[one, other]))) == {(one, other)}


def test_a_clearance_is_as_large_as_squares_allow():
    scene = scene_of(*(box([at, 0, 0], [at + 1, 1, 1]) for at in (0, 2, 4)))
    assert len(audit(scene, clearance=1e150)) == len(audit(scene, clearance=100)) == 3
    with pytest.raises(ValueError, match="clearance must be a number from 0 to 1e"):
        audit(scene, clearance=1.01e150)


def test_areas_gaps_and_lines_are_told():
    for name, area in (("4 square cm, opposite", 4.0), ("4 square cm, the same way", 4.0)):
        meshes, classes = KNOWN[name]
        (shared,) = (each for each in classes if each != "touching")
        low, high, measure = one_finding(audit(scene_of(*meshes)), shared)
        assert measure == "area"
        assert low == high == pytest.approx(area * CM**2)
    found = audit(scene_of(*KNOWN["a gap of 10 mm"][0]), clearance=0.03)
    low, high, measure = one_finding(found, "near")
    assert (low, high, measure) == (pytest.approx(0.01), pytest.approx(0.01), "distance")
    assert found.places[0, 0] == pytest.approx(1.005)
    found = audit(scene_of(*KNOWN["open sheets that cross"][0]))
    low, high, measure = one_finding(found, "overlap")
    assert (low, high, measure) == (pytest.approx(0.5), pytest.approx(0.5), "length")
    assert found.are_open.all()
    ends = found.segments.reshape(-1, 3)
    assert ends[:, 0].min() == pytest.approx(0.2) and ends[:, 0].max() == pytest.approx(0.7)
    assert np.allclose(ends[:, 1:], [0.5, 0])


def test_which_one_is_contained():
    outer, inner = KNOWN["inside"][0]
    for meshes, wanted in (((outer, inner), 1), ((inner, outer), 0)):
        found = audit(scene_of(*meshes))
        assert found.inner.tolist() == [wanted]


def test_a_part_inside_is_an_overlap():
    loose = Triangles(
        np.concatenate((scenes.CORNERS * 0.2 + 0.4, scenes.CORNERS + 5)),
        np.concatenate((scenes.FACES, scenes.FACES + 8)),
    )
    found = audit(scene_of(box([0, 0, 0], [1, 1, 1]), loose))
    assert named(found) == {(0, 1): {"overlap"}}
    low, high, _ = one_finding(found, "overlap")
    assert low <= 0.4 + 1e-9 and 0.4 <= high + 1e-9


def test_surfaces_that_cross_themselves_are_told_if_asked():
    floor, blade = (
        [[0, 0, 0], [1, 0, 0], [0, 1, 0]],
        [[0.2, 0.2, -1], [0.3, 0.2, -1], [0.2, 0.2, 1]],
    )
    crossed = Triangles(floor + blade, [[0, 1, 2], [3, 4, 5]])
    scene = scene_of(crossed, turned_box())
    assert named(audit(scene)) == {}
    found = audit(scene, self_intersections=True)
    assert named(found) == {(0, 0): {"self-intersection"}}
    assert found.lower[0] == pytest.approx(0.05)
    assert found.faces.tolist() == [[0], [1]]


def turned_box():
    """Return a box of separate triangles far away: its corners touch, and nothing crosses."""
    corners = (scenes.CORNERS + 9)[scenes.FACES].reshape(-1, 3)
    return Triangles(corners, np.arange(36).reshape(-1, 3))


def test_a_box_of_separate_triangles_is_closed():
    inner = box([9.2, 9.2, 9.2], [9.6, 9.6, 9.6])
    assert named(audit(scene_of(turned_box(), inner))) == {(0, 1): {"contained"}}
    holed = Triangles(turned_box().vertices, turned_box().faces[1:])
    found = audit(scene_of(holed, inner), clearance=0.3)
    assert named(found) == {(0, 1): {"near"}}
    assert found.are_open.tolist() == [[True], [False]]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"clearance": -1}, "clearance"), ({"band": -1}, "band"), ({"band": np.nan}, "band"),
        ({"owners": [0]}, "owners"), ({"ones": [5]}, "ones"), ({"skipped": [0, 1]}, "skipped"),
        ({"groups": -1}, "groups"),
    ],
)  # fmt: skip
def test_bad_questions_are_errors(options, words):
    scene = scene_of(box([0, 0, 0], [1, 1, 1]), box([0, 0, 0], [1, 1, 1]))
    with pytest.raises(ValueError, match=words):
        audit(scene, **options)


def test_classes_have_names():
    assert len(FINDING_CLASSES) == len(set(FINDING_CLASSES)) == 8
