"""Coarse: few large cells, quickly built."""

import bpy

octree = bpy.context.scene.octree  # type: ignore[attr-defined]
octree.build.capacity = 256
octree.build.max_depth = 6
octree.build.min_size = 0.0
octree.build.split = "MIDDLE"
octree.build.straddlers = "COPY"
octree.build.hybrid_limit = 4
octree.build.loose_factor = 1.0
octree.objects.capacity = 32
octree.objects.max_depth = 6
octree.objects.min_size = 0.0
octree.objects.straddlers = "KEEP"
octree.objects.loose_factor = 1.25
octree.objects.merge_below = 16
