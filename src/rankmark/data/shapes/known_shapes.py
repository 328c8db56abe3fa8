"""The shapes in which tools write judgments and rankings: data, which the walker reads.

To add one, add an entry here and an example to its test; the page of formats follows from this
table.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from rankmark.data.shapes.plain_forms import WITH_EMPTY_CELLS

if TYPE_CHECKING:
    from rankmark.data.contract.source_options import Kind


class Shape(NamedTuple):
    """Where judgments or a ranking stand in what a tool writes.

    A path is the names of fields with dots between them; names may contain dots themselves. A
    number is a place in a list, ``*`` stands for every field, and the items of lists on the way are
    put together. Of several paths with ``|`` between them, the first that is there counts.

    Parameters
    ----------
    name
        What ``format`` calls it; shapes of one tool share a name.
    what
        What it is, for the documentation.
    kind
        Whether it contains judgments or a run.
    list
        The path of a query's documents. If these are a mapping, its keys are ``key``, its values
        ``value``, and a value that is a list stands for several documents with one key.
    id
        The path of the id in a document; empty if the document is its id.
    number
        The path of the label or score in a document; empty if the order is the ranking, or all
        documents are relevant.
    queries
        The path of the queries, a list or a mapping by query; None if answers stand in any of
        these: ``{query: answer}``, objects with a query beside the answer, or one on each line.
    query
        The path of the query in each of ``queries``; empty if these are a mapping by query.
    rows
        Whether each of ``queries`` is one document of a query.
    only
        What only objects to be read have, a path or ``path=value``; others are left out, as the
        other spans of traces.
    needs
        A path in a document that tells this shape from others.
    unless
        A path in a document of another shape.
    beside
        A path in an answer that tells this shape from others.
    fields
        The fields that each row has, and no others.
    distance
        Whether the number is a distance or a similarity, as the index was made: the order of the
        documents is the ranking then, along which all numbers rise, or all fall.
    lowest
        Whether the lowest number is the best, as of distances.
    cut
        What ends the part of an id that is left out.
    texts
        Where else the texts of queries stand whose ids are keys: a path, and in each object there
        the paths of the id and of the text, which is the query then.
    single
        The path of what holds one list of documents, and would mix several.
    failed
        The path of what an engine writes where a query failed.
    """

    name: str
    what: str
    kind: Kind
    list: str
    id: str = ""
    number: str = ""
    queries: str | None = None
    query: str = ""
    rows: bool = False
    only: str = ""
    needs: str = ""
    unless: str = ""
    beside: str = ""
    fields: frozenset[str] = frozenset()
    distance: bool = False
    lowest: bool = False
    cut: str = ""
    texts: tuple[str, ...] = ()
    single: str = ""
    failed: str = ""


_SOURCE = "hits.hits._source"  # of an index of OpenSearch's workbench, as searches return it
_RELEVANT = (
    "relevant|relevant_ids|relevant_docs|relevant_documents|relevant_doc_ids|relevant_document_ids|"
    "expected|expected_ids|expected_docs|expected_doc_ids|expected_document_ids|gold|gold_ids|"
    "gold_docs|gold_doc_ids|positives|positive_ids|ground_truth_ids|doc_ids|document_ids"
)
_RETRIEVED = (
    "retrieved|retrieved_ids|retrieved_docs|retrieved_doc_ids|retrieved_documents|"
    "retrieved_document_ids|retrieved_chunk_ids|retrieval_context_ids|doc_ids|document_ids"
)
_CASES = "queries|examples|items|cases|test_cases|"
_QUERY = "id|_id|query_id|qid|query|question|user_input|input"
_DISTANCE = "distance|_distance|vector_distance|cosine_distance|dist"
_DOCUMENT_ID = (
    "id|metadata.id|metadata.doc_id|metadata.document_id|metadata.chunk_id|"
    "kwargs.metadata.id|kwargs.metadata.doc_id|kwargs.id"
)
_DOCUMENT_SCORE = "score|metadata.score|metadata.relevance_score"
_OTEL = (
    "attributes.gen_ai.retrieval.documents|span_attributes.gen_ai.retrieval.documents|"
    "gen_ai.retrieval.documents"
)
_OTEL_QUERY = (
    "attributes.gen_ai.retrieval.query.text|span_attributes.gen_ai.retrieval.query.text|"
    "gen_ai.retrieval.query.text|attributes.gen_ai.retrieval.query|attributes.input.value"
)
_SPANS = "resourceSpans.scopeSpans.spans|resource_spans.scope_spans.spans|spans|data|"

# fmt: off
SHAPES: tuple[Shape, ...] = (
    Shape("elasticsearch", "responses of Elasticsearch and OpenSearch to searches", "run",
          "hits.hits", "_id", "_score", failed="error"),
    Shape("elasticsearch", "responses to `_msearch`, which have no ids of queries", "run",
          "hits.hits", "_id", "_score", queries="responses", query="_", failed="error"),
    Shape("rank-eval", "request of `_rank_eval`", "qrels",
          "ratings", "_id", "rating", queries="requests", query="id"),
    Shape("rank-eval", "response of `_rank_eval`", "run",
          "hits", "hit._id", "hit._score", queries="details"),
    Shape("solr", "responses of Solr", "run",
          "response.docs", "id", "score", failed="error"),
    Shape("solr", "grouped responses of Solr", "run",
          "grouped.*.groups.doclist.docs|grouped.*.doclist.docs", "id", "score",
          single="grouped", failed="error"),
    Shape("vespa", "responses of Vespa", "run",
          "root.children", "id", "relevance", cut="::", failed="root.errors"),
    Shape("typesense", "responses of Typesense", "run",
          "hits", "document.id", needs="document"),
    Shape("typesense", "grouped responses of Typesense", "run",
          "grouped_hits.hits", "document.id", needs="document"),
    Shape("qdrant", "responses of Qdrant", "run",
          "result.points|result|points", "id", "score"),
    Shape("qdrant", "grouped responses of Qdrant", "run",
          "result.groups.hits|groups.hits", "id", "score"),
    Shape("weaviate", "responses of Weaviate to GraphQL", "run",
          "data.Get.*", "_additional.id", single="data.Get", failed="errors"),
    Shape("weaviate", "objects of Weaviate", "run",
          "objects", "uuid|id"),
    Shape("weaviate", "objects of Weaviate in lists", "run",
          "", "uuid|_additional.id",
          "metadata.score|metadata.certainty|score|certainty|_additional.score"),
    Shape("milvus", "hits of Milvus", "run",
          "data|", "id", "distance", needs="entity", distance=True, failed="message"),
    Shape("distances", "hits with a distance, of which the lowest is the best", "run",
          "results|hits|data|", "id|_id|doc_id|docid|document_id|chunk_id", _DISTANCE,
          needs=_DISTANCE, unless="entity|score|_score|similarity|relevance|document|rank",
          lowest=True),
    Shape("distances", "rows with a distance, of which the lowest is the best", "run",
          "", "doc_id|docid|document_id|chunk_id|item_id|id|_id", _DISTANCE, queries="",
          query="query_id|qid|query|question|user_id", rows=True, needs=_DISTANCE,
          unless="entity|score|_score|similarity|relevance|rank", lowest=True),
    Shape("pinecone", "responses of Pinecone", "run",
          "matches", "id", "score"),
    Shape("chroma", "results of Chroma for a query", "run",
          "ids", beside="distances"),
    Shape("algolia", "responses of Algolia", "run",
          "hits", "objectID"),
    Shape("meilisearch", "responses of Meilisearch", "run",
          "hits", "id", "_rankingScore", needs="_rankingScore"),
    Shape("srw", "judgment list of OpenSearch's Search Relevance Workbench", "qrels",
          "ratings", "docId", "rating", query="query",
          queries=f"judgmentRatings|_source.judgmentRatings|{_SOURCE}.judgmentRatings"),
    Shape("srw", "results of a pairwise experiment of the workbench", "run",
          "snapshots.docIds", query="queryText|query_text|searchText", single="snapshots",
          queries=f"results|_source.results|{_SOURCE}.results"),
    Shape("srw", "evaluation results of the workbench", "run",
          "documentIds", queries=f"evaluationResultList|{_SOURCE}|_source|", query="searchText"),
    Shape("quepid", "ratings of Quepid, as JSON", "qrels",
          "ratings", "key", "value", queries="queries", query="query|query_text"),
    Shape("quepid", "ratings of Quepid, as rows", "qrels",
          "", "docid", "rating", queries="", query="query", rows=True,
          fields=WITH_EMPTY_CELLS),
    Shape("quepid", "book of Quepid", "qrels",
          "", "doc_id", "judgements.rating", queries="query_doc_pairs", query="query_text",
          rows=True),
    Shape("quepid", "snapshot of Quepid", "run",
          "", "id", queries="docs", texts=("queries", "query_id", "query_text")),
    Shape("rre", "ratings of Rated Ranking Evaluator by grade", "qrels",
          "relevant_documents|relevantDocuments", "value", "key",
          queries="topics.query_groups|topics.queryGroups|query_groups|queryGroups|queries",
          query="queries.placeholders.$query|placeholders.$query"),
    Shape("rre", "ratings of Rated Ranking Evaluator by document", "qrels",
          "relevant_documents|relevantDocuments", "key", "value.gain",
          queries="topics.query_groups|topics.queryGroups|query_groups|queryGroups|queries",
          query="queries.placeholders.$query|placeholders.$query", needs="value.gain"),
    Shape("otel", "spans of OpenTelemetry with `gen_ai.retrieval.documents`", "run",
          _OTEL, "id", "score", queries=_SPANS, query=_OTEL_QUERY, only=_OTEL),
    Shape("openinference", "spans of OpenInference, as Phoenix writes them", "run",
          "attributes.retrieval.documents", "document.id", "document.score", queries=_SPANS,
          query="attributes.input.value", only="attributes.retrieval.documents"),
    Shape("langfuse", "observations of Langfuse of type RETRIEVER", "run",
          "output.documents|output", _DOCUMENT_ID, _DOCUMENT_SCORE,
          queries="data|observations|", query="input.query|input.question|input",
          only="type=RETRIEVER"),
    Shape("langsmith", "runs of LangSmith of type retriever", "run",
          "outputs.documents|outputs.output", _DOCUMENT_ID, _DOCUMENT_SCORE,
          queries="", query="inputs.query|inputs.question|inputs.input",
          only="run_type=retriever"),
    Shape("letor", "lines of SVMlight, LETOR and RankLib, `2 qid:1 1:0.5 #docid = a`", "qrels",
          "", "docid", "label", queries="", query="qid", rows=True,
          fields=frozenset({"label", "qid", "docid", "line"})),
    Shape("ragas", "samples of ragas: what should have been retrieved", "qrels",
          "reference_context_ids", queries="samples|", query="user_input|question"),
    Shape("ragas", "samples of ragas: what was retrieved", "run",
          "retrieved_context_ids", queries="samples|", query="user_input|question"),
    Shape("browsecomp-plus", "runs of BrowseComp-Plus, in a folder or a line each", "run",
          "retrieved_docids", queries="", query="query_id"),
    Shape("phoenix", "retrieved documents of Phoenix, in rows", "run",
          "", "document_id|document.id", "document_score", queries="", query="input", rows=True,
          needs="document_position"),
    Shape("golden", "objects with a query and its relevant ids", "qrels",
          _RELEVANT, queries=_CASES, query=_QUERY),
    Shape("golden", "objects with a query and labels by document", "qrels",
          _RELEVANT, "key", "value", queries=_CASES, query=_QUERY),
    Shape("golden", "objects with a query and its judged documents", "qrels",
          _RELEVANT, "id|_id|doc_id|docid|document_id|chunk_id",
          "grade|label|relevance|rating|score|gain", queries=_CASES, query=_QUERY,
          needs="grade|label|relevance|rating|score|gain"),
    Shape("golden", "objects with a query and the ids that were retrieved", "run",
          _RETRIEVED, queries=_CASES, query=_QUERY),
)
# fmt: on


OBJECTS = Shape(
    "objects", "hits of Pyserini, LlamaIndex, Weaviate and vector stores, with attributes", "run",
    "", "docid|node_id|uuid|id|pk", "score|metadata.score|metadata.certainty",
    needs="score|metadata.score|metadata.certainty|metadata.distance|distance|node",
)  # fmt: skip
"""Hits that are objects, in lists by query."""


@cache
def names() -> tuple[str, ...]:
    """Return the names of shapes, each once."""
    return (*dict.fromkeys(shape.name for shape in SHAPES),)
