"""Compiled kernel of Octree: opens the library beside this file and tests it before use.

ctypes opens the library by its absolute path, without Python headers and NumPy.
"""

import ctypes
import sys
from ctypes import byref, c_double, c_int64, c_void_p, pointer
from hashlib import sha256
from pathlib import Path

from .self_test import KNOWN, digest, tested
from .structures import *  # noqa: F403  # all that the header of the kernel declares
from .structures import ABI, FUNCTIONS

__all__ = ["ABI", "KNOWN", "LIBRARY", "VERSION", "byref", "digest", "opened", "pointer", "tested"]

VERSION = "1.5.0"
_SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
LIBRARY = Path(__file__).resolve().parent / f"octree_kernel{_SUFFIX}"


def opened(path: Path = LIBRARY) -> ctypes.CDLL:
    """Open, check and return the library.

    Parameters
    ----------
    path : Path
        Absolute path of the library.

    Returns
    -------
    CDLL
        The library, with the argument types of its functions.

    Raises
    ------
    OSError
        If the library is missing, damaged, built for another machine or version, or fails the
        self-test.
    """
    if not path.is_file():
        raise OSError(f"{path} is not there: make kernel, or pip install ./kernel, makes it")
    whole = path.with_name(f"{path.name}.sha256")
    if not whole.is_file() or whole.read_text() != sha256(path.read_bytes()).hexdigest():
        raise OSError(f"{path} is damaged: install it anew")  # to open it might crash
    try:
        library = declared(ctypes.CDLL(str(path)))
        abi = library.octree_kernel_abi()
    except AttributeError as error:
        raise OSError(
            f"{path} is of another version: {error}; restart Python or Blender"
        ) from error
    if abi != ABI:
        raise OSError(f"{path} has another interface than this package: restart Python or Blender")
    if tested(library) != KNOWN:
        raise OSError(f"{path} does not compute as it has to on this machine")
    return library


def declared(library: ctypes.CDLL) -> ctypes.CDLL:
    """Declare the argument and return types of the library's functions."""
    for name, arguments in FUNCTIONS.items():
        function = getattr(library, f"octree_kernel_{name}")
        function.argtypes, function.restype = arguments, c_int64
    # Single queries take microseconds, less than releasing the GIL: PYFUNCTYPE keeps it.
    # Structures are passed by address or as bytes.
    for name in ("cast", "cast_all", "nearest", "touch"):
        plain = [each if each in (c_double, c_int64) else c_void_p for each in FUNCTIONS[name]]
        prototype = ctypes.PYFUNCTYPE(c_int64, *plain)
        setattr(library, f"lone_{name}", prototype((f"octree_kernel_{name}", library)))
    return library
