"""CSV and JSON text of all exports: no field is taken for a formula, long lists get lines.

There is one dialect of each: CSV of RFC 4180 with single line feeds, and JSON in UTF-8, or
in ASCII alone where no name may break it. Neither has a word for numbers that are not finite: a
field is empty, a value null.
"""

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

# What spreadsheets take for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def guarded(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def delimited(lines: Iterable[Sequence[Any]], delimiter: str = ",") -> str:
    """Return lines of values as text. A text like a formula gets an apostrophe in front.

    A number that is not finite is an empty field.
    """
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    for line in lines:
        writer.writerow([_field(each) for each in line])
    return text.getvalue()


def _field(value: Any) -> Any:
    if isinstance(value, str):
        return guarded(value)
    return "" if isinstance(value, float) and not math.isfinite(value) else value


def json_text(
    value: Any, indent: int | None = None, *, ascii_only: bool = False, strict: bool = False
) -> str:
    """Return a value as JSON. A number that is not finite is null; if strict, a `ValueError`."""
    options: Any = {"indent": indent, "ensure_ascii": ascii_only, "allow_nan": False}
    try:
        return json.dumps(value, **options)
    except ValueError:
        if strict:
            raise
        return json.dumps(_finite(value), **options)


def _finite(value: Any) -> Any:
    """Return a value as JSON has it, null in place of each number that is not finite."""
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def json_file(value: Any, *, strict: bool = False) -> str:
    """Return a file of JSON that holds one value, a line for each member; see `json_text`."""
    return f"{json_text(value, 1, strict=strict)}\n"


def json_lines(entries: Iterable[str], brackets: str = "[]", depth: int = 0) -> Iterator[str]:
    """Yield pieces of a list, or with "{}" of an object, with a line for each entry.

    Parameters
    ----------
    entries : iterable of str
        JSON text; of an object with the name and a colon in front.
    brackets : str
        Those around it.
    depth : int
        How many spaces stand before an entry; one less before the end.
    """
    yield brackets[0]
    before = "\n"
    for entry in entries:
        yield f"{before}{' ' * depth}{entry}"
        before = ",\n"
    yield f"\n{' ' * (depth - 1)}{brackets[1]}"


def json_members(members: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the entries of an object from names and JSON text."""
    return (f"{json_text(name)}: {text}" for name, text in members)


def read_head(content: str | bytes, form: str, version: int) -> dict[str, Any]:
    """Return the members of a JSON file of ours, read back.

    Raises
    ------
    ValueError
        If it is no JSON, or its `format` or `version` is another one.
    """
    try:
        head: Any = json.loads(content)
    except RecursionError as error:
        raise ValueError("the lists in it are too deep") from error
    if not isinstance(head, dict):
        raise ValueError(f"{form} must be an object of JSON, got {type(head).__name__}")
    for name, wanted in {"format": form, "version": version}.items():
        if head.get(name) != wanted:
            raise ValueError(f"{name} must be {wanted!r}, got {head.get(name)!r}")
    return head
