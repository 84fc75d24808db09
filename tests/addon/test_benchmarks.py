"""Rows of the benchmarks come to their end, and peers of our own agree."""

from collections.abc import Iterator

import bpy
import numpy as np
import pytest

import octree_ext
from benchmarks import scene_rows, seen_rows, worlds
from benchmarks.peers import moves, ours, ours_paired, ours_rebuilt


@pytest.fixture
def disabled(registered: None) -> Iterator[None]:
    """Leave it to the benchmarks to enable the extension."""
    octree_ext.unregister()
    yield
    octree_ext.register()


@pytest.mark.skipif(
    bpy.app.version < (4, 5) or not bpy.app.module, reason="`make bench` takes the newest wheel"
)
@pytest.mark.parametrize("ask", scene_rows.EVERY)
def test_rows_about_scenes_come_to_their_end(ask: scene_rows.Ask, disabled: None) -> None:
    if ask is scene_rows.index_memory and bpy.app.binary_path:
        pytest.skip("the Python beside a whole Blender has no bpy")
    measured = list(ask(0.0, 0.02))
    assert measured
    assert all(row.ours > 0 and row.theirs > 0 for row in measured)


@pytest.mark.parametrize("ask", seen_rows.EVERY)
def test_rows_about_pictures_come_to_their_end(ask: seen_rows.Ask) -> None:
    measured = list(ask(0.0, 0.02))
    assert measured or ask is seen_rows.objects  # without pyrender it has none
    assert all(row.ours > 0 and row.theirs > 0 for row in measured)


def test_moving_peers_of_our_own_agree() -> None:
    lower, upper = worlds.boxes_of("flat", 500)
    turns = moves.drift(lower, upper, 0.2)
    asked = moves.boxes_among(lower, upper, 20)
    one, two, three = (
        peer.build_moving(lower, upper) for peer in (ours, ours_rebuilt, ours_paired)
    )
    for _ in range(moves.TURNS):
        found = ours.move_boxes(one, **turns, **asked)
        assert found.shape[1] > 20
        assert np.array_equal(found, ours_rebuilt.move_boxes(two, **turns, **asked))
        ours_paired.move_changes(three, **turns)
        changed = ours.move_changes(one, **turns)
        pairs = ours_rebuilt.move_pairs(two, **turns)
        assert np.array_equal(pairs, ours_paired.move_changes(three, **turns))
        assert np.array_equal(pairs, changed[:, np.lexsort(changed[::-1])])
