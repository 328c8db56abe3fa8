"""Ask tools of RAG evaluation for the means of a collection, where they are installed.

``rag_figures.jsonl`` has what they gave, each installed in an environment of its own.
"""

import math
import statistics
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

Qrels = Mapping[str, Mapping[str, int]]
Lists = Mapping[str, list[str]]
Said = dict[str, float]
KS = (1, 3, 10)


def deepeval_says(qrels: Qrels, run: Lists) -> Said:
    """Give the formula of its metric, with judgments in the place of its language model."""
    from deepeval.metrics import ContextualPrecisionMetric
    from deepeval.metrics.contextual_precision import contextual_precision

    def score(query: str) -> float:
        yes, no = contextual_precision.Verdict.YES, None
        verdicts = [
            SimpleNamespace(verdict=yes if qrels[query].get(doc, 0) > 0 else no)
            for doc in run.get(query, [])
        ]
        self = SimpleNamespace(verdicts=verdicts, strict_mode=False, threshold=0.5)
        return float(ContextualPrecisionMetric._calculate_score(self))

    return {"contextual_precision": statistics.fmean(map(score, qrels))}


def ragas_says(qrels: Qrels, run: Lists) -> Said:
    """Give its formulas, with judgments in the place of its language model.

    A query for which a score by ids is NaN counts 0, as its profile says.
    """
    import asyncio

    from ragas.dataset_schema import SingleTurnSample
    from ragas.metrics import IDBasedContextPrecision, IDBasedContextRecall
    from ragas.metrics._context_precision import LLMContextPrecisionWithReference

    def ranked(query: str) -> float:
        verdicts = [
            SimpleNamespace(verdict=int(qrels[query].get(doc, 0) > 0)) for doc in run.get(query, [])
        ]
        average = LLMContextPrecisionWithReference._calculate_average_precision
        return float(average(SimpleNamespace(), verdicts))

    def by_ids(metric: Any, query: str) -> float:
        relevant = [doc for doc, label in qrels[query].items() if label > 0]
        sample = SingleTurnSample(
            retrieved_context_ids=run.get(query, []), reference_context_ids=relevant
        )
        score = float(asyncio.run(metric._single_turn_ascore(sample, callbacks=[])))
        return 0.0 if math.isnan(score) else score

    precision, recall = IDBasedContextPrecision(), IDBasedContextRecall()
    return {
        "context_precision": statistics.fmean(map(ranked, qrels)),
        "id_based_context_precision": statistics.fmean(by_ids(precision, one) for one in qrels),
        "id_based_context_recall": statistics.fmean(by_ids(recall, one) for one in qrels),
    }


def llamaindex_says(qrels: Qrels, run: Lists) -> Said:
    """Give the means over the queries with relevant documents."""
    from llama_index.core.evaluation.retrieval import metrics

    made = {
        "hit_rate": metrics.HitRate(),
        "HitRate(use_granular_hit_rate=True)": metrics.HitRate(use_granular_hit_rate=True),
        "mrr": metrics.MRR(),
        "precision": metrics.Precision(),
        "recall": metrics.Recall(),
        "ap": metrics.AveragePrecision(),
        "ndcg": metrics.NDCG(),
        'NDCG(mode="exponential")': metrics.NDCG(mode="exponential"),
    }
    relevant = {
        query: [doc for doc, label in of.items() if label > 0] for query, of in qrels.items()
    }
    return {
        name: statistics.fmean(
            metric.compute(expected_ids=documents, retrieved_ids=run[query]).score
            for query, documents in relevant.items()
            if documents
        )
        for name, metric in made.items()
    }


def haystack_says(qrels: Qrels, run: Lists) -> Said:
    """Give the means over all queries."""
    from haystack import Document
    from haystack.components import evaluators

    truths = [
        [Document(content=doc, score=float(label)) for doc, label in of.items() if label > 0]
        for of in qrels.values()
    ]
    found = [[Document(content=doc) for doc in run.get(query, [])] for query in qrels]
    made = {
        "DocumentMRREvaluator": evaluators.DocumentMRREvaluator(),
        "DocumentMAPEvaluator": evaluators.DocumentMAPEvaluator(),
        "DocumentRecallEvaluator": evaluators.DocumentRecallEvaluator(),
        'DocumentRecallEvaluator(mode="multi_hit")': evaluators.DocumentRecallEvaluator(
            "multi_hit"
        ),
        "DocumentNDCGEvaluator": evaluators.DocumentNDCGEvaluator(),
    }
    return {
        name: float(one.run(ground_truth_documents=truths, retrieved_documents=found)["score"])
        for name, one in made.items()
    }


def trulens_says(qrels: Qrels, run: Lists) -> Said:
    """Give the means over the queries with a ground truth."""
    from trulens.feedback.groundtruth import GroundTruthAgreement as Agreement

    def golden(query: str) -> Any:
        return [(doc, label) for doc, label in qrels[query].items() if label > 0] or None

    self = SimpleNamespace(_find_golden_context_chunks_and_scores=golden)
    calls: dict[str, Callable[[str], float]] = {
        "mrr": lambda query: Agreement.mrr(self, query, run[query]),
    }
    for method in ("precision_at_k", "recall_at_k", "ir_hit_rate", "ndcg_at_k"):
        for k in (*KS, None):
            if k is None and method == "ndcg_at_k":
                continue
            name = method if k is None else f"{method}(k={k})"
            calls[name] = lambda query, method=method, k=k: getattr(Agreement, method)(  # type: ignore[misc]
                self, query, run[query], k=k
            )
    return {
        name: float(statistics.fmean(call(query) for query in qrels if golden(query)))
        for name, call in calls.items()
    }


SAYS: dict[str, Callable[[Qrels, Lists], Said]] = {
    "deepeval": deepeval_says,
    "ragas": ragas_says,
    "llamaindex": llamaindex_says,
    "haystack": haystack_says,
    "trulens": trulens_says,
}
