"""The demo's results for people and programs: a page made of a dict of numbers."""

from collections.abc import Iterable

import numpy as np

MEASURES = (  # of findings: name, factor to the shown unit, unit, suffix
    ("depth", 1e3, "mm", "deep"),
    ("distance", 1e3, "mm", "apart"),
    ("area", 1e4, "cm²", ""),
)


def spread(numbers: np.ndarray) -> dict[str, float]:
    """Return minimum, median and maximum of some counts."""
    return {
        "fewest": int(numbers.min()),
        "median": float(np.median(numbers)),
        "most": int(numbers.max()),
    }


def page(report: dict) -> str:
    """Format a report as the printed page."""
    lines = [*_tree(report), "", *_questions(report), "", *_sentences(report)]
    if "forest" in report:
        lines += ["", *of_forest(report["forest"])]
    if "chunks" in report:
        lines += ["", *map(of_chunks, report["chunks"])]
    if "tiles" in report:
        lines += of_tiles(report["tiles"])
    if "audit" in report:
        lines += ["", *of_audit(report["audit"])]
    if "shelf" in report:
        lines += ["", of_shelf(report["shelf"])]
    if "swarm" in report:
        lines += ["", of_swarm(report["swarm"])]
    return "\n".join(lines)


def _tree(report: dict) -> Iterable[str]:
    tree = report["octree"]
    yield f"{report['scene']}, in Blender {report['blender']}"
    yield ""
    yield _fact("triangles", f"{report['triangles']:,}", f"of {report['objects']} objects")
    leaves = f"{tree['leaves']:,} leaves, {tree['occupied']:,} of them hold something"
    yield _fact("cells", f"{tree['cells']:,}", leaves)
    fullest = f"the fullest leaf holds {tree['fullest_leaf']}, capacity {tree['capacity']}"
    yield _fact("depth", f"{tree['depth']}", fullest)
    yield _fact("references per item", f"{tree['references_per_item']:.2f}", "")
    yield _fact("built in", f"{tree['build_ms']:.0f} ms", "from the meshes to the tree")


def _fact(name: str, value: str, remark: str) -> str:
    return f"  {name:<20}{value:>9}   {remark}".rstrip()


def _questions(report: dict) -> Iterable[str]:
    numbers = f"{'fewest':>8}{'median':>8}{'most':>8}"
    yield f"  {'':<18}{'potential colliders':>24}{'true hits':>24}{'ours':>11}{'all':>11}"
    yield f"  {'':<18}{numbers}{numbers}{'':>11}{'asked':>11}"
    yield "  " + "-" * 88
    for name in ("entity", "camera"):
        if name in report:
            yield _question(name, report[name])


def _question(name: str, asked: dict) -> str:
    counts = "".join(_counts(asked[kind], asked["places"]) for kind in ("candidates", "true_hits"))
    label = f"{name}, {asked['places']} places" if asked["places"] > 1 else name
    times = f"{asked['ms']:>8.1f} ms{asked['brute_force_ms']:>8,.0f} ms"
    return f"  {label:<18}{counts}{times}"


def _counts(spread: dict, places: int) -> str:
    if places == 1:
        return f"{'':>8}{spread['median']:>8,.0f}{'':>8}"
    return "".join(f"{spread[which]:>8,.0f}" for which in ("fewest", "median", "most"))


def _sentences(report: dict) -> Iterable[str]:
    entity = report["entity"]
    median, total = entity["candidates"]["median"], report["triangles"]
    yield (
        f"The entity, a sphere of radius {entity['radius']:.3g}, has to look at {median:.0f}"
        f" triangles instead of {total:,}: {median / total:.2%}."
    )
    if "camera" in report:
        camera = report["camera"]
        chosen = camera["selected_objects"]
        yield (
            f"{camera['name']} sees {camera['true_hits']['median']:,.0f} triangles;"
            f" selected are {len(chosen)} of {report['objects']} objects."
        )
    checked = entity["places_checked"]
    yield (
        f"Each answer was held against brute force ({checked} places):"
        " not one triangle differs, rounding apart."
    )


def of_forest(forest: dict) -> Iterable[str]:
    """Report the queries of the forest's scene index."""
    camera, box, rays, pairs = (forest[name] for name in ("camera", "box", "rays", "pairs"))
    yield (
        f"A forest: {forest['placements'] - 1:,} trees and their ground are {forest['meshes']}"
        f" meshes, {forest['triangles']:,} triangles, of which {forest['stored_triangles']:,}"
        " are stored."
    )
    yield ""
    yield _asked("index made", forest["made_ms"], f"{forest['placements']:,} placements")
    yield _asked(
        "brought up to date", forest["update"]["ms"], f"{forest['update']['moved']} moved"
    )
    yield _asked("what the camera sees", camera["ms"], f"{camera['objects']:,} of them")
    yield _asked("what is in the box", box["ms"], f"{box['objects']:,} of them")
    hits = f"{rays['hits']:,} hit {rays['faces']:,} faces of {rays['objects']:,} objects"
    yield _asked(f"{rays['rays']:,} rays", rays["ms"], hits)
    yield _asked("", rays["blender_ms"], "by scene.ray_cast, one by one")
    touching = f"{pairs['objects']:,} of objects, {pairs['triangles']:,} of triangles"
    yield _asked("all touching pairs", pairs["ms"], touching)
    yield ""
    yield "Samples were held against brute force: nothing differs, rounding apart."


def _asked(what: str, spent: float, found: str) -> str:
    return f"  {what:<20}{spent:>9,.1f} ms   {found}"


def of_chunks(chunks: dict) -> str:
    """Report the chunks of a cut."""
    return (
        "The {name}, cut by a budget of {budget:,} triangles in {ms:.0f} ms: {chunks:,} chunks in"
        " {cells:,} cells, {triangles:,} triangles, {most:,} in the fullest cell."
    ).format(**chunks)


def of_tiles(tiles: dict) -> Iterable[str]:
    """Report exported tiles and how to view them."""
    yield (
        "The {name} as 3D Tiles in {ms:,.0f} ms: {tiles} chunks of at most {budget:,} triangles,"
        " {megabytes:.1f} MB."
    ).format(**tiles, megabytes=tiles["bytes"] / 1e6)
    if tiles["viewer"]:
        yield f"Without a page that shows them: {tiles['viewer']}."
    else:
        yield "To see them: python3 -m http.server --directory {folder}".format(**tiles)


def of_audit(audit: dict) -> Iterable[str]:
    """Report the findings in the workshop."""
    found = audit["findings"]
    yield (
        f"A workshop of {audit['objects']} objects, audited in {audit['ms']:.0f} ms:"
        f" {len(found)} findings."
    )
    yield ""
    for finding in found:
        numbers = (
            f"{finding[name] * factor:,.0f} {unit} {said}".rstrip()
            for name, factor, unit, said in MEASURES
            if name in finding and finding[name] > 0
        )
        names = " / ".join(finding["objects"])
        yield f"  {finding['class']:<24}{names:<28}{', '.join(numbers)}".rstrip()


def of_shelf(shelf: dict) -> str:
    """Report how the shelf was filled."""
    return (
        "{objects} things over a shelf were pushed apart and dropped in {ms:.0f} ms, then {copies}"
        " linked copies put beside them.\nPairs that overlap: {before} before, {after} after."
    ).format(**shelf, **shelf["overlaps"])


def of_swarm(swarm: dict) -> str:
    """Report the figures of the film."""
    return (
        "{ships} ships flew for {frames} frames through a dynamic octree of {fewest} to {most}"
        " cells: {splits} splits, {merges} merges; growths of the root: {growths}, shrinks:"
        " {shrinks}.\nOf {ships} ships, each had to look at {median:.0f} (median)."
    ).format(**swarm, **swarm["cells"], median=swarm["local"]["median"])
