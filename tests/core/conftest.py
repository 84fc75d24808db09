"""How Hypothesis runs: the machine may be slow, and every run may look somewhere else."""

from hypothesis import settings

settings.register_profile("core", deadline=None, max_examples=60)
settings.load_profile("core")
