"""Merge of visibility tables from a render farm, in an order independent of the split."""

from collections.abc import Callable, Sequence

import numpy as np

from ...arrays import Ids
from ...shares import check_asked, check_chunks
from .json_file import SeenAnswer
from .table import Items, LabelPicture, Pixels, SeenTable, Views


def merged_answers(answers: Sequence[SeenAnswer]) -> SeenAnswer:
    """Merge the answers of all chunks; raise a `ValueError` unless each chunk is given once."""
    questions = [each.question for each in answers]
    check_asked(questions, "These answer different questions")
    check_chunks([each.chunk for each in answers])
    return SeenAnswer(merged([each.table for each in answers]), questions[0])


def merged(tables: Sequence[SeenTable]) -> SeenTable:
    """Merge tables: items and cameras are sorted by name, views by frame.

    Any split of the same views gives the same table. Raises a `ValueError` if a view occurs twice,
    or if sizes or columns differ.
    """
    sizes = {table.which.size for table in tables}
    if len(sizes) > 1:
        raise ValueError(f"The pictures have different sizes: {sorted(sizes)}")
    tables = [table for table in tables if len(table.which)] or tables[:1]
    if len({table.pixels is None for table in tables}) > 1:
        raise ValueError("Pixels were counted in some of these only")
    items, item_maps = _merged_items([table.items for table in tables])
    which, view_maps = _merged_views([table.which for table in tables])
    views = np.concatenate([each[t.views] for each, t in zip(view_maps, tables, strict=True)])
    found = np.concatenate([each[t.items_of] for each, t in zip(item_maps, tables, strict=True)])
    order = np.lexsort((found, views))
    states = np.concatenate([table.states for table in tables])
    return SeenTable(
        items,
        which,
        views[order],
        found[order],
        states[order],
        _merged_pixels([table.pixels for table in tables], order),
        _merged_labels(tables, item_maps, view_maps),
    )


def _merged_items(parts: Sequence[Items]) -> tuple[Items, list[Ids]]:
    """Return the distinct items of all parts, sorted, and their new numbers for each part."""
    keys = [list(zip(part.names, part.instances, strict=True)) for part in parts]
    categories = {
        key: category
        for part, its_keys in zip(parts, keys, strict=True)
        for key, category in zip(its_keys, part.categories, strict=True)
    }
    ordered = sorted(categories)
    number = {key: at for at, key in enumerate(ordered)}
    maps = [np.array([number[key] for key in its_keys], np.intp) for its_keys in keys]
    return (
        Items(
            tuple(name for name, _ in ordered),
            tuple(instance for _, instance in ordered),
            tuple(categories[key] for key in ordered),
        ),
        maps,
    )


def _merged_views(parts: Sequence[Views]) -> tuple[Views, list[Ids]]:
    """Return all views, sorted by frame and camera name, and their new numbers for each part."""
    names = sorted({part.names[at] for part in parts for at in np.unique(part.cameras)})
    number = {name: at for at, name in enumerate(names)}
    cameras = np.concatenate(
        [np.array([number.get(n, -1) for n in p.names], np.intp)[p.cameras] for p in parts]
    )
    frames = np.concatenate([part.frames for part in parts])
    order = np.lexsort((cameras, frames))
    which = Views(frames[order], cameras[order], tuple(names), parts[0].size)
    same = (np.diff(which.frames) == 0) & (np.diff(which.cameras) == 0)
    if same.any():
        view = int(np.argmax(same))
        name = names[which.cameras[view]]
        raise ValueError(f"Frame {which.frames[view]} of {name} is there twice")
    new = np.empty(len(order), np.intp)
    new[order] = np.arange(len(order))
    return which, np.split(new, np.cumsum([len(part) for part in parts])[:-1])


def _merged_pixels(parts: Sequence[Pixels | None], order: Ids) -> Pixels | None:
    there = [part for part in parts if part is not None]
    if not there:
        return None
    columns = {
        name: np.concatenate([getattr(part, name) for part in there])[order]
        for name in Pixels.__dataclass_fields__
    }
    return Pixels(**columns)


def _merged_labels(
    tables: Sequence[SeenTable], item_maps: Sequence[Ids], view_maps: Sequence[Ids]
) -> Callable[[int], LabelPicture] | None:
    """Return a function that makes label pictures with new numbers; None if a table has none."""
    if not all(table.labels for table in tables):
        return None
    source = {
        int(new): (part, old)
        for part, numbers in enumerate(view_maps)
        for old, new in enumerate(numbers)
    }

    def labels(view: int) -> LabelPicture:
        part, old = source[view]
        new_numbers = np.append(item_maps[part], -1).astype(np.int32)
        return new_numbers[tables[part].label_picture(old)]  # index -1 selects the last

    return labels
