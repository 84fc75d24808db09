"""Label pictures: 16-bit PNG files, as the standard has them, and read again."""

import struct
import zlib
from dataclasses import replace

import numpy as np
import pytest
from seen_tables import random_table

from octree_ext.octree_addon.cameras.table import (
    Items,
    SeenTable,
    Views,
    picture_names,
    with_label_pictures,
    write_label_pictures,
)
from octree_ext.octree_addon.png import gray_of, gray_png, small_png


def decoded_png(data):
    """Return size, bit depth, color type and pixels of a PNG without filters."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, place = {}, 8
    while place < len(data):
        (length,) = struct.unpack(">I", data[place : place + 4])
        kind, content = data[place + 4 : place + 8], data[place + 8 : place + 8 + length]
        (check,) = struct.unpack(">I", data[place + 8 + length : place + 12 + length])
        assert check == zlib.crc32(kind + content)
        chunks[kind] = content
        place += 12 + length
    _, height, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert rest == [16, 0, 0, 0, 0]
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, -1)
    assert (rows[:, 0] == 0).all()
    return rows[:, 1::2].astype(int) * 256 + rows[:, 2::2]


def test_label_pictures_are_16_bit_png(tmp_path):
    table, _, labels = random_table()
    assert write_label_pictures(table, tmp_path / "labels") == 3
    for name, picture in zip(picture_names(table.which), labels, strict=True):
        decoded = decoded_png((tmp_path / "labels" / name).read_bytes())
        assert (decoded == picture + 1).all()


def test_blender_reads_all_16_bits(tmp_path):
    import bpy

    gray = np.array([[0, 1, 255], [256, 40_000, 65_535]])
    path = tmp_path / "gray.png"
    path.write_bytes(gray_png(gray))
    assert (decoded_png(path.read_bytes()) == gray).all()
    image = bpy.data.images.load(str(path))
    image.colorspace_settings.name = "Non-Color"
    assert tuple(image.size) == (3, 2)
    pixels = np.empty(2 * 3 * 4, np.float32)
    image.pixels.foreach_get(pixels)
    red = pixels.reshape(2, 3, 4)[::-1, :, 0]  # from the bottom
    assert np.abs(red * 65_535 - gray).max() < 0.1


def test_label_pictures_are_read_as_they_were_written(tmp_path):
    table, _, labels = random_table()
    write_label_pictures(table, tmp_path)
    read = with_label_pictures(replace(table, labels=None), tmp_path)
    for view, picture in enumerate(labels):
        assert np.array_equal(read.label_picture(view), picture)
    png = gray_png(np.array([[0, 40_000]]))
    assert gray_of(png).tolist() == [[0, 40_000]]
    filtered = b"IDAT" + zlib.compress(b"\x01" + bytes(4))
    other = png[:33] + struct.pack(">I", len(filtered) - 4) + filtered + bytes(4)
    eight_bits = png[:24] + b"\x08" + png[25:]
    for damaged in (b"", png[:40], png[:33], eight_bits, other):
        with pytest.raises(ValueError, match=r"damaged|no label picture|something else"):
            gray_of(damaged)


def test_more_items_than_16_bits_are_refused(tmp_path):
    count = 65_536
    table = SeenTable(
        Items(("a",) * count, tuple((at,) for at in range(count)), ("",) * count),
        Views(np.array([1]), np.array([0]), ("Camera",), (1, 1)),
        np.empty(0, np.intp),
        np.empty(0, np.intp),
        np.empty(0, np.uint8),
        labels=lambda view: np.zeros((1, 1), np.int32),
    )
    with pytest.raises(ValueError, match="65,535 items apart, not 65,536"):
        write_label_pictures(table, tmp_path / "labels")
    assert not (tmp_path / "labels").exists()


def colors_of(path):
    """Return what Blender reads from a file of colors, (height, width, 3), the top row first."""
    import bpy

    image = bpy.data.images.load(str(path))
    pixels = np.empty(image.size[0] * image.size[1] * 4, np.float32)
    image.pixels.foreach_get(pixels)
    whole = pixels.reshape(image.size[1], image.size[0], 4)[::-1, :, :3]
    bpy.data.images.remove(image)
    return np.rint(whole * 255)


def test_pictures_of_few_colors_are_kept_as_they_are(tmp_path):
    colors = np.array([[0, 0, 0], [255, 255, 255], [61, 125, 202], [232, 133, 61]], np.uint8)
    pixels = colors[np.random.default_rng(1).integers(0, 4, (30, 40))]
    (tmp_path / "few.png").write_bytes(small_png(pixels, 10_000))
    assert (colors_of(tmp_path / "few.png") == pixels).all()


def test_pictures_are_as_coarse_as_they_must_be(tmp_path):
    """Shades of a surface lose what nobody sees; noise loses colors, and then pixels."""
    across, down = np.meshgrid(np.arange(480), np.arange(360))
    shaded = np.stack((across / 2, down / 2, (across + down) / 4), axis=-1).astype(np.uint8)
    noise = np.random.default_rng(2).integers(0, 256, (360, 480, 3), np.uint8)
    sizes = {}
    for name, pixels in (("shaded", shaded), ("noise", noise)):
        png = small_png(pixels, 12_000)
        assert len(png) <= 12_000, name
        (tmp_path / f"{name}.png").write_bytes(png)
        read = colors_of(tmp_path / f"{name}.png")
        sizes[name] = read.shape[:2]
        step = 360 // len(read)
        assert np.abs(read - pixels[::step, ::step]).mean() < 40, name
    assert sizes["shaded"] == (360, 480)
    assert sizes["noise"] < sizes["shaded"]
