"""ranx's Report of a comparison: a table of means, with marks of significant differences."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankmark.compat.ranx.metrics import metric
from rankmark.errors import InputError, MissingDependencyError
from rankmark.sources.files.writing import write_whole

if TYPE_CHECKING:
    import pandas as pd

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_RAISED = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖ𐞥ʳˢᵗᵘᵛʷˣʸᶻ"
_TESTS = {
    "fisher": "Fisher's randomization test",
    "student": "paired Student's t-test",
    "tukey": "Tukey's HSD test",
}
_LATEX = r"""========================
% Add in preamble
\usepackage{graphicx}
\usepackage{booktabs}
========================


% To change the table size, act on the resizebox argument `0.8`.
\begin{table*}[ht]
\centering
\caption{
Overall effectiveness of the models.
The best results are highlighted in boldface.
Superscripts denote significant differences in TEST with $p \le MAX_P$.
}
\resizebox{0.8\textwidth}{!}{
\begin{tabular}{c|lCOLUMNS}
\toprule
\textbf{\#}
& \textbf{Model}HEADER
\midrule
ROWS
\bottomrule
\end{tabular}
}
\label{tab:results}
\end{table*}"""


class Pairs(MutableMapping[Iterable[str], Any]):
    """A mapping whose keys are pairs of names, in any order: ``{"a", "b"}`` or ``("b", "a")``."""

    def __init__(self) -> None:
        self._held: dict[frozenset[str], Any] = {}

    def __getitem__(self, key: Iterable[str]) -> Any:
        return self._held[frozenset(key)]

    def __setitem__(self, key: Iterable[str], value: Any) -> None:
        self._held[frozenset(key)] = value

    def __delitem__(self, key: Iterable[str]) -> None:
        del self._held[frozenset(key)]

    def __iter__(self) -> Iterator[Iterable[str]]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)


class Report:
    """The results of a comparison; printing it shows a table.

    Attributes
    ----------
    model_names, metrics
        The names of the runs and of the metrics.
    results
        ``{run: {metric: mean}}``.
    comparisons
        ``{pair of runs: {metric: {"p_value": ..., "significant": ...}}}``.
    win_tie_loss
        ``{(run, other run): {metric: {"W": ..., "T": ..., "L": ...}}}``: in how many queries the
        first is better, equal and worse.
    """

    def __init__(
        self,
        model_names: list[str],
        results: dict[str, dict[str, float]],
        comparisons: Pairs,
        metrics: list[str],
        max_p: float,
        win_tie_loss: dict[tuple[str, str], dict[str, dict[str, int]]],
        rounding_digits: int = 3,
        show_percentages: bool = False,  # noqa: FBT001, FBT002  (as in ranx)
        stat_test: str = "student",
    ) -> None:
        if len(model_names) > len(_LETTERS):
            raise InputError(
                f"{len(model_names)} runs, and a report has letters for {len(_LETTERS)}",
                "compare fewer, or use rankmark.compare",
            )
        self.model_names = model_names
        self.results = results
        self.comparisons = comparisons
        self.metrics = metrics
        self.max_p = max_p
        self.win_tie_loss = win_tie_loss
        self.rounding_digits = rounding_digits
        self.show_percentages = show_percentages
        self.stat_test = stat_test

    def format_score(self, score: float) -> str:
        """Write a mean, in percent if these are shown."""
        digits = max(0, self.rounding_digits - 2 * self.show_percentages)
        return f"{round(score * 100 if self.show_percentages else score, digits):.{digits}f}"

    def get_metric_label(self, m: str) -> str:
        """Return how the report writes a metric, such as ``NDCG@10``."""
        return metric(m).label

    def get_stat_test_label(self, stat_test: str) -> str:
        """Return how the report writes a test."""
        return _TESTS[stat_test]

    def to_table(self) -> str:
        """Return the table as text."""
        rows = [
            [
                _LETTERS[number],
                name,
                *(
                    self.format_score(self.results[name][m]) + self._beaten(name, m, _RAISED)
                    for m in self.metrics
                ),
            ]
            for number, name in enumerate(self.model_names)
        ]
        return _table(["#", "Model", *map(self.get_metric_label, self.metrics)], rows)

    def to_latex(self) -> str:
        """Return the table in LaTeX."""
        best = {m: self._best(m) for m in self.metrics}
        rows = []
        for number, name in enumerate(self.model_names):
            cells = []
            for m in self.metrics:
                score = self.format_score(self.results[name][m])
                if best[m] == name:
                    score = f"\\textbf{{{score}}}"
                marks = self._beaten(name, m, _LETTERS)
                rest = "".join(
                    letter
                    for letter, other in zip(_LETTERS, self.model_names, strict=False)
                    if other != name and letter not in marks
                )
                cells.append(f"{score}$^{{{marks}}}$\\hphantom{{$^{{{rest}}}$}}")
            rows.append(f"{_LETTERS[number]} &\n{name} &\n" + " &\n".join(cells) + " \\\\")
        parts = {
            "TEST": self.get_stat_test_label(self.stat_test),
            "MAX_P": str(self.max_p),
            "COLUMNS": "|c" * len(self.metrics),
            "HEADER": "".join(f"\n& \\textbf{{{self.get_metric_label(m)}}}" for m in self.metrics)
            + " \\\\ ",
            "ROWS": "\n".join(rows).replace("_", "\\_").replace("$^{}$", ""),
        }
        table = _LATEX
        for part, text in parts.items():
            table = table.replace(part, text, 1)
        return table

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a dict, with p of each comparison."""
        found: dict[str, Any] = {
            "stat_test": self.stat_test,
            "metrics": self.metrics,
            "model_names": self.model_names,
        }
        for name in self.model_names:
            others = [other for other in self.model_names if other != name]
            found[name] = {
                "scores": self.results[name],
                "comparisons": {
                    other: {m: self.comparisons[name, other][m]["p_value"] for m in self.metrics}
                    for other in others
                },
                "win_tie_loss": {other: self.win_tie_loss[name, other] for other in others},
            }
        return found

    def to_dataframe(self) -> pd.DataFrame:
        """Return a pandas data frame with a row for each run: model_names and the metrics."""
        try:
            import pandas as pd  # noqa: PLC0415
        except ImportError as error:
            raise MissingDependencyError("pandas", "pandas", "data frames") from error
        frame = pd.DataFrame.from_dict(self.results, orient="index")
        return frame.reset_index(names="model_names")

    def save(self, path: str) -> None:
        """Write the dict as JSON, completely or not at all."""
        write_whole(Path(path), json.dumps(self.to_dict(), indent=4))

    def print_results(self) -> None:
        """Print the means as JSON."""
        print(json.dumps(self.results, indent=4))  # noqa: T201

    def __repr__(self) -> str:
        return self.to_table()

    def _beaten(self, name: str, m: str, letters: str) -> str:
        """Return the letters of the runs that a run is significantly better than."""
        return "".join(
            letter
            for letter, other in zip(letters, self.model_names, strict=False)
            if other != name
            and self.comparisons[name, other][m]["significant"]
            and self.results[name][m] > self.results[other][m]
        )

    def _best(self, m: str) -> str | None:
        """Return the first run with the highest rounded mean; None if no mean is above 0."""
        means = {name: round(self.results[name][m], self.rounding_digits) for name in self.results}
        highest = max(means.values())
        return next(name for name in means if means[name] == highest) if highest > 0 else None


def _table(headers: list[str], rows: list[list[str]]) -> str:
    """Align cells as tabulate does: text to the left, and numbers by their decimal points."""
    columns = []
    for header, *cells in zip(headers, *rows, strict=True):
        is_number = all(map(_is_number, cells))
        if is_number and not all(cell.isdigit() for cell in cells):
            lines = [header, *_by_point([f"{float(cell):g}" for cell in cells])]
        else:
            lines = [header, *cells]
        width = max(len(header) + 2, *map(len, lines))
        align = str.rjust if is_number else str.ljust
        lines = [align(line, width) for line in lines]
        columns.append([lines[0], "-" * width, *lines[1:]])
    return "\n".join("  ".join(line).rstrip() for line in zip(*columns, strict=True))


def _by_point(numbers: list[str]) -> list[str]:
    after = [len(number.partition(".")[2]) + ("." in number) for number in numbers]
    return [
        number + " " * (max(after) - digits) for number, digits in zip(numbers, after, strict=True)
    ]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
