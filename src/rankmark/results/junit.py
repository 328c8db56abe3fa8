"""Results of checks as JUnit XML, which continuous integration servers read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

# What XML 1.0 has no way to write, not even as a reference.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Case(NamedTuple):
    """A check.

    Parameters
    ----------
    name
        What was checked.
    failure
        Kind and message of a failure, or None.
    text
        What to show beside it.
    skipped
        Why the check does not count, or None.
    """

    name: str
    failure: tuple[str, str] | None
    text: str
    skipped: str | None = None


class Suite(NamedTuple):
    """Checks with properties that say how they were made, and notes."""

    name: str
    cases: Sequence[Case]
    properties: Mapping[str, str]
    notes: str = ""


def junit(name: str, suites: Sequence[Suite]) -> str:
    """Write suites of checks."""
    from xml.etree.ElementTree import Element, indent, tostring  # noqa: PLC0415

    root = Element("testsuites", {"name": name, **_counts([c for s in suites for c in s.cases])})
    for suite in suites:
        _add(root, suite)
    indent(root)
    written: str = tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{written}\n'


def _counts(cases: Sequence[Case]) -> dict[str, str]:
    return {
        "tests": str(len(cases)),
        "failures": str(sum(case.failure is not None for case in cases)),
        "errors": "0",
        "skipped": str(sum(case.skipped is not None for case in cases)),
    }


def _add(root: Element, suite: Suite) -> None:
    from xml.etree.ElementTree import SubElement  # noqa: PLC0415

    name, cases, properties, notes = suite
    named = {"name": in_xml(name), **_counts(cases)}
    element = SubElement(root, "testsuite", named)
    listed = SubElement(element, "properties")
    for key, value in properties.items():
        SubElement(listed, "property", {"name": in_xml(key), "value": in_xml(value)})
    for case in cases:
        found = SubElement(
            element, "testcase", {"classname": in_xml(name), "name": in_xml(case.name)}
        )
        if case.skipped is not None:
            SubElement(found, "skipped", {"message": in_xml(case.skipped)})
        if case.failure is None:
            SubElement(found, "system-out").text = in_xml(case.text)
        else:
            kind, message = map(in_xml, case.failure)
            failure = SubElement(found, "failure", {"type": kind, "message": message})
            failure.text = in_xml(case.text)
    if notes:
        SubElement(element, "system-out").text = in_xml(notes)


def in_xml(text: str) -> str:
    r"""Write characters that XML does not allow as escapes, such as ``\x1b``."""
    return _NOT_IN_XML.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
