"""Hold the docstrings of all that is public in `core` against numpydoc; part of `make lint`."""

import inspect
import sys
from dataclasses import is_dataclass

from numpydoc.docscrape import get_doc_object
from numpydoc.validate import validate

import core

# Not asked for: an extended summary, See Also, an example, a summary on the line below the
# quotes, a capital letter where a description begins with the name of an array; a single value
# returned may have a name.
NOT_ASKED = {"ES01", "SA01", "EX01", "GL01", "PR08", "RT02", "RT04"}


def public_things():
    """Yield each name of `core`, and of each public member of its classes, with the object."""
    for name in core.__all__:
        thing = getattr(core, name)
        if not (inspect.isclass(thing) or inspect.isfunction(thing)):
            continue  # a plain number, or the name of a type
        yield f"core.{name}", thing
        # The fields of a dataclass stand among its attributes.
        fields = getattr(thing, "__dataclass_fields__", {})
        named = vars(thing) if inspect.isclass(thing) else {}
        members = [key for key in named if key[0] != "_" and key not in fields]
        yield from ((f"core.{name}.{key}", getattr(thing, key)) for key in members)


def complaints():
    """Yield a line for each rule that a docstring breaks."""
    for name, thing in public_things():
        # The fields of a dataclass are attributes, and some are nobody's business.
        not_asked = NOT_ASKED | {"PR01"} if is_dataclass(thing) else NOT_ASKED
        # By name, a function would be taken for the folder that it comes from.
        for code, message in validate(get_doc_object(thing))["errors"]:
            if code not in not_asked:
                yield f"{name}: {code} {message}"


if __name__ == "__main__":
    found = list(complaints())
    sys.exit("\n".join(found) if found else 0)
