"""Cells that hold a list of ids as text, such as "['d1', 'd2']" or "d1;d2", in place of one id."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice

from rankmark.errors import SchemaError, warn

LIST = "list"
"""The value of ``split`` for lists in brackets."""
_BRACKETS = {"[": "]", "(": ")", "{": "}"}
_UNQUOTED = r"[\s,]+"
_QUOTED = r"""'([^']*)'|"([^"]*)\""""
_NUMBERS = r"(?:-?\d+|\.\.\.)(?:\s+(?:-?\d+|\.\.\.))+"
_SEPARATORS = {";": True, "|": True, "\n": True, "\t": True, ",": False, " ": False}
"""Whether each separates nothing but ids; the others stand in titles as well."""
_DIGIT = r"\d"
_IF_IDS = (
    "if they are ids, say so: rm.Qrels(..., contents='labels') or rm.Run(..., contents='scores')"
)
_REMEDY = f"split them with split='list', or --split list, or give lists; {_IF_IDS}"
SAMPLED = 200
"""Ids that are looked at."""
MOST_FOUND = 0.9
"""The share of the judged documents that are retrieved, from which on ids are not doubted."""
_MOSTLY = 0.1  # of the cells
_FEWEST = 3
_NEARLY_ALL = 0.5  # of the ids that do not match
_MOVED = 0.2  # of the ids that two rankings share, at different ranks


def as_list(cell: str) -> list[str] | None:
    """Return the texts of a list that is written in brackets; None if it is none.

    Examples
    --------
    >>> as_list("['d1', 'd2']"), as_list("[1, 2]"), as_list("[1 2]"), as_list("[Reissue]")
    (['d1', 'd2'], ['1', '2'], ['1', '2'], None)
    """
    import ast  # noqa: PLC0415
    import json  # noqa: PLC0415

    cell = cell.strip()
    if len(cell) < 2 or _BRACKETS.get(cell[0]) != cell[-1]:
        return None
    inner = cell[1:-1].strip()
    if not inner or (cell[0] == "[" and re.fullmatch(_NUMBERS, inner)):  # as NumPy prints numbers
        return inner.split()
    for parse in (json.loads, ast.literal_eval):
        try:
            found = parse(cell)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        if isinstance(found, dict) or not isinstance(found, (list, tuple, set)):
            return None
        if all(type(one) in (str, int) for one in found):
            # A list without commas, as NumPy writes it, is one text to Python.
            return _quoted(inner) if "," not in inner and len(found) == 1 else [*map(str, found)]
        return None
    return _quoted(inner)


def _quoted(inner: str) -> list[str] | None:
    """Return texts in quotes that stand side by side; None if there is anything else."""
    rest = re.sub(_UNQUOTED, "", re.sub(_QUOTED, "", inner))
    found = [one or other for one, other in re.findall(_QUOTED, inner)]
    return found if found and not rest else None


def pieces(cell: str, split: str) -> list[str]:
    """Split a cell into ids, without blanks around them."""
    if split == LIST:
        found = as_list(cell)
        if found is not None:
            return found
        cell = cell.strip()
        if len(cell) > 1 and cell[0] == "[" and cell[-1] == "]":  # without quotes
            return [one for one in re.split(_UNQUOTED, cell[1:-1]) if one]
        return [cell] if cell else []
    return [bare for one in cell.split(split) if (bare := one.strip())]


def refuse_lists(ids: Iterable[str], where: str | None, remedy: str = _REMEDY) -> None:
    """Refuse ids that are lists written as text: Python's, NumPy's or JSON's.

    Parameters
    ----------
    ids
        Some of the ids.
    where
        What has them, in messages.
    remedy
        What to do.

    Raises
    ------
    SchemaError
        If a tenth of them or more are lists of texts in quotes, or of two numbers or more that
        do not stand in parentheses.
    """
    some = [one for one in islice(ids, SAMPLED) if isinstance(one, str)]
    text = "\n".join(some)
    if "[" not in text and "(" not in text and "{" not in text:  # as nearly always
        return
    lists = [one for one in some if _is_list(one)]
    if lists and len(lists) >= _MOSTLY * len(some):
        raise SchemaError(
            f"ids are lists written as text, such as {lists[0]!r}, so that a whole list would "
            "count as one document",
            remedy,
            where=where,
        )


def _is_list(cell: str) -> bool:
    found = as_list(cell) or []
    is_quoted = "'" in cell or '"' in cell
    # Numbers in parentheses, as (0, 1), are a pair that is an id.
    return bool(found) and (is_quoted or (len(found) > 1 and not cell.lstrip().startswith("(")))


def _several_ids(cell: str, separator: str) -> list[str]:
    """Return the ids in a cell, if they seem to be several."""
    cut = pieces(cell, separator)
    is_sure = separator == LIST or _SEPARATORS[separator]
    return cut if len(cut) > 1 and (is_sure or all(re.search(_DIGIT, one) for one in cut)) else []


def refuse_joined(
    unmatched: Iterable[tuple[Sequence[str], Sequence[str]]],
    names: tuple[str, str],
    how: str = "split with split={0!r}, or --split {0!r}",
    *,
    least: int = 1,
    may_both: bool = True,
) -> None:
    """Refuse ids that are several ids of the other side in one cell, or warn if few are.

    What is cut at commas and blanks must have a digit in each piece, as titles have commas and
    blanks, too.

    Parameters
    ----------
    unmatched
        For each query, some ids of either side that are not on the other.
    names
        Of the judgments and of the run, in messages.
    how
        How to split them at a separator.
    least
        How many ids of the other side a cell must hold to count.
    may_both
        Whether both sides may be joined, if no query has more than one id on either.

    Raises
    ------
    SchemaError
        If half of the ids that do not match are pieces of ids on the other side, and three or
        more.

    Warns
    -----
    RankmarkWarning
        If fewer are.
    """
    pairs = [pair for pair in unmatched if pair[0] and pair[1]]
    for side in (1, 0):
        wanted = sum(len(pair[1 - side]) for pair in pairs)
        is_lone = all(len(pair[side]) == 1 for pair in pairs)
        are_lone = may_both and is_lone and all(len(pair[1 - side]) == 1 for pair in pairs)
        text = "".join("".join(pair[side]) for pair in pairs)
        for separator in _SEPARATORS:
            if separator not in text:
                continue
            found, example = 0, ""
            for pair in pairs:
                if separator not in "".join(pair[side]):
                    continue
                known = {*pair[1 - side]}
                if are_lone:  # then the other side may be joined, too
                    known.update(*(pieces(one, separator) for one in pair[1 - side]))
                for cell in pair[side]:
                    inside = known.intersection(_several_ids(cell, separator))
                    if len(inside) >= least:
                        found += min(len(inside), len(pair[1 - side]))
                        example = example or cell
            share = _NEARLY_ALL if are_lone else _MOSTLY
            if not found or found < max(share * wanted, min(_FEWEST, wanted)):
                continue
            what = (
                f"ids such as {example!r} hold several ids of {names[1 - side]}: {found:,} of "
                f"{wanted:,} that were looked for match if ids are split at {separator!r}"
            )
            remedy = f"{how.format(separator)}; {_IF_IDS}"
            if found >= max(_FEWEST, _NEARLY_ALL * wanted):
                raise SchemaError(what, remedy, where=names[side])
            warn(what, remedy, where=names[side])
            return


def refuse_joined_in_both(
    unmatched: Iterable[tuple[Sequence[str], Sequence[str]]], names: tuple[str, str], how: str
) -> None:
    """Refuse ids of two rankings that are both several ids in one cell, or warn if few match.

    Ids with parts, such as the volume and the page, share parts as well, but each in its place. A
    ranking has an id once, and two rankings have some of them at different ranks.

    Parameters
    ----------
    unmatched
        For each query, some ids of either ranking that are not in the other.
    names, how
        See ``refuse_joined``.

    Raises
    ------
    SchemaError
        If half of the pieces of one side or more, and three of them, are on the other.

    Warns
    -----
    RankmarkWarning
        If fewer are.
    """
    pairs = [pair for pair in unmatched if pair[0] and pair[1]]
    text = "".join("".join((*ours, *theirs)) for ours, theirs in pairs)
    for separator, is_sure in _SEPARATORS.items():
        if separator not in text:
            continue
        wanted = found = moved = 0
        for pair in pairs:
            ours, theirs = (_places(cells, separator, is_sure=is_sure) for cells in pair)
            shared = ours.keys() & theirs.keys()
            wanted += min(len(ours), len(theirs))
            found += len(shared)
            moved += sum(ours[one] != theirs[one] for one in shared)
        if moved < _FEWEST or moved < _MOVED * found or found < _MOSTLY * wanted:
            continue
        example = next(one for pair in pairs for one in (*pair[0], *pair[1]) if separator in one)
        what = (
            f"ids such as {example!r} hold several ids: {found:,} of {wanted:,} are in both "
            f"{names[0]} and {names[1]} if ids are split at {separator!r}"
        )
        remedy = f"{how.format(separator)}; {_IF_IDS}"
        if found >= _NEARLY_ALL * wanted:
            raise SchemaError(what, remedy)
        warn(what, remedy)
        return


def _places(cells: Sequence[str], separator: str, *, is_sure: bool) -> dict[str, int]:
    """Return the pieces of the cells of a ranking, and the place of each in its cell.

    Nothing if a piece comes twice, as in no ranking, or no cell has several.
    """
    places: dict[str, int] = {}
    is_joined = False
    for cell in cells:
        cut = pieces(cell, separator)
        is_joined |= len(cut) > 1
        for place, one in enumerate(cut):
            if one in places or not (is_sure or re.search(_DIGIT, one)):
                return {}
            places[one] = place
    return places if is_joined else {}


def may_be_joined(ids: Iterable[str]) -> bool:
    """Return whether some ids contain what may separate several: a fast first look."""
    text = "".join(ids)
    return any(separator in text for separator in _SEPARATORS)


def refuse_joined_among(
    ids: Sequence[str], known: Callable[[], AbstractSet[str]], where: str, others: str
) -> None:
    """Refuse ids that are several known ids in one cell, where there is no other side to match.

    Parameters
    ----------
    ids
        Of documents.
    known
        Gives the ids that ``others`` has, of documents of the same kind.
    where, others
        What has the ids, and what has the known ones, in messages.

    Raises
    ------
    SchemaError
        If a tenth of the ids or more are unknown, and have pieces that are known.
    """
    some = ids[:SAMPLED]
    for separator in (*_SEPARATORS, LIST):
        cells = {one: cut for one in some if (cut := _several_ids(one, separator))}
        if not cells or len(cells) < _MOSTLY * len(some):
            continue
        there = known()
        joined = [c for c, cut in cells.items() if c not in there and not there.isdisjoint(cut)]
        if joined and len(joined) >= _MOSTLY * len(some):
            raise SchemaError(
                f"ids such as {joined[0]!r} hold several ids of {others}, so that none of them "
                "would be found",
                f"split them with split={separator!r}, or --split {separator!r}, or give each "
                f"document by itself; {_IF_IDS}",
                where=where,
            )
