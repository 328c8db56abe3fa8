"""One run under one set of conventions has one number, whichever verb computes it.

Spark is asked in tests/spark/test_equal_in_memory.py.
"""

import itertools
import json
import math
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

import rankmark as rm
from generators.sets_of_conventions import CONVENTIONS, contradict, covering
from rankmark import AP, RR, Judged, P, R, nDCG
from rankmark.compat.grouped_scores import GroupedScores
from rankmark.compat.torchmetrics.any_metric import Metric
from rankmark.compat.transformers import compute_metrics
from rankmark.conventions import DECLARED, Conventions
from rankmark.verbs.plot.numbers_by_rank import curves
from rankmark.verbs.report.write_report import report_page
from unit.commands import rankmark_here
from unit.report.reported import block, stored_scores

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
WITHOUT_IDS = {"queries": "judged", "duplicates": "error", "drop_self": False}
WITHOUT_IDS |= {"unit": None, "qrels_unit": None, "combine": "best", "unit_depth": None}
OF_SCORERS = ("ties", "no_relevant", "depth", "profile")
RUNS = ("bm25", "dense")
QUERIES = ["q1", "q2", "q3", "none_relevant", "missing", "q5", "q6"]


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


def pairs_in(run):
    """Read the documents of each query of a run, with their scores, in the order of the file."""
    found = {}
    for line in run.read_text().splitlines():
        query, _, document, _, score, _ = line.split()
        found.setdefault(query, []).append((document, float(score)))
    return found


def same(a, b):
    """Compare two numbers, or arrays of them, to the bit; NaN is NaN."""
    return np.asarray(a, dtype=np.float64).tobytes() == np.asarray(b, dtype=np.float64).tobytes()


def by_id(evaluation):
    return evaluation.scores[np.argsort(evaluation.queries)]


def grouped(seed=12):
    """Draw labels and scores of documents, some of them tied, and the number of each query's."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 12, 9)
    labels = rng.integers(-1, 4, sizes.sum())
    labels[: sizes[0]] = 0
    return labels, rng.integers(0, 4, len(labels)) / 4, sizes


class Predicted:
    """An estimator that gives the only feature as the score."""

    def predict(self, X):
        return X[:, 0]


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


@everywhere
def test_a_reward_has_the_number_of_evaluate(plain):
    conventions = {
        name: value
        for name, value in plain.conventions.items()
        if name not in {"queries", "duplicates"} and value != "rank"
    }
    rankings = pairs_in(plain.run)
    held = rm.Run(rankings, contents="scores")
    wanted = rm.evaluate(plain.qrels, held, MEASURES, duplicates="first", **conventions)
    reward = rm.reward(plain.qrels, MEASURES, **conventions)
    asked = [query for query in wanted.queries if query in rankings]
    together = reward.batch(asked, [rankings[query] for query in asked])
    for query, row in zip(asked, together, strict=True):
        assert same(row, wanted.scores[wanted.queries.index(query)])
        assert same(reward(query, rankings[query]), row)


@without_profile
def test_power_sees_the_scores_of_evaluate(plain):
    measure = MEASURES[0]
    found = rm.power(plain.qrels, *plain.runs.values(), measure, resamples=100, **plain.conventions)
    given = rm.power(None, *plain.by_run.values(), measure, resamples=100)
    assert repr(found.rows) == repr(given.rows)


@without_profile
def test_a_report_has_the_numbers_of_evaluate(plain):
    compared = rm.compare(plain.qrels, plain.runs, MEASURES, resamples=1000, **plain.conventions)
    page = report_page(compared)
    queries = block(page, "queries")["ids"]
    in_order = [plain.by_run[name] for name in block(page, "meta")["runs"]]
    wanted = [
        [evaluation.per_query(measure).get(query, math.nan) for query in queries]
        for measure in MEASURES
        for evaluation in in_order
    ]
    assert len(in_order) == len(plain.by_run)
    assert same(stored_scores(page), np.ravel(wanted))
    for measure, evaluation in itertools.product(MEASURES, plain.by_run.values()):
        mean = evaluation[str(measure)]
        assert math.isnan(mean) or f">{mean:.4f}" in page, measure


@everywhere
def test_metrics_of_batches_have_the_numbers_of_evaluate(plain):
    metric = Metric(MEASURES, **plain.conventions)
    metric.update(plain.run, plain.qrels)
    found = metric.result()
    assert same(by_id(found), by_id(plain.first))
    # Batches have no order, so that means are sums in the order of ids.
    means = [plain.first[str(measure)] for measure in MEASURES]
    assert [*metric.compute().values()] == pytest.approx(means, rel=1e-14, nan_ok=True)


@without_profile
def test_functions_of_arrays_have_the_numbers_of_evaluate(plain):
    labels, scores, sizes = grouped()
    conventions = plain.conventions | WITHOUT_IDS
    if conventions["ties"] == "rank":
        conventions["ties"] = "input"
    groups = np.repeat([f"g{at}" for at in range(len(sizes))], sizes)
    first = rm.evaluate(labels, scores, MEASURES, groups=groups, **conventions)
    wanted = [first[str(measure)] for measure in MEASURES]
    of_metric = Metric(MEASURES, **conventions)
    of_metric.update(scores, labels, groups)
    assert same([*of_metric.compute().values()], wanted)
    of_trainer = compute_metrics(MEASURES, groups=groups, **conventions)
    told = of_trainer(SimpleNamespace(predictions=scores, label_ids=labels))
    assert same([*told.values()], wanted)
    told = GroupedScores(MEASURES, **conventions)(labels, scores, sizes)
    assert same([value for _, value, _ in told], wanted)
    named = {name: conventions[name] for name in OF_SCORERS if name in conventions}
    of_named = rm.evaluate(labels, scores, MEASURES, groups=groups, **named)
    told = rm.scorer(MEASURES, **named)(Predicted(), scores[:, None], labels, groups=groups)
    assert same([*told.values()], [of_named[str(measure)] for measure in MEASURES])


def test_check_moves_from_the_numbers_of_evaluate_to_others(files):
    measures = [one for one in MEASURES if "ties" not in dict(one.own_conventions)]
    found = rm.check(files / "qrels", files / "bm25", measures=measures)
    one = partial(rm.evaluate, files / "qrels", files / "bm25", measures)
    moved = {
        "no-relevant": one(no_relevant="skip"),
        "missing": one(queries="both"),
        "self": one(drop_self=True),
        "rank-score": one(ties="rank"),
        "float32-ties": one(precision="float32"),
        "graded": dict(zip(map(str, measures), one(rel=2).values(), strict=True)),
    }
    first, tried = one(), set()
    for finding in (finding for file in found.files for finding in file.findings):
        before, after = first, moved.get(finding.code)
        if finding.code in {"ties", "row-order"}:
            before, after = one(ties="worst"), one(ties="best")
        for measure, moves in (finding.moves or {}).items():
            assert after is not None, finding.code
            assert same(moves, [before[measure], after[measure]]), finding.code
            tried.add(finding.code)
    assert tried == {*moved, "ties"}


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
                held = any(each[a] == one and each[b] == other for each in tried)
                assert held != contradict(a, one, b, other)
    assert {*CONVENTIONS} == {*Conventions().to_dict()}
    for one in DECLARED.values():
        asked = {value for value in CONVENTIONS[one.name] if isinstance(value, str)}
        # AP has no value at middle ranks, which have a test of their own.
        apart = {"error", "midrank"} if one.name == "ties" else set()
        assert {*one.words} - asked == apart, f"not tried as {one.name}"


@pytest.mark.parametrize("depth", [None, 3])
def test_middle_ranks_are_one_number_too(files, depth):
    measures, chosen = [nDCG @ 3, RR, P @ 3, nDCG], {"ties": "midrank", "depth": depth}
    qrels, runs = files / "qrels", {run: files / run for run in RUNS}
    ev = rm.evaluate(qrels, runs["bm25"], measures, **chosen)
    assert dict(ev) != dict(rm.evaluate(qrels, runs["bm25"], measures, depth=depth))
    assert dict(rm.compare(qrels, runs, measures, **chosen)["bm25"]) == dict(ev)
    accumulator = rm.Accumulator(measures, **chosen)
    accumulator.update(qrels, runs["bm25"])
    assert dict(accumulator.result()) == dict(ev)
    for measure in measures:
        own = measure.with_parameters(ties="midrank")
        assert rm.evaluate(qrels, runs["bm25"], own, depth=depth)[own] == ev[measure]
        by_query = ev.per_query(measure)
        for query in QUERIES:
            told = rm.explain(qrels, runs["bm25"], query, measure, **chosen)
            assert told.value == by_query[query]
