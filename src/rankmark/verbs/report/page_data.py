"""What the page of a report contains and stores, as plain data for its template."""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.errors import InputError
from rankmark.file_names import file_name
from rankmark.results.drawing.figures import coloured_runs
from rankmark.results.text_width import cut_apart, width
from rankmark.verbs.compare.comparison_layout import (
    CAUSES,
    capitalised,
    marks_in_words,
    reversals_in_words,
)
from rankmark.verbs.evaluate.ranked_lists import Judgments
from rankmark.verbs.report.html_page import packed_floats, packed_json, visible
from rankmark.verbs.report.page_lists import PIECE, chosen_queries, stored_lists
from rankmark.verbs.report.page_tables import (
    audit_table,
    causes_by_run,
    differences,
    dots,
    interval,
    known,
    of_all_lists,
    reversing,
    slice_queries,
    slice_tables,
    trials_table,
    written,
)
from rankmark.version import __version__
from rankmark.work_progress import steps

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from rankmark.array_types import Floats
    from rankmark.measures import Measure
    from rankmark.verbs.compare.comparison import Comparison
    from rankmark.verbs.compare.comparison_layout import Layout
    from rankmark.verbs.report.page_lists import StoredLists

MOST_QUERIES = 100_000
"""Queries of a page."""

MOST_LISTED = 1_000_000
"""Documents in all ranked lists of a page."""

MOST_TEXT = 4_000_000
"""Characters of all texts of documents of a page."""


class Chosen(NamedTuple):
    """What the page shows besides the comparison.

    Parameters
    ----------
    title
        The heading; None for one that names the judgments.
    documents
        Number of first documents of each ranked list.
    queries_text, docs_text
        Functions that return the texts of some ids; None without texts.
    most_queries, most_listed, most_text
        Limits to the queries, to the documents listed, and to the characters of their texts.
    """

    title: str | None = None
    documents: int = 20
    queries_text: Callable[[Collection[str]], Mapping[str, str]] | None = None
    docs_text: Callable[[Collection[str]], Mapping[str, str]] | None = None
    most_queries: int = MOST_QUERIES
    most_listed: int = MOST_LISTED
    most_text: int = MOST_TEXT


class Stored(NamedTuple):
    """The queries that the page lists.

    Parameters
    ----------
    queries
        Their ids.
    scores
        (n_queries, n_runs, n_measures) float64.
    lists
        Ranked lists of some of them; None if the scores were computed by another program.
    query_texts, doc_texts
        Texts by id.
    texts_left_out
        Number of documents that are listed without their text.
    """

    queries: Sequence[str]
    scores: Floats
    lists: StoredLists | None
    query_texts: Mapping[str, str]
    doc_texts: Mapping[str, str]
    texts_left_out: int


def stored_data(
    comparison: Comparison, chosen: Chosen, runs: Sequence[str], judgments: Judgments
) -> Stored:
    """Choose the queries and documents that fit on a page, with the runs in an order."""
    order = [comparison.runs.index(run) for run in runs]
    scores = np.asarray(comparison.scores, dtype=np.float64)[:, order]
    numbers = chosen_queries(scores[:, :, 0], chosen.most_queries)
    queries, scores = [comparison.queries[number] for number in numbers.tolist()], scores[numbers]
    lists = None
    if comparison.evaluations:
        most = chosen.most_listed // max(1, len(comparison.runs) * chosen.documents)
        numbers = chosen_queries(scores[:, :, 0], most)
        measures = [*comparison.measures]
        evaluations = {run: comparison.evaluations[run] for run in runs}
        lists = stored_lists(evaluations, measures, queries, numbers, chosen.documents, judgments)
    query_texts = {} if chosen.queries_text is None else dict(chosen.queries_text(queries))
    return Stored(queries, scores, lists, query_texts, *_doc_texts(lists, chosen))


def _doc_texts(lists: StoredLists | None, chosen: Chosen) -> tuple[dict[str, str], int]:
    """Return the texts of documents that are listed, up to a limit, and how many were left out."""
    if lists is None or chosen.docs_text is None:
        return {}, 0
    found = chosen.docs_text(lists.doc_ids)
    kept: dict[str, str] = {}
    size = 0
    for doc_id in dict.fromkeys(doc_id for ids in lists.documents for doc_id in ids):
        text = found.get(doc_id)
        if text is not None:
            size += len(text)
            if size > chosen.most_text:
                break
            kept[doc_id] = text
    return kept, len(found) - len(kept)


def left_out(comparison: Comparison, stored: Stored, documents: int) -> list[str]:
    """Return descriptions of what the page does not contain; ``documents`` are listed of a run."""
    lists, queries = stored.lists, len(stored.queries)
    total = len(comparison.queries)
    others = "whose scores differ least between the runs"
    if len(comparison.runs) == 1:
        others = "which come last"
    lines = []
    if queries < total:
        lines.append(
            f"The scores of {total - queries:,} of {total:,} queries, {others}; means, tests and "
            "slices are of all queries."
        )
    if lists is None:
        return [*lines, "Ranked lists and the audit: the scores were computed by another program."]
    lines.append(
        f"Documents below rank {documents:,} of each ranked list, except up to 20 relevant ones."
    )
    if len(lists.queries) < queries:
        lines.append(
            f"The ranked lists of {total - len(lists.queries):,} of {total:,} queries, {others}."
        )
    lines += [f"Ranked lists of {run}: {reason}." for run, reason in lists.without.items()]
    if lists.unknown:
        lines.append(
            f"Contributions of documents to {', '.join(lists.unknown)}; rankmark explain shows "
            "them for a single query."
        )
    if stored.texts_left_out:
        lines.append(
            f"Texts of {stored.texts_left_out:,} listed documents; those of "
            f"{len(stored.doc_texts):,} are on the page."
        )
    return lines


def blocks(
    comparison: Comparison,
    layout: Layout,
    facts: Sequence[Mapping[str, Any]],
    stored: Stored,
    documents: int,
) -> dict[str, str]:
    """Return compressed data for the page's script, by name; ``facts`` of each measure."""
    queries, lists, texts = stored.queries, stored.lists, stored.query_texts
    found = {
        "meta": packed_json(_meta(comparison, layout, facts, stored, documents)),
        "queries": packed_json(
            {"ids": queries, "texts": [texts.get(query) for query in queries] if texts else None}
        ),
        # (n_measures, n_runs, n_queries): each column of the table in one place.
        "scores": packed_floats(np.ascontiguousarray(stored.scores.transpose(2, 1, 0)).ravel()),
    }
    if lists is None:
        return found
    begins = range(0, len(lists.queries), PIECE)
    for number, begin in enumerate(steps("writing the page", begins, len(begins))):
        piece = lists.of_queries(begin, begin + PIECE)
        doc_texts = {
            doc_id: stored.doc_texts[doc_id]
            for query in piece
            for doc_id in query[0]
            if doc_id in stored.doc_texts
        }
        found[f"lists-{number}"] = packed_json({"lists": piece, "texts": doc_texts})
    return found


def _meta(
    comparison: Comparison,
    layout: Layout,
    facts: Sequence[Mapping[str, Any]],
    stored: Stored,
    documents: int,
) -> dict[str, Any]:
    """Return what the script has to know of runs and measures, under the names it uses."""
    lists, runs = stored.lists, layout.runs
    shown = shown_paths(comparison.evaluations)
    listed: Any = None
    if lists is not None:
        listed = lists.queries if len(lists.queries) < len(stored.queries) else "all"
    return {
        "runs": [*runs],
        "short": [*shortened(runs, _SHORT).values()],
        "brief": [*shortened(runs, _BRIEF).values()],
        "colours": [*colours(comparison, runs).values()],
        "baseline": comparison.baseline,
        "measures": [
            {
                "name": fact["name"],
                "count": fact["is_count"],
                "less": not fact["more_is_better"],
            }
            for fact in facts
        ],
        "files": {
            name: [shown.get(at := described[side]["name"], at) for side in ("qrels", "run")]
            for name, evaluation in comparison.evaluations.items()
            for described in [evaluation.to_dict(per_query=False)]
        },
        "weighted": comparison.settings["weights"] is not None,
        "slices": slice_queries(comparison, stored.queries),
        "isCut": len(stored.queries) < len(comparison.queries),
        "documents": documents,
        "piece": PIECE,
        "stored": listed,
    }


_SHORT = 44  # letters of a run's name in tables
_BRIEF = 24  # in pictures and heads


def shortened(names: Sequence[str], most: int) -> dict[str, str]:
    """Return names of at most so many letters that still differ, without what cannot be seen."""
    return dict(zip(names, cut_apart([visible(name) for name in names], most), strict=True))


def colours(comparison: Comparison, runs: Sequence[str]) -> dict[str, str]:
    """Return the classes of the runs' colours, which are those of all plots."""
    names = comparison.runs
    best = [names.index(run) for run in runs]
    numbers = dict(zip(names, coloured_runs(names, best, comparison.baseline), strict=True))
    return {run: "rest" if numbers[run] is None else f"run-{numbers[run]}" for run in runs}


def shown_paths(evaluations: Mapping[str, Any]) -> dict[str, str]:
    """Return what is shown of absolute paths, as a page is for others: without folders of here.

    Files of one name keep the folders below the one that contains all of them.
    """
    each = [one for given in evaluations.values() for one in (given, *given.trials)]
    described = [one.to_dict(per_query=False) for one in each]
    names = dict.fromkeys(one[side]["name"] for one in described for side in ("qrels", "run"))
    paths = [name for name in names if PurePath(name).is_absolute()]
    files = [file_name(path) for path in paths]
    if len({*files}) == len(files):
        return dict(zip(paths, files, strict=True))
    above = os.path.commonpath([str(PurePath(path).parent) for path in paths])
    return {path: str(PurePath(path).relative_to(above)) for path in paths}


def _without_folders(lines: Iterable[str], shown: Mapping[str, str]) -> list[str]:
    """Write lines with what is shown of paths; the longest first, as one may begin another."""
    found = [*lines]
    for path in sorted(shown, key=len, reverse=True):
        found = [line.replace(path, shown[path]) for line in found]
    return found


def page_data(comparison: Comparison, chosen: Chosen) -> dict[str, Any]:
    """Return everything that the page contains, with values that JSON can represent.

    ``blocks`` are compressed data for the page's script: ``meta``, ``queries``, ``scores``, and
    ``lists-0``, ``lists-1``, ... with ranked lists.
    """
    if not comparison.measures:
        raise InputError(
            "a report is of scores by query, and these are numbers of all lists alone",
            "add a measure with a value for each query, such as nDCG@10",
        )
    layout = comparison.layout()
    runs, measures = layout.runs, [*comparison.measures]
    evaluations = {run: comparison.evaluations[run] for run in runs if comparison.evaluations}
    facts = _facts(measures, evaluations)
    judgments = Judgments()
    stored = stored_data(comparison, chosen, runs, judgments)
    first = next(iter(evaluations.values()), None)
    shown = shown_paths(evaluations)
    leaderboard, marks = _leaderboard(layout, comparison, facts), marks_in_words(layout)
    return {
        "title": chosen.title or _title(evaluations, runs),
        "version": __version__,
        "counts": {
            "runs": len(runs),
            "queries": len(comparison.queries),
            "listed": len(stored.queries),
            "measures": len(measures),
        },
        "baseline": comparison.baseline,
        "measures": facts,
        "leaderboard": leaderboard,
        "marks": None if marks is None else f"{capitalised(marks)}.",
        "is_corrected": comparison.chosen.correction != "none",
        "interval_head": layout.adjusted_confidence,
        "causes": [CAUSES[cause] for cause in reversing(comparison)],
        "short": shortened(runs, _SHORT),
        "figures": _figures(leaderboard, facts, colours(comparison, runs)),
        "differences": differences(comparison, facts, runs),
        "legend": [
            line if line.partition(":")[0] in runs else capitalised(line)
            for line in (*comparison.legend, *reversals_in_words(layout))
        ],
        "of_run": of_all_lists(comparison, runs),
        "trials": trials_table(evaluations),
        "slices": slice_tables(comparison, facts, layout),
        "failures": causes_by_run(comparison, evaluations, judgments),
        "audit": audit_table(evaluations) if evaluations else None,
        "conventions": None if first is None else [*first.conventions.to_dict().items()],
        "inputs": _inputs(evaluations),
        "notes": _without_folders(_shared_provenance(evaluations), shown),
        "left_out": _without_folders(left_out(comparison, stored, chosen.documents), shown),
        "blocks": blocks(comparison, layout, facts, stored, chosen.documents),
    }


def _facts(measures: Sequence[str], evaluations: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what the page says of each measure: its name, formula, and which values are better."""
    by_name: dict[str, Measure] = {}
    for evaluation in evaluations.values():
        by_name |= dict(zip(evaluation.names, evaluation.measures, strict=True))
    return [
        {
            "name": name,
            "formula": getattr(by_name.get(name), "formula", None),
            "more_is_better": getattr(by_name.get(name), "more_is_better", True),
            "is_count": getattr(by_name.get(name), "aggregate", "mean") == "sum",
        }
        for name in measures
    ]


def _title(evaluations: Mapping[str, Any], runs: Sequence[str]) -> str:
    several = f"{len(runs)} runs" if len(runs) > 1 else runs[0]
    first = next(iter(evaluations.values()), None)
    if first is None:
        return f"Comparison of {several}"
    name = PurePath(_inputs(evaluations)[0]["name"]).name
    return f"{several} on {name}" if not name.startswith("<") else f"Evaluation of {several}"


def _leaderboard(
    layout: Layout, comparison: Comparison, facts: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the runs, best first by the first measure, with a cell for each measure."""
    by_run: dict[str, dict[str, Any]] = {}
    for row in comparison.leaderboard:
        by_run.setdefault(row.run, {})[row.measure] = row
    names = [fact["name"] for fact in facts]
    order = layout.runs
    marks = {measure.name: layout.marks(measure) for measure in layout.measures}
    by_letter = layout.marks_by_letter
    means = {
        name: sorted(
            {
                round(by_run[run][name].mean, 10)
                for run in order
                if known(by_run[run][name], "mean") is not None
            },
            reverse=fact["more_is_better"],
        )
        for name, fact in zip(names, facts, strict=True)
    }

    def place(row: Any, measure: str) -> int | None:
        mean = known(row, "mean")
        return None if mean is None else means[measure].index(round(mean, 10))

    return [
        {
            "run": run,
            "letter": layout.letters[run] if layout.marks_by_letter else "",
            "is_baseline": run == comparison.baseline,
            "cells": [
                {
                    "mean": known(row, "mean"),
                    "low": known(row, "low"),
                    "high": known(row, "high"),
                    "text": written(known(row, "mean"), fact),
                    "interval": interval(row, fact),
                    "best": len(order) > 1 and place(row, fact["name"]) == 0,
                    "second": len(order) > 2 and place(row, fact["name"]) == 1,
                    "beaten": marks[fact["name"]].get(run, "") if by_letter else "",
                    "star": "" if by_letter else marks[fact["name"]].get(run, ""),
                }
                for fact in facts
                for row in [by_run[run][fact["name"]]]
            ],
        }
        for run in order
    ]


def _figures(
    leaderboard: Sequence[dict[str, Any]],
    facts: Sequence[dict[str, Any]],
    shades: Mapping[str, str],
) -> list[dict[str, Any]]:
    """Return a picture of means with intervals for each measure that has intervals."""
    brief = shortened([*shades], _BRIEF)
    figures = []
    for at, fact in enumerate(facts):
        rows = [
            {
                "name": row["run"],
                "brief": brief[row["run"]],
                "colour": shades[row["run"]],
                "is_baseline": row["is_baseline"],
                "text": row["cells"][at]["text"],
                "value": row["cells"][at]["mean"],
                "low": row["cells"][at]["low"],
                "high": row["cells"][at]["high"],
            }
            for row in leaderboard
        ]
        if any(row["value"] is not None for row in rows):
            labels = 12 + 7 * max(map(width, brief.values()))
            figures.append({"measure": fact["name"], **dots(rows, labels=labels)})
    return figures


def _inputs(evaluations: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return name, form and hash of the judgments and of each run."""
    found: list[dict[str, Any]] = []
    shown = shown_paths(evaluations)
    each = [(name, one) for name, given in evaluations.items() for one in given.trials or (given,)]
    for run, evaluation in each:
        described = evaluation.to_dict(per_query=False)
        sides = [("judgments", described["qrels"])] if not found else []
        for role, facts in [*sides, (run, described["run"])]:
            found.append(
                {
                    "role": role,
                    "name": shown.get(facts["name"], facts["name"]),
                    "form": facts.get("form", ""),
                    "sha256": facts.get("sha256"),
                }
            )
    return found


def _shared_provenance(evaluations: Mapping[str, Any]) -> list[str]:
    """Return how inputs and names were read, each line once."""
    return [*dict.fromkeys(line for each in evaluations.values() for line in each.provenance)]
