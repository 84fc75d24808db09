"""Invalid arguments: every function raises an error that names the argument, before any work."""

import inspect
from typing import get_type_hints

import core_scenes as scenes
import numpy as np
import pytest
import scene_questions as asked
from numpy.typing import ArrayLike
from steps_world import assert_same

import core
from core import (
    Boxes,
    DynamicOctree,
    Spheres,
    Triangles,
    ZBuffer,
    build_octree,
)

SCENE, _ = asked.masked_scene(1)
TREE = build_octree(scenes.random(), capacity=16)
MESHED = build_octree(Triangles(np.eye(3), [[0, 1, 2]]))
BALLS, BOX = Spheres(np.zeros((2, 3)), [1, 2]), Boxes([[0] * 3], [[1] * 3])
ZEROS, EYE = np.zeros((2, 3)), np.eye(4)[None]
STEPPED = "chunks", "chunks_steps", "density", "density_steps"
FOUND = core.audit(SCENE)
PLACING = ("slide", "slide_steps", "separate", "separate_steps")
# Valid arguments by argument name, or by function and argument name.
GIVEN = {
    "tree": TREE, "items": BALLS, "volumes": BALLS, "volume": BALLS[:1], "points": ZEROS,
    "origins": ZEROS, "directions": ZEROS + 1, "origin": [0, 0, 0], "direction": [1, 0, 0],
    "scene": SCENE, "before": FOUND, "found": FOUND, "changed": [0], "grounds": [0],
    "owners": np.zeros(len(SCENE), int), "ones": [0], "others": [2, 3], "skipped": [[0], [2]],
    "names": np.arange(len(SCENE)), "view_projection": EYE * 0.1 + EYE, "lower": ZEROS,
    "upper": ZEROS, "centers": ZEROS, "radii": [1, 2], "starts": ZEROS, "ends": ZEROS,
    "half_sizes": ZEROS, "rotations": np.tile(np.eye(3), (2, 1, 1)), "cells": [0, 1],
    "bounds": BOX, "vertices": np.eye(3), "faces": [[0, 1, 2]], "ids": [0, 1], "numbers": [0, 1],
    "meshes": [0], "matrices": EYE, "mesh": 0, "triangles": Triangles(np.eye(3), [[0, 1, 2]]),
    "node": 0, "groups": 7, "count": 2, "max_distance": 5.0, "size": (8, 6),
    "corners": np.zeros((1, 8, 3)), "other": TREE, "clearance": 0.1, "band": 0.1, "progress": None,
    "views_inside.volume": BOX, "HalfSpaces.planes": [[1, 2, 3, 4]], "margin": 0.5, "part": 0.5,
    "Audit.take.rows": [1, 0], "Audit.turned.rows": [1], "audits": [FOUND, FOUND], "factor": 2.0,
    "connected_components.pairs": [[0], [1]], "pairs": [[0, 2], [2, 3]], "against": [2],
    "rooms": [3],
    "Frusta.from_planes.planes": [[[1, 0, 0, 1], [-1, 0, 0, 1], [0, 1, 0, 1], [0, -1, 0, 1],
                                   [0, 0, 1, 1], [0, 0, -1, 1]]],
    "SceneOctree.place.groups": [7], "DynamicOctree.insert.groups": [7, 7],
    "Octree.cells_of.items": [0], "trace.volume": ([0, 0, 0], [1, 0, 0], 2.0),
    "SceneOctree.move.matrices": np.tile(np.eye(4), (2, 1, 1)), "SceneOctree.move.ids": [0, 2],
    "SceneOctree.remove.ids": [0], "SceneOctree.remove_mesh.mesh": 4, "places": 2,
    "overlapping_pairs.tree": SCENE,
    "overlapping_pairs_steps.tree": SCENE,
    "nearest_objects.ids": [0, 2], "nearest_objects_steps.ids": [0, 2],
    "SceneOctree.bounds_of.ids": [0, 2], "SceneOctree.matrices_of.ids": [0, 2],
    "SceneOctree.meshes_of.ids": [0, 2], "SceneOctree.only.ids": [0, 2],
    "SceneOctree.triangles_of.ids": [0, 2], "SceneOctree.triangles_steps.ids": [0, 2],
    "baked_triangles.meshes": [Triangles(np.eye(3), [[0, 1, 2]])], "which": [0],
    "baked_triangles_steps.meshes": [Triangles(np.eye(3), [[0, 1, 2]])],
    "pairs_within.others": BALLS, "between.start": 0.0, "cell": 0.5, "budget": 20.0,
    **{f"{name}.tree": MESHED for name in ("assign", "clip", "clip_steps")},
    "least_triangles": 2, "least_size": 0.1, "modes": [0], "weights": [1.0],
    **{f"{name}.owners": [0] for name in STEPPED},
    "materials": [3], "values": ZEROS, "normals": ZEROS, "sources": [[0, 1, 1]],
    **{f"{name}.weights": [[1, 0, 0]] for name in ("interpolated", "interpolated_normals")},
    "chunk_polygons.chunks": core.chunks(Triangles(np.eye(3), [[0, 1, 2]])),
    "joined_chunks.chunks": core.chunks(Triangles(np.eye(3), [[0, 1, 2]])),
    "height": 1,
    "triangle_corners": [[0, 1, 2]], "triangle_polygons": [0], "polygon_starts": [0, 3],
    "between.stop": 1.0,
    "slide.direction": [0, 0, -1], "bodies": [3, 3], "limit": 4.0,
    "axes": [[1, 0, 0]], "fixed": [0], "gap": 0.1,
    **{f"{name}.ids": [0, 2] for name in PLACING},
    "split_quads.positions": np.eye(3, dtype=np.float32), "polygons": np.zeros(1, np.int32),
    "split_quads.corners": np.arange(3, dtype=np.int32), "words": np.zeros(2),
    "views_inside.near": 0.01,
}  # fmt: skip
# Structures whose arrays were validated when they were made.
TRUSTED = {
    "ItemRenderer.image", "ItemRenderer.covered", "ItemRenderer.evidence", "Octree.named", "save",
    "load", "atomic_file",
}  # fmt: skip
# Arrays in whose place a few words may stand: another word is a ValueError, not a TypeError.
WORDS = {"grounds"}
STATIC = {"from_planes", "from_matrices", "steps"}


def instance(name):
    """Return an instance to call a public method of."""
    if name == "SceneOctree":
        made = asked.masked_scene(1)[0]
        made.add_mesh(Triangles(np.eye(3), [[0, 1, 2]]))
        return made
    if name == "DynamicOctree":
        made = DynamicOctree()
        made.insert(BALLS)
        return made
    if name == "FaceSamples":
        return core.face_samples(ZBuffer(SCENE), asked.VIEWS, size=asked.SIZE)
    made = {"Octree": TREE, "ItemRenderer": ZBuffer(SCENE), "Audit": FOUND}.get(name)
    return made or getattr(core, name)()


def public():
    """Yield names of all public functions, constructors and methods that check what they get."""
    for name in core.__all__:
        thing = getattr(core, name)
        if inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing) and not issubclass(thing, Exception):
            if "__init__" in vars(thing) and not hasattr(thing, "__dataclass_fields__"):
                yield name, thing.__init__
            for part, raw in vars(thing).items():
                call = getattr(raw, "__func__", raw)
                if inspect.isfunction(call) and part[0] != "_":
                    yield f"{name}.{part}", call


def kind_of(hint):
    """Return the kind of an argument with this type."""
    text = str(hint)
    if hint in (ArrayLike, ArrayLike | None):
        return "array"
    if hint is bool:
        return "flag"
    if hint is int or "SupportsIndex" in text:
        return "whole number"
    if hint in (float, float | None) or "SupportsFloat" in text:
        return "number"
    if text.startswith("tuple[int, int]"):
        return "size"
    if "Callable" in text:
        return "function"
    if hint is str:
        return "choice"
    if "ndarray" in text:
        return "array"
    return "object"


FUNCTIONS = {
    name: call
    for name, call in public()
    if name not in TRUSTED and len(inspect.signature(call).parameters) > ("." in name)
}
ARGUMENTS = [
    (name, argument, kind_of(get_type_hints(call)[argument]))
    for name, call in FUNCTIONS.items()
    for argument in inspect.signature(call).parameters
    if argument not in ("self", "cls")
]


def those_of(kind):
    return [(name, argument) for name, argument, its in ARGUMENTS if its == kind]


def ask(name, argument, value):
    """Ask a public function with one argument that is `value`; what comes in steps to the end."""
    call, parameters = core, inspect.signature(FUNCTIONS[name]).parameters.values()
    *owners, part = name.split(".")
    for owner in owners:
        call = getattr(core, owner) if part in STATIC else instance(owner)
    call = getattr(call, part)
    data, options = [], {}
    for each in parameters:
        if each.name in ("self", "cls"):
            continue
        given = GIVEN.get(f"{name}.{each.name}", GIVEN.get(each.name, each.default))
        if "renderer" in each.name:
            given = ZBuffer(SCENE)
        if each.default is not each.empty and each.name not in (argument, "size"):
            continue
        given = value if each.name == argument else given
        if each.kind is each.KEYWORD_ONLY:
            options[each.name] = given
        else:
            data.append(given)
    answer = call(*data, **options)
    return core.run(answer) if inspect.isgenerator(answer) else answer


def sample(name, argument):
    given = GIVEN.get(f"{name}.{argument}", GIVEN.get(argument))
    assert given is not None, f"{name} is asked with no {argument}"
    return given


def refuses(name, argument, *values, types=()):
    """Require a ValueError that names the argument; of `types`, one that is a TypeError, too."""
    for value in (*values, *types):
        with pytest.raises(ValueError, match=rf"\b{argument}\b") as refused:
            pytest.fail(f"{value!r} is no error, but {ask(name, argument, value)!r}")
        assert isinstance(refused.value, TypeError) == (value in Same(types)), (value, refused)


class Same(tuple):
    """Values of which the very same one is looked for, as some equal nothing or anything."""

    __slots__ = ()

    def __contains__(self, value):
        return any(value is each for each in self)


def refuses_or_answers(name, argument, value):
    try:
        ask(name, argument, value)
    except ValueError as error:
        assert argument in str(error), error


def test_all_kinds_of_arguments_are_there():
    assert {kind for _, _, kind in ARGUMENTS} == {
        "array", "flag", "whole number", "number", "size", "function", "choice", "object"
    }  # fmt: skip
    assert len(ARGUMENTS) > 150


@pytest.mark.parametrize(("name", "argument"), those_of("whole number"))
def test_huge_numbers_are_refused_by_name_or_answered(name, argument):
    for value in (2**31, 2**62, 2**63, 10**30, np.uint64(2**64 - 1)):
        refuses_or_answers(name, argument, value)


class Odd:
    """What says in its own way that it is nothing else."""

    def __repr__(self):
        return "Odd()"

    def __array__(self, *_args, **_options):
        raise RuntimeError("no array")

    def __index__(self):
        raise RuntimeError("no whole number")

    def __float__(self):
        raise RuntimeError("no number")

    def __bool__(self):
        raise RuntimeError("no flag")


@pytest.mark.parametrize(("name", "argument"), those_of("whole number"))
def test_what_is_no_whole_number_is_refused_by_name(name, argument):
    odd = (np.ma.array(1, mask=True), Odd())
    refuses(name, argument, -1, types=(True, np.nan, 1.5, "x", [1], *odd))


@pytest.mark.parametrize(("name", "argument"), those_of("number"))
def test_what_is_no_number_is_refused_by_name(name, argument):
    odd = (Odd(), np.ma.array(1.0, mask=True))
    types = ("x", "1", 1j, np.complex128(1), [1.0], np.ones(1), object(), *odd)
    refuses(name, argument, np.nan, 10**400, types=types)


@pytest.mark.parametrize(("name", "argument"), those_of("flag"))
def test_flags_are_true_or_false(name, argument):
    odd = (np.ones(1, bool), Odd())
    refuses(name, argument, types=("False", np.nan, object(), 0, 1, None, [True], *odd))
    for value in (True, False, np.True_, np.False_):
        ask(name, argument, value)


@pytest.mark.parametrize(("name", "argument"), those_of("array"))
def test_what_is_no_regular_array_is_refused_by_name(name, argument):
    good = np.asarray(sample(name, argument))
    assert ask(name, argument, good) is not Odd
    hidden = np.ma.array(np.atleast_1d(good), mask=True)
    types = (
        Odd(), [Odd()], ["x"], object(), [None], {1: 2}, good * 1j, hidden, list(hidden),
        np.ma.array(good), [[np.ma.masked] * 3],
    )  # fmt: skip
    refuses(name, argument, [[1, 2], [3]], [[[0], [1, 2]]], types=types)
    if argument in WORDS:
        refuses(name, argument, "x")
    else:
        refuses(name, argument, types=("x",))


@pytest.mark.parametrize(("name", "argument"), those_of("size"))
def test_sizes_that_no_picture_has_are_refused_by_name(name, argument):
    refuses(
        name, argument, (10**6, 10**6), (2**31, 2**31), (8, 2**63), (2**40, 2**40), (10**30, 8),
        (8, -1), (0, 8), (8,),
        types=((8, True), (8, np.nan), (1.5, 8), 8, "ab", None, Odd(), (Odd(), 8), ([8, 8], 8)),
    )  # fmt: skip


@pytest.mark.parametrize(("name", "argument"), those_of("function"))
def test_what_cannot_be_called_is_refused_by_name(name, argument):
    refuses(name, argument, types=("x", 3, True, [print]))


@pytest.mark.parametrize(("name", "argument"), those_of("choice"))
def test_other_words_are_refused_by_name(name, argument):
    refuses(name, argument, "x", "", types=(3, None, ["copy"], b"copy", Odd()))


@pytest.mark.parametrize(("name", "argument"), those_of("object"))
def test_things_of_another_kind_are_refused_by_name(name, argument):
    refuses(name, argument, types=("x", 3, [1], Odd(), np.zeros((2, 3))))


def test_an_octree_that_items_move_in_is_asked_by_its_octree():
    moving = instance("DynamicOctree")
    trees = [name for name, argument in those_of("object") if argument == "tree"]
    assert len(trees) > 10
    for name in trees:
        with pytest.raises(TypeError, match=r"tree must be one of .*Octree: pass its \.octree"):
            ask(name, "tree", moving)


def test_numbers_of_what_is_not_there_yet_say_so():
    scene = core.SceneOctree()
    for call, things in (
        (lambda: scene.place([0], EYE), "meshes"),
        (lambda: scene.prepare_steps([0]), "meshes"),
        (lambda: scene.move([0], EYE), "placements"),
        (lambda: DynamicOctree().remove([0]), "items"),
        (lambda: Triangles(np.empty((0, 3)), [[0, 0, 0]]), "vertices"),
        (lambda: build_octree(BALLS[:0]).cells_of([0]), "items"),
        (lambda: core.baked_triangles([], [0], EYE), "meshes"),
    ):
        with pytest.raises(ValueError, match=f"must be empty: there are no {things} yet, got"):
            call()


def test_a_depth_that_no_grid_has_is_refused_with_the_most_there_is():
    for call in (build_octree, core.build_steps):
        with pytest.raises(ValueError, match="max_depth must be a whole number of at most 20"):
            call(BALLS, max_depth=50)
    assert build_octree(BALLS, max_depth=20).max_depth == 20


# Arguments that one value may stand for all in, with the shape of one.
ONES = {
    "Boxes": {"lower": (3,), "upper": (3,)},
    "Spheres": {"centers": (3,), "radii": ()},
    "Regions": {"lower": (3,), "upper": (3,), "radii": ()},
    "OrientedBoxes": {"centers": (3,), "half_sizes": (3,), "rotations": (3, 3)},
    "Capsules": {"starts": (3,), "ends": (3,), "radii": ()},
    "ray_cast": {"origins": (3,), "directions": (3,)},
    "ray_test": {"origins": (3,), "directions": (3,)},
    "ray_cast_all": {"origins": (3,), "directions": (3,)},
}


def several(name, argument, count):
    """Return `count` equal copies of an argument."""
    one = {"rotations": np.eye(3), "upper": [2, 2, 2]}.get(argument, np.ones(ONES[name][argument]))
    return np.tile(one, (count, *[1] * len(ONES[name][argument])))


@pytest.mark.parametrize(
    ("name", "argument"), [(name, each) for name, those in ONES.items() for each in those]
)
@pytest.mark.parametrize("count", [0, 1, 3])
def test_one_value_stands_for_all(name, argument, count):
    given = {each: several(name, each, count) for each in ONES[name]}
    lone = {**given, argument: several(name, argument, 1)[0].tolist()}
    for tree in (TREE, SCENE):
        first = [tree] if name.startswith("ray") else []
        all_of, one = (getattr(core, name)(*first, *each.values()) for each in (given, lone))
        assert_same(one, all_of, name)
        assert first or len(one) == count


@pytest.mark.parametrize("name", ONES)
def test_of_one_value_each_there_is_no_number(name):
    lone = [several(name, each, 1)[0] for each in ONES[name]]
    first = next(iter(ONES[name]))
    with pytest.raises(ValueError, match=rf"{first} must have shape \(n, 3\), got \(3,\)"):
        getattr(core, name)(*([TREE] if name.startswith("ray") else []), *lone)


@pytest.mark.parametrize("beyond", [1e300, 1e9, 2**40])
def test_no_picture_goes_on_so_far_beyond_its_borders(beyond):
    refuses("visibility", "beyond", beyond)


@pytest.mark.parametrize(
    ("name", "argument"),
    [(name, argument) for name, argument in those_of("number")
     if argument in ("margin", "clearance", "band")],
)  # fmt: skip
def test_lengths_whose_squares_are_no_numbers_are_refused_by_name(name, argument):
    refuses(name, argument, 1.1e150, 1e160, 1e300)
    ask(name, argument, 1e150)


def test_what_an_answer_has_no_room_for_is_refused_before_it_is_made():
    refuses("nearest", "count", 2**29, 2**31, 2**62)
    for count in (2**29, 2**31, 2**62):
        with pytest.raises(ValueError, match=r"\bcount\b"):
            core.nearest(SCENE, [[0, 0, 0]], count=count)
    for name in ("visibility", "visibility_steps"):
        refuses(name, "owners", np.full(len(SCENE), 2**31 - 2))
        refuses(name, "supersampling", 2**20)
