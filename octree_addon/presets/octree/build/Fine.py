"""Fine: small cells, for exact pictures and many small questions."""

import bpy

octree = bpy.context.scene.octree  # type: ignore[attr-defined]
octree.build.capacity = 8
octree.build.max_depth = 12
octree.build.min_size = 0.0
octree.build.split = "MIDDLE"
octree.build.straddlers = "COPY"
octree.build.hybrid_limit = 4
octree.build.loose_factor = 1.0
octree.objects.capacity = 4
octree.objects.max_depth = 12
octree.objects.min_size = 0.0
octree.objects.straddlers = "KEEP"
octree.objects.loose_factor = 1.25
octree.objects.merge_below = 2
