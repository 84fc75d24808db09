"""How Hypothesis runs: the machine may be slow, and every run may look somewhere else."""

import sys

import core_scenes as scenes
import pytest
from agreement import built
from hypothesis import settings

from core import save

# Inside Blender, a third round is about its Python and its NumPy, not about rare cases.
EXAMPLES = 15 if "bpy" in sys.modules else 60
settings.register_profile("core", deadline=None, max_examples=EXAMPLES)
settings.load_profile("core")


@pytest.fixture
def tree_file(tmp_path):
    path = tmp_path / "tree"
    save(built(scenes.random(), capacity=8), path)
    return path
