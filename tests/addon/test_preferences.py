"""The preferences, drawn on paper: which way answers, and the switch."""

from types import SimpleNamespace

import bpy
import pytest
from paper import Paper

from octree_ext.core import compiled, kernel_state, use_kernel, use_threads
from octree_ext.octree_addon import preferences


@pytest.fixture
def switched():
    """Return a function that switches the kernel as the preferences do, and draws these."""

    def switch(is_kernel_used):
        chosen = SimpleNamespace(is_kernel_used=is_kernel_used, threads=0)
        preferences._switch_kernel(chosen, bpy.context)
        paper = Paper()
        shown = preferences.OctreePreferences
        shown.draw(SimpleNamespace(layout=paper, bl_rna=shown.bl_rna), bpy.context)
        return [line for line, _ in paper.lines]

    yield switch
    use_kernel(True)
    use_threads(None)


def test_the_preferences_say_which_way_answers(switched):
    shown = switched(True)
    version, reason = kernel_state()
    told = ["The kernel helps to answer", f"octree-kernel {version}"]
    told = told if version else ["NumPy answers alone", reason]
    place = shown.index("threads") + 1
    assert shown[place : place + 2] == told
    shown = switched(False)
    assert shown[place : place + 2] == ["NumPy answers alone", "it is switched off"]


def test_the_switch_is_remembered(switched, monkeypatch):
    kept = SimpleNamespace(is_kernel_used=False, threads=3)
    monkeypatch.setattr(preferences, "_preferences", lambda: kept)
    preferences.apply_kernel()
    assert kernel_state() == ("", "it is switched off")
    kept.is_kernel_used = True
    preferences.apply_kernel()
    assert kernel_state()[1] != "it is switched off"
    assert compiled.threads_of(None) == 3
    kept.threads = 0
    preferences.apply_kernel()
    assert compiled.threads_of(None) == max(1, compiled.door._cores() - 1)
    use_threads(None)
