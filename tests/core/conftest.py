"""How Hypothesis runs: the machine may be slow, and every run may look somewhere else."""

import core_scenes as scenes
import pytest
from agreement import built
from examples import AT_LEISURE, MANY
from hypothesis import settings
from support.kernels import each_kernel  # noqa: F401  # a fixture

from core import save, use_kernel, use_threads

settings.register_profile("core", max_examples=30 if MANY else 8, **AT_LEISURE)
settings.load_profile("core")


@pytest.fixture(autouse=True)
def kernel_on():
    """Leave the kernel switched on, whatever a test has done: the switch is one for all."""
    yield
    use_kernel(True)
    use_threads(None)


@pytest.fixture
def tree_file(tmp_path):
    path = tmp_path / "tree"
    save(built(scenes.random(), capacity=8), path)
    return path


@pytest.fixture
def in_numpy():
    """Let NumPy answer: what is counted are its own costs."""
    use_kernel(False)
