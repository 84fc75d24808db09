"""Run the main job on a room, or on a scene of yours, and show what came out; and a film.

    .venv/bpy-4.5/bin/python demo/run.py --out demo/out [--blend FILE]

The extension is packed, installed and enabled in a user folder that is thrown away afterwards.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Set up a throw-away Blender and run the demo in it."""
    chosen = arguments()
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory(prefix="octree-demo-") as folder:
        os.environ["BLENDER_USER_RESOURCES"] = folder  # read when bpy is imported
        from demo import extension, show

        extension.install(Path(folder))
        try:
            show.run(chosen.out, chosen.blend, with_picture=not chosen.no_picture)
        finally:
            extension.uninstall()


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("demo/out"), help="folder to write to")
    parser.add_argument("--blend", type=Path, help="a scene of yours; the file is only read")
    parser.add_argument("--no-picture", action="store_true", help="leave out the rendering")
    return parser.parse_args()


if __name__ == "__main__":
    main()
