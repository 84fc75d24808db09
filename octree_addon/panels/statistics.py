"""What became of the items, in numbers."""

import bpy

from .. import trees
from ..ui import SubPanel, draw_hint, draw_table

REFERENCES_WARNING = 8


class OCTREE_PT_statistics(SubPanel):
    """What became of the items."""

    bl_label = "Statistics"
    bl_order = 100

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return trees.get(context.scene) is not None

    def draw(self, context: bpy.types.Context) -> None:
        built = trees.get(context.scene)
        assert built is not None
        draw_table(self.layout, table_of(built), names=0.6)
        if built.statistics.references_per_item > REFERENCES_WARNING:
            draw_hint(self.layout, "Many copies: try a higher capacity or Keep", "ERROR")


def table_of(built: trees.BuiltTree) -> list[tuple[str, str]]:
    """Return what the user reads about a tree: names and values."""
    found, noun = built.statistics, built.source.noun.title()
    return [
        (f"{noun}s", f"{found.items:,}"),
        ("Cells", f"{found.cells:,}"),
        ("Leaves", f"{found.leaves:,}"),
        ("Depth", f"{found.depth}"),
        (f"References per {noun}", f"{found.references_per_item:.2f}"),
        ("Fullest Leaf", f"{found.fullest_leaf:,}"),
        ("Memory", f"{found.bytes / 2**20:.1f} MiB"),
        ("Build Time", f"{built.build_seconds:.3f} s"),
    ]
