"""Record how worlds call the kernel, and call it once more in C on machines that are emulated.

    PYTHONPATH=.:tests .venv/core-newest/bin/python kernel/tests/recorded.py [WORLDS]

Worlds compare the kernel with NumPy here, so that a machine where it answers the same has NumPy's
bits. Compiles with the ziglang of `.venv/kernel`. ARM is played by qemu-user, Windows by wine,
where these are installed. That looks at compilers, not at NumPy, on those machines. A function
that is added needs nothing here but a world that asks it.
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
# What plays the machine, if it is none of ours, and what ziglang calls that. Debian's `wine64` is
# on no path.
MACHINES = {
    "x86_64-linux-musl": [],
    "aarch64-linux-musl": ["qemu-aarch64-static", "qemu-aarch64"],
    "x86_64-windows-gnu": ["wine64", "wine", "/usr/lib/wine/wine64"],
}
# What asks the kernel, and compares what it answers: whatever of `tests/kernel_*.py` takes a seed.
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
# Of each function so many calls of a world are recorded, the first that reach no more bytes.
MOST, LARGEST = 3, 400_000
# The piece of what is a number, where links (at, piece, offset) tell of addresses.
_NUMBER = -1
address_of = arrays.address


class Memory:
    """Pieces of memory that the kernel may have been told of: where, how large, and whose."""

    def __init__(self, size_of_trees: int) -> None:
        self._size_of_trees = size_of_trees
        self._owners: dict[int, tuple[int, Any]] = {}
        self._starts = self._ends = np.empty(0, np.int64)

    def add(self, place: int, size: int, owner: Any) -> int:
        """Let a piece be known, and alive; return its place."""
        self._owners[place] = max(size, 1), owner
        return place

    def look(self) -> None:
        """Sort pieces; what lies within others is none."""
        starts, ends = [], [0]
        for place in sorted(self._owners):
            if place >= ends[-1]:
                starts.append(place)
                ends.append(place + self._owners[place][0])
        self._starts, self._ends = np.array(starts), np.array(ends[1:])

    def place(self, address: int) -> int:
        """Return where the piece begins that an address is in."""
        rank = int(np.searchsorted(self._starts, address, "right")) - 1
        assert rank >= 0 and address <= self._ends[rank], "an address of nothing that is known"
        return int(self._starts[rank])

    def links(self, place: int) -> list[tuple[int, int]]:
        """Return where in a piece addresses stand, and these."""
        size, owner = self._owners[place]
        # Of arrays only structures, and the trees of a scene: others hold whatever was there.
        if isinstance(owner, np.ndarray) and not owner.dtype.names:
            if owner.shape[1:] != (self._size_of_trees,):
                return []
        words = np.frombuffer(ctypes.string_at(place, size // 8 * 8), np.int64)
        ranks = np.searchsorted(self._starts, words, "right") - 1
        (at,) = ((ranks >= 0) & (words < self._ends[ranks])).nonzero()
        return list(zip((at * 8).tolist(), words[at].tolist(), strict=True))

    def reached(self, addresses: list[int]) -> dict[int, int]:
        """Return the pieces that can be reached from addresses, and their numbers."""
        found: dict[int, int] = {}
        waiting = addresses.copy()
        while waiting:
            place = self.place(waiting.pop())
            if place not in found:
                found[place] = len(found)
                waiting += [address for _, address in self.links(place)]
        return found

    def link(self, at: int, address: int, pieces: dict[int, int]) -> list[int]:
        """Return what is told of an address."""
        place = self.place(address)
        return [at, pieces[place], address - place]

    def head(self, place: int) -> bytes:
        """Return how far behind a line of the cache a piece begins, and its size."""
        return np.array([place % 64, self._owners[place][0]]).tobytes()

    def content(self, place: int, pieces: dict[int, int]) -> bytes:
        """Return what a piece holds now: addresses in it, and its bytes."""
        links = [self.link(*each, pieces) for each in self.links(place)]
        told = np.array([len(links), *chain(*links)]).tobytes()
        return told + ctypes.string_at(place, self._owners[place][0])


class Recorder:
    """The library as it is, which also writes down calls, and the memory that they reach."""

    def __init__(self, library: Any, package: Any, file: BinaryIO) -> None:
        self._library, self._package, self._file = library, package, file
        self.calls: Counter[str] = Counter()
        self.next_world()

    def next_world(self) -> None:
        """Forget the memory of the world before."""
        size = ctypes.sizeof(self._package.Tree)
        self._memory, self._of_world = Memory(size), Counter[str]()

    def address(self, array: Any) -> int:
        """Return where an array lies, and remember what memory it is of."""
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        low, high = np.lib.array_utils.byte_bounds(owner)
        self._memory.add(low, high - low, owner)
        return address_of(array)

    def addressof(self, structure: Any) -> int:
        """Return where a structure lies, and remember it and those that it points to."""
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
    """Let calls of the kernel be written into a file."""
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
    """Let worlds of these seeds ask, and write the calls; return how many of each function."""
    with path.open("wb") as file, recording(file) as recorder:
        for seed in seeds:
            for world in worlds:
                recorder.next_world()
                world(seed)
    return recorder.calls


def calls() -> str:
    """Return the C that calls each function by its number, as ctypes has been told to."""
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
    """Compile what reads a record and calls the kernel once more; return the program."""
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
