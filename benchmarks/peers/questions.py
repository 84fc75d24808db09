"""The rows: what every peer is asked, as saved arrays, and the goals that were set beforehand.

Every function takes a folder for the arrays and a factor for the sizes, and yields questions.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks import scenes, worlds
from benchmarks.peers import blender_bvh
from benchmarks.scan import corners_of
from core import Boxes, Frusta, Triangles, build_octree, query_count

FASTEST = "the fastest"

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Question:
    """A build and a query: names of functions, each with its arrays.

    `asked` is empty where the build itself is measured. `goals` holds the ratios that must be
    and should be reached, against a peer or against the fastest; `bound` the ms that it must take.
    If items move, each question leaves another tree behind, and only a whole `round` is timed,
    after which all is as before.
    """

    title: str
    build: str
    built: Arrays
    asked: str = ""
    arrays: Arrays = field(default_factory=dict)
    goals: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    bound: float | None = None
    round: int = 1

    @property
    def measured(self) -> str:
        """Name of the function that is measured."""
        return self.asked or self.build

    def save(self, folder: Path) -> None:
        """Write the arrays to two files."""
        np.savez(folder / "built.npz", **self.built)
        np.savez(folder / "asked.npz", **self.arrays)

    def grown(self, share: float) -> Arrays:
        """Grow the volumes that are asked by a share of the scene, a frustum of its own size."""
        margin = share * scenes.HALF_WIDTH
        changes = {"radii": margin, "upper": margin, "lower": -margin}
        if "corners" in self.arrays:
            corners = self.arrays["corners"]
            changes["corners"] = share * (corners - corners.mean(axis=0))
        return {name: rows + changes.get(name, 0.0) for name, rows in self.arrays.items()}


Questions = Iterator[Question]


@cache
def landscape(triangles: int) -> Arrays:
    """Arrays of the landscape."""
    mesh = scenes.landscape(triangles)
    return {"vertices": mesh.vertices, "faces": mesh.faces}


def build(scale: float) -> Questions:
    """Build over a mesh of two sizes."""
    for triangles, against_lists in ((200_000, (0.55, 0.4)), (1_000_000, (0.55, 0.4))):
        slower = dict.fromkeys(("vtkOBBTree", "python-fcl", "pyoctree"), (1.0, 1.0))
        faster = dict.fromkeys(("embreex", "libigl"), (None, 1.0))
        mesh = landscape(int(triangles * scale))
        yield Question(
            f"build, {len(mesh['faces']):,} triangles",
            "build_triangles",
            mesh,
            goals={"BVHTree": against_lists} | slower | faster,
            without=("scan",),
        )


def spheres(scale: float) -> Questions:
    """Ask 10,000 spheres that touch about 25 triangles each."""
    mesh = landscape(int(1_000_000 * scale))
    centers = places_on(mesh, 10_000)
    bvh = blender_bvh.build_triangles(**mesh)
    radius = scenes.radius_touching(25, bvh, centers[:300])
    yield on_triangles(
        "10,000 spheres",
        mesh,
        "spheres",
        {"centers": centers, "radii": np.full(len(centers), radius)},
        {FASTEST: (0.7, 0.4)},
    )


def boxes(scale: float) -> Questions:
    """Ask 10,000 boxes that touch about 25 triangles each."""
    mesh = landscape(int(1_000_000 * scale))
    centers, tree = places_on(mesh, 10_000), build_octree(Triangles(**mesh))

    def touched(half_size: float) -> float:
        some = centers[:300]
        return query_count(tree, Boxes(some - half_size, some + half_size)).mean()

    half_size = scenes.bisect(25, touched, 0.0, scenes.HALF_WIDTH / 10)
    arrays = {"lower": centers - half_size, "upper": centers + half_size}
    yield on_triangles("10,000 boxes", mesh, "boxes", arrays, {"rtree": (0.6, 0.4)})


def rays(scale: float) -> Questions:
    """Cast rays of a camera and random ones, few and many."""
    for triangles in (200_000, 1_000_000):
        mesh = landscape(int(triangles * scale))
        for kind, rays_of in (("camera", camera_rays), ("random", random_rays)):
            yield ray_question(mesh, kind, rays_of(mesh, 10_000))
    for kind, rays_of in (("camera", camera_rays), ("random", random_rays)):
        yield ray_question(mesh, kind, rays_of(mesh, int(1_000_000 * scale)))


def ray_question(mesh: Arrays, kind: str, arrays: Arrays) -> Question:
    """Cast these rays; the goals are set for a million triangles."""
    title = f"{len(arrays['origins']):,} {kind} rays"
    goals = {"BVHTree": (1.4, 1.0)} if len(mesh["faces"]) > 500_000 else {}
    return on_triangles(title, mesh, "rays", arrays, goals)


def camera_rays(mesh: Arrays, count: int) -> Arrays:
    """Cast one ray through each pixel of a picture, 16:9, as large as that makes it."""
    near, far = (
        Frusta.from_matrices(scenes.camera(np.radians(60))[None]).corners[0].reshape(2, 4, 3)
    )
    high = round(np.sqrt(count * 9 / 16))
    across, up = (np.linspace(0, 1, size) for size in (round(count / high), high))
    across, up = (share.reshape(-1, 1) for share in np.meshgrid(across, up))
    starts, ends = (
        lower_left + across * (lower_right - lower_left) + up * (upper_left - lower_left)
        for lower_left, lower_right, _, upper_left in (near, far)
    )
    return {"origins": starts, "directions": unit(ends - starts)}


def random_rays(mesh: Arrays, count: int) -> Arrays:
    """Cast rays from anywhere in the scene's bounds to anywhere on its surface, and on."""
    origins = places_around(mesh, count)
    return {"origins": origins, "directions": unit(places_on(mesh, count) - origins)}


def unit(directions: np.ndarray) -> np.ndarray:
    """Give them the length 1, so that every peer's distances mean the same."""
    return directions / np.linalg.norm(directions, axis=1, keepdims=True)


def nearest(scale: float) -> Questions:
    """Ask 10,000 points, on the surface and off it."""
    mesh = landscape(int(1_000_000 * scale))
    for kind, places in (("on", places_on), ("off", places_around)):
        yield on_triangles(
            f"nearest, 10,000 points {kind} it",
            mesh,
            "nearest",
            {"points": places(mesh, 10_000)},
            {"BVHTree": (1.3, 0.8)},
        )


def pairs(scale: float) -> Questions:
    """Find all pairs of boxes in three worlds."""
    for world, must in (("flat", 0.7), ("clustered", 0.8), ("cube", 0.25)):
        lower, upper = worlds.boxes_of(world, int(100_000 * scale))
        yield Question(
            f"all pairs of {len(lower):,} boxes, {world}",
            "build_boxes",
            {"lower": lower, "upper": upper},
            "pairs",
            goals={"shapely": (must, 0.4), "rtree": (0.06, 0.06)},
        )


def frusta(scale: float) -> Questions:
    """Query the frusta of cameras that see a small part and half of the triangles."""
    mesh = landscape(int(1_000_000 * scale))
    corners = corners_of(**mesh)
    for share in (0.05, 0.5):
        matrix = scenes.camera_seeing(share, corners)
        arrays = {
            "planes": scenes.planes_of(matrix),
            "corners": Frusta.from_matrices(matrix[None]).corners[0],
        }
        yield on_triangles(f"frustum seeing {share:.0%}", mesh, "frustum", arrays, {})


def on_triangles(
    title: str, mesh: Arrays, asked: str, arrays: Arrays, goals: Mapping[str, tuple]
) -> Question:
    """Ask a mesh."""
    title = f"{title}, {len(mesh['faces']):,} triangles"
    return Question(title, "build_triangles", mesh, asked, arrays, goals)


def places_on(mesh: Arrays, count: int) -> np.ndarray:
    """Places on the surface: (count, 3)."""
    return scenes.places_on(scenes.Mesh(**mesh), count)


def places_around(mesh: Arrays, count: int) -> np.ndarray:
    """Places anywhere in the bounds of the mesh: (count, 3)."""
    lower, upper = mesh["vertices"].min(axis=0), mesh["vertices"].max(axis=0)
    return np.random.default_rng(2).uniform(lower, upper, size=(count, 3))


EVERY: tuple[Callable[[float], Questions], ...] = (
    build,
    spheres,
    boxes,
    rays,
    nearest,
    pairs,
    frusta,
)
