"""Merged visibility tables: any split of the views gives the whole again."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from seen_tables import random_table

from octree_ext.octree_addon.cameras.table import (
    Items,
    SeenAnswer,
    Views,
    json_texts,
    merged,
    merged_answers,
)

WHOLE = random_table(4, frames=(1, 2, 3, 4, 5, 6), cameras=("Right", "Left"))[0]


def part_of(table, views, order=None):
    """Return the rows of some views, with the items and cameras in another order."""
    views = np.asarray(views, np.intp)
    items = np.arange(len(table.items)) if order is None else np.asarray(order)
    cameras = np.arange(len(table.which.names))[::-1]
    rows = np.flatnonzero(np.isin(table.views, views))
    place = {int(view): at for at, view in enumerate(views)}
    return replace(
        table,
        items=table.items.taken(items),
        which=Views(
            table.which.frames[views],
            np.argsort(cameras)[table.which.cameras[views]],
            tuple(table.which.names[at] for at in cameras),
            table.which.size,
        ),
        views=np.array([place[int(view)] for view in table.views[rows]], np.intp),
        items_of=np.argsort(items)[table.items_of[rows]],
        states=table.states[rows],
        pixels=table.pixels.taken(rows),
        labels=lambda view: np.append(np.argsort(items), -1)[table.labels(views[view])],
    )


def text(table):
    return "".join(json_texts(SeenAnswer(table)))


@given(
    st.permutations(range(12)),
    st.lists(st.integers(0, 12), min_size=1, max_size=4),
    st.permutations(range(5)),
)
@examples(60)
def test_any_split_gives_the_whole(views, cuts, order):
    cuts = [0, *sorted(cuts), 12]
    parts = [
        part_of(WHOLE, views[start:end], order if at % 2 else None)
        for at, (start, end) in enumerate(itertools.pairwise(cuts))
    ]
    again, whole = merged(parts), merged([WHOLE])
    assert text(again) == text(whole)
    for view in range(12):
        assert (again.label_picture(view) == whole.label_picture(view)).all()


def test_the_order_is_by_name_and_by_frame():
    whole = merged([WHOLE])
    assert list(whole.items.names) == sorted(WHOLE.items.names)
    assert whole.which.names == ("Left", "Right")
    assert whole.which.frames.tolist() == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
    assert whole.which.cameras.tolist() == [0, 1] * 6
    assert (whole.ordered == np.arange(len(whole))).all()
    picture = whole.label_picture(0)
    names = np.array([*whole.items.names, ""])
    expected = np.array([*WHOLE.items.names, ""])[WHOLE.label_picture(1)]
    assert (names[picture] == expected).all()


def test_an_item_that_is_new_in_one_part_is_in_all():
    other = replace(WHOLE, items=Items(("New", *WHOLE.items.names[1:]), *_rest(WHOLE.items)))
    both = merged([part_of(WHOLE, range(6)), part_of(other, range(6, 12))])
    assert {"New", "Plain"} < {*both.items.names}
    assert len(both) == len(WHOLE)


def _rest(items):
    return items.instances, items.categories


def test_a_view_that_is_there_twice_is_refused():
    with pytest.raises(ValueError, match="Frame 3 of Left is there twice"):
        merged([part_of(WHOLE, [5, 6]), part_of(WHOLE, [5])])


def test_pictures_of_different_sizes_are_refused():
    with pytest.raises(ValueError, match="different sizes"):
        merged([WHOLE, random_table(4, size=(5, 5))[0]])


def test_pixels_in_some_only_are_refused():
    some = replace(part_of(WHOLE, [0]), pixels=None)
    with pytest.raises(ValueError, match="in some of these only"):
        merged([some, part_of(WHOLE, [1])])


def chunks(numbers, of=3, **question):
    return [
        SeenAnswer(part_of(WHOLE, range(4 * (at - 1), 4 * at)), question, (at, of))
        for at in numbers
    ]


def test_all_chunks_give_one_answer_without_a_chunk():
    answer = merged_answers(chunks((3, 1, 2), file="a.blend"))
    assert (answer.chunk, answer.question) == (None, {"file": "a.blend"})
    assert text(answer.table) == text(merged([WHOLE]))


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (chunks((1, 3)), "Missing of 3 chunks: 2"),
        (chunks((1, 2, 2, 3)), "There twice: chunk 2"),
        (chunks((1,)) + chunks((2,), of=2), "different splits"),
        (chunks((1, 2), file="a") + chunks((3,), file="b"), 'file is "a", "b"'),
    ],
)
def test_chunks_that_are_not_the_whole_are_refused(answers, message):
    with pytest.raises(ValueError, match=message):
        merged_answers(answers)
