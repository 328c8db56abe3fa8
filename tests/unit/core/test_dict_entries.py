"""Dicts whose entries are read where CPython keeps them give the numbers of other mappings."""

import os
import sys
import sysconfig
from types import MappingProxyType

import pytest

import rankmark as rm
from rankmark import _core

MEASURES = ["nDCG@10", "AP", "R@1000"]


def test_entries_are_read_in_place_where_their_layout_is_known() -> None:
    if os.environ.get("RANKMARK_DICT_ENTRIES") == "OFF":
        pytest.skip("the core was built without reading entries in place")
    is_known = sys.implementation.name == "cpython" and (3, 11) <= sys.version_info < (3, 15)
    is_free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    assert _core.reads_dict_entries() == (is_known and not is_free)


def a_dict(size: int) -> dict[str, float]:
    return {f"d{number}": float(-number) for number in range(size)}


def without_some(size: int) -> dict[str, float]:
    held = a_dict(size)
    for number in range(0, size, 3):
        del held[f"d{number}"]
    return held


def attributes(size: int) -> dict[str, float]:
    one = type("Scores", (), {})()
    for document, score in a_dict(size).items():
        setattr(one, document, score)
    held: dict[str, float] = vars(one)
    return held


def with_a_key_that_was_no_text(size: int) -> dict[str, float]:
    held: dict[object, float] = {1: 0.0, **a_dict(size)}
    del held[1]
    return held  # type: ignore[return-value]


@pytest.mark.parametrize("size", [3, 29, 1_000, 70_000])
@pytest.mark.parametrize("made", [a_dict, without_some, attributes, with_a_key_that_was_no_text])
def test_dicts_of_all_layouts_give_the_numbers_of_mappings(made: object, size: int) -> None:
    assert callable(made)
    if made is attributes and size > 1_000:
        pytest.skip("so many attributes are kept as a plain dict")
    run = {"q": made(size)}
    qrels = {"q": {f"d{number}": number % 4 for number in range(1, size, 7)} | {"absent": 1}}
    proxies = {"q": MappingProxyType({**run["q"]})}
    assert dict(rm.evaluate(qrels, run, MEASURES)) == dict(rm.evaluate(qrels, proxies, MEASURES))


def test_ids_are_found_whatever_objects_hold_their_text_and_after_the_last_was_taken_out() -> None:
    documents = [f"d{number}" for number in range(40)] + ["größe", "日本"]
    run = {"q": {document: -float(place) for place, document in enumerate(documents)}}
    for more in range(9):
        run["q"][f"more{more}"] = -50.0
        run["q"].popitem()
    copies = {"".join([*document]): place % 3 for place, document in enumerate(documents)}
    qrels = {"q": copies | {f"absent{number}": 1 for number in range(30)}}
    of_mapping = rm.evaluate(qrels, {"q": MappingProxyType({**run["q"]})}, MEASURES)
    assert dict(rm.evaluate(qrels, run, MEASURES)) == dict(of_mapping)


def test_ids_of_judgments_are_kept_when_the_callers_are_gone() -> None:
    qrels = {f"q{query}": {f"d{query}-{n}é": n % 2 for n in range(30)} for query in range(30)}
    run = {query: [*documents][::-1] for query, documents in qrels.items()}
    held = rm.Qrels({query: {**documents} for query, documents in qrels.items()})
    expected = dict(rm.evaluate(qrels, run, MEASURES))
    qrels.clear()
    assert held.doc_ids == tuple(
        document for documents in run.values() for document in documents[::-1]
    )
    assert dict(rm.evaluate(held, run, MEASURES)) == expected
    tied = {query: dict.fromkeys(documents, 1.0) for query, documents in run.items()}
    of_pairs = {query: [*documents.items()] for query, documents in tied.items()}
    assert dict(rm.evaluate(held, tied, MEASURES)) == dict(rm.evaluate(held, of_pairs, MEASURES))
