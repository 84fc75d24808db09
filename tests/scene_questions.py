"""All questions that scenes answer, by name, asked of some groups: what a law over all walks.

Each takes a scene and groups, and answers a list of arrays and records in which placements go by
their ids, whatever else is placed.
"""

import inspect
from typing import get_type_hints

import numpy as np
from audit_scenes import box, sheet

import core
from core import (
    Boxes,
    ContactTracker,
    Frusta,
    HalfSpaces,
    ItemRenderer,
    PixelRays,
    SceneOctree,
    Spheres,
    Triangles,
    ZBuffer,
)
from core.walkable import AnyOctree

ALL = 0xFFFFFFFF
# What a question of scenes may be asked of: any octree, too.
ASKED = (SceneOctree, ItemRenderer)
POINTS = np.random.default_rng(4).uniform(-1, 6, (12, 3))
WAYS = np.random.default_rng(5).normal(size=(12, 3))
VOLUMES = [
    Spheres(POINTS, np.full(12, 1.0)),
    Boxes([[-9] * 3], [[9] * 3]),
    HalfSpaces([[0, 0, 1, -1]]),
    Frusta.from_matrices([np.diag([0.5, 0.5, -0.2, 1])]),
]
VIEWS = core.views_around(Boxes([[-1] * 3], [[6] * 3]), count=3)
SIZE = (24, 20)

CUBE, SHEET = box([0] * 3, [1] * 3), sheet([0] * 3, [2, 0, 0], [0, 2, 0])
NAN = np.full((4, 4), np.nan)


def masked_scene(seed):
    """Return a scene of cubes, sheets and fans in whole and half steps, with masks; and these."""
    rng = np.random.default_rng(seed)
    scene = SceneOctree()
    fan = Triangles(rng.integers(-1, 2, (9, 3)), rng.integers(0, 9, (6, 3)))
    meshes = [scene.add_mesh(each) for each in (CUBE, SHEET, fan, Triangles([], []))]
    count = 14
    matrices = np.tile(np.eye(4), (count, 1, 1))
    matrices[:, :3, 3] = rng.integers(0, 9, (count, 3)) / 2
    matrices[3] = NAN
    masks = rng.choice([0, 1, 2, 4, 5, 6, ALL], count).astype(np.int64)
    ids = scene.place(rng.choice(meshes, count), matrices, groups=masks)
    gone = ids[[1, 8]]
    scene.remove(gone)
    return scene, np.delete(masks, gone)


def of_volumes(question, **options):
    return lambda scene, **o: [question(scene, each, **options, **o) for each in VOLUMES]


def of_rays(question):
    return lambda scene, **o: [question(scene, POINTS, WAYS, max_distance=m, **o) for m in (2, 99)]


def of_pairs(question):
    ways = [
        {}, {"within": True}, {"margin": 0.3},
        {"within": True, "skip_neighbours": True},
    ]  # fmt: skip

    def ask(scene, **options):
        owners = scene.ids // 2
        found = [question(scene, **way, **options) for way in ways]
        return [*found, question(scene, owners=owners, **options)]

    return ask


def ask_object_pairs(question):
    def ask(scene, **options):
        found = [question(scene, margin=margin, **options) for margin in (0.0, 0.3)]
        return [*found, question(scene, owners=scene.ids // 2, **options)]

    return ask


def of_audits(question):
    def ask(scene, **options):
        owners = scene.ids // 2
        return [
            question(scene, band=0.01, clearance=0.3, self_intersections=True, **options),
            question(scene, **options),
            question(scene, band=0.01, owners=owners, **options),
        ]

    return ask


def of_changes(question):
    """Audit again what an audit of everything had found."""

    def ask(scene, *, groups):
        before = core.audit(scene, band=0.01, clearance=0.3, self_intersections=True)
        return [question(scene, before, scene.ids[::3], groups=groups)]

    return ask


def of_supports(question):
    def ask(scene, *, groups):
        found = question(scene, core.audit(scene, band=0.01), [], groups=groups)
        named = found.components >= 0
        of_these = found.components[named], found.floating[named]
        fallen = found.fallers, found.drops, found.landings, found.places
        return [*of_these, found.contacts, *fallen]

    return ask


def of_looks(name):
    def ask(scene, *, groups):
        tracker = ContactTracker(band=0.01)
        look = getattr(tracker, name)
        first = look(scene, groups=groups)
        first = core.run(first) if name.endswith("steps") else first
        return [first, tracker.intervals, tracker.look(scene, groups=groups)]

    return ask


def of_views(question, **given):
    def ask(scene, *, groups):
        options = dict(given)
        if "owners" in options:
            options["owners"] = scene.ids
        kinds = (ZBuffer(scene), PixelRays(scene))
        found = [question(each, VIEWS, size=SIZE, groups=groups, **options) for each in kinds]
        return [part for each in found for part in without_empty_ends(each)]

    return ask


def without_empty_ends(answer):
    """Return the arrays of an answer, without objects of large numbers that are out of view."""
    if not isinstance(answer, core.Visibility):
        return [answer]
    seen = np.flatnonzero((answer.whole > 0).any(axis=0)).max(initial=-1) + 1
    names = [name for name in vars(answer) if name != "size"]
    return [getattr(answer, name)[:, :seen] for name in names]


def of_distances(question):
    """Ask of all pairs, and tell of those that are there."""

    def ask(scene, **options):
        ones, others = (each.ravel() for each in np.meshgrid(scene.ids, scene.ids))
        pairs = np.stack((ones, others))[:, ones != others]
        found = question(scene, pairs, **options)
        (there,) = np.isfinite(found.distances).nonzero()
        return [
            pairs[:, there],
            *(each.T[there] for each in vars(found).values() if each.ndim < 3),
        ]

    return ask


def of_neighbors(question):
    def ask(scene, **options):
        found = question(scene, scene.ids, count=3, **options)
        some = (found >= 0).any(axis=1)
        return [scene.ids[some], found[some]]

    return ask


def of_guests(question):
    """Try cubes and sheets in whole and half steps."""

    def ask(scene, **options):
        rng = np.random.default_rng(6)
        places = np.tile(np.eye(4), (9, 1, 1))
        places[:, :3, 3] = rng.integers(0, 9, (9, 3)) / 2
        found = [question(scene, CUBE, places, clearance=c, **options) for c in (None, 0.5)]
        return [*found, question(scene, SHEET, places, **options)]

    return ask


def stepped(asking, question, *rest, **options):
    """Ask a question that comes in steps as if it came at once."""
    return asking(lambda *a, **o: core.run(question(*a, **o)), *rest, **options)


def ask_queries(scene, **options):
    relations = ("touching", "inside")
    return [core.query(scene, v, relation=r, **options) for v in VOLUMES for r in relations]


def of_slides(ask):
    def answers(scene, **options):
        found = ask(scene, scene.ids, [0.25, 0.5, -1], **options)
        stopped = found.onto >= 0
        parts = (
            found.distances, found.moves, found.onto, found.items.T, found.points, found.crossing,
        )  # fmt: skip
        return [scene.ids[stopped], *(each[stopped] for each in parts)]

    return answers


def of_separations(ask):
    def answers(scene, **options):
        found = ask(scene, scene.ids, fixed=scene.ids[:1], **options)
        moved = found.moves.any(axis=1)
        return [scene.ids[moved], found.moves[moved], found.left]

    return answers


QUESTIONS = {
    "query": ask_queries,
    "query_any": of_volumes(core.query_any),
    "query_count": of_volumes(core.query_count),
    "ray_cast": of_rays(core.ray_cast),
    "ray_cast_all": of_rays(core.ray_cast_all),
    "ray_test": of_rays(core.ray_test),
    "nearest": lambda scene, **o: [core.nearest(scene, POINTS, count=n, **o) for n in (1, 40)],
    "overlapping_pairs": of_pairs(core.overlapping_pairs),
    "overlapping_pairs_steps": stepped(of_pairs, core.overlapping_pairs_steps),
    "objects_touching": of_volumes(core.objects_touching),
    "objects_touching_steps": stepped(of_volumes, core.objects_touching_steps),
    "overlapping_objects": ask_object_pairs(core.overlapping_objects),
    "overlapping_objects_steps": stepped(ask_object_pairs, core.overlapping_objects_steps),
    "audit": of_audits(core.audit),
    "audit_steps": stepped(of_audits, core.audit_steps),
    "audit_again": of_changes(core.audit_again),
    "audit_again_steps": stepped(of_changes, core.audit_again_steps),
    "supports": of_supports(core.supports),
    "supports_steps": stepped(of_supports, core.supports_steps),
    "slide": of_slides(core.slide),
    "slide_steps": stepped(of_slides, core.slide_steps),
    "separate": of_separations(core.separate),
    "separate_steps": stepped(of_separations, core.separate_steps),
    "ContactTracker.look": of_looks("look"),
    "ContactTracker.look_steps": of_looks("look_steps"),
    "distances": of_distances(core.distances),
    "distances_steps": stepped(of_distances, core.distances_steps),
    "fits": of_guests(core.fits),
    "fits_steps": stepped(of_guests, core.fits_steps),
    "obstacles": of_guests(core.obstacles),
    "obstacles_steps": stepped(of_guests, core.obstacles_steps),
    "nearest_objects": of_neighbors(core.nearest_objects),
    "nearest_objects_steps": stepped(of_neighbors, core.nearest_objects_steps),
    "item_buffers": of_views(core.item_buffers),
    "visibility": of_views(core.visibility, owners=True),
    "visibility_steps": stepped(of_views, core.visibility_steps, owners=True),
    "face_samples": of_views(core.face_samples),
    "face_samples_steps": stepped(of_views, core.face_samples_steps),
}


def takes_a_scene(call):
    """Tell whether a function asks a scene, by its types."""
    first, *_ = [*get_type_hints(call).values(), None]
    kinds = getattr(first, "__args__", (first,))
    classes = [kind for kind in kinds if inspect.isclass(kind)]
    return any(kind is AnyOctree or issubclass(kind, ASKED) for kind in classes)


def questions():
    """Yield the names of all public functions, and methods of others, that take a scene."""
    for name in core.__all__:
        thing = getattr(core, name)
        if inspect.isfunction(thing) and takes_a_scene(thing):
            yield name
        elif inspect.isclass(thing) and not issubclass(thing, (*ASKED, AnyOctree, Exception)):
            for part, call in vars(thing).items():
                if inspect.isfunction(call) and part[0] != "_" and takes_a_scene(call):
                    yield f"{name}.{part}"
