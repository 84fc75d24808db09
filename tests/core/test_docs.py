"""What the essay and the front page show is what happens."""

import doctest
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_essays_examples_run():
    result = doctest.testfile(str(ROOT / "docs" / "how_it_works.md"), module_relative=False)
    assert result.attempted > 5
    assert result.failed == 0


def test_the_front_pages_examples_run():
    """But for those that need Blender."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    known: dict[str, object] = {}
    for block in blocks:
        if "bpy" not in block:
            exec(block, known)
    assert len(known["triangle"]) >= 5
    assert known["began"].shape[1] == len(known["ship"]) > 0
