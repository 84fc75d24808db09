"""CSV and JSON text of all exports.

CSV follows RFC 4180 with single line feeds; fields that look like formulas are escaped. JSON is
in UTF-8, or in ASCII on request. Neither format has numbers that are not finite: in CSV they are
empty fields, in JSON null.
"""

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

# Characters with which spreadsheets begin a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def guarded(text: str) -> str:
    """Return a text, prefixed with an apostrophe if spreadsheets would read it as a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def delimited(lines: Iterable[Sequence[Any]], delimiter: str = ",") -> str:
    """Return lines of values as delimited text, with formulas escaped by `guarded`.

    Numbers that are not finite become empty fields.
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
    """Return a value as JSON. Numbers that are not finite become null or, if strict, an error.

    The error is a `ValueError`.
    """
    options: Any = {"indent": indent, "ensure_ascii": ascii_only, "allow_nan": False}
    try:
        return json.dumps(value, **options)
    except ValueError:
        if strict:
            raise
        return json.dumps(_finite(value), **options)


def _finite(value: Any) -> Any:
    """Return a copy of a value with None in place of numbers that are not finite."""
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def json_file(value: Any, *, strict: bool = False) -> str:
    """Return the text of a JSON file with one value, indented by 1; see `json_text`."""
    return f"{json_text(value, 1, strict=strict)}\n"


def json_lines(entries: Iterable[str], brackets: str = "[]", depth: int = 0) -> Iterator[str]:
    """Yield pieces of the text of a JSON list or object, with a line for each entry.

    Parameters
    ----------
    entries : iterable of str
        JSON text of each entry; in an object, with the name and a colon in front.
    brackets : {"[]", "{}"}
        The brackets of a list or of an object.
    depth : int
        Spaces before each entry; one less before the closing bracket.
    """
    yield brackets[0]
    before = "\n"
    for entry in entries:
        yield f"{before}{' ' * depth}{entry}"
        before = ",\n"
    yield f"\n{' ' * (depth - 1)}{brackets[1]}"


def json_members(members: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the entries of an object for `json_lines` from names and JSON text."""
    return (f"{json_text(name)}: {text}" for name, text in members)


def read_head(content: str | bytes, form: str, version: int) -> dict[str, Any]:
    """Parse a JSON file that this extension has written, and return its members.

    Raises
    ------
    ValueError
        If the content is no JSON object, or has another `format` or `version`.
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
