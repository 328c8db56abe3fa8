"""What tools write: each shape of the table, in files and in memory, read to the number."""

import contextlib
import io
import json
import random
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.data.contract.source_options import SourceOptions
from rankmark.data.shapes.known_shapes import SHAPES
from rankmark.data.shapes.walker import Walker

QRELS = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"d": 1}}
RUN = {"q1": {"b": 3.0, "a": 2.0, "x": 1.0}, "q2": {"y": 2.0, "d": 1.0}}
RIGHT = rm.evaluate(QRELS, RUN, "nDCG@10")["nDCG@10"]
RELEVANT = rm.evaluate({"q1": ["a", "b"], "q2": ["d"]}, RUN, "nDCG@10")["nDCG@10"]


def hits(one: Any) -> dict[str, list[Any]]:
    """Write each document of the run as ``one`` writes its id and score."""
    return {query: [one(*pair) for pair in scores.items()] for query, scores in RUN.items()}


def answers(wrap: Any, one: Any) -> dict[str, Any]:
    """Write the answer to each query, by query."""
    return {query: wrap(held) for query, held in hits(one).items()}


def labels(one: Any) -> dict[str, list[Any]]:
    return {query: [one(*pair) for pair in held.items()] for query, held in QRELS.items()}


def es(held: list[Any]) -> dict[str, Any]:
    total = {"value": len(held), "relation": "eq"}
    shards = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
    found = {"total": total, "max_score": 3.0, "hits": held}
    return {"took": 3, "timed_out": False, "_shards": shards, "hits": found, "aggregations": {}}


def es_hit(doc_id: str, score: float) -> dict[str, Any]:
    return {"_index": "i", "_id": doc_id, "_score": score, "_source": {"id": "no", "title": "t"}}


def span(attributes: dict[str, Any]) -> dict[str, Any]:
    return {"name": "retrieve", "context": {"span_id": "1"}, "attributes": attributes}


def each(one: Any, held: dict[str, Any]) -> list[Any]:
    return [one(query, documents) for query, documents in held.items()]


def scored(doc_id: str, score: float) -> dict[str, Any]:
    return {"id": doc_id, "score": score}


def attribute(key: str, value: Any) -> dict[str, Any]:
    return {"key": key, "value": value}


def turned(pair: tuple[str, float]) -> float:
    """Sort so that distances neither rise nor fall where there are three."""
    return {"b": 2, "a": 1, "x": 3, "y": 1, "d": 2}[pair[0]]


def by_grade(held: dict[str, int]) -> dict[str, list[str]]:
    grades: dict[str, list[str]] = {}
    for doc_id, label in held.items():
        grades.setdefault(str(label), []).append(doc_id)
    return grades


OTHER_SPAN = span({"gen_ai.operation.name": "chat", "openinference.span.kind": "LLM"})

EXAMPLES: dict[tuple[str, str], list[Any]] = {
    ("elasticsearch", "responses of Elasticsearch and OpenSearch to searches"): [
        answers(es, es_hit),
        [{"query_id": query, **answer} for query, answer in answers(es, es_hit).items()],
        [{"query": q, "response": answer} for q, answer in answers(es, es_hit).items()],
        answers(lambda held: {"hits": {"total": 3, "hits": held}}, es_hit),
        answers(es, lambda doc_id, score: {"_id": doc_id, "_score": None, "sort": [-score]}),
    ],
    ("rank-eval", "request of `_rank_eval`"): [
        {"requests": each(
            lambda q, held: {"id": q, "request": {"query": {}}, "ratings": held},
            labels(lambda doc_id, label: {"_index": "i", "_id": doc_id, "rating": label}),
        ), "metric": {"dcg": {"k": 10}}},
    ],
    ("rank-eval", "response of `_rank_eval`"): [
        {"metric_score": 0.7, "failures": {}, "details": answers(
            lambda held: {"metric_score": 0.8, "unrated_docs": [], "hits": held},
            lambda doc_id, score: {"hit": {"_id": doc_id, "_score": score}, "rating": None},
        )},
    ],
    ("solr", "responses of Solr"): [
        answers(lambda held: {"response": {"numFound": 3, "docs": held}}, scored),
        answers(
            lambda held: {"responseHeader": {"status": 0}, "response": {"docs": held}},
            lambda doc_id, _: {"id": doc_id},
        ),
    ],
    ("solr", "grouped responses of Solr"): [
        answers(lambda held: {"grouped": {"author": {"groups": [
            {"groupValue": str(n), "doclist": {"docs": [one]}} for n, one in enumerate(held)
        ]}}}, scored),
        answers(lambda held: {"grouped": {"author": {"doclist": {"docs": held}}}}, scored),
    ],
    ("vespa", "responses of Vespa"): [
        answers(
            lambda held: {"root": {"id": "toplevel", "relevance": 1.0, "children": held}},
            lambda doc_id, score: {"id": doc_id, "relevance": score, "fields": {"title": "t"}},
        ),
        answers(
            lambda held: {"root": {"children": held, "coverage": {"coverage": 100}}},
            lambda doc_id, score: {"id": f"id:ns:music::{doc_id}", "relevance": score},
        ),
    ],
    ("typesense", "responses of Typesense"): [
        answers(lambda held: {"found": 3, "hits": held, "request_params": {}}, lambda doc_id, _: {
            "document": {"id": doc_id}, "text_match": 578730123365711993, "highlights": [],
        }),
        answers(lambda held: {"hits": held}, lambda doc_id, score: {
            "document": {"id": doc_id}, "vector_distance": -score,
        }),
    ],
    ("typesense", "grouped responses of Typesense"): [
        answers(
            lambda held: {"grouped_hits": [{"group_key": ["k"], "hits": [one]} for one in held]},
            lambda doc_id, _: {"document": {"id": doc_id}},
        ),
    ],
    ("qdrant", "responses of Qdrant"): [
        answers(lambda held: {"result": {"points": held}, "status": "ok"}, scored),
        answers(lambda held: {"result": held, "status": "ok", "time": 0.1}, scored),
        answers(lambda held: {"points": held}, scored),
    ],
    ("qdrant", "grouped responses of Qdrant"): [
        answers(
            lambda held: {"result": {"groups": [{"id": 1, "hits": [one]} for one in held]}}, scored
        ),
    ],
    ("weaviate", "responses of Weaviate to GraphQL"): [
        answers(lambda held: {"data": {"Get": {"Article": held}}}, lambda doc_id, score: {
            "title": "t", "_additional": {"id": doc_id, "distance": 4 - score},
        }),
        answers(lambda held: {"data": {"Get": {"Article": held}}}, lambda doc_id, score: {
            "_additional": {"id": doc_id, "score": str(score)},
        }),
    ],
    ("weaviate", "objects of Weaviate"): [
        answers(lambda held: {"objects": held}, lambda doc_id, score: {
            "uuid": doc_id, "metadata": {"score": score}, "properties": {},
        }),
    ],
    ("milvus", "hits of Milvus"): [
        hits(lambda doc_id, score: {"id": doc_id, "distance": score, "entity": {}}),
        hits(lambda doc_id, score: {"id": doc_id, "distance": 4 - score, "entity": {}}),
        answers(
            lambda held: {"code": 0, "cost": 0, "data": held},
            lambda doc_id, score: {"id": doc_id, "distance": score, "entity": {"x": 1}},
        ),
    ],
    ("distances", "hits with a distance, of which the lowest is the best"): [
        hits(lambda doc_id, score: {"id": doc_id, "distance": 4 - score, "metadata": {}}),
        {q: [{"_id": d, "_distance": 4 - s} for d, s in sorted(held.items(), key=turned)]
         for q, held in RUN.items()},
    ],
    ("distances", "rows with a distance, of which the lowest is the best"): [
        [{"query_id": q, "id": d, "distance": 4 - s} for q, held in RUN.items()
         for d, s in sorted(held.items(), key=turned)],
        [{"query": q, "doc_id": d, "text": "t", "distance": 4 - s} for q, held in RUN.items()
         for d, s in held.items()],
    ],
    ("weaviate", "objects of Weaviate in lists"): [
        hits(lambda doc_id, score: {"uuid": doc_id, "metadata": {"score": score}}),
        hits(lambda doc_id, score: {"uuid": doc_id, "metadata": {"distance": 4 - score}}),
        hits(lambda doc_id, score: {"_additional": {"id": doc_id, "score": str(score)}}),
    ],
    ("pinecone", "responses of Pinecone"): [
        answers(lambda held: {"matches": held, "namespace": ""}, scored),
    ],
    ("chroma", "results of Chroma for a query"): [
        {q: {"ids": [[*held]], "distances": [[0.1] * len(held)]} for q, held in RUN.items()},
        {q: {"ids": [*held], "distances": [0.1] * len(held)} for q, held in RUN.items()},
    ],
    ("algolia", "responses of Algolia"): [
        answers(lambda held: {"hits": held, "nbHits": 3}, lambda doc_id, _: {"objectID": doc_id}),
    ],
    ("meilisearch", "responses of Meilisearch"): [
        answers(
            lambda held: {"hits": held, "query": "x"},
            lambda doc_id, score: {"id": doc_id, "_rankingScore": score},
        ),
    ],
    ("srw", "judgment list of OpenSearch's Search Relevance Workbench"): [
        {"name": "J", "type": "IMPORT_JUDGMENT", "judgmentRatings": each(
            lambda q, held: {"query": q, "ratings": held},
            labels(lambda doc_id, label: {"docId": doc_id, "rating": f"{label}.0"}),
        )},
        es([{"_index": "j", "_id": "1", "_source": {"judgmentRatings": each(
            lambda q, held: {"query": q, "ratings": held},
            labels(lambda doc_id, label: {"docId": doc_id, "rating": label}),
        )}}]),
    ],
    ("srw", "results of a pairwise experiment of the workbench"): [
        {"results": [
            {"queryText": q, "snapshots": [{"searchConfigurationId": "s", "docIds": [*held]}]}
            for q, held in RUN.items()
        ]},
    ],
    ("srw", "evaluation results of the workbench"): [
        es([{"_id": q, "_source": {"searchText": q, "documentIds": [*held]}}
            for q, held in RUN.items()]),
        {"evaluationResultList": [
            {"searchText": q, "documentIds": [*held]} for q, held in RUN.items()
        ]},
    ],
    ("quepid", "ratings of Quepid, as JSON"): [
        {"queries": each(lambda q, held: {"query": q, "ratings": held}, {**QRELS, "q3": {}})},
    ],
    ("quepid", "ratings of Quepid, as rows"): [
        [
            {"query": q, "docid": doc_id, "rating": label}
            for q, held in QRELS.items() for doc_id, label in held.items()
        ] + [{"query": "q3", "docid": None, "rating": None}],
    ],
    ("quepid", "book of Quepid"): [
        {"name": "bk", "query_doc_pairs": [
            {"query_text": q, "doc_id": doc_id, "position": 1, "judgements": [
                {"rating": float(label), "unrateable": False},
            ]}
            for q, held in QRELS.items() for doc_id, label in held.items()
        ] + [{"query_text": "q1", "doc_id": "x", "judgements": []}]},
    ],
    ("quepid", "snapshot of Quepid"): [
        {"id": 1, "name": "s", "docs": hits(lambda doc_id, _: {"id": doc_id, "explain": None}),
         "queries": [], "scores": []},
        {"id": 1, "docs": {"10": [{"id": d} for d in RUN["q1"]], "11": [{"id": "y"}, {"id": "d"}]},
         "queries": [{"query_id": n, "query_text": q} for n, q in ((10, "q1"), (11, "q2"))]},
    ],
    ("rre", "ratings of Rated Ranking Evaluator by grade"): [
        {"id_field": "id", "index": "i", "template": "t.json", "queries": [
            {"placeholders": {"$query": q}, "relevant_documents": by_grade(held)}
            for q, held in QRELS.items()
        ]},
        {"topics": [{"description": "t", "query_groups": [
            {"name": q, "queries": [{"template": "t", "placeholders": {"$query": q}}],
             "relevant_documents": by_grade(held)}
            for q, held in QRELS.items()
        ]}]},
    ],
    ("rre", "ratings of Rated Ranking Evaluator by document"): [
        {"queries": [
            {"placeholders": {"$query": q},
             "relevant_documents": {d: {"gain": label} for d, label in held.items()}}
            for q, held in QRELS.items()
        ]},
    ],
    ("golden", "objects with a query and labels by document"): [
        [{"id": q, "query": "a text", "expected": held} for q, held in QRELS.items()],
    ],
    ("golden", "objects with a query and its judged documents"): [
        each(
            lambda q, held: {"id": q, "question": "a text", "gold": held},
            labels(lambda doc_id, label: {"doc_id": doc_id, "grade": label, "text": "t"}),
        ),
    ],
    ("otel", "spans of OpenTelemetry with `gen_ai.retrieval.documents`"): [
        [OTHER_SPAN, *each(
            lambda q, held: span({
                "gen_ai.retrieval.query.text": q, "gen_ai.retrieval.documents": held,
            }), hits(scored),
        )],
        each(
            lambda q, held: span({
                "gen_ai.retrieval.query.text": q, "gen_ai.retrieval.documents": json.dumps(held),
            }), hits(scored),
        ),
        each(
            lambda q, held: {
                "gen_ai.retrieval.query.text": q, "gen_ai.retrieval.documents": held,
            }, hits(scored),
        ),
        {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": [
            {"name": "chat", "attributes": []},
            *each(lambda q, held: {"name": "retrieval", "attributes": [
                attribute("gen_ai.retrieval.query.text", {"stringValue": q}),
                attribute("gen_ai.retrieval.documents", {"arrayValue": {"values": held}}),
            ]}, hits(lambda doc_id, score: {"kvlistValue": {"values": [
                attribute("id", {"stringValue": doc_id}),
                attribute("score", {"doubleValue": score}),
            ]}})),
        ]}]}]},
    ],
    ("openinference", "spans of OpenInference, as Phoenix writes them"): [
        [OTHER_SPAN] + [span({"input.value": q} | {
            f"retrieval.documents.{n}.document.{name}": value
            for n, pair in enumerate(held.items())
            for name, value in zip(("id", "score"), pair, strict=True)
        }) for q, held in RUN.items()],
        each(
            lambda q, held: span({"input": {"value": q}, "retrieval": {"documents": held}}),
            hits(lambda doc_id, score: {"document": {"id": doc_id, "score": score}}),
        ),
        each(
            lambda q, held: span({"input.value": q, "retrieval.documents": held}),
            hits(lambda doc_id, score: {"document.id": doc_id, "document.score": score}),
        ),
    ],
    ("langfuse", "observations of Langfuse of type RETRIEVER"): [
        {"data": [{"type": "GENERATION", "input": "q1", "output": "text"}, *each(
            lambda q, held: {"type": "RETRIEVER", "traceId": "t", "input": q, "output": held},
            hits(scored),
        )], "meta": {}},
        each(
            lambda q, held: {"type": "RETRIEVER", "input": {"query": q},
                             "output": {"documents": held}},
            hits(lambda doc_id, _: {"pageContent": "t", "metadata": {"id": doc_id}}),
        ),
    ],
    ("langsmith", "runs of LangSmith of type retriever"): [
        [{"run_type": "llm", "inputs": {"query": "q1"}, "outputs": {}}, *each(
            lambda q, held: {"run_type": "retriever", "inputs": {"query": q},
                             "outputs": {"documents": held}},
            hits(lambda doc_id, score: {"page_content": "t", "type": "Document",
                                        "metadata": {"id": doc_id, "score": score}}),
        )],
    ],
    ("ragas", "samples of ragas: what was retrieved"): [
        [{"user_input": q, "retrieved_context_ids": [*held], "reference_context_ids": ["a"]}
         for q, held in RUN.items()],
    ],
    ("browsecomp-plus", "runs of BrowseComp-Plus, in a folder or a line each"): [
        [{"query_id": q, "status": "completed", "retrieved_docids": [*held], "result": []}
         for q, held in RUN.items()],
    ],
    ("golden", "objects with a query and the ids that were retrieved"): [
        [{"id": q, "query": "a text", "retrieved_ids": [*held]} for q, held in RUN.items()],
    ],
    ("phoenix", "retrieved documents of Phoenix, in rows"): [
        [{"context.span_id": "s", "document_position": n, "input": q, "document_id": doc_id,
          "document_score": score}
         for q, held in RUN.items() for n, (doc_id, score) in enumerate(held.items())],
    ],
}  # fmt: skip
BINARY: dict[tuple[str, str], list[Any]] = {
    ("ragas", "samples of ragas: what should have been retrieved"): [
        [{"user_input": q, "retrieved_context_ids": ["x"], "reference_context_ids": held}
         for q, held in (("q1", ["a", "b"]), ("q2", ["d"]))],
    ],
    ("golden", "objects with a query and its relevant ids"): [
        [{"id": q, "query": "a text", name: held}
         for q, held in (("q1", ["a", "b"]), ("q2", ["d"]))]
        for name in ("relevant", "expected_ids", "gold_doc_ids")
    ],
}  # fmt: skip
OTHERS = {
    ("elasticsearch", "responses to `_msearch`, which have no ids of queries"),
    ("letor", "lines of SVMlight, LETOR and RankLib, `2 qid:1 1:0.5 #docid = a`"),
}
CASES = [
    pytest.param(key, document, right, id=f"{key[0]}-{number}-{place}")
    for examples, right in ((EXAMPLES, RIGHT), (BINARY, RELEVANT))
    for number, (key, documents) in enumerate(examples.items())
    for place, document in enumerate(documents)
]
KINDS = {(shape.name, shape.what): shape.kind for shape in SHAPES}


def value(kind: str, given: Any, **options: Any) -> float:
    if kind == "qrels":
        return rm.evaluate(given, RUN, "nDCG@10", qrels_format=options.get("form"))["nDCG@10"]
    return rm.evaluate(QRELS, given, "nDCG@10", run_format=options.get("form"))["nDCG@10"]


def test_every_shape_has_an_example() -> None:
    assert {*EXAMPLES, *BINARY, *OTHERS} == KINDS.keys()


@pytest.mark.parametrize(("key", "document", "right"), CASES)
def test_a_shape_is_recognised_in_every_form(
    key: tuple[str, str], document: Any, right: float
) -> None:
    kind, form = KINDS[key], key[0]
    assert value(kind, document) == right
    indented = io.BytesIO(json.dumps(document, indent=2).encode())
    assert value(kind, indented) == right
    assert value(kind, io.BytesIO(json.dumps(document).encode()), form=form) == right
    entries = document if isinstance(document, list) else [document]
    if isinstance(document, dict) and document.keys() == RUN.keys():
        entries = [{query: answer} for query, answer in document.items()]
    lines = "".join(f"{json.dumps(entry)}\n" for entry in entries)
    assert value(kind, io.BytesIO(lines.encode())) == right
    read = (rm.Qrels if kind == "qrels" else rm.Run)(io.BytesIO(lines.encode()))
    assert read.source.description()["form"] == form
    explained = rm.explain(*((read, RUN) if kind == "qrels" else (QRELS, read)), "q2", "RR")
    assert explained.value == 0.5


def objects(**paths: Any) -> dict[str, list[Any]]:
    return hits(lambda d, s: SimpleNamespace(**{k: make(d, s) for k, make in paths.items()}))


OBJECTS: dict[str, Any] = {
    "Pyserini": objects(docid=lambda d, _: d, score=lambda _, s: s, lucene_docid=lambda *_: 7),
    "LlamaIndex": objects(node=lambda *_: "n", node_id=lambda d, _: d, score=lambda _, s: s),
    "LlamaIndex without scores": objects(
        node=lambda *_: "n", node_id=lambda d, _: d, score=lambda *_: None
    ),
    "Weaviate's objects": objects(
        uuid=lambda d, _: d, metadata=lambda _, s: SimpleNamespace(score=s, distance=None)
    ),
    "Weaviate's distances": objects(
        uuid=lambda d, _: d, metadata=lambda _, s: SimpleNamespace(distance=4 - s, score=None)
    ),
    "Weaviate's response": {
        q: SimpleNamespace(objects=held)
        for q, held in objects(
            uuid=lambda d, _: d, metadata=lambda _, s: SimpleNamespace(score=s)
        ).items()
    },
    "Qdrant's response": {
        q: SimpleNamespace(points=held)
        for q, held in objects(id=lambda d, _: d, score=lambda _, s: s).items()
    },
    "Milvus' hits": objects(id=lambda d, _: d, distance=lambda _, s: s, entity=lambda *_: {}),
    "OpenSearch's client": {
        q: SimpleNamespace(hits={"hits": held}) for q, held in hits(es_hit).items()
    },
}


@pytest.mark.parametrize("library", OBJECTS)
def test_attributes_are_read_like_fields(library: str) -> None:
    assert value("run", OBJECTS[library]) == RIGHT
    by_place = [*OBJECTS[library].values()]
    of_lists = rm.evaluate([[*held] for held in ({"a", "b"}, {"d"})], by_place, "nDCG@10")
    assert of_lists["nDCG@10"] == RELEVANT


def test_a_hit_without_an_id_or_with_a_score_alone_is_refused() -> None:
    mixed = [SimpleNamespace(id="a", score=1.0), SimpleNamespace(id="b", score=None)]
    with pytest.raises(rm.SchemaError, match="all with a score or none"):
        rm.evaluate(QRELS, {"q1": mixed})
    with pytest.raises(rm.SchemaError, match=r"hit 1 \(from 0\)"):
        rm.evaluate(QRELS, {"q1": [mixed[0], SimpleNamespace(score=1.0)]})


NAMES = ["a", "b", "c", "d", "x", "y"]
NUMBERS = np.array([[1, 0, 4], [5, 3, -1]])


@pytest.mark.parametrize("names", [NAMES, np.array(NAMES), dict(enumerate(NAMES))])
def test_a_search_with_the_ids_of_its_numbers_is_a_ranking(names: Any) -> None:
    relevant = [{"a": 2, "b": 1}, {"d": 1}]
    far = np.array([[0.1, 0.2, 0.3], [0.1, 0.4, 9.0]], dtype=np.float32)
    for values in (far, -far):
        for search in ((values, NUMBERS, names), (NUMBERS.astype(np.int32), values, names)):
            assert rm.evaluate(relevant, search, "nDCG@10")["nDCG@10"] == RIGHT
            assert rm.explain(relevant, search, "1", "RR").value == 0.5
    with pytest.raises(rm.SchemaError, match="rise along some rows and fall along others"):
        rm.evaluate(relevant, (far[:, [1, 0, 2]], NUMBERS, names))
    with pytest.raises(rm.SchemaError, match="none for the number 9"):
        rm.evaluate(relevant, (far, np.where(NUMBERS == 5, 9, NUMBERS), names))
    with pytest.raises(rm.SchemaError, match="can only be a run"):
        rm.evaluate((far, NUMBERS, names), relevant)


LETOR = "2 qid:q1 1:.5 #docid = a\n1 qid:q1 1:.9 # docid=b\n0 qid:q1 1:.1 #c\n1 qid:q2 1:.3 #d\n"


def test_lines_of_learning_to_rank_are_judgments(tmp_path: Path) -> None:
    file = tmp_path / "letor.txt"
    for text in (
        LETOR,
        f"# a comment\n\n{LETOR}",
        "2 qid:1 # a q1\n1 qid:1 # b q1\n0 qid:1 # c q1\n1 qid:2 # d q2\n",
    ):
        file.write_text(text)
        assert value("qrels", file) == RIGHT
        assert value("qrels", file, form="letor") == RIGHT
        assert rm.Qrels(file).by_query() == QRELS
    file.write_text("2 qid:7 1:.5\n\n0 qid:7 1:.1\n")
    assert rm.Qrels(file).by_query() == {"7": {"1": 2, "3": 0}}


def test_scores_by_line_are_those_of_the_lines_of_the_judgments(tmp_path: Path) -> None:
    file, scores = tmp_path / "letor.txt", tmp_path / "scores.txt"
    file.write_text(LETOR)
    scores.write_text("2\n3.5\n-1e-3\n1\n")
    wanted = rm.evaluate(QRELS, {"q1": {"a": 2, "b": 3.5, "c": -0.001}, "q2": {"d": 1}}, "nDCG@10")
    found = rm.evaluate(file, scores, "nDCG@10")
    assert found["nDCG@10"] == wanted["nDCG@10"]
    assert found.settings["run"]["form"] == "scores"
    assert rm.explain(file, scores, "q1", "RR").value == 1
    assert rm.check(file, scores).ok
    scores.write_text("2\n3\n")
    with pytest.raises(rm.SchemaError, match="it has 2 scores, and the judgments have 4 lines"):
        rm.evaluate(file, scores)
    scores.write_text("2\n3\n1\nhigh\n")
    with pytest.raises(rm.InputError, match="need"):
        rm.evaluate(file, scores)
    scores.write_text("2\n3\n1\n4\n")
    with pytest.raises(rm.SchemaError, match="in the format letor, and <mapping> is none"):
        rm.evaluate(QRELS, scores)
    with pytest.raises(rm.SchemaError, match="it holds labels and no scores"):
        rm.evaluate(file, file)
    file.write_text("2 qid:1 1:.5\nx y z\n")
    with pytest.raises(rm.ParseError, match=r"letor.txt:2: found 'x y z'; need a label, qid:ID"):
        rm.Qrels(file)


@pytest.mark.parametrize(("key", "document", "right"), CASES)
def test_no_other_shape_fits(key: tuple[str, str], document: Any, right: float) -> None:
    entries = document if isinstance(document, list) else [document]
    walker = Walker(KINDS[key], SourceOptions())
    entry = next(one for one in entries if walker.recognises(one, "x", also_plain=True))
    assert right > 0
    assert entry is not None
    assert walker.shape is not None
    assert (walker.shape.name, walker.shape.what) == key


ROWS = [(q, doc_id, str(label)) for q, held in QRELS.items() for doc_id, label in held.items()]


def table(names: str, separator: str, *others: str) -> str:
    lines = [names, *map(separator.join, ROWS), *others]
    return "".join(f"{line}\n" for line in lines)


TABLES = {
    "empty cells": (table("query,docid,rating", ",", "q3,,", "q4"), "quepid"),
    "Quepid's words": (table("Query Text,Doc ID,Rating", ","), "csv"),
    "RecBole": (table("user_id:token\titem_id:token\trating:float", "\t"), "tsv"),
}


@pytest.mark.parametrize("table", TABLES)
def test_tables_of_tools_are_judgments(table: str, tmp_path: Path) -> None:
    file, (text, form) = tmp_path / "table.csv", TABLES[table]
    file.write_text(text)
    assert value("qrels", file) == RIGHT
    assert rm.Qrels(file).source.description()["form"] == form
    run = tmp_path / "run.json"
    run.write_text(json.dumps(RUN))
    assert rm.check(file, run).ok
    if form == "quepid":
        assert rm.Qrels(file).source.description()["unjudged"] == 2


def test_a_snapshot_of_quepid_is_ordered_by_its_positions(tmp_path: Path) -> None:
    file = tmp_path / "snapshot.csv"
    file.write_text(
        "Snapshot Name,Case ID,Query Text,Doc ID,Doc Position\n"
        "s,1,q1,a,2\ns,1,q1,b,1\ns,1,q1,x,3\ns,1,q2,y,1\ns,1,q2,d,2\n"
    )
    assert value("run", file) == RIGHT


def test_a_file_without_a_header_is_read_if_it_is_named(tmp_path: Path) -> None:
    file = tmp_path / "recs.tsv"
    file.write_text("q1\tb\t3.0\nq1\ta\t2.5\nq1\tx\t1.0\nq2\ty\t2.0\nq2\td\t1.0\n")
    assert value("run", file, form="elliot") == RIGHT
    with pytest.raises(rm.ParseError, match="three columns"):
        value("run", file)
    file.write_text("q1\ta\t2\t881250949\nq1\tb\t1\t881250949\nq2\td\t1\t881250949\n")
    assert value("qrels", file, form="elliot") == RIGHT
    with pytest.raises(rm.SchemaError, match="time stamps"):
        value("qrels", file)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_rows_of_frames_have_shapes_too(library: str, tmp_path: Path) -> None:
    frames = pytest.importorskip(library)
    parquet = pytest.importorskip("pyarrow.parquet")
    arrow = pytest.importorskip("pyarrow")
    samples = EXAMPLES["ragas", "samples of ragas: what was retrieved"][0]
    spans = EXAMPLES["openinference", "spans of OpenInference, as Phoenix writes them"][2]
    responses = answers(lambda held: {"hits": {"hits": held}}, lambda d, s: {"_id": d, "_score": s})
    for rows in (samples, spans, [{"query_id": q, **one} for q, one in responses.items()]):
        parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "a.parquet")
        assert value("run", tmp_path / "a.parquet") == RIGHT
        make = frames.Table.from_pylist if library == "pyarrow" else frames.DataFrame
        assert value("run", make(rows)) == RIGHT


def test_empty_cells_of_a_frame_are_unjudged() -> None:
    frames = pytest.importorskip("pandas")
    frame = frames.read_csv(io.StringIO(TABLES["empty cells"][0]))
    ev = rm.evaluate(frame, RUN, "nDCG@10")
    assert ev["nDCG@10"] == RIGHT
    assert ev.settings["qrels"]["unjudged"] == 2


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    "key",
    [
        ("browsecomp-plus", "runs of BrowseComp-Plus, in a folder or a line each"),
        ("elasticsearch", "responses of Elasticsearch and OpenSearch to searches"),
    ],
)
def test_a_folder_is_read_as_one(key: tuple[str, str], indent: int | None, tmp_path: Path) -> None:
    document = EXAMPLES[key][0]
    named = document.items() if isinstance(document, dict) else zip("xy", document, strict=True)
    for name, entry in named:
        (tmp_path / f"{name}.json").write_text(json.dumps(entry, indent=indent))
    (tmp_path / "_SUCCESS").write_text("")
    assert value("run", tmp_path) == value("run", str(tmp_path / "*.json")) == RIGHT
    ev = rm.evaluate(QRELS, tmp_path, "nDCG@10", run_format=key[0])
    assert ev["nDCG@10"] == RIGHT
    assert ev.settings["run"]["form"] == key[0]
    (tmp_path / "z.json").write_text('{"status": "failed"}')
    with pytest.raises(rm.InputError, match=r"z\.json"):
        value("run", tmp_path)


def test_a_folder_of_mappings_and_of_lines_is_read_as_one(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"q1": RUN["q1"]}))
    (tmp_path / "b.jsonl").write_text(json.dumps({"query_id": "q2", "docs": RUN["q2"]}) + "\n")
    assert value("run", tmp_path) == RIGHT
    with pytest.raises(rm.InputError, match="only files of Parquet, Arrow or JSON"):
        value("run", tmp_path, form="trec")


def test_answers_without_queries_need_a_file_of_ids_in_their_order(tmp_path: Path) -> None:
    responses = [*answers(es, es_hit).values()]
    msearch = {"took": 3, "responses": [{**one, "status": 200} for one in responses]}
    lines = "".join(f"{json.dumps(one)}\n" for one in responses)
    ids = tmp_path / "ids.txt"
    ids.write_text("q1\n\nq2\r\n")
    for text in (json.dumps(msearch), json.dumps(msearch, indent=1), lines, json.dumps(responses)):
        file = tmp_path / "msearch.json"
        file.write_text(text)
        named = {"query_id": f"@{ids}"}
        assert rm.evaluate(QRELS, file, "nDCG@10", run_columns=named)["nDCG@10"] == RIGHT
        with pytest.raises(rm.SchemaError, match=r"does not say of which query.*query=@FILE"):
            value("run", file)
        for wrong, message in (("q1\n", "more answers"), ("q1\nq2\nq3", "the last 1 ")):
            ids.write_text(wrong)
            with pytest.raises(rm.SchemaError, match=message):
                rm.evaluate(QRELS, file, run_columns=named)
        ids.write_text("q1\n\nq2\r\n")
    of_lists = rm.evaluate([{"a", "b"}, {"d"}], responses, "nDCG@10")["nDCG@10"]
    assert of_lists == RELEVANT
    with pytest.raises(rm.InputError, match=r"no\.txt: it cannot be read"):
        rm.evaluate(QRELS, file, run_columns={"query_id": f"@{tmp_path / 'no.txt'}"})


def changed(document: Any, path: str, new: Any) -> Any:
    """Change what stands at a path of a copy; None takes it away."""
    copy = json.loads(json.dumps(document))
    *outer, last = (int(step) if step.isdigit() else step for step in path.split("."))
    held = copy
    for step in outer:
        held = held[step]
    if new is None:
        del held[last]
    else:
        held[last] = new
    return copy


ES = EXAMPLES["elasticsearch", "responses of Elasticsearch and OpenSearch to searches"][0]
RANK_EVAL = EXAMPLES["rank-eval", "request of `_rank_eval`"][0]
SRW = EXAMPLES["srw", "judgment list of OpenSearch's Search Relevance Workbench"][0]
MILVUS = EXAMPLES["milvus", "hits of Milvus"][0]
HOSTILE: dict[str, tuple[str, Any, str]] = {
    "a query failed": (
        "run",
        changed(ES, "q2", {"error": {"type": "index_not_found_exception"}, "status": 404}),
        "query 'q2'.*the query failed: .*index_not_found.*; repeat it, or take it out",
    ),
    "an answer has no list": ("run", changed(ES, "q2", {"took": 1}), "in which hits.hits is miss"),
    "a list is no list": ("run", changed(ES, "q2.hits.hits", 7), "in which hits.hits is missing"),
    "a list is null": ("run", changed(ES, "q2.hits", {"hits": None}), "hits.hits is missing"),
    "an id is missing": ("run", changed(ES, "q2.hits.hits.1._id", None), "None|null"),
    "an id is a list": ("run", changed(ES, "q2.hits.hits.1._id", ["d"]), r"\['d'\]"),
    "a document twice": ("run", changed(ES, "q2.hits.hits.1._id", "y"), "'y' appears twice"),
    "a score is a word": ("run", changed(ES, "q2.hits.hits.1._score", "high"), "'high'"),
    "a score is missing": ("run", changed(ES, "q2.hits.hits.1._score", None), "null|None"),
    "a label is a word": ("qrels", changed(RANK_EVAL, "requests.1.ratings.0.rating", "x"), "'x'"),
    "a judged id twice": (
        "qrels", changed(RANK_EVAL, "requests.0.ratings.1._id", "a"), "'a' appears twice",
    ),
    "a query twice": ("qrels", changed(RANK_EVAL, "requests.1.id", "q1"), "has several answers"),
    "a query is null": ("qrels", changed(SRW, "judgmentRatings.1.query", None), "which query"),
    "ratings are no list": ("qrels", changed(SRW, "judgmentRatings.1.ratings", 3), "ratings is"),
    "distances without an order": (
        "run", changed(MILVUS, "q1.0.distance", 1.5), "rise along some lists and fall along others",
    ),
    "distances in two orders": (
        "run", changed(MILVUS, "q2.1.distance", 9.0), "rise along some lists and fall along others",
    ),
    "distances like similarities": (
        "run", {"q1": [{"id": "b", "distance": 0.9}, {"id": "a", "distance": 0.1}]},
        "fall along the list, so they may be similarities; choose --run-format distances",
    ),
    "no entry of retrieval": (
        "run", [{"run_type": "llm", "inputs": {"query": "q1"}, "outputs": {"documents": []}}],
        "none of its 1 entries is of retrieval",
    ),
    "nothing known": (
        "run", {"q1": {"treffer": [{"nummer": "a"}]}}, "need|no column|found",
    ),
    "judges who differ": (
        "qrels",
        {"query_doc_pairs": [{"query_text": "q1", "doc_id": "a", "judgements": [
            {"rating": 1.0}, {"rating": 3.0},
        ]}]},
        "judges differ, '1.0', '3.0'; give one label",
    ),
    "two systems": (
        "run",
        {"results": [{"queryText": "q1", "snapshots": [{"docIds": ["a"]}, {"docIds": ["b"]}]}]},
        "2 lists of documents in snapshots; choose one, as in --path list=snapshots.0.docIds",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", HOSTILE)
def test_what_is_not_as_it_should_be_is_refused(mistake: str) -> None:
    kind, document, message = HOSTILE[mistake]
    for given in (
        document,
        io.BytesIO(json.dumps(document).encode()),
        io.BytesIO(json.dumps(document, indent=2).encode()),
    ):
        with pytest.raises(rm.InputError, match=message):
            value(kind, given)


@pytest.mark.parametrize("at", [1, 10, 100, 300, -2])
def test_a_document_that_ends_early_is_refused(at: int) -> None:
    with pytest.raises(rm.InputError):
        value("run", io.BytesIO(json.dumps(ES).encode()[:at]))


def test_scores_that_contradict_the_order_give_way_to_it_and_that_is_said() -> None:
    rising = answers(lambda held: {"result": held}, lambda d, s: scored(d, 4 - s))
    for given in (rising, io.BytesIO(json.dumps(rising).encode())):
        with pytest.warns(rm.RankmarkWarning, match="do not fall along the list.*is the ranking"):
            assert value("run", given) == RIGHT
    ev = rm.evaluate(QRELS, rising, "nDCG@10", contents="scores")
    turned = {q: {d: 4 - s for d, s in held.items()} for q, held in RUN.items()}
    assert ev["nDCG@10"] == rm.evaluate(QRELS, turned, "nDCG@10", contents="scores")["nDCG@10"]


def test_an_unknown_shape_is_refused_with_the_nearest_and_what_it_lacks(tmp_path: Path) -> None:
    rows = [{"user_input": q, "retrieved_contexts": ["text"]} for q in RUN]
    file = tmp_path / "ragas.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    with pytest.raises(rm.SchemaError, match=r"\(ragas\), in which retrieved_context_ids"):
        value("run", file)
    paths = {"list": "retrieved_contexts"}
    assert rm.evaluate({"q1": {"text": 1}}, file, "RR", run_columns=paths)["RR"] == 1


def test_a_retriever_without_ids_is_no_other_entry() -> None:
    run = {"run_type": "retriever", "inputs": {"query": "q1"}, "outputs": {"documents": [{"x": 1}]}}
    for indent in (None, 1):
        with pytest.raises(rm.SchemaError, match=r"\(langsmith\), in which id or metadata"):
            value("run", io.BytesIO(json.dumps([run], indent=indent).encode()))


def test_paths_read_what_no_shape_describes(tmp_path: Path) -> None:
    document = {"data": [
        {"frage": q, "antwort": {"treffer": [{"nr": d, "wert": s} for d, s in held.items()]}}
        for q, held in RUN.items()
    ]}  # fmt: skip
    file = tmp_path / "a.json"
    file.write_text(json.dumps(document))
    paths = {
        "list": "antwort.treffer", "doc_id": "nr", "score": "wert", "query_id": "frage",
    }  # fmt: skip
    for given in (document["data"], file):
        if given is file:
            file.write_text(json.dumps(document["data"]))
        ev = rm.evaluate(QRELS, given, "nDCG@10", run_columns=paths)
        assert ev["nDCG@10"] == RIGHT
        assert ev.settings["run"] | {"name": 0, "sha256": 0} == {
            "name": 0, "sha256": 0, "form": "paths", "columns": paths,
        }  # fmt: skip
        by_key = {q: held["antwort"] for q, held in zip(RUN, document["data"], strict=True)}
    del paths["query_id"]
    paths["list"] = "treffer"
    assert rm.evaluate(QRELS, by_key, "nDCG@10", columns=paths)["nDCG@10"] == RIGHT
    with pytest.raises(rm.SchemaError, match="it is not what the paths name"):
        rm.evaluate(QRELS, by_key, columns=paths | {"list": "hits"})


def test_a_format_that_is_named_is_the_only_one() -> None:
    with pytest.raises(rm.SchemaError, match="it is not quepid"):
        value("run", io.BytesIO(json.dumps(ES).encode()), form="quepid")
    with pytest.raises(rm.InputError, match=r"format is 'elastic'; need one of .*elasticsearch"):
        value("run", io.BytesIO(json.dumps(ES).encode()), form="elastic")


def test_duplicates_and_ties_are_those_of_scores() -> None:
    twice = changed(ES, "q1.hits.hits.2._id", "b")
    assert rm.evaluate(QRELS, twice, "nDCG@10", duplicates="best")["nDCG@10"] == RIGHT
    tied = changed(ES, "q1.hits.hits.1._score", 3.0)
    run = {**RUN, "q1": {"b": 3.0, "a": 3.0, "x": 1.0}}
    assert value("run", tied) == rm.evaluate(QRELS, run, "nDCG@10")["nDCG@10"]


def test_a_query_without_hits_counts() -> None:
    for given in (changed(ES, "q2.hits.hits", []), changed(ES, "q1.hits.hits", [])):
        left = {q: s for q, s in RUN.items() if given[q]["hits"]["hits"]}
        wanted = rm.evaluate(QRELS, left, "nDCG@10")["nDCG@10"]
        assert value("run", given) == wanted
        assert value("run", io.BytesIO(json.dumps(given, indent=1).encode())) == wanted
        lines = "".join(f"{json.dumps({q: one})}\n" for q, one in given.items())
        assert value("run", io.BytesIO(lines.encode())) == wanted


def test_distances_are_read_as_they_are_named() -> None:
    falling = {"q1": [{"id": "a", "distance": 0.9}, {"id": "b", "distance": 0.1}]}
    for form, best in (("distances", "b"), ("milvus", "a")):
        for given in (falling, io.BytesIO(json.dumps(falling).encode())):
            assert rm.evaluate({"q1": {best}}, given, "RR", run_format=form)["RR"] == 1
    rows = [{"query_id": "q1", "doc_id": d, "distance": n} for d, n in (("a", 0.9), ("b", 0.1))]
    lines = "query_id,doc_id,distance\nq1,a,0.9\nq1,b,0.1\n"
    for data in (json.dumps(rows).encode(), lines.encode(), None):
        with pytest.raises(rm.SchemaError, match=r"fall along the list|if the lowest is the best"):
            rm.evaluate({"q1": {"b"}}, io.BytesIO(data) if data else rows)
        for told in ({"run_format": "distances"}, {"columns": {"rank": "distance"}}):
            given = io.BytesIO(data) if data else rows
            assert rm.evaluate({"q1": {"b"}}, given, "RR", **told)["RR"] == 1


ODD = (None, 7, -1.5, True, "x", "", [], {}, [None], {"x": None}, [[]], [{}], "[1", 10**400)


def places_in(held: Any, path: str = "") -> Iterator[str]:
    """Yield the path of everything that an object of JSON contains."""
    pairs = held.items() if isinstance(held, dict) else enumerate(held)
    for key, inner in pairs:
        here = f"{path}\0{key}"
        yield here
        if isinstance(inner, (dict, list)):
            yield from places_in(inner, here)


@pytest.mark.parametrize(("key", "document", "right"), CASES)
def test_whatever_stands_anywhere_is_read_or_refused(
    key: tuple[str, str], document: Any, right: float
) -> None:
    chance = random.Random(right)
    places = [*places_in(document)]
    for _ in range(20):
        copy = json.loads(json.dumps(document))
        *outer, last = chance.choice(places)[1:].split("\0")
        held = copy
        for step in outer:
            held = held[int(step) if isinstance(held, list) else step]
        held[int(last) if isinstance(held, list) else last] = chance.choice(ODD)
        for given in (copy, io.BytesIO(json.dumps(copy).encode())):
            with contextlib.suppress(rm.RankmarkError), warnings.catch_warnings():
                warnings.simplefilter("ignore", rm.RankmarkWarning)
                assert 0 <= value(KINDS[key], given) <= 1
