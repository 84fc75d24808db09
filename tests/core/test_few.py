"""Few questions take a short way: in any spelling they have the answers and errors of a batch."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from core_scenes import loose_triangles
from grouped import ALL
from kernel_worlds import packing
from numpy.testing import assert_array_equal
from support.kernels import needs_kernel

from core import (
    Boxes,
    Capsules,
    DynamicOctree,
    Frusta,
    OrientedBoxes,
    Regions,
    SceneOctree,
    Spheres,
    build_octree,
    nearest,
    query,
    query_any,
    query_count,
    ray_cast,
    ray_cast_all,
    ray_test,
)
from core.compiled import Few

COUNT = 12
random = np.random.default_rng(5)
MESH = loose_triangles(random.uniform(-1, 1, (300, 1, 3)) + random.normal(0, 0.2, (300, 3, 3)))
STARTS, WAYS = random.uniform(-2, 2, (COUNT, 3)), random.uniform(-1, 1, (COUNT, 3))
WAYS[0] = -STARTS[0]
ENDS = random.uniform(0.5, 4, COUNT)


def scene(masks=None):
    """Place the mesh twice, once turned and mirrored."""
    made, turned = SceneOctree(), np.diag([-1.0, 0.5, 2, 1])
    turned[:3, 3] = 1.5, 0, 0
    made.place([made.add_mesh(MESH)] * 2, [np.eye(4), turned], groups=masks)
    return made


def changing(groups=None):
    tree = DynamicOctree()
    tree.insert(Boxes(STARTS - 0.5, STARTS + 0.5), groups=groups)
    return tree.octree


INDEXES = {
    "tree": lambda: build_octree(MESH),
    "boxes": lambda: build_octree(Boxes(STARTS - 0.5, STARTS + 0.5)),
    "changing": changing,
    "changing with groups": lambda: changing(np.arange(COUNT) % 3 + 1),
    "scene": scene,
    "scene with groups": lambda: scene([1, 2]),
    "empty scene": SceneOctree,
}
VOLUMES = {
    "spheres": Spheres(STARTS, np.full(COUNT, 0.7)),
    "boxes": Boxes(STARTS - 0.6, STARTS + 0.3),
    "regions": Regions(STARTS - 0.6, STARTS + 0.3, np.full(COUNT, 0.1)),
    "oriented": OrientedBoxes(STARTS, np.full((COUNT, 3), 0.5), np.tile(np.eye(3), (COUNT, 1, 1))),
    "capsules": Capsules(STARTS, WAYS, np.full(COUNT, 0.2)),
    "frusta": Frusta.from_matrices([np.diag([2, 2, -0.5, 1.0])] * COUNT),
}
# How points and directions are spelled, and other options of rays and points.
SPELLINGS = {
    "as they are": lambda rows: rows,
    "lists": lambda rows: rows.tolist(),
    "tuples": lambda rows: tuple(map(tuple, rows.tolist())),
    "float32": lambda rows: rows.astype(np.float32),
    "by columns": np.asfortranarray,
    "every other": lambda rows: np.repeat(rows, 2, axis=0)[::2],
    "other bytes": lambda rows: rows.astype(">f8"),
    "whole": lambda rows: np.round(rows * 2 + 0.5).astype(int),
    "fractions": lambda rows: [[Fraction(each) for each in row] for row in rows.tolist()],
    "masked": lambda rows: np.ma.masked_array(rows, rows > 9),
    "not finite": lambda rows: np.where(rows > 0.5, np.nan, rows),
    "flat": lambda rows: rows[:, :2],
    "one": lambda rows: rows[0],
    "none": lambda rows: rows[:0],
    "text": lambda rows: [["a", "b", "c"]],
}
LIMITS = {
    "inf": np.inf, "float": 1.5, "int": 2, "numpy": np.float64(1.5), "float32": np.float32(1.5),
    "fraction": Fraction(3, 2), "zero": 0.0, "negative": -1.0, "no number": np.nan, "text": "far",
    "each": ENDS, "list": ENDS.tolist(), "too many": np.ones(99), "one in a list": [1.5],
}  # fmt: skip
THREADS = {"one": 1, "two": 2, "numpy": np.int64(1), "none of them": 0, "float": 1.0}
GROUPS = {"first": 1, "numpy": np.uint32(ALL), "nobody": 0, "wrong": -1, "too large": 2**40}
COUNTS = {"two": 2, "numpy": np.int64(3), "many": 400, "none": 0, "float": 2.0}
RAYS = ray_cast, ray_test, ray_cast_all
OPTIONS = [
    {},
    *({"max_distance": each} for each in LIMITS.values()),
    *({"threads": each} for each in THREADS.values()),
    *({"groups": each} for each in GROUPS.values()),
    {"threads": 1, "max_distance": 2, "groups": 3},
]


def outcome(ask):
    """Return the result of a query, or its error."""
    try:
        return ask()
    except Exception as error:
        return type(error), str(error)


def assert_same(one, other, told):
    """Require the same values of the same types and shapes, in all fields."""
    assert type(one) is type(other), told
    if isinstance(one, tuple) or one is None:
        assert one == other, told
        return
    if not isinstance(one, np.ndarray):
        for name, field in vars(one).items():
            assert_same(field, getattr(other, name), f"{told}: {name}")
        return
    assert (one.dtype, one.shape) == (other.dtype, other.shape), told
    assert_array_equal(one, other, err_msg=told)


def questions(some):
    """Yield names and questions about an index: some of the rays, points and volumes."""
    starts, ways, ends = STARTS[some], WAYS[some], ENDS[some]
    for name, spell in SPELLINGS.items():
        for ask in RAYS:
            yield f"{ask.__name__} {name}", lambda x, a=ask, s=spell: a(x, s(starts), s(ways))
            yield f"{ask.__name__} {name} ways", lambda x, a=ask, s=spell: a(x, starts, s(ways))
        yield f"nearest {name}", lambda x, s=spell: nearest(x, s(starts))
    for options in OPTIONS:
        given = dict(options)
        if isinstance(given.get("max_distance"), np.ndarray) and len(ends) < COUNT:
            given["max_distance"] = given["max_distance"][some]
        for ask in RAYS:
            yield f"{ask.__name__} {given}", lambda x, a=ask, g=given: a(x, starts, ways, **g)
        yield f"nearest {given}", lambda x, g=given: nearest(x, starts, **g)
        if "max_distance" not in given:
            yield from of_volumes(some, given)
    for count in COUNTS.values():
        for most in (np.inf, 1):
            given = {"count": count, "max_distance": most}
            yield f"nearest {given}", lambda x, g=given: nearest(x, starts, **g)


def of_volumes(some, given):
    for kind, volumes in VOLUMES.items():
        asked = volumes[some]
        for ask in (query_any, query_count):
            yield f"{ask.__name__} {kind} {given}", lambda x, a=ask, v=asked: a(x, v, **given)
        for relation in ("touching", "inside", "candidates", "beside"):
            yield (
                f"query {kind} {relation} {given}",
                lambda x, v=asked, r=relation: query(x, v, relation=r, **given),
            )


@pytest.mark.parametrize("some", [np.arange(1), np.arange(COUNT)], ids=["one", "several"])
@pytest.mark.parametrize("name", INDEXES)
def test_in_any_spelling_answers_and_errors_are_those_of_a_batch(name, some):
    index = INDEXES[name]()
    short = [(told, outcome(lambda a=ask: a(index))) for told, ask in questions(some)]
    with packing(True):  # at once, and nothing alone
        for (told, here), (_, ask) in zip(short, questions(some), strict=True):
            assert_same(here, outcome(lambda a=ask: a(index)), f"{name}: {told}")


PLAIN = {
    "rays": [
        lambda x, s=spell, a=ask: a(x, s(STARTS[:1]), s(WAYS[:1]))
        for spell in [*SPELLINGS.values()][:8]
        for ask in RAYS
    ],
    "ends": [
        lambda x, m=most: ray_cast(x, STARTS[:1], WAYS[:1], max_distance=m, threads=1)
        for most in (2, 1.5, np.float32(1), [1.5])
    ],
    "points": [
        lambda x, s=spell, c=count: nearest(x, s(STARTS[:1]), count=c, max_distance=3, threads=1)
        for spell in [*SPELLINGS.values()][:8]
        for count in (1, 2)
    ],
    "volumes": [
        lambda x, a=ask, v=volumes, t=threads: a(x, v[:1], threads=t)
        for ask in (query, query_any, query_count)
        for volumes in [*VOLUMES.values()][:5]
        for threads in (None, 1)
    ],
}


@needs_kernel
@pytest.mark.parametrize("name", ["tree", "scene"])
@pytest.mark.parametrize("kind", PLAIN)
def test_one_question_takes_the_short_way_however_it_is_spelled(name, kind, monkeypatch):
    index, taken = INDEXES[name](), Counter()
    for ask in PLAIN[kind]:
        ask(index)  # which packs what it reaches

    def counted(real):
        def ask(*given, **options):
            found = real(*given, **options)
            taken["short"] += found is not None
            return found

        return ask

    for method in ("cast", "cast_all", "nearest", "touched"):
        monkeypatch.setattr(Few, method, counted(getattr(Few, method)))
    for ask in PLAIN[kind]:
        ask(index)
    assert taken["short"] >= len(PLAIN[kind])


@needs_kernel
def test_the_short_way_has_room_for_trees_that_are_packed_later():
    index, deep = (
        SceneOctree(),
        loose_triangles(np.tile(MESH.vertices.reshape(-1, 3, 3), (9, 1, 1))),
    )
    for mesh, aside in ((loose_triangles(np.eye(3)[None]), 0), (deep, 50)):
        matrix = np.eye(4)
        matrix[0, 3] = aside
        index.place([index.add_mesh(mesh)], [matrix])
    depths = []
    for aside in (0, 50):
        ray_cast(index, [[aside + 1.0, 1, 1]], [[-1.0, -1, -1]])
        depths.append(index._snapshot(ALL).packing.scene.few.depth)
    assert depths[0] < depths[1] == index._snapshot(ALL).packing.scene._depth
