"""Names of runs: short ones, letters in their place, and their natural order."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from rankmark.file_names import file_name

_PACKED = {"gz", "bz2", "xz", "zst", "lz4", "zip"}
_ENDINGS = {"run", "runs", "res", "result", "results", "out", "trec", "txt", "tsv", "csv", "json"}
_ENDINGS |= {"jsonl", "ndjson", "parquet", "arrow", "eval"}


def short_names(paths: Sequence[str]) -> list[str]:
    """Return a name for each path, without its folder and its known endings.

    Paths that would share a name keep their endings, or else as many folders as tell them apart.

    Parameters
    ----------
    paths
        Paths of files, or other names of runs.

    Returns
    -------
    list of str
        As many names as paths; equal only for equal paths.

    Examples
    --------
    >>> short_names(["runs/bm25.run.gz", "runs/input.InexpC2"])
    ['bm25', 'input.InexpC2']
    >>> short_names(["2025/bm25.run", "2026/bm25.run"])
    ['2025/bm25', '2026/bm25']
    >>> short_names(["bm25.run", "bm25.txt"])
    ['bm25.run', 'bm25.txt']
    """
    by_stem: dict[str, list[str]] = {}
    for path in dict.fromkeys(paths):
        by_stem.setdefault(_stem(path), []).append(path)
    names: dict[str, str] = {}
    for group in by_stem.values():
        names |= zip(group, _told_apart(group), strict=True)
    if len(set(names.values())) < len(names):
        return list(paths)
    return [names[path] for path in paths]


def _told_apart(paths: Sequence[str]) -> Sequence[str]:
    """Return the shortest names that differ for paths with one stem."""
    if len(paths) == 1:
        return [_stem(paths[0])]
    from pathlib import PurePath  # noqa: PLC0415  (importing it takes long)

    folders = [PurePath(path).parts[:-1] for path in paths]
    deepest = max(map(len, folders))
    candidates = [[_stem(path) for path in paths], [file_name(path) for path in paths]]
    candidates += [
        [
            "/".join((*above[-depth:], _stem(path)))
            for above, path in zip(folders, paths, strict=True)
        ]
        for depth in range(1, deepest + 1)
    ]
    return next((names for names in candidates if len({*names}) == len(paths)), paths)


def _stem(path: str) -> str:
    name = file_name(path)
    for endings in (_PACKED, _ENDINGS, _ENDINGS):  # bm25.run.eval.gz
        stem, _, ending = name.rpartition(".")
        name = stem if stem and ending.lower() in endings else name
    return name or path


_LONGEST = 24  # columns; a longer list is a number of runs


def letters(number: int) -> list[str]:
    """Return a, b, ..., z, aa, ab, ...; as many as runs."""
    found = []
    for at in range(number):
        text, left = "", at + 1
        while left:
            left, digit = divmod(left - 1, 26)
            text = chr(ord("a") + digit) + text
        found.append(text)
    return found


def listed_letters(
    places: Collection[int], doubtful: Collection[int] = (), longest: int = _LONGEST
) -> str:
    """Return the letters of runs, by their places from 0; more than two in a row as a range.

    Those of doubtful runs are in parentheses. A list that is longer is a number of runs.

    Examples
    --------
    >>> listed_letters([1, 2, 3, 5, 7, 8])
    'b–d, f, h, i'
    >>> listed_letters([1, 2, 3, 5], doubtful=[2, 3])
    'b, (c, d), f'
    >>> listed_letters([*range(0, 40, 2)])
    '20 runs'
    """
    named = letters(max(places, default=-1) + 1)
    parts = [
        f"({_range(part, named)})" if part[0] in doubtful else _range(part, named)
        for part in _in_a_row(sorted(places), doubtful)
    ]
    text = ", ".join(parts)
    if len(text) <= longest:
        return text
    sure = len(set(places) - set(doubtful))
    counts = [_runs(sure)] * bool(sure)
    counts += [f"({_runs(len(places) - sure)})"] * (sure < len(places))
    return ", ".join(counts)


def _in_a_row(places: list[int], doubtful: Collection[int]) -> Iterator[list[int]]:
    """Yield parts of places in a row that are all doubtful, or all not."""
    part: list[int] = []
    for place in places:
        follows = part and place == part[-1] + 1
        if part and not (follows and (place in doubtful) == (part[-1] in doubtful)):
            yield part
            part = []
        part.append(place)
    if part:
        yield part


def _range(part: list[int], named: list[str]) -> str:
    if len(part) > 2:
        return f"{named[part[0]]}–{named[part[-1]]}"
    return ", ".join(named[place] for place in part)


def _runs(number: int) -> str:
    return "1 run" if number == 1 else f"{number:,} runs"


def natural(text: str) -> list[tuple[int, int, str]]:
    """Return a key that orders names naturally.

    Examples
    --------
    >>> sorted(["q10", "q2", "10", "2", "intent"], key=natural)
    ['2', '10', 'intent', 'q2', 'q10']
    """
    parts = re.split(r"([0-9]+)", text)
    return [
        (0, len(part.lstrip("0")), part.lstrip("0") + part) if part.isdigit() else (1, 0, part)
        for part in parts
        if part
    ]
