"""How Hypothesis runs: the machine may be slow, and every run may look somewhere else."""

import os
import sys

import core_scenes as scenes
import pytest
from agreement import built
from hypothesis import settings

from core import save

# Rare cases are looked for once where all suites run (EXAMPLES=many), under the newest NumPy. The
# rounds under the oldest and inside Blender are about their NumPy and their Python.
MANY = os.environ.get("EXAMPLES") == "many"
EXAMPLES = 5 if "bpy" in sys.modules else 60 if MANY else 15
settings.register_profile("core", deadline=None, max_examples=EXAMPLES)
settings.load_profile("core")


@pytest.fixture
def tree_file(tmp_path):
    path = tmp_path / "tree"
    save(built(scenes.random(), capacity=8), path)
    return path
