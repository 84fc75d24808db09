"""Server of one library in its own process, with a command per line: `server.py MODULE`.

Requests and responses are JSON: `["build", "build_triangles", "mesh.npz"]` returns
`{"ms": 12.3}`. An error is returned, too, and does not stop the server.
"""

import gc
import importlib
import inspect
import json
import math
import os
import sys
import time
from collections.abc import Callable
from functools import cache, partial
from importlib.metadata import version
from types import ModuleType

import numpy as np


class Host:
    """A peer's module and the tree that it built last."""

    def __init__(self, peer: ModuleType) -> None:
        self.peer = peer
        self.tree: object = None

    def knows(self, *packages: str) -> dict[str, object]:
        """Return the available functions, their limits, and the versions of packages."""
        return {
            "names": [name for name, _ in inspect.getmembers(self.peer, inspect.isfunction)],
            "most": getattr(self.peer, "MOST_TRIANGLES", math.inf),
            "passes_more": getattr(self.peer, "PASSES_MORE", {}),
            "versions": [version(name) for name in packages],
        }

    def build(self, name: str, file: str) -> dict[str, float]:
        """Build from the arrays of a file, keep the tree and tell how long it took."""
        self.tree = None
        function, arrays = getattr(self.peer, name), arrays_of(file)
        if name.endswith("_ready"):
            milliseconds, self.tree = timed(function(**arrays))
        else:
            milliseconds, self.tree = timed(partial(function, **arrays))
        return {"ms": milliseconds}

    def ask(self, name: str, file: str, times: str = "1") -> dict[str, float]:
        """Repeat a query and return the mean time of a call."""
        question, count = self.question(name, file), int(times)
        return {"ms": timed(lambda: [question() for _ in range(count)])[0] / count}

    def answer(self, name: str, file: str, target: str) -> dict[str, float]:
        """Ask the tree and save the answer, an array an entry."""
        np.savez(target, *self.question(name, file)())
        return {}

    def question(self, name: str, file: str) -> Callable[[], object]:
        """Return the question as a call without arguments, its input prepared if that is asked."""
        asked = partial(getattr(self.peer, name), self.tree, **arrays_of(file))
        return asked() if name.endswith("_ready") else asked


def timed(call: Callable[[], object]) -> tuple[float, object]:
    """Return the milliseconds that a call takes, and its answer."""
    gc.collect()
    start = time.perf_counter()
    answer = call()
    return 1000 * (time.perf_counter() - start), answer


@cache
def arrays_of(file: str) -> dict[str, np.ndarray]:
    """Read the arrays of a file once."""
    with np.load(file) as arrays:
        return dict(arrays)


def main() -> None:
    """Do what each line says and answer with one line."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the libraries print is no answer
    host: Host | None = None
    for line in sys.stdin:
        command, *words = json.loads(line)
        try:
            host = host or Host(importlib.import_module(f"benchmarks.peers.{sys.argv[1]}"))
            reply = getattr(host, command)(*words)
        except Exception as problem:
            reply = {"problem": f"{type(problem).__name__}: {problem}"}
        print(json.dumps(reply), file=replies, flush=True)


if __name__ == "__main__":
    main()
