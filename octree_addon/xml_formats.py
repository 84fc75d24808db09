"""XML text of all exports: valid names, XML files, and JUnit reports, the summary of a CI."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, SubElement, indent, tostring

# Characters that XML 1.0 cannot contain, not even escaped, lone surrogates included.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class JUnitCase:
    """One test case of a suite.

    Attributes
    ----------
    name : str
        The name of the case.
    failure : str
        One line about its failure; empty if it did not fail.
    details : str
        The text of the failure.
    skipped : str
        The reason why it was skipped; empty if it was not.
    """

    name: str
    failure: str = ""
    details: str = ""
    skipped: str = ""


@dataclass(frozen=True)
class JUnitSuite:
    """The test cases of one rule; without cases, one named `passed` shows that it was tested."""

    name: str
    passed: str
    cases: list[JUnitCase] = field(default_factory=list)
    properties: Mapping[str, str] = field(default_factory=dict)


def plain(text: str) -> str:
    """Return a text valid in every format, with U+FFFD in place of invalid characters.

    Line ends become line feeds, as in XML; before Python 3.13, a lone carriage return also broke
    CSV.
    """
    return _UNWRITABLE.sub("\ufffd", text).replace("\r\n", "\n").replace("\r", "\n")


def one_line(text: str) -> str:
    """Return a text in one line; "(no name)" if it is empty."""
    return " ".join(plain(text).split()) or "(no name)"


def xml(root: Element) -> bytes:
    """Return an indented XML file in UTF-8."""
    indent(root)
    # Encoded once as a whole: encoding piece by piece takes twice as long.
    text = tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def junit_file(name: str, suites: Iterable[JUnitSuite]) -> bytes:
    """Return a JUnit file with test suites; `name` is the tested file."""
    root = Element("testsuites", name=one_line(name) if name else "octree")
    for each in suites:
        suite = SubElement(root, "testsuite", name=each.name)
        properties = SubElement(suite, "properties") if each.properties else suite
        for key, value in each.properties.items():
            SubElement(properties, "property", name=key, value=value)
        for case in each.cases or [JUnitCase(each.passed)]:
            _add_case(suite, each.name, case)
        _count(suite)
    _count(root)
    return xml(root)


def _add_case(suite: Element, kind: str, case: JUnitCase) -> None:
    made = SubElement(
        suite, "testcase", classname=f"octree.{kind}", name=one_line(case.name), time="0"
    )
    if case.failure:
        failure = SubElement(made, "failure", message=one_line(case.failure), type=kind)
        failure.text = case.details or None
    elif case.skipped:
        SubElement(made, "skipped", message=one_line(case.skipped))


def _count(element: Element) -> None:
    counted = {"tests": "testcase", "failures": "failure", "skipped": "skipped"}
    for name, tag in counted.items():
        element.set(name, str(len(list(element.iter(tag)))))
    element.set("errors", "0")
