"""Ask the tools that people cite: each takes a collection and a measure in its own words."""

import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import ir_measures
import lightgbm
import numpy as np
import pytrec_eval
from hypothesis import strategies as st
from sklearn import metrics

from conformance.measure_names import parts
from generators.random_collections import (
    SINGLE_PRECISION_SCORES,
    WHOLE_LABELS,
    Collection,
    collections,
    long_collections,
)

Rows = Mapping[str, Mapping[str, float]]

# A pipeline of its own: a test may have installed rankmark's provider in the default one.
IR_MEASURES = ir_measures.providers.FallbackProvider(
    [one for one in ir_measures.DefaultPipeline.providers if one.NAME != "rankmark"]
)


def bearable(collection: Collection) -> Collection:
    """Spare pytrec_eval a query whose labels are all negative, after which it may crash.

    It keeps the number of levels of the query before (form_res_rels.c, num_rel_levels).
    """
    qrels = {
        query_id: labels if max(labels.values()) >= 0 else {**labels, min(labels): 0.0}
        for query_id, labels in collection.qrels.items()
    }
    return Collection(qrels, collection.run)


def bearable_collections(
    labels: tuple[float, ...] = WHOLE_LABELS, scores: tuple[float, ...] = SINGLE_PRECISION_SCORES
) -> st.SearchStrategy[Collection]:
    """Give collections that trec_eval 9 can hold: whole labels, scores of single precision."""
    short = collections(labels=labels, scores=scores, least=1)
    return short.map(bearable)


def bearable_long_collections() -> st.SearchStrategy[Collection]:
    """Give the same with long rankings."""
    return long_collections(labels=WHOLE_LABELS).map(bearable)


def whole(qrels: Rows) -> dict[str, dict[str, int]]:
    """Turn labels into the integers that these tools insist on."""
    return {
        query_id: {doc_id: int(label) for doc_id, label in labels.items()}
        for query_id, labels in qrels.items()
    }


def pytrec_eval_says(
    qrels: Rows, run: Rows, names: Iterable[str], **options: Any
) -> dict[str, dict[str, float]]:
    """Give, by measure, the value of each query that was judged and answered."""
    names = list(names)
    evaluator = pytrec_eval.RelevanceEvaluator(whole(qrels), names, **options)
    answers = evaluator.evaluate({query_id: dict(scores) for query_id, scores in run.items()})
    return {name: {query_id: row[name] for query_id, row in answers.items()} for name in names}


def ir_measures_says(
    qrels: Rows, run: Rows, measures: Iterable[Any]
) -> dict[str, dict[str, float]]:
    """Give, by measure as ir_measures prints it, the value of each judged query."""
    measures = list(measures)
    plain_run = {query_id: dict(scores) for query_id, scores in run.items()}
    said: dict[str, dict[str, float]] = {str(measure): {} for measure in measures}
    # Asked together, nDCG may be given the gains of another nDCG, and NumRet only the judged
    # documents of another measure, as the order of a set has it (ir_measures 0.4.3).
    alone = [[measure] for measure in measures if re.match("NumRet$|.*gains", str(measure))]
    for asked in [[measure for measure in measures if [measure] not in alone], *alone]:
        for answer in IR_MEASURES.iter_calc(asked, whole(qrels), plain_run):
            said[str(answer.measure)][answer.query_id] = answer.value
    return said


def ir_measure(name: str) -> Any:
    """Build a measure of ir_measures; its own parser needs what Python 3.14 dropped."""
    plain, parameters, k = parts(name)
    measure = getattr(ir_measures, plain)
    measure = measure(**parameters) if parameters else measure
    return measure if k is None else measure @ k


def scikit_learn_says(rows: Iterable[tuple[float, float]], name: str, **options: Any) -> float:
    """Give the value of one ranking, whose rows are labels and scores in any order."""
    y_true, y_score = np.array(list(rows)).T
    score = getattr(metrics, name)
    if name == "average_precision_score":
        return float(score(y_true >= 1, y_score, **options))
    if name == "label_ranking_average_precision_score":
        return float(score((y_true >= 1)[None], y_score[None], **options))
    return float(score(y_true[None], y_score[None], **options))


def xgboost_says(
    labels: Sequence[float], scores: Sequence[float], sizes: Sequence[int], metric: str
) -> float:
    """Give the mean over groups of so many rows: a booster that learns nothing keeps its margin."""
    import xgboost

    rows = xgboost.DMatrix(np.zeros((len(labels), 1), dtype=np.float32), label=labels)
    rows.set_group(sizes)
    rows.set_base_margin(np.array(scores, dtype=np.float32))
    objective = "rank:ndcg" if metric.startswith("ndcg") else "rank:map"
    quiet = {"objective": objective, "eval_metric": metric, "learning_rate": 0.0, "nthread": 1}
    said = xgboost.train(quiet, rows, num_boost_round=1).eval(rows)
    name, _, mean = said.rpartition(":")
    assert name.endswith(metric)
    return float(mean)


def ranx_says(qrels: Rows, run: Rows, name: str) -> float:
    """Give the mean over queries, which must be the same in both."""
    import ranx

    return float(ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), name))


def ndeval_says(qrels: Mapping[str, Rows], run: Rows, name: str) -> float:
    """Give the mean over the queries that were judged by subtopic, and answered."""
    import pyndeval

    judged = [
        (query_id, subtopic, doc_id, label)
        for query_id, of in qrels.items()
        for subtopic, labels in of.items()
        for doc_id, label in labels.items()
    ]
    ranked = [(q, d, score) for q, scores in run.items() for d, score in scores.items()]
    said = pyndeval.ndeval(judged, ranked, [name])
    return sum(row[name] for row in said.values()) / len(said)


def trec_eval_says(qrels: Rows, run: Rows, name: str) -> float:
    """Give what the trec_eval on the path prints for all queries, to four decimals."""
    with tempfile.TemporaryDirectory() as folder:
        judged, ranked = Path(folder, "qrels"), Path(folder, "run")
        judged.write_text(
            "".join(f"{q} 0 {d} {label}\n" for q, row in qrels.items() for d, label in row.items())
        )
        ranked.write_text(
            "".join(f"{q} Q0 {d} 1 {at} r\n" for q, row in run.items() for d, at in row.items())
        )
        printed = subprocess.run(
            ["trec_eval", "-c", "-m", name, str(judged), str(ranked)],
            capture_output=True,
            check=True,
            text=True,
        ).stdout
    return float(printed.split()[-1])


def lightgbm_says(
    labels: Sequence[float],
    scores: Sequence[float],
    sizes: Sequence[int],
    name: str,
    **options: Any,
) -> float:
    """Give the mean of ``ndcg@k`` or ``map@k`` over groups of so many rows.

    A booster without trees predicts the initial scores, so these are what it evaluates.
    """
    metric, k = name.split("@")
    quiet = {"verbosity": -1, "num_threads": 1}
    rows = lightgbm.Dataset(
        np.zeros((len(labels), 1)),
        np.array(labels),
        group=np.array(sizes),
        init_score=np.array(scores),
        params=quiet,
    )
    asked = {"objective": "none", "metric": metric, "eval_at": [int(k)], **options}
    ((_, told, mean, _),) = lightgbm.Booster(quiet | asked, rows).eval_train()
    assert told == name
    return float(mean)
