"""Clip: triangles cut at the walls, each piece in one cell; no copy is counted twice."""

import bpy

octree = bpy.context.scene.octree  # type: ignore[attr-defined]
octree.build.capacity = 32
octree.build.max_depth = 8
octree.build.min_size = 0.0
octree.build.split = "MIDDLE"
octree.build.straddlers = "CLIP"
octree.build.hybrid_limit = 4
octree.build.loose_factor = 1.0
octree.objects.capacity = 8
octree.objects.max_depth = 8
octree.objects.min_size = 0.0
octree.objects.straddlers = "KEEP"
octree.objects.loose_factor = 2.0
octree.objects.merge_below = 4
