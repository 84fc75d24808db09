"""Compile the kernel: with CC=, else ziglang if it is installed, else cc.

    python kernel/compile.py [FOLDER]

The library for this machine is put into `octree_kernel/` beside this file, or FOLDER. The same
compiler makes the same bytes in every folder.
"""

import os
import shlex
import shutil
import subprocess
import sys
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from bindings import interface

HERE = Path(__file__).resolve().parent
# Translation units and their shared headers.
SOURCES = sorted(HERE.glob("*.c"))
HEADERS = sorted(HERE.glob("*.h"))
# Platform tags of wheels and the target triples of ziglang.
TARGETS = {
    "manylinux_2_17_x86_64": "x86_64-linux-gnu.2.17",
    "manylinux_2_17_aarch64": "aarch64-linux-gnu.2.17",
    "macosx_11_0_x86_64": "x86_64-macos.11.0",
    "macosx_11_0_arm64": "aarch64-macos.11.0",
    "win_amd64": "x86_64-windows-gnu",
    "win_arm64": "aarch64-windows-gnu",
}
SUFFIXES = {"win": ".dll", "mac": ".dylib", "dar": ".dylib"}
# No fused multiply-add: products and sums are rounded separately, as in NumPy.
FLAGS = ["-std=c11", "-Wall", "-Wextra", "-ffp-contract=off", "-fno-math-errno",
         "-fvisibility=hidden", "-shared", "-g0"]  # fmt: skip
RELEASE = ["-O3", "-DNDEBUG", "-s"]
# For tests: an access out of bounds aborts.
SANITIZED = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
# Code for every processor of the architecture, not for this machine's model.
ZIG = [sys.executable, "-m", "ziglang", "cc", "-mcpu=baseline"]


def compiler(platform: str = "") -> list[str]:
    """Return the command that compiles C, for this machine or one of `TARGETS`."""
    if platform:
        return [*ZIG, "-target", TARGETS[platform]]
    if os.environ.get("CC"):
        return shlex.split(os.environ["CC"])
    return ZIG if find_spec("ziglang") else ["cc"]


def compiled(folder: Path, flags: list[str] = RELEASE, platform: str = "") -> Path:
    """Compile the kernel into a folder; return the library."""
    name = "octree_kernel" + SUFFIXES.get((platform or sys.platform)[:3], ".so")
    system = [] if name.endswith(".dll") else ["-fPIC", "-lm"]
    # In a temporary folder: compilers leave further files and record the working directory.
    with TemporaryDirectory() as made:
        known = f"-DOCTREE_KERNEL_ABI={interface()}"
        sources = map(str, SOURCES)
        command = [*compiler(platform), *FLAGS, known, *flags, *sources, "-o", name]
        subprocess.run([*command, *system], cwd=made, check=True)
        # Processes that have loaded the old library keep its file.
        (folder / name).unlink(missing_ok=True)
        library = Path(shutil.copy(Path(made, name), folder))
    digest(library).write_text(sha256(library.read_bytes()).hexdigest())
    return library


def digest(library: Path) -> Path:
    """Return the checksum file of a library; loading a truncated library would crash."""
    return library.with_name(f"{library.name}.sha256")


if __name__ == "__main__":
    print(compiled(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "octree_kernel"))
