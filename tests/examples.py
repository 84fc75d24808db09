"""How many random examples tests look at: few at hand, many where all suites run."""

import os

from hypothesis import settings

# In `make test-all`, under the newest NumPy: the round under the oldest is about that NumPy.
MANY = os.environ.get("EXAMPLES") == "many"


def examples(many: int, **options: object) -> settings:
    """Return settings of so many examples; of a quarter of them, three at least, at hand."""
    return settings(max_examples=many if MANY else max(3, many // 4), deadline=None, **options)
