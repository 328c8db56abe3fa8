"""Mappings of every kind go in as they are, come out unchanged, and are refused by name."""

import copy
import subprocess
import sys
from collections import ChainMap, OrderedDict, UserDict, defaultdict
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import rankmark as rm

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"d": 1}}
RUN = {"q1": {"b": 0.9, "c": 0.5, "x": 0.2, "a": 0.1}, "q2": {"x": 2.0, "d": 1.0}}
MEASURES = ["nDCG", "AP", "RR", "Judged@2", "NumRelRet"]
WANTED = rm.evaluate(QRELS, RUN, MEASURES).scores.tolist()


class OnlyMapping(Mapping[Any, Any]):
    """A mapping that is no dict, and makes its values only when asked."""

    def __init__(self, held: Mapping[Any, Any]) -> None:
        self._held = held

    def __getitem__(self, key: Any) -> Any:
        return self._held[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)


class Text(str):
    """A text type of somebody's own."""

    __slots__ = ()


def scored(qrels: Any, run: Any, **conventions: Any) -> Any:
    return rm.evaluate(qrels, run, MEASURES, **conventions).scores.tolist()


FORMS: dict[str, Callable[[Mapping[Any, Any]], Mapping[Any, Any]]] = {
    "OrderedDict": OrderedDict,
    "defaultdict": lambda held: defaultdict(dict, held),
    "UserDict": UserDict,
    "ChainMap": lambda held: ChainMap(dict(held)),
    "MappingProxyType": MappingProxyType,
    "a Mapping of one's own": OnlyMapping,
}


@pytest.mark.parametrize("outer", FORMS)
@pytest.mark.parametrize("inner", ["dict", *FORMS])
def test_any_mapping_will_do(outer: str, inner: str) -> None:
    def made(nested: Mapping[str, Any]) -> Mapping[str, Any]:
        return FORMS[outer]({q: FORMS.get(inner, dict)(docs) for q, docs in nested.items()})

    assert scored(made(QRELS), RUN) == WANTED
    assert scored(QRELS, made(RUN)) == WANTED
    assert scored(made(QRELS), made(RUN)) == WANTED


def test_an_ordered_dict_is_taken_in_its_own_order() -> None:
    ranking = OrderedDict.fromkeys("xab", 1.0)
    ranking.move_to_end("x")
    assert list(ranking) == ["a", "b", "x"]
    assert rm.evaluate({"q": {"x": 1}}, {"q": ranking}, ["RR"], ties="input")["RR"] == 1 / 3


def test_order_matters_only_where_input_order_was_asked_for() -> None:
    turned = {q: dict(reversed(docs.items())) for q, docs in reversed(RUN.items())}
    assert scored(QRELS, turned) == WANTED
    tied = {"q": dict.fromkeys("abc", 1.0)}
    assert rm.evaluate({"q": {"a": 1}}, tied, ["RR"], ties="input")["RR"] == 1.0
    assert rm.evaluate({"q": {"a": 1}}, tied, ["RR"])["RR"] == 1 / 3


@pytest.mark.parametrize("kind", [int, np.int32, np.int64, np.uint8, np.str_, Text])
def test_whole_numbers_and_texts_of_any_type_meet_plain_text(kind: Any) -> None:
    numbers = {"1": {"5": 1, "6": 0}, "2": {"7": 2}}
    ranking = {"1": {"5": 0.5, "6": 0.7, "8": 0.6}, "2": {"7": 1.0}}

    def typed(nested: dict[str, dict[str, Any]]) -> dict[Any, dict[Any, Any]]:
        return {kind(q): {kind(d): x for d, x in docs.items()} for q, docs in nested.items()}

    wanted = scored(numbers, ranking)
    assert scored(typed(numbers), ranking) == wanted
    assert scored(numbers, typed(ranking)) == wanted
    assert scored(typed(numbers), typed(ranking)) == wanted
    assert rm.evaluate(typed(numbers), ranking, ["AP"]).queries == ("1", "2")


def test_numbers_and_texts_in_one_ranking_meet_as_well() -> None:
    assert scored({"q": {"a": 1, 5: 1}}, {"q": {"a": 1.0, "5": 2.0}}) == scored(
        {"q": {"a": 1, "5": 1}}, {"q": {"a": 1.0, 5: 2.0}}
    )
    assert rm.evaluate({"q": {"5": 1}}, {"q": {"a": 1.0, 5: 2.0}}, ["RR"])["RR"] == 1.0
    assert rm.evaluate({"q": {5: 1}}, {"q": {5: 2.0, "a": 1.0}}, ["RR"])["RR"] == 1.0


def test_one_id_as_number_and_as_text_is_a_duplicate() -> None:
    for nested in ({"q": {1: 1, "1": 2}}, {"q": {"1": 2, 1: 1}}, {3: {1: 1}, "3": {"1": 1}}):
        with pytest.raises(rm.DuplicateError, match="qrels"):
            rm.evaluate(nested, {"q": {"1": 1.0}})
        with pytest.raises(rm.DuplicateError, match="run"):
            rm.evaluate({"q": {"1": 1}, "3": {"1": 1}}, nested)


@pytest.mark.parametrize("key", [None, 1.5, True, b"d", ("d",), frozenset(), np.float64(0.1)])
def test_ids_that_are_neither_text_nor_whole_numbers_are_refused(key: Any) -> None:
    for qrels, run in [({key: {"d": 1}}, RUN), ({"q": {key: 1}}, RUN), (QRELS, {"q1": {key: 1.0}})]:
        with pytest.raises(rm.SchemaError, match="need an id: text or a whole number"):
            rm.evaluate(qrels, run)


@pytest.mark.parametrize(
    "one", [1, "1", 1.0, np.int64(1), np.uint8(1), np.float32(1), np.str_("1")]
)
@pytest.mark.parametrize("other", [1, "1", np.int16(1)])
def test_one_id_in_any_type_is_one_id(one: Any, other: Any) -> None:
    assert rm.evaluate({one: {one: 1}}, {other: {"a": 1.0, other: 2.0}}, "RR")["RR"] == 1.0
    assert rm.evaluate({one: {one}}, {other: ["a", other]}, "RR")["RR"] == 0.5


def test_whole_numbers_of_any_size_are_ids() -> None:
    for one in (0, -1, 2**63 - 1, -(2**63), 2**64, 10**40):
        assert rm.evaluate({one: {one: 1}}, {str(one): [str(one)]}, "RR")["RR"] == 1.0


def test_a_text_type_of_ones_own_is_the_text_that_it_holds() -> None:
    class NoCase(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            return isinstance(other, str) and self.lower() == other.lower()

        def __hash__(self) -> int:
            return hash(self.lower())

    # Python's own look-up would find q1 where there is Q1.
    run = {NoCase("Q1"): {"a": 1.0}, "q2": {"d": 1.0}}
    with pytest.warns(rm.RankmarkWarning, match="if upper and lower case were alike"):
        ev = rm.evaluate(QRELS, run, "RR")
    assert (ev.per_query("RR"), ev.audit.run_only) == ({"q1": 0.0, "q2": 1.0}, 1)
    ev = rm.evaluate({"q": {"a": 1, "b": 1}}, {"q": {NoCase("A"): 2.0, "b": 1.0}}, "RR")
    assert ev["RR"] == 0.5


def test_lists_stand_best_first_and_sets_are_relevant() -> None:
    for relevant in ({"b", "c"}, ["c", "b"], ("b", "c"), frozenset("bc"), np.array(["b", "c"])):
        for ranking in (["a", "b", "c"], ("a", "b", "c"), np.array(["a", "b", "c"])):
            ev = rm.evaluate({"q": relevant}, {"q": ranking, "unjudged": ["a"]}, ["AP", "RR"])
            assert ev["AP"] == pytest.approx((1 / 2 + 2 / 3) / 2)
            assert (ev.audit.run_only, ev.audit.rows) == (1, 4)
    mixed = {"q1": ["a", "b"], "q2": {"b": 1.0, "a": 2.0}}
    ev = rm.evaluate({"q1": {"b": 3}, "q2": ["b"]}, mixed, ["RR", "nDCG"])
    assert ev.per_query("RR") == {"q1": 0.5, "q2": 0.5}


def test_a_list_that_holds_an_id_twice_is_refused() -> None:
    for ranking in (["a", "b", "a"], [1, "a", "1"], (1, 1)):
        with pytest.raises(rm.DuplicateError, match=r"^run: document '[a1]' appears twice"):
            rm.evaluate({"q": {"a": 1}}, {"q": ranking})
        with pytest.raises(rm.DuplicateError, match=r"^qrels: document '[a1]' appears twice"):
            rm.evaluate({"q": ranking}, {"q": ["a"]})
    with pytest.raises(rm.DuplicateError, match="query '1' appears twice"):
        rm.evaluate({1: ["a"]}, {1: ["a"], "1": ["b"]})
    with pytest.raises(rm.DuplicateError, match="query '7' appears twice"):
        rm.evaluate({1: ["a"]}, {1: ["a"], 7: ["b"], "7": ["b"]})


def test_a_set_has_no_order_and_is_no_run() -> None:
    with pytest.raises(rm.SchemaError, match="need an order"):
        rm.evaluate({"q": {"a": 1}}, {"q": {"a", "b"}})


@pytest.mark.parametrize("key", [None, 1.5, b"d"])
def test_ids_of_a_wrong_type_are_refused_wherever_they_stand(key: Any) -> None:
    with pytest.raises(rm.SchemaError):
        rm.evaluate({"q": {"a": 1, key: 1}}, {"q": {"a": 1.0}})
    with pytest.raises(rm.SchemaError):
        rm.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0, key: 2.0}})


def test_ids_of_any_text_are_compared_whole() -> None:
    ids = ["", " ", "a b", "a\tb", "é", "e\u0301", "\0", "a\0b", "文", "🂡", "#", "x" * 100_000]
    ranking = {doc: -float(i) for i, doc in enumerate(ids)}
    assert rm.evaluate({"q": dict.fromkeys(ids, 1)}, {"q": ranking}, ["P@12"])["P@12"] == 1.0
    for i, doc in enumerate(ids, 1):
        assert rm.evaluate({"q": {doc: 1}}, {"q": ranking}, ["RR"])["RR"] == 1 / i


def test_an_id_that_is_no_unicode_text_is_refused_or_meets_itself() -> None:
    odd = {"\udc80": {"\udcff": 1}}
    try:
        assert rm.evaluate(odd, odd, ["RR"])["RR"] == 1.0
    except rm.InputError as error:
        assert r"'\x80'; need an id of Unicode text" in str(error)  # noqa: PT017


NUMBERS = [1, True, 1.0, np.float32(1), np.float64(1), np.float16(1), np.int8(1), np.uint64(1)]
NUMBERS += [np.bool_(True), np.array(1.0), Fraction(1), Decimal(1)]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: type(number).__name__)
def test_labels_and_scores_are_numbers_of_any_type(number: Any) -> None:
    ev = rm.evaluate({"q": {"a": number}}, {"q": {"a": number, "b": 0.5}}, ["RR", "nDCG"])
    assert (ev["RR"], ev["nDCG"]) == (1.0, 1.0)


def test_scores_are_doubles_and_none_is_narrowed() -> None:
    close = {"a": 1.0, "b": 1.0 + 2**-52}
    assert rm.evaluate({"q": {"b": 1}}, {"q": close}, ["RR"])["RR"] == 1.0
    assert rm.evaluate({"q": {"a": 0.9}}, {"q": {"a": 1.0}}, ["CG"])["CG"] == 0.9


def test_infinite_scores_rank() -> None:
    ranking = {"a": float("-inf"), "b": 0.0, "c": float("inf")}
    assert rm.evaluate({"q": {"a": 1}}, {"q": ranking}, ["RR"])["RR"] == 1 / 3


NO_NUMBERS = [None, "1", "high", float("nan"), np.nan, [1], (1,), {}, 1j, b"1", object, "", 10**400]


@pytest.mark.parametrize("value", NO_NUMBERS, ids=repr)
def test_what_is_no_number_is_refused_by_query_and_document(value: Any) -> None:
    for doc in ("judged", "other"):
        run = {"q": {"judged": 1.0, "other": 1.0} | {doc: value}}
        with pytest.raises(rm.SchemaError, match=rf"^run: query 'q', document '{doc}': ") as caught:
            rm.evaluate({"q": {"judged": 1}}, run)
        assert repr(value)[:100] in str(caught.value)
    with pytest.raises(rm.SchemaError, match=r"^qrels: query 'q', document 'd': "):
        rm.evaluate({"q": {"d": value}}, {"q": {"d": 1.0}})


@pytest.mark.parametrize("label", [float("inf"), -np.inf])
def test_infinite_labels_are_refused(label: float) -> None:
    with pytest.raises(rm.SchemaError, match="need a finite number"):
        rm.evaluate({"q": {"d": label}}, {"q": {"d": 1.0}})


def test_numbers_in_another_form_are_refused_alike() -> None:
    for nested in (OnlyMapping({"q": OnlyMapping({"d": "1"})}), {1: {2: None}}):
        query, inner = next(iter(nested.items()))
        where = f"query {query!r}, document {next(iter(inner))!r}"
        with pytest.raises(rm.SchemaError, match=where):
            rm.evaluate(nested, {"q": {"d": 1.0}})


@pytest.mark.parametrize("inner", [None, b"d", iter("d"), [("d", 1, 2)], [None]])
def test_what_should_be_a_mapping_and_is_none_is_refused(inner: Any) -> None:
    with pytest.raises(rm.SchemaError, match=r"^qrels: query 'q'"):
        rm.evaluate({"q": inner}, RUN)
    with pytest.raises(rm.SchemaError, match=r"^run: query 'q1'"):
        rm.evaluate(QRELS, {"q1": inner})


@pytest.mark.slow
def test_a_number_that_changes_the_mapping_it_stands_in_does_no_harm() -> None:
    code = """
import rankmark as rm
class Odd:
    def __float__(self):
        ranking.clear()
        self.kept = [bytearray(b"x" * 40) for _ in range(2000)]
        return 1.0
ranking = {"odd": Odd()} | {f"document {i}": i * 1.5 for i in range(1000)}
try:
    rm.evaluate({"q": {"document 1": 1}}, {"q": ranking}, ["RR"])
except (rm.InputError, RuntimeError):
    pass
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_is_no_mistake_of_an_id_or_number_goes_through(error: Any) -> None:
    class Odd:
        def __index__(self) -> int:
            raise error

        __float__ = __index__

    for nested in ({"q": {Odd(): 1.0}}, {"q": {"a": Odd()}}, {Odd(): {"a": 1.0}}):
        with pytest.raises(error):
            rm.evaluate(nested, {"q": {"a": 1.0}})
        with pytest.raises(error):
            rm.evaluate({"q": {"a": 1.0}}, nested)


def test_a_tensor_that_fails_in_its_own_way_is_no_number() -> None:
    class Tensor:
        def __array__(self) -> Any: ...

        def __float__(self) -> float:
            raise RuntimeError("a Tensor with 2 elements cannot be converted to Scalar")

    with pytest.raises(rm.SchemaError, match=r"query 'q', document 'a': found .*; need a number"):
        rm.evaluate({"q": {"a": 1}}, {"q": {"a": Tensor()}})


def test_an_id_as_long_as_a_book_is_refused_and_not_cut() -> None:
    book = "x" * 2**24
    for source in ({"q": {book: 1}}, {book: {"d": 1}}, [("q", book, 1)], [(book, "d", 1)]):
        with pytest.raises(rm.InputError, match=r"^qrels.*: an id has 16 MiB or more"):
            rm.Qrels(source)


def test_a_run_of_nothing_is_missing_everywhere() -> None:
    for run in ({}, {"q1": {}}, {"q1": {}, "q2": {}}):
        with pytest.warns(rm.RankmarkWarning, match="<mapping>: it holds no documents, so all 2"):
            ev = rm.evaluate(QRELS, run, ["AP", "nDCG@10", "NumRet"])
        assert tuple(ev.values()) == (0.0, 0.0, 0.0)
        assert ev.audit.missing == 2 - len(run)


def test_a_query_of_no_judgments_is_judged_and_has_nothing_relevant() -> None:
    ev = rm.evaluate({"q": {}, "p": {"a": 1}}, {"q": {"a": 1.0}, "p": {"a": 1.0}}, ["AP"])
    assert ev.per_query("AP") == {"q": 0.0, "p": 1.0}
    assert ev.audit.without_relevant == 1


def test_no_judgments_at_all_are_refused_as_in_a_file() -> None:
    with pytest.raises(rm.InputError, match="no judgments"):
        rm.evaluate({}, {"q": {"a": 1.0}})
    with pytest.raises(rm.InputError, match="no judgments"):
        rm.evaluate({}, {})


def test_what_goes_in_is_never_changed() -> None:
    for qrels, run in [(QRELS, RUN), ({1: {2: 1}}, {1: {2: 0.5, 3: 1}})]:
        before = copy.deepcopy((qrels, run))
        rm.evaluate(
            qrels, run, ["nDCG", "AP", "nDCG(ideal='retrieved')"], judged_only=True, depth=1
        )
        assert (qrels, run) == before
        assert [list(docs) for docs in run.values()] == [list(docs) for docs in before[1].values()]


def test_a_defaultdict_gains_no_queries_by_being_asked() -> None:
    run = defaultdict(lambda: defaultdict(float), {"q1": defaultdict(float, {"a": 1.0})})
    rm.evaluate(QRELS, run)
    assert list(run) == ["q1"]
    assert list(run["q1"]) == ["a"]


def test_prepared_qrels_keep_what_they_read() -> None:
    mutable = {"q": {"a": 1, "b": 0}}
    qrels = rm.Qrels(mutable)
    mutable["q"]["b"] = 1
    assert rm.evaluate(qrels, {"q": {"b": 1.0}}, ["RR"])["RR"] == 0.0
