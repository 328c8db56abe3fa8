"""Judgments from clicks: figures by hand, slow references, every engine, edge cases."""

import json
import math
import random
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import rankmark as rm

pytest.importorskip("narwhals")
duckdb = pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")
stats = pytest.importorskip("scipy.stats")

from unit.clicks.slow_labels import labels as slow_labels  # noqa: E402
from unit.clicks.slow_labels import patterns  # noqa: E402
from unit.commands import rankmark_here  # noqa: E402

METHODS = ("COEC", "SDBN", "PBM", "CTR", "IPS")
EXAMINATION = {rank: 0.75**rank for rank in range(1, 7)}


def rows_of(*sessions, query="q"):
    """Return rows of sessions, such as "abc 010"."""
    return [
        {"query_id": f"{query}{at}", "query": query, "doc": doc, "rank": rank, "click": int(click)}
        for at, session in enumerate(sessions)
        for rank, (doc, click) in enumerate(zip(*session.split(), strict=True), 1)
    ]


FIVE = rows_of("abc 010", "abc 100", "abc 110", "bac 101", "abc 000")


def judged(rows, method="COEC", **options):
    """Return labels with all documents."""
    log = log_of_five() if rows is FIVE else rm.read_log(rows)
    return rm.judge_clicks(log, method, **{"min_examined": 1} | options)


@cache
def log_of_five():
    return rm.read_log(FIVE)


def drawn(issues=300, depth=6):
    """Return a log of a few queries, with some clicks of 2 and some ranks unknown."""
    draw = random.Random(5)
    found = []
    for at in range(issues):
        query = f"q{int(8 * draw.random() ** 2)}"
        docs = sorted(range(9), key=lambda doc: doc + 4 * draw.random())[:depth]
        for rank, doc in enumerate(docs, 1):
            click = int(draw.random() < (0.8 - 0.08 * doc) / rank) * draw.choice([1, 1, 2])
            unknown = draw.random() < 0.01
            found.append(
                {
                    "query_id": at,
                    "query": query,
                    "doc": f"d{doc}",
                    "rank": None if unknown else rank,
                    "click": click,
                }
            )
    return found


DRAWN = drawn()


def exactly(result):
    return dict(
        zip(zip(result.query, result.doc, strict=True), result.columns["label"], strict=True)
    )


@pytest.mark.parametrize(
    ("method", "options", "figures"),
    [
        ("CTR", {}, [2 / 5, 3 / 5, 1 / 5]),
        ("COEC", {}, [2 / 2.8, 3 / 2.2, 1]),
        ("COEC", {"profile": "opensearch"}, [2 / 3, 1, 1]),
        ("SDBN", {}, [2 / 4 * 1 / 2, 3 / 3 * 2 / 3, 1]),
        ("SDBN", {"prior": (1, 2)}, [3 / 6 * 2 / 4, 4 / 5 * 3 / 5, 2 / 3 * 2 / 3]),
        ("PBM", {"examination": [1, 0.5, 0.25]}, [2 / 4.5, 3 / 3, 1 / 1.25]),
        ("IPS", {"examination": [1, 0.5, 0.25]}, [2 / 5, 5 / 5, 4 / 5]),
        ("IPS", {"examination": [1, 0.5, 0.25], "clip": 3}, [2 / 5, 5 / 5, 3 / 5]),
    ],
)
def test_five_sessions_have_the_figures_by_hand(method, options, figures):
    """Chapelle and Zhang 2009; Zhang and Jones 2007; PyClick's prior is one click in two."""
    found = judged(FIVE, method, **options)
    np.testing.assert_allclose(found.labels, figures, rtol=1e-14)
    assert (found.query, found.doc) == (["q"] * 3, ["a", "b", "c"])


def test_attraction_and_satisfaction_are_told():
    found = judged(FIVE, "SDBN")
    assert found.columns["attraction"].tolist() == [2 / 4, 3 / 3, 1 / 1]
    assert found.columns["satisfaction"].tolist() == [1 / 2, 2 / 3, 1 / 1]
    assert found.columns["examined"].tolist() == [4, 3, 1]


def test_figures_of_the_oracle(shared_data):
    oracle = json.loads((shared_data / "oracles" / "own.json").read_text())["coec"]
    rows = rows_of(*(" ".join(session) for session in oracle["sessions"]))
    np.testing.assert_allclose(judged(rows).labels, [*oracle["coec"].values()], rtol=1e-12)
    theirs = next(one for name, one in oracle.items() if name.startswith("OpenSearch search"))
    found = judged(rows, profile="opensearch")
    assert [f"{label:.3f}" for label in found.labels] == [*theirs.values()]


@pytest.fixture(scope="module")
def ranked():
    rows = [row for row in DRAWN if row["rank"] is not None]
    slow = {prior: slow_labels(rows, EXAMINATION, prior or (0, 0)) for prior in (None, (1.5, 4))}
    return rm.read_log(rows), slow


@pytest.mark.parametrize("prior", [None, (1.5, 4)])
@pytest.mark.parametrize("method", [*METHODS, "opensearch"])
def test_labels_are_those_of_the_slow_reference(method, prior, ranked):
    log, slow = ranked
    options = {"profile": "opensearch"} if method == "opensearch" else {}
    if method in {"PBM", "IPS"}:
        options["examination"] = [*EXAMINATION.values()]
    named = "COEC" if options.get("profile") else method
    found = exactly(rm.judge_clicks(log, named, min_examined=1, prior=prior, **options))
    expected = slow[prior][method]
    assert len(found) > 60
    for pair, label in found.items():
        want = expected.get(pair)
        assert np.isnan(label) if want is None else label == pytest.approx(float(want), rel=1e-13)


ENGINES = {
    "pandas": pd.DataFrame,
    "PyArrow": pa.Table.from_pylist,
    "Polars": lambda rows: pl.DataFrame(rows).lazy(),
    "DuckDB": lambda rows: duckdb.connect().from_arrow(pa.Table.from_pylist(rows)),
    "shuffled": lambda rows: pl.DataFrame(random.Random(1).sample(rows, len(rows))),
}


@pytest.fixture(scope="module")
def logs():
    return [rm.read_log(form(DRAWN)) for form in ENGINES.values()]


@pytest.mark.parametrize("method", METHODS)
def test_every_engine_gives_the_same_bits(method, logs):
    found = [rm.judge_clicks(log, method, prior=(1, 4), examination="pairs") for log in logs]
    for other in found[1:]:
        assert (other.query, other.doc, other.audit) == (
            found[0].query,
            found[0].doc,
            found[0].audit,
        )
        assert other.columns.keys() == found[0].columns.keys()
        for name, column in found[0].columns.items():
            assert other.columns[name].tobytes() == column.tobytes(), name


def test_sdbn_finds_a_model_that_it_assumes_and_dbn_has_the_oracles_figures(shared_data):
    """Where the last document always attracts, all that was examined is above the last click."""
    oracle = json.loads((shared_data / "oracles" / "own.json").read_text())["dbn"]
    of_model = patterns(oracle["attraction"], oracle["satisfaction"], oracle["continuation"])
    assert of_model == pytest.approx(oracle["P(clicks)"], abs=1e-15)
    known = patterns([0.1, 0.5, 1.0], [0.2, 0.4, 0.6])
    sessions = [
        f"abc {clicks}" for clicks, chance in known.items() for _ in range(round(chance * 500))
    ]
    assert len(sessions) == 500
    found = judged(rows_of(*sessions), "SDBN")
    assert found.labels == pytest.approx([0.02, 0.2, 1.0], abs=1e-12)
    assert found.columns["satisfaction"][:2] == pytest.approx([0.2, 0.4], abs=1e-12)


def test_intervals_are_beta_distributions():
    ctr = judged(FIVE, "CTR")
    for at, (clicks, missed) in enumerate([(2, 3), (3, 2), (1, 4)]):
        ends = stats.beta(clicks + 0.5, missed + 0.5).ppf([0.025, 0.975])
        assert [ctr.columns["low"][at], ctr.columns["high"][at]] == pytest.approx(ends)
    coec = judged(FIVE, "COEC", confidence=0.8)
    ends = stats.beta(2.5, 3.5).ppf([0.1, 0.9]) * 5 / 2.8
    assert [coec.columns["low"][0], coec.columns["high"][0]] == pytest.approx(ends)
    drawn_to = judged(FIVE, "COEC", prior=(1, 1))
    ends = stats.beta(3, 5 * 3.8 / 2.8 - 3).ppf([0.025, 0.975]) * 5 / 2.8
    assert [drawn_to.columns["low"][0], drawn_to.columns["high"][0]] == pytest.approx(ends)
    sdbn = judged(FIVE, "SDBN", prior=(1, 2))
    draws = np.random.default_rng(0)
    product = draws.beta(3, 3, 200_000) * draws.beta(2, 2, 200_000)
    ends = np.quantile(product, [0.025, 0.975])
    assert [sdbn.columns["low"][0], sdbn.columns["high"][0]] == pytest.approx(ends, abs=0.01)
    never, always = judged(rows_of("ab 01", "ab 01"), "CTR").columns, [0.0, 1.0]
    assert [never["low"][0], never["high"][1]] == always


def test_unseen_and_rarely_seen_documents_are_not_judged():
    rows = rows_of(*["ab 10"] * 9, "ac 10")
    found = judged(rows, "CTR", min_examined=9)
    assert found.audit._asdict() == {
        "queries": 1,
        "documents": 3,
        "impressions": 20,
        "judged_queries": 1,
        "judged_documents": 2,
        "rarely_examined": 1,
        "nothing_expected": 0,
        "impressions_left_out": 0,
    }
    run = {"q": ["x", "a", "b", "c"], "never asked": ["a", "b"]}
    evaluated = rm.evaluate(found, run, ["Judged@4", "P(rel=0.9)@4"])
    assert evaluated["Judged@4"] == 0.5
    seen = found.seen(run, 4)
    assert seen[1:] == (4, 0.75 / 2, 0.5 / 2)
    told = rm.judge_clicks(rm.read_log(rows), "CTR", min_examined=9, run=run, k=4)
    assert "37.5% of the first 4 documents of <mapping> were ever shown, and 25.0% are" in str(told)
    assert found.seen({"other": ["a"]})[2:] == (0.0, 0.0)


def test_every_function_takes_labels_as_judgments(tmp_path):
    labels = judged(DRAWN, "SDBN", grades=[0.05, 0.2, 0.4], min_examined=10)
    assert {*labels.labels.tolist()} <= {0.0, 1.0, 2.0, 3.0}
    runs = {"old": {"q0": ["d1", "d2"]}, "new": {"q0": ["d0", "d1"]}}
    compared = rm.compare(labels, runs, ["nDCG@2", "RR"])
    assert rm.gate(labels, *runs.values(), "nDCG@2", max_drop=0.1).conditions
    file, table = tmp_path / "labels.csv", tmp_path / "labels.parquet"
    file.write_text(labels.to_csv())
    labels.to_polars().write_parquet(table)
    same = {"d0": 1.0}
    for written in (file, table):
        again = rm.evaluate(written, runs["new"], "nDCG@2")
        assert again["nDCG@2"] == compared.evaluations["new"]["nDCG@2"]
    assert rm.Qrels(labels).by_query()["q0"].keys() > same.keys()


def test_many_real_labels_are_not_taken_for_a_run():
    rows = [row | {"doc": f"{9 - int(row['doc'][1])}"} for row in DRAWN]
    labels = judged(rows, "CTR")
    run = {query: {doc: 3 - at for at, doc in enumerate("987")} for query in {*labels.query}}
    assert 0 < rm.evaluate(labels, run, "nDCG@3")["nDCG@3"] < 1


def test_a_log_without_clicks_judges_what_it_can():
    rows = rows_of("ab 00", "ba 00")
    assert judged(rows, "CTR").labels.tolist() == [0.0, 0.0]
    coec, sdbn = judged(rows, "COEC"), judged(rows, "SDBN")
    assert (coec.audit.nothing_expected, sdbn.audit.rarely_examined) == (2, 2)
    assert "2 documents at ranks where nothing was ever clicked" in str(coec)
    assert len(coec.labels) == len(sdbn.labels) == 0
    assert judged(rows, "IPS", examination=[1, 0.5]).labels.tolist() == [0.0, 0.0]


def test_deep_lists_count_at_every_rank():
    """What is expected is a choice among all ranks, nested no deeper than engines allow."""
    docs = [f"d{at}" for at in range(130)]
    rows = [
        {"query_id": issue, "query": 7, "doc": doc, "rank": rank, "click": int(rank % 3 == issue)}
        for issue in range(2)
        for rank, doc in enumerate(docs[issue:] + docs[:issue], 1)
    ]
    by_pair = slow_labels(rows)["COEC"]
    found = judged(rows)
    assert found.query[0] == "7"
    for doc, label in zip(found.doc, found.columns["label"], strict=True):
        want = by_pair[7, doc]
        assert np.isnan(label) if want is None else label == pytest.approx(float(want))
    assert isinstance(by_pair[7, "d1"], Fraction)


WRONG = {
    "clip": ("COEC", {"clip": 3}, "clip is for IPS, and the method is COEC"),
    "profile": ("SDBN", {"profile": "opensearch"}, "profile is for COEC"),
    "prior": ("CTR", {"prior": (1, 0)}, r"prior is \(1, 0\); need two numbers above 0, or None"),
    "prior word": ("CTR", {"prior": "log"}, "prior is 'log'; need two numbers"),
    "grades": ("CTR", {"grades": [0.2, 0.2]}, r"grades are \[0.2, 0.2\]; need numbers"),
    "looks": ("PBM", {"examination": [1, 0]}, r"examination is \[1, 0\]; need a number above 0"),
    "way": ("PBM", {"examination": "harvest"}, "examination is 'harvest'; need one of chain"),
    "method": ("DBN", {}, "method is 'DBN'; need one of COEC"),
    "least": ("CTR", {"min_examined": 0}, "min_examined is 0"),
    "unknown": ("PBM", {}, "rank 3 and at rank 2, so"),
}


@pytest.mark.parametrize(("method", "options", "told"), WRONG.values(), ids=WRONG)
def test_wrong_options_are_refused(method, options, told):
    with pytest.raises(rm.InputError, match=told):
        judged(FIVE, method, **options)


@pytest.mark.parametrize("method", ["CTR", "SDBN", "PBM", "IPS"])
def test_a_prior_of_more_clicks_than_impressions_is_refused(method):
    with pytest.raises(rm.InputError, match=r"prior is \(3, 2\), more clicks than impressions"):
        judged(FIVE, method, prior=(3, 2))
    assert judged(FIVE, "COEC", prior=(3, 2)).labels.max() > 1  # which is no chance


@pytest.mark.parametrize("method", ["PBM", "IPS"])
@pytest.mark.parametrize("looks", [[1, 1e-200, 1], [1e-310, 1, 1], [1e308] * 3, [1, 1, 1e-13]])
def test_examination_that_no_sum_can_have_is_refused(method, looks):
    with pytest.raises(rm.InputError, match=r"examination is from .*leave them out, and"):
        judged(FIVE, method, examination=looks)


def test_logs_that_lack_what_is_needed_are_refused():
    without = [{name: row[name] for name in ("query_id", "query", "doc", "click")} for row in FIVE]
    assert judged(without, "CTR").labels.tolist() == [0.4, 0.6, 0.2]
    with pytest.raises(rm.InputError, match="judge_clicks by COEC needs rank"):
        judged(without)
    with pytest.raises(rm.InputError, match="needs query"):
        judged([{name: row[name] for name in row if name != "query"} for row in FIVE])
    unranked = [row | {"rank": None} for row in FIVE[:2]] + FIVE[2:]
    found = judged(unranked)
    assert (found.audit.impressions, found.audit.impressions_left_out) == (13, 2)
    assert "2 impressions left out" in str(found)
    with pytest.raises(rm.InputError, match="no row of the log has a rank"):
        judged([row | {"rank": math.nan} for row in FIVE])


def test_labels_of_the_example_log_are_near_its_truth():
    made = rm.example_log(3000)
    found = rm.judge_clicks(rm.read_log(made.columns), "PBM", examination=made.examination)
    truth = np.array([made.attraction[query][doc] for query, doc in exactly(found)])
    held = (found.columns["low"] <= truth) & (truth <= found.columns["high"])
    assert held.mean() > 0.9
    assert np.corrcoef(found.columns["label"], truth)[0, 1] > 0.95


def test_commands_write_what_functions_return(tmp_path):
    log, run, qrels = tmp_path / "log.parquet", tmp_path / "new.run", tmp_path / "qrels.tsv"
    pl.DataFrame(DRAWN).rename({"query_id": "issue"}).write_parquet(log)
    run.write_text("q0 Q0 d0 1 0.5 x\nq0 Q0 new 2 0.25 x\n")
    read = (str(log), "--column", "query_id=issue")
    known = rm.read_log(log, columns={"query_id": "issue"})
    chosen = ("-m", "PBM", "--examination", "pairs", "--prior", "1,4", "--run", str(run), "-k", "2")
    shown = rankmark_here("judge-clicks", *read, *chosen, "--qrels", str(qrels)).stdout
    made = rm.judge_clicks(known, "PBM", examination="pairs", prior=(1, 4), run=str(run), k=2)
    assert shown.rstrip("\n") == str(made)
    assert "50.0% of the first 2 documents" in shown
    assert rm.Qrels(qrels).by_query() == rm.Qrels(made).by_query()
    numbers = ("-m", "IPS", "--examination", "1,.5,.4,.3,.2,.1", "--format", "csv")
    table = rankmark_here("judge-clicks", *read, *numbers).stdout
    assert table == rm.judge_clicks(known, "IPS", examination=[1, 0.5, 0.4, 0.3, 0.2, 0.1]).to_csv()
    bias = rankmark_here("position-bias", *read, "-m", "swap", "-k", "3").stdout
    assert bias.rstrip("\n") == str(rm.position_bias(known, "swap", k=3))
