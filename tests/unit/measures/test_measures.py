"""Measures as values: parameters are checked, variants are new, one ranking can be scored."""

import copy
import inspect
import math
import pickle
import subprocess
import sys
from typing import Any, get_args

import numpy as np
import pytest

import rankmark as rm
from rankmark import AP, DCG, RR, F, Judged, Measure, NumRelRet, P, R, Rprec, Success, nDCG
from rankmark.measures import ALL, EVERY
from rankmark.measures.base.measure import DependsOn

LABELS = [0, 1, None, 2, 0]


@pytest.mark.parametrize("one", ALL, ids=str)
def test_a_measure_declares_its_facts(one: Measure) -> None:
    assert one.depends_on in get_args(DependsOn)
    assert one.aggregate in {"mean", "sum"}
    assert one.bounds[0] <= one.bounds[1]
    assert one.formula
    assert one.full_name
    assert isinstance(one.grows_with_k, bool)
    assert isinstance(one.promoting_helps, bool)


@pytest.mark.parametrize("one", ALL, ids=str)
def test_a_docstring_answers_six_questions_in_order(one: Measure) -> None:
    text = inspect.getdoc(type(one)) or ""
    questions = ["Formula", "Nothing relevant", "Ties", "Unjudged documents", "Elsewhere", "Source"]
    answered = [question for question in questions if f"\n{question}: " in text]
    assert answered == questions, "the docstring lacks lines that begin with the others"
    places = [text.find(f"\n{question}: ") for question in questions]
    assert places == sorted(places), f"the order is {', '.join(questions)}"


def test_measures_are_equal_by_value() -> None:
    assert AP(rel=2) @ 10 == AP(rel=2.0, k=10) == rm.measure("AP(rel=2)@10")
    assert AP @ 10 != AP
    assert P @ 5 != R @ 5
    assert len({AP, AP(), AP(rel=1), AP @ 10}) == 2
    assert nDCG(gain={1: 1, 2: 3}) == nDCG(gain={2: 3, 1: 1})
    assert AP != "AP"
    assert AP is not None


def test_a_measure_cannot_be_changed() -> None:
    one = AP(rel=2) @ 10
    for name in ("k", "rel", "norm", "name", "new"):
        with pytest.raises(AttributeError):
            setattr(one, name, 3)
    for name in ("k", "rel"):
        with pytest.raises(AttributeError):
            delattr(one, name)
    assert one == AP(rel=2) @ 10


def test_a_map_of_gains_is_kept_as_it_was() -> None:
    gain = {1: 1.0, 2: 3.0}
    one = nDCG(gain=gain)
    before = hash(one), str(one)
    gain[3] = 7.0
    assert (hash(one), str(one)) == before


@pytest.mark.parametrize("one", [*ALL, AP(rel=2) @ 5, nDCG(gain={1: 2}, discount=3) @ 7], ids=str)
def test_copies_and_pickles_are_the_same_measure(one: Measure) -> None:
    for same in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
        assert same == one
        assert hash(same) == hash(one)
        assert str(same) == str(one)


def test_variants_leave_the_original_alone() -> None:
    one = nDCG(gain="exp2")
    assert str(one @ 10) == 'nDCG(gain="exp2")@10'
    assert (one @ 10) @ 5 == one @ 5
    assert str(one) == 'nDCG(gain="exp2")'
    assert str(nDCG) == "nDCG"


def test_measures_take_the_format_of_text_as_in_tables() -> None:
    assert f"{nDCG @ 10:9}|{AP:>4}|{RR}|{rm.Own('mine', labels=len):.2}" == "nDCG@10  |  AP|RR|mi"
    with pytest.raises(ValueError, match="format code 'f'"):
        f"{nDCG:.2f}"


def test_whole_numbers_of_any_type_are_cutoffs() -> None:
    for k in (10, 10.0, np.int32(10), np.int64(10), np.float64(10)):
        assert P @ k == P @ 10
        assert str(P @ k) == "P@10"
        assert type((P @ k).k) is int


@pytest.mark.parametrize("k", [0, -1, 2.5, "10", True, float("inf"), float("nan"), [2.5], b"1"])
def test_what_is_no_cutoff_is_refused(k: Any) -> None:
    with pytest.raises(rm.MeasureError, match="need a whole number from 1"):
        P @ k


WRONG = [
    (AP, {"rel": "2"}, "AP: rel is '2'; need a finite number"),
    (AP, {"rel": None}, "rel is None; need a finite number"),
    (AP, {"rel": True}, "rel is True; need a finite number"),
    (AP, {"rel": float("inf")}, "rel is inf; need a finite number"),
    (AP, {"norm": "all"}, 'need one of "relevant", "min", "hits", "k"'),
    (AP, {"norm": None}, "need one of"),
    (AP, {"norm": ["min"]}, "need one of"),
    (F, {"beta": 0}, "need a number above 0"),
    (F, {"beta": -1}, "need a number above 0"),
    (nDCG, {"gain": "cubic"}, '"linear", "exp2" or {label: gain}'),
    (nDCG, {"gain": {}}, "gain is {}"),
    (nDCG, {"gain": {1: -1}}, "gains from 0"),
    (nDCG, {"gain": {"a": 1}}, "{label: gain}"),
    (nDCG, {"gain": 3}, "{label: gain}"),
    (DCG, {"discount": 1}, 'need "log2", "rank" or a number above 1'),
    (DCG, {"discount": "ln"}, 'need "log2", "rank" or a number above 1'),
    (nDCG, {"ideal": "best"}, 'need one of "judged", "retrieved", "k", "uncut"'),
    (Rprec, {"k": 5}, "Rprec has no cutoff; it takes rel"),
    (P, {"beta": 2}, "P has no parameter 'beta'; it takes k, rel, norm"),
    (nDCG, {"rel": 2}, "nDCG has no parameter 'rel'"),
]


@pytest.mark.parametrize(("one", "parameters", "said"), WRONG)
def test_a_wrong_parameter_is_told_with_what_is_allowed(
    one: Measure, parameters: dict[str, Any], said: str
) -> None:
    with pytest.raises(rm.MeasureError) as caught:
        one(**parameters)
    assert said in str(caught.value)


LIMITS: list[tuple[Measure, str, list[Any], list[Any]]] = [
    (P, "k", [1, 10**300], [0, 1.5, 10**400]),
    (AP, "rel", [-1.5, 0, 1e300], [math.inf, -math.inf, math.nan]),
    (F, "beta", [1e-300, 1e100], [0, -1, 1.01e100]),
    (rm.INST, "T", [0.5, 10**6], [0.49, 10**6 + 1]),
    (rm.AUC, "max_fpr", [1e-9, 1], [0, 1.01]),
    (rm.NCG, "percent", [None, 1e-9, 100], [0, 100.5]),
    (rm.RBP, "p", [1e-9, 1 - 1e-9], [0, 1]),
    (rm.RBP, "max_rel", [None, 0.5, 4, "query"], ["all", math.inf]),
    (rm.ERR, "max_rel", [0.5, 4, "query"], [None, 0, -1]),
    (rm.SDCG, "cost", [1e-9, {0: 0}, {-1: 3, 2: 0.5}], [0, {}, {1: -1}, {1: math.inf}]),
    (rm.IPrec, "recall", [0, 1, [0, 1]], [-0.01, 1.01, [], [0.5, 0.5], [0.5, 2]]),
    (nDCG, "gain", [{0: 0}, {1: 0.5}, "binary"], [{}, {1: -0.5}, {"other": "linear"}]),
    (nDCG, "discount", ["log2", 1.01, 100], [1, 0.5, -2, "log", []]),
    (P, "judged_only", [True, np.False_], [0, 1, "True", None]),
]


@pytest.mark.parametrize(
    ("one", "name", "allowed", "refused"), LIMITS, ids=[f"{one[0]}-{one[1]}" for one in LIMITS]
)
def test_the_limits_of_a_parameter_are_allowed_and_nothing_beyond_them(
    one: Measure, name: str, allowed: list[Any], refused: list[Any]
) -> None:
    for value in allowed:
        kept = sorted(value.items()) if isinstance(value, dict) else value
        assert getattr(one(**{name: value}), name) == (tuple(kept) if np.ndim(kept) else kept)
    for value in refused:
        with pytest.raises(rm.MeasureError, match=f"{name} (is|has|must)"):
            one(**{name: value})


ONE_RANKING = [
    (P @ 2, 0.5),
    (P, 0.4),
    (P(norm="retrieved") @ 10, 0.4),
    (R @ 2, 0.5),
    (R, 1.0),
    (RR, 0.5),
    (RR(rel=2), 0.25),
    (AP, (1 / 2 + 2 / 4) / 2),
    (Success @ 1, 0.0),
    (Success @ 2, 1.0),
    (Rprec, 0.5),
    (NumRelRet, 2.0),
    (Judged @ 4, 0.75),
    (Judged, 0.8),
    (F @ 2, 0.5),
]


@pytest.mark.parametrize(("one", "value"), ONE_RANKING, ids=str)
def test_one_ranking_is_scored_by_its_labels(one: Measure, value: float) -> None:
    assert one(LABELS) == value
    assert one(tuple(LABELS)) == value
    assert one(label for label in LABELS) == value
    assert type(one(LABELS)) is float


def test_one_ranking_may_be_an_array() -> None:
    for kind in (np.int64, np.float32, np.bool_):
        assert AP(np.array([0, 1, 1, 0], dtype=kind)) == (1 / 2 + 2 / 3) / 2


def test_missed_documents_count_in_what_was_to_be_found() -> None:
    assert R([1, 0, 1], missed=[1, 2]) == 0.5
    assert AP([1, 0, 1], missed=[1]) == (1 + 2 / 3) / 3
    assert nDCG([2], missed=[2, 0]) == 1 / (1 + 1 / np.log2(3))


def test_one_ranking_is_scored_by_its_ids() -> None:
    assert (R @ 2)(ranking=[1, 2, 3], relevant={2, 4, 5, 7}) == 0.25
    assert AP(ranking="abc", relevant=["c", "a"]) == (1 + 2 / 3) / 2
    labels = {"a": 0, "b": 3, "d": 1}
    by_ids = nDCG(ranking=["a", "x", "b"], relevant=labels)
    assert by_ids == nDCG([0, None, 3], missed=[1])


@pytest.mark.parametrize("one", [one for one in ALL if one.depends_on != "subtopics"], ids=str)
def test_one_ranking_scores_as_the_same_ranking_evaluated(one: Measure) -> None:
    labels = {"a": 2, "b": 0, "c": 1, "d": -1, "z": 1}
    ranking = ["b", "x", "c", "d", "a"]
    run = {"q": {doc: -float(rank) for rank, doc in enumerate(ranking)}}
    evaluated = rm.evaluate({"q": labels}, run, [one])[one]
    assert one(ranking=ranking, relevant=labels) == evaluated
    assert one([0, None, 1, -1, 2], missed=[1]) == evaluated


def test_a_collection_that_is_too_small_for_utility_is_told_with_its_least_size() -> None:
    with pytest.raises(rm.MeasureError, match="in some query 5 documents are retrieved or relev"):
        rm.Utility(rest=1, collection=3)([1, 0, 0, 0], missed=[1])


def test_an_empty_ranking_scores_nothing() -> None:
    for one in (P, P @ 5, R, AP, RR, nDCG, nDCG @ 5, Success, Rprec, F, Judged):
        assert one([]) == 0.0
        assert one([], missed=[1]) == 0.0
        assert one(ranking=[], relevant={"a"}) == 0.0


@pytest.mark.parametrize("label", ["1", float("nan"), float("inf"), [1], {}, 1j, b"1"])
def test_a_label_that_is_no_number_is_refused_with_its_rank(label: Any) -> None:
    with pytest.raises(rm.SchemaError, match="the label at rank 2 is "):
        P([1, label])
    with pytest.raises(rm.SchemaError, match="the label among the missed is "):
        R([1], missed=[label])
    with pytest.raises(rm.SchemaError):
        R(ranking=["a"], relevant={"a": label})


@pytest.mark.parametrize("labels", [5, 1.5, "101", b"10", np.array(3.0)], ids=repr)
def test_what_is_no_list_of_labels_is_refused(labels: Any) -> None:
    with pytest.raises(rm.SchemaError, match="need labels in rank order"):
        AP(labels)


def test_a_missed_document_without_a_label_is_refused() -> None:
    with pytest.raises(rm.SchemaError, match="missed"):
        R([1], missed=[None])  # type: ignore[list-item]


def test_an_id_twice_in_one_ranking_is_refused() -> None:
    with pytest.raises(rm.DuplicateError, match="'a' appears twice in the ranking, again at 3"):
        P(ranking=["a", "b", "a"], relevant={"a"})


@pytest.mark.parametrize(
    "arguments",
    [
        {"labels": [1], "ranking": ["a"], "relevant": {"a"}},
        {"ranking": ["a"]},
        {"relevant": {"a"}},
        {"missed": [1]},
        {"labels": [1], "rel": 2},
        {"labels": None},
    ],
    ids=str,
)
def test_half_a_question_is_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises((TypeError, rm.MeasureError)):
        AP(**arguments)


@pytest.mark.slow
def test_a_measure_is_itself_in_another_process() -> None:
    # Strings hash anew in each process, and a measure's hash holds strings.
    made = pickle.dumps(AP(rel=2, norm="min") @ 5)
    code = (
        "import pickle, sys, rankmark as rm; one = pickle.loads(sys.stdin.buffer.read());"
        "print({rm.AP(rel=2, norm='min') @ 5: 'found'}[one])"
    )
    done = subprocess.run([sys.executable, "-c", code], input=made, capture_output=True, check=True)
    assert done.stdout.strip() == b"found"


@pytest.mark.parametrize("one", ALL, ids=str)
def test_help_shows_the_parameters_of_a_measure(one: Measure) -> None:
    named = {**one.parameters, **one.common}
    assert [*inspect.signature(type(one)).parameters] == [*named]
    shown = inspect.signature(one).parameters
    assert [*shown] == ["labels", "missed", "ranking", "relevant", *named]
    assert {name: shown[name].default for name in named} == {
        name: getattr(one, name) for name in named
    }
    text = inspect.getdoc(one) or ""
    assert all(f"\n{name} : default" in text for name in named)


def test_a_notebook_shows_the_name_and_the_parameters_of_a_measure() -> None:
    html = (nDCG @ 10)._repr_html_()
    assert "nDCG@10: normalised discounted cumulative gain" in html
    assert all(parameter.meaning in html for parameter in nDCG.parameters.values())


def test_a_notebook_shows_a_list_of_measures() -> None:
    listed = rm.measures()
    html = listed._repr_html_()  # type: ignore[attr-defined]
    table, symbols = html.split("</table>")[:2]
    families = table.count("<tr><td colspan")
    assert table.count("<tr>") == 1 + families + len(listed)
    assert "the number of relevant documents, retrieved or not" in symbols
    assert "<td style='text-align:left'>normalised discounted cumulative gain</td>" in html


@pytest.mark.parametrize("function", ["labels", "formula"])
def test_a_notebook_shows_a_measure_of_ones_own(function: str) -> None:
    html = rm.Own("total", **{function: sum})._repr_html_()  # type: ignore[arg-type]
    assert "<strong>total</strong>" in html
    assert "your own" in html


def test_full_names_of_measures_differ() -> None:
    assert len({one.full_name for one in EVERY}) == len(EVERY) == len(rm.measures())  # type: ignore[operator]
