"""We count preferences as trec_eval does: every line of its expected output."""

from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from conformance.agreement import count
from conformance.cases import reference
from conformance.oracles.trec_eval_names import printed
from conformance.reference.preferences import NEVER, judged_places
from conformance.reference.ranking import labels_of

ENDS = {"": "all", "_imp": "implied", "_ret": "retrieved"}
AVERAGES = {"simp": "preferences", "pair": "pairs", "avgjg": "groups"}
# From trec_eval's manual, not from our names.
MEANING = {
    f"prefs_{name}{end}": rm.Prefs(average=average, counted=counted)
    for name, average in AVERAGES.items()
    for end, counted in ENDS.items()
} | {
    "prefs_num_prefs_poss": rm.NumPrefs,
    "prefs_num_prefs_ful": rm.NumPrefs(of="fulfilled"),
    "prefs_num_prefs_ful_ret": rm.NumPrefs(of="fulfilled", counted="retrieved"),
}
BALANCED = {
    "prefs_avgjg_Rnonrel": rm.Prefs(average="groups", nonrelevant="balanced"),
    "prefs_avgjg_Rnonrel_ret": rm.Prefs(
        average="groups", nonrelevant="balanced", counted="retrieved"
    ),
}


def columns(path: Path) -> dict[str, dict[str, float]]:
    """Read {query: {document: number}} of TREC text: qrels of four columns, a run of six."""
    found: dict[str, dict[str, float]] = {}
    for line in path.read_text().splitlines():
        fields = line.split()
        found.setdefault(fields[0], {})[fields[2]] = float(fields[3 if len(fields) == 4 else 4])
    return found


def of_trec_eval(ranking: Any, missed: Any, counted: str) -> float:
    """Count as m_prefs_avgjg_Rnonrel.c does.

    Where there are more than R non-relevant documents, it counts also every pair of one of them
    and one of the first R, itself included, as a preference.
    """
    places = judged_places(ranking, missed)
    relevant = [place for place, label in places if label > 0]
    others = sorted(place for place, label in places if label == 0)
    if counted == "retrieved":
        relevant = [place for place in relevant if place < NEVER]
        others = [place for place in others if place < NEVER]
    first = others[: len(relevant)]
    pairs = [(one, other) for one in relevant for other in first]
    if len(others) > len(relevant):
        pairs += [(one, other) for one in others for other in first]
    return sum(one < other for one, other in pairs) / len(pairs)


def differing(ev: Any, theirs: dict[tuple[str, str], str], meaning: dict[str, Any]) -> list[Any]:
    """List the figures that differ as printed."""
    found = []
    for (name, query_id), figure in theirs.items():
        if name in meaning:
            value = ev[meaning[name]]
            if query_id != "all":
                value = ev.per_query(meaning[name])[query_id]
            ours = f"{value:.4f}" if "." in figure else f"{value:.0f}"
            if ours == figure:
                count("trec_eval", meaning[name])
            else:
                found.append((name, query_id, ours))
    return found


@pytest.mark.parametrize("form", [None, "qrels_jg"])
def test_every_figure_over_qrels_is_what_trec_eval_printed(
    shared_data: Path, form: str | None
) -> None:
    folder = shared_data / "trec_eval-test"
    theirs = printed(folder / "out.test.qrels_prefs")
    ev = rm.evaluate(
        folder / "qrels.test",
        folder / "results.test",
        [*MEANING.values()],
        qrels_format=form,
        ties="docid-asc",
    )
    assert sum(name in MEANING for name, _ in theirs) == 4 * 12
    assert differing(ev, theirs, MEANING) == []


@pytest.mark.parametrize("name", ["prefs.test", "prefs.comment.test"])
def test_every_figure_over_preferences_is_what_trec_eval_printed(
    shared_data: Path, name: str
) -> None:
    folder = shared_data / "trec_eval-test"
    theirs = printed(folder / "out.test.prefs")
    meaning = {**MEANING, **BALANCED}
    ev = rm.evaluate(
        folder / name,
        folder / "prefs.results.test",
        [*meaning.values(), rm.measure("num_q")],
        qrels_format="prefs",
        ties="docid-asc",
    )
    assert sum(name in meaning for name, _ in theirs) == 25 * 14
    assert theirs["num_q", "all"] == f"{ev['NumQ']:.0f}" == str(len(ev.queries))
    # Where a group has parts, m_prefs_avgjg_Rnonrel_ret.c keeps as many retrieved documents that
    # are not relevant as there are relevant ones, retrieved or not; elsewhere as were retrieved.
    odd = "prefs_avgjg_Rnonrel_ret"
    assert differing(ev, theirs, meaning) == [
        (odd, "34.PA.mg", "0.4810"),
        (odd, "35.PA.mgmx", "0.4810"),
        (odd, "all", "0.5650"),
    ]
    assert theirs[odd, "34.PA.mg"] == theirs[odd, "35.PA.mgmx"] == "0.6476"


@pytest.mark.parametrize("name", ["qrels.123", "qrels.comments.123"])
def test_means_over_judgment_groups_are_what_trec_eval_printed(
    shared_data: Path, name: str
) -> None:
    folder = shared_data / "trec_eval-test"
    theirs = printed(folder / "out.test.qrels_jg")
    cutoffs = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    multiples = ("0.20", "0.40", "0.60", "0.80", "1.00", "1.20", "1.40", "1.60", "1.80", "2.00")
    meaning = {f"P_avgjg_{k}": rm.P @ k for k in cutoffs}
    meaning |= {f"Rprec_mult_avgjg_{x}": rm.Rprec(multiple=float(x)) for x in multiples}
    meaning["map_avgjg"] = rm.AP
    ev = rm.evaluate(
        folder / name, folder / "results.test", [*meaning.values()], qrels_format="qrels_jg"
    )
    assert {name for name, _ in theirs} == {*meaning, "runid", "num_q"}
    assert len(theirs) == 4 * 20 + 2
    assert differing(ev, theirs, meaning) == []
    assert {name: rm.measure(name) for name in meaning} == meaning


@pytest.mark.parametrize("name", BALANCED)
def test_what_trec_eval_prints_of_balanced_preferences_is_understood(
    shared_data: Path, name: str
) -> None:
    # Its labels are 0 and 1 here, and R < N for each query.
    folder = shared_data / "trec_eval-test"
    theirs = printed(folder / "out.test.qrels_prefs")
    qrels, run = columns(folder / "qrels.test"), columns(folder / "results.test")
    one = BALANCED[name]
    ev = rm.evaluate(qrels, run, one, ties="docid-asc")
    found = {}
    for query_id, judged in qrels.items():
        ranking, missed = labels_of(judged, run[query_id], ties="docid-asc")
        found[query_id] = of_trec_eval(ranking, missed, one.counted)
        ours = reference("prefs")(ranking, missed, counted=one.counted, nonrelevant="balanced")
        assert ev.per_query(one)[query_id] == pytest.approx(ours, rel=1e-12)
        assert abs(ours - found[query_id]) > 5e-4
    found["all"] = sum(found.values()) / len(found)
    printed_here = {query_id: theirs[name, query_id] for query_id in found}
    assert {query_id: f"{value:.4f}" for query_id, value in found.items()} == printed_here


def test_trec_eval_breaks_ties_by_id_ascending_for_preferences_alone(shared_data: Path) -> None:
    # comp_sim_docno of form_prefs_counts.c compares ids the other way than form_res_rels.c.
    folder = shared_data / "trec_eval-test"
    theirs = printed(folder / "out.test.qrels_prefs")
    fulfilled = MEANING["prefs_num_prefs_ful"]
    found = {
        ties: rm.evaluate(folder / "qrels.test", folder / "results.test", fulfilled, ties=ties)
        for ties in ("docid", "docid-asc")
    }
    their_figure = float(theirs["prefs_num_prefs_ful", "301"])
    assert found["docid-asc"].per_query(fulfilled)["301"] == their_figure
    assert found["docid"].per_query(fulfilled)["301"] == their_figure + 1


def test_every_name_that_trec_eval_prints_of_preferences_resolves(shared_data: Path) -> None:
    names = {name for name, _ in printed(shared_data / "trec_eval-test" / "out.test.qrels_prefs")}
    for name in names - {"runid", "num_q"}:
        assert rm.measure(name) == {**MEANING, **BALANCED}[name]
