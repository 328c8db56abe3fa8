"""Units of documents: every form of a run agrees with documents that were ranked beforehand."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from generators.forms import WITH_IDS
from rankmark.measures import ALL

pytestmark = pytest.mark.filterwarnings("ignore::rankmark.RankmarkWarning")

Run = dict[str, dict[str, float]]

SCORES = (0.9, 0.8, 0.8, 0.5, 0.1, 0.1 + 1e-12, 0.0, -0.0, -0.3, -2.5, 1e300)
SEPARATORS = ("#", "::", "é", " part ")
MEASURES = ["nDCG@3", "AP", "RR", "P@2", "R", "Success@1", "NumRet", "Judged@3", "RBP", "Bpref"]
COMBINED = ["best", "first", "sum", "mean", "sum@1", "sum@2", "mean@2", "count", "rrf", "rrf@2"]
OF_VALUES: dict[str, Callable[[list[float], int], float]] = {
    "best": lambda scores, _: max(scores),
    "sum": lambda scores, m: sum_of(scores[:m]),
    "mean": lambda scores, m: sum_of(scores[:m]) / len(scores[:m]),
    "count": lambda scores, _: len(scores),
}


def sum_of(scores: list[float]) -> float:
    total = 0.0
    for score in scores:
        total += score
    return total


def document_of(unit: str, separator: str) -> str:
    return unit[: unit.rfind(separator)] if unit.rfind(separator) > 0 else unit


def documents(run: Run, separator: str, combine: str, ties: str, depth: int | None) -> Run:
    """Combine units as the definition says, one document after another."""
    how, _, number = combine.partition("@")
    m = int(number or 1000)
    mapped: Run = {}
    for query, units in run.items():
        ranked = list(units)
        if ties != "input":  # the ids in the order of their bytes
            ranked.sort(key=str.encode, reverse=ties == "docid")
        ranked.sort(key=lambda unit: -units[unit])
        ranked = ranked[:depth]
        place = {unit: at for at, unit in enumerate(ranked, 1)}
        of: dict[str, list[str]] = {}
        for unit in ranked:
            of.setdefault(document_of(unit, separator), []).append(unit)
        first_in_file = {
            document: next(
                u for u in units if u in place and units[u] == units[own[0]] and u in own
            )
            for document, own in of.items()
        }
        rows = list(units)
        in_order = sorted(
            of,
            key=lambda document: rows.index(
                first_in_file[document] if ties == "input" or how == "best" else of[document][0]
            ),
        )
        mapped[query] = {}
        for document in in_order:
            own = of[document]
            if how == "first":
                value = float(-place[own[0]])
            elif how == "rrf":
                value = sum_of([1 / (60 + place[unit]) for unit in own[:m]])
            else:
                value = float(OF_VALUES[how]([units[unit] for unit in own], m))
            mapped[query][document] = value
    return mapped


@st.composite
def collections_of_units(draw: st.DrawFn) -> tuple[dict[str, dict[str, int]], Run, str]:
    separator = draw(st.sampled_from(SEPARATORS))
    names = st.sampled_from(["D1", "D2", "D3", "D10", f"a{separator}b", "z"])
    unit = st.builds(
        lambda name, part: name if part is None else f"{name}{separator}{part}",
        names,
        st.one_of(st.none(), st.integers(0, 4), st.just("")),
    )
    queries = ["q1", "q2", "q3"]
    run = {
        query: draw(st.dictionaries(unit, st.sampled_from(SCORES), min_size=1, max_size=12))
        for query in draw(st.lists(st.sampled_from(queries), min_size=1, unique=True))
    }
    qrels = {
        query: draw(st.dictionaries(names, st.integers(0, 3), min_size=1, max_size=5))
        for query in [*run][:1] + draw(st.lists(st.sampled_from(queries), unique=True))
    }
    return qrels, run, separator


@given(
    collection=collections_of_units(),
    form=st.sampled_from(sorted(WITH_IDS)),
    combine=st.sampled_from(COMBINED),
    ties=st.sampled_from(["docid", "docid-asc", "input"]),
    depth=st.sampled_from([None, None, 1, 3]),
)
def test_units_in_every_form_are_ranked_as_documents(
    collection: Any, form: str, combine: Any, ties: Any, depth: Any
) -> None:
    qrels, run, separator = collection
    wanted = rm.evaluate(
        qrels, documents(run, separator, combine, ties, depth), MEASURES, ties=ties
    )
    found = rm.evaluate(
        qrels,
        WITH_IDS[form](run),
        MEASURES,
        ties=ties,
        unit=separator,
        combine=combine,
        unit_depth=depth,
    )
    assert found.scores.tobytes() == wanted.scores.tobytes()


@given(
    collection=collections_of_units(),
    form=st.sampled_from(sorted(WITH_IDS)),
    combine=st.sampled_from(COMBINED),
    depth=st.sampled_from([None, 3]),
)
def test_given_parents_rank_as_separators_do_in_every_form(
    collection: Any, form: str, combine: Any, depth: Any
) -> None:
    qrels, run, separator = collection
    options: dict[str, Any] = {"combine": combine, "unit_depth": depth}
    wanted = rm.evaluate(qrels, run, MEASURES, unit=separator, **options).scores.tobytes()
    parents = {unit: document_of(unit, separator) for units in run.values() for unit in units}
    given_run = WITH_IDS[form](run)
    found = rm.evaluate(qrels, given_run, MEASURES, parents=parents, **options)
    assert found.scores.tobytes() == wanted
    judged = {query: {f"judged {doc}": label for doc, label in of.items()}
              for query, of in qrels.items()}  # fmt: skip
    lift = {doc: doc.removeprefix("judged ") for of in judged.values() for doc in of}
    again = rm.evaluate(
        judged,
        run,
        MEASURES,
        parents=parents,
        qrels_parents=lift,
        **options,
    )
    assert again.scores.tobytes() == wanted


SHARES = [one for one in ALL if one.bounds == (0, 1) and one.depends_on != "subtopics"]


@given(
    collection=collections_of_units(),
    combine=st.sampled_from(COMBINED),
    ties=st.sampled_from(["docid", "docid-asc", "input", "mean", "best", "worst"]),
    depth=st.sampled_from([None, 3]),
    repeated=st.integers(1, 3),
    judged_only=st.booleans(),
)
def test_no_share_exceeds_one_whatever_is_repeated(
    collection: Any, combine: Any, ties: Any, depth: Any, repeated: int, judged_only: bool
) -> None:
    qrels, run, separator = collection
    rows = [
        (query, unit, score - again / 8)
        for query, units in run.items()
        for again in range(repeated)
        for unit, score in units.items()
    ]
    judged = {  # each document by several of its units
        query: {f"{doc}{separator}{part}": label for doc, label in of.items() for part in range(2)}
        for query, of in qrels.items()
    }
    ev = rm.evaluate(
        judged,
        rows,
        SHARES,
        ties=ties,
        unit=separator,
        qrels_unit=separator,
        combine=combine,
        unit_depth=depth,
        judged_only=judged_only,
        duplicates="best",
    )
    assert len(SHARES) > 20
    assert (ev.scores >= 0).all()
    assert (ev.scores <= 1 + 1e-12).all()


@given(collection=collections_of_units(), combine=st.sampled_from(COMBINED), data=st.data())
def test_explanations_list_documents_and_add_up(collection: Any, combine: Any, data: Any) -> None:
    qrels, run, separator = collection
    query = data.draw(st.sampled_from(sorted(qrels)))
    ev = rm.evaluate(qrels, run, "nDCG@5", unit=separator, combine=combine)
    of_query = rm.explain(qrels, run, query, "nDCG@5", unit=separator, combine=combine)
    assert of_query.value == ev.scores[list(qrels).index(query), 0]
    mapped = documents(run, separator, combine, "docid", None).get(query, {})
    ranked = sorted(mapped, key=str.encode, reverse=True)
    ranked.sort(key=lambda document: -mapped[document])
    listed = [row["doc_id"] for row in of_query.rows]
    assert listed == ranked[: len(listed)]
    assert len(listed) >= min(len(ranked), 5)


@given(
    collection=collections_of_units(),
    combine=st.sampled_from(COMBINED),
    ties=st.sampled_from(["docid", "docid-asc", "input"]),
    depth=st.sampled_from([None, 3]),
)
def test_rewards_and_holes_of_units_are_those_of_their_documents(
    collection: Any, combine: Any, ties: Any, depth: Any
) -> None:
    qrels, run, separator = collection
    asked: list[Any] = ["nDCG@3", "RR", "Hole@3", "Hole@2"]
    options: dict[str, Any] = {"unit": separator, "combine": combine, "unit_depth": depth}
    whole = {query: run.get(query, {}) for query in qrels}
    ranked = rm.Run(documents(whole, separator, combine, ties, depth), contents="scores")
    wanted = rm.evaluate(qrels, ranked, asked, ties=ties)
    given_run = rm.Run(whole, contents="scores")
    found = rm.evaluate(qrels, given_run, asked, ties=ties, **options)
    assert found.scores.tobytes() == wanted.scores.tobytes()
    reward = rm.reward(qrels, asked, ties=ties, **options)
    several = reward.batch([*whole], [*whole.values()])
    assert several.tobytes() == wanted.scores.tobytes()
    for row, (query, ranking) in enumerate(whole.items()):
        assert reward(query, ranking).tobytes() == wanted.scores[row].tobytes()


@given(collection=collections_of_units())
def test_judged_units_count_for_their_documents(collection: Any) -> None:
    qrels, run, separator = collection
    judged = {
        query: {f"{doc}{separator}{part}": label - part for doc, label in labels.items()
                for part in range(3)}
        for query, labels in qrels.items()
    }  # fmt: skip
    wanted = rm.evaluate(qrels, run, MEASURES, unit=separator)
    found = rm.evaluate(judged, run, MEASURES, unit=separator, qrels_unit=separator)
    assert found.scores.tobytes() == wanted.scores.tobytes()
    prepared = rm.Qrels(judged)
    for _ in range(2):
        again = rm.evaluate(prepared, run, MEASURES, unit=separator, qrels_unit=separator)
        assert again.scores.tobytes() == wanted.scores.tobytes()
    assert prepared.by_query() == {
        query: {name: float(label) for name, label in labels.items()}
        for query, labels in judged.items()
    }


@pytest.mark.parametrize("combine", ["sum", "mean", "sum@2"])
def test_rankings_without_scores_have_no_sums(combine: Any) -> None:
    with pytest.raises(rm.InputError, match="no sum or mean"):
        rm.evaluate({"q": {"D": 1}}, {"q": ["D#1", "E#2"]}, "RR", unit="#", combine=combine)


ASKED = ["RBO(p=0.9)", "tau@3", "overlap@2"]


@given(
    collection=collections_of_units(),
    form=st.sampled_from(sorted(WITH_IDS)),
    combine=st.sampled_from(COMBINED),
    ties=st.sampled_from(["tied", "docid", "docid-asc", "input"]),
    depth=st.sampled_from([None, 3]),
    given_parents=st.booleans(),
)
def test_rankings_of_units_are_compared_as_those_of_their_documents(
    collection: Any, form: str, combine: Any, ties: Any, depth: Any, given_parents: bool
) -> None:
    _, run, separator = collection
    other = {query: dict(sorted(units.items())[::2]) for query, units in run.items()}
    other = {
        query: {unit: -score for unit, score in units.items()} for query, units in other.items()
    }
    rule = "docid" if ties == "tied" else ties
    mapped = [documents(one, separator, combine, rule, depth) for one in (run, other)]
    wanted = rm.compare_rankings(
        *(rm.Run(one, contents="scores") for one in mapped), ASKED, ties=ties
    )
    parents = {unit: document_of(unit, separator) for units in run.values() for unit in units}
    how: dict[str, Any] = {"parents": parents} if given_parents else {"unit": separator}
    found = rm.compare_rankings(
        rm.Run(WITH_IDS[form](run), contents="scores"),
        rm.Run(other, contents="scores"),
        ASKED,
        ties=ties,
        combine=combine,
        unit_depth=depth,
        **how,
    )
    assert found.scores.tobytes() == wanted.scores.tobytes()
    assert found.queries == wanted.queries
    assert (found.audit.tied_a, found.audit.common) == (wanted.audit.tied_a, wanted.audit.common)


@given(
    collection=collections_of_units(),
    form=st.sampled_from(sorted(WITH_IDS)),
    combine=st.sampled_from(COMBINED),
    ties=st.sampled_from(["docid", "docid-asc", "input", "mean"]),
    depth=st.sampled_from([None, 3]),
    cut=st.sampled_from([None, 2]),
    method=st.sampled_from(["RRF(k=60)", "wsum", "CombMNZ(norm='z')", "Borda"]),
    given_parents=st.booleans(),
)
def test_units_are_fused_as_their_documents(
    collection: Any,
    form: str,
    combine: Any,
    ties: Any,
    depth: Any,
    cut: Any,
    method: str,
    given_parents: bool,
) -> None:
    _, run, separator = collection
    other = {query: dict(sorted(units.items())[1::2]) for query, units in run.items()}
    other = {query: units for query, units in other.items() if units} or {"q9": {"z": 1.0}}
    parents = {unit: document_of(unit, separator) for units in run.values() for unit in units}
    parents["z"] = "z"
    rule = "docid" if ties == "mean" else ties
    mapped = [
        rm.Run(documents(one, separator, combine, rule, depth), contents="scores")
        for one in (run, other)
    ]
    options: dict[str, Any] = {"ties": ties, "depth": cut}
    try:
        wanted = rm.fuse(mapped, method, **options)
    except rm.InputError as error:  # of runs without a common query, or infinite sums
        wanted = error
    how: dict[str, Any] = {"parents": parents} if given_parents else {"unit": separator}
    how |= {"combine": combine, "unit_depth": depth}
    given_runs = [rm.Run(one, contents="scores") for one in (WITH_IDS[form](run), other)]
    if isinstance(wanted, rm.InputError):
        with pytest.raises(type(wanted)):
            rm.fuse(given_runs, method, **options, **how)
        return
    found = rm.fuse(given_runs, method, **options, **how)
    assert found.to_dict() == wanted.to_dict()
    assert [*map(list, found.to_dict().values())] == [*map(list, wanted.to_dict().values())]
    audit = found.audit.to_dict()
    assert audit | {"units": {}} == wanted.audit.to_dict()
    assert sum(audit["units"].values()) > 0
