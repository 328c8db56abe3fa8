"""An accumulator that was written to Parquet and read again gives the same result, to the bit."""

import random
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm

pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")

WAYS: list[dict[str, Any]] = [
    {},
    {"ties": "mean", "queries": "both", "no_relevant": "nan"},
    {"queries": ["q1", "q2", "é"]},
    {"profile": "ranx", "rel": 2},
]
MEASURES = ["nDCG@5", "AP", "RR", "RBP(p=0.8)"]


def day(number: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    dice = random.Random(number)
    queries = [f"q{5 * number + q}" for q in range(5)] + (["é"] if number == 1 else [])
    documents = [f"d{d}" for d in range(9)]
    qrels = {q: {d: dice.choice([0, 1, 2]) for d in dice.sample(documents, 5)} for q in queries}
    run = {q: {d: dice.randint(0, 3) / 3 for d in dice.sample(documents, 6)} for q in queries[1:]}
    return qrels, {**run, f"unjudged {number}": {"d1": 1.0}}


def measures_of(way: dict[str, Any]) -> list[str]:
    return ["ndcg@5", "map"] if "profile" in way else MEASURES


@pytest.mark.filterwarnings("ignore::rankmark.RankmarkWarning")
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_days_that_were_written_give_one_evaluation(tmp_path: Path, way: dict[str, Any]) -> None:
    measures = measures_of(way)
    whole: tuple[dict[str, Any], dict[str, Any]] = {}, {}
    one = rm.Accumulator(measures, **way)
    total = rm.Accumulator(measures, **way)
    for number in (2, 0, 1):
        qrels, run = day(number)
        whole[0].update(qrels)
        whole[1].update(run)
        of_day = rm.Accumulator(measures, **way)
        of_day.update(qrels, run)
        one.update(qrels, run)
        path = tmp_path / f"{number}.parquet"
        of_day.write(path)
        total.read(path)
    found, expected = total.result(), one.result()
    assert found.scores.tobytes() == expected.scores.tobytes()
    assert dict(found) == dict(expected) or "nan" in str(dict(expected))
    assert (found.queries, found.settings) == (expected.queries, expected.settings)
    assert (str(found.audit), str(found)) == (str(expected.audit), str(expected))
    assert found.audit == expected.audit
    if "profile" not in way:
        assert found.tie_interval == expected.tie_interval
        direct = rm.evaluate(*whole, measures, **way)
        for name in found.names:
            assert found.per_query(name) == direct.per_query(name) or way.get("no_relevant")


def test_other_programs_read_the_scores(tmp_path: Path) -> None:
    qrels, run = day(0)
    acc = rm.Accumulator(MEASURES)
    acc.update(qrels, run)
    acc.write(str(tmp_path / "day.parquet"))
    table = pq.read_table(tmp_path / "day.parquet")
    scores = dict(
        zip(*(table.column(name).to_pylist() for name in ("query_id", "AP")), strict=True)
    )
    assert scores == acc.result().per_query("AP")


def test_what_cannot_be_added_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "day.parquet"
    with pytest.raises(rm.InputError, match="no batch was given"):
        rm.Accumulator(MEASURES).write(path)
    acc = rm.Accumulator(MEASURES)
    acc.update(*day(0))
    acc.write(path)
    with pytest.raises(rm.DuplicateError, match=r"query 'q1' comes twice: .*day\.parquet"):
        acc.read(path)
    with pytest.raises(rm.SchemaError, match=r"the measures are .*and here"):
        rm.Accumulator("AP").read(path)
    with pytest.raises(rm.SchemaError, match=r"the conventions are .*and here"):
        rm.Accumulator(MEASURES, ties="mean").read(path)
    with pytest.raises(rm.InputError, match="there is no such file"):
        rm.Accumulator(MEASURES).read(tmp_path / "other.parquet")
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(rm.ParseError, match="damaged"):
        rm.Accumulator(MEASURES).read(path)
    pq.write_table(pytest.importorskip("pyarrow").table({"query_id": ["q"]}), path)
    with pytest.raises(rm.ParseError, match="no accumulator is in this file"):
        rm.Accumulator(MEASURES).read(path)


def test_ids_that_are_no_text_come_back(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_bytes(b"q\xff 0 d1 1\nq2 0 d1 1\n")
    (tmp_path / "run").write_bytes(b"q\xff Q0 d1 1 2.5 tag\n")
    acc = rm.Accumulator(MEASURES)
    acc.update(tmp_path / "qrels", tmp_path / "run")
    acc.write(tmp_path / "day.parquet")
    again = rm.Accumulator(MEASURES).read(tmp_path / "day.parquet").result()
    assert again.per_query("AP") == acc.result().per_query("AP")
    assert again["AP"] == 0.5
