"""Redraws of the tab in a real window, of two commits in turns: seconds and counts side by side.

    python benchmarks/window_redraws.py [BEFORE] [NOW]

By default the commit before the present one, and the present one; both are packed and installed
into folders of their own. It needs what the window tests need: see CONTRIBUTING.md. Seconds are
those of Blender's process on all cores, so that neighbors on the machine count little.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKOUT / "tests"))

from gui import redraw_scenes as scenes  # noqa: E402
from gui.harness import Screen, Window, install_extension  # noqa: E402
from gui.test_sidebar import open_sidebar  # noqa: E402

TURNS, REDRAWS = 3, 10
CASES = {
    "every section closed": scenes.close_sections,
    "a list of 10,000 rows": scenes.ask_many,
    "an answer over a million triangles": scenes.ask_terrain,
}


def installed(commit: str, folder: Path) -> Path:
    """Install the extension of a commit, and return the user folder that has it."""
    source, user = folder / "source", folder / "user"
    source.mkdir(parents=True)
    user.mkdir()
    packed = subprocess.run(
        ["git", "archive", commit], cwd=CHECKOUT, check=True, stdout=subprocess.PIPE
    ).stdout
    subprocess.run(["tar", "-x", "-C", str(source)], input=packed, check=True)
    install_extension(user, source)
    return user


class Cost(NamedTuple):
    """Cost of a redraw: milliseconds, calls of our functions, and GPU draws."""

    milliseconds: float
    calls: int
    draws: int


def cost(screen: Screen, user: Path, case: str) -> Cost:
    """Start a window, bring the case about, and return what a redraw takes."""
    with tempfile.TemporaryDirectory() as folder:
        window = Window(screen, user, Path(folder))
        try:
            window.call(CASES[case], timeout=300)
            window.call(open_sidebar)
            taken = 1e3 * window.call(scenes.seconds_of_redraws, REDRAWS, timeout=300)
            return Cost(taken, **window.call(scenes.count_redraw, timeout=300))
        finally:
            window.close()


def main(commits: list[str]) -> None:
    """Print a line for each case."""
    screen = Screen()
    with tempfile.TemporaryDirectory() as folder:
        users = [installed(each, Path(folder) / str(n)) for n, each in enumerate(commits)]
        print(f"Of a redraw, medians of {TURNS} windows each: {commits[0]} | {commits[1]} | ratio")
        for case in CASES:
            taken = [[cost(screen, user, case) for user in users] for _ in range(TURNS)]
            for what in Cost._fields:
                turns = [[getattr(each, what) for each in turn] for turn in taken]
                before, now = (median(each) for each in zip(*turns, strict=True))
                ratio = median(later / max(former, 1) for former, later in turns)
                print(f"{case}, {what}: {before:.0f} | {now:.0f} | {ratio:.2f}", flush=True)
    screen.close()


if __name__ == "__main__":
    main([*sys.argv[1:], *("HEAD~1", "HEAD")[len(sys.argv) - 1 :]])
