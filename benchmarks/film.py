"""Print, write and plot what happens to a dynamic octree while 200 ships fly through it.

    .venv/peers-numpy1/bin/python benchmarks/film.py [--csv FILE.csv] [--plot FILE.png]

The film of `make demo` as figures. `local` is how many ships the first one has to be held against,
itself included, out of the total; `median` is that of all ships. The counts are exact and the
same everywhere.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

import core
from demo import film, ships

EVERY = 100  # frames between two lines of the table
HEADINGS = (
    "frame", "cells", "splits", "merges", "growths", "shrinks", "outside", "total", "local",
    "median",
)  # fmt: skip


def rows(shot: film.Film) -> np.ndarray:
    """Return a row of `HEADINGS` for each frame; what happened is counted up from the start."""
    columns = {name: shot[name] for name in film.FIGURES}
    for name in ("splits", "merges", "growths", "shrinks"):
        columns[name] = np.cumsum(columns[name])
    columns["frame"] = np.arange(len(shot.figures))
    columns["total"] = np.full(len(shot.figures), ships.COUNT)
    return np.stack([columns[name] for name in HEADINGS], axis=1)


def markdown(lines: np.ndarray) -> str:
    """Set some of the frames as a Markdown table."""
    rule = [f"{'-' * (len(name) - 1)}:" for name in HEADINGS]
    table = [HEADINGS, rule, *([f"{value:.0f}" for value in line] for line in lines)]
    return "\n".join(f"| {' | '.join(row)} |" for row in table)


def plot(shot: film.Film, path: Path) -> None:
    """Draw cells and local ships above each other, frame by frame."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (above, below) = pyplot.subplots(
        2, figsize=(7, 5), sharex=True, layout="constrained", height_ratios=(3, 2)
    )
    above.plot(shot["cells"], label="cells")
    for name, mark in (("splits", "^"), ("merges", "v")):
        happened = np.flatnonzero(shot[name])
        above.plot(happened, shot["cells"][happened], mark, markersize=4, label=name)
    for name, verb in (("growths", "grows"), ("shrinks", "shrinks")):
        for frame in np.flatnonzero(shot[name]):
            above.axvline(frame, color="gray", linestyle=":")
            above.annotate(f" root {verb}", (frame, 5), color="gray")
    below.plot(shot["median"], label="all ships, median")
    below.plot(shot["local"], linewidth=0.7, alpha=0.7, label="first ship")
    above.set(ylabel="cells", ylim=(0, None))
    below.set(ylabel=f"local, of {ships.COUNT}", ylim=(0, None), xlabel="frame")
    for axes in (above, below):
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Shoot the film and show its figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--csv", type=Path, help="a table of every frame to write")
    parser.add_argument("--plot", type=Path, help="a picture to write; needs matplotlib")
    chosen = parser.parse_args()
    shot = film.shoot(core)
    lines = rows(shot)
    print(markdown(lines[[*range(0, len(lines), EVERY), -1]]))
    if chosen.csv:
        np.savetxt(chosen.csv, lines, "%g", ",", header=",".join(HEADINGS), comments="")
    if chosen.plot:
        plot(shot, chosen.plot)


if __name__ == "__main__":
    main()
