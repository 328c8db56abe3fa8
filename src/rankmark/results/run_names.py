"""Short names of runs: those of their files, without folders and endings."""

from __future__ import annotations

from collections.abc import Sequence

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
