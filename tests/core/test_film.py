"""The film of the ships: its summary matches its frames."""

import core
from demo import film, report


def test_the_summary_sums_up():
    shot = film.shoot(core)
    summary = film.summary(shot)
    assert summary["growths"] == summary["shrinks"] == 1
    assert summary["cells"] == {"fewest": shot["cells"].min(), "most": shot["cells"].max()}
    told = report.of_swarm(summary)
    assert "200 ships flew for 600 frames" in told
    assert f"{summary['splits']} splits" in told
