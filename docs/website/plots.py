"""Draw the tables of the benchmarks: a bar for each ratio, before the table, as SVG."""

import re
from html import escape
from math import log10
from pathlib import Path

FOLDER = "plots"
WORDS = (
    "Our time in parts of theirs, a bar a row: blue to the left where we are faster, else orange"
)
# Colors that are told from a white and from a dark page.
FASTER, SLOWER, INK = "#4f83d1", "#e07b1f", "#777c85"
# Labels stand above their bars, so that a phone has room for both.
WIDTH, ROW, TOP = 420, 30, 22
TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)
RATIO = re.compile(r"([\d.,]+) x")


def with_plots(page: str, folder: Path) -> str:
    """Return a page with a plot before each table that has ratios; write the plots there."""
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    count = 0

    def plotted(found: re.Match[str]) -> str:
        nonlocal count
        bars = ratios(found.group())
        if len(bars) < 2:
            return found.group()
        count += 1
        name = f"{FOLDER}/benchmarks_{count}.svg"
        (folder / name).write_text(svg(bars), encoding="utf-8")
        return f"![{WORDS}]({name})\n\n{found.group()}"

    return TABLE.sub(plotted, page)


def ratios(table: str) -> list[tuple[str, float]]:
    """Return the rows of a table, each with its ratio; none if it has no such column."""
    header, _, *lines = [[cell.strip() for cell in line.split("|")] for line in table.splitlines()]
    if "ratio" not in header:
        return []
    place, bars = header.index("ratio"), []
    for cells in lines:
        told = RATIO.fullmatch(cells[place]) if len(cells) > place else None
        if told:
            peer = cells[header.index("against")] if "against" in header else ""
            label = ": ".join(each for each in (cells[1], peer) if each)
            bars.append((re.sub(r"[*`]", "", label), float(told.group(1).replace(",", ""))))
    return bars


def svg(bars: list[tuple[str, float]]) -> str:
    """Return a picture of the bars, on a logarithmic scale."""
    values = [log10(max(ratio, 1e-4)) for _, ratio in bars]
    low, high = min(-1.0, *values), max(0.5, *values)
    unit = (WIDTH - 60) / (high - low)
    middle, height = -low * unit, TOP + ROW * len(bars) + 6
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
        f' font-family="sans-serif" font-size="11" fill="{INK}">',
        f'<text x="{middle:.1f}" y="13" text-anchor="middle">1 x</text>',
        f'<path d="M{middle:.1f} 17V{height}" stroke="{INK}"/>',
    ]
    for at, ((label, ratio), value) in enumerate(zip(bars, values, strict=True)):
        y, end = TOP + ROW * at, middle + value * unit
        left, color = min(end, middle), FASTER if ratio <= 1 else SLOWER
        short = label if len(label) < 68 else label[:66] + "…"
        shown = f"{ratio:g}" if ratio else "&lt; 0.01"
        parts += [
            f'<text y="{y + 11}">{escape(short)}</text>',
            f'<rect x="{left:.1f}" y="{y + 15}" width="{abs(end - middle):.1f}" height="10"'
            f' fill="{color}"/>',
            f'<text x="{max(end, middle) + 4:.1f}" y="{y + 24}">{shown}</text>',
        ]
    return "\n".join([*parts, "</svg>\n"])
