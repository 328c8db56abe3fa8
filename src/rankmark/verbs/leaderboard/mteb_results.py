"""Folders of results as MTEB writes them: a file of JSON for each model, revision and task."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from rankmark.data.files.byte_streams import reason_of
from rankmark.data.files.json_text import json_entries
from rankmark.errors import InputError, listed
from rankmark.work_progress import steps

# Revisions that stand for results of which the revision is not known, or that were taken from
# elsewhere: others go before them.
_UNKNOWN = ("no_revision_available", "external")
_OTHER_FILES = ("model_meta.json",)
_EXPERIMENTS = "experiments"


def mteb_scores(
    folder: Path,
    tasks: Sequence[str] | None,
    languages: Sequence[str] | None,
    splits: Sequence[str] | None,
) -> tuple[dict[tuple[str, str], float], list[str], str]:
    """Read {(model, task): score} from a folder, say what was chosen, and hash what was read.

    The hash is the SHA-256 of the SHA-256 of each file, in the order of their paths.

    A score is the mean of the main scores of the subsets and splits of a task, as MTEB computes it.
    Of several revisions of a model that have the task, the one whose file was written by the newest
    version of MTEB counts.

    Parameters
    ----------
    folder
        ``MODEL/REVISION/TASK.json``, perhaps in ``results``, or ``MODEL/TASK.json``.
    tasks
        The tasks to read; None for all.
    languages
        Only subsets all of whose languages are among these, such as "eng" or "eng-Latn".
    splits
        Only these splits, such as "test".

    Raises
    ------
    InputError
        If there are no such results.
    ParseError
        If a file is not JSON.
    """
    root = folder / "results" if (folder / "results").is_dir() else folder
    wanted = None if tasks is None else set(tasks)
    files = [
        file
        for file in sorted(root.glob("*/**/*.json"))
        if file.name not in _OTHER_FILES and (wanted is None or file.stem in wanted)
    ]
    kept = [file for file in files if _EXPERIMENTS not in file.relative_to(root).parts]
    best: dict[tuple[str, str], tuple[tuple[Any, ...], float]] = {}
    several, hashes = Counter[str](), []
    unread: list[str] = []
    for file in steps("reading", iter(kept), len(kept)):
        parts = file.relative_to(root).parts
        model = parts[0].replace("__", "/")
        content = _bytes_of(file)
        hashes.append(hashlib.sha256(content).hexdigest())
        found = _scored(file, content, languages, splits)
        if found is None:
            unread.append("/".join(parts))
            continue
        task, version, score = found
        if score is None or (wanted is not None and task not in wanted):
            continue
        order = (len(parts) < 3 or parts[1] not in _UNKNOWN, version, "/".join(parts))
        if (model, task) in best:
            several[model] += 1
        best[model, task] = max(best.get((model, task), (order, score)), (order, score))
    if not best:
        chosen = "; ".join(
            f"{name} {listed(of)}"
            for name, of in (("tasks", tasks), ("languages", languages), ("splits", splits))
            if of is not None
        )
        raise InputError(
            f"there are no results in this folder{f' of {chosen}' if chosen else ''}",
            "need files such as MODEL/REVISION/TASK.json, as MTEB writes them",
            where=str(folder),
        )
    notes = []
    if several:
        notes.append(
            f"{len(several):,} models have several revisions of a task: the newest counts, by the "
            f"version of MTEB that wrote it ({listed(list(several))})"
        )
    if len(files) > len(kept):
        notes.append(f"results of experiments are left out: {len(files) - len(kept):,} files")
    if unread:
        notes.append(f"{len(unread):,} files hold no results of a task ({listed(unread)})")
    sha256 = hashlib.sha256("".join(hashes).encode()).hexdigest()
    return {key: score for key, (_, score) in best.items()}, notes, sha256


def _bytes_of(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(
            f"cannot be read: {reason_of(error)}", "check the folder", where=str(file)
        ) from None


def _scored(
    file: Path, written: bytes, languages: Sequence[str] | None, splits: Sequence[str] | None
) -> tuple[str, tuple[int, ...], float | None] | None:
    """Return the task, the version and the score of a file; None if it holds no results."""
    entries = [*json_entries(written, str(file), by_line=False)]
    content = entries[0][2] if len(entries) == 1 else None
    if not isinstance(content, Mapping):
        return None
    task = content.get("task_name") or content.get("mteb_dataset_name")
    if not isinstance(task, str):
        return None
    values = [
        entry["main_score"]
        for split, entries in _by_split(content)
        if splits is None or split in splits
        for entry in entries
        if _is_chosen(entry, languages)
    ]
    if not all(isinstance(value, (int, float)) for value in values):
        return None
    version = tuple(map(int, re.findall(r"\d+", str(content.get("mteb_version") or ""))[:3]))
    return task, version, fmean(values) if values else None


def _by_split(content: Mapping[str, Any]) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """Yield the entries of each split, those of versions before 1.12 by subset, too."""
    scores = content.get("scores")
    if isinstance(scores, Mapping):
        for split, entries in scores.items():
            if isinstance(entries, list):
                yield split, [one for one in entries if _has_score(one)]
        return
    for split, of_split in content.items():
        if not isinstance(of_split, Mapping):
            continue
        if _has_score(of_split):
            yield split, [of_split]
        else:
            yield split, [one for one in of_split.values() if _has_score(one)]


def _has_score(entry: Any) -> bool:
    return isinstance(entry, Mapping) and "main_score" in entry


def _is_chosen(entry: Mapping[str, Any], languages: Sequence[str] | None) -> bool:
    of_entry = entry.get("languages")
    if languages is None or not isinstance(of_entry, list):
        return languages is None
    return bool(of_entry) and all(
        str(one) in languages or str(one).partition("-")[0] in languages for one in of_entry
    )
