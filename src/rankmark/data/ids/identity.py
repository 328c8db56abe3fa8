"""Why two collections of ids do not match: the usual reasons are tried one by one."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from operator import methodcaller
from typing import Literal, NamedTuple

import numpy as np

from rankmark.array_types import Ints

What = Literal["query", "document"]
_Form = Callable[[str], str]

CLEAR = 0.1
"""The least share of common ids at which two collections count as matching."""

OF_OTHERS = "these are the qrels of another collection"
"""How ``mismatch_reason`` begins if it finds no other reason."""

_MOST = 200_000  # ids of one side that are tried; a trial takes about half a microsecond per id
_MOST_TWICE = 20_000  # the same for pairs of reasons, of which there are about a hundred
_FEWEST = 3  # ids that must match
_NEARLY_ALL = 0.9  # if this share matches, no second reason is tried
_LEAST_GAIN = 0.05  # by how much a second reason must raise the share
_MOST_SEPARATORS = 4
_QUOTED = re.compile(r"^b?(['\"])(.+)\1$", re.DOTALL)
_NUMBER = re.compile(r"^[+-]?\d+(?:\.0*|(?:\.\d+)?[eE][+-]?\d+)$")
_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")
_POINT = re.compile(r"^(.+)\.\d+$")
_AFTER_HASH = re.compile(r"^([^#]+)#.*$", re.DOTALL)
_PART = re.compile(
    r"^(.+?)[#_:/-]+(?:chunk|part|passage|segment|p|c)?[#_:-]*\d+$", re.IGNORECASE | re.DOTALL
)
_RUN_HOLDS_PARTS = "the run holds parts of documents, and the qrels judge whole ones"
_QRELS_JUDGE_PARTS = "the qrels judge parts of documents, and the run holds whole ones"
_SEPARATOR = re.compile(r"[-_/:.#|]")


_no_zeros = partial(_ZEROS.sub, "")
_composed = partial(unicodedata.normalize, "NFC")


class _Trial(NamedTuple):
    """One way to rewrite ids, of one side or both, and what it means if they then match."""

    meaning: str
    qrels_form: _Form | None
    run_form: _Form | None


class _Outcome(NamedTuple):
    meaning: str
    share: float
    ours: str  # an id of the qrels, as it is
    theirs: str  # the id of the run that it matches


def mismatch_reason(
    qrels_ids: Collection[str],
    run_ids: Collection[str],
    *,
    what: What = "query",
    qrels_others: Collection[str] = (),
    run_others: Collection[str] = (),
) -> str | None:
    """Find the likely reason why ids that should match do not, or hardly do.

    Each usual reason is tried: ids are rewritten accordingly, and a reason is likely if a clear
    share of them then matches. The smallest changes are tried first, pairs of reasons last.

    Parameters
    ----------
    qrels_ids, run_ids
        Ids of the judgments and of the run; a few thousand are enough. Document ids should come
        from the same queries.
    what
        Whether they are query or document ids.
    qrels_others, run_others
        The ids of the other kind, to detect swapped columns.

    Returns
    -------
    str or None
        The continuation of "the reason may be that", with an example of the qrels and one of the
        run; None if either side is empty, or a clear share matches unchanged.

    Examples
    --------
    >>> mismatch_reason(["q01", "q02"], ["1", "2"])
    "ids of the qrels begin with 'q' and have leading zeros, as in 'q01' and '1'"
    >>> mismatch_reason(["a7", "b1"], ["x", "y"])
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
        twice = max(needed, likely.share + _LEAST_GAIN) if likely else needed
        likely = _best(ours, theirs, _double(ours, theirs, what), twice) or likely
    if likely is not None:
        reason = f"{likely.meaning}, as in {likely.ours!r} and {likely.theirs!r}"
        separator = _separator(likely)
        if separator is None:
            return reason
        name = "unit" if likely.meaning == _RUN_HOLDS_PARTS else "qrels_unit"
        return f"{reason}, which {name}={separator!r} would map"
    common = "few ids are in both" if base else "the ids have nothing in common"
    return f"{OF_OTHERS}, as {common}"


def _separator(likely: _Outcome) -> str | None:
    """Return what separates a document's id from the rest of a part's id; None if no part is."""
    if likely.meaning not in (_RUN_HOLDS_PARTS, _QRELS_JUDGE_PARTS):
        return None
    return separator_of(*sorted((likely.ours, likely.theirs), key=len))


def separator_of(document: str, part: str) -> str | None:
    """Return what separates the id of a document from the rest of its part's; None if unclear."""
    rest = part.removeprefix(document)
    for separator in (rest.rstrip("0123456789"), rest[:1]):
        if separator and part.rpartition(separator)[0] == document:
            return separator
    return None


def _some(ids: Collection[str], most: int = _MOST) -> dict[str, None]:
    """Return the first distinct ids, in order."""
    return dict.fromkeys(islice(ids, most))


def _share(ours: Collection[str], theirs: Collection[str]) -> float:
    fewer, more = sorted((ours, theirs), key=len)
    return sum(text in more for text in fewer) / len(fewer)


def _swapped(
    ours: Collection[str],
    theirs: Collection[str],
    our_others: Collection[str],
    their_others: Collection[str],
    what: What,
) -> str | None:
    """Describe swapped columns: query ids of one side are document ids of the other."""
    if not our_others or not their_others:
        return None
    if _share(our_others, theirs) < CLEAR or _share(ours, their_others) < CLEAR:
        return None
    example = next(text for text in theirs if text in our_others)
    other = "document" if what == "query" else "query"
    return (
        f"the query and document columns of one of the two are swapped: {what} {example!r} of the "
        f"run is a {other} of the qrels"
    )


def _best(
    ours: Collection[str], theirs: Collection[str], trials: Iterable[_Trial], needed: float
) -> _Outcome | None:
    """Return the outcome with the highest share; the first of equal ones."""
    best: _Outcome | None = None
    for trial in trials:
        found = _outcome(ours, theirs, trial)
        if found and found.share >= needed and (best is None or found.share > best.share):
            best = found
    return best


def _outcome(ours: Collection[str], theirs: Collection[str], trial: _Trial) -> _Outcome | None:
    """Try one way to rewrite ids: the share of the smaller side that matches, and an example."""
    our_forms, their_forms = _rewritten(ours, trial.qrels_form), _rewritten(theirs, trial.run_form)
    if not our_forms or not their_forms:
        return None
    fewer, more = sorted((our_forms, their_forms), key=len)
    common = [form for form in fewer if form in more]
    # An id that matches unchanged explains nothing.
    example = next((form for form in common if our_forms[form] != their_forms[form]), None)
    few = min(len(ours), len(theirs))
    if example is None or len(common) < min(_FEWEST, few):
        return None  # a form that maps many ids to one may match by chance
    share = len(common) / len(fewer)
    return _Outcome(trial.meaning, share, our_forms[example], their_forms[example])


def _rewritten(ids: Collection[str], form: _Form | None) -> dict[str, str]:
    """Rewrite ids: ``{rewritten: id}``, with the first of several ids that become the same."""
    if form is None:
        return {text: text for text in ids}
    rewritten: dict[str, str] = {}
    for text in ids:
        formed = form(text)
        if formed:
            rewritten.setdefault(formed, text)
    return rewritten


def _single(ours: Collection[str], theirs: Collection[str], what: What) -> Iterator[_Trial]:
    """Yield single reasons."""
    yield _Trial("the ids of one side have blanks around them", _no_blanks, _no_blanks)
    yield _Trial("accents are encoded in two ways", _composed, _composed)
    yield _Trial("the ids of one side are in quotes", _no_quotes, _no_quotes)
    yield _Trial("the ids of one side are written as decimal numbers", _whole, _whole)
    yield _Trial("the ids of one side have leading zeros", _no_zeros, _no_zeros)
    yield _Trial("the ids differ in upper and lower case", str.casefold, str.casefold)
    yield from _cut(ours, theirs)
    yield from _endings(what)


def _double(ours: Collection[str], theirs: Collection[str], what: What) -> Iterator[_Trial]:
    """Yield pairs of reasons: a prefix or suffix, and another reason."""
    cut = list(_cut(ours, theirs))
    for first in cut:
        yield _and(first, "have leading zeros", _no_zeros, _no_zeros)
        yield _and(first, "differ in case", str.casefold, str.casefold)
        yield _and(first, "are written as decimal numbers", _whole, _whole)
        for ending in _endings(what):
            yield _and(first, ending.meaning, ending.qrels_form, ending.run_form)
        for second in cut:
            if second is not first:
                yield _and(first, second.meaning, second.qrels_form, second.run_form)
    for ending in _endings(what):
        yield _and(ending, "differ in case", str.casefold, str.casefold)
        yield _and(ending, "have leading zeros", _no_zeros, _no_zeros)
    yield _Trial(
        "the ids of one side are in quotes, and the case differs",
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
    """Yield prefixes and suffixes that the ids of a side have in common."""
    for affixes, where, cut in (
        (_prefixes, "begin with", "removeprefix"),
        (_suffixes, "end in", "removesuffix"),
    ):
        for affix in affixes(ours):
            form = methodcaller(cut, affix)
            yield _Trial(f"ids of the qrels {where} {affix!r}", form, None)
        for affix in affixes(theirs):
            form = methodcaller(cut, affix)
            yield _Trial(f"ids of the run {where} {affix!r}", None, form)


def _endings(what: What) -> Iterator[_Trial]:
    """Yield endings that differ from id to id, such as part numbers."""
    forms: list[tuple[str, re.Pattern[str]]] = [
        ("a number after a dot", _POINT),
        ("a part after #", _AFTER_HASH),
        ("a part number", _PART),
    ]
    for meaning, pattern in forms:
        form = partial(_front, pattern)
        chunks = what == "document" and pattern is not _POINT
        for side, trial in (("qrels", (form, None)), ("run", (None, form))):
            reason = f"ids of the {side} end in {meaning}"
            if chunks and side == "run":
                reason = _RUN_HOLDS_PARTS
            elif chunks:
                reason = _QRELS_JUDGE_PARTS
            yield _Trial(reason, *trial)


def _no_blanks(text: str) -> str:
    return text.strip().strip("\ufeff\u200b")  # also byte order marks and zero-width spaces


def _no_quotes(text: str) -> str:
    found = _QUOTED.match(text)
    return found[2] if found else text


def _whole(text: str) -> str:
    """Rewrite a whole number with a point or an exponent: 1.0 and 1e0 become 1."""
    if not _NUMBER.match(text):
        return text
    number = float(text)
    return str(int(number)) if number == number // 1 and abs(number) < 2**53 else text


def _front(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.match(text)
    return found[1] if found else text


def _prefixes(ids: Collection[str]) -> Iterator[str]:
    """Yield the common prefix of nearly all ids, and its parts up to each separator."""
    ordered = sorted(ids)
    outliers = len(ordered) // 20
    first, last = ordered[outliers], ordered[-1 - outliers]
    pairs = zip(first, last, strict=False)
    alike = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(first), len(last)))
    # Trailing digits belong to a number, not to the prefix: 301 and 302 are not 1 and 2.
    whole = first[:alike].rstrip("0123456789")
    if whole:
        yield whole
        ends = [place.end() for place in _SEPARATOR.finditer(whole)]
        yield from (whole[:end] for end in reversed(ends[:_MOST_SEPARATORS]) if end < len(whole))


def _suffixes(ids: Collection[str]) -> Iterator[str]:
    for prefix in _prefixes([text[::-1] for text in ids]):
        yield prefix[::-1]


_DEVIATIONS = 5


def are_own(query_ids: Sequence[str], matches: int, depths: Ints, documents: int) -> bool:
    """Return False if ids are whole numbers that match no more often than by chance.

    User 1 and item 1 have equal numbers, and nothing else in common.

    Parameters
    ----------
    matches
        Documents with the id of their query.
    depths
        (Q,) int64, the documents of each query.
    documents
        Number of different documents.
    """
    if not all(map(str.isdigit, query_ids)):
        return True
    expected = float(np.minimum(np.asarray(depths) / max(documents, 1), 1).sum())
    return matches > expected + _DEVIATIONS * math.sqrt(expected + 1)
