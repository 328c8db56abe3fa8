"""Write a comparison of runs as a single HTML page."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import IO, Annotated, Any

from rankmark.arguments import FromOne, Kind, Text, checked
from rankmark.conventions import by_text
from rankmark.data.files.whole_files import path_given, whole_file
from rankmark.errors import ESCAPED, InputError, SchemaError, counted, one_line, shown
from rankmark.results import html_parts as html
from rankmark.results.drawing.result_page import HasPage, result_page
from rankmark.verbs.compare.comparison import Comparison
from rankmark.verbs.evaluate.evaluation import Evaluation
from rankmark.verbs.report.page_data import Chosen, page_data


def _given_texts(name: str, given: Any) -> Any:
    if not isinstance(given, (str, os.PathLike, Mapping)) and not hasattr(given, "read"):
        raise InputError(
            f"{name} is {shown(given)}", "need {id: text}, or a file with an id and a text a line"
        )
    return given


Texts = Annotated[Mapping[Any, str] | str | os.PathLike[str] | IO[Any], Kind(_given_texts)]


@dataclass(frozen=True, slots=True, repr=False)
class WrittenReport:
    """A report that was written; it can be used as a path, as by ``open``.

    Parameters
    ----------
    path
        The file, as it was given.
    size
        Its bytes.
    runs, measures
        The names of what was compared; empty for the page of another result.
    queries
        How many; 0 for the page of another result.
    """

    path: str
    size: int
    runs: tuple[str, ...]
    measures: tuple[str, ...]
    queries: int

    @classmethod
    def of(cls, compared: Comparison, path: str, size: int) -> WrittenReport:
        """Describe the report of a comparison."""
        return cls(path, size, compared.runs, compared.measures, len(compared.queries))

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        shown = ", ".join(map(" ".join, self._shown()[:-1]))
        return one_line(f"WrittenReport({self.path}: {shown})")

    def _repr_html_(self) -> str:
        from urllib.parse import quote  # noqa: PLC0415

        name = html.escaped(self.path)
        link = f"<a href='{quote(self.path)}' target='_blank'>{name}</a>"
        rows = [[html.escaped(cell) for cell in row[::-1]] for row in self._shown()]
        return html.page(html.table_of_html([], [["report", link], *rows], 2))

    def _shown(self) -> list[tuple[str, str]]:
        kilobytes = f"{max(self.size // 1000, 1):,}"
        if not self.runs:
            return [(kilobytes, "kB"), ("", "")]
        return [
            _cells(len(self.runs), "run"),
            _cells(len(self.measures), "measure"),
            _cells(self.queries, "query", "queries"),
            (kilobytes, "kB"),
        ]


def _cells(number: int, *nouns: str) -> tuple[str, str]:
    count, _, noun = counted(number, *nouns).partition(" ")
    return count, noun


_MOST_DOCUMENTS = 10**6
_OF_QUERY = 1000
_OF_DOCUMENT = 300
"""Characters kept of each text."""


@checked
def write_report(
    compared: Comparison | Evaluation | HasPage,
    path: str | os.PathLike[str],
    *,
    title: Text | None = None,
    documents: FromOne = 20,
    queries_text: Texts | None = None,
    docs_text: Texts | None = None,
) -> WrittenReport:
    """Write a report of compared runs: one HTML file that works without a network.

    It has the leaderboard, the differences with their tests, the audit of each run, a table of
    queries to sort and filter, and the ranked lists of each query side by side, with what each
    document adds to each measure. The runs are read again for the ranked lists. The same comparison
    gives the same file. Of more than 100,000 queries, the page lists those whose scores differ most
    between the runs, and says how many are left out; means, tests and slices are of all queries.

    The results of ``compare_judgments``, ``leaderboard``, ``estimate``,
    ``abstention``, ``nuggets``, ``citations``, ``evaluate_calls``, ``evaluate_spans`` and
    ``ann_recall`` have a page with their plots and tables, which requires matplotlib.

    Parameters
    ----------
    compared
        The result of ``compare``, ``compare_scores`` or one of these functions, or an evaluation.
    path
        The file, written completely or not at all.
    title
        The heading; None for one that names the judgments.
    documents
        First documents in each ranked list; relevant ones of lower rank are added.

        If a million documents are not enough for all queries, lists are stored for those
        whose scores differ most, and the page says so.
    queries_text, docs_text
        Texts to show: ``{id: text}``, or a file (plain or compressed) with lines of an id, a tab
        and a text, or of JSON objects. Only texts of queries and documents on the page are stored,
        the first 1,000 characters of a query and 300 of a document.

    Returns
    -------
    WrittenReport
        What was written, and where: notebooks show a link to it.

    Raises
    ------
    InputError
        If the file cannot be written, or a file of texts has none that is needed.
    ParseError
        If a line of a file of texts cannot be read.
    SchemaError
        If ``compared`` is not a result of these functions.

    Examples
    --------
    >>> import rankmark as rm
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> runs = {"bm25": {"q1": {"a": 2, "b": 1}}, "dense": {"q1": {"b": 2}, "q2": {"b": 1}}}
    >>> rm.write_report(rm.compare(qrels, runs), "report.html")  # doctest: +SKIP
    """
    target = path_given("path", path)
    if isinstance(compared, HasPage):
        if queries_text is not None or docs_text is not None:
            raise InputError(
                "texts are shown beside ranked lists, which this result has none of",
                "leave out queries_text and docs_text",
            )
        size = _written(result_page(compared, title), target)
        return WrittenReport(str(target), size, (), (), 0)
    compared = _comparison(compared)
    text = report_page(
        compared,
        title=title,
        documents=documents,
        queries_text=queries_text,
        docs_text=docs_text,
    )
    return WrittenReport.of(compared, str(target), _written(text, target))


def _written(text: str, target: Any) -> int:
    """Write a page, completely or not at all, and return its size."""
    with whole_file(target) as file:
        return file.write(text.encode("utf-8", ESCAPED))


def report_page(
    compared: Comparison | Evaluation,
    *,
    title: Text | None = None,
    documents: FromOne = 20,
    queries_text: Texts | None = None,
    docs_text: Texts | None = None,
) -> str:
    """Return the page of a report; see ``write_report``."""
    from rankmark.verbs.report.html_page import html_page  # noqa: PLC0415

    chosen = Chosen(
        title=title,
        documents=min(documents, _MOST_DOCUMENTS),
        queries_text=_texts("queries_text", queries_text, _OF_QUERY),
        docs_text=_texts("docs_text", docs_text, _OF_DOCUMENT),
    )
    return html_page(page_data(_comparison(compared), chosen))


def _comparison(compared: Comparison | Evaluation) -> Comparison:
    """Compare a single evaluation with nothing."""
    if isinstance(compared, Evaluation):
        from rankmark.verbs.compare.compare import compare  # noqa: PLC0415

        compared = compare(None, [compared])
    if not isinstance(compared, Comparison):
        raise SchemaError(
            f"the first argument is {shown(compared, 60)}",
            "need the result of rankmark.compare, compare_scores, evaluate, or of another function "
            "that makes a page, such as leaderboard",
        )
    return compared


def _texts(
    name: str, given: Texts | None, most: int
) -> Callable[[Collection[str]], Mapping[str, str]] | None:
    """Return a function that looks texts up, in a file or in a mapping."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        from rankmark.data.files.lines_of_text import texts_in  # noqa: PLC0415

        return partial(texts_in, given, most=most)
    texts = by_text(given, name)
    for key, text in texts.items():
        if not isinstance(text, str):
            raise InputError(f"{name} has {shown(text, 40)} for {key!r}", "need text")
    return lambda wanted: {
        key: text if len(text) <= most else text[: most - 1] + "…"
        for key, text in texts.items()
        if key in wanted
    }
