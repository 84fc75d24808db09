"""Compile the kernel for this machine: with CC=, else ziglang if it is installed, else cc.

    python kernel/compile.py [FOLDER]

The library is put into `octree_kernel/` beside this file, or FOLDER. The same compiler makes the
same bytes in every folder.
"""

import os
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
# No fused steps: each product and each sum is rounded alone, as in NumPy.
FLAGS = ["-std=c11", "-Wall", "-Wextra", "-ffp-contract=off", "-fno-math-errno",
         "-fvisibility=hidden", "-shared", "-g0"]  # fmt: skip
RELEASE = ["-O3", "-DNDEBUG"]
# What tests run: whatever reaches past an array stops them.
SANITIZED = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def compiler() -> list[str]:
    """Return the command that compiles C."""
    if os.environ.get("CC"):
        return shlex.split(os.environ["CC"])
    zig = [sys.executable, "-m", "ziglang", "cc", "-mcpu=baseline"]  # not this processor alone
    return zig if find_spec("ziglang") else ["cc"]


def compiled(folder: Path, flags: list[str] = RELEASE) -> Path:
    """Compile the kernel into a folder; return the library."""
    library = folder.resolve() / f"octree_kernel{SUFFIX}"
    # A library that is open stays as it is for whoever has it open.
    library.unlink(missing_ok=True)
    system = [] if sys.platform == "win32" else ["-fPIC", "-lm"]
    command = [*compiler(), *FLAGS, *flags, "kernel.c", "-o", str(library), *system]
    subprocess.run(command, cwd=HERE, check=True)
    return library


if __name__ == "__main__":
    print(compiled(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "octree_kernel"))
