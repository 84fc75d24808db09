"""Files of visibility tables: CSV, JSON, COCO, BOP and label pictures, each against an oracle."""

import csv
import io
import json
from dataclasses import fields, replace

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from seen_tables import NAMES, box_of, decoded_mask, random_table

from core import (
    Boxes,
    SceneOctree,
    Triangles,
    ZBuffer,
    item_buffers,
    views_inside,
    visibility,
)
from octree_ext.octree_addon.cameras.table import (
    STATES,
    Items,
    SeenAnswer,
    Views,
    bop_text,
    coco_texts,
    csv_text,
    json_texts,
    masks_of,
    picture_names,
    read_json,
    table_from_views,
)
from octree_ext.octree_addon.written_files import write_file

PICTURES = arrays(
    np.int32, array_shapes(min_dims=2, max_dims=2, max_side=9), elements=st.integers(-1, 3)
)


def lines_of(table):
    return list(csv.DictReader(io.StringIO(csv_text(table), newline="")))


def coco_of(table):
    return json.loads("".join(coco_texts(table)))


def without_pixels(table):
    return replace(table, pixels=None, labels=None)


def test_a_line_of_csv_for_each_view_and_item():
    table, silhouettes, labels = random_table()
    lines = lines_of(table)
    there = [line for line in lines if line["frame"]]
    assert len(there) == len(table) == silhouettes.any(axis=(2, 3)).sum()
    for line in there:
        view, item = (
            int(line["frame"]) - 1,
            [n.lstrip("'") for n in NAMES].index(line["object"].lstrip("'")),
        )
        mask = labels[view] == item
        assert int(line["visible_pixels"]) == mask.sum()
        assert float(line["picture_share"]) == mask.sum() / mask.size
        assert int(line["extended_pixels"]) == silhouettes[view, item].sum()
        box = [int(line[f"visible_{name}"]) for name in ("x", "y", "width", "height")]
        assert box == box_of(mask).tolist()
        assert line["distance"] == ("1.5" if mask.any() else "")
        assert line["camera"] == "Camera"
    assert [line["object"] for line in lines if not line["frame"]] == ["Gone"]


def test_names_are_harmless_in_csv():
    lines = lines_of(random_table()[0])
    assert {line["object"] for line in lines} == {*NAMES} - {"=1+1"} | {"'=1+1"}
    assert {line["instance"] for line in lines} == {"", "1 5", "3 5"}
    assert {line["state"] for line in lines} <= {*STATES}


def test_csv_without_pixels_has_no_columns_of_them():
    header, *lines = csv_text(without_pixels(random_table()[0])).splitlines()
    assert header == "frame,camera,object,instance,category,state"
    assert lines[-1] == ",,Gone,,,out of view"


def test_fractions_are_of_the_picture_and_of_what_is_beyond():
    table, silhouettes, labels = random_table(3)
    pixels = table.pixels
    for row in range(len(table)):
        view, item = table.views[row], table.items_of[row]
        inside = silhouettes[view, item, 7:14, 11:22].sum()
        seen, whole = (labels[view] == item).sum(), silhouettes[view, item].sum()
        assert pixels.visible_fractions[row] == (seen / inside if inside else 0)
        assert pixels.truncated_fractions[row] == (whole - inside) / whole


@pytest.mark.parametrize("chunk", [None, (3, 12)])
@pytest.mark.parametrize("has_pixels", [True, False])
def test_json_is_read_as_it_was_written(chunk, has_pixels):
    table = random_table()[0]
    table = table if has_pixels else without_pixels(table)
    text = "".join(json_texts(SeenAnswer(table, {"file": "a.blend"}, chunk)))
    answer = read_json(text)
    assert (answer.question, answer.chunk) == ({"file": "a.blend"}, chunk)
    assert "".join(json_texts(answer)) == text
    assert answer.table.items.names == NAMES
    for name in ("views", "items_of", "states"):
        assert (getattr(answer.table, name) == getattr(table, name)).all()
    data = json.loads(text)
    assert (data["format"], data["version"], data["size"]) == ("octree seen", 1, [11, 7])
    assert len({len(column) for column in data["rows"].values()}) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "Expecting"),
        ("[]", "octree seen must be an object"),
        ("{}", "format must be 'octree seen', got None"),
        ('{"format": "octree seen", "version": 2}', "version must be 1, got 2"),
        ('{"format": "octree seen", "version": 1, "chunk": null}', "not an answer"),
        ('{"format": "other", "version": 1}', "format must be 'octree seen', got 'other'"),
    ],
)
def test_what_is_no_answer_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        read_json(text)


@given(PICTURES)
@examples(300)
def test_masks_are_the_pixels(picture):
    masks = masks_of(picture)
    assert masks.keys() == {*picture[picture >= 0].tolist()}
    height, width = picture.shape
    for item, text in masks.items():
        assert (decoded_mask(text, width, height) == (picture == item)).all()


@pytest.mark.parametrize("size", [(1, 1), (640, 480), (5000, 9000)])
def test_masks_of_pictures_with_long_and_short_runs(size):
    width, height = size
    picture = np.full((height, width), -1, np.int32)
    picture[height // 3 :, width // 2 :] = 7
    picture[:: max(1, height // 3), :: max(1, width // 2)] = 2
    for item, text in masks_of(picture).items():
        assert (decoded_mask(text, width, height) == (picture == item)).all()


def test_pycocotools_decodes_the_same_pixels_and_encodes_the_same_text():
    coco = pytest.importorskip("pycocotools.mask", reason="no pycocotools in this environment")
    for seed in range(20):
        table, _, labels = random_table(seed, size=(64, 48))
        for view, picture in enumerate(labels):
            for item, text in masks_of(picture).items():
                mask = picture == item
                rle = {"size": [48, 64], "counts": text.encode()}
                assert (coco.decode(rle) == mask).all()
                assert coco.encode(np.asfortranarray(mask, np.uint8))["counts"] == text.encode()
                row = np.flatnonzero((table.views == view) & (table.items_of == item))[0]
                assert coco.area(rle) == table.pixels.visible[row]
                assert coco.toBbox(rle).tolist() == table.pixels.visible_boxes[row].tolist()


def test_pycocotools_opens_the_file(tmp_path):
    api = pytest.importorskip("pycocotools.coco", reason="no pycocotools in this environment")
    table, _, labels = random_table(1, cameras=("Left", "Right"))
    write_file(tmp_path / "coco.json", coco_texts(table))
    dataset = api.COCO(str(tmp_path / "coco.json"))
    assert len(dataset.getImgIds()) == 6
    assert len(dataset.anns) == (table.pixels.visible > 0).sum() > 0
    for annotation in dataset.anns.values():
        picture = labels[annotation["image_id"] - 1]
        mask = dataset.annToMask(annotation)
        assert (mask == (picture == annotation["object_id"] - 1)).all()
        assert annotation["area"] == mask.sum()


def test_coco_holds_what_is_visible():
    table, _, labels = random_table(2)
    data = coco_of(table)
    assert [image["file_name"] for image in data["images"]] == [
        "Camera_0001.png",
        "Camera_0002.png",
        "Camera_0003.png",
    ]
    assert data["categories"] == [{"id": 1, "name": "object"}, {"id": 2, "name": "thing"}]
    found = {(each["image_id"] - 1, each["object_id"] - 1): each for each in data["annotations"]}
    seen = {(view, item) for view, picture in enumerate(labels) for item in np.unique(picture)}
    assert found.keys() == {(view, int(item)) for view, item in seen if item >= 0}
    assert [each["id"] for each in data["annotations"]] == list(range(1, len(found) + 1))
    for (view, item), each in found.items():
        mask = decoded_mask(each["segmentation"]["counts"], 11, 7)
        assert each["segmentation"]["size"] == [7, 11]
        assert (mask == (labels[view] == item)).all()
        assert (each["area"], each["bbox"]) == (mask.sum(), box_of(mask).tolist())
        assert each["category_id"] == 1 + item % 2


def test_coco_makes_one_label_picture_at_a_time():
    table, _, labels = random_table(2)
    made = []
    texts = coco_texts(replace(table, labels=lambda view: made.append(view) or labels[view]))
    assert "images" in next(texts) + next(texts)
    assert made == []
    next(texts)
    assert made == [0]
    assert len(list(texts)) > 2
    assert made == [0, 1, 2]


def test_coco_refuses_what_it_cannot_say():
    table, _, labels = random_table(2)
    with pytest.raises(ValueError, match="COCO needs label pictures"):
        coco_of(without_pixels(table))
    with pytest.raises(ValueError, match=r"shape \(7, 11\), got \(11, 7\)"):
        coco_of(replace(table, labels=lambda view: labels[view].T))


def bop_of_masks(silhouette, labels, item):
    """Say what calc_gt_info.py would, with its own steps; `silhouette` is three pictures wide."""
    height, width = labels.shape
    silhouette_here = silhouette[height : 2 * height, width : 2 * width]
    visible = labels == item
    count_all, count_visible = silhouette.sum(), visible.sum()
    box, box_visible = [-1] * 4, [-1] * 4
    if count_visible > 0:
        ys, xs = silhouette.nonzero()
        box = calc_2d_bbox(xs - width, ys - height)
        ys, xs = visible.nonzero()
        box_visible = calc_2d_bbox(xs, ys)
    return {
        "px_count_all": count_all,
        "px_count_valid": silhouette_here.sum(),
        "px_count_visib": count_visible,
        "visib_fract": count_visible / count_all if count_all > 0 else 0.0,
        "bbox_obj": box,
        "bbox_visib": box_visible,
    }


def calc_2d_bbox(xs, ys):
    return [xs.min(), ys.min(), xs.max() - xs.min(), ys.max() - ys.min()]


@pytest.mark.parametrize("seed", range(8))
def test_bop_numbers_follow_its_formulas(seed):
    table, silhouettes, labels = random_table(seed, frames=(3, 5, 8))
    data = json.loads(bop_text(table))
    assert list(data) == ["3", "5", "8"]
    for view, infos in enumerate(data.values()):
        assert len(infos) == len(NAMES)
        for item, info in enumerate(infos):
            assert info == bop_of_masks(silhouettes[view, item], labels[view], item)


def seen_through(view, scene, size):
    """Return a table of what a view shows of a scene, and what masks say of it."""
    renderer = ZBuffer(scene)
    found = visibility(renderer, view[None], size=size)
    names = [field.name for field in fields(found) if field.name != "size"]
    count = len(scene)
    which = Views(np.array([1]), np.array([0]), ("Camera",), size)
    items = Items(tuple(map(str, range(count))), ((),) * count, ("",) * count)
    counts = {name: getattr(found, name) for name in names}
    for name in ("visible", "amodal", "whole"):
        counts[name] = counts[name].astype(np.int64)
    wide, large = np.diag([1 / 3, 1 / 3, 1, 1]) @ view, (3 * size[0], 3 * size[1])
    silhouettes = [
        item_buffers(ZBuffer(scene.only([each])), wide[None], size=large).placements[0, ::-1] >= 0
        for each in scene.ids
    ]
    labels = item_buffers(renderer, view[None], size=size).placements[0, ::-1]
    return table_from_views(items, which, **counts), silhouettes, labels


@pytest.mark.parametrize("seed", range(3))
def test_bop_counts_what_is_beside_the_picture(seed):
    """Objects stand all around a camera; up to a picture away from its picture, they count."""
    rng = np.random.default_rng(seed)
    scene, matrices = SceneOctree(), np.tile(np.eye(4), (60, 1, 1))
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]) - 0.3
    mesh = scene.add_mesh(Triangles(corners, [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]))
    matrices[:, :3, 3] = rng.uniform(-9, 9, (60, 3))
    scene.place([mesh] * 60, matrices)
    view = views_inside(Boxes([[0, 0, 0]], [[0, 0, 0]]), places=1)[seed]
    table, silhouettes, labels = seen_through(view, scene, (33, 24))
    (infos,) = json.loads(bop_text(table)).values()
    assert len(infos) == 60
    for item, info in enumerate(infos):
        assert info == bop_of_masks(silhouettes[item], labels, item)
    beside = [info for info in infos if info["px_count_all"] and not info["px_count_valid"]]
    assert len(beside) > 5


def test_bop_refuses_what_it_cannot_say():
    with pytest.raises(ValueError, match="BOP needs pixels"):
        bop_text(without_pixels(random_table()[0]))
    with pytest.raises(ValueError, match="one camera a scene, not 2"):
        bop_text(random_table(cameras=("Left", "Right"))[0])


def test_picture_names_are_harmless_and_unique():
    which = Views(np.array([1, -2, 3]), np.array([0, 1, 2]), ("a/b", "A:b", "../c"), (1, 1))
    assert picture_names(which) == ["a_b_0001.png", "A_b_2_-002.png", "_c_0003.png"]


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    def broken():
        yield "half"
        raise ValueError("no more")

    path = tmp_path / "seen.json"
    with pytest.raises(ValueError, match="no more"):
        write_file(path, broken())
    assert list(tmp_path.iterdir()) == []
    write_file(path, ["bad \udc80 name\n"])
    assert path.read_bytes() == b"bad \\udc80 name\n"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"views": np.zeros(1, np.intp)}, r"items_of must have shape \(1,\)"),
        ({"states": np.full(12, 9, np.uint8)}, "states must be numbers from 0 to 4, got 9"),
        ({"items_of": np.full(12, 77, np.intp)}, "items_of must be numbers from 0 to 4"),
        ({"items_of": np.zeros(12, np.intp)}, "two rows of one view and item"),
    ],
)
def test_columns_that_do_not_fit_are_refused(change, message):
    table = random_table()[0]
    assert len(table) == 12
    with pytest.raises(ValueError, match=message):
        replace(table, **change)


def test_arrays_of_views_become_rows_with_boxes_from_the_top():
    table, _, labels = random_table(5, frames=(1, 2))
    views, items = len(labels), len(NAMES)
    dense = np.zeros((views, items))
    counts = {name: dense.copy() for name in ("visible", "amodal", "whole")}
    boxes = {name: np.zeros((views, items, 4), int) for name in ("visible_boxes", "amodal_boxes")}
    states, depths = np.full((views, items), STATES.index("out of view"), np.uint8), dense + np.inf
    for row in range(len(table)):
        at, pixels = (table.views[row], table.items_of[row]), table.pixels
        states[at] = table.states[row]
        counts["visible"][at], counts["amodal"][at] = pixels.visible[row], pixels.amodal[row]
        counts["whole"][at] = pixels.extended[row]
        if pixels.visible[row]:
            depths[at] = 1.5
        for name, found in boxes.items():
            x, y, width, height = getattr(pixels, name)[row]
            found[at] = (x, 7 - y - height, x + width, 7 - y) if width else 0
    measured = {"states": states, "depths": depths, **counts, **boxes}
    again = table_from_views(table.items, table.which, **measured)
    outside = table.states == STATES.index("out of view")
    kept = ~outside | (table.pixels.extended > 0)
    assert outside[kept].any()
    assert len(again) == kept.sum()
    assert (again.views == table.views[kept]).all()
    assert (again.states == table.states[kept]).all()
    for name, column in vars(again.pixels).items():
        assert np.array_equal(column, getattr(table.pixels, name)[kept], equal_nan=True), name


def test_what_no_pixel_shows_has_no_annotation():
    table, _, labels = random_table(2)
    assert coco_of(replace(table, labels=lambda view: labels[view] * 0 - 1))["annotations"] == []


def test_parts_of_pixels_are_written_and_rounded_for_bop():
    table = random_table(5)[0]
    halves = {name: getattr(table.pixels, name) / 2 for name in ("visible", "amodal", "extended")}
    table = replace(table, pixels=replace(table.pixels, **halves))
    text = "".join(json_texts(SeenAnswer(table)))
    assert "".join(json_texts(read_json(text))) == text
    infos = [info for image in json.loads(bop_text(table)).values() for info in image]
    assert all(isinstance(info["px_count_visib"], int) for info in infos)
    areas = {each["area"] for each in coco_of(table)["annotations"]}
    assert areas == {*halves["visible"][halves["visible"] > 0].tolist()}
