"""Trees that the core of late 0.1.0 saved load, and answer what they answered then."""

import json
from pathlib import Path

import numpy as np
import pytest
from agreement import assert_same
from older_trees import facts_of

from core import load, save

FOLDER = Path(__file__).resolve().parent.parent / "fixtures" / "0.1.0_late" / "trees"
STATED = json.loads((FOLDER / "answers.json").read_text(encoding="utf-8"))


def test_every_kind_is_there():
    assert {path.stem for path in FOLDER.glob("*.npz")} == set(STATED)
    kinds = {name.partition("_")[0] for name in STATED}
    assert kinds == {"boxes", "dynamic", "invalid", "regions", "spheres", "triangles"}


@pytest.mark.parametrize("name", STATED)
def test_an_older_tree_answers_what_it_answered(name):
    tree, stated = load(FOLDER / f"{name}.npz"), STATED[name]
    tree.check()
    found = facts_of(tree)
    for fact, wanted in stated.items():
        if fact.startswith("how "):
            one, other = (np.array(each, float) for each in (found[fact], wanted))
            np.testing.assert_allclose(one, other, atol=1e-7, err_msg=fact)
        else:
            assert found[fact] == wanted, fact


@pytest.mark.parametrize("name", STATED)
def test_an_older_tree_saved_again_is_the_same(name, tmp_path):
    tree = load(FOLDER / f"{name}.npz")
    save(tree, tmp_path / "again")
    assert_same(tree, load(tmp_path / "again"))
