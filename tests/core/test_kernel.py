"""The compiled kernel answers with NumPy's bits, reads within its arrays, and may lack."""

import ast
import os
import pickle
import shutil
import subprocess
import sys
import threading
import tomllib
from copy import copy, deepcopy
from hashlib import sha256
from pathlib import Path

import kernel_meshes as meshes
import kernel_worlds as worlds
import numpy as np
import pytest
from examples import MANY
from gap_oracle import least
from support.kernels import needs_kernel
from test_layers import CHECKOUT, files

from core import (
    Capsules,
    DynamicOctree,
    SceneOctree,
    Spheres,
    Triangles,
    build_octree,
    checksums,
    compiled,
    grid,
    kernel,
    kernel_state,
    lone,
    nearest,
    query,
    query_any,
    query_count,
    ray_cast,
    ray_cast_all,
    ray_test,
    use_kernel,
    use_threads,
)
from core.cells import Cells, child_walls
from core.compiled import door, walks
from core.gaps.way import Way
from core.item_buffer.scan_conversion import Frames, samples
from core.item_buffer.z_buffer import keep_largest
from core.pairs.broad_phase import _Hierarchy, _Level, _walked
from core.scene.nodes import altitudes_of
from core.scene.packed import _TREES
from core.touch.triangle_distance import points_to_triangles
from core.touch.triangle_pairs import triangles_touch_triangles

SOURCES = CHECKOUT / "kernel"
RAY = ([[0.0, 0.0, 5.0]], [[0.0, 0.0, -1.0]])


@pytest.fixture
def found_anew(monkeypatch):
    """Return a function that sets where the package lies, and tells why there is none."""
    found = door._opened

    def look(where):
        monkeypatch.setenv(compiled.VARIABLE, str(where))
        found.cache_clear()
        return compiled.why_not()

    yield look
    monkeypatch.undo()
    found.cache_clear()


def test_whole_numbers_of_32_bits_are_not_given_to_it(found_anew, monkeypatch):
    monkeypatch.setattr(door, "_whole_bytes", lambda: 4)
    assert "NumPy 2" in found_anew(SOURCES / "octree_kernel")


@pytest.fixture
def package(tmp_path):
    for path in SOURCES.glob("octree_kernel/*.py"):
        shutil.copy(path, tmp_path)
    return tmp_path


def small_tree():
    return build_octree(Triangles([[-1, -1, 0], [1, -1, 0], [0, 2, 0]], [[0, 1, 2]]))


@needs_kernel
@pytest.mark.parametrize("seed", range(40))
def test_answers_are_equal_to_the_last_bit(seed):
    worlds.assert_equal(seed)


@needs_kernel
@pytest.mark.parametrize("seed", range(40))
def test_answers_of_scenes_are_equal_to_the_last_bit(seed):
    worlds.assert_scenes_equal(seed)


@needs_kernel
@pytest.mark.parametrize("seed", range(30))
def test_boxes_are_found_as_numpy_finds_them(seed):
    worlds.assert_boxes_equal(seed)


@needs_kernel
@pytest.mark.parametrize("seed", range(30 if MANY else 4))
def test_boxes_touch_exactly_what_numpy_finds(seed):
    worlds.assert_planted_boxes_equal(seed)


@needs_kernel
@pytest.mark.parametrize("seed", range(5))
def test_any_number_of_threads_gives_the_same_bits(seed, monkeypatch):
    """Pieces are made so small that there are many of them."""
    for name in ("_RAYS", "_POINTS", "_VOLUMES"):
        monkeypatch.setattr(walks, name, 7)
    found = [worlds.with_threads(seed, threads) for threads in (1, 2, 5)]
    assert found[0] == found[1] == found[2]


def test_threads_are_counted_and_checked(monkeypatch):
    monkeypatch.delenv("OCTREE_THREADS", raising=False)
    cores = compiled.threads_of(None)
    assert cores >= 1
    monkeypatch.setenv("OCTREE_THREADS", "3")
    assert compiled.threads_of(None) == 3
    use_threads(2)
    assert (compiled.threads_of(None), compiled.threads_of(7)) == (2, 7)
    use_threads(None)
    monkeypatch.setenv("OCTREE_THREADS", "none")
    assert compiled.threads_of(None) == cores
    for ask in (use_threads, lambda count: ray_test(small_tree(), *RAY, threads=count)):
        with pytest.raises(ValueError, match="must be a whole number of at least 1"):
            ask(0)


def test_no_thread_is_left_when_a_piece_fails():
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        walks.in_pieces(50, 1, 4, lambda some: 1 // (some.start - 9))
    assert threading.active_count() == before
    alone = walks.in_pieces(3, 1, 4, lambda _: threading.current_thread())
    assert alone == [threading.current_thread()] * 3


@needs_kernel
def test_rays_that_are_too_far_away_for_it_are_left_to_numpy():
    tree = small_tree()
    origins = np.array([[0.0, 0.0, 1e9], [0.0, 0.0, 5.0], [9.0, 0.0, 5.0]])
    directions = np.tile([0.0, 0.0, -1.0], (3, 1))
    assert ray_cast(tree, origins, directions).distances.tolist() == [1e9, 5.0, np.inf]
    assert ray_test(tree, origins, directions).tolist() == [True, True, False]
    assert ray_cast_all(tree, origins, directions).pairs.tolist() == [[0, 1], [0, 0]]
    assert nearest(tree, origins).distances[:2].tolist() == [[1e9], [5.0]]


@needs_kernel
def test_one_ray_may_meet_more_than_there_is_room_for_at_first():
    count = walks._ROOM * 2 + 5
    corners = np.tile([[-1, -1, 0], [1, -1, 0], [0, 2, 0.0]], (count, 1))
    tree = build_octree(Triangles(corners, np.arange(3 * count).reshape(-1, 3)))
    found = ray_cast_all(tree, *RAY)
    np.testing.assert_array_equal(found.pairs[1], np.arange(count))
    spheres = Spheres(np.zeros((2, 3)), [0.5, 9.0])
    np.testing.assert_array_equal(query(tree, spheres)[1], np.tile(np.arange(count), 2))
    assert query_any(tree, spheres).all()


@needs_kernel
def test_spheres_that_are_too_large_for_it_are_left_to_numpy():
    spheres = Spheres([[0, 0, 0], [1e9, 0, 0], [0, 0, 1e9]], [1.0, 1e9, 1.0])
    assert query(small_tree(), spheres).tolist() == [[0, 1], [0, 0]]
    assert query_count(small_tree(), spheres).tolist() == [1, 1, 0]


@needs_kernel
def test_meshes_of_a_scene_are_packed_once_a_ray_comes_to_them():
    scene, square = SceneOctree(), Triangles(np.eye(3), np.tile([0, 1, 2], (70, 1)))
    meshes = [scene.add_mesh(square) for _ in range(3)]
    matrices = np.tile(np.eye(4), (3, 1, 1))
    matrices[1, :3, 3] = 5
    scene.place(meshes, matrices)
    assert ray_cast(scene, [[1, 1, 1.0]], [[-1, -1, -1.0]]).placements.tolist() == [0]
    assert [*map(scene._meshes._pool.has_indexed, meshes)] == [True, False, True]
    scene.replace_mesh(meshes[0], Triangles([], []))
    assert ray_cast(scene, [[1, 1, 1.0]], [[-1, -1, -1.0]]).placements.tolist() == [2]


@needs_kernel
@pytest.mark.parametrize("count", [70, 20_000])
def test_a_mesh_of_a_scene_is_packed_at_the_first_question(count):
    """A copy of the scene finds it packed."""
    scene = SceneOctree()
    number = scene.add_mesh(Triangles(np.eye(3), np.tile([0, 1, 2], (count, 1))))
    scene.place([number], np.eye(4)[None])
    hits = [ray_cast(scene, [[1, 1, 1.0]], [[-1, -1, -1.0]])]
    known = packed_mesh(scene, number)
    other = copy(scene)
    hits.append(ray_cast(other, [[1, 1, 1.0]], [[-1, -1, -1.0]]))
    assert packed_mesh(scene, number) is known
    assert other._meshes._holder() is scene._meshes
    for hit in hits:
        assert hit.placements.tolist() == [0] and hit.items.tolist() == [0]


def packed_mesh(scene, number):
    """Return the packed tree of a mesh of a scene."""
    meshes = scene._meshes
    return _TREES[meshes._pool.pool(meshes.born).layout][meshes[number]]


@needs_kernel
def test_packed_meshes_read_the_arrays_that_were_laid_out_though_these_move():
    """Later meshes move the arrays; a packed tree keeps its original arrays."""
    random, scene, trees = np.random.default_rng(5), SceneOctree(), []
    corners = random.random((6, 900, 1, 3)) + random.random((6, 900, 3, 3)) / 9
    origins, directions = random.random((2, 300, 3)) * 3 - 1
    for number, vertices in enumerate(corners):
        mesh = Triangles(vertices.reshape(-1, 3), np.arange(2_700).reshape(-1, 3))
        placed = np.eye(4)[None].copy()
        placed[0, 0, 3] = number / 4
        scene.place([scene.add_mesh(mesh)], placed)
        hits = ray_cast(scene, origins, directions)
        with worlds.packing(is_on=False):
            assert hits == ray_cast(scene, origins, directions)
        trees.append(packed_mesh(scene, number))
        assert [packed_mesh(scene, each) for each in range(number + 1)] == trees
        order = scene._meshes._pool.pool(number + 1).order
        assert any(np.shares_memory(order, array) for array in trees[-1]._kept)
    assert not any(np.shares_memory(order, array) for array in trees[0]._kept)
    for number in range(4):  # most are gone: the others are laid out and packed anew
        scene.replace_mesh(number, Triangles([], []))
    hits = ray_cast(scene, origins, directions)
    assert packed_mesh(scene, 5) is not trees[5]
    with worlds.packing(is_on=False):
        assert hits == ray_cast(scene, origins, directions)


@needs_kernel
def test_what_is_packed_of_a_scene_is_of_one_moment():
    scene = SceneOctree()
    mesh = scene.add_mesh(Triangles(np.eye(3), [[0, 1, 2]]))
    (placed,) = scene.place([mesh], np.eye(4)[None])
    question = np.ones((9, 3)), -np.ones((9, 3))
    assert ray_test(scene, *question).all()
    moment = scene._snapshot(2**32 - 1)
    assert moment is scene._snapshot(2**32 - 1)
    assert moment.packing.scene is not None
    for other in (moment.scaled(2.0), copy(scene)._snapshot(2**32 - 1), scene._snapshot(1)):
        assert other.packing is not moment.packing
    for same in (deepcopy(scene), pickle.loads(pickle.dumps(scene)), copy(scene)):
        assert "_moments" not in vars(same)
        assert ray_test(same, *question).all()
    matrix = np.eye(4)
    matrix[:3, 3] = 9
    scene.move([placed], matrix[None])
    assert scene._snapshot(2**32 - 1).packing.scene is None
    assert not ray_test(scene, *question).any()


@needs_kernel
def test_it_answers_with_rays_of_no_length_as_numpy_does():
    tree = small_tree()
    with pytest.raises(ValueError, match="directions must not be zero"):
        ray_cast(tree, [[0, 0, 1.0]], [[0, 0, 0.0]])
    with pytest.raises(ValueError, match="origins must be finite"):
        ray_test(tree, [[0, np.nan, 1.0]], [[0, 0, 1.0]])


@needs_kernel
def test_trees_that_contradict_themselves_are_answered_somehow_or_not_packed():
    for survive in (worlds.survive_damage, worlds.survive_damaged_nodes):
        packed = [survive(seed) for seed in range(60)]
        assert any(packed) and not all(packed)


def test_a_tree_is_packed_at_the_first_question_but_of_a_changing_tree_for_many():
    triangles = Triangles(np.eye(3), np.tile([0, 1, 2], (100_000, 1)))
    assert (lone.packed_tree(build_octree(triangles), 1) is None) == bool(compiled.why_not())
    changing = DynamicOctree()
    changing.insert(Spheres(np.random.default_rng(1).normal(size=(9_999, 3)), np.ones(9_999)))
    for count, is_packed in ((1, False), (1_000, not compiled.why_not())):
        assert (lone.packed_tree(changing.octree, count) is not None) == is_packed


def test_without_it_the_reason_is_said(found_anew, package):
    for word in ("0", "off"):
        assert found_anew(word) == f"OCTREE_KERNEL is {word}"
        assert kernel() == f"NumPy answers alone: OCTREE_KERNEL is {word}"
    assert "is not there: make kernel" in found_anew(package)
    for suffix in ("so", "dll", "dylib"):
        (package / f"octree_kernel.{suffix}").write_bytes(b"no library")
    assert "is damaged" in found_anew(package)
    for suffix in ("so", "dll", "dylib"):
        digest = sha256(b"no library").hexdigest()
        (package / f"octree_kernel.{suffix}.sha256").write_text(digest)
    assert found_anew(package)
    assert found_anew("/nowhere")
    assert ray_test(small_tree(), *RAY).all()


@pytest.mark.parametrize("text", [None, "def broken(:", "raise RuntimeError"])
def test_a_damaged_package_is_none(found_anew, tmp_path, text):
    if text is not None:
        (tmp_path / "__init__.py").write_text(text)
    assert found_anew(tmp_path)
    assert ray_test(small_tree(), *RAY).all()


def test_the_kernel_that_is_named_is_there():
    if os.environ.get(compiled.VARIABLE, "off") != "off":
        assert not compiled.why_not()


@needs_kernel
def test_it_can_be_switched_off():
    tree = small_tree()
    assert lone.packed_tree(tree, 10_000) is not None
    version, _ = kernel_state()
    try:
        use_kernel(False)
        assert kernel_state() == ("", "it is switched off")
        assert lone.packed_tree(tree, 10_000) is None
        assert lone.rays(tree, *map(np.array, RAY), np.inf, 2**32 - 1) is None
        assert ray_test(tree, *RAY).all()
    finally:
        use_kernel(True)
    told = tomllib.loads((SOURCES / "pyproject.toml").read_text())["project"]["version"]
    assert kernel_state() == (version, "") == (told, "")
    assert kernel().startswith(f"octree-kernel {version}, ")
    assert lone.rays(tree, *map(np.array, RAY), np.inf, 2**32 - 1) is not None


def test_rays_of_any_length_raise_no_warning():
    sides = np.where(np.arange(128) % 2, 1.7e308, -1.7e308)
    directions = np.stack((sides, sides, np.ones(128)), axis=1)
    with np.errstate(all="raise", under="ignore"):
        assert not ray_test(small_tree(), np.full((128, 3), 9.0), directions).any()


@needs_kernel
@pytest.mark.parametrize(
    ("line", "reason"),
    [("ABI = ", "has the interface 1"), ("KNOWN = {", "does not compute")],
)
def test_another_version_or_other_bits_switch_it_off(found_anew, package, line, reason):
    library = Path(compiled.found()[1].LIBRARY)
    for name in (library.name, f"{library.name}.sha256"):
        shutil.copy(library.with_name(name), package / name)
    source = package / ("structures.py" if "ABI" in line else "self_test.py")
    changed = {"ABI = ": "ABI = 1", "KNOWN = {": "KNOWN = {'other': '',"}[line]
    source.write_text(source.read_text().replace(line, changed))
    assert reason in found_anew(package)


@needs_kernel
def test_its_self_test_expects_what_numpy_answers():
    library, package, _ = compiled.found()
    test = package.self_test
    use_kernel(False)
    vertices = np.reshape(test.VERTICES, (3, -1))
    items = Triangles(vertices.T, np.reshape(test.FACES, (3, -1)).T)
    rays = np.reshape(test.ORIGINS, (-1, 3)), np.reshape(test.DIRECTIONS, (-1, 3))
    hits, near = ray_cast(build_octree(items), *rays), nearest(build_octree(items), rays[0])
    rows = np.array(test.CAPSULES)
    asked = build_octree(items), Capsules(rows[:, :3], rows[:, 3:6], rows[:, 6])
    touched = np.full(len(items) * len(rows), -1)
    touched[: query(*asked).shape[1]] = query(*asked)[1]
    scales = np.array([[310.7], [97.1], [55.3]])
    first, last = (
        np.clip((limits - start) * scales, 0, 511).astype(np.int64)
        for limits, start in zip(items.limits(), (-0.1, -0.3), strict=True)
    )
    words = grid.pack(first), grid.pack(last)
    one, other = np.divmod(np.arange(25), 5)
    touching, joined = triangles_touch_triangles(items, one, items, other), np.full(25, -1)
    joined[: touching.sum()] = (one << 32 | other)[touching]
    screen = np.reshape(test.SCREEN, (4, 4, 1))
    clip = screen[:, 0] * vertices[0] + screen[:, 1] * vertices[1] + screen[:, 2] * vertices[2]
    clip += screen[:, 3]
    frames, keys = Frames(np.array([[0], [0], [12], [12], [0], [12]])), np.zeros(144, np.int64)
    for places, nearness, triangles in samples(clip[:3], items.faces.T, frames):
        bits = nearness.astype(np.float32).view(np.int32).astype(np.int64)
        keep_largest(keys, places, bits << 32 | triangles)
    assert np.count_nonzero(keys) > 20
    cells = Cells.of_root(np.array([0, 0, 0, 8, 8, 8.0]), 1.0)
    halves = child_walls(cells.rows, np.full((3, 1), 4.0))
    cells = cells.with_children(np.zeros(1, np.intp), halves)
    slices = cells.slices(np.array([3, 1, 4, 1, 5, 9, 2, 6, 0]), 2)
    lower, upper = items.limits()
    places = np.reshape(test.VERTICES, (-1, 3)).astype(np.float32)
    rows = np.array(test.CORNERS, np.int32), np.array(test.POLYGONS, np.int32)
    answers = {
        "pack": [],
        "cast": [hits.items, hits.distances, hits.positions, hits.normals, hits.barycentric],
        "nearest": [near.items, near.distances, near.positions],
        "touch": [touched, query_count(*asked)],
        "bounds": items.limits(),
        "enter": [*words, grid.morton_codes(first, 9), 9 - grid.differing_bits(*words)],
        "touching": [touching],
        "join": [joined],
        "pair_boxes": [paired_boxes(test.BOXES)],
        "heights": [points_to_triangles(rays[0].reshape(3, 4), items.take_rows(np.arange(4)))],
        "slices": slices,
        "runs": [
            np.minimum.reduceat(lower, [0, 3], axis=1),
            np.maximum.reduceat(upper, [0, 3], axis=1),
            np.minimum.reduceat(altitudes_of(items), [0, 3]),
        ],
        "slide": slid(items, test),
        "project": [clip],
        "draw": [keys],
        "outline": [np.ones(len(items) + 5, int)],
        "quads": [meshes.split_by_numpy(places, *rows)],
        "sum_words": [checksums(vertices.reshape(-1)).view(np.int32)],
    }
    told = {
        name: package.digest(number for array in arrays for number in array.ravel().tolist())
        for name, arrays in answers.items()
    }
    assert told == package.KNOWN == package.tested(library)


def paired_boxes(levels):
    """Return the pairs of boxes of different owners, (2, 40); rows of pairs that miss are -1."""
    words = [
        (*(grid.pack(np.tile(cells, (3, 1))) for cells in both), np.array(owners))
        for *both, owners in ((first, last, owners) for first, last, *owners in levels)
    ]
    layers = [_Level(first, last | grid.GUARD_BITS, owners) for first, last, owners in words]
    hierarchy, pairs = _Hierarchy(np.arange(len(levels[0][0])), layers), np.full((2, 40), -1)
    found = np.concatenate([batch[1:] for batch in _walked(hierarchy, hierarchy)], axis=1)
    pairs[:, : found.shape[1]] = found
    return pairs


def slid(items, test):
    """Return the slides of pairs of surfaces, by all their triangles."""
    way, count = Way.of(np.array(test.WAY[:3])), len(items)
    assert way.told.tolist() == test.WAY
    entries = np.stack(np.divmod(np.arange(count**2), count))
    found = []
    for pair in test.SLID:
        placed = []
        for row, some in zip(pair, entries, strict=True):
            matrix = np.reshape(test.PLACED[row], (3, 4, 1))
            x, y, z = items.rows[:, some].reshape(3, 3, -1).swapaxes(0, 1)
            placed.append(
                np.stack([x * m[0] + y * m[1] + z * m[2] + m[3] for m in matrix], axis=1)
            )
        found.append(least(way, entries, np.concatenate(placed)))
    assert {gap == np.inf for (gap, *_), _, _ in found} == {True, False}
    assert {crosses for _, crosses, _ in found} == {True, False}
    best = np.array([each for each, _, _ in found]).T
    nothing = np.full(3 * len(found), -1)
    return [best[0], best[1:3], best[3], np.array([each for _, each, _ in found]), nothing]


@needs_kernel
def test_its_self_test_asks_each_file():
    library, package, _ = compiled.found()
    asked = {name for name, _, _ in package.self_test.questions(library)}
    for path in SOURCES.glob("*.c"):
        assert any(f"octree_kernel_{name}(" in path.read_text() for name in asked), path.name


def test_only_one_file_knows_of_it_and_none_of_ctypes():
    for path in [*files("core"), *files("octree_addon"), Path("__init__.py")]:
        text = (CHECKOUT / path).read_text(encoding="utf-8")
        assert "octree_kernel" not in text or path.parent == Path("core/compiled"), path
        imported = [
            node
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Import | ast.ImportFrom)
        ]
        assert not any("ctypes" in ast.dump(node) for node in imported), path


@pytest.mark.skipif(not shutil.which("gcc") or sys.platform != "linux", reason="wants gcc")
@needs_kernel
def test_no_byte_is_read_beyond_an_array(package):
    """Look at random worlds with address and undefined-behavior sanitizers, and assertions."""
    script = f"import sys; sys.path.insert(0, {str(SOURCES)!r}); import compile as c; " + (
        f"c.compiled(c.Path({str(package)!r}), c.SANITIZED)"
    )
    built = {**os.environ, "CC": "gcc"}
    subprocess.run([sys.executable, "-c", script], env=built, check=True)
    runtime = subprocess.run(
        ["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
    )
    options = "detect_leaks=0:verify_asan_link_order=0"
    environment = {
        **os.environ,
        compiled.VARIABLE: str(package),
        "LD_PRELOAD": runtime.stdout.strip(),
        "ASAN_OPTIONS": options,
    }
    # World 1001 alone takes two minutes here.
    first, count = (1000, 16) if MANY else (1002, 4)
    kinds = ("worlds", "pairs", "builds", "slides", "views", "audits", "meshes")
    counts = {**dict.fromkeys(kinds, count), "pictures": count // 4}
    for kind, number in counts.items():
        script = CHECKOUT / f"tests/kernel_{kind}.py"
        done = subprocess.run(
            [sys.executable, str(script), str(first), str(number)],
            env=environment, capture_output=True, text=True, cwd=CHECKOUT, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        assert "no difference" in done.stdout
