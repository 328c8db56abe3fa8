"""In Spark, each number is that of rankmark.evaluate on the same data, to the bit."""

import itertools
import random
from typing import Any

import pyarrow as pa
import pytest

import rankmark as rm
import rankmark.spark
from conformance.cases import all_cases
from conformance.diverse_cases import all_diverse_cases
from generators.sets_of_conventions import CONVENTIONS, covering
from rankmark.measures import ALL
from spark.spark_frames import assert_same, frame, qrels_frame, run_frame

OF_LABELS = [one for one in ALL if one.depends_on not in {"subtopics", "anywhere"}]
LISTED = ["q02", "q03", "q05"]
WAYS: list[dict[str, Any]] = [
    *itertools.islice(covering({**CONVENTIONS, "queries": ["judged", "both", LISTED]}, seed=4), 8)
]

Judgments = dict[str, dict[str, float]]
Rankings = dict[str, dict[str, float]]


def collection(dice: random.Random, queries: int = 14) -> tuple[Judgments, Rankings]:
    """Make judgments and a run with ties, queries of one side only, and nothing relevant."""
    documents = [f"d{place}" for place in range(14)] + ["é", "😀", "\uff5e", "q03", "d 1"]
    qrels = {
        f"q{query:02}": {
            d: dice.choice([-1.0, 0.0, 0.0, 1.0, 2.0, 0.5]) for d in dice.sample(documents, 9)
        }
        for query in range(queries)
    }
    qrels["q02"] = dict.fromkeys(qrels["q02"], 0.0)
    run = {
        f"q{query:02}": {
            d: dice.choice([0.1, 0.2, 0.2 + 2**-40, 0.3, -0.0, 0.0, float("inf")])
            for d in dice.sample(documents, dice.randint(1, 15))
        }
        for query in [*range(queries), 90, 91]
        if query in {1, 3} or dice.random() < 0.85
    }
    return qrels, run


@pytest.mark.parametrize("way", WAYS, ids=lambda way: " ".join(map(str, way.values())))
def test_every_convention_gives_the_same_numbers(spark: Any, way: dict[str, Any]) -> None:
    dice = random.Random(8)
    qrels, run = collection(dice)
    twice = 0 if way["duplicates"] == "error" else 3
    rows = [
        (query, document, dice.choice([0.1, 0.2, 0.2 + 2**-40, 0.3]), rank)
        for query, scores in run.items()
        for rank, document in enumerate([*scores, *[*scores][:twice]], 1)
    ]
    names = ["query_id", "doc_id", "score", "rank"]
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    measures = OF_LABELS[:: 1 if way["ties"] not in {"mean", "best", "worst"} else 3]
    whole = rm.evaluate(qrels, columns, measures, rel=2, **way)
    ranked = frame(spark, rows, names)
    assert_same(
        rankmark.spark.evaluate(qrels_frame(spark, qrels), ranked, measures, rel=2, **way), whole
    )
    assert bool(whole.audit.duplicates) == (way["duplicates"] != "error")


def test_every_value_of_every_convention_is_tried() -> None:
    for name, values in CONVENTIONS.items():
        tried = [str(way[name]) for way in WAYS]
        assert len({*tried}) == len(values), name


def test_every_measure_with_its_parameters(spark: Any) -> None:
    qrels, run = collection(random.Random(4), 30)
    cases = {case.stem: [] for case in all_cases()}
    for case in all_cases():
        cases[case.stem].append(case.ours)
    measures = [*OF_LABELS]
    for ours in cases.values():
        measures += random.Random(5).sample(ours, min(4, len(ours)))
    found = rankmark.spark.evaluate(qrels_frame(spark, qrels), run_frame(spark, run), measures)
    assert_same(found, rm.evaluate(qrels, run, measures))


def test_measures_over_subtopics(spark: Any) -> None:
    dice = random.Random(6)
    documents = [f"d{place}" for place in range(10)]
    rows = [
        (f"q{query}", subtopic, document, dice.choice([0.0, 1.0, 1.0, 2.0]))
        for query in range(8)
        for subtopic in "123"[: dice.randint(1, 3)]
        for document in dice.sample(documents, 4)
    ]
    qrels: dict[str, dict[str, dict[str, float]]] = {}
    for query, subtopic, document, label in rows:
        qrels.setdefault(query, {}).setdefault(subtopic, {})[document] = label
    run = {
        f"q{query}": {d: dice.choice([1.0, 2.0, 3.0]) for d in dice.sample(documents, 7)}
        for query in range(1, 9)
    }
    judged = frame(spark, rows, ["query_id", "subtopic", "doc_id", "relevance"])
    measures = [case.ours for case in all_diverse_cases()[::5]]
    found = rankmark.spark.evaluate(judged, run_frame(spark, run), measures)
    assert_same(found, rm.evaluate(qrels, run, measures))


@pytest.mark.filterwarnings("ignore:.*may differ from")
def test_a_profile_and_documents_that_were_seen(spark: Any) -> None:
    qrels, run = collection(random.Random(7))
    seen = {
        query: dict.fromkeys((d for d in scores if qrels.get(query, {}).get(d, 0) < 1), 1)
        for query, scores in list(run.items())[::2]
    }
    measures = ["map", "Rndcg", "AP(rel=2)"]
    found = rankmark.spark.evaluate(
        qrels_frame(spark, qrels),
        run_frame(spark, run),
        measures,
        profile="trec_eval9",
        seen=qrels_frame(spark, seen),
    )
    assert_same(found, rm.evaluate(qrels, run, measures, profile="trec_eval9", seen=seen))


def test_measures_with_conventions_of_their_own(spark: Any) -> None:
    qrels, run = collection(random.Random(11))
    measures = ["RR", *(f"nDCG(ties={rule})@5" for rule in ("docid-asc", "mean", "best", "worst"))]
    measures += ["AP(no_relevant=skip)", "P(ties=worst, no_relevant=one, judged_only=True)@3"]
    found = rankmark.spark.evaluate(qrels_frame(spark, qrels), run_frame(spark, run), measures)
    assert_same(found, rm.evaluate(qrels, run, measures))
    with pytest.raises(rm.InputError, match="some measures rank by score, and some by rank"):
        rankmark.spark.evaluate(
            qrels_frame(spark, qrels), run_frame(spark, run), ["RR", "RR(ties=rank)"]
        )


@pytest.mark.parametrize(
    ("query_type", "doc_type"), [("int64", "int32"), ("string", "int64"), ("int64", "string")]
)
def test_ids_that_are_whole_numbers(spark: Any, query_type: str, doc_type: str) -> None:
    import pyarrow as pa

    dice = random.Random(9)
    qrels = {q: {d: dice.choice([0, 1, 2]) for d in dice.sample(range(12), 6)} for q in range(9)}
    run = {q: {d: dice.choice([1, 2, 3]) for d in dice.sample(range(12), 9)} for q in range(1, 11)}
    kinds = {"int64": (int, pa.int64()), "int32": (int, pa.int32()), "string": (str, pa.string())}
    (query, query_kind), (document, doc_kind) = kinds[query_type], kinds[doc_type]
    types = [query_kind, doc_kind, pa.int64()]
    rows = [
        [(query(q), document(d), value) for q, by in side.items() for d, value in by.items()]
        for side in (qrels, run)
    ]
    found = rankmark.spark.evaluate(
        frame(spark, rows[0], ["qid", "docno", "label"], types=types),
        frame(spark, rows[1], ["qid", "docno", "score"], types=types),
        ["nDCG@5", "AP", "NumRet"],
    )
    assert_same(found, rm.evaluate(qrels, run, ["nDCG@5", "AP", "NumRet"]))


def test_any_collection_in_any_partitions(spark: Any) -> None:
    for seed in range(3):
        dice = random.Random(seed)
        qrels, run = collection(dice, dice.randint(4, 40))
        found = rankmark.spark.evaluate(
            qrels_frame(spark, qrels, parts=dice.randint(1, 5), seed=seed),
            run_frame(spark, run, parts=dice.randint(1, 9), seed=seed),
            ["nDCG@5", "AP", "RR@3", "Bpref", "Judged@10"],
            partitions=dice.choice([1, 2, 7]),
        )
        assert_same(found, rm.evaluate(qrels, run, found.names))


@pytest.mark.parametrize("known", ["unit", "mapping", "function", "column", "files"])
def test_units_are_ranked_by_their_documents(spark: Any, known: str, tmp_path: Any) -> None:
    dice = random.Random(3)
    qrels, run = collection(dice)
    rows = [
        (query, f"{document}#{part}", document, score - part / 8)
        for query, scores in run.items()
        for document, score in scores.items()
        for part in range(dice.randint(1, 3))
    ]
    judged = [(q, f"{d}#0", d, label) for q, of in qrels.items() for d, label in of.items()]
    parents = {unit: document for _, unit, document, _ in [*rows, *judged]}
    names = {"doc_id": "chunk", "parent": "doc"}
    of_run = frame(spark, rows, ["query_id", "chunk", "doc", "score"])
    of_qrels = frame(spark, judged, ["query_id", "chunk", "doc", "relevance"])
    options: dict[str, Any] = {
        "unit": {"unit": "#", "qrels_unit": "#"},
        "mapping": {"parents": parents, "qrels_parents": parents},
        "function": {"parents": parents.get, "qrels_parents": lambda unit: unit[:-2]},
    }.get(known, {})
    columns = names if known in {"column", "files"} else {"doc_id": "chunk"}
    given: Any = (of_qrels, of_run)
    if known == "files":
        given = []
        for name, one in (("qrels", of_qrels), ("run", of_run)):
            one.repartition(2).write.parquet(str(tmp_path / name))
            given.append(str(tmp_path / name))
    as_dict: dict[str, Any] = {}
    for query, unit, _, score in rows:
        as_dict.setdefault(query, {})[unit] = score
    for combine in ("best", "rrf"):
        whole = rm.evaluate(qrels, as_dict, ["nDCG@5", "AP", "RR"], unit="#", combine=combine)
        found = rankmark.spark.evaluate(
            *given,
            ["nDCG@5", "AP", "RR"],
            combine=combine,
            spark=spark,
            run_columns=columns,
            qrels_columns=columns,
            **options,
        )
        assert_same(found, whole)


def test_units_in_lists_and_of_several_runs(spark: Any) -> None:
    qrels = {"q": {"D1": 1, "D2": 2}}
    units = ["D3#1", "D1#1", "D1#2", "D2#4"]
    table = pa.table(
        {
            "user": ["q"],
            "chunk": [units],
            "doc": [[unit[:2] for unit in units]],
            "score": [[4.0, 3.0, 2.0, 1.0]],
        }
    )
    wanted = rm.evaluate(qrels, {"q": units}, ["nDCG@5", "RR"], unit="#")
    columns = {"doc_id": "chunk", "parent": "doc"}
    judged = qrels_frame(spark, qrels)
    for made in (table, table.drop(["score"])):
        found = rankmark.spark.evaluate(
            judged, spark.createDataFrame(made), ["nDCG@5", "RR"], run_columns=columns
        )
        assert found.means == dict(wanted)
    rows = [
        (run, "q", unit, unit[:2], float(-at))
        for run in ("a", "b")
        for at, unit in enumerate(units if run == "a" else units[::-1])
    ]
    several = frame(spark, rows, ["run", "query_id", "chunk", "doc", "score"])
    compared = rankmark.spark.compare(judged, several, ["RR"], run_columns=columns)
    assert [ev["RR"] for ev in compared.evaluations.values()] == [wanted["RR"], 1.0]
    told = rankmark.spark.evaluate(
        judged,
        several.filter("run = 'a'"),
        ["RR"],
        run_columns={"doc_id": "chunk"},
        parents={"D1#1": "D1"},
    )
    with pytest.raises(rm.InputError, match="has no document in parents"):
        dict(told)
