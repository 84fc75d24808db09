"""Disks that fail: full, lost or forbidden, at each moment of the one way to write a file."""

import errno
import io
import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass

# So many bytes still fit.
_LEFT = 10


@dataclass(frozen=True)
class Expected:
    """What a writer raises on such a disk."""

    kind: type[BaseException]
    number: int | None = None

    def is_said(self, error, path):
        """Tell whether an error is this one, and names the path."""
        if self.number is None:
            return True
        return error.errno == self.number and str(path) in str(error)


def _opened(error):
    """Return an `open` whose files take so many bytes and then fail."""

    class Full(io.FileIO):
        """A file on a disk that fills up."""

        def write(self, data):
            rest = _LEFT - self.tell()
            super().write(memoryview(data).cast("B")[: max(rest, 0)])
            if len(data) > rest:
                raise error
            return len(data)

    return lambda path, _: Full(path, "x")


def _failing(error):
    def fail(*_, **__):
        raise error

    return fail


def _error(number, path=None):
    return OSError(number, os.strerror(number), *([path] if path else []))


def _named(number):
    """Return a call that fails as the system's do, with the path in the error."""

    def fail(path, *_, **__):
        raise _error(number, path)

    return fail


def _failure(name, call, expected):
    """Return a context in which a name of the writer's module is replaced."""

    @contextmanager
    def failing(monkeypatch, writer):
        module = sys.modules[writer.__wrapped__.__module__]
        with monkeypatch.context() as patch:
            owner, _, attribute = name.rpartition(".")
            patch.setattr(vars(module)[owner] if owner else module, attribute, call, raising=False)
            yield expected

    return failing


FULL, QUOTA = errno.ENOSPC, errno.EDQUOT
# Each takes pytest's monkeypatch and the core's `atomic_file`.
FAILURES = {
    "full": _failure("open", _opened(_error(FULL)), Expected(OSError, FULL)),
    "full when it is flushed": _failure(
        "os.fsync", _failing(_error(QUOTA)), Expected(OSError, QUOTA)
    ),
    "forbidden": _failure(
        "open", _named(errno.EACCES), Expected(PermissionError, errno.EACCES)
    ),
    "read only": _failure("open", _named(errno.EROFS), Expected(OSError, errno.EROFS)),
    "in use": _failure(
        "os.replace", _named(errno.EACCES), Expected(PermissionError, errno.EACCES)
    ),
    "interrupted": _failure("open", _opened(KeyboardInterrupt()), Expected(KeyboardInterrupt)),
}  # fmt: skip
