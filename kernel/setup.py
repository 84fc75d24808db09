"""Compile the library into the wheel: one for each platform, for every Python."""

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

sys.path.insert(0, str(Path(__file__).resolve().parent))

from compile import compiled


class CompiledPackage(build_py):
    """The package with its library."""

    def run(self):
        """Copy the package, then compile beside it."""
        super().run()
        if not self.editable_mode:
            compiled(Path(self.build_lib, "octree_kernel"))


class PlatformWheel(bdist_wheel):
    """A wheel for a platform, whatever the Python: nothing in it knows of Python."""

    def finalize_options(self):
        """Say that the wheel is not for every platform."""
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        """Return the tag without a Python of its own."""
        return "py3", "none", super().get_tag()[2]


setup(cmdclass={"build_py": CompiledPackage, "bdist_wheel": PlatformWheel})
