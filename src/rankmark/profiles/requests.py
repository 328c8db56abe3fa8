"""Which measures the names in a request mean under a profile."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from rankmark.errors import MeasureError, shown
from rankmark.measures import DEFAULT
from rankmark.measures.base.measure import Measure
from rankmark.measures.names import AnyMeasure, flat, measures
from rankmark.measures.sets import is_set
from rankmark.profiles.known import profile as known
from rankmark.profiles.profile import Profile

_MOST = 12  # names in a message


def meanings(
    profile: Profile, asked: Iterable[AnyMeasure] | AnyMeasure | None
) -> dict[object, tuple[Measure, ...]]:
    """Return what each requested name means, in order.

    First the tool's own notation; then a name of a measure without parameters, which is the tool's
    version of it; a measure, or a name with parameters in brackets, means itself. None stands for
    those of the default measures that the tool has.

    Raises
    ------
    MeasureError
        If the tool does not have a measure.
    """
    if asked is None:
        found = {str(measure): _known(profile, str(measure)) for measure in DEFAULT}
        if not any(found.values()):
            raise MeasureError(
                f"{profile.tool} has none of the default measures", f"name one: {_has(profile)}"
            )
        return {name: meant for name, meant in found.items() if meant}
    return {
        one: _means(profile, one) if isinstance(one, str) else measures(one) for one in flat(asked)
    }


def tools_version(profile: str | Profile, measure: Measure) -> Measure:
    """Return the tool's version of a measure; the measure itself if it has parameters of its own.

    Raises
    ------
    MeasureError
        If the tool does not have the measure.
    """
    if measure.chosen - {measure.at}:
        return measure
    return _version(known(profile), str(measure), measure)


def in_notation(profile: Profile, text: str) -> tuple[Measure, ...]:
    """Return what a name means in the tool's own notation; nothing if it is in no such notation.

    Raises
    ------
    MeasureError
        If the measure is not computed here, or does not allow a number in the name.
    """
    for row in profile.measures:
        for pattern in row.patterns:
            if not pattern.matches(text):
                continue
            if row.measure is None:
                raise MeasureError(f"{text} of {profile.tool} is not computed here", row.note)
            if isinstance(row.measure, tuple):
                return row.measure
            return pattern.read(text, row.measure) or ()
    return ()


def _known(profile: Profile, name: str) -> tuple[Measure, ...]:
    try:
        return _means(profile, name)
    except MeasureError:
        return ()


def _means(profile: Profile, text: str) -> tuple[Measure, ...]:
    """Return the measures that a name, or several separated by commas, mean."""
    if found := in_notation(profile, text.strip()):
        return found
    pieces = list(_pieces(text))
    if len(pieces) > 1:
        every = (measure for piece in pieces for measure in _means(profile, piece))
        return tuple(dict.fromkeys(every))
    try:
        given = measures(text)
    except MeasureError as error:
        if near := _near(profile, text):
            error.remedy = f"did you mean {near} of {profile.tool}?"
        raise
    if "(" in text:
        return given
    if is_set(text):
        return _those_of(profile, text, given)
    return tuple(_version(profile, text, measure) for measure in given)


def _those_of(profile: Profile, text: str, given: Iterable[Measure]) -> tuple[Measure, ...]:
    """Return the measures of a set that the tool has, in its version."""
    found = [each for one in given for each in _of_set(profile, one)]
    if not found:
        raise MeasureError(
            f"{profile.tool} has no measure of the set {shown(text.strip())}",
            f"it has {_has(profile)}",
            where=f"profile {profile.name}",
        )
    return tuple(dict.fromkeys(found))


def _of_set(profile: Profile, measure: Measure) -> tuple[Measure, ...]:
    try:
        return (_version(profile, str(measure), measure),)
    except MeasureError:
        had = any(row.gives(measure) for row in profile.measures)
        return (measure,) if had else ()


def _near(profile: Profile, text: str) -> str:
    """Return the tool's notation that is most similar to a text; none if none is."""
    notations: dict[str, str] = {}
    for row in profile.measures:
        for one in row.patterns if row.measure is not None else ():
            begin = re.split(r"[\[{(@]", one.text)[0].rstrip("_.").lower()
            notations.setdefault(begin, one.text)
    begun = re.split(r"[(@]", re.sub(r"[_.]?\d[\d,.]*$", "", text.strip().lower()))[0]
    found = get_close_matches(begun, notations, 1, 0.7)
    return notations[found[0]] if found else ""


def _version(profile: Profile, text: str, asked: Measure) -> Measure:
    """Return the tool's version of a measure: the same, or else the first of its kind.

    A name of several measures is no version of one.
    """
    found = [
        version
        for row in profile.measures
        if isinstance(row.measure, Measure)
        for pattern in row.patterns
        if (version := pattern.version_of(asked, row.measure)) is not None
    ]
    if found:
        return next((version for version in found if version == asked), found[0])
    same = [row.theirs for row in profile.measures if type(asked) in map(type, row.measures)]
    raise MeasureError(
        f"{profile.tool} has no measure {shown(text.strip())}",
        f"write {' or '.join(same) or _has(profile)}; a measure with its parameters, as in "
        "AP(rel=1), means itself",
        where=f"profile {profile.name}",
    )


def _has(profile: Profile) -> str:
    names = list(dict.fromkeys(row.name for row in profile.measures if row.measure is not None))
    more = f", ... (rankmark profiles {profile.name})" if len(names) > _MOST else ""
    return ", ".join(names[:_MOST]) + more


def _pieces(text: str) -> Iterator[str]:
    """Split a text at commas, but not in brackets, nor before another number."""
    piece, depth = "", 0
    for part in re.split(r"(,(?!\s*[\d.]+\s*(?:,|$))|[()\[\]{}])", text):
        if part == "," and not depth:
            yield piece
            piece = ""
            continue
        depth += (part in {"(", "[", "{"}) - (part in {")", "]", "}"})
        piece += part
    yield piece
