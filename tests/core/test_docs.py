"""What the essay shows is what happens."""

import doctest
from pathlib import Path

ESSAY = Path(__file__).resolve().parents[2] / "docs" / "how_it_works.md"


def test_the_essays_example_runs():
    result = doctest.testfile(str(ESSAY), module_relative=False)
    assert result.attempted > 5
    assert result.failed == 0
