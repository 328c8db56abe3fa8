"""The table of conventions that are tried to explain a number, the most frequent causes first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from rankmark.measures import Measure
from rankmark.measures.of_lists.list_measure import OfItems
from rankmark.profiles.known import profiles

Part = Literal["ranking", "measure", "average", "number"]


class Choice(NamedTuple):
    """One value of a convention.

    Parameters
    ----------
    value
        As the keyword of ``evaluate`` or the parameter of the measure takes it, or as this room
        understands it.
    words
        What it means.
    who
        Who computes so.
    """

    value: Any
    words: str
    who: str = ""


class Situation(NamedTuple):
    """What decides which choices are worth trying on some judgments and a run.

    Parameters
    ----------
    measures
        The measures whose numbers are given.
    labels
        The positive labels, rising.
    longest
        The most documents retrieved for a query.
    tied
        Whether a judged document ties with another.
    self_matches, duplicates
        Whether a query retrieved a document with its own id, or a document twice.
    subset
        Whether the caller named queries that may have been averaged.
    of_queries
        Whether per-query numbers are given, so that it does not matter how they are averaged.
    units
        The most units retrieved for a query; 0 if documents were retrieved.
    """

    measures: tuple[Measure, ...]
    labels: tuple[float, ...]
    longest: int
    tied: bool
    self_matches: bool
    duplicates: bool
    subset: bool
    of_queries: bool = False
    units: int = 0


class Convention(NamedTuple):
    """A convention and the choices tried for it.

    Parameters
    ----------
    name
        The keyword of ``evaluate`` or the parameter of measures, if ``evaluate`` knows it.
    part
        What it changes: the documents that are ranked, the formula of the measure, how queries are
        averaged, or how the number is written.
    choices
        The choices, or a function that yields those that fit a situation.
    """

    name: str
    part: Part
    choices: tuple[Choice, ...] | Callable[[Situation], Iterator[Choice]]

    def choices_in(self, situation: Situation) -> tuple[Choice, ...]:
        """Return the choices that are worth trying."""
        if situation.of_queries and self.part == "average" and self.name != "no_relevant":
            return ()
        return tuple(self.choices(situation) if callable(self.choices) else self.choices)


_HIGHEST = 30.0  # label
_GAINS = (
    ((0.01, 0.1, 1.0), "Amazon's ESCI shopping queries"),
    ((1.0, 10.0, 100.0), "Järvelin and Kekäläinen 2002"),
)
_CUTOFFS = (1, 3, 5, 10, 20, 30, 50, 100, 200, 500, 1000)
_DEPTHS = (10, 20, 50, 100, 200, 500, 1000)
_UNIT_DEPTHS = (3, 5, 10, 20, 50, 100)


def _thresholds(situation: Situation) -> Iterator[Choice]:
    for label in (*situation.labels[:6], 0.0):
        counts = "judged documents" if label <= 0 else f"labels from {label:g} on"
        who = "" if label == 1 else f"trec_eval -l {label:g}"
        yield Choice(label, f"{counts} are relevant", who if label > 1 else "")


def _ties(situation: Situation) -> Iterator[Choice]:
    if situation.tied:
        yield Choice("docid-asc", "ties by document id, ascending", "ir_measures for RR@k")
        yield Choice("input", "ties in the order of the input", "LightGBM, XGBoost, Spark, ranx")
        yield Choice("mean", "the mean over all orders of ties", "scikit-learn, torchmetrics")
    yield Choice("rank", "the rank column instead of the scores", "RecTools")
    if situation.tied:
        yield Choice("best", "the best order of ties", "evaluations that sort the relevant first")
        yield Choice("worst", "the worst order of ties")
        yield Choice("midrank", "ties at the middle of their ranks", "PyKEEN")
        yield Choice("docid", "ties by document id, descending", "trec_eval")


def _orders(situation: Situation) -> Iterator[Choice]:
    yield Choice("negated", "the lowest scores first", "searches that return distances")
    if situation.tied:
        words = "ties in the reverse order of the input"
        yield Choice("reversed", words, "NumPy's argsort read backwards, for short lists")


def _queries(situation: Situation) -> Iterator[Choice]:
    yield Choice("judged", "all judged queries, 0 for those missing from the run", "trec_eval -c")
    yield Choice("both", "only queries in both files", "trec_eval 9 without -c, pytrec_eval")
    if situation.subset:
        yield Choice("subset", "only the queries of the subset")
    yield Choice("positive", "only queries with a value above 0", "Recommenders, r_precision")


def _gains(situation: Situation) -> Iterator[Choice]:
    yield Choice("exp2", "gain 2^label - 1", "LightGBM, XGBoost, gdeval, ranx ndcg_burges")
    yield Choice("linear", "gain label", "trec_eval, ranx, scikit-learn")
    who = "RecTools, RePlay, RecBole, sentence-transformers"
    yield Choice("binary", "gain 1 for labels above 0", who)
    for least in situation.labels[1:4]:
        gains = tuple((label, float(label >= least)) for label in situation.labels)
        yield Choice(gains, f"gain 1 for labels from {least:g} on, else 0")
        gains = tuple((label, label * (label >= least)) for label in situation.labels)
        yield Choice(gains, f"gain 0 for labels below {least:g}", f"ranx -l{least:g}")
    labels = situation.labels
    if len(labels) < 2 or labels[-1] > _HIGHEST:
        return
    shifted = "labels counted from 0"
    lower = [max(label - 1, 0.0) for label in labels]
    for words, who, of_labels in (
        ("gain label - 1", shifted, lower),
        ("gain 2^(label - 1) - 1", shifted, [2.0**label - 1 for label in lower]),
        ("gain 2^label", "", [2.0**label for label in labels]),
        ("gain label^2", "", [label**2 for label in labels]),
    ):
        yield Choice(tuple(zip(labels, of_labels, strict=True)), words, who)
    for several, who in _GAINS:
        if set(labels) <= set(range(1, len(several) + 1)):
            gains = tuple((label, several[int(label) - 1]) for label in labels)
            listed = ", ".join(f"{gain:g}" for gain in several)
            yield Choice(gains, f"gains {listed} of labels 1, 2, ...", who)


def _cutoffs(situation: Situation) -> Iterator[Choice]:
    """Yield cutoffs near the one asked for, then usual ones; only if one cutoff is asked for."""
    asked = {getattr(measure, "k", None) for measure in situation.measures}
    if len(asked) == 1:
        (k,) = asked
        near = () if k is None else (k + 1, k - 1)
        for cutoff in dict.fromkeys((*near, *_CUTOFFS)):
            if cutoff not in {0, k}:
                yield Choice(cutoff, f"cutoff {cutoff}")
    if asked != {None}:
        yield Choice(None, "no cutoff")


def _depths(situation: Situation) -> Iterator[Choice]:
    cutoffs = (getattr(measure, "k", None) for measure in situation.measures)
    for depth in sorted({*_DEPTHS, *(k for k in cutoffs if k)}):
        if depth < situation.longest:
            yield Choice(depth, f"only the first {depth:,} documents", f"trec_eval -M {depth}")


def _self_matches(situation: Situation) -> Iterator[Choice]:
    if situation.self_matches:
        yield Choice(value=True, words="documents with the id of the query are dropped", who="BEIR")


def _duplicates(situation: Situation) -> Iterator[Choice]:
    if situation.duplicates:
        yield Choice("best", "of a document that appears twice, the best score counts")
        yield Choice("first", "of a document that appears twice, the first row counts")


def _combined(situation: Situation) -> Iterator[Choice]:
    if situation.units:
        yield Choice("best", "the score of a document's best unit", "Anserini, MaxP")
        yield Choice("sum", "the sum of the scores of a document's units", "SumP")
        yield Choice("mean", "the mean of the scores of a document's units")
        yield Choice("count", "the number of a document's units")
        yield Choice("rrf", "the sum of 1 / (60 + rank) over a document's units")
        yield Choice("first", "the first unit of each document, without ties")


def _unit_depths(situation: Situation) -> Iterator[Choice]:
    cutoffs = (getattr(measure, "k", None) for measure in situation.measures)
    for depth in sorted({*_UNIT_DEPTHS, *(k for k in cutoffs if k)}):
        if depth < situation.units:
            yield Choice(depth, f"only the first {depth:,} units, cut before they are mapped")


def _scales(situation: Situation) -> Iterator[Choice]:
    for highest in (*situation.labels[-1:], 3.0, 4.0, 5.0):
        yield Choice(highest, f"labels up to {highest:g}", "gdeval" if highest == 4 else "")
    yield Choice("query", "labels up to the highest of the query", "rankeval")


def _printings(situation: Situation) -> Iterator[Choice]:
    """Yield ways to print; that numbers above 1 of other measures are percent is known."""
    yield Choice("truncated", "decimals cut off rather than rounded")
    if any(map(may_exceed_1, situation.measures)):
        yield Choice("percent", "the number is in percent")


CONVENTIONS = (
    Convention("rel", "measure", _thresholds),
    Convention("ties", "ranking", _ties),
    Convention("queries", "average", _queries),
    Convention(
        "no_relevant",
        "average",
        (
            Choice("skip", "queries without relevant documents left out", "sentence-transformers"),
            Choice("one", "queries without relevant documents count 1", "LightGBM, XGBoost"),
            Choice("zero", "queries without relevant documents count 0", "trec_eval"),
        ),
    ),
    Convention("drop_self", "ranking", _self_matches),
    Convention("duplicates", "ranking", _duplicates),
    Convention("unit_depth", "ranking", _unit_depths),
    Convention("combine", "ranking", _combined),
    Convention("gain", "measure", _gains),
    Convention(
        "norm",
        "measure",
        (
            Choice(
                "min",
                "divided by min(R, k)",
                "of AP: Spark, RePlay, sentence-transformers; of R: BEIR's R_cap, LensKit",
            ),
            Choice("hits", "divided by the relevant documents found", "torchmetrics, ragas"),
            Choice("k", "divided by the cutoff", "of AP: RecTools with divide_by_k; of P: usual"),
            Choice("retrieved", "divided by the documents retrieved", "XGBoost, LensKit, MLflow"),
            Choice("relevant", "divided by all relevant documents", "trec_eval, ranx"),
        ),
    ),
    Convention(
        "ideal",
        "measure",
        (
            Choice(
                "retrieved",
                "ideal ranking of the retrieved documents",
                "scikit-learn, torchmetrics, LightGBM, XGBoost",
            ),
            Choice("k", "ideal ranking of k documents with the highest gain", "RecTools"),
            Choice("uncut", "ideal ranking of all judged documents, not cut at k", "Quepid 8.1"),
            Choice("judged", "ideal ranking of all judged documents", "trec_eval, ranx"),
        ),
    ),
    Convention("k", "measure", _cutoffs),
    Convention("depth", "ranking", _depths),
    Convention(
        "precision",
        "ranking",
        (Choice("float32", "scores in single precision", "trec_eval 9, pytrec_eval, ir_measures"),),
    ),
    Convention(
        "judged_only",
        "ranking",
        (
            Choice(
                value=True,
                words="unjudged documents removed",
                who="trec_eval -J, condensed lists",
            ),
        ),
    ),
    Convention("order", "ranking", _orders),
    Convention(
        "discount",
        "measure",
        (
            Choice(2.0, "ranks 1 and 2 undiscounted, then log2(rank)", "trec_eval ndcg_p, LensKit"),
            Choice(10.0, "ranks up to 10 undiscounted, then log10(rank)", "Järvelin's base 10"),
            Choice("log2", "discount log2(rank + 1)", "trec_eval, ranx, scikit-learn"),
        ),
    ),
    Convention(
        "pooled",
        "average",
        (
            Choice("min", "all hits divided by the sum of min(R, k) over queries", "implicit"),
            Choice("relevant", "all hits divided by all relevant documents", "micro recall"),
            Choice("retrieved", "all hits divided by all documents retrieved", "micro precision"),
        ),
    ),
    Convention(
        "divisor",
        "average",
        (
            Choice("run", "the sum divided by the queries of the run", "trectools"),
            Choice(+1, "the sum divided by one query too many"),
            Choice(-1, "the sum divided by one query too few"),
            Choice(+2, "the sum divided by two queries too many"),
            Choice(-2, "the sum divided by two queries too few"),
        ),
    ),
    Convention(
        "aggregate",
        "average",
        (
            Choice("gmean", "the geometric mean over queries", "trec_eval gm_map"),
            Choice("median", "the median over queries"),
        ),
    ),
    Convention(
        "rounded_queries",
        "average",
        (
            Choice(4, "values of queries rounded to 4 decimals before the mean", "trec_eval -q"),
            Choice(5, "values of queries rounded to 5 decimals before the mean", "gdeval"),
            Choice(
                2,
                "values of queries rounded to 2 decimals before the mean",
                "OpenSearch's Search Relevance Workbench",
            ),
        ),
    ),
    Convention("printing", "number", _printings),
    Convention(
        "ties",
        "measure",
        (
            Choice("together", "tied documents share their last rank", "scikit-learn, LRAP"),
            Choice("apart", "tied documents have ranks of their own", "trec_eval"),
        ),
    ),
    Convention(
        "formula",
        "measure",
        (Choice("Success", "whether any relevant document is found", "DPR's recall@k"),),
    ),
    Convention("max_rel", "measure", _scales),
    Convention(
        "p",
        "measure",
        tuple(
            Choice(p, f"persistence {p:g}", who)
            for p, who in (
                (0.8, "ir_measures, trectools"),
                (0.9, "trec_eval 10, cwl_eval"),
                (0.85, "LensKit"),
                (0.5, "rankeval"),
                (0.95, "NTCIREVAL"),
            )
        ),
    ),
)
"""All conventions that are tried, each with its choices."""


def conventions_for(measures: Sequence[Measure]) -> tuple[Convention, ...]:
    """Return the conventions that are tried for some measures: for lists, all their parameters."""
    of_lists = [one for one in measures if isinstance(one, OfItems)]
    if not of_lists:
        return CONVENTIONS
    names = dict.fromkeys(name for one in of_lists for name in one.parameters if name != "k")
    own = [Convention(name, "measure", tuple(_values(name, of_lists))) for name in names]
    return *own, *(one for one in CONVENTIONS if one.part != "measure" or one.name == "k")


def may_exceed_1(measure: Measure) -> bool:
    """Return whether a measure, or of lists the number in place of its share, may exceed 1."""
    several = [measure]
    if isinstance(measure, OfItems) and "norm" in measure.parameters:
        several += [measure.with_parameters(norm=one) for one in measure.parameters["norm"].words]
    return any(one.bounds[1] > 1 for one in several)


def _values(name: str, measures: Sequence[Measure]) -> Iterator[Choice]:
    """Yield the values of a parameter that are words, and those of tools."""
    tools: dict[Any, list[str]] = {}
    for measure in measures:
        if name not in measure.parameters:
            continue
        parameter = measure.parameters[name]
        is_flag = parameter.allowed == "True or False"
        for value in (False, True) if is_flag else parameter.words:
            tools.setdefault(value, [])
        for profile in profiles():
            own = (one for row in profile.measures for one in row.measures)
            for one in own:
                if type(one) is type(measure) and name in one.chosen:
                    tools.setdefault(getattr(one, name), []).append(profile.tool)
    parameter = next(one.parameters[name] for one in measures if name in one.parameters)
    meaning = parameter.meaning.partition(":")[0]
    for value, who in tools.items():
        yield Choice(
            value, f"{meaning}: {name}={parameter.write(value)}", ", ".join(dict.fromkeys(who))
        )


def choice_of(name: str, value: Any, measure: Measure) -> Choice:
    """Return the value of a convention of ``evaluate`` or a parameter, as the table has it."""
    anything = Situation(
        measures=(measure,),
        labels=(1.0, 2.0, 3.0, 4.0),
        longest=2**31,
        tied=True,
        self_matches=True,
        duplicates=True,
        subset=False,
        units=2**31,
    )
    for convention in conventions_for((measure,)):
        for choice in convention.choices_in(anything) if convention.name == name else ():
            if choice.value == value:
                return choice
    return Choice(value, f"{name}={value}")


def plain_value(value: Any) -> Any:
    """Return the value of a choice as JSON represents it: gains as {label: gain}."""
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return {f"{label:g}": gain for label, gain in value}
    return list(value) if isinstance(value, tuple) else value
