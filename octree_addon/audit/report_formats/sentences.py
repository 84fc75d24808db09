"""Introduction of a report in sentences: file, date, options, number of findings, tolerance."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

import numpy as np

from ....core import FINDING_CLASSES
from ...lengths import unit_for
from ...xml_formats import one_line
from ..model.findings import STATUSES, Findings
from .words import About, Option

# Classes of findings by the option that includes them.
_LOOKED_FOR = {
    "overlap": ("overlap",),
    "contained": ("contained",),
    "duplicate": ("duplicate",),
    "coplanar": ("coplanar same-facing",),
    "touching": ("coplanar opposite-facing", "touching"),
    "itself": ("self-intersection",),
}
# Sentences for options that are off.
_LEFT_OUT = {
    "instances": "Instances of one instancer were not checked against each other.",
    "parents": "Objects were not checked against what they are parented to.",
    "same_collection": "Objects of one collection were not checked against each other.",
}


def paragraphs(findings: Findings, about: About) -> list[str]:
    """Return the introduction: one paragraph about audit and findings, one about the options.

    Unknown facts are left out.
    """
    found = (_when(about), _what(about.options), _counts(findings))
    how = (_looked_for(about.options), *_lengths(findings, about), *_left_out(about.options))
    return [text for said in (found, how) if (text := " ".join(each for each in said if each))]


def _when(about: About) -> str:
    name = one_line(about.file) if about.file else "The scene"
    try:
        date = datetime.fromisoformat(about.date)
    except ValueError:
        return f"{name} was audited."
    zone = f" {date.tzname()}" if date.tzinfo else ""
    return f"{name} was audited on {date:%Y-%m-%d} at {date:%H:%M}{zone}."


def _what(options: Mapping[str, Option]) -> str:
    one, other = (_side(options, name) for name in ("ones", "others"))
    against = "each other" if one == other else other
    return f"{one[0].upper()}{one[1:]} were checked against {against}."


def _side(options: Mapping[str, Option], name: str) -> str:
    chosen = options.get(name, "VISIBLE")
    if chosen == "COLLECTION":
        return f"the objects of {_quoted(options.get(f'{name}_collection', ''))}"
    return {"SELECTED": "the selected objects"}.get(str(chosen), "all visible objects")


def _quoted(name: Option) -> str:
    return f"“{one_line(str(name))}”"


def _counts(findings: Findings) -> str:
    if not len(findings):
        return "Nothing was found."
    counts = _listed(_counted(findings.audit.classes.tolist(), FINDING_CLASSES))
    verb = "is" if len(findings) == 1 else "are"
    noun = "finding" if len(findings) == 1 else "findings"
    text = f"There {verb} {len(findings):,} {noun}: {counts}."
    statuses = _listed(_counted(findings.statuses.tolist(), STATUSES))
    return text if not findings.statuses.any() else f"{text} By status: {statuses}."


def _counted(numbers: list[int], words: tuple[str, ...]) -> Iterator[str]:
    for number, word in enumerate(words):
        if number in numbers:
            yield f"{numbers.count(number):,} {word}"


def _listed(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def _looked_for(options: Mapping[str, Option]) -> str:
    known = [(name, words) for name, words in _LOOKED_FOR.items() if name in options]
    words = [word for name, words in known if options[name] for word in words]
    words += ["near"] * bool(known and options.get("clearance"))
    return f"Looked for: {', '.join(words)}." if words else ""


def _lengths(findings: Findings, about: About) -> Iterator[str]:
    """Yield sentences about the clearance and the tolerance."""
    band, clearance = findings.audit.band, about.options.get("clearance", 0.0)

    def told(length: float) -> str:
        unit = unit_for(about.units, findings.unit, np.array([length]), alone=True)
        return unit.write(length)

    if isinstance(clearance, float) and clearance > 0:
        yield f"What comes nearer than {told(clearance * about.scale)} without touching is near."
    if np.isnan(band):
        return
    if band:
        yield (
            f"The tolerance is {told(band)}: what is no farther apart touches, and what is no"
            " deeper does not overlap."
        )
    else:
        yield "The tolerance is as fine as coordinates are."
    count = int(findings.widened.sum())
    if count and band:
        coarse = "1 finding" if count == 1 else f"{count:,} findings"
        yield f"For {coarse} it was widened, since coordinates are coarser there."


def _left_out(options: Mapping[str, Option]) -> Iterator[str]:
    for name, text in _LEFT_OUT.items():
        if options.get(name) is False:
            yield text
    one, other = (options.get(name, "") for name in ("apart_one", "apart_other"))
    if one and other:
        yield f"The objects of {_quoted(one)} may meet those of {_quoted(other)}."
    if options.get("fail on"):
        yield f"The check fails on: {str(options['fail on']).replace(',', ', ')}."
