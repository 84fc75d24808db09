"""Online manual: right-click > Online Manual on a button or setting opens its section."""

import bpy

# Address of the web site. A placeholder: docs/listing/placeholders.toml.
SITE = "https://octree.example/"
# Anchors of sections of the user guide, with the operators and settings that they describe.
# Blender takes the first match, so single settings come before their group.
_GUIDE: dict[str, tuple[str, ...]] = {
    "select-what-a-camera-sees": ("select_in_frustum", "OctreeFrustumSettings"),
    "select-around-the-3d-cursor": (
        "select_in_sphere", "select_in_box", "select_in_capsule", "select_nearest",
        "select_on_ray", "resize_answer", "OctreeSphereSettings", "OctreeBoxSettings",
        "OctreeCapsuleSettings", "OctreeNearestSettings", "OctreeRaySettings",
    ),
    "measure-distances": (
        "measure_distances", "make_distances_real", "OctreeDistanceSettings",
    ),
    "ask-with-the-pointer": (
        "probe", "probe_move", "probe_keep", "probe_size", "probe_end",
    ),
    "what-is-really-seen-and-how-much-of-it": (
        "go_to_largest", "OctreeShotSettings.behind", "OctreeShotSettings.resolution",
        "OctreeShotSettings.samples", "OctreeShotSettings.least", "OctreeShotSettings.clear",
    ),
    "find-what-cameras-see-over-a-whole-shot": (
        "find_seen", "select_seen", "collect_seen", "mark_seen", "export_seen",
        "OctreeShotSettings",
    ),
    "hide-what-is-not-seen-and-get-it-back": (
        "hide_unseen", "restore_hidden", "OctreeHidingSettings",
    ),
    "delete-what-is-never-seen": (
        "find_never_seen", "select_never_seen", "collect_never_seen", "hide_never_seen",
        "mark_never_seen", "mask_never_seen", "unmask_never_seen", "copy_never_seen",
        "OctreeNeverSeenSettings",
    ),
    "see-the-octree-of-a-mesh": (
        "build", "rebuild", "clear", "add_build_preset", "inspect_cells",
        "make_real", "OctreeBuildSettings", "OctreeSourceSettings", "OctreeDisplaySettings",
    ),
    "look-at-how-a-question-was-answered": ("show_cells", "OctreeAnswerSettings"),
    "find-collisions": ("select_collisions", "OctreeCollisionSettings"),
    "audit-a-scene": (
        "audit", "recheck", "mark_findings", "compare_audit", "select_duplicates",
        "select_floating", "export_audit", "OctreeAuditSettings",
        "OctreeFloatingSettings",
    ),
    "go-through-what-was-found": (
        "click_row", "fold_row", "next_row", "previous_row", "unpick_rows", "isolate_row",
        "select_rows", "collect_rows", "mark_rows", "hide_rows", "copy_rows", "copy_names",
        "export_rows", "sort_rows", "group_rows", "ungroup_rows", "mark_row_frames",
        "show_result", "refresh_result", "remove_result", "clear_results",
        "OctreeResultsSettings", "OctreeListSettings", "OctreeResult",
    ),
    "cut-a-scene-into-chunks": (
        "preview_chunks", "cut_chunks", "export_chunks", "remove_chunks", "OctreeChunkSettings",
        "OctreeShipmentSettings",
    ),
    "see-where-the-triangles-are": (
        "density", "decimate_to_need", "remove_decimated",
        "OctreeDensitySettings",
    ),
    "place-objects-until-they-touch": (
        "drop", "push_apart", "fill", "hold", "put", "hide_duplicates",
        "copy_without_duplicates", "OctreeDropSettings", "OctreePushApartSettings",
        "OctreeFillSettings",
    ),
    "keep-an-octree-of-moving-objects": ("live", "OctreeLiveSettings", "OctreeObjectSettings"),
    "wait-or-stop": ("cancel_work", "work_ahead"),
    "user-guide": ("add_example", "Octree*"),
}  # fmt: skip


def pages() -> tuple[str, list[tuple[str, str]]]:
    """Return the address of the site, and pairs of a pattern and a page, for Blender's manual map.

    A pattern matches names such as `bpy.ops.octree.build` for operators or
    `bpy.types.octreebuildsettings.capacity` for settings, in lower case; "*" matches any text.
    """
    return SITE, [
        (_pattern(word), f"user_guide.html#{anchor}")
        for anchor, words in _GUIDE.items()
        for word in words
    ]


def _pattern(word: str) -> str:
    """Return the pattern of an operator, a setting, or all settings of a group."""
    if not word.startswith("Octree"):
        return f"bpy.ops.octree.{word}"
    return f"bpy.types.{word}".lower() + ".*" * ("." not in word and word[-1] != "*")


def register() -> None:
    """Add the manual map, which Blender searches before its own manual."""
    bpy.utils.register_manual_map(pages)


def unregister() -> None:
    """Remove the manual map."""
    bpy.utils.unregister_manual_map(pages)
