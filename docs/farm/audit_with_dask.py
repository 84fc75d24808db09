"""Audit a file on a Dask cluster: a share of the pairs for each task, then the merge.

    python audit_with_dask.py /mnt/city/city.blend --report /mnt/city/audit.json --chunks 12 \
        --scheduler tcp://farm:8786 --clearance 0.05 --fail-on overlap,near

Every worker needs Blender with the extension enabled, and the same folders under the same paths.
Without --scheduler the workers are processes of this machine. More options for `octree audit` are
passed on; --baseline is that of the whole. With --budget JSON the triangles are counted instead,
by `octree budget`. The exit code is that of the whole: 0, 1 or 2. Needs `pip install distributed`.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from distributed import Client, as_completed, get_worker


def run_chunk(command: list[str]) -> str:
    """Run a command on a worker; return which one, and the last line; an error is what it said."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"Exit code {done.returncode}: {done.stderr[-2000:].strip()}")
    last = done.stdout.strip().rpartition("\n")[2]
    return f"{get_worker().name}: {last}"


def main() -> int:
    """Ask for all chunks, wait for them, merge them, and remove them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("blend", type=Path)
    parser.add_argument("--report", type=Path, required=True)
    parser.add_argument("--baseline", type=Path, help="a .json report: what it has does not fail")
    parser.add_argument("--budget", type=Path, help="count triangles against it, and do not audit")
    parser.add_argument("--chunks", type=int, default=12)
    parser.add_argument("--scheduler", help="address of a cluster; by default this machine")
    parser.add_argument("--workers", type=int, default=2, help="processes, without a scheduler")
    parser.add_argument("--blender", nargs="+", default=["blender"], help="the workers' Blender")
    options, others = parser.parse_known_args()

    octree = [*options.blender, "--command", "octree"]
    audit = [*octree, "budget" if options.budget else "audit"]
    budget = ["--budget", str(options.budget.resolve())] if options.budget else []
    numbers = range(1, options.chunks + 1)
    report = options.report.resolve()
    parts = [report.with_name(f"{report.stem}.{at}-of-{options.chunks}.part") for at in numbers]
    ask = [*audit, str(options.blend.resolve()), *others, *budget]
    commands = [
        [*ask, "--chunk", f"{at}/{options.chunks}", "--out", str(part)]
        for at, part in zip(numbers, parts, strict=True)
    ]
    local = {"n_workers": options.workers, "threads_per_worker": 1, "dashboard_address": None}
    with Client(options.scheduler, **({} if options.scheduler else local)) as client:
        tasks = client.map(run_chunk, commands, retries=1, pure=False)
        for task in as_completed(tasks):
            print(task.result(), flush=True)
    known = ["--baseline", str(options.baseline.resolve())] if options.baseline else []
    merge = [*audit, "--merge", *map(str, parts), "--report", str(report), *known]
    code = subprocess.run(merge, check=False).returncode
    for part in parts:
        part.unlink()
    return code


if __name__ == "__main__":
    sys.exit(main())
