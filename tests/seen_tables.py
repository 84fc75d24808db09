"""Visibility tables made from layers of pixels in the plainest way, and their oracle decoders."""

import numpy as np

from octree_ext.octree_addon.cameras import VisibilityResult
from octree_ext.octree_addon.cameras.table import (
    IN_VIEW,
    OCCLUDED,
    OUT_OF_VIEW,
    SEEN,
    Items,
    Pixels,
    SeenTable,
    Views,
)

NAMES = ("Plain", 'Com,ma "quoted"\nline', "=1+1", "Ünder", "Gone")


def random_table(seed=0, *, frames=(1, 2, 3), cameras=("Camera",), size=(11, 7), items=NAMES):
    """Return a table of random rectangles before each other, with its extended silhouettes.

    Those are by view and item, pictures three times as wide and high.
    """
    random = np.random.default_rng(seed)
    width, height = size
    views = [(frame, camera) for frame in frames for camera in range(len(cameras))]
    silhouettes = np.zeros((len(views), len(items), 3 * height, 3 * width), bool)
    for layers in silhouettes:
        for layer in layers[:-1]:  # the last is never there
            x, y = random.integers(0, 3 * width), random.integers(0, 3 * height)
            layer[
                y : y + random.integers(1, 2 * height), x : x + random.integers(1, 2 * width)
            ] = 1
    labels = [
        front_of(layers[:, height : 2 * height, width : 2 * width]) for layers in silhouettes
    ]
    return table_of(silhouettes, labels, views, cameras, size, items), silhouettes, labels


def front_of(layers):
    """Return the first layer at each pixel, -1 where there is none."""
    return np.where(layers.any(axis=0), layers.argmax(axis=0), -1).astype(np.int32)


def table_of(silhouettes, labels, views, cameras, size, items):
    width, height = size
    rows = [(view, item) for view in range(len(views)) for item in range(len(items))]
    rows = [(view, item) for view, item in rows if silhouettes[view, item].any()]
    counted = [row_of(silhouettes[at], labels[at[0]] == at[1], width, height) for at in rows]
    visible, amodal, extended, visible_boxes, amodal_boxes = (
        np.array(column, np.int64) for column in zip(*counted, strict=True)
    )
    states = np.where(visible > 0, SEEN, np.where(amodal > 0, OCCLUDED, OUT_OF_VIEW))
    of_views, of_items = np.array(rows, np.intp).T
    return SeenTable(
        Items(items, tuple((at, 5) if at % 2 else () for at in range(len(items))), kinds(items)),
        Views(*np.array(views, np.intp).T, cameras, size),
        of_views,
        of_items,
        states.astype(np.uint8),
        Pixels(
            visible,
            amodal,
            extended,
            visible_boxes.reshape(-1, 4),
            amodal_boxes.reshape(-1, 4),
            np.where(visible > 0, 1.5, np.nan),
        ),
        lambda view: labels[view],
    )


def seen_answer(objects, cameras, frames, flags):
    """Return what cameras saw of objects, session id -> name; flags (objects, cameras, frames)."""
    size = len(frames), len(cameras)
    views = np.indices(size).reshape(2, -1)
    found, cameras_of, frames_of = np.nonzero(flags)
    table = SeenTable(
        Items(tuple(objects.values()), ((),) * len(objects), ("",) * len(objects)),
        Views(np.array(frames, np.intp)[views[0]], views[1], cameras, (1, 1)),
        np.ravel_multi_index((frames_of, cameras_of), size),
        found,
        np.full(len(found), IN_VIEW, np.uint8),
    )
    return VisibilityResult(table=table, owners=tuple(objects), faces={})


def flags_of(seen):
    """Return whether each camera saw each object in each frame, (objects, cameras, frames)."""
    flags = np.zeros((len(seen.objects), len(seen.cameras), len(seen.frames)), bool)
    which = seen.table.which
    for row in np.flatnonzero(seen.table.is_seen):
        view, item = seen.table.views[row], seen.table.items_of[row]
        frame = seen.frames.index(which.frames[view])
        flags[seen.object_of_item[item], which.cameras[view], frame] = True
    return flags


def kinds(items):
    return tuple("thing" if at % 2 else "" for at in range(len(items)))


def row_of(silhouette, mask, width, height):
    inside = silhouette[height : 2 * height, width : 2 * width]
    amodal_box = box_of(silhouette) - [width, height, 0, 0]
    return mask.sum(), inside.sum(), silhouette.sum(), box_of(mask), amodal_box


def box_of(mask):
    if not mask.any():
        return np.zeros(4, np.int64)
    rows, columns = np.nonzero(mask)
    lower = np.array([columns.min(), rows.min()])
    upper = np.array([columns.max(), rows.max()])
    return np.concatenate((lower, upper - lower + 1))


def decoded_counts(text):
    """Return the run lengths that COCO's compressed text stands for, number by number."""
    counts, number, shift = [], 0, 0
    for character in text:
        bits = ord(character) - 48
        number |= (bits & 31) << shift
        shift += 5
        if not bits & 32:
            number -= bool(bits & 16) << shift
            counts.append(number + (counts[-2] if len(counts) > 2 else 0))
            number, shift = 0, 0
    return counts


def decoded_mask(text, width, height):
    """Return the picture of run lengths, which go down the columns and begin with zeros."""
    counts = decoded_counts(text)
    assert all(count > 0 for count in counts[1:])
    flags = np.repeat(np.arange(len(counts)) % 2 == 1, counts)
    return flags.reshape(width, height).T
