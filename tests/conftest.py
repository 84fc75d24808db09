"""The extension under its second name, `octree_ext`, as Blender would import it.

Core tests say `from core import ...`, add-on tests `from octree_ext.octree_addon import ...`. The
add-on's own `..core` is another copy then: never compare classes across the two.
"""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent


def import_extension() -> None:
    """Import the checkout as the package `octree_ext`, once; the front door needs no `bpy`."""
    if "octree_ext" in sys.modules:
        return
    spec = spec_from_file_location(
        "octree_ext", CHECKOUT / "__init__.py", submodule_search_locations=[str(CHECKOUT)]
    )
    sys.modules["octree_ext"] = extension = module_from_spec(spec)
    spec.loader.exec_module(extension)


import_extension()
