"""Ids and numbers that are none, in every form: refused or read alike, and never raw errors."""

from __future__ import annotations

import json
import math
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rankmark as rm

HUGE = 10**5000  # more digits than Python writes
DEEP: Any = {}
for _ in range(5000):
    DEEP = {"deeper": DEEP}
ITSELF: list[Any] = []
ITSELF.append(ITSELF)
NONE = [HUGE, np.array([1, 2]), DEEP, ITSELF, 1j]  # no word, no truth value, no number
QUERIES = {"half": "\ud800", "byte": "a\udce9", "nobody": "nobody", "empty": "", "long": HUGE}


def type_of(one: object) -> str:
    return type(one).__name__


def written(document: Any, folder: Path) -> Path:
    """Write JSON that holds numbers of any length."""
    path = folder / "hostile.json"
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        path.write_text(json.dumps(document), encoding="utf-8")
    finally:
        sys.set_int_max_str_digits(limit)
    return path


def forms(query: Any, doc: Any, number: Any, folder: Path) -> dict[str, Any]:
    """Give one judgment, or one retrieved document, in every form that can hold it."""
    rows = {"query_id": query, "doc_id": doc, "score": number}
    held: dict[str, Any] = {
        "tuples": [(query, doc, number)],
        "records": [rows],
        "frame": pd.DataFrame({name: [value] for name, value in rows.items()}, dtype=object),
    }
    try:
        held["dict"] = {query: {doc: number}}
        held["mapping"] = MappingProxyType({query: MappingProxyType({doc: number})})
    except TypeError:  # it cannot be hashed
        pass
    if all(isinstance(one, (str, int, float, type(None))) for one in rows.values()):
        held["JSON"] = written([rows], folder)
    return held


def passes(qrels: Any, run: Any) -> bool:
    """Say whether a check finds nothing wrong; it refuses several runs where it takes one."""
    try:
        return rm.check(qrels, run).ok
    except rm.InputError:
        return False


class OddRatio:
    """What says that it is a decimal, and is none."""

    def __init__(self, ratio: object) -> None:
        self.ratio = ratio

    def as_integer_ratio(self) -> object:
        return self.ratio


NO_IDS = {
    **{
        f"a ratio {ratio}": OddRatio(ratio)
        for ratio in (("5", 1), (5, "1"), (None, 1), (5, 2**70), (5.0, 1), (5,), "no", 5)
    },
    "half of a surrogate pair": "\ud800",
    "a byte that was not UTF-8": "a\udce9",
    "NumPy's text": np.str_("\udfff"),
    "a number too long": HUGE,
    "a negative number too long": -HUGE,
    "NaN": math.nan,
    "infinity": math.inf,
    "a fraction": 1.5,
    "a float too large": 1e300,
    "None": None,
    "a truth value": True,
    "NumPy's truth value": np.True_,
    "Decimal's NaN": Decimal("NaN"),
    "Decimal's signaling NaN": Decimal("sNaN"),
    "a complex number": 1j,
    "NumPy's complex number": np.complex64(1),
    "a missing value": pd.NA,
    "a missing time": pd.NaT,
    "bytes": b"a",
    "a list": ["a"],
    "a list that holds itself": ITSELF,
    "a mapping nested deep": DEEP,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["qrels", "run"])
@pytest.mark.parametrize("place", ["query", "document"])
@pytest.mark.parametrize("what", NO_IDS)
def test_what_is_no_id_is_refused_in_every_form(
    what: str, place: str, kind: str, tmp_path: Path
) -> None:
    no_id = NO_IDS[what]
    query, doc = (no_id, "a") if place == "query" else ("q", no_id)
    for form, source in forms(query, doc, 1.0, tmp_path).items():
        qrels, run = (source, {"q": {"a": 1.0}}) if kind == "qrels" else ({"q": {"a": 1}}, source)
        with pytest.raises(rm.InputError) as caught:
            rm.evaluate(qrels, run, "RR")
        assert str(caught.value).isprintable(), form
        assert not passes(qrels, run), form
        with pytest.raises(rm.InputError):
            rm.convert(source, tmp_path / "out.trec", kind="qrels" if kind == "qrels" else "run")
        assert not (tmp_path / "out.trec").exists(), form


NO_NUMBERS = {
    "a number too long": HUGE,
    "a fraction too long": Fraction(HUGE, 3),
    "NaN": math.nan,
    "NumPy's NaN": np.float16("nan"),
    "None": None,
    "Decimal's NaN": Decimal("NaN"),
    "Decimal's signaling NaN": Decimal("sNaN"),
    "a complex number": 1j,
    "NumPy's complex number": np.complex64(1 + 1j),
    "text": "1,5",
    "bytes": b"1",
    "a missing value": pd.NA,
    "a missing time": pd.NaT,
    "a list": [1],
    "an array": np.array([1.0, 2.0]),
    "a set": {1},
    "a list that holds itself": ITSELF,
    "a mapping nested deep": DEEP,
}


@pytest.mark.parametrize("kind", ["qrels", "run"])
@pytest.mark.parametrize("what", NO_NUMBERS)
def test_what_is_no_number_is_refused_in_every_form(what: str, kind: str, tmp_path: Path) -> None:
    for form, source in forms("q", "a", NO_NUMBERS[what], tmp_path).items():
        qrels, run = (source, {"q": {"a": 1.0}}) if kind == "qrels" else ({"q": {"a": 1}}, source)
        with pytest.raises(rm.InputError) as caught:
            rm.evaluate(qrels, run, "RR")
        assert len(str(caught.value)) < 500, form
        assert not passes(qrels, run), form


NUMBERS = {
    "true": (True, 1.0),
    "NumPy's true": (np.True_, 1.0),
    "minus zero": (-0.0, 0.0),
    "the least number": (5e-324, 5e-324),
    "single precision": (np.float32(0.5), 0.5),
    "half precision": (np.float16(0.5), 0.5),
    "a whole number": (np.int8(2), 2.0),
}


@pytest.mark.parametrize("what", NUMBERS)
def test_what_is_a_number_is_read_alike_in_every_form(what: str, tmp_path: Path) -> None:
    number, value = NUMBERS[what]
    for form, source in forms("q", "a", number, tmp_path).items():
        ev = rm.evaluate(source, {"q": {"a": 1.0}}, "CG")
        assert ev["CG"] == value, form
        listed = rm.evaluate({"q": {"a": 1, "b": 1}}, source, "AP")
        assert listed["AP"] == 0.5, form


def test_infinite_labels_are_refused_and_infinite_scores_rank_in_every_form(tmp_path: Path) -> None:
    for source in forms("q", "a", math.inf, tmp_path).values():
        with pytest.raises(rm.InputError, match="finite"):
            rm.Qrels(source)
        assert rm.evaluate({"q": {"a": 1}}, source, "RR")["RR"] == 1


@pytest.mark.parametrize("text", ['{"q": {"\\ud800": 1}}', '{"\\udc80": {"a": 1}}'])
def test_json_that_escapes_half_a_surrogate_pair_is_refused_by_whoever_reads_it(
    text: str, tmp_path: Path
) -> None:
    path = tmp_path / "half.json"
    path.write_text(text, encoding="utf-8")
    gold = {"q": {"a": 1}}
    for read in (
        lambda: rm.Qrels(path),
        lambda: rm.evaluate(gold, path),
        lambda: rm.explain(gold, path, "q"),
        lambda: rm.explain(path, {"q": {"a": 1.0}}, "q"),
        lambda: rm.compare_rankings(path, path),
        lambda: rm.convert(path, tmp_path / "out.trec", kind="run"),
        lambda: rm.evaluate(path, {"q": {"a": 1.0}}, "alpha_nDCG@10"),
    ):
        with pytest.raises(rm.InputError, match=r"Unicode|not an id|need an id|subtopic") as caught:
            read()
        assert str(caught.value).isprintable()


def test_json_with_a_number_too_long_says_what_to_do(tmp_path: Path) -> None:
    for document in ({"q": {"a": HUGE}}, [{"query_id": HUGE, "doc_id": "a", "label": 1}]):
        with pytest.raises(rm.ParseError, match=r"more than 4,300 digits.*; write ids as text"):
            rm.Qrels(written(document, tmp_path))


def test_json_nested_without_end_is_refused(tmp_path: Path) -> None:
    for text in ('{"q": ' * 100_000 + "1" + "}" * 100_000, "[" * 200_000):
        path = tmp_path / "deep.json"
        path.write_text(text, encoding="utf-8")
        for read in (rm.Qrels, lambda path: rm.evaluate({"q": {"a": 1}}, path)):
            with pytest.raises(rm.InputError):
                read(path)
        assert not rm.check(path, path).ok


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_a_query_named_that_nobody_judged_is_told(query: Any) -> None:
    gold, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    with pytest.raises(rm.InputError):
        rm.explain(gold, run, query)
    with pytest.raises(rm.InputError):
        rm.evaluate(gold, run, queries=[query])
    with pytest.raises(rm.InputError):
        rm.evaluate(gold, run).explain(query, "AP")


@pytest.mark.parametrize("value", [*NONE, "\ud800"], ids=type_of)
@pytest.mark.parametrize(
    "convention",
    ["depth", "ties", "no_relevant", "duplicates", "precision", "judged_only", "drop_self"],
)
def test_a_convention_that_is_none_is_told(convention: str, value: Any) -> None:
    if convention == "depth" and value is HUGE:
        return  # deeper than any ranking
    with pytest.raises(rm.InputError, match=rf"^{convention} is ") as caught:
        rm.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, **{convention: value})
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("value", [*NONE, -HUGE], ids=type_of)
def test_a_parameter_that_is_none_is_told(value: Any) -> None:
    for made in (
        lambda: rm.AP(rel=value),
        lambda: rm.RBP(p=value),
        lambda: rm.nDCG(gain={0: 1, 1: value}),
        lambda: rm.nDCG(ideal=value),
        lambda: rm.similarity.RBO(p=value),
    ):
        with pytest.raises(rm.RankmarkError):
            made()


def test_a_field_or_column_with_any_name_does_no_harm() -> None:
    odd: dict[Any, Any] = {HUGE: 1, "\ud800": 2, None: 3, 1.5: 4, (1, 2): 5}
    row = {"query_id": "q", "doc_id": "a", "label": 1}
    assert len(rm.Qrels([row | odd])) == 1
    frame = pd.DataFrame([row | dict.fromkeys(odd, 1)])
    assert len(rm.Qrels(frame)) == 1
    assert len(rm.Qrels(frame.assign(read=1))) == 1  # an attribute like a file's
    source = [{"query_id": "q", "\ud800": "a"}]
    with pytest.raises(rm.SchemaError, match="no column has a usual name for doc_id"):
        rm.Qrels(source)
    assert len(rm.Qrels(source, columns={"doc_id": "\ud800"})) == 1


def test_labels_whose_sums_no_double_holds_are_checked_all_the_same() -> None:
    run = {"q": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.5}}
    report = rm.check({"q": {"a": 1.7e308, "b": 1e308, "c": 0}}, run, measures=["DCG@2"])
    assert "DCG@2" in str(report)


@pytest.mark.parametrize("second", [5, "ab", 1.5, None, ("a", 1, 2), ("a",), {"a": 1}], ids=repr)
def test_pairs_among_which_something_else_stands_are_refused_by_all(second: Any) -> None:
    run = {"q": [("a", 1.0), second]}
    for read in (
        lambda: rm.evaluate({"q": {"a": 1}}, run),
        lambda: rm.explain({"q": {"a": 1}}, run, "q"),
        lambda: rm.compare_rankings(run, run),
        lambda: rm.convert(run, "-", kind="run", to="trec"),
    ):
        with pytest.raises(rm.SchemaError, match="need a pair"):
            read()
    assert not rm.check({"q": {"a": 1}}, run).ok
