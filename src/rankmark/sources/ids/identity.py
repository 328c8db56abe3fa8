"""Why two collections of ids do not meet: judged by trying what usually parts them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Literal, NamedTuple

What = Literal["query", "document"]
_Form = Callable[[str], str]

CLEAR = 0.1
"""A share of ids from which two collections meet, and below which they hardly do."""

_MOST = 200_000  # ids of one side that are tried; a trial costs about half a microsecond an id
_MOST_TWICE = 20_000  # where reasons are tried two at a time, of which there are a hundred pairs
_FEWEST = 3  # ids that must meet
_NEARLY_ALL = 0.9  # where so many meet, no second reason is looked for
_WORTH = 0.05  # by how much a second reason must raise the share to be worth telling
_MOST_SEPARATORS = 4
_QUOTED = re.compile(r"^b?(['\"])(.+)\1$", re.DOTALL)
_NUMBER = re.compile(r"^[+-]?\d+(?:\.0*|(?:\.\d+)?[eE][+-]?\d+)$")
_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")
_POINT = re.compile(r"^(.+)\.\d+$")
_BEHIND_HASH = re.compile(r"^([^#]+)#.*$", re.DOTALL)
_PART = re.compile(
    r"^(.+?)[#_:/-]+(?:chunk|part|passage|segment|p|c)?[#_:-]*\d+$", re.IGNORECASE | re.DOTALL
)
_SEPARATOR = re.compile(r"[-_/:.#|]")


class _Trial(NamedTuple):
    """One way to write ids, for one side or for both, and what it would mean if they then met."""

    meaning: str
    qrels_form: _Form | None
    run_form: _Form | None


class _Outcome(NamedTuple):
    meaning: str
    share: float
    ours: str  # an id of the qrels, as it is
    theirs: str  # the id of the run that it meets


def why_apart(
    qrels_ids: Collection[str],
    run_ids: Collection[str],
    *,
    what: What = "query",
    qrels_others: Collection[str] = (),
    run_others: Collection[str] = (),
) -> str | None:
    """Say why ids that should meet do not, or hardly.

    Each usual reason is tried: ids are written as it has it, and a reason is likely where a clear
    share of them then meets. Reasons that touch little are tried first, two at a time last.

    Parameters
    ----------
    qrels_ids, run_ids
        Ids of the judgments and of the run; some thousand tell as much as all. They should have
        had a chance to meet: documents are best those of the same queries.
    what
        Whether they are of queries or of documents.
    qrels_others, run_others
        The ids of the other kind, by which swapped columns are known.

    Returns
    -------
    str or None
        What goes on after "the reason may be that", with an example of the qrels and one of the
        run; None where either side is empty, or a clear share meets as it is.

    Examples
    --------
    >>> why_apart(["q01", "q02"], ["1", "2"])
    "ids of the qrels begin with 'q' and have leading zeros, as in 'q01' and '1'"
    >>> why_apart(["a7", "b1"], ["x", "y"])
    'these are the qrels of another collection, as the ids have nothing in common'
    """
    ours, theirs = _some(qrels_ids), _some(run_ids)
    if not ours or not theirs:
        return None
    base = _share(ours, theirs)
    if base >= CLEAR:
        return None
    needed = max(CLEAR, 3 * base)
    swapped = _swapped(ours, theirs, _some(qrels_others), _some(run_others), what)
    if swapped is not None:
        return swapped
    likely = _best(ours, theirs, _single(ours, theirs, what), needed)
    if likely is None or likely.share < _NEARLY_ALL:
        ours, theirs = _some(ours, _MOST_TWICE), _some(theirs, _MOST_TWICE)
        twice = max(needed, likely.share + _WORTH) if likely else needed
        likely = _best(ours, theirs, _double(ours, theirs, what), twice) or likely
    if likely is not None:
        return f"{likely.meaning}, as in {likely.ours!r} and {likely.theirs!r}"
    common = "few ids are in both" if base else "the ids have nothing in common"
    return f"these are the qrels of another collection, as {common}"


def _some(ids: Collection[str], most: int = _MOST) -> dict[str, None]:
    """Take distinct ids, in the order given."""
    return dict.fromkeys(islice(ids, most))


def _share(ours: Collection[str], theirs: Collection[str]) -> float:
    fewer, more = sorted((ours, theirs), key=len)
    return sum(given in more for given in fewer) / len(fewer)


def _swapped(
    ours: Collection[str],
    theirs: Collection[str],
    our_others: Collection[str],
    their_others: Collection[str],
    what: What,
) -> str | None:
    """Say whether one side's ids are the other side's of the other kind, on both sides."""
    if not our_others or not their_others:
        return None
    if _share(our_others, theirs) < CLEAR or _share(ours, their_others) < CLEAR:
        return None
    example = next(given for given in theirs if given in our_others)
    other = "document" if what == "query" else "query"
    return (
        f"the columns of queries and documents are swapped in one of the two: {what} {example!r} "
        f"of the run is a {other} of the qrels"
    )


def _best(
    ours: Collection[str], theirs: Collection[str], trials: Iterable[_Trial], needed: float
) -> _Outcome | None:
    """Find the trial after which most ids meet; of several, the first."""
    best: _Outcome | None = None
    for trial in trials:
        found = _met(ours, theirs, trial)
        if found and found.share >= needed and (best is None or found.share > best.share):
            best = found
    return best


def _met(ours: Collection[str], theirs: Collection[str], trial: _Trial) -> _Outcome | None:
    """Try one way to write ids: the share of the smaller side that then meets, and an example."""
    our_forms, their_forms = _written(ours, trial.qrels_form), _written(theirs, trial.run_form)
    if not our_forms or not their_forms:
        return None
    fewer, more = sorted((our_forms, their_forms), key=len)
    met = [form for form in fewer if form in more]
    # An id that meets as it is explains nothing.
    example = next((form for form in met if our_forms[form] != their_forms[form]), None)
    few = min(len(ours), len(theirs))
    if example is None or len(met) < min(_FEWEST, few):
        return None  # of many ids that a form makes one, that one may meet by chance
    share = len(met) / len(fewer)
    return _Outcome(trial.meaning, share, our_forms[example], their_forms[example])


def _written(ids: Collection[str], form: _Form | None) -> dict[str, str]:
    """Write ids in a form: ``{form: id}``, of several ids with one form the first."""
    if form is None:
        return {given: given for given in ids}
    written: dict[str, str] = {}
    for given in ids:
        formed = form(given)
        if formed:
            written.setdefault(formed, given)
    return written


def _single(ours: Collection[str], theirs: Collection[str], what: What) -> Iterator[_Trial]:
    """Yield the reasons that come alone."""
    yield _Trial("blanks stand around ids of one side", _no_blanks, _no_blanks)
    yield _Trial("accents are written in two ways", _composed, _composed)
    yield _Trial("ids of one side stand in quotes", _no_quotes, _no_quotes)
    yield _Trial("ids of one side are written as numbers with a point", _whole, _whole)
    yield _Trial("ids of one side have leading zeros", _no_zeros, _no_zeros)
    yield _Trial("the ids differ in upper and lower case", str.casefold, str.casefold)
    yield from _cut(ours, theirs)
    yield from _endings(what)


def _double(ours: Collection[str], theirs: Collection[str], what: What) -> Iterator[_Trial]:
    """Yield pairs of reasons: something cut off, and then another of the reasons."""
    cut = list(_cut(ours, theirs))
    for first in cut:
        yield _and(first, "have leading zeros", _no_zeros, _no_zeros)
        yield _and(first, "differ in case", str.casefold, str.casefold)
        yield _and(first, "are written with a point", _whole, _whole)
        for ending in _endings(what):
            yield _and(first, ending.meaning, ending.qrels_form, ending.run_form)
        for second in cut:
            if second is not first:
                yield _and(first, second.meaning, second.qrels_form, second.run_form)
    for ending in _endings(what):
        yield _and(ending, "differ in case", str.casefold, str.casefold)
        yield _and(ending, "have leading zeros", _no_zeros, _no_zeros)
    yield _Trial(
        "ids of one side stand in quotes, and the case differs",
        _then(_no_quotes, str.casefold),
        _then(_no_quotes, str.casefold),
    )


def _and(first: _Trial, meaning: str, qrels_form: _Form | None, run_form: _Form | None) -> _Trial:
    for side in ("ids of the qrels ", "ids of the run "):
        if first.meaning.startswith(side):
            meaning = meaning.removeprefix(side)
    return _Trial(
        f"{first.meaning} and {meaning}",
        _then(first.qrels_form, qrels_form),
        _then(first.run_form, run_form),
    )


def _then(first: _Form | None, second: _Form | None) -> _Form | None:
    if first is None or second is None:
        return first or second

    def both(text: str) -> str:
        return second(first(text))

    return both


def _cut(ours: Collection[str], theirs: Collection[str]) -> Iterator[_Trial]:
    """Yield what the ids of a side have in common at their beginning or end, to be cut off."""
    for begins in _prefixes(ours):
        form = partial(_without_prefix, begins)
        yield _Trial(f"ids of the qrels begin with {begins!r}", form, None)
    for begins in _prefixes(theirs):
        form = partial(_without_prefix, begins)
        yield _Trial(f"ids of the run begin with {begins!r}", None, form)
    for ends in _suffixes(ours):
        form = partial(_without_suffix, ends)
        yield _Trial(f"ids of the qrels end in {ends!r}", form, None)
    for ends in _suffixes(theirs):
        form = partial(_without_suffix, ends)
        yield _Trial(f"ids of the run end in {ends!r}", None, form)


def _endings(what: What) -> Iterator[_Trial]:
    """Yield endings that differ from id to id: the number of a part."""
    forms: list[tuple[str, re.Pattern[str]]] = [
        ("a number behind a point", _POINT),
        ("a part behind #", _BEHIND_HASH),
        ("a part number", _PART),
    ]
    for meaning, pattern in forms:
        form = partial(_front, pattern)
        chunks = what == "document" and pattern is not _POINT
        for side, trial in (("qrels", (form, None)), ("run", (None, form))):
            said = f"ids of the {side} end in {meaning}"
            if chunks and side == "run":
                said = "the run holds parts of documents, and the qrels judge whole ones"
            elif chunks:
                said = "the qrels judge parts of documents, and the run holds whole ones"
            yield _Trial(said, *trial)


def _no_blanks(text: str) -> str:
    return text.strip().strip("\ufeff\u200b")  # nor a byte order mark, which is no blank


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _no_quotes(text: str) -> str:
    found = _QUOTED.match(text)
    return found[2] if found else text


def _whole(text: str) -> str:
    """Write a whole number that has a point or an exponent plainly: 1.0 and 1e0 are 1."""
    if not _NUMBER.match(text):
        return text
    number = float(text)
    return str(int(number)) if number == number // 1 and abs(number) < 2**53 else text


def _no_zeros(text: str) -> str:
    return _ZEROS.sub("", text)


def _front(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.match(text)
    return found[1] if found else text


def _without_prefix(begins: str, text: str) -> str:
    return text.removeprefix(begins)


def _without_suffix(ends: str, text: str) -> str:
    return text.removesuffix(ends)


def _prefixes(ids: Collection[str]) -> Iterator[str]:
    """Yield what nearly all ids begin with, and that up to each separator."""
    ordered = sorted(ids)
    outliers = len(ordered) // 20
    first, last = ordered[outliers], ordered[-1 - outliers]
    pairs = zip(first, last, strict=False)
    alike = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(first), len(last)))
    # Digits in common are part of a number, not of a prefix: 301 and 302 are not 1 and 2.
    whole = first[:alike].rstrip("0123456789")
    if whole:
        yield whole
        ends = [place.end() for place in _SEPARATOR.finditer(whole)]
        yield from (whole[:end] for end in reversed(ends[:_MOST_SEPARATORS]) if end < len(whole))


def _suffixes(ids: Collection[str]) -> Iterator[str]:
    for begins in _prefixes([text[::-1] for text in ids]):
        yield begins[::-1]
