"""Trees in files: the same tree comes back."""

import core_scenes as scenes
import numpy as np
import pytest
from agreement import POLICIES, assert_same, built
from numpy.testing import assert_array_equal

from core import Boxes, Spheres, Triangles, load, query, save, storage

UNIT = Boxes([[0, 0, 0]], [[1, 1, 1]])
SMALL = Boxes([[-0.3, 0.1, -1]], [[0.5, 0.6, 0]])


OPTIONS = (
    {},
    {"capacity": 4, "max_depth": 6, "min_size": 0.01},
    {"capacity": 4, "bounds": SMALL},
    {"capacity": 4, "straddlers": "keep"},
    {"capacity": 4, "straddlers": "keep", "loose_factor": 1.7, "bounds": SMALL},
    {"capacity": 4, "straddlers": "hybrid", "hybrid_limit": 2},
    {"capacity": 4, "split": "median"},
    {"capacity": 4, "split": "median", "straddlers": "keep", "loose_factor": 2, "bounds": SMALL},
)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("kind", scenes.KINDS)
def test_a_tree_comes_back_bit_for_bit(kind, options, tmp_path):
    tree = built(kind(scenes.random()), **options)
    save(tree, tmp_path / "tree.npz")
    again = load(tmp_path / "tree.npz")
    again.check()
    assert_same(tree, again)
    volumes = scenes.spheres_about(tree.items)
    for relation in ("touching", "inside", "candidates"):
        answers = [query(one, volumes, relation=relation) for one in (tree, again)]
        assert_array_equal(*answers)


@pytest.mark.parametrize("scene", scenes.SCENES)
def test_every_scene_comes_back(scene, tmp_path):
    tree = built(scenes.SCENES[scene](), capacity=8)
    save(tree, tmp_path / "tree")
    assert_same(tree, load(tmp_path / "tree"))


def test_vertices_that_no_face_uses_come_back(tmp_path):
    tree = built(Triangles([*np.eye(3), [np.nan, 9, 9]], [[0, 1, 2]]))
    save(tree, tmp_path / "tree")
    items = load(tmp_path / "tree").items
    assert_array_equal(items.vertices, tree.items.vertices)
    assert_array_equal(items.faces, [[0, 1, 2]])


@pytest.mark.parametrize("kind", scenes.KINDS)
def test_an_empty_tree_comes_back(kind, tmp_path):
    tree = built(kind(Triangles([], [])))
    save(tree, tmp_path / "tree")
    assert_same(tree, load(tmp_path / "tree"))


def test_items_set_aside_come_back(tmp_path):
    tree = built(Spheres([[np.nan, 0, 0], [0, 0, 0], [-0.0, np.inf, 0]], [1, 2, np.inf]))
    save(tree, tmp_path / "tree")
    again = load(tmp_path / "tree")
    again.check()
    assert_same(tree, again)
    assert_array_equal(again.invalid_items, [0, 2])


def test_a_loaded_tree_is_frozen(tree_file):
    tree = load(tree_file)
    with pytest.raises(ValueError, match="read-only"):
        tree.references[0] = 1


def test_whole_numbers_of_any_size_are_kept(tmp_path):
    tree = built(scenes.random(), capacity=10**30)
    save(tree, tmp_path / "tree")
    assert load(tmp_path / "tree").capacity == 10**30


# The file


@pytest.mark.parametrize("kind", [str, lambda path: path])
@pytest.mark.parametrize("name", ["tree", "tree.npz", "tree.octree"])
def test_the_path_is_used_as_given(name, kind, tmp_path):
    path = tmp_path / name
    save(built(scenes.random()), kind(path))
    assert [file.name for file in tmp_path.iterdir()] == [name]
    assert len(load(kind(path))) == 300


def test_a_missing_file_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.npz")


def test_a_missing_folder_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        save(built(scenes.random()), tmp_path / "none" / "tree.npz")


def test_saving_again_replaces_the_file(tree_file):
    other = built(scenes.random(7))
    save(other, tree_file)
    assert_same(other, load(tree_file))


def test_a_failed_save_leaves_the_old_file_and_nothing_else(tree_file, monkeypatch):
    before = tree_file.read_bytes()

    def disk_full(file, **_arrays):
        file.write(b"half")
        raise OSError("no space left")

    monkeypatch.setattr(storage.np, "savez", disk_full)
    with pytest.raises(OSError, match="no space left"):
        save(built(scenes.random(7)), tree_file)
    assert tree_file.read_bytes() == before
    assert list(tree_file.parent.iterdir()) == [tree_file]


def test_a_link_stays_a_link(tree_file, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(tree_file)
    save(built(scenes.random(7)), link)
    assert link.is_symlink()
    assert len(load(tree_file)) == 7


@pytest.mark.parametrize("path", [None, 3, b"tree"])
def test_a_path_is_text_or_a_path(path):
    with pytest.raises(ValueError, match="path must be"):
        load(path)
    with pytest.raises(ValueError, match="path must be"):
        save(built(scenes.random()), path)


def test_only_trees_are_saved(tmp_path):
    with pytest.raises(ValueError, match="tree must be"):
        save(scenes.random(), tmp_path / "tree")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("policy", POLICIES)
def test_a_file_is_smaller_than_the_tree(policy, tmp_path):
    """Derived arrays are not stored."""
    tree = built(scenes.random(2000, 0.05), straddlers=policy)
    save(tree, tmp_path / "tree")
    held = sum(value.nbytes for value in vars(tree).values() if isinstance(value, np.ndarray))
    held += tree.items.vertices.nbytes + tree.items.faces.nbytes
    assert (tmp_path / "tree").stat().st_size < 0.8 * held
