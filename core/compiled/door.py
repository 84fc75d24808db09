"""The door to the compiled kernel (ctypes): finds the package by its path, or says why not."""

import os
import platform
import sys
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from .. import checks
from ..arrays import address

# Where the package lies, if it is not installed; "0" or "off" for none.
VARIABLE = "OCTREE_KERNEL"
_NAME = "octree_kernel"
# The interface of the package: a digest of its header, see kernel/bindings.py.
_ABI = 297136317443196923


class _Choice:
    """Whether the user wants the kernel: see `use_kernel`."""

    is_wanted = True


def found() -> tuple[Any, Any, str]:
    """Return the library and its package, or why there are none."""
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
    except Exception as error:  # whatever a damaged package raises: NumPy answers
        return None, None, str(error) or repr(error)


def _whole_bytes() -> int:
    """Return of how many bytes NumPy makes whole numbers; the kernel takes eight."""
    return np.dtype(int).itemsize


def _package_at(folder: Path) -> ModuleType:
    """Return the package in a folder, which is no search path."""
    spec = spec_from_file_location(_NAME, folder.resolve() / "__init__.py")
    if spec is None or spec.loader is None:
        raise ImportError(f"{folder} is no package")
    for name in [each for each in sys.modules if each.partition(".")[0] == _NAME]:
        del sys.modules[name]  # of another folder
    # Its files find each other by the name of the package.
    package = sys.modules[_NAME] = module_from_spec(spec)
    try:
        spec.loader.exec_module(package)
    except BaseException:
        del sys.modules[_NAME]
        raise
    return package


def why_not() -> str:
    """Return why there is no kernel; an empty text if there is one.

    Returns
    -------
    str
        The reason, for people.
    """
    return found()[2]


def kernel_state() -> tuple[str, str]:
    """Tell whether the compiled kernel helps to answer.

    Returns
    -------
    version : str
        Its version; an empty text if NumPy alone answers.
    reason : str
        Why NumPy alone does; an empty text if the kernel helps.
    """
    _, package, reason = found()
    return ("" if package is None else package.VERSION), reason


def kernel() -> str:
    """Tell what answers, for people.

    Returns
    -------
    str
        The version of the compiled kernel and its platform; or, beginning with "NumPy", why NumPy
        answers alone. Answers are the same, to the last bit.
    """
    version, reason = kernel_state()
    if version:
        return f"octree-kernel {version}, {platform.system()} {platform.machine()}"
    return f"NumPy answers alone: {reason}"


def use_kernel(is_wanted: bool, /) -> None:
    """Switch the compiled kernel on, as it is at first, or off, for this process.

    Parameters
    ----------
    is_wanted : bool
        Whether it is used if it is there. Answers are the same, to the last bit.

    Raises
    ------
    ValueError
        If it is neither True nor False.
    """
    _Choice.is_wanted = checks.flag("is_wanted", is_wanted)


class Caller:
    """Calls functions of the kernel that is there; whatever these refuse is an error of ours."""

    def __init__(self) -> None:
        self._library, self._package, _ = found()

    def _call(self, name: str, *given: Any) -> int:
        """Call a function with arrays, by their addresses, and whatever else it takes."""
        arguments = [address(each) if type(each) is np.ndarray else each for each in given]
        reached: int = getattr(self._library, f"octree_kernel_{name}")(*arguments)
        if reached < 0:
            raise IndexError(f"{name}: an index points nowhere")
        return reached
