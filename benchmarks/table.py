"""Rows of the table: two times taken turn by turn in one run, and the targets of their ratio."""

import gc
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

HEADINGS = ("", "ours", "against", "theirs", "ratio", "ready", "must", "aim", "", "answers")


@dataclass(frozen=True)
class Row:
    """One line: `ours` and `theirs` in one unit, `ready` as theirs with its input prepared.

    The targets are ratios, or where `absolute` is set, bounds for `ours` itself.
    """

    what: str
    against: str
    ours: float
    theirs: float
    ready: float | None = None
    must: float | None = None
    aim: float | None = None
    absolute: bool = False
    unit: str = "ms"
    answers: str = ""

    def cells(self) -> tuple[str, ...]:
        """Give the line as text, one string a column."""
        return (
            self.what,
            f"{_number(self.ours)} {self.unit}",
            self.against,
            f"{_number(self.theirs)} {self.unit}",
            f"{self.ours / self.theirs:.2f} x",
            f"{self.ours / self.ready:.2f} x" if self.ready else "",
            self._target(self.must),
            self._target(self.aim),
            self._verdict(),
            self.answers,
        )

    def _target(self, bound: float | None) -> str:
        return "" if bound is None else f"{bound:g} {self.unit if self.absolute else 'x'}"

    def _verdict(self) -> str:
        reached = self.ours if self.absolute else self.ours / self.theirs
        if self.aim is not None and reached <= self.aim:
            return "aim"
        return "" if self.must is None else "must" if reached <= self.must else "missed"


def fastest(
    *contestants: Callable[[], object],
    seconds: float,
    before: Callable[[int], object] = lambda number: None,
    turns: int = 3,
) -> list[float]:
    """Best time of each in ms: turns alternate, so many at least, until the time is spent.

    `before` is called before each turn of a contestant, with its number, and is not timed.
    """
    best = [float("inf")] * len(contestants)
    turn, end = 0, time.perf_counter() + seconds
    while turn < turns or time.perf_counter() < end:
        for number, contestant in enumerate(contestants):
            before(number)
            best[number] = min(best[number], _timed(contestant))
        turn += 1
    return best


def _timed(contestant: Callable[[], object]) -> float:
    gc.collect()
    start = time.perf_counter()
    answer = contestant()
    spent = time.perf_counter() - start
    del answer  # freeing a million tuples is not part of anybody's answer
    return 1000 * spent


def markdown(rows: Iterable[Row]) -> str:
    """Set the rows as one Markdown table, aligned so that it reads well in a terminal too."""
    return _aligned([HEADINGS, *(row.cells() for row in rows)])


def overview(rows: Iterable[Row], against: list[str]) -> str:
    """Set one line a question and one column a rival, times only; a dash where it cannot.

    Rivals that answer none of them have no column.
    """
    rows, times = list(rows), {}
    against = [name for name in against if any(row.against == name for row in rows)]
    for row in rows:
        line = times.setdefault(row.what, {"ours": row.ours})
        line["ours"] = min(line["ours"], row.ours)
        line[row.against] = row.theirs
    lines = [("ms", "ours", *against)]
    for what, line in times.items():
        known = (_number(line[name]) if name in line else "-" for name in lines[0][1:])
        lines.append((what, *known))
    return _aligned(lines)


def _aligned(lines: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rule = ["-" * width for width in widths]
    text = [_line(lines[0], widths), _line(rule, widths)]
    return "\n".join([*text, *(_line(line, widths) for line in lines[1:])])


def _line(cells: Iterable[str], widths: list[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return "| " + " | ".join(padded) + " |"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
