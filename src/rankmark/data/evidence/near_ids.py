"""Ids that are written in two ways, so that some of them do not match."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import category

if TYPE_CHECKING:
    from rankmark.data.evidence.line_looks import Lines
    from rankmark.data.ids.identity import What

_FEWEST = 3  # ids, or all if there are fewer
_LEAST_SHARE = 0.05  # of the ids that do not match
_CLEAR = 5  # ids of which a smaller share is no chance, if no two ids of a side become the same
# These are compiled where they are used, as most evaluations need few of them.
_BETWEEN = r"(?:[^\S\n]|[_+\-\u2010-\u2015])+"
_BLANKS = rf"(?<=\d)({_BETWEEN})(?=\d)|{_BETWEEN}"
_AROUND = r"(?m)^[^\S\n]+|[^\S\n]+$"
_ZEROS = r"(?<!\d)0+(?=\d)"
_LEADING_ZERO = r"0(?<!\d0)\d"  # a search for the 0 first is fast
_DECIMALS = r"(?m)(?<=\d)\.0*$"
_ENDING = r"(?m)\.(?:tar\.)?[A-Za-z]\w{0,4}$"
_PREFIX = r"(?m)^[^\W\d_]*[:/_#-]?"
_LONG_PREFIX = r"(?m)^.*[:_#|-](?=.)"
_FOLDER = r"(?m)^.*[/\\](?=.)"
_URL = r"(?m)^https?://(?:www\.)?|(?<=.)/+$"
_PART = r"(?im)(?:#.*|[_:/-]+(?:chunk|part|passage|segment|p|c)?[#_:-]*\d+)$"
_QUOTES = r"""(?m)^b?(?:(['"])(.*)\1|<(.*)>|\[(.*)\]|\((.*)\))$"""
_LEFT_OUT = dict.fromkeys(
    map(ord, " _-+'\"\u00a0\u2010\u2011\u2012\u2013\u2014\u2015<>[]()\t\r\v\f")
)
_SIGNS, _INNER = " _%+&<[('\"-\t\r\v\f", "./\\#:_-"
_UNSEEN = ("Mn", "Cf")  # accents that stand alone, and what does not show


def _without_marks(ids: str) -> str:
    """Leave out accents and characters that do not show; write wide ones as usual."""
    ids = unicodedata.normalize("NFKD", ids)
    return ids.translate({ord(one): None for one in {*ids} if category(one) in _UNSEEN})


def _without_unseen(ids: str) -> str:
    unseen = {ord(one): None for one in {*ids} - {"\n"} if category(one) in ("Cc", "Cf")}
    return re.sub(_AROUND, "", ids.translate(unseen))


def _without_blanks(ids: str) -> str:
    """Leave out blanks and the like, but between two numbers, where one separates them."""
    return re.sub(_BLANKS, lambda found: ":" if found[1] else "", ids)


_without_parts = partial(re.sub, _PART, "")
_without_prefix = partial(re.sub, _PREFIX, "")
_without_long_prefix = partial(re.sub, _LONG_PREFIX, "")
_OF_PARTS = "parts of documents were their documents"
_ACCENTS = "accents were composed alike"
_IS_UNSEEN = "blanks around ids and characters that do not show were left out"


def _decoded(ids: str) -> str:
    from html import unescape  # noqa: PLC0415
    from urllib.parse import unquote  # noqa: PLC0415

    return unescape(unquote(ids))


# Each form rewrites any number of ids at once, one on each line.
_Form = Callable[[str], str]
_OF_BOTH: list[tuple[str, _Form]] = [
    (_IS_UNSEEN, _without_unseen),
    (_ACCENTS, partial(unicodedata.normalize, "NFC")),
    ("upper and lower case were alike", str.casefold),
    ("blanks, '_', '-' and '+' were alike", _without_blanks),
    ("leading zeros were left out", partial(re.sub, _ZEROS, "")),
    ("whole numbers had no '.0'", partial(re.sub, _DECIMALS, "")),
    ("quotes and brackets were left out", lambda ids: re.sub(_QUOTES, _in_quotes, ids)),
    ("'%20', '&amp;' and the like were decoded", _decoded),
    ("the ends of URLs were alike", partial(re.sub, _URL, "")),
    ("accents were left out, and wide characters written as usual", _without_marks),
]
_OF_ONE: list[tuple[str, _Form]] = [
    ("endings were left out", partial(re.sub, _ENDING, "")),
    (_OF_PARTS, _without_parts),
    ("prefixes were left out", _without_prefix),
    ("prefixes were left out", _without_long_prefix),
    ("folders were left out", partial(re.sub, _FOLDER, "")),
]
_IN_SEVERAL_WAYS = "case, blanks, '_' and the like were alike"


def _in_quotes(found: re.Match[str]) -> str:
    return next(one for one in found.groups()[1:] if one is not None)


class Near(NamedTuple):
    """How many ids would match if both sides wrote them alike.

    Parameters
    ----------
    meaning
        The continuation of "would match if".
    matches
        The ids of the first side that match then, each with the place of its pair of sides among
        those given, and with the id of the second side that it matches.
    among
        The number of ids of the first side that do not match as they are.
    """

    meaning: str
    matches: list[tuple[int, str, str]]
    among: int

    @property
    def found(self) -> int:
        """The number of ids of the first side that match then."""
        return len(self.matches)

    @property
    def ours(self) -> str:
        """An example: an id of the first side."""
        return self.matches[0][1]

    @property
    def theirs(self) -> str:
        """The id of the second side that the example matches."""
        return self.matches[0][2]

    @property
    def of_parts(self) -> bool:
        """Whether one side has parts of documents that the other has."""
        return self.meaning == _OF_PARTS

    @property
    def unit(self) -> str | None:
        """What separates documents from the rest of their parts' ids; None if none are parts."""
        if not self.of_parts:
            return None
        from rankmark.data.ids.identity import separator_of  # noqa: PLC0415

        return separator_of(*sorted((self.ours, self.theirs), key=len))

    def __str__(self) -> str:
        """Say what would match if something were alike, with an example."""
        shown = ascii if self.meaning in (_ACCENTS, _IS_UNSEEN) else repr  # as they look alike
        return f"would match if {self.meaning}, as {shown(self.ours)} and {shown(self.theirs)}"


def near_ids(
    unmatched: Iterable[tuple[Sequence[str], Sequence[str]]], *, of_all: bool = False
) -> Near | None:
    """Find ids that differ only in how they are written.

    Each way to write ids alike is tried for all pairs; the one by which most match is returned.
    An id that several others of its side would equal is left out, as is what matches by chance:
    fewer than three ids, unless there are fewer, or than a twentieth. Five are enough where a way
    makes no two ids of a side equal, as chance would make these equal more often.

    Parameters
    ----------
    unmatched
        For each query, the ids of either side that are not on the other.
    of_all
        Whether these are all such ids, and not a choice of them.

    Returns
    -------
    Near or None
        None if no way makes enough of them match.
    """
    given = [*unmatched]
    pairs = [(ours, theirs, at) for at, (ours, theirs) in enumerate(given) if ours and theirs]
    compared = sum(len(pair[0]) for pair in pairs)
    needed = max(min(_FEWEST, compared), round(_LEAST_SHARE * compared))
    few = min(needed, _CLEAR) if of_all else needed
    likely = _may_match([pair[:2] for pair in pairs])
    if not needed or sum(likely) < few:
        return None  # as nearly always
    sides = [ids for pair in pairs for ids in pair[:2]]
    pairs = [pair for pair, number in zip(pairs, likely, strict=True) if number]
    best: Near | None = None
    for our_form, their_form, meaning in _trials():
        if meaning == _IN_SEVERAL_WAYS and best:
            break
        found = [
            (at, *match)
            for ours, theirs, at in pairs
            for match in _matches(_rewritten(ours, our_form), _rewritten(theirs, their_form))
        ]
        if len(found) < few or (best is not None and len(found) <= best.found):
            continue
        if len(found) >= needed or _keeps_apart(sides, our_form, their_form):
            best = Near(meaning, found, sum(len(ours) for ours, _ in given))
    return best


class NearLook:
    """A first look for ids that some way of writing may make equal to one of a few.

    Parameters
    ----------
    ids
        The few.
    """

    def __init__(self, ids: Sequence[str]) -> None:
        from rankmark.data.evidence.line_looks import AlikeLook  # noqa: PLC0415  (few look so)

        odd = [one for one in ids if not one.isascii() or "%" in one or "&" in one]
        written = [_lines(form, ids) for form in _LOOKS]
        cut = [*chain(*written[1:])]  # by all forms but _alike
        self._first = AlikeLook([*ids, *_lines(_alike, odd)], cut)
        self._known = {*ids}
        self._forms = [(form, {*own} - {""}) for form, own in zip(_LOOKS, written, strict=True)]

    def likely_in(self, lines: Lines) -> list[str]:
        """Return the lines that ``alike_in`` has to look at."""
        return self._first.likely_in(lines)

    def alike_in(self, others: Sequence[str]) -> list[str]:
        """Return those of others that may be equal to one of the few."""
        likely = set()
        for form, known in self._forms:
            written = _lines(form, others)
            likely |= {
                other
                for other, one in zip(others, written, strict=True)
                if one in known or one in self._known or other in known
            }
        return [other for other in others if other in likely]


def likely_reason(
    qrels_ids: Collection[str],
    run_ids: Collection[str],
    *,
    what: What = "query",
    qrels_others: Collection[str] = (),
    run_others: Collection[str] = (),
) -> str | None:
    """Find the likely reason why ids do not match; see ``mismatch_reason``, whose reasons go first.

    Ids that have nothing in common may still be written in two ways.
    """
    from rankmark.data.ids.identity import OF_OTHERS, mismatch_reason  # noqa: PLC0415

    reason = mismatch_reason(
        qrels_ids, run_ids, what=what, qrels_others=qrels_others, run_others=run_others
    )
    if reason is None or not reason.startswith(OF_OTHERS):
        return reason
    ours, theirs = dict.fromkeys(qrels_ids), dict.fromkeys(run_ids)
    both = ours.keys() & theirs.keys()
    near = near_ids(
        [([one for one in ours if one not in both], [one for one in theirs if one not in both])]
    )
    return reason if near is None else f"ids are written in two ways: {near.found:,} {near}"


def _may_match(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> list[int]:
    """Count the ids of the first side of each pair that some way may make match: a first look.

    Only ways that can change an id are tried, on the text of all ids together; ids such as d17 have
    none.
    """
    sides = [[one for pair in pairs for one in pair[side]] for side in (0, 1)]
    text = "\n".join(chain(*sides))
    looks: list[tuple[list[str], list[str]]] = []
    signs = any(sign in text for sign in _SIGNS)
    odd = signs or not text.isascii() or text != text.lower()
    has_breaks = text.count("\n") >= len(sides[0]) + len(sides[1])
    is_number = re.search(_LEADING_ZERO, text) or ("." in text and re.search(_DECIMALS, text))
    if odd or has_breaks or is_number or "/" in text:
        looks.append((_lines(_alike, sides[0]), _lines(_alike, sides[1])))
    if any(sign in text for sign in _INNER):
        looks.append((_lines(_stem, sides[0]), _lines(_stem, sides[1])))
        looks += [(_lines(_without_parts, sides[0]), sides[1])]
        looks += [(sides[0], _lines(_without_parts, sides[1]))]
    beginnings = [{one[:1] for one in side} for side in sides]
    if beginnings[0] != beginnings[1] or len({one.isalpha() for one in beginnings[0]}) > 1:
        forms = []
        if not all(map(str.isdigit, chain(*beginnings))):
            forms.append(_without_prefix)
        if any(sign in text for sign in ":_#|-"):
            forms.append(_without_long_prefix)
        for form in forms:
            looks += [(_lines(form, sides[0]), sides[1]), (sides[0], _lines(form, sides[1]))]
    if not looks:
        return [0] * len(pairs)
    counts, first, second = [], 0, 0
    for our_ids, their_ids in pairs:
        of_ours = slice(first, first := first + len(our_ids))
        of_theirs = slice(second, second := second + len(their_ids))
        counts.append(max(_shared(a[of_ours], b[of_theirs]) for a, b in looks))
    return counts


def _shared(ours: list[str], theirs: list[str]) -> int:
    known = {*theirs} - {""}
    return sum(one in known for one in ours)


def _lines(form: _Form, ids: Sequence[str]) -> list[str]:
    written = form("\n".join(ids)).split("\n")
    if len(written) == len(ids):
        return written
    return [form(one).strip("\n") for one in ids]  # some contain line breaks


def _alike(ids: str) -> str:
    """Write ids alike in all ways at once, each only where it can change them."""
    if not ids.isascii():
        ids = _without_marks(ids)
    if "&" in ids or "%" in ids:
        ids = _decoded(ids)
    if any(one in ids for one in "'\"<[("):
        ids = re.sub(_QUOTES, _in_quotes, ids)
    if "/" in ids:
        ids = re.sub(_URL, "", ids)
    if "." in ids:
        ids = re.sub(_DECIMALS, "", ids)
    return re.sub(_ZEROS, "", ids.casefold().translate(_LEFT_OUT))


def _in_all_ways(ids: str) -> str:
    return _alike(_without_blanks(ids))


def _stem(ids: str) -> str:
    if "/" in ids or "\\" in ids:
        ids = re.sub(_FOLDER, "", ids)
    return re.sub(_ENDING, "", ids)


_LOOKS: tuple[_Form, ...] = (_alike, _stem, _without_parts, _without_prefix, _without_long_prefix)


def _trials() -> Iterable[tuple[_Form | None, _Form | None, str]]:
    for meaning, form in _OF_BOTH:
        yield form, form, meaning
    for meaning, form in _OF_ONE:
        yield form, None, meaning
        yield None, form, meaning
    yield _in_all_ways, _in_all_ways, _IN_SEVERAL_WAYS


def _rewritten(ids: Sequence[str], form: _Form | None) -> dict[str, str]:
    """Rewrite ids: ``{rewritten: id}``, without those that several become."""
    if form is None:
        return {one: one for one in ids}
    written = _lines(form, ids)
    times = Counter(written)
    return {new: one for new, one in zip(written, ids, strict=True) if times[new] == 1 and new}


def _keeps_apart(sides: Sequence[Sequence[str]], *forms: _Form | None) -> bool:
    """Return whether the forms make no two ids equal, on either side of any query."""
    return all(len(_rewritten(ids, form)) == len(ids) for ids in sides for form in {*forms})


def _matches(ours: dict[str, str], theirs: dict[str, str]) -> list[tuple[str, str]]:
    return [(ours[form], theirs[form]) for form in ours if form in theirs]
