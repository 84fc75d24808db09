"""Rows of `run.py` of two commits in turns: what each takes now, as a ratio to that before.

    .venv/bpy-4.5/bin/python benchmarks/turns.py BEFORE [NOW] [--rows build,spheres] [--turns 3]

NOW is the checkout itself, unless it is named. Both answer without the kernel, unless the folder
of its package is named by `--before-kernel` and `--now-kernel`. Of each row the best turn counts;
the last line is the geometric mean of all ratios, and the worst of them.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UNITS = {"ms": 1.0, "s": 1e3, "us": 1e-3}  # memory and counts are not compared


def main() -> None:
    """Measure the rows in both, and print them side by side."""
    chosen = arguments()
    with tempfile.TemporaryDirectory() as folder:
        before = unpacked(chosen.before, Path(folder) / "before")
        now = unpacked(chosen.now, Path(folder) / "now") if chosen.now else ROOT
        sides = ((before, chosen.before_kernel), (now, chosen.now_kernel))
        best: tuple[dict[str, float], ...] = ({}, {})
        for _ in range(chosen.turns):
            for times, side in zip(best, sides, strict=True):
                for what, spent in measured(*side, chosen).items():
                    times[what] = min(spent, times.get(what, spent))
    report(*best)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", help="a commit")
    parser.add_argument("now", nargs="?", help="a commit")
    parser.add_argument("--rows", default="build,spheres,frusta", help="those of run.py")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="a tenth of the size and of the time")
    kernel = {"type": package, "default": "off"}
    parser.add_argument("--before-kernel", **kernel, help="the folder of a kernel's package")
    parser.add_argument("--now-kernel", **kernel, help="the same, for what is measured now")
    return parser.parse_args()


def package(folder: str) -> str:
    """Return the absolute path of a folder: measured processes start in other folders."""
    path = Path(folder).resolve()
    if folder != "off" and not path.is_dir():
        raise argparse.ArgumentTypeError(f"{folder} is no folder")
    return folder if folder == "off" else str(path)


def unpacked(commit: str, folder: Path) -> Path:
    """Write the files of a commit into the folder, and return it."""
    folder.mkdir()
    files = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True)
    subprocess.run(["tar", "-x", "-C", str(folder)], input=files.stdout, check=True)
    return folder


def measured(source: Path, kernel: str, chosen: argparse.Namespace) -> dict[str, float]:
    """Return our time of each row with that source, in ms."""
    command = [sys.executable, "benchmarks/run.py", "--rows", chosen.rows]
    done = subprocess.run(
        command + ["--quick"] * chosen.quick, cwd=source, check=True, text=True,
        stdout=subprocess.PIPE, env={**os.environ, "OCTREE_KERNEL": kernel},
    )  # fmt: skip
    times: dict[str, float] = {}
    for line in done.stdout.splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split("|")]
        number, _, unit = cells[1].partition(" ") if len(cells) > 2 else ("", "", "")
        if unit in UNITS:
            spent = float(number.replace(",", "")) * UNITS[unit]
            times[cells[0]] = min(spent, times.get(cells[0], spent))
    return times


def report(before: dict[str, float], now: dict[str, float]) -> None:
    """Print the rows that both know, and what all of them come to."""
    ratios = {what: now[what] / before[what] for what in before if now.get(what)}
    for what, ratio in ratios.items():
        print(f"{ratio:6.3f} x  {before[what]:10,.3f} -> {now[what]:10,.3f} ms  {what}")
    if not ratios:
        sys.exit("no row has a time in both")
    product = 1.0
    for ratio in ratios.values():
        product *= ratio ** (1 / len(ratios))
    worst = max(ratios, key=lambda what: ratios[what])
    print(f"{product:6.3f} x in all; the worst {ratios[worst]:.3f} x: {worst}")


if __name__ == "__main__":
    main()
