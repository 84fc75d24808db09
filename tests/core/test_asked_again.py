"""Arguments stored in results: a call with them gives the same result."""

import inspect
from typing import get_type_hints

import numpy as np
import pytest
from audit_scenes import ball, box, scene_of, sheet

import core
from core import Boxes, ContactTracker, PixelRays, build_octree, chunks, density, visibility

SCENE = scene_of(
    box([0, 0, 0], [1, 1, 1]), box([0.5] * 3, [2, 2, 2]), sheet([0, 0, 3], [1, 0, 0], [0, 1, 0])
)
BALL, RENDERER, VIEWS = ball(rings=6), PixelRays(SCENE), np.diag([0.2, 0.2, -0.1, 1.0])[None]
BOUNDS = Boxes([[-2.0] * 3], [[3.0] * 3])


# How each function is asked, and with which options besides none.
ASKED = {
    "audit": (
        lambda **options: core.audit(SCENE, **options),
        [{"band": 0.0}, {"band": 0.125}, {"clearance": 0.5, "self_intersections": True}],
    ),
    "build_octree": (
        lambda **options: build_octree(BALL, **options),
        [
            {"capacity": 3, "max_depth": 4, "min_size": 0.25},
            {"straddlers": "keep", "loose_factor": 2.0},
            {"straddlers": "hybrid", "hybrid_limit": 2, "bounds": BOUNDS},
            {"split": "median", "capacity": 5},
        ],
    ),
    "chunks": (
        lambda cell=1.0, **options: chunks(BALL, cell=cell, budget=20, **options),
        [{"cell": 0.375}],
    ),
    "ContactTracker": (ContactTracker, [{"band": 0.0}, {"band": 0.125}]),
    "visibility": (
        lambda size=(8, 8): visibility(RENDERER, VIEWS, size=size),
        [{"size": (12, 5)}],
    ),
}
# Fields whose meaning differs from that of the argument with the same name.
OTHERS = {("density", "materials")}


def kept_options():
    """Return (name, option) of all functions and classes whose answers keep what was asked."""
    found = set()
    for name in core.__all__:
        made = getattr(core, name)
        answer = get_type_hints(made).get("return") if inspect.isfunction(made) else made
        if not inspect.isclass(answer) or not answer.__module__.startswith("core."):
            continue
        fields = getattr(answer, "__dataclass_fields__", ())
        if answer is made and fields:
            continue  # made of its fields
        options = inspect.signature(made if made is not answer else made.__init__).parameters
        found |= {
            (name, option)
            for option, each in options.items()
            if each.kind is each.KEYWORD_ONLY and (option in fields or hasattr(answer, option))
        }
    return found - OTHERS


def test_all_that_keeps_options_is_asked_again():
    assert {name for name, _ in kept_options()} == set(ASKED)


@pytest.mark.parametrize("name", sorted(ASKED))
def test_what_is_kept_can_be_asked_again(name):
    ask, all_options = ASKED[name]
    for options in ({}, *all_options):
        first = ask(**options)
        for option in (option for each, option in kept_options() if each == name):
            kept = getattr(first, option)
            assert same(ask(**{**options, option: kept}), first), (options, option, kept)


def same(one, other):
    """Compare records whole, and others by the arrays and numbers that they hold."""
    if hasattr(one, "__dataclass_fields__") and not isinstance(one, core.Octree):
        return one == other
    held, same_held = (
        {key: each for key, each in vars(some).items() if isinstance(each, np.ndarray | float)}
        for some in (one, other)
    )
    assert held.keys() == same_held.keys() and held
    return all(np.array_equal(held[key], same_held[key], equal_nan=True) for key in held)


def test_the_cell_of_the_chunks_of_a_density_can_be_asked_again():
    found = density(BALL, cell=0.375)
    assert density(BALL, cell=found.chunks.cell) == found
