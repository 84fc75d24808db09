"""Loader of the compiled kernel (ctypes): the library, or the reason why NumPy answers.

NumPy also answers the rows of an answer that the kernel leaves to it. The number of threads of the
kernel is set here, too.
"""

import os
import platform
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, SupportsIndex, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..arrays import Flags, Ids, address

# Environment variable: the folder of a package that is not installed; "0" or "off" for none.
VARIABLE = "OCTREE_KERNEL"
# Environment variable: the number of threads, if `use_threads` has not set it.
_THREADS = "OCTREE_THREADS"
_NAME = "octree_kernel"
# The expected interface of the package: a digest of its header, see kernel/bindings.py.
_ABI = 599027948535284865

Answer = TypeVar("Answer")


class _Choice:
    """Choices of the process: see `use_kernel` and `use_threads`."""

    is_wanted = True
    threads: int | None = None
    spare = 0


def found() -> tuple[Any, Any, str]:
    """Return the library, its package and an empty text; or None twice and the reason."""
    return _opened() if _Choice.is_wanted else (None, None, "it is switched off")


@cache
def _opened() -> tuple[Any, Any, str]:
    where = os.environ.get(VARIABLE, "")
    if where in ("0", "off"):
        return None, None, f"{VARIABLE} is {where}"
    if sys.maxsize < 2**32 or sys.byteorder != "little":
        return None, None, "it wants a 64-bit little-endian machine"
    if _whole_bytes() != 8:
        return None, None, "it wants NumPy 2 on Windows, where whole numbers had 32 bits before"
    try:
        package = _package_at(Path(where)) if where else import_module(_NAME)
        if package.ABI != _ABI:
            told = f"octree_kernel has the interface {package.ABI}, not {_ABI}: install it anew"
            return None, None, f"{told}, then restart Python or Blender"
        return package.opened(), package, ""
    except Exception as error:  # a damaged package may raise anything: NumPy answers
        return None, None, str(error) or repr(error)


def _whole_bytes() -> int:
    """Return the size of NumPy's default integers in bytes; the kernel takes eight."""
    return np.dtype(int).itemsize


def _package_at(folder: Path) -> ModuleType:
    """Import the package from a folder, which need not be on the search path."""
    spec = spec_from_file_location(_NAME, folder.resolve() / "__init__.py")
    if spec is None or spec.loader is None:
        raise ImportError(f"{folder} is no package")
    for name in [each for each in sys.modules if each.partition(".")[0] == _NAME]:
        del sys.modules[name]  # imported from another folder
    # The modules of the package import each other by its name.
    package = sys.modules[_NAME] = module_from_spec(spec)
    try:
        spec.loader.exec_module(package)
    except BaseException:
        del sys.modules[_NAME]
        raise
    return package


def why_not() -> str:
    """Return the reason why there is no kernel; an empty text if there is one.

    Returns
    -------
    str
        The reason, as text for users.
    """
    return found()[2]


def kernel_state() -> tuple[str, str]:
    """Return the version of the compiled kernel, or the reason why it is not used.

    Returns
    -------
    version : str
        Version of the kernel; an empty text if the kernel is not used.
    reason : str
        Reason why the kernel is not used; an empty text if it is used.
    """
    _, package, reason = found()
    return ("" if package is None else package.VERSION), reason


def kernel() -> str:
    """Return a description of the kernel in use, as text for users.

    Returns
    -------
    str
        The version of the compiled kernel and its platform. If the kernel is not used, the text
        begins with "NumPy" and gives the reason. Answers are the same, to the last bit.
    """
    version, reason = kernel_state()
    if version:
        return f"octree-kernel {version}, {platform.system()} {platform.machine()}"
    return f"NumPy answers alone: {reason}"


def use_kernel(is_wanted: bool, /) -> None:
    """Switch the compiled kernel on or off for this process; it is on at first.

    Parameters
    ----------
    is_wanted : bool
        True uses the kernel if it can be loaded. Answers are the same, to the last bit.

    Raises
    ------
    ValueError
        If `is_wanted` is neither True nor False.
    """
    _Choice.is_wanted = checks.flag("is_wanted", is_wanted)


def use_threads(count: SupportsIndex | None, /, *, spare: SupportsIndex = 0) -> None:
    """Set the default number of threads for queries, in this process.

    Parameters
    ----------
    count : int or None
        Number of threads, at least 1. None, the initial state, stands for the number in the
        environment variable `OCTREE_THREADS`, else for the number of cores that this process may
        use. Answers are the same, to the last bit. Without the compiled kernel, queries take one
        thread.
    spare : int
        Number of cores to leave free if neither `count` nor the variable sets the number of
        threads; at least one core is used.

    Raises
    ------
    ValueError
        If `count` is neither None nor a whole number of at least 1, or if `spare` is not a whole
        number of at least 0.
    """
    wanted = None if count is None else checks.whole_number("count", count, 1)
    _Choice.spare = checks.whole_number("spare", spare, 0)
    _Choice.threads = wanted


def threads_of(threads: SupportsIndex | None) -> int:
    """Return `threads`, checked; for None, the default number of threads."""
    if threads is not None:
        return checks.whole_number("threads", threads, 1)
    if _Choice.threads is not None:
        return _Choice.threads
    told = os.environ.get(_THREADS, "")
    is_told = told.isdecimal() and int(told) > 0
    return int(told) if is_told else max(1, _cores() - _Choice.spare)


def _cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Caller:
    """Base of classes that call the kernel; a call that it refuses is a bug of this library."""

    def __init__(self) -> None:
        self._library, self._package, _ = found()

    def call(self, name: str, *given: Any) -> int:
        """Call a function of the kernel, with the addresses of arrays and all other arguments.

        Raises IndexError if the function refuses its arguments.
        """
        arguments = [address(each) if type(each) is np.ndarray else each for each in given]
        reached: int = getattr(self._library, f"octree_kernel_{name}")(*arguments)
        if reached < 0:
            raise IndexError(f"{name}: an index points nowhere")
        return reached


def repaired(found: Answer, are_left: Flags, ask: Callable[[Ids], Answer]) -> Answer:
    """Write NumPy's answers into the rows that the kernel left, and return the kernel's answer.

    An answer is an array (q, ...), or a tuple or record of such arrays; single arrays may be None.
    `ask` answers the queries of the given numbers.
    """
    (left,) = are_left.nonzero()
    if len(left):
        for array, rows in zip(_arrays(found), _arrays(ask(left)), strict=True):
            array[left] = rows
    return found


def _arrays(answer: Any) -> list[NDArray[Any]]:
    """Return the arrays of an answer."""
    if isinstance(answer, np.ndarray):
        return [answer]
    fields = answer if isinstance(answer, tuple) else vars(answer).values()
    return [each for each in fields if each is not None]
