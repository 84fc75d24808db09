"""The film of the ships: its flights are smooth, and its figures are what the article tells."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import core
from demo import film, report, ships


@pytest.fixture(scope="module")
def shot():
    return film.shoot(core)


def test_ships_fly_smoothly_in_a_loop():
    places = np.array([ships.places(frame) for frame in range(ships.FRAMES + 3)])
    assert places.shape == (ships.FRAMES + 3, ships.COUNT, 3)
    assert_allclose(places[-3:], places[:3], atol=1e-12)
    steps = np.diff(places, axis=0)
    assert np.linalg.norm(steps, axis=2).max() < ships.FIGHTER
    assert np.linalg.norm(np.diff(steps, axis=0), axis=2).max() < 0.05 * ships.FIGHTER


def test_cells_split_and_merge_and_the_root_grows_and_shrinks(shot):
    """In the harbour cells are few; they split where the ships gather, and merge behind them."""
    assert shot["cells"][0] < 50 and shot["cells"].max() > 150
    assert shot["splits"].sum() > 40 and shot["merges"].sum() > 30
    (grown,), (shrunk,) = (np.flatnonzero(shot[name]) for name in ("growths", "shrinks"))
    assert 150 < grown < 300 < shrunk < 500
    assert shot["outside"].max() <= film.OPTIONS["grow_above"]


def test_few_frames_change_any_cell(shot):
    """All ships move in every frame."""
    changing = shot["splits"] + shot["merges"] > 0
    assert changing.mean() < 0.15


def test_few_ships_are_local(shot):
    assert np.median(shot["median"]) < 0.15 * ships.COUNT
    assert shot["local"].max() < 0.4 * ships.COUNT


def test_lives_are_the_cells_of_every_frame(shot):
    for frame in (0, 150, 300, 599):
        cells = shot.cells.at(frame)
        places, radii = ships.places(frame), ships.radii()[:, None]
        lower, upper = places - radii, places + radii
        inside = (cells.walls[:, None, :3] <= lower) & (upper <= cells.walls[:, None, 3:])
        held = inside.all(axis=2)
        assert held.any(axis=1).all()
        assert np.count_nonzero(~held.any(axis=0)) <= shot["outside"][frame]
        assert len(shot.roots.at(frame).walls) == 1
    assert_array_equal(shot.roots.at(0).walls, [[*np.negative(ships.HARBOUR), *ships.HARBOUR]])


def test_the_summary_sums_up(shot):
    summary = film.summary(shot)
    assert summary["growths"] == summary["shrinks"] == 1
    assert summary["cells"] == {"fewest": shot["cells"].min(), "most": shot["cells"].max()}
    told = report.of_swarm(summary)
    assert "200 ships flew for 600 frames" in told
    assert f"{summary['splits']} splits" in told
