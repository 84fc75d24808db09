"""Print how we compare with every library that a Python user can install, as two tables.

    .venv/peers-numpy1/bin/python benchmarks/run_peers.py [--rows rays] [--peers vtk] [--quick]

Each library has a process of its own, turns alternate with ours. One thread each, on one core.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VTK_SMP_MAX_THREADS")


def main() -> None:
    """Measure the rows that were asked for and print them."""
    for name in THREADS:
        os.environ[name] = "1"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    sys.path.insert(0, str(ROOT))
    from benchmarks import peers, run, table  # not before: NumPy reads the environment on import
    from benchmarks.peers import clashes, measure, moves, questions

    rows = {ask.__name__: ask for ask in (*questions.EVERY, *moves.EVERY, *clashes.EVERY)}
    known = {peer.name: peer for peer in peers.PEERS}
    chosen = arguments([*rows, "growth"], list(known))
    seconds, scale = (0.5, 0.1) if chosen.quick else (chosen.seconds, 1.0)
    present = measure.present([known[name] for name in chosen.peers])
    measured = []
    with tempfile.TemporaryDirectory() as folder:
        for ask in (rows[name] for name in chosen.rows if name in rows):
            for question in ask(scale):
                measured += measure.rows(question, present, Path(folder), seconds)
    if chosen.quick:  # the goals are set for the full sizes
        measured = [replace(row, must=None, aim=None) for row in measured]
    print(run.machine())
    print(measure.versions(present), end="\n\n")
    print(table.overview(measured, [other.peer.name for other in present]), end="\n\n")
    print(table.markdown(measured), flush=True)
    if "growth" in chosen.rows:
        print()
        growth(chosen.quick)


def growth(quick: bool) -> None:
    """Measure and plot how time grows with the mesh."""
    few = ("--sizes", "10000,31623,100000", "--placements", "100,400,1600")
    sizes = few if quick else ("--plot", "docs/growth.png")
    subprocess.run([sys.executable, "benchmarks/growth.py", *sizes], cwd=ROOT, check=True)


def arguments(rows: list[str], peers: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=some_of(rows), default=rows, help=", ".join(rows))
    parser.add_argument("--peers", type=some_of(peers), default=peers, help=", ".join(peers))
    parser.add_argument("--seconds", type=float, default=5.0, help="to spend on a row and a peer")
    parser.add_argument("--quick", action="store_true", help="a tenth of the size and of the time")
    return parser.parse_args()


def some_of(known: list[str]) -> Callable[[str], list[str]]:
    """Return a reader of names with commas between them."""

    def names(text: str) -> list[str]:
        chosen = text.split(",")
        if unknown := set(chosen) - set(known):
            raise argparse.ArgumentTypeError(f"{', '.join(unknown)}; known are {', '.join(known)}")
        return chosen

    return names


if __name__ == "__main__":
    main()
