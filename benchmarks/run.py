"""Print one table: our times against the means of a Blender user.

    .venv/bpy-4.5/bin/python benchmarks/run.py [--rows build,spheres] [--quick]

One thread, on one core: `OMP_NUM_THREADS=1`, and Blender's own workers see a single processor.
"""

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Measure the rows that were asked for and print them."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    sys.path.insert(0, str(ROOT))
    import tests.conftest  # noqa: F401  # lets the checkout be imported as octree_ext
    from benchmarks import (  # not before: NumPy reads the environment on import
        audit_rows,
        chunk_rows,
        distance_rows,
        place_rows,
        placed_rows,
        rows,
        scene_rows,
        seen_rows,
        table,
    )

    everyone = (
        rows, scene_rows, placed_rows, audit_rows, place_rows, distance_rows, seen_rows,
        chunk_rows,
    )  # fmt: skip
    known = {ask.__name__: ask for group in everyone for ask in group.EVERY}
    chosen = arguments(list(known))
    seconds, scale = (0.5, 0.1) if chosen.quick else (5.0, 1.0)
    measured = [row for name in chosen.rows for row in known[name](seconds, scale)]
    if chosen.quick:  # the targets are set for the full sizes
        measured = [replace(row, must=None, aim=None) for row in measured]
    print(machine())
    print(table.markdown(measured))


def arguments(known: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--rows", type=lambda names: names.split(","), default=known, help=", ".join(known)
    )
    parser.add_argument("--quick", action="store_true", help="a tenth of the size and of the time")
    chosen = parser.parse_args()
    unknown = set(chosen.rows) - set(known)
    if unknown:
        parser.error(f"no such rows: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return chosen


def machine() -> str:
    """Describe the machine and the versions of the measurement."""
    import platform

    import bpy
    import numpy as np

    from core import kernel

    versions = f"Blender {bpy.app.version_string}, NumPy {np.__version__}"
    ours = f"Python {platform.python_version()}, kernel: {kernel()}"
    return f"{processor()}, one core, {versions}, {ours}\n"


def processor() -> str:
    """Name of the processor where the system tells it."""
    import platform

    known = Path("/proc/cpuinfo")
    lines = known.read_text().splitlines() if known.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
