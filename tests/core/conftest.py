"""How Hypothesis runs: the machine may be slow, and every run may look somewhere else."""

import os
import sys

import core_scenes as scenes
import pytest
from agreement import built
from hypothesis import settings

from core import save

# Rare cases are looked for where all suites run (`make test-all` sets EXAMPLES=many), but not in a
# third round inside Blender, which is about its Python and its NumPy.
EXAMPLES = 60 if os.environ.get("EXAMPLES") == "many" and "bpy" not in sys.modules else 15
settings.register_profile("core", deadline=None, max_examples=EXAMPLES)
settings.load_profile("core")


@pytest.fixture
def tree_file(tmp_path):
    path = tmp_path / "tree"
    save(built(scenes.random(), capacity=8), path)
    return path
