"""Trees of objects that follow the scene; in order: standing, crowd, follower, session, locality.

A tree follows from the moment that it is switched on until it is switched off, cleared or built
again. That is not kept in the file: nothing runs in a file that was only opened.
"""

from .follower import Follower, Step
from .locality import Locality, locality_of
from .session import distrust, follow, get, merge_deferred, merge_interval, start, stop

__all__ = [
    "Follower",
    "Locality",
    "Step",
    "distrust",
    "follow",
    "get",
    "locality_of",
    "merge_deferred",
    "merge_interval",
    "start",
    "stop",
]
