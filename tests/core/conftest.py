"""How Hypothesis runs: the machine may be slow, and every run may look somewhere else."""

import os

import core_scenes as scenes
import pytest
from agreement import built
from hypothesis import settings

from core import save

# Rare cases are looked for once where all suites run (EXAMPLES=many), under the newest NumPy: the
# round under the oldest is about that NumPy.
MANY = os.environ.get("EXAMPLES") == "many"
settings.register_profile("core", deadline=None, max_examples=60 if MANY else 15)
settings.load_profile("core")


@pytest.fixture
def tree_file(tmp_path):
    path = tmp_path / "tree"
    save(built(scenes.random(), capacity=8), path)
    return path
