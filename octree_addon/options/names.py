"""The names of the properties that a mixin brings."""

from collections.abc import Iterator
from inspect import get_annotations


def option_names(options: type) -> Iterator[str]:
    """Yield the names of the properties of a mixin, and of those that it is made of.

    Parameters
    ----------
    options : type
        A class of annotated properties.

    Yields
    ------
    str
        Such as "capacity".
    """
    for base in options.__mro__:
        yield from get_annotations(base)
