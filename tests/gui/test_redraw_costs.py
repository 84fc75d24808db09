"""What one redraw costs, counted: calls of our Python, and draws of the graphics card."""

import pytest
from gui import redraw_scenes as scenes
from gui.test_sidebar import open_sidebar

pytestmark = pytest.mark.window


def settled(window):
    """Return what a redraw costs once nothing is left to be prepared."""
    window.call(open_sidebar)
    window.call(scenes.redraw, 3, timeout=200)
    return window.call(scenes.count_redraw, timeout=200)


def test_a_redraw_of_the_closed_tab(window):
    window.call(scenes.close_sections)
    cost = settled(window)
    assert 0 < cost["calls"] <= 85
    assert cost["draws"] == 0


def test_a_redraw_of_a_list_of_ten_thousand_rows(window):
    assert window.call(scenes.ask_many, timeout=200) == 10_000
    cost = settled(window)
    # Blender asks for the rows that are in view alone.
    assert 0 < cost["calls"] <= 1232
    assert 0 < cost["draws"] <= 3


def test_a_redraw_of_an_answer_over_a_million_triangles(window):
    assert window.call(scenes.ask_terrain, timeout=200) == 1
    cost = settled(window)
    assert 0 < cost["calls"] <= 830
    assert 0 < cost["draws"] <= 3
