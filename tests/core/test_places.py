"""The hash table of places: equal points are one, however and in which order they come."""

import numpy as np
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from core import Triangles, chunks
from core.clipping.places import Places


@examples(60)
@given(seed=st.integers(0, 2**32), count=st.integers(0, 60), most=st.sampled_from([1, 2, 9]))
def test_equal_points_are_one_place_and_others_are_not(seed, count, most):
    random = np.random.default_rng(seed)
    points = random.integers(-most, most + 1, (3, count)) * 0.5
    points[random.random(points.shape) < 0.1] = -0.0
    places, known = Places(points.copy()), {}
    for _ in range(6):
        if random.random() < 0.5:
            which = random.integers(0, max(count, 1), 12 if count else 0)
            found, asked = places.enter(which), points[:, which]
        else:
            asked = random.integers(-most, most + 1, (3, 12)) * 0.5
            found = places.number(asked)
        np.testing.assert_array_equal(places.rows[:, found], asked)
        for place, point in zip(found.tolist(), (asked + 0.0).T.tolist(), strict=True):
            assert known.setdefault(tuple(point), place) == place
    assert len(set(known.values())) == len(known)
    # Given points keep their numbers.
    np.testing.assert_array_equal(places.rows[:, :count], points)


def test_of_a_large_mesh_few_corners_are_entered(monkeypatch):
    entered = []
    enter = Places.enter

    def counted(self, points):
        entered.append(len(np.unique(points)))
        return enter(self, points)

    monkeypatch.setattr(Places, "enter", counted)
    side = 120
    x, y = np.meshgrid(*[np.linspace(0.01, 7.99, side)] * 2, indexing="ij")
    a = np.arange(side * side).reshape(side, -1)[:-1, :-1].ravel()
    faces = np.concatenate(([a, a + side, a + side + 1], [a, a + side + 1, a + 1]), axis=1).T
    vertices = np.stack((x, y, np.sin(x) * np.cos(y) + 0.5), axis=-1).reshape(-1, 3)
    made = chunks(Triangles(vertices, faces), budget=4000)
    assert len(made.counts) > 7
    assert 0 < sum(entered) < 0.2 * len(vertices)
