"""Label pictures: 16-bit PNG files, as the standard has them, and read again."""

import struct
import zlib
from dataclasses import replace

import numpy as np
import pytest
from seen_tables import random_table

from octree_ext.octree_addon.cameras.data import (
    Items,
    SeenTable,
    Views,
    picture_names,
    with_label_pictures,
    write_label_pictures,
)
from octree_ext.octree_addon.png import gray_of, gray_png


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
