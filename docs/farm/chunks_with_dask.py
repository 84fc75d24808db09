"""Cut a file into chunks on a Dask cluster: a share of the cells for each task, then the merge.

    python chunks_with_dask.py /mnt/city/city.blend --tiles /mnt/city/tiles --shares 12 \
        --scheduler tcp://farm:8786 --triangles 50000

Every worker needs Blender with the extension enabled, and the same folders under the same paths.
Without --scheduler the workers are processes of this machine. More options for `octree chunks` are
passed on; --georeference is that of the whole. The folders of the shares stay with --keep: then
only what has changed is written the next time. Needs `pip install distributed`.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from distributed import Client, as_completed, get_worker

FORMS = ("gltf", "glb", "tiles", "blend", "out")


def run_chunk(command: list[str]) -> str:
    """Run a command on a worker; return which one, and the last line; an error is what it said."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"Exit code {done.returncode}: {done.stderr[-2000:].strip()}")
    last = done.stdout.strip().rpartition("\n")[2]
    return f"{get_worker().name}: {last}"


def main() -> int:
    """Ask for all shares, wait for them, merge them, and remove them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("blend", type=Path)
    forms = parser.add_mutually_exclusive_group(required=True)
    for form in FORMS:
        forms.add_argument(f"--{form}", type=Path, metavar="FOLDER")
    parser.add_argument("--georeference", help="where tiles are on Earth")
    parser.add_argument("--shares", type=int, default=12)
    parser.add_argument("--keep", action="store_true", help="keep the folders of the shares")
    parser.add_argument("--scheduler", help="address of a cluster; by default this machine")
    parser.add_argument("--workers", type=int, default=2, help="processes, without a scheduler")
    parser.add_argument("--blender", nargs="+", default=["blender"], help="the workers' Blender")
    options, others = parser.parse_known_args()

    cut = [*options.blender, "--command", "octree", "chunks"]
    form = next(form for form in FORMS if getattr(options, form))
    folder = getattr(options, form).resolve()
    numbers = range(1, options.shares + 1)
    parts = [folder.with_name(f"{folder.name}.{at}-of-{options.shares}") for at in numbers]
    ask = [*cut, str(options.blend.resolve()), *others]
    commands = [
        [*ask, "--chunk", f"{at}/{options.shares}", f"--{form}", str(part)]
        for at, part in zip(numbers, parts, strict=True)
    ]
    local = {"n_workers": options.workers, "threads_per_worker": 1, "dashboard_address": None}
    with Client(options.scheduler, **({} if options.scheduler else local)) as client:
        tasks = client.map(run_chunk, commands, retries=1, pure=False)
        for task in as_completed(tasks):
            print(task.result(), flush=True)
    place = [f"--georeference={options.georeference}"] if options.georeference else []
    merge = [*cut, "--merge", *map(str, parts), f"--{form}", str(folder), *place]
    code = subprocess.run(merge, check=False).returncode
    if not options.keep:
        for part in parts:
            shutil.rmtree(part)
    return code


if __name__ == "__main__":
    sys.exit(main())
