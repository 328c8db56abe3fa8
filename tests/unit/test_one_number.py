"""One run under one set of conventions has one number, whichever verb computes it.

Every pair of values of two conventions is together in one set at least.
"""

import itertools
import json
import math

import numpy as np
import pytest

import rankmark as rm
from rankmark import AP, RR, Judged, P, R, nDCG
from rankmark.conventions import Conventions
from rankmark.plots.numbers_by_rank import curves
from unit.commands import rankmark_here

CONVENTIONS = {
    "queries": ["judged", "both", ["q1", "q3", "none_relevant", "missing", "q5"]],
    "ties": ["docid", "docid-asc", "input", "rank", "mean", "best", "worst"],
    "no_relevant": ["zero", "one", "nan", "skip"],
    "depth": [None, 2, 5],
    "judged_only": [False, True],
    "duplicates": ["error", "first", "best"],
    "drop_self": [False, True],
    "precision": ["double", "float32"],
}
PROFILES = ["ranx", "mteb", "beir"]
CUTOFFS = (1, 3, 4)
MEASURES = [
    nDCG @ 3,
    nDCG(gain="exp2"),
    AP,
    AP(rel=2) @ 4,
    RR,
    RR(ties="mean") @ 2,
    P @ 3,
    R(no_relevant="skip") @ 4,
    Judged @ 3,
    nDCG(judged_only=True) @ 3,
]
OF_CURVES = [nDCG, P]
RUNS = ("bm25", "dense")
QUERIES = ["q1", "q2", "q3", "none_relevant", "missing", "q5", "q6"]


def covering(values, seed=3):
    """Draw sets of conventions until every pair of values is in one of them."""
    rng = np.random.default_rng(seed)
    names = list(values)
    numbers = {name: range(len(values[name])) for name in names}
    missing = {
        ((a, i), (b, j))
        for a, b in itertools.combinations(names, 2)
        for i in numbers[a]
        for j in numbers[b]
    }
    while missing:
        drawn = [{name: int(rng.integers(len(values[name]))) for name in names} for _ in range(60)]
        best = max(drawn, key=lambda one: len(missing.intersection(pairs(one))))
        missing -= set(pairs(best))
        yield {name: values[name][number] for name, number in best.items()}


def pairs(one):
    return itertools.combinations(one.items(), 2)


PLAIN = [*covering(CONVENTIONS)]
OF_TOOLS = [*covering({**CONVENTIONS, "profile": PROFILES})]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Write judgments, two runs with ties that are all odd, and two with a document twice."""
    rng = np.random.default_rng(11)
    folder = tmp_path_factory.mktemp("files")
    judged = []
    for query in QUERIES:
        labels = rng.integers(-1, 4, 9)
        if query == "none_relevant":
            labels = np.minimum(labels, 0)
        judged += [f"{query} 0 d{at} {label}\n" for at, label in enumerate(labels)]
        judged += [f"{query} 0 {query} 2\n"] if query == "q1" else []
    (folder / "qrels").write_text("".join(judged))
    for run, twice in itertools.product(RUNS, (False, True)):
        rows = []
        for query in [*QUERIES, "not_judged"]:
            if query == "missing":
                continue
            documents = [f"d{at}" for at in rng.permutation(14)[:10]] + [query]
            scores = rng.integers(0, 4, len(documents)) + rng.integers(0, 2, len(documents)) * 1e-9
            ranks = rng.permutation(len(documents)) + 1
            given = list(zip(documents, scores.tolist(), ranks.tolist(), strict=True))
            given += [(documents[2], 2.5, 12)] if twice else []
            rows += [f"{query} Q0 {doc} {rank} {score!r} {run}\n" for doc, score, rank in given]
        (folder / (f"{run}-twice" if twice else run)).write_text("".join(rows))
    return folder


def same(a, b):
    """Compare two numbers, or arrays of them, to the bit; NaN is NaN."""
    return np.asarray(a, dtype=np.float64).tobytes() == np.asarray(b, dtype=np.float64).tobytes()


def known(values):
    return {query: value for query, value in values.items() if not math.isnan(value)}


def words(conventions):
    return " ".join(map(str, conventions.values()))


class Evaluated:
    """The evaluations of both runs under some conventions, which other verbs have to match."""

    def __init__(self, folder, conventions):
        twice = "" if conventions["duplicates"] == "error" else "-twice"
        self.qrels = folder / "qrels"
        self.runs = {run: folder / f"{run}{twice}" for run in RUNS}
        self.run = self.runs["bm25"]
        self.conventions = conventions
        self.by_run = {
            run: rm.evaluate(self.qrels, path, MEASURES, **conventions)
            for run, path in self.runs.items()
        }
        self.first = self.by_run["bm25"]


@pytest.fixture(scope="module")
def kept():
    return {}


@pytest.fixture
def plain(files, conventions, kept):
    name = words(conventions)
    if name not in kept:
        kept[name] = Evaluated(files, conventions)
    return kept[name]


pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::rankmark.RankmarkWarning")]
everywhere = pytest.mark.parametrize("conventions", [*PLAIN, *OF_TOOLS], ids=words)
without_profile = pytest.mark.parametrize("conventions", PLAIN, ids=words)
with_means = pytest.mark.parametrize(
    "conventions", [one for one in PLAIN if one["no_relevant"] != "nan"], ids=words
)


@everywhere
def test_compare_has_the_number_of_evaluate(plain):
    found = rm.compare(plain.qrels, plain.runs, MEASURES, **plain.conventions)
    for run, evaluation in plain.by_run.items():
        for measure in map(str, MEASURES):
            assert same(found[run][measure], evaluation[measure])
            scores, wanted = found.per_query(run, measure), evaluation.per_query(measure)
            assert [*scores] == [*wanted]
            assert same([*scores.values()], [*wanted.values()])


@everywhere
def test_explain_has_the_number_of_evaluate(plain):
    for number, measure in enumerate(MEASURES):
        of_query = [*plain.first.per_query(measure).items()]
        query, value = of_query[number % len(of_query)]
        told = rm.explain(plain.qrels, plain.run, query, measure, **plain.conventions)
        assert same(told.value, value), (query, measure)
        query, value = of_query[-1 - number % len(of_query)]
        assert same(plain.first.explain(query, measure).value, value), (query, measure)


@everywhere
def test_gate_has_the_means_of_evaluate(plain):
    asked = MEASURES[0], MEASURES[2], MEASURES[5]
    found = rm.gate(plain.qrels, *plain.runs.values(), *asked, max_drop=0.2, **plain.conventions)
    for condition, measure in zip(found.conditions, asked, strict=True):
        both = [known(plain.by_run[run].per_query(measure)) for run in RUNS]
        shared = [query for query in both[0] if query in both[1]]
        means = condition.decision.baseline, condition.decision.other
        for mean, values in zip(means, both, strict=True):
            assert mean == pytest.approx(np.mean([values[query] for query in shared]))


@everywhere
def test_an_accumulator_has_the_numbers_of_evaluate(plain):
    whole = rm.Accumulator(MEASURES, **plain.conventions)
    whole.update(plain.qrels, plain.run)
    result = whole.result(order=QUERIES)
    assert result.queries == plain.first.queries
    assert same(result.scores, plain.first.scores)
    assert same([*result.values()], [*plain.first.values()])


@with_means
def test_plots_have_the_numbers_of_evaluate(plain):
    drawn = curves([plain.first], OF_CURVES, max(CUTOFFS), None)
    for column, measure in enumerate(OF_CURVES):
        at = [measure @ k for k in CUTOFFS]
        numbers = rm.evaluate(plain.qrels, plain.run, at, **plain.conventions)
        for k, one in zip(CUTOFFS, at, strict=True):
            assert same(drawn.values[0, column, k - 1], numbers[str(one)]), one


@with_means
def test_reconcile_starts_from_the_number_of_evaluate(plain):
    for measure in (MEASURES[0], MEASURES[2]):
        value = plain.first[str(measure)]
        found = rm.reconcile(plain.qrels, plain.run, measure, value, **plain.conventions)
        assert not found.answers[0].changes
        assert same(found.answers[0].values[str(measure)], value)


@without_profile
def test_power_sees_the_scores_of_evaluate(plain):
    measure = MEASURES[0]
    found = rm.power(plain.qrels, *plain.runs.values(), measure, resamples=100, **plain.conventions)
    given = rm.power(None, *plain.by_run.values(), measure, resamples=100)
    assert repr(found.rows) == repr(given.rows)


@without_profile
def test_the_command_prints_the_numbers_of_evaluate(plain, tmp_path):
    options = []
    for name, value in plain.conventions.items():
        option = f"--{name.replace('_', '-')}"
        if name == "queries" and isinstance(value, list):
            (tmp_path / "listed").write_text("\n".join(value))
            options += [option, f"@{tmp_path / 'listed'}"]
        elif isinstance(value, bool):
            options += [option] if value else []
        elif value is not None:
            options += [option, str(value)]
    for measure in MEASURES:
        options += ["-m", str(measure)]
    out = rankmark_here(
        "evaluate", plain.qrels, plain.run, "--per-query", "--format", "json", *options
    )
    assert out.returncode == 0, out.stderr
    (found,) = json.loads(out.stdout)["runs"]
    for measure in map(str, MEASURES):
        value = found["scores"][measure]
        assert same(math.nan if value is None else value, plain.first[measure])
        for query, value in plain.first.per_query(measure).items():
            told = found["per_query"][query][measure]
            assert same(math.nan if told is None else told, value)


@pytest.mark.parametrize(
    "verb",
    [
        lambda qrels, run: rm.evaluate(qrels, run, "AP", ties="error"),
        lambda qrels, run: rm.evaluate(qrels, run, "AP(ties=error)"),
        lambda qrels, run: rm.compare(qrels, {"a": run, "b": run}, "AP", ties="error"),
        lambda qrels, run: rm.explain(qrels, run, "q1", "AP", ties="error"),
        lambda qrels, run: rm.gate(qrels, run, run, "AP", max_drop=0.1, ties="error"),
        lambda qrels, run: rm.power(qrels, run, run, "AP", ties="error"),
        lambda qrels, run: rm.reconcile(qrels, run, "AP", 0.5, ties="error"),
        lambda qrels, run: rm.Accumulator("AP", ties="error").update(qrels, run),
    ],
    ids=["evaluate", "measure", "compare", "explain", "gate", "power", "reconcile", "accumulator"],
)
def test_ties_are_refused_by_every_verb(files, verb):
    with pytest.raises(rm.InputError, match="tied"):
        verb(files / "qrels", files / "bm25")


def test_every_pair_of_values_is_tried():
    for tried, values in ((PLAIN, CONVENTIONS), (OF_TOOLS, {**CONVENTIONS, "profile": PROFILES})):
        for (a, of_a), (b, of_b) in itertools.combinations(values.items(), 2):
            for one, other in itertools.product(of_a, of_b):
                assert any(each[a] == one and each[b] == other for each in tried)
    assert {*CONVENTIONS} == {*Conventions().to_dict()}
