"""Damaged files are refused: other files, parts of files, changed numbers."""

import io
import json
import re

import core_scenes as scenes
import numpy as np
import pytest
from agreement import assert_same, built
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from core import Boxes, DynamicOctree, Spheres, load, overlapping_pairs, query, save

SMALL = Boxes([[-0.3, 0.1, -1]], [[0.5, 0.6, 0]])


def as_bytes(write, *args, **kwargs):
    file = io.BytesIO()
    write(file, *args, **kwargs)
    return file.getvalue()


STRANGERS = {
    "empty": b"",
    "text": b"octree 1\n",
    "noise": np.random.default_rng(0).bytes(5000),
    "a pickle": b"\x80\x04K\x05.",
    "an array": as_bytes(np.save, np.arange(5)),
    "another archive": as_bytes(np.savez, np.arange(5), header=np.arange(3)),
    "an empty archive": as_bytes(np.savez),
    "objects": as_bytes(np.savez, header=np.array([{}], object)),
}


@pytest.mark.parametrize("name", STRANGERS)
def test_other_files_are_refused(name, tmp_path):
    path = tmp_path / "stranger.npz"
    path.write_bytes(STRANGERS[name])
    with pytest.raises(ValueError, match=r"stranger\.npz must be a saved octree: .+"):
        load(path)


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(ValueError, match="got a folder"):
        load(tmp_path)


def test_objects_are_refused_wherever_they_are(tree_file):
    with pytest.raises(ValueError, match="allow_pickle"):
        load(changed(tree_file, slots=np.array([{}], object)))


@pytest.mark.parametrize("share", np.linspace(0, 0.999, 12))
def test_a_part_of_a_file_is_refused(share, tree_file):
    whole = tree_file.read_bytes()
    tree_file.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(ValueError, match="must be a saved octree"):
        load(tree_file)


def changed(path, **arrays):
    """Replace arrays in the file; None takes one out."""
    with np.load(path) as file:
        arrays = {**file, **arrays}
    with path.open("wb") as file:
        np.savez(file, **{name: array for name, array in arrays.items() if array is not None})
    return path


def changed_header(path, **entries):
    with np.load(path) as file:
        header = json.loads(str(file["header"]))
    for name, value in entries.items():
        (header["options"] if name in header["options"] else header)[name] = value
    return changed(path, header=np.array(json.dumps(header)))


def arrays_of(path):
    with np.load(path) as file:
        return dict(file)


NAMES = (
    "header", "vertices", "faces", "invalid_items", "order", "slots", "strays", "divided",
    "first_child", "root", "middles", "counts",
)  # fmt: skip
EMPTY = ("invalid_items", "strays")


def test_these_are_all_arrays(tree_file):
    arrays = arrays_of(tree_file)
    assert set(arrays) == set(NAMES)
    assert {name for name in NAMES if arrays[name].size == 0} == set(EMPTY)


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_array_is_named(name, tree_file):
    with pytest.raises(ValueError, match=f"{tree_file}.*{name}"):
        load(changed(tree_file, **{name: None}))


@pytest.fixture
def dynamic_file(tmp_path):
    """Save a tree that has been changed: it has ids and groups besides."""
    tree = DynamicOctree(capacity=4)
    centers = np.random.default_rng(0).random((40, 3))
    ids = tree.insert(Spheres(centers, np.full(40, 0.1)), groups=np.arange(40) % 3 + 1)
    tree.remove(ids[::5])
    save(tree.octree, tmp_path / "dynamic")
    return tmp_path / "dynamic"


@pytest.mark.parametrize("names", [("ids",), ("groups",), ("groups", "ids")])
def test_what_not_every_tree_has_is_missed_where_it_was(names, dynamic_file):
    load(dynamic_file)
    with pytest.raises(ValueError, match=f"{dynamic_file}.*{', '.join(names)} must be there"):
        load(changed(dynamic_file, **dict.fromkeys(names)))


def test_what_the_tree_did_not_have_is_refused(tree_file):
    with pytest.raises(ValueError, match="ids must not be there"):
        load(changed(tree_file, ids=np.arange(300)))


@pytest.mark.parametrize("members", [None, 3, "ids", [["ids"]], [1], ["ids", 2]])
def test_a_list_of_members_that_is_none_is_refused(members, tree_file):
    with pytest.raises(ValueError, match="must be a saved octree"):
        load(changed_header(tree_file, members=members))


LENGTHS = {"name": 28, "extra": 30, "comment": 32}


@pytest.mark.parametrize("length", LENGTHS)
def test_no_array_hides_behind_a_longer_entry(length, dynamic_file):
    """An overlong entry in the archive's directory swallows the entries that follow."""
    content, tree = dynamic_file.read_bytes(), load(dynamic_file)
    entries = places_of(content, b"PK\1\2")
    end = content.rindex(b"PK\5\6")
    hidden = 0
    for at, entry in enumerate(entries):
        for rest in (*entries[at + 2 :], end):
            place = entry + LENGTHS[length]
            swallowed = rest - (*entries, end)[at + 1]
            longer = int.from_bytes(content[place : place + 2], "little") + swallowed
            damaged = content[:place] + longer.to_bytes(2, "little") + content[place + 2 :]
            dynamic_file.write_bytes(damaged)
            try:
                assert_same(tree, load(dynamic_file))
            except ValueError as error:
                hidden += "must be there" in str(error)
    assert hidden or length == "name"  # a name that is too long is another name


def places_of(content, mark):
    """Return where a mark begins, each time."""
    return [found.start() for found in re.finditer(re.escape(mark), content)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(), (1, 1), (2, 3, 4), (7, 7)])
def test_an_array_of_another_shape_is_refused(name, shape, tree_file):
    with pytest.raises(ValueError, match="must be a saved octree"):
        load(changed(tree_file, **{name: np.zeros(shape, arrays_of(tree_file)[name].dtype)}))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in EMPTY])
def test_an_array_of_another_type_is_refused(name, tree_file):
    array = arrays_of(tree_file)[name]
    with pytest.raises(ValueError, match="must be a saved octree"):
        load(changed(tree_file, **{name: array.astype("S300" if name == "header" else complex)}))


@pytest.mark.parametrize("name", ["order", "slots", "divided", "first_child", "counts", "faces"])
@pytest.mark.parametrize("value", [-1, 2**30, -(2**30)])
def test_numbers_out_of_range_are_refused(name, value, tree_file):
    array = arrays_of(tree_file)[name]
    array.flat[-1] = value
    with pytest.raises(ValueError, match=f"{tree_file} must be a saved octree"):
        load(changed(tree_file, **{name: array}))


@pytest.mark.parametrize("name", ["order", "divided", "first_child", "counts"])
def test_numbers_that_contradict_the_others_are_refused(name, tree_file):
    array = arrays_of(tree_file)[name]
    array[0] = array[-1] + (name == "counts")
    with pytest.raises(ValueError, match=f"{tree_file} must be a saved octree"):
        load(changed(tree_file, **{name: array}))


def test_an_item_that_stands_nowhere_is_refused(tree_file):
    slots = arrays_of(tree_file)["slots"]
    with pytest.raises(ValueError, match="references must name every item"):
        load(changed(tree_file, slots=np.where(slots == 5, 6, slots)))


def test_a_cell_that_is_part_of_itself_is_refused(tree_file):
    """Going down would never end."""
    arrays = arrays_of(tree_file)
    divided, first = arrays["divided"], arrays["first_child"]
    assert divided[1] < first[0] + 8
    turned = np.concatenate((first[1:2], first[:1], first[2:]))
    with pytest.raises(ValueError, match="behind the cell"):
        load(changed(tree_file, first_child=turned))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("vertices", np.nan), ("vertices", np.inf), ("root", np.nan), ("root", 1e9),
        ("middles", -np.inf), ("middles", np.nan), ("middles", 1e9),
    ],
)  # fmt: skip
def test_walls_in_no_order_and_coordinates_without_end_are_refused(name, value, tree_file):
    array = arrays_of(tree_file)[name]
    array[0, 0] = value
    with pytest.raises(ValueError, match="must be a saved octree"):
        load(changed(tree_file, **{name: array}))


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("format", "quadtree"), ("version", 2), ("version", None), ("kind", "Frusta"),
        ("kind", "Spheres"), ("capacity", 0), ("capacity", 1.5), ("max_depth", 1),
        ("min_size", "0"), ("straddlers", "drop"), ("loose_factor", 0.5), ("bounds", [1, 2]),
        ("bounds", [1, 1, 1, 0, 0, 0]), ("bounds", []),
        ("bounds", 3), ("bounds", [0, 0, 0, 1, 1, float("nan")]), ("bounds", [0, 0, 0, 1, 1, 1]),
        ("straddlers", "keep"), ("outside", 1), ("outside", -1), ("slack", -1.0),
        ("slack", float("nan")), ("options", {}), ("options", None),
    ],
)  # fmt: skip
def test_a_header_that_says_something_else_is_refused(entry, value, tree_file):
    with pytest.raises(ValueError, match=f"{tree_file} must be a saved octree"):
        load(changed_header(tree_file, **{entry: value}))


@pytest.mark.parametrize("version", [0, 2, None])
def test_another_version_is_refused_by_what_it_is_and_what_is_read(version, tree_file):
    with pytest.raises(ValueError, match=f"format must be octree 1, got octree {version}"):
        load(changed_header(tree_file, version=version))


def test_a_header_that_lists_no_members_is_refused(tree_file):
    header = json.loads(str(arrays_of(tree_file)["header"]))
    del header["members"]
    with pytest.raises(ValueError, match=r"must be a saved octree: .*members"):
        load(changed(tree_file, header=np.array(json.dumps(header))))


DAMAGED = [
    ({"straddlers": "keep"}, {"straddlers": "copy"}),
    ({"straddlers": "keep", "loose_factor": 2.0}, {"loose_factor": 1.0}),
    ({"straddlers": "keep", "loose_factor": 2.0}, {"straddlers": "hybrid"}),
    ({"straddlers": "hybrid"}, {"straddlers": "copy"}),
    ({"straddlers": "hybrid"}, {"straddlers": "keep"}),
    ({"straddlers": "keep", "bounds": SMALL}, {"loose_factor": 3.0}),
    ({"bounds": SMALL}, {"bounds": [0, 0, 0, 1, 1, 1]}),
]


@pytest.mark.parametrize(("options", "change"), DAMAGED)
def test_options_that_do_not_fit_the_arrays_are_refused(options, change, tmp_path):
    path = tmp_path / "tree"
    save(built(scenes.random(), capacity=8, **options), path)
    with pytest.raises(ValueError, match=f"{path} must be a saved octree: .+"):
        load(changed_header(path, **change))


OTHER_OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "straddlers": st.sampled_from(("copy", "keep", "hybrid")),
        "split": st.sampled_from(("middle", "median")),
        "loose_factor": st.sampled_from((1.0, 1.5, 2.0, 4.0)),
        "hybrid_limit": st.integers(1, 8),
        "bounds": st.none() | st.lists(st.integers(-1, 1), max_size=7),
        "capacity": st.integers(1, 9),
        "max_depth": st.integers(0, 9),
    },
)


@given(st.data(), st.sampled_from(("copy", "keep", "hybrid")), st.sampled_from((None, SMALL)))
def test_other_options_are_refused_or_break_no_question(sound, data, straddlers, bounds):
    path, items = sound.with_name("optional"), scenes.random(40)
    tree = built(items, capacity=4, straddlers=straddlers, loose_factor=1.5, bounds=bounds)
    save(tree, path)
    try:
        other = load(changed_header(path, **data.draw(OTHER_OPTIONS)))
    except ValueError as error:
        assert "must be a saved octree: " in str(error)
        return
    other.check()
    for volumes in (about(items, 5) for about in scenes.ABOUT):
        for relation in ("touching", "inside"):
            answers = (query(one, volumes, relation=relation) for one in (tree, other))
            assert_array_equal(*answers)
    assert_array_equal(overlapping_pairs(tree), overlapping_pairs(other))


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    path = tmp_path_factory.mktemp("sound") / "tree"
    save(built(scenes.random(40), capacity=4, straddlers="hybrid", bounds=SMALL), path)
    return path


@given(st.data())
@examples(120)
def test_a_changed_byte_is_noticed_or_matters_not(sound, data):
    content = bytearray(sound.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    path = sound.with_name("spoilt")
    path.write_bytes(content)
    try:
        tree = load(path)
    except ValueError as error:
        assert "spoilt" in str(error)
    else:
        assert_same(tree, load(sound))


@given(st.data())
@examples(120)
def test_a_changed_number_is_noticed_or_breaks_no_question(sound, data):
    arrays = arrays_of(sound)
    name = data.draw(st.sampled_from([name for name in NAMES if arrays[name].size > 1]))
    array = arrays[name]
    place = data.draw(st.integers(0, array.size - 1))
    numbers = (
        st.floats(-1e100, 1e100) if array.dtype.kind == "f" else st.integers(-(2**31), 2**31 - 1)
    )
    array.flat[place] = data.draw(numbers | st.sampled_from((array.flat[0], array.flat[-1] + 1)))
    path = sound.with_name("other")
    path.write_bytes(as_bytes(np.savez, **arrays))
    try:
        tree = load(path)
    except ValueError:
        return
    for volumes in (about(tree.items, 5) for about in scenes.ABOUT):
        for relation in ("touching", "inside", "candidates"):
            query(tree, volumes, relation=relation)
    tree.cells_of()
