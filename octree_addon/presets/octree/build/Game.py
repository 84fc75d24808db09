"""Game: a loose octree, as engines have it: nothing is copied."""

import bpy

octree = bpy.context.scene.octree  # type: ignore[attr-defined]
octree.build.capacity = 32
octree.build.max_depth = 8
octree.build.min_size = 0.0
octree.build.split = "MIDDLE"
octree.build.straddlers = "KEEP"
octree.build.hybrid_limit = 4
octree.build.loose_factor = 2.0
octree.objects.capacity = 8
octree.objects.max_depth = 8
octree.objects.min_size = 0.0
octree.objects.straddlers = "KEEP"
octree.objects.loose_factor = 2.0
octree.objects.merge_below = 4
