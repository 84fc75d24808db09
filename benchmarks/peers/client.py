"""The near end of a peer's process: starts it, speaks to it, takes turns."""

import json
import subprocess
import time
from pathlib import Path
from types import TracebackType

from benchmarks.peers import Peer

ROOT = Path(__file__).resolve().parents[2]


class PeerError(Exception):
    """Failure of a peer; the message gives the reason."""


class Client:
    """A peer in a process of its own; use it in a `with` statement."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        python = ROOT / ".venv" / peer.environment / "bin" / "python"
        self._process = subprocess.Popen(
            [python, "-m", "benchmarks.peers.server", peer.module],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> "Client":
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()

    def tell(self, *words: str | Path) -> dict:
        """Have one command carried out and return the reply."""
        line = json.dumps([str(word) for word in words])
        try:
            print(line, file=self._process.stdin, flush=True)
            reply = json.loads(self._process.stdout.readline() or "null")
        except BrokenPipeError:
            reply = None
        if reply is None:
            raise PeerError(f"ended by itself, code {self._process.wait()}")
        if "problem" in reply:
            raise PeerError(reply["problem"])
        return reply


def fastest(*contestants: tuple[Client, tuple[str | Path, ...]], seconds: float) -> list[float]:
    """Best time of each in ms: turns alternate until the time is spent, two at the least."""
    best = [float("inf")] * len(contestants)
    turn, end = 0, time.perf_counter() + seconds
    while turn < 2 or time.perf_counter() < end:
        for number, (client, words) in enumerate(contestants):
            best[number] = min(best[number], client.tell(*words)["ms"])
        turn += 1
    return best
