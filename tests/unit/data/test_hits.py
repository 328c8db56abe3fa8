"""Rankings as search libraries hand them over: pairs, hits, documents, scores beside ids."""

import io
import json
import uuid
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import rankmark as rm

QRELS = {"0": {"3": 2, "5": 1}, "1": {"4": 1}}
PAIRS = {"0": [("1", 0.9), ("3", 0.8), ("5", 0.2)], "1": [("4", 0.7), ("2", 0.7)]}
MEASURES = ["nDCG@10", "AP", "RR", "Judged@2"]
WANTED = tuple(
    rm.evaluate(QRELS, {q: dict(pairs) for q, pairs in PAIRS.items()}, MEASURES).values()
)
OTHER = {"0": ["3", "1"], "1": ["2", "4"]}
SIMILAR = rm.compare_rankings({q: dict(pairs) for q, pairs in PAIRS.items()}, OTHER, "RBO")["RBO"]
SCORES = np.array([[0.9, 0.8, 0.2], [0.7, 0.7, -np.inf]], dtype=np.float32)
IDS = np.array([[1, 3, 5], [4, 2, -1]])


class Document:
    """A document of LangChain's."""

    def __init__(self, metadata: dict[str, Any], own: Any = None) -> None:
        self.page_content, self.metadata, self.id = "text", metadata, own


class Point:
    """A hit of a vector store."""

    def __init__(self, own: Any, score: float) -> None:
        self.id, self.score = own, score


class TopK(NamedTuple):
    """What torch.return_types.topk shows of itself."""

    values: Any
    indices: Any


def hits(corpus_id: str = "corpus_id") -> list[list[dict[str, Any]]]:
    return [[{corpus_id: int(d), "score": s} for d, s in pairs] for pairs in PAIRS.values()]


RUNS: dict[str, Callable[[], Any]] = {
    "pairs by query": lambda: PAIRS,
    "pairs by query, ints": lambda: {
        int(q): [(int(d), s) for d, s in pairs] for q, pairs in PAIRS.items()
    },
    "pairs by query as tuples": lambda: {q: tuple(pairs) for q, pairs in PAIRS.items()},
    "pairs as lists": lambda: {q: [[d, s] for d, s in pairs] for q, pairs in PAIRS.items()},
    "pairs by place": lambda: list(PAIRS.values()),
    "pairs of NumPy's": lambda: {
        q: [(np.int64(d), np.float64(s)) for d, s in pairs] for q, pairs in PAIRS.items()
    },
    "generators of pairs": lambda: (list(pairs) for pairs in PAIRS.values()),
    "JSON of pairs": lambda: io.BytesIO(json.dumps(PAIRS).encode()),
    "JSON of hits": lambda: io.BytesIO(json.dumps(dict(zip("01", hits(), strict=True))).encode()),
    "semantic_search": hits,
    "semantic_search by query": lambda: dict(zip("01", hits(), strict=True)),
    "hits of a store": lambda: dict(zip("01", hits("id"), strict=True)),
    "points of a store": lambda: {q: [Point(*pair) for pair in PAIRS[q]] for q in PAIRS},
    "LangChain": lambda: {
        q: [(Document({"doc_id": d, "source": "x.pdf"}), s) for d, s in PAIRS[q]] for q in PAIRS
    },
    "LangChain with ids": lambda: {q: [(Document({}, d), s) for d, s in PAIRS[q]] for q in PAIRS},
    "scores and ids": lambda: (SCORES, IDS),
    "ids and scores": lambda: (IDS.astype(np.int32), SCORES.astype(np.float64)),
    "scores and ids as text": lambda: (SCORES[:, :2], IDS[:, :2].astype(str)),
    "topk": lambda: TopK(SCORES, IDS),
    "by query, ids and scores": lambda: {
        q: (IDS[int(q)], SCORES[int(q)].astype(np.float64)) for q in PAIRS
    },
    "dict items": PAIRS.items,
    "MTEB": lambda: {
        "mteb_model_meta": {"model_name": "m", "revision": "r"},
        "default": {"test": {q: dict(pairs) for q, pairs in PAIRS.items()}},
    },
    "structured": lambda: np.array(
        [(int(q), int(d), s) for q in PAIRS for d, s in PAIRS[q]],
        dtype=[("user", "i8"), ("item", "i4"), ("score", "f8")],
    ),
    "objects": lambda: np.array([(q, d, s) for q in PAIRS for d, s in PAIRS[q]], dtype=object),
}


@pytest.mark.parametrize("form", RUNS)
def test_a_run_in_every_form_scores_the_same(form: str) -> None:
    if form == "scores and ids as text":
        wanted = tuple(
            rm.evaluate(QRELS, {q: dict(PAIRS[q][:2]) for q in PAIRS}, MEASURES).values()
        )
    else:
        wanted = WANTED
    given = RUNS[form]()
    if form == "objects":
        given = [tuple(row) for row in given]
    assert tuple(rm.evaluate(QRELS, given, MEASURES).values()) == wanted


@pytest.mark.parametrize("form", sorted(RUNS.keys() - {"generators of pairs", "objects"}))
def test_other_verbs_take_them_too(form: str) -> None:
    run = rm.Run(RUNS[form]())
    assert [row["doc_id"] for row in rm.explain(QRELS, run, "0", "AP").rows][:2] == ["1", "3"]
    assert rm.check(QRELS, RUNS[form]()).ok
    if form != "scores and ids as text":
        assert rm.compare_rankings(RUNS[form](), OTHER, "RBO")["RBO"] == SIMILAR


JUDGMENTS: dict[str, Any] = {
    "pairs by query": {"0": [("3", 2), ("5", 1)], "1": [("4", 1)]},
    "pairs in sets": {"0": {("3", 2), ("5", 1)}, "1": {("4", 1)}},
    "hits": {
        "0": [{"doc_id": "3", "relevance": 2}, {"doc_id": "5", "relevance": 1}],
        "1": [{"doc_id": "4", "relevance": 1}],
    },
}


@pytest.mark.parametrize("form", JUDGMENTS)
def test_judgments_come_as_pairs_too(form: str) -> None:
    assert tuple(rm.evaluate(JUDGMENTS[form], PAIRS, MEASURES).values()) == WANTED


@pytest.mark.parametrize(
    "left_out",
    [{"0": "3", "1": "4"}, {"0": uuid.UUID(int=3), "1": uuid.UUID(int=4)}, {"0": ["3"], "1": "4"}],
)
def test_one_item_left_out_for_each_user_is_the_only_relevant_one(left_out: dict[str, Any]) -> None:
    run: Any = PAIRS
    if isinstance(left_out["0"], uuid.UUID):
        run = {q: [(uuid.UUID(int=int(d)), s) for d, s in pairs] for q, pairs in PAIRS.items()}
    assert rm.evaluate(left_out, run, "RR", ties="input")["RR"] == 0.75


def test_one_item_as_a_number_may_be_a_label_and_the_message_says_what_to_write() -> None:
    with pytest.raises(rm.SchemaError, match=r"with one id in the list where one document was"):
        rm.evaluate({0: 3, 1: 4}, PAIRS)


def test_uuids_are_ids_and_meet_their_text() -> None:
    query, one, other = uuid.uuid4(), uuid.uuid4(), uuid.uuid4()
    for run in (
        {query: {one: 0.5, other: 0.9}},
        {str(query): {str(one): 0.5, other: 0.9}},
        {query: [other, one]},
        [(query, other, 0.9), (str(query), one, 0.5)],
    ):
        ev = rm.evaluate({query: {one}}, run, "RR")
        assert ev.per_query("RR") == {str(query): 0.5}
        assert rm.explain({query: {one}}, rm.Run(run), str(query), "RR").value == 0.5


def test_hits_of_one_query_need_no_query() -> None:
    (first, _) = hits()
    wanted = tuple(rm.evaluate({"3", "5"}, ["1", "3", "5"], MEASURES).values())
    for run in (first, PAIRS["0"], [Point(d, s) for d, s in PAIRS["0"]], (SCORES[0], IDS[0])):
        assert tuple(rm.evaluate({"3", "5"}, run, MEASURES).values()) == wanted
    documents = [(Document({"id": d}), s) for d, s in PAIRS["0"]]
    assert tuple(rm.evaluate({"3", "5"}, documents, MEASURES).values()) == wanted


def test_a_document_in_several_hits_is_refused_or_counts_once() -> None:
    run = {"0": [("a#1", 0.9), ("b", 0.8), ("a#1", 0.7)]}
    with pytest.raises(rm.DuplicateError, match="document 'a#1' appears twice for query '0'"):
        rm.evaluate({"0": {"b"}}, run)
    ev = rm.evaluate({"0": {"b"}}, run, ["RR", "NumRet"], duplicates="best")
    assert tuple(ev.values()) == (0.5, 2.0)


WRONG: dict[str, tuple[Any, str]] = {
    "the score first": ({"0": [(0.9, "3")]}, r"found \(0.9, '3'\); need \(id, number\)"),
    "the score first, whole": ({"0": [(1.0, 3)]}, r"found \(1.0, 3\); need \(id, number\)"),
    "ids among pairs": ({"0": [("3", 0.9), "5"]}, "found '5'; need a pair"),
    "three in a pair": ({"0": [("3", 0.9, 1)]}, "need an id"),
    "a word for a score": ({"0": [("3", "high")]}, "document '3': found 'high'; need a number"),
    "two ids in a hit": (
        {"0": [{"doc_id": "3", "corpus_id": 1, "score": 1.0}]},
        "'doc_id' and 'corpus_id' of each hit could both be the document id",
    ),
    "no id in a hit": ({"0": [{"text": "3", "score": 1.0}]}, "in which no field has a usual name"),
    "a hit without the score": (
        {"0": [{"id": "3", "score": 1.0}, {"id": "5"}]},
        r"hit 1 \(from 0\) has no 'score'",
    ),
    "a document without an id": (
        {"0": [(Document({"source": "x.pdf"}), 0.5)]},
        r"document without one id: its metadata has 'source'; say what its id is, as in \{query:",
    ),
    "a document with two": ({"0": [(Document({"doc_id": "a"}, "b"), 0.5)]}, "and its id differ"),
    "both of floats": ((SCORES, SCORES), "both arrays hold floats"),
    "both of whole numbers": ((IDS, IDS), "both arrays hold whole numbers"),
    "other shapes": ((SCORES, IDS[:, :2]), "need one shape"),
    "distances": ((np.sort(SCORES, axis=1), IDS), "rise along every row, .*distances"),
    "two splits": (
        {"mteb_model_meta": {}, "default": {"test": {}, "dev": {}}},
        "have default/test and default/dev; give one of them, as in",
    ),
    "an answer": ({"0": "3"}, "found '3'; need"),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_what_cannot_be_told_is_refused_with_what_to_write(mistake: str) -> None:
    given, message = WRONG[mistake]
    with pytest.raises(rm.SchemaError, match=message):
        rm.evaluate(QRELS, given)


def test_mteb_files_are_read() -> None:
    file = io.BytesIO(json.dumps(RUNS["MTEB"]()).encode())
    assert tuple(rm.evaluate(QRELS, file, MEASURES).values()) == WANTED
    many = {"mteb_model_meta": {}, "en": {"test": {}}, "de": {"test": {}}}
    with pytest.raises(rm.SchemaError, match="have en/test and de/test"):
        rm.evaluate(QRELS, io.BytesIO(json.dumps(many).encode()))


def test_datasets_of_ir_datasets_give_their_judgments_and_runs() -> None:
    class TrecQrel(NamedTuple):
        query_id: str
        doc_id: str
        relevance: int
        iteration: str

    class GenericScoredDoc(NamedTuple):
        query_id: str
        doc_id: str
        score: float

    class Dataset:
        def qrels_iter(self) -> Any:
            return (TrecQrel(q, d, n, "0") for q, held in QRELS.items() for d, n in held.items())

        def scoreddocs_iter(self) -> Any:
            return (GenericScoredDoc(q, d, s) for q in PAIRS for d, s in PAIRS[q])

    dataset: Any = Dataset()
    assert tuple(rm.evaluate(dataset, dataset, MEASURES).values()) == WANTED
    assert (
        tuple(rm.evaluate(dataset.qrels_iter(), dataset.scoreddocs_iter(), MEASURES).values())
        == WANTED
    )


def test_whole_numbers_as_floats_may_be_ids_or_scores() -> None:
    ids = np.array([[1.0, 3.0], [4.0, 2.0]])
    with pytest.raises(
        rm.SchemaError, match=r"whole numbers stored as floats, .*contents=\"ids\" or"
    ):
        rm.evaluate(QRELS, ids)
    assert rm.evaluate(QRELS, ids, "RR", contents="ids")["RR"] == 0.75
    dense = np.array([[0, 1, 2, 3, 0, 5], [0, 0, 0, 0, 1, 0]])
    scores = np.array([[0.0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0]])
    assert rm.evaluate(dense, scores, "RR")["RR"] == pytest.approx(0.6)
