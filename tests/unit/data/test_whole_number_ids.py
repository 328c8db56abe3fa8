"""Ids that are numbers in a table meet ids that are text, by the digits as they are written out."""

import warnings
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm

MEASURES = ["nDCG@3", "AP", "RR", "NumRet", "Judged@2"]
edges = st.sampled_from([0, 1, -1, 10, 2, 127, -128, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63)])


@given(
    retrieved=st.lists(edges, min_size=1, unique=True),
    judged=st.sets(
        st.one_of(
            edges.map(str),
            st.sampled_from(["01", "-0", "+1", "1.0", " 1", "", "-", "1_0", str(2**63), "１"]),
        ),
        min_size=1,
    ),
    ties=st.sampled_from(["docid", "docid-asc", "input"]),
    drop_self=st.booleans(),
    query=st.sampled_from(["q", "1", "-1", "01"]),
)
def test_numbers_meet_their_own_digits_and_no_others(
    retrieved: list[int], judged: set[str], ties: Any, drop_self: bool, query: str
) -> None:
    scores = [float(i // 3) for i in range(len(retrieved))]
    qrels = {query: {doc: 1 + i % 3 for i, doc in enumerate(sorted(judged))}}
    columns = {"query_id": [query] * len(retrieved), "score": scores}
    numbers, texts = (
        pa.table(columns | {"doc_id": pa.array(ids)})
        for ids in (np.array(retrieved, dtype=np.int64), [str(one) for one in retrieved])
    )
    found, said = [], []
    for run in (numbers, texts):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found.append(rm.evaluate(qrels, run, MEASURES, ties=ties, drop_self=drop_self))
        said.append([str(one.message) for one in caught])
    one, other = found
    assert one.scores.tobytes() == other.scores.tobytes()
    assert str(one.audit) == str(other.audit)
    assert said[0] == said[1]


@pytest.mark.parametrize(
    "kind", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
)
def test_numbers_of_any_width_are_ids(kind: str) -> None:
    info = np.iinfo(kind)
    ids = np.array([info.max, info.min, 7], dtype=kind)
    table = pa.table({"query_id": ["q"] * 3, "doc_id": ids, "score": [3.0, 2.0, 1.0]})
    for rank, doc in enumerate(ids.tolist(), 1):
        assert rm.evaluate({"q": {str(doc): 1}}, table, "RR")["RR"] == 1 / rank
    with pytest.raises(rm.DuplicateError, match=f"document '{info.max}' appears twice"):
        rm.evaluate({"q": {"7": 1}}, pa.concat_tables([table, table.slice(0, 1)]))
