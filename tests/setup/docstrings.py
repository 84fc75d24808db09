"""Hold the docstrings of all that is public in `core` against numpydoc; part of `make lint`."""

import inspect
import sys

from numpydoc.validate import validate

import core

# Not asked for: an extended summary, See Also, an example, a summary on the line below the
# quotes, and a capital letter where a description begins with the name of an array.
NOT_ASKED = {"ES01", "SA01", "EX01", "GL01", "PR08", "RT04"}


def public_names():
    """Yield each name of `core` and each public member that its own classes define."""
    for name in core.__all__:
        yield f"core.{name}"
        thing = getattr(core, name)
        if inspect.isclass(thing):
            members = (member for member in vars(thing) if not member.startswith("_"))
            yield from (f"core.{name}.{member}" for member in members)


def complaints():
    """Yield a line for each rule that a docstring breaks."""
    for name in public_names():
        for code, message in validate(name)["errors"]:
            if code not in NOT_ASKED:
                yield f"{name}: {code} {message}"


if __name__ == "__main__":
    found = list(complaints())
    sys.exit("\n".join(found) if found else 0)
