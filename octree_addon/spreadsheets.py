"""CSV text that spreadsheets read as it is meant: quoting, and no text taken for a formula."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

# What spreadsheets take for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def guarded(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def delimited(lines: Iterable[Sequence[Any]], delimiter: str = ",") -> str:
    """Return lines of values as text. A text like a formula gets an apostrophe in front."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    for line in lines:
        writer.writerow([guarded(each) if isinstance(each, str) else each for each in line])
    return text.getvalue()
