"""The core of this project, asked for all pairs where it could be asked what has changed."""

from benchmarks.peers.ours import build_moving
from benchmarks.peers.ours import move_pairs as move_changes

__all__ = ["build_moving", "move_changes"]
