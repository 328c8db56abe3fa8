"""Choose the queries that people are to judge, of a log or among those that a model judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Unpack

import numpy as np

from rankmark.arguments import FromOne, Seed, checked, filled, whole
from rankmark.array_types import Floats, Ints
from rankmark.conventions import by_text
from rankmark.data.preparing.qrels import Qrels, QrelsSource
from rankmark.errors import InputError, listed, shown
from rankmark.judges.estimate.chosen_queries import ChosenQueries
from rankmark.measures.names import AnyMeasure
from rankmark.scoring.aggregates import LARGEST, weights_of
from rankmark.statistics.labelled_samples import drawn, inclusion_probabilities
from rankmark.verbs.evaluate.evaluate_options import RunsOptions, shows
from rankmark.verbs.evaluate.query_attributes import Weights, of_all, weights_by_query
from rankmark.verbs.evaluate.query_numbers import numbers_of
from rankmark.verbs.power.both_judged import judged_by_model, strata_of

ChoiceMethod = Literal["random", "stratified", "active", "traffic"]
Allocation = Literal["proportional", "equal", "neyman"]

_STRATA = 4
_FEWEST = 2  # of a stratum, as its spread needs


@checked
@shows(RunsOptions)
def choose_queries(
    model: Qrels | QrelsSource | None = None,
    runs: Any = None,
    measure: AnyMeasure = "nDCG@10",
    *,
    n: FromOne,
    method: ChoiceMethod = "random",
    weights: Weights | None = None,
    strata: Any = None,
    allocation: Allocation = "proportional",
    uncertainty: Any = None,
    uniform: float = 0.5,
    seed: Seed = 0,
    **options: Unpack[RunsOptions],
) -> ChosenQueries:
    """Choose the queries that people are to judge, with the probability of each.

    ``estimate`` needs the probabilities: the mean of queries that were chosen because they are
    interesting is wrong unless each counts by the inverse of its probability. Queries of a log are
    drawn by their traffic without a model; ``gate`` and ``compare`` count each as often as it was
    drawn.

    Parameters
    ----------
    Data:
    model
        Judgments by the model, as for ``evaluate``; their queries are those to choose from. Not for
        ``"traffic"``.
    runs
        One run or several, by name, as for ``compare``. Not for ``"traffic"``.

    Measures:
    measure
        One measure, by which queries are stratified, or runs differ.

    Sample:
    n
        How many queries to choose.
    method
        ``"random"``: all queries alike. ``"stratified"``: at random from each stratum.
        ``"active"``: the more likely, the more the runs differ by the model, or the less
        sure the model is. ``"traffic"``: by their weights, with replacement.
    weights
        For ``"traffic"``: how often users ask each query of the log: lines `qid weight`.

        In any form that ``compare`` takes. ``n`` is then the number of draws: each is independent
        of the others, and may draw a query that was drawn before, which counts once more. Every
        draw is a query as users ask them, so that no weights are needed any more.
    strata
        For ``"stratified"``: a number of strata of equal size by the score of the runs, or
        the stratum of each query, as for ``estimate``; None for 4.
    allocation
        How many queries of each stratum: ``"proportional"`` to its size; ``"equal"``; or
        ``"neyman"``, also to the spread of scores in it.

        At least 2. Equal numbers judge more of small strata; the spread is that of the
        score by the model, or of the difference of the first two runs.
    uncertainty
        For ``"active"``: how far the model may be off on each query, such as lines `qid
        number`; None for how much the scores of the runs differ.

        ``{query id: number}``, a table or a file; such as the standard deviation of
        repeated answers.
    uniform
        For ``"active"``: the share of equal probabilities that is mixed in.

        It is above 0, so that no query has a very small one [1]_.
    seed
        Of the draw; None draws a seed, which the result contains.

    Reading:
    progress
        As for ``compare``.
    **options
        The other keywords of ``evaluate``.

    Returns
    -------
    ChosenQueries
        ``chosen``, the ids to judge; and ``probabilities`` and ``strata`` of all queries, which
        ``estimate`` takes, or ``draws``, which ``gate`` and ``compare`` take.

    Raises
    ------
    InputError
        If there are fewer than ``n`` queries, a stratum is too small, or an option is invalid.
    ParseError, DuplicateError, MeasureError, SchemaError
        As ``evaluate``.

    References
    ----------
    .. [1] Zrnic and Candès 2024, Active statistical inference, ICML.

    Examples
    --------
    >>> import rankmark as rm
    >>> model = {f"q{n}": {"a": 1, "b": n % 3} for n in range(60)}
    >>> runs = {"old": {q: {"a": 2, "b": 1} for q in model}}
    >>> runs["new"] = {q: {"b": 2, "a": 1} for q in model}
    >>> plan = rm.choose_queries(model, runs, "nDCG@10", n=5, method="active")
    >>> len(plan.chosen), round(sum(plan.probabilities.values()), 6)
    (5, 5.0)
    >>> log = {"head": 900, "torso": 90, "tail": 10}
    >>> rm.choose_queries(n=100, method="traffic", weights=log).draws
    {'head': 89, 'torso': 11}
    """
    is_number = isinstance(uniform, int | float) and not isinstance(uniform, bool)
    if not is_number or not 0 < uniform <= 1:
        raise InputError(f"uniform is {shown(uniform)}", "need a number above 0 and at most 1")
    _refuse_unused(method, strata, allocation, uncertainty)
    generator = np.random.Generator(np.random.PCG64(filled(seed)))
    if method == "traffic":
        if model is not None or runs is not None:
            raise InputError("method is traffic, which needs no model and no runs", "give weights")
        return _by_traffic(weights, n, generator, filled(seed))
    if weights is not None:
        raise InputError(f"weights are given, and method is {method}", 'choose method="traffic"')
    if model is None or runs is None:
        missing = "judgments by a model" if model is None else "runs"
        raise InputError(
            f"method is {method}, and there are no {missing}",
            'give the model and the runs, or choose method="traffic" with weights',
        )
    judged = judged_by_model(model, runs, measure, options)
    if len(judged.measures) > 1:
        raise InputError(
            f"there are {len(judged.measures)} measures: {listed([*map(str, judged.measures)])}",
            "choose queries by one of them",
        )
    scores = judged.model[:, :, 0]
    if np.isnan(scores).any():
        count = int(np.isnan(scores).any(axis=1).sum())
        raise InputError(
            f"{count:,} queries have no score by the model",
            "leave no_relevant out, so that they count 0, or name the others with queries=",
        )
    queries = judged.queries
    if n > len(queries):
        raise InputError(
            f"n is {n:,}, and the model judged {len(queries):,} queries",
            f"choose up to {len(queries):,}",
        )
    groups: list[str] | None = None
    if method == "random":
        chances = np.full(len(queries), n / len(queries))
        rows = np.sort(generator.permutation(len(queries))[:n])
    elif method == "active":
        chances = inclusion_probabilities(
            _sizes(uncertainty, queries, scores), n, uniform=float(uniform)
        )
        rows = drawn(chances, generator)
    else:
        groups = _strata(strata, queries, scores, model)
        chances, rows = _stratified(groups, scores, n, allocation, generator)
    return ChosenQueries(
        queries=queries,
        rows=tuple(rows.tolist()),
        probability=tuple(chances.tolist()),
        groups=None if groups is None else tuple(groups),
        scores=tuple(scores.mean(axis=1).tolist()),
        evaluations=judged.evaluations,
        runs=judged.runs,
        measure=str(judged.measures[0]),
        choices={
            "n": n,
            "method": method,
            "allocation": allocation if method == "stratified" else None,
            "uniform": float(uniform) if method == "active" else None,
            "seed": filled(seed),
        },
    )


def _by_traffic(weights: Any, n: int, generator: np.random.Generator, seed: int) -> ChosenQueries:
    """Draw queries with probabilities proportional to their weights, with replacement."""
    if weights is None:
        raise InputError("method is traffic, and there are no weights", "give those of the log")
    given = by_text(weights_by_query(weights), "weights")
    ids, sizes = [*given], weights_of(given, given)
    total = float(sizes.sum())
    if not total > 0:
        raise InputError("all weights are 0", "give some queries more")
    counts = generator.multinomial(n, sizes / total)
    rows = np.flatnonzero(counts)
    return ChosenQueries(
        queries=tuple(ids[row] for row in rows.tolist()),
        rows=tuple(range(len(rows))),
        probability=tuple((sizes[rows] / total).tolist()),
        counts=tuple(counts[rows].tolist()),
        population=len(ids),
        choices={"n": n, "method": "traffic", "seed": seed},
    )


def _refuse_unused(
    method: ChoiceMethod, strata: Any, allocation: Allocation, uncertainty: Any
) -> None:
    if method != "stratified" and (strata is not None or allocation != "proportional"):
        name = "allocation" if strata is None else "strata"
        raise InputError(f"{name} is given, and method is {method}", 'choose method="stratified"')
    if method != "active" and uncertainty is not None:
        raise InputError(f"uncertainty is given, and method is {method}", 'choose method="active"')


def _sizes(uncertainty: Any, queries: Sequence[str], scores: Floats) -> Floats:
    """Return what probabilities are proportional to."""
    if uncertainty is not None:
        found = numbers_of(uncertainty, "uncertainty", "uncertainty")
        remedy = "give a number for each query that the model judged"
        sizes = np.array(of_all(found, queries, "uncertainty", remedy))
        bad = [query for query in queries if not 0 <= found[query] <= LARGEST]
        if bad:
            raise InputError(
                f"the uncertainty of query {bad[0]!r} is {found[bad[0]]:g}",
                f"need a number from 0 to {LARGEST:g}",
            )
        return sizes
    if scores.shape[1] < 2:
        raise InputError(
            "there is one run, which differs from none", "give two runs, or uncertainty"
        )
    return scores.max(axis=1) - scores.min(axis=1)


def _strata(given: Any, queries: Sequence[str], scores: Floats, model: Any) -> list[str]:
    if given is not None and (isinstance(given, bool) or not isinstance(given, int)):
        return strata_of(given, queries, model)
    count = _STRATA if given is None else whole("strata", given)
    if count > len(queries) // _FEWEST:
        raise InputError(
            f"strata is {count:,}, and there are {len(queries):,} queries",
            f"choose up to {len(queries) // _FEWEST:,}",
        )
    groups = [""] * len(queries)
    order = np.argsort(scores.mean(axis=1), kind="stable")
    for number, rows in enumerate(np.array_split(order, count), 1):
        for row in rows.tolist():
            groups[row] = f"{number} of {count}"
    return groups


def _stratified(
    groups: Sequence[str],
    scores: Floats,
    n: int,
    allocation: Allocation,
    generator: np.random.Generator,
) -> tuple[Floats, Ints]:
    names = [*dict.fromkeys(sorted(groups))]
    places = np.array([names.index(one) for one in groups])
    sizes = np.bincount(places, minlength=len(names))
    small = [name for name, size in zip(names, sizes, strict=True) if size < _FEWEST]
    if small:
        raise InputError(
            f"stratum {small[0]!r} has 1 query, and a spread needs {_FEWEST}",
            "merge it with another",
        )
    if n < _FEWEST * len(names):
        raise InputError(
            f"n is {n:,}, and {len(names):,} strata need {_FEWEST} queries each",
            f"choose at least {_FEWEST * len(names):,}, or fewer strata",
        )
    wanted = sizes.astype(np.float64)
    if allocation == "equal":
        wanted = np.ones(len(names))
    elif allocation == "neyman":
        values = scores[:, 1] - scores[:, 0] if scores.shape[1] > 1 else scores[:, 0]
        wanted = sizes * np.array([values[places == at].std(ddof=1) for at in range(len(names))])
    counts = _shared(n, wanted, sizes)
    rows = [
        generator.permutation(np.flatnonzero(places == at))[:count]
        for at, count in enumerate(counts.tolist())
    ]
    return (counts / sizes)[places], np.sort(np.concatenate(rows))


def _shared(n: int, wanted: Floats, sizes: Ints) -> Ints:
    """Share n queries among strata, at least 2 and at most all of each, by largest remainders."""
    counts = np.minimum(_FEWEST, sizes)
    while (left := n - int(counts.sum())) > 0:
        # One after another to the stratum that has the least of its share.
        open_ = counts < sizes
        shares = np.where(open_, np.maximum(wanted, 1e-12 * max(float(wanted.max()), 1e-300)), 0)
        goal = n * shares / shares.sum()
        behind = np.where(open_, goal - counts, -np.inf)
        step = np.minimum(np.maximum(np.floor(behind), 0), sizes - counts).astype(np.int64)
        if 0 < step.sum() <= left:
            counts = counts + step
        else:
            counts[int(np.argmax(behind))] += 1
    return counts
