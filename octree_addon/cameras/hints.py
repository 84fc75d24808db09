"""Hints about cameras that were left out, with a button to select each."""

import glob
from collections.abc import Iterator, Sequence
from typing import Any

import bpy

from ..answers.hints import Hint


def left_out_hints(scene: bpy.types.Scene, names: Sequence[str]) -> Iterator[Hint]:
    """Yield a hint for each of these cameras, whose views are not frusta."""
    for name in names:
        pattern = {"pattern": glob.escape(name), "case_sensitive": True, "extend": False}
        item: bpy.types.Object | None = scene.objects.get(name)
        lens: Any = item.data if item else None
        kind = "panoramic" if lens and lens.type == "PANO" else "custom"
        yield Hint(
            f"{name} is {kind} and was left out",
            "Select Camera",
            "object.select_pattern",
            pattern,
            at_once=True,
        )
