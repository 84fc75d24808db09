"""The band belongs to the pair: other objects in the scene change no finding between two."""

import numpy as np
import pytest
from audit_scenes import ball, box, named, of_class, scene_of, sheet, turned
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from core import ContactTracker, SceneOctree, Triangles, audit, supports

CM = 0.01
FIELDS = ("classes", "measures", "lower", "upper", "places", "inner", "bands")


def moved(triangles, shift):
    return Triangles(triangles.vertices + shift, triangles.faces)


def chair():
    """Make a chair of six boxes, in one mesh."""
    legs = [box([x, y, 0], [x + 0.05, y + 0.05, 0.45]) for x in (0, 0.4) for y in (0, 0.4)]
    parts = [*legs, box([0, 0, 0.45], [0.45, 0.45, 0.5]), box([0, 0.4, 0.5], [0.45, 0.45, 1])]
    faces = [part.faces + 8 * number for number, part in enumerate(parts)]
    return Triangles(np.concatenate([each.vertices for each in parts]), np.concatenate(faces))


SKYDOMES = tuple(ball(radius, 6) for radius in (1e3, 5e3))
MOUNTAIN = ball(200.0, 6, center=(1e5, 0, 0))
# test_bystanders_change_no_finding_between_others also draws each bystander separately.
BYSTANDERS = {"none": (), "all": (*SKYDOMES, MOUNTAIN)}
beside = pytest.mark.parametrize("bystanders", BYSTANDERS.values(), ids=BYSTANDERS)


def between(found, ids):
    """Return all fields of the findings between some placements, with their segments."""
    some = np.isin(found.pairs, ids).all(axis=0)
    columns = [found.pairs[:, some], *(getattr(found, name)[some] for name in FIELDS)]
    numbers = np.flatnonzero(some)
    segments = [found.segments[found.segment_findings == number] for number in numbers]
    faces = [found.faces[:, found.face_findings == number] for number in numbers]
    return [each.tobytes() for each in (*columns, *segments, *faces)]


@beside
@pytest.mark.parametrize("band", [None, 1e-5])
def test_an_overlap_of_a_centimeter_stays_one(bystanders, band):
    scene = scene_of(
        box([0, 0, 0], [1, 1, 1]), box([1 - CM, 0.1, 0.1], [2, 0.9, 0.9]), *bystanders
    )
    found = audit(scene, band=band)
    assert named(found)[0, 1] == {"overlap"}
    (number,) = np.flatnonzero((found.pairs == [[0], [1]]).all(axis=0))
    assert found.lower[number] <= CM * (1 + 1e-6) and CM * (1 - 1e-6) <= found.upper[number]


@beside
@pytest.mark.parametrize("band", [None, 1e-5])
def test_two_chairs_8_mm_apart_are_no_duplicates(bystanders, band):
    scene = scene_of(chair(), moved(chair(), (0.008, 0, 0)), *bystanders)
    assert "duplicate" not in named(audit(scene, band=band))[0, 1]


@beside
def test_a_flat_book_and_a_thick_one_are_no_duplicates(bystanders):
    flat, thick = box([0, 0, 0], [0.2, 0.3, 0.01]), box([0, 0, 0], [0.2, 0.3, 0.04])
    scene = scene_of(flat, thick, flat, *bystanders)
    found = named(audit(scene))
    assert "duplicate" not in found[0, 1] | found[1, 2]
    assert found[0, 2] == {"duplicate"}


@pytest.mark.parametrize("band", [0.05, 0.5])
def test_two_shapes_are_no_duplicates_however_wide_the_band(band):
    flat, thick = box([0, 0, 0], [0.2, 0.3, 0.01]), box([0, 0, 0], [0.2, 0.3, 0.04])
    small, round_one = box([0, 0, 0], [0.02, 0.02, 0.02]), ball(0.01, 6, center=(0.01, 0.01, 0.01))
    for one, other in ((flat, thick), (small, round_one), (ball(1, 8), ball(1.01, 8))):
        for pair in ((one, other), (other, one)):
            assert "duplicate" not in named(audit(scene_of(*pair), band=band)).get((0, 1), set())


def test_one_shape_is_a_duplicate_as_far_as_the_band_reaches():
    for shift, wanted in ((0.008, True), (0.012, False)):
        scene = scene_of(chair(), moved(chair(), (shift, 0, 0)))
        found = audit(scene, band=0.01)
        assert ("duplicate" in named(found)[0, 1]) == wanted
    found = audit(scene_of(chair(), moved(chair(), (0.008, 0, 0))), band=0.01)
    assert found.upper[of_class(found, "duplicate")] == pytest.approx(0.008)


def test_a_part_of_a_surface_is_no_duplicate_of_the_whole():
    whole = chair()
    part = Triangles(whole.vertices, whole.faces[:-2])
    for pair in ((whole, part), (part, whole)):
        assert "duplicate" not in named(audit(scene_of(*pair), band=0.01)).get((0, 1), set())


def test_far_from_the_origin_copies_of_one_mesh_are_duplicates_and_other_meshes_are_not():
    flat, thick = box([0, 0, 0], [0.2, 0.3, 0.01]), box([0, 0, 0], [0.2, 0.3, 0.02])
    scene = SceneOctree()
    numbers = [scene.add_mesh(each) for each in (flat, flat, thick)]
    matrices = np.tile(np.eye(4), (3, 1, 1))
    matrices[:, 0, 3] = np.float32(1e5) + np.array([0, 1, 1]) * np.spacing(np.float32(1e5))
    scene.place(numbers, matrices)
    found = named(audit(scene, band=1e-5))
    assert found[0, 1] == {"duplicate"}
    assert "duplicate" not in found[0, 2] | found[1, 2]


def test_each_finding_tells_by_what_it_was_judged():
    near, far = box([0, 0, 0], [1, 1, 1]), box([1000, 0, 0], [1001, 1, 1])
    pairs = (near, moved(near, (1, 0, 0)), far, moved(far, (0, 1, 0)))
    unit = np.spacing(np.float32(1000))
    found = audit(scene_of(*pairs), band=1e-5)
    by_pair = dict(zip(map(tuple, found.pairs.T.tolist()), found.bands.tolist(), strict=True))
    assert by_pair == {(0, 1): 1e-5, (2, 3): pytest.approx(4 * unit)}
    assert (found.band, found.band_from) == (1e-5, "given")
    found = audit(scene_of(*pairs))
    assert (found.band, found.band_from) == (0.0, "coordinates")
    wanted = np.where(found.pairs[0] == 0, 4 * np.spacing(np.float32(2)), 4 * unit)
    assert found.bands.tolist() == wanted.tolist()


def test_the_stated_band_decides():
    meshes = (box([0, 0, 0], [1, 1, 1]), box([1.001, 0, 0], [2, 1, 1]))
    assert named(audit(scene_of(*meshes))) == {}
    found = audit(scene_of(*meshes), band=0.002)
    assert named(found) == {(0, 1): {"touching", "coplanar opposite-facing"}}
    assert set(found.bands.tolist()) == {0.002}


def test_what_coordinates_cannot_tell_apart_touches_and_is_said_to():
    """A gap of 4 mm between boxes 30 km from the origin is below the resolution of coordinates."""
    one, other = box([3e4, 0, 0], [3e4 + 1, 1, 1]), box([3e4 + 1.004, 0, 0], [3e4 + 2, 1, 1])
    found = audit(scene_of(one, other), band=1e-5)
    assert named(found) == {(0, 1): {"touching", "coplanar opposite-facing"}}
    assert (found.bands > found.band).all()


MESHES = (chair(), ball(0.5, 5), box([0, 0, 0], [1, 1, 1]), sheet([0, 0, 0], [1, 0, 0], [0, 1, 1]))


@examples(10)
@given(
    st.integers(0, 10_000),
    st.lists(st.sampled_from([*SKYDOMES, MOUNTAIN]), min_size=1, max_size=3),
    st.sampled_from([None, 1e-5, 0.01]),
)
def test_bystanders_change_no_finding_between_others(seed, bystanders, band):
    rng = np.random.default_rng(seed)
    scene = SceneOctree()
    numbers = np.array([scene.add_mesh(mesh) for mesh in MESHES])
    matrices = np.tile(np.eye(4), (10, 1, 1))
    matrices[:, :3, 3] = rng.integers(-4, 5, (10, 3)) / 4 + rng.choice([0, 1e-4, 8e-3], (10, 3))
    matrices[:2, :3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    ids = scene.place(rng.choice(numbers, 10), matrices)
    options = {"band": band, "clearance": 0.1, "self_intersections": True}
    alone = audit(scene, **options)
    tracked = ContactTracker(band=band).look(scene)
    held = supports(scene, alone, ids[:1]).contacts
    others = [scene.add_mesh(each) for each in bystanders]
    scene.place(others, np.tile(np.eye(4), (len(others), 1, 1)))
    beside = audit(scene, **options)
    assert between(alone, ids) == between(beside, ids)
    for before, after in (
        (tracked, ContactTracker(band=band).look(scene)),
        (held, supports(scene, beside, ids[:1]).contacts),
    ):
        assert before.tolist() == after[:, np.isin(after, ids).all(axis=0)].tolist()


@beside
def test_contacts_in_frames_are_those_of_audits(bystanders):
    rng = np.random.default_rng(5)
    scene = scene_of(*(turned(MESHES[n % 4], np.eye(3), rng.uniform(-2, 2, 3)) for n in range(30)))
    everyone = scene_of(*(scene.triangles_of([n]) for n in scene.ids), *bystanders)
    for band in (None, 1e-3):
        found = audit(everyone, band=band)
        held = supports(everyone, found, [0]).contacts
        assert ContactTracker(band=band).look(everyone).tolist() == held.tolist()
        kept = held[:, np.isin(held, scene.ids).all(axis=0)]
        assert kept.tolist() == supports(scene, audit(scene, band=band), [0]).contacts.tolist()


def test_far_bystanders_are_no_work_for_others():
    """Each box grows by its own resolution, so that a far mountain adds no candidate pairs."""
    scene, tracker = SceneOctree(), ContactTracker()
    mesh = scene.add_mesh(box([0, 0, 0], [1, 1, 1]))
    matrices = np.tile(np.eye(4), (1000, 1, 1))
    matrices[:, :3, 3] = np.indices((10, 10, 10)).reshape(3, -1).T * 1.01
    scene.place([mesh] * 1000, matrices)
    tracker.look(scene)
    scene.place([scene.add_mesh(MOUNTAIN)], [np.eye(4)])
    tracker.look(scene)
    assert tracker.tested.tolist() == [0, 0]
