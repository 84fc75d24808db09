"""Record the kernel calls of random worlds, and repeat them in C on emulated machines.

    PYTHONPATH=.:tests .venv/core-newest/bin/python kernel/tests/recorded.py [WORLDS]

Worlds compare the kernel with NumPy on this machine: equal results elsewhere have NumPy's bits.
The driver is compiled with the ziglang of `.venv/kernel` and run by qemu-user (ARM) and wine
(Windows), where these are installed. This tests compilers, not NumPy, on those machines. A new
function needs only a world that calls it.
"""

import ctypes
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from inspect import signature
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO

import numpy as np

from core import arrays, use_threads
from core.compiled import door, joins, walks

HERE = Path(__file__).resolve().parent
OUT = HERE.parents[1] / ".cache/recorded"
ZIG = [HERE.parents[1] / ".venv/kernel/bin/python", "-m", "ziglang", "cc"]
FLAGS = ["-O3", "-std=c11", "-ffp-contract=off", "-fno-math-errno", "-DOCTREE_KERNEL_ABI=0"]
SOURCES = sorted(HERE.parent.glob("*.c"))
# Targets of ziglang and the emulators that run them. Debian's `wine64` is not on the path.
MACHINES = {
    "x86_64-linux-musl": [],
    "aarch64-linux-musl": ["qemu-aarch64-static", "qemu-aarch64"],
    "x86_64-windows-gnu": ["wine64", "wine", "/usr/lib/wine/wine64"],
}
# Functions of `tests/kernel_*.py` that compare the kernel with NumPy for a seed.
WORLDS = [
    value
    for path in sorted(HERE.parents[1].glob("tests/kernel_*.py"))
    for name, value in vars(import_module(path.stem)).items()
    if re.fullmatch(r"assert_\w+_equal|assert_equal", name)
    and [*signature(value).parameters] == ["seed"]
]
FUNCTIONS = sorted(
    name
    for path in SOURCES
    for name in re.findall(r"^EXPORT \w+ octree_kernel_(\w+)", path.read_text(), re.MULTILINE)
)
# Recorded calls of each function per world, and the most bytes that such a call may reach.
MOST, LARGEST = 3, 400_000
# The piece in links (at, piece, offset) of numbers, which are no addresses.
_NUMBER = -1
address_of = arrays.address


class Memory:
    """Pieces of memory that the kernel may reach: their addresses, sizes and owners."""

    def __init__(self, size_of_trees: int) -> None:
        self._size_of_trees = size_of_trees
        self._owners: dict[int, tuple[int, Any]] = {}
        self._starts = self._ends = np.empty(0, np.int64)

    def add(self, place: int, size: int, owner: Any) -> int:
        """Register a piece and keep its owner alive; return its address."""
        self._owners[place] = max(size, 1), owner
        return place

    def look(self) -> None:
        """Sort the pieces and merge those that lie within others."""
        starts, ends = [], [0]
        for place in sorted(self._owners):
            if place >= ends[-1]:
                starts.append(place)
                ends.append(place + self._owners[place][0])
        self._starts, self._ends = np.array(starts), np.array(ends[1:])

    def place(self, address: int) -> int:
        """Return the start of the piece that contains an address."""
        rank = int(np.searchsorted(self._starts, address, "right")) - 1
        assert rank >= 0 and address <= self._ends[rank], "an address of nothing that is known"
        return int(self._starts[rank])

    def links(self, place: int) -> list[tuple[int, int]]:
        """Return the addresses in a piece, each with its offset."""
        size, owner = self._owners[place]
        # Only arrays of structures and the trees of a scene hold addresses.
        if isinstance(owner, np.ndarray) and not owner.dtype.names:
            if owner.shape[1:] != (self._size_of_trees,):
                return []
        words = np.frombuffer(ctypes.string_at(place, size // 8 * 8), np.int64)
        ranks = np.searchsorted(self._starts, words, "right") - 1
        (at,) = ((ranks >= 0) & (words < self._ends[ranks])).nonzero()
        return list(zip((at * 8).tolist(), words[at].tolist(), strict=True))

    def reached(self, addresses: list[int]) -> dict[int, int]:
        """Return the pieces that can be reached from addresses, numbered in this order."""
        found: dict[int, int] = {}
        waiting = addresses.copy()
        while waiting:
            place = self.place(waiting.pop())
            if place not in found:
                found[place] = len(found)
                waiting += [address for _, address in self.links(place)]
        return found

    def link(self, at: int, address: int, pieces: dict[int, int]) -> list[int]:
        """Return the link of an address: offset, piece, offset in that piece."""
        place = self.place(address)
        return [at, pieces[place], address - place]

    def head(self, place: int) -> bytes:
        """Return the offset of a piece from a cache line, and its size."""
        return np.array([place % 64, self._owners[place][0]]).tobytes()

    def content(self, place: int, pieces: dict[int, int]) -> bytes:
        """Return the current contents of a piece: its links and its bytes."""
        links = [self.link(*each, pieces) for each in self.links(place)]
        told = np.array([len(links), *chain(*links)]).tobytes()
        return told + ctypes.string_at(place, self._owners[place][0])


class Recorder:
    """Proxy of the library that records calls and the memory that they reach."""

    def __init__(self, library: Any, package: Any, file: BinaryIO) -> None:
        self._library, self._package, self._file = library, package, file
        self.calls: Counter[str] = Counter()
        self.next_world()

    def next_world(self) -> None:
        """Forget the memory of the previous world."""
        size = ctypes.sizeof(self._package.Tree)
        self._memory, self._of_world = Memory(size), Counter[str]()

    def address(self, array: Any) -> int:
        """Return the address of an array and register its memory."""
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        low, high = np.lib.array_utils.byte_bounds(owner)
        self._memory.add(low, high - low, owner)
        return address_of(array)

    def addressof(self, structure: Any) -> int:
        """Return the address of a structure; register it and all structures it points to."""
        for name, kind in getattr(structure, "_fields_", ()):
            if hasattr(kind, "contents") and getattr(structure, name):
                self.addressof(getattr(structure, name).contents)
        size = ctypes.sizeof(structure)
        return self._memory.add(ctypes.addressof(structure), size, structure)

    def __getattr__(self, name: str) -> Callable[..., int]:
        function, short = getattr(self._library, name), re.sub(r"octree_kernel_|lone_", "", name)
        types = getattr(self._library, f"octree_kernel_{short}").argtypes
        return lambda *given: self._called(function, short, types, given)

    def _called(self, function: Any, name: str, types: list[Any], given: tuple[Any, ...]) -> int:
        words, memory = (
            [self._word(*each) for each in zip(types, given, strict=True)],
            self._memory,
        )
        if self._of_world[name] == MOST:
            return int(function(*given))
        memory.look()
        pieces = memory.reached([word for word, is_address in words if is_address])
        before = [memory.content(place, pieces) for place in pieces]
        answered = int(function(*given))
        if sum(map(len, before)) <= LARGEST:
            self._of_world[name] += 1
            self.calls[name] += 1
            links = [
                memory.link(0, word, pieces) if is_address else [0, _NUMBER, word]
                for word, is_address in words
            ]
            head = FUNCTIONS.index(name), answered, len(words), len(pieces)
            self._file.write(np.array([*head, *chain(*links)]).tobytes())
            for place, held in zip(pieces, before, strict=True):
                self._file.write(memory.head(place) + held + memory.content(place, pieces))
        return answered

    def _word(self, kind: Any, value: Any) -> tuple[int, bool]:
        """Return an argument as a word, and whether it is an address."""
        if kind is ctypes.c_double:
            return int(np.float64(value).view(np.int64)), False
        if kind is ctypes.c_int64 or not value:
            return int(value or 0), False
        if isinstance(value, int):
            return value, True
        if isinstance(value, bytes):
            where = ctypes.cast(value, ctypes.c_void_p).value or 0
            return self._memory.add(where, len(value), value), True
        return self.addressof(getattr(value, "_obj", value)), True


@contextmanager
def recording(file: BinaryIO) -> Iterator[Recorder]:
    """Record calls of the kernel into a file."""
    library, package, reason = door.found()
    assert not reason, reason
    recorder = Recorder(library, package, file)
    rooms = [
        room
        for name, room in sys.modules.items()
        if name.startswith("core.") and getattr(room, "address", None) is address_of
    ]
    stand_in = SimpleNamespace(addressof=recorder.addressof, sizeof=ctypes.sizeof)
    known = [(package, "ctypes", stand_in)]
    known += [(door, "_opened", lambda: (recorder, package, ""))]
    known += [(room, "address", recorder.address) for room in rooms]
    known += [(walks, "_ROOM", 999), (joins, "_ROOM", 999), (joins, "_HELD", 256)]  # short records
    before = [getattr(room, name) for room, name, _ in known]
    use_threads(1)
    try:
        for each in known:
            setattr(*each)
        yield recorder
    finally:
        use_threads(None)
        for (room, name, _), old in zip(known, before, strict=True):
            setattr(room, name, old)


def record(
    path: Path, seeds: Iterable[int], worlds: list[Callable[[int], int]] = WORLDS
) -> Counter[str]:
    """Run worlds with these seeds, record the calls, and return their count by function."""
    with path.open("wb") as file, recording(file) as recorder:
        for seed in seeds:
            for world in worlds:
                recorder.next_world()
                world(seed)
    return recorder.calls


def calls() -> str:
    """Return C code that calls each function by its number, with the types of ctypes."""
    kinds = {ctypes.c_double: ("double", "real"), ctypes.c_int64: ("int64_t", "number")}
    library, heads, cases = door.found()[0], [], []
    for number, name in enumerate(FUNCTIONS):
        takes = getattr(library, f"octree_kernel_{name}").argtypes
        words = [kinds.get(each, ("void *", "address")) for each in takes]
        heads.append(f"int64_t octree_kernel_{name}({', '.join(k for k, _ in words) or 'void'});")
        given = ", ".join(f"given[{n}].{field}" for n, (_, field) in enumerate(words))
        cases.append(f"    case {number}: return octree_kernel_{name}({given});")
    names = ", ".join(f'"{name}"' for name in FUNCTIONS)
    return "\n".join([
        "#include <stdint.h>",
        "typedef union { int64_t number; double real; void *address; } Word;",
        *heads,
        f"static const char *const NAMES[] = {{{names}}};",
        "static int64_t call(int64_t function, const Word *given) {",
        "    switch (function) {",
        *cases,
        "    default: return -99;",
        "    }",
        "}\n",
    ])  # fmt: skip


def driver(folder: Path, command: list[Any], name: str = "driver") -> Path:
    """Compile the driver that repeats recorded calls; return the program."""
    (folder / "calls.h").write_text(calls())
    program = folder / name
    command = [*command, *FLAGS, f"-I{folder}", HERE / "driver.c", *SOURCES, "-o", program]
    subprocess.run([*command, *([] if "windows" in name else ["-lm"])], check=True)
    return program


def main(count: int) -> None:
    """Write the record, compile the driver for each machine, and run it."""
    OUT.mkdir(parents=True, exist_ok=True)
    counts = record(OUT / "calls", range(count))
    print(dict(counts), f"{(OUT / 'calls').stat().st_size / 1e6:.0f} MB", flush=True)
    for machine, names in MACHINES.items():
        program = driver(OUT, [*ZIG, "-target", machine], f"driver-{machine}.exe")
        player = [path for path in map(shutil.which, names) if path][:1]
        if names and not player:
            print(f"{machine}: {names[0]} is not installed")
            continue
        done = subprocess.run([*player, program, "calls"], cwd=OUT, check=False,
                              capture_output=True, text=True)  # fmt: skip
        print(f"{machine}: {done.stdout.strip()[-300:]} (code {done.returncode})", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
