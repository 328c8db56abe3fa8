"""The options of a gate, declared once for Python, its TOML file and the command line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from rankmark.errors import InputError, shown
from rankmark.formulas import flag

Kind = Literal["flag", "whole", "word", "file", "names", "range", "of a condition"]


@dataclass(frozen=True, slots=True)
class GateOption:
    """A keyword of ``gate``, a key of its file, and an option of ``rankmark gate``.

    Parameters
    ----------
    name
        The keyword and the key; the option of the command line has dashes.
    kind
        What a value is: True or False ("flag"), a whole number ("whole"), one of ``words``
        ("word"), the name of a file ("file"; in Python any table), a name or several ("names"), two
        numbers ("range"), or what ``Condition`` takes ("of a condition"), which a condition of the
        file may choose for itself.
    help
        For the command line.
    default
        Where neither a keyword nor the file chooses; None for none.
    lowest
        The least of whole numbers.
    words
        The words that there are, the default first.
    metavar
        What the help calls a value.
    also
        Another option of the command line with the same meaning.
    only
        "runs" or "scores by query", if the gate has to be on these; "" for both.
    """

    name: str
    kind: Kind
    help: str
    default: Any = None
    lowest: int = 0
    words: tuple[str, ...] = ()
    metavar: str | None = None
    also: str | None = None
    only: Literal["", "runs", "scores by query"] = ""

    @property
    def flag(self) -> str:
        """The option of the command line."""
        return f"--{self.name.replace('_', '-')}"

    def is_chosen(self, value: Any) -> bool:
        """Return whether a value is another than usual; files may be tables of no truth value."""
        return value is not None if self.kind == "file" else bool(value != self.default)

    def checked(self, value: Any) -> Any:
        """Return a value, unless it is impossible; ``Condition`` checks its own."""
        fits, needed, found = True, "", value
        if self.kind == "flag":
            flag(self.name, value)
        elif self.kind == "whole":
            fits = _is_number(value, int) and value >= self.lowest
            needed = f"a whole number of at least {self.lowest}"
        elif self.kind == "word":
            fits, needed = value in self.words, f"one of {', '.join(self.words)}"
        elif self.kind == "names":
            names = [value] if isinstance(value, str) else value
            fits = isinstance(names, (list, tuple, set, frozenset))
            fits = fits and all(isinstance(name, str) for name in names)
            needed, found = "names of scores", tuple(dict.fromkeys(names if fits else ())) or None
        elif self.kind == "range":
            fits = isinstance(value, (list, tuple)) and len(value) == 2
            fits = fits and all(_is_number(end, (int, float)) for end in value)
            fits = fits and -math.inf < value[0] < value[1] < math.inf
            needed = "the lowest and the highest score possible, as in (0, 1)"
            found = tuple(map(float, value)) if fits else None
        if not fits:
            raise InputError(f"{self.name} is {shown(value)}", f"need {needed}")
        return found


def _is_number(value: Any, kinds: Any) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool)


OPTIONS = (
    GateOption(
        "max_drop",
        "of a condition",
        "How much worse the mean may be: in units of the measure, or a share of the baseline's "
        "mean, such as 1%; once for all measures, or once for each -m, in their order. Needed for "
        "each condition, unless --require-better.",
        metavar="NUMBER|PERCENT",
    ),
    GateOption("require_better", "of a condition", "Require a better mean instead."),
    GateOption(
        "max_query_drop",
        "of a condition",
        "The most that one query can lose, an assumption that is printed with the verdict; once "
        "for all measures, or once for each -m. [default: the range of the measure]",
        metavar="NUMBER",
    ),
    GateOption(
        "confidence",
        "of a condition",
        "Confidence of the one-sided bound that decides.",
        metavar="SHARE",
        default=0.95,
    ),
    GateOption(
        "unchanged",
        "word",
        "If no score differs, decide by the bound as usual, or pass without evidence.",
        default="decide",
        words=("decide", "pass"),
    ),
    GateOption(
        "reference",
        "file",
        "A fixed run, such as that of the last release, against which each condition has to hold "
        "too, so that small losses against a moving BASE cannot add up; with --scores, its scores.",
        metavar="FILE",
    ),
    GateOption(
        "weights",
        "file",
        "Weights of the queries in means and bounds: lines `qid weight`.",
        metavar="FILE",
    ),
    GateOption(
        "clusters",
        "file",
        "Groups of queries that are not independent, such as those of a user or a conversation: "
        "lines `qid cluster`.",
        metavar="FILE",
        also="--cluster",
    ),
    GateOption(
        "by",
        "file",
        "Slices of the queries, for which each -m has to hold as well: a table with a header and a "
        "row for each query, lines `qid value`, or a column of QRELS.",
        metavar="FILE|COLUMN",
    ),
    GateOption(
        "min_slice",
        "whole",
        "Slices of fewer queries are small. [default: those that could not hold even if nothing "
        "changed]",
        lowest=1,
        metavar="N",
    ),
    GateOption(
        "small_slices",
        "word",
        "What a small slice does if it is undecided: it fails the gate, is only shown (warn), or "
        "is not evaluated (ignore).",
        default="fail",
        words=("fail", "warn", "ignore"),
    ),
    GateOption(
        "anytime",
        "flag",
        "Use bounds that hold however often you look as queries come in: a confidence sequence.",
        default=False,
    ),
    GateOption(
        "bounds",
        "flag",
        "Also check whether judging the unjudged documents could change the verdict.",
        default=False,
        only="runs",
    ),
    GateOption(
        "worst",
        "whole",
        "Number of queries to list, of those that lost most.",
        default=5,
        metavar="N",
    ),
    GateOption(
        "score_range",
        "range",
        "With --scores, the lowest and the highest score possible. [default: that of the measure "
        "with the name]",
        metavar="LOW HIGH",
        only="scores by query",
    ),
    GateOption(
        "lower_is_better",
        "names",
        "With --scores, a score for which lower is better, such as a time; can be repeated. "
        "[default: measures of errors]",
        metavar="SCORE",
        only="scores by query",
    ),
)
"""All of them, in the order of the help."""

BY_NAME = {one.name: one for one in OPTIONS}
OF_CONDITIONS = tuple(one.name for one in OPTIONS if one.kind == "of a condition")
"""Those that each condition may choose for itself."""
OF_ESTIMATES = (*OF_CONDITIONS, "unchanged", "worst")
"""Those that the gate of an estimate takes."""
PLANNED = (
    *(*OF_CONDITIONS, "weights", "clusters", "by"),
    *(one.name for one in OPTIONS if one.only == "scores by query"),
)
"""Those that ``gate_power`` takes."""
