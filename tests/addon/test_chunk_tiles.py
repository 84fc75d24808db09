"""3D Tiles of chunks: boxes in boxes, errors that fall, what is in them; axes, units and Earth."""

import json

import bpy
import numpy as np
import pytest
from blender_scenes import cube
from chunk_scenes import areas, bumpy, world
from gltf_files import gltf_triangles
from tile_rules import bounds, check_tileset

from octree_ext.octree_addon import command_line
from octree_ext.octree_addon.shipping.georeference import (
    Georeference,
    read_georeference,
    to_earth_center,
)
from octree_ext.octree_addon.shipping.tileset import ContentTile, tileset_text

CHUNKS = ("--triangles", "60", "--least-triangles", "0", "--least-size", "0.125")


def shipped(folder, *words):
    path = folder / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    out = folder / "tiles"
    said = ["chunks", path, *CHUNKS, "--tiles", out, *words]
    assert command_line.main([str(word) for word in said]) == 0
    manifest = json.loads((out / "manifest.json").read_text())
    return out, json.loads((out / "tileset.json").read_text()), manifest


@pytest.mark.parametrize("scale", [1.0, 0.01])
@pytest.mark.parametrize("words", [(), ("--quadtree",), ("--assign",)])
def test_tiles_hold_all_chunks_in_boxes_that_nest(empty_scene, tmp_path, scale, words):
    empty_scene.unit_settings.scale_length = scale
    item = bumpy("Sheet")
    item.location, item.rotation_euler.x = (100.0, -37.3, 12.1), 0.7
    cube("Box", 0.5, location=(108.3, -37.2, 9.1))
    bpy.context.view_layer.update()
    area = sum(areas(world(each)).sum() for each in empty_scene.objects) * scale**2
    places = np.concatenate([world(each) for each in empty_scene.objects]).reshape(-1, 3) * scale
    out, tileset, manifest = shipped(tmp_path, *words)
    leaves = check_tileset(tileset, out)
    assert set(leaves) == {f"{each['id']}.glb" for each in manifest["chunks"]}
    assert sum(areas(gltf_triangles(out / uri)).sum() for uri in leaves) == pytest.approx(
        area, rel=1e-5
    )
    lower, upper = bounds(tileset["root"])
    np.testing.assert_allclose((lower, upper), (places.min(0), places.max(0)), rtol=1e-4)
    assert "transform" not in tileset["root"]
    assert manifest["index"] == ["tileset.json"]


def test_far_from_the_origin_seams_and_boxes_hold(empty_scene, tmp_path):
    item = bumpy("Sheet")
    item.location = (1e6, -1e6, 3.0)
    bpy.context.view_layer.update()
    out, tileset, _ = shipped(tmp_path)
    check_tileset(tileset, out)


def test_a_georeference_is_the_transform_of_the_root(empty_scene, tmp_path):
    bumpy("Sheet")
    out, tileset, _ = shipped(tmp_path, "--georeference", "8.5417,47.3769,408")
    check_tileset(tileset, out)
    matrix = np.array(tileset["root"]["transform"]).reshape(4, 4).T
    np.testing.assert_array_equal(matrix, to_earth_center(Georeference(8.5417, 47.3769, 408.0)))
    before = (out / "tileset.json").read_bytes()
    shipped(tmp_path)
    assert (out / "tileset.json").read_bytes() != before


def test_another_format_in_the_same_folder_takes_the_tileset_away(empty_scene, tmp_path):
    bumpy("Sheet")
    out, _, _ = shipped(tmp_path)
    words = ["chunks", tmp_path / "scene.blend", *CHUNKS, "--glb", out]
    assert command_line.main([str(word) for word in words]) == 0
    assert not (out / "tileset.json").exists()
    assert len(list(out.glob("*.glb"))) > 5


@pytest.mark.parametrize(
    ("place", "center"),
    [
        # Hand calculated, and the poles.
        ((0, 0, 0), (6378137.0, 0, 0)),
        ((90, 0, 100), (0, 6378237.0, 0)),
        ((0, 90, 0), (0, 0, 6356752.314245)),
        ((-180, -90, 10), (0, 0, -6356762.314245)),
        # EPSG guidance note 7-2, geographic to geocentric: 53d48'33.82"N, 2d07'46.38"E, 73 m.
        ((2.12955, 53.80939444, 73.0), (3771793.968, 140253.342, 5124304.349)),
    ],
)
def test_places_on_earth(place, center):
    matrix = to_earth_center(Georeference(*map(float, place)))
    np.testing.assert_allclose(matrix[:3, 3], center, atol=0.01)
    np.testing.assert_allclose(matrix[:3, :3].T @ matrix[:3, :3], np.eye(3), atol=1e-15)
    assert np.linalg.det(matrix[:3, :3]) == pytest.approx(1)


def test_east_north_and_up():
    place = Georeference(8.5417, 47.3769, 408.0)
    matrix = to_earth_center(place)
    step = 1e-4
    east = to_earth_center(place._replace(longitude=place.longitude + step))[:3, 3]
    north = to_earth_center(place._replace(latitude=place.latitude + step))[:3, 3]
    up = to_earth_center(place._replace(height=place.height + 1))[:3, 3]
    for axis, other in enumerate((east, north, up)):
        way = other - matrix[:3, 3]
        np.testing.assert_allclose(way / np.linalg.norm(way), matrix[:3, axis], atol=1e-5)


def test_what_is_no_place_is_refused(tmp_path, capsys):
    assert read_georeference(" ") is None
    assert read_georeference("1, -2") == (1.0, -2.0, 0.0)
    for text in ("1", "1,2,3,4", "a,b", "181,0", "0,91", "0,0,nan", "inf,0"):
        with pytest.raises(ValueError, match=r"georeference|Earth"):
            read_georeference(text)
    words = ["chunks", "no.blend", "--tiles", str(tmp_path), "--georeference", "1"]
    assert command_line.main(words) == 2


@pytest.mark.parametrize("bits", [2, 3])
def test_boxes_nest_for_any_codes(bits):
    """Cells of random depths, none below another one."""
    random = np.random.default_rng(bits)
    for _ in range(30):
        codes = {1}
        for _ in range(random.integers(0, 40)):
            code = random.choice(sorted(codes))
            codes.remove(code)
            children = [int(code) << bits | child for child in range(1 << bits)]
            codes |= {each for each in children if random.random() < 0.7} or {children[0]}
        lower = random.uniform(-9, 9, (len(codes), 3))
        upper = lower + random.uniform(0.1, 1, lower.shape)
        leaves = [
            ContentTile(code, f"{code}.glb", lower[row], upper[row])
            for row, code in enumerate(sorted(codes))
        ]
        tileset = json.loads(tileset_text(leaves, bits))
        assert set(check_tileset(tileset)) == {each.uri for each in leaves}
