"""``rankmark.compat.pytrec_eval`` gives what pytrec_eval-terrier gives: numbers, order, errors."""

import math
import pickle
import random
import sys
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval as theirs
from ir_measures import AP, RR, Bpref, IPrec, P, Rprec, SetF, nDCG
from ir_measures.providers.pytrec_eval_provider import PytrecEvalProvider

from conformance.agreement import agrees
from rankmark.compat import pytrec_eval as ours
from rankmark.errors import RankmarkWarning, SchemaError

Rows = dict[str, dict[str, Any]]
QRELS: Rows = {"q": {"a": 1, "b": 2, "c": 0, "d": -1}, "p": {"a": 1}}
RUN: Rows = {"p": {"b": 0.5, "a": 0.5}, "x": {"a": 1.0}, "q": {"a": 1.0, "b": 0.5, "x": 0.25}}
TINY = 1e-9  # lost in single precision, next to 1


def random_collection(dice: random.Random) -> tuple[Rows, Rows]:
    """Draw five judged and five answered queries of eight, many of whose documents tie."""
    labels = dice.choice([(0, 1), (0, 1, 2, 3), (-1, 0, 1, 2), (0,), (-2, -1, 0, 1, 4)])
    documents = [f"d{number}" for number in range(dice.choice([3, 10, 60]))]
    unit = dice.choice([1.0, TINY, 0.0001])

    def some() -> list[str]:
        return dice.sample(documents, dice.randint(1, len(documents)))

    qrels = {f"q{n}": {d: dice.choice(labels) for d in some()} for n in range(5)}
    for judged in qrels.values():  # if all are negative, pytrec_eval reads what it has freed
        judged[min(judged)] = max(judged[min(judged)], 0)
    answered = dice.sample(range(8), 5)
    run = {f"q{n}": {d: 1 + unit * dice.randrange(9) for d in some()} for n in answered}
    return qrels, run


def is_known(name: str, row: dict[str, float]) -> bool:
    """Return whether the ledger says that the number of a query differs."""
    return math.isnan(row[name]) and name.startswith(("iprec_at_recall", "11pt_avg"))  # 0 / 0


def assert_equal(qrels: Rows, run: Rows, names: Any, *options: Any) -> int:
    """Compare all numbers, and the order of queries and measures; return how many were compared."""
    expected = theirs.RelevanceEvaluator(qrels, names, *options).evaluate(run)
    evaluator = ours.RelevanceEvaluator(qrels, names, *options)
    found = evaluator.evaluate(run)
    assert list(found) == list(expected)
    for query, scores in [*(run or {}).items()] * 2:  # alone, also when its pattern is known
        alone = evaluator.evaluate({query: scores})
        assert repr(alone) == repr({query: found[query]} if query in found else {})
    compared = 0
    for query_id, row in expected.items():
        assert list(found[query_id]) == list(row)
        for name, value in row.items():
            if not is_known(name, row):
                here = found[query_id][name]
                if name in {"runid", "relstring"}:  # texts, whose addresses it reads as numbers
                    assert here == 0, name
                    assert abs(value) < 1e-300, name
                else:
                    agrees("pytrec_eval", name, here, value, rel=1e-12, abs=1e-12)
                compared += 1
    return compared


@pytest.mark.parametrize("judged_only", [False, True])
@pytest.mark.parametrize("level", [1, 2])
def test_every_number_is_pytrec_evals(level: int, judged_only: bool) -> None:
    dice = random.Random(level)
    compared = 0
    for _ in range(32):
        collection = random_collection(dice)
        compared += assert_equal(*collection, theirs.supported_measures, level, judged_only)
    assert compared > 8_000


@pytest.mark.parametrize("run", ["bm25", "bm25-t5zs"])
def test_every_number_of_public_data_is_pytrec_evals(shared_data: Path, run: str) -> None:
    folder = shared_data / "dl-hard-passage"
    with (folder / "dl_hard-passage.qrels").open() as lines:
        qrels = ours.parse_qrel(lines)
    with (folder / f"{run}.run").open() as lines:
        scores = ours.parse_run(lines)
    assert assert_equal(qrels, scores, {"all_trec"}, 2) > 4_000


def test_the_names_are_the_same() -> None:
    assert ours.__version__ == theirs.__version__  # else the numbers were not compared with it
    assert ours.supported_measures == theirs.supported_measures
    assert ours.supported_nicknames == theirs.supported_nicknames


@pytest.mark.parametrize(
    "names",
    [
        ["ndcg_cut"], {"ndcg_cut.10,100", "recall_5"}, ["P_5", "P.10,7", "P"], {"map": 1}.keys(),
        {"official", "set", "ndcg"}, ["iprec_at_recall_0.333", "Rprec_mult.0.5,2"],
        ["11pt_avg_0.25,0.5"], ["set_F.4"], ["set_F_0.5"], ["P_2.5"], ["P_5abc"], [], ["success"],
        ["runid"], ["relstring", "map"], ["Rndcg", "gm_map"],
        ("recall", "recall_3"), ["ndcg_cut_1000", "ndcg_cut_9"],
    ],
)  # fmt: skip
def test_measures_are_named_as_there(names: Any) -> None:
    assert_equal(QRELS, RUN, names)


def test_a_parameter_that_means_nothing_is_ignored_as_there_but_warned_of() -> None:
    with pytest.warns(RankmarkWarning, match="recip_rank takes no parameters"):
        assert_equal(QRELS, RUN, ["recip_rank_5"])


@pytest.mark.parametrize(
    ("qrels", "names", "options"),
    [
        (QRELS, {"nDCG@10"}, ()), (QRELS, {"prefs_simp"}, ()), (QRELS, {"qrels_jg"}, ()),
        (QRELS, "map", ()), (QRELS, {"map"}, (0,)), (QRELS, {"map"}, (1.5,)),
        (QRELS, {"map"}, (1, None)), ({"q": [1]}, {"map"}, ()), ({1: {"a": 1}}, {"map"}, ()),
        ({"q": {1: 1}}, {"map"}, ()), ({"q": {"a": 1.0}}, {"map"}, ()),
        ({"q": {"a": "1"}}, {"map"}, ()), ({"q": {"a": np.int64(1)}}, {"map"}, ()),
    ],
)  # fmt: skip
def test_what_is_refused_there_is_refused_with_the_same_words(
    qrels: Any, names: Any, options: Any
) -> None:
    with pytest.raises((TypeError, ValueError)) as expected:
        theirs.RelevanceEvaluator(qrels, names, *options)
    with pytest.raises(expected.type) as found:
        ours.RelevanceEvaluator(qrels, names, *options)
    said = str(expected.value)
    assert str(found.value).startswith(said.rpartition(" ")[0] if "unsupported" in said else said)


@pytest.mark.parametrize(
    "run",
    [
        [1], {"q": [1]}, {1: {"a": 1.0}}, {"q": {1: 1.0}}, {"q": {"a": "1"}},
        {"q": {"a": None}}, {"q": {"a": 1.0, 2: 0.5}}, {"q": {"a": 1.0, "b": np.float32(1)}},
        {"x": {"a": "1"}},
    ],
)  # fmt: skip
def test_runs_of_wrong_types_are_refused_with_the_same_words(run: Any) -> None:
    with pytest.raises(TypeError) as expected:
        theirs.RelevanceEvaluator(QRELS, {"map"}).evaluate(run)
    evaluator = ours.RelevanceEvaluator(QRELS, {"map"})
    for _ in range(3):
        with pytest.raises(TypeError, match=str(expected.value)) as found:
            evaluator.evaluate(run)
        evaluator.evaluate({"q": RUN["q"]})
    assert found.value.__cause__ is None or "run: query" in str(found.value.__cause__)


@pytest.mark.parametrize(
    "run",
    [
        {}, None, {"x": {"a": 1.0}}, {"q": {"a": 1, "x": True}}, {"q": {"a": np.float64(1)}},
        {"q": {"a": math.inf, "x": 1e300}}, defaultdict(dict, RUN),
        {query: defaultdict(float, scores) for query, scores in RUN.items()},
        {np.str_("q"): {np.str_("a"): 1.0}},
    ],
)  # fmt: skip
def test_runs_of_other_classes_are_read_as_there(run: Any) -> None:
    assert_equal(QRELS, run, {"map", "ndcg_cut_10"})


def test_queries_without_judgments_or_documents_are_treated_as_there() -> None:
    assert_equal({**QRELS, "e": {}}, {**RUN, "e": {"a": 1.0}}, {"map"})
    assert_equal({}, RUN, {"map"})
    assert_equal({"e": {}}, RUN, {"map"})
    assert_equal(QRELS, {"q": {}, **RUN}, {"map", "P_5", "num_ret"})


def test_few_of_many_queries_have_the_numbers_that_they_have_among_all() -> None:
    dice = random.Random(3)
    qrels = {f"q{n}": {f"d{d}": dice.randrange(3) for d in range(9)} for n in range(100)}
    run = {f"q{n}": {f"d{d}": dice.random() for d in range(20)} for n in range(200)}
    evaluator = ours.RelevanceEvaluator(qrels, ours.supported_measures)
    together = evaluator.evaluate(run)
    assert len(together) == 100
    for query_id, scores in run.items():
        alone = evaluator.evaluate({query_id: scores})
        assert alone == {q: row for q, row in together.items() if q == query_id}


def test_ir_measures_computes_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [nDCG @ 10, AP(rel=2), P @ 5, Bpref, Rprec, IPrec @ 0.1, SetF, nDCG(cutoff=5), RR]
    dice = random.Random(5)
    collections = [random_collection(dice) for _ in range(10)]
    expected = [list(PytrecEvalProvider().iter_calc(names, *given)) for given in collections]
    monkeypatch.setitem(sys.modules, "pytrec_eval", ours)
    for given, metrics in zip(collections, expected, strict=True):
        found = {
            (m.query_id, m.measure): m.value for m in PytrecEvalProvider().iter_calc(names, *given)
        }
        assert len(found) == len(metrics) >= 9
        assert found == pytest.approx({(m.query_id, m.measure): m.value for m in metrics})


def test_later_changes_of_the_judgments_have_no_effect() -> None:
    qrels = {query_id: dict(labels) for query_id, labels in QRELS.items()}
    evaluator = ours.RelevanceEvaluator(qrels, {"map"})
    before = evaluator.evaluate(RUN)
    qrels["q"]["a"] = 0
    del qrels["p"]
    assert evaluator.evaluate(RUN) == before
    assert pickle.loads(pickle.dumps(evaluator)).evaluate(RUN) == before


def test_nan_is_refused_and_located() -> None:
    with pytest.raises(SchemaError, match="query 'q', document 'a'"):
        ours.RelevanceEvaluator(QRELS, {"map"}).evaluate({"q": {"a": math.nan}})


@pytest.mark.parametrize("name", ["P_0", "ndcg_10", "utility_1"])
def test_what_ends_the_process_there_is_refused_by_name(name: str) -> None:
    with pytest.raises(ValueError, match=name.partition("_")[0]):
        ours.RelevanceEvaluator(QRELS, [name])


@pytest.mark.parametrize("name", ["map", "num_rel", "gm_map"])
@pytest.mark.parametrize("values", [[0.5, 0.25], [-1.0], []])
def test_aggregates_are_equal(name: str, values: list[float]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = ours.compute_aggregated_measure(name, values)
        if name == "gm_map" and not values:
            assert math.isnan(found)
            return
        expected = theirs.compute_aggregated_measure(name, values)
    assert type(found) is float
    assert found == pytest.approx(expected, nan_ok=True)


def test_lines_are_parsed_as_there() -> None:
    qrels, run = ["q 0 a 1", "q 0 b -1\n"], ["q Q0 a 1 0.5 tag", " q Q0 b 2 1e-3 tag\n"]
    assert ours.parse_qrel(qrels) == theirs.parse_qrel(qrels)
    assert ours.parse_run(run) == theirs.parse_run(run)
    assert type(ours.parse_run(run)["q"]["a"]) is float
    with pytest.raises(AssertionError, match="'a' appears twice for query 'q'"):
        ours.parse_run(run + run)


@pytest.mark.parametrize("names", [{1}, [None], {b"map"}])
def test_names_that_are_no_strings_are_a_type_error_in_both(names: Any) -> None:
    for module in (theirs, ours):
        with pytest.raises(TypeError):
            module.RelevanceEvaluator({"q": {"a": 1}}, names)
