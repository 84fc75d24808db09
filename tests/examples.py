"""How many random examples tests look at: few at hand, many where there is a night for them."""

import os

from hypothesis import HealthCheck, settings

# `make test-all EXAMPLES=many`.
MANY = os.environ.get("EXAMPLES") == "many"


# Other work on the machine decides how long it takes to draw examples, and to try them.
AT_LEISURE = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}


def examples(many: int, **options: object) -> settings:
    """Return settings of half as many examples; of a quarter of them, three at least, at hand."""
    share = 2 if MANY else 4
    return settings(max_examples=max(3, many // share), **AT_LEISURE | options)
