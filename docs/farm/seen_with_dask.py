"""Find what cameras see on a Dask cluster: a chunk of the frames for each task, then the merge.

    python seen_with_dask.py /mnt/film/shot.blend --out /mnt/film/seen.json --chunks 12 \
        --scheduler tcp://farm:8786

Every worker needs Blender with the extension enabled, and the same folders under the same paths.
Without --scheduler the workers are processes of this machine. More options for `octree seen`, such
as --frames, --cameras, and --behind-others with what belongs to it, are passed on; --labels and
--format, coco for one, are those of the whole. Needs `pip install distributed`.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from distributed import Client, as_completed, get_worker


def run_blender(command: list[str]) -> str:
    """Run a command and return its last line; an error is what it said."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"Exit code {done.returncode}: {done.stderr[-2000:].strip()}")
    return done.stdout.strip().rpartition("\n")[2]


def run_chunk(command: list[str]) -> str:
    """Run a command on a worker, and say on which."""
    return f"{get_worker().name}: {run_blender(command)}"


def main() -> None:
    """Ask for all chunks, wait for them, merge them, and remove them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("blend", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--chunks", type=int, default=12)
    parser.add_argument("--scheduler", help="address of a cluster; by default this machine")
    parser.add_argument("--workers", type=int, default=2, help="processes, without a scheduler")
    parser.add_argument("--labels", type=Path, help="folder for label pictures, in the end")
    parser.add_argument("--format", help="json, csv, coco or bop; by default as --out ends")
    parser.add_argument("--blender", nargs="+", default=["blender"], help="the workers' Blender")
    options, others = parser.parse_known_args()

    seen = [*options.blender, "--command", "octree", "seen"]
    numbers = range(1, options.chunks + 1)
    out = options.out.resolve()
    parts = [out.with_name(f"{out.stem}.{at}-of-{options.chunks}.json") for at in numbers]
    labels = ["--labels", str(options.labels.resolve())] if options.labels else []
    form = ["--format", options.format] if options.format else []
    ask = [*seen, str(options.blend.resolve()), *others, *labels]
    commands = [
        [*ask, "--chunk", f"{at}/{options.chunks}", "--out", str(part)]
        for at, part in zip(numbers, parts, strict=True)
    ]
    local = {"n_workers": options.workers, "threads_per_worker": 1, "dashboard_address": None}
    with Client(options.scheduler, **({} if options.scheduler else local)) as client:
        tasks = client.map(run_chunk, commands, retries=1, pure=False)
        for task in as_completed(tasks):
            print(task.result(), flush=True)
    merge = [*seen, "--merge", *map(str, parts), *labels, *form, "--out", str(out)]
    print(run_blender(merge))
    for at, part in zip(numbers, parts, strict=True):
        part.unlink()
        if options.labels:
            pictures = options.labels / f"chunk-{at}-of-{options.chunks}"
            shutil.rmtree(pictures, ignore_errors=True)  # none of a chunk without frames


if __name__ == "__main__":
    sys.exit(main())
