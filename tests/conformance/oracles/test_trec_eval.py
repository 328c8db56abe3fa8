"""We print what trec_eval prints, to the last digit: its expected outputs, and published ones."""

import itertools
import re
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from conformance.agreement import count
from conformance.oracles.trec_eval_names import case_of, printed


@dataclass(frozen=True)
class Output:
    """A file that trec_eval wrote, and from what."""

    name: str
    qrels: str
    run: str
    figures: int  # all lines but those of runid, relstring, rbp and rbp_resid: counted by hand
    level: float = 1
    conventions: tuple[tuple[str, Any], ...] = ()


COMPLETE = ("queries", "judged")  # -c
OUTPUTS = (
    Output("out.test", "qrels.test", "results.test", 29),
    Output("out.test", "qrels.test.with-comments", "results.test", 29),
    Output("out.test.a", "qrels.test", "results.test", 96),
    Output("out.test.aq", "qrels.test", "results.test", 4 * 93 + 3),
    Output("out.test.aqc", "qrels.test", "results.trunc", 4 * 93 + 3, 1, (COMPLETE,)),
    Output(
        "out.test.aqcM", "qrels.test", "results.trunc", 4 * 93 + 3, 1, (COMPLETE, ("depth", 100))
    ),
    Output("out.test.aql", "qrels.rel_level", "results.test", 4 * 93 + 3, 2),
    Output("out.test.meas_params", "qrels.test", "results.test", 88),
    Output("out.comment.test", "qrels.comment.test", "results.comment.test", 29),
)


def compare(theirs: dict[tuple[str, str], str], ev: Any, columns: dict[str, Any]) -> list[str]:
    """List the figures that differ as printed."""
    differing = []
    for (name, query_id), figure in theirs.items():
        if name not in columns:
            continue
        measure = str(columns[name])
        value = ev[measure] if query_id == "all" else ev.per_query(measure)[query_id]
        ours = f"{value:.4f}" if "." in figure else f"{value:.0f}"
        if ours != figure:
            differing.append(f"{name} of {query_id}: {ours}, trec_eval {figure}")
        else:
            count("trec_eval", columns[name])
    return differing


def columns_of(
    theirs: dict[tuple[str, str], str], level: float, version: int = 10
) -> dict[str, Any]:
    """Find our measure for each name that trec_eval printed and that we have."""
    cases = {name: case_of(name, level, version) for name, _ in theirs}
    return {name: case.ours for name, case in cases.items() if case is not None}


@pytest.mark.parametrize("output", OUTPUTS, ids=lambda output: f"{output.name}-{output.qrels}")
def test_every_figure_is_what_trec_eval_printed(shared_data: Path, output: Output) -> None:
    folder = shared_data / "trec_eval-test"
    theirs = printed(folder / output.name)
    columns = columns_of(theirs, output.level)
    ev = rm.evaluate(
        folder / output.qrels,
        folder / output.run,
        list(dict.fromkeys(columns.values())),
        **{"queries": "both", **dict(output.conventions)},
    )
    assert sum(name in columns for name, _ in theirs) == output.figures
    assert compare(theirs, ev, columns) == []


PASSAGE_RUNS = ("bm25", "bm25-rm3", "bm25-bertzs", "bm25-t5zs")


@pytest.mark.parametrize("name", PASSAGE_RUNS)
def test_published_figures_at_level_two_come_out(shared_data: Path, name: str) -> None:
    folder = shared_data / "dl-hard-passage"
    theirs = printed(folder / f"{name}.run.eval")
    columns = columns_of(theirs, 2, version=9)
    # trec_eval -c counts num_rel of all queries at level 1, whatever -l says (m_num_rel.c).
    num_rel = theirs.pop(("num_rel", "all"))
    ev = rm.evaluate(
        folder / "dl_hard-passage.qrels",
        folder / f"{name}.run",
        [*dict.fromkeys(columns.values()), "NumRel"],
        depth=1000,
    )
    # Rndcg knows no level, but trec_eval gives it 0 where nothing reaches -l (m_Rndcg.c).
    levelled = {
        query_id: value if ev.per_query("NumRel(rel=2)")[query_id] else 0.0
        for query_id, value in ev.per_query("Rndcg").items()
    }
    assert theirs.pop(("Rndcg", "588587")) == "0.0000"
    assert theirs.pop(("Rndcg", "all")) == f"{statistics.fmean(levelled.values()):.4f}"
    assert {name for name, _ in theirs} - set(columns) == {"relstring", "runid"}
    assert compare(theirs, ev, columns) == []
    assert f"{ev['NumRel']:.0f}" == num_rel
    assert ev["NumRel(rel=2)"] < ev["NumRel"]


def test_every_name_that_trec_eval_prints_resolves(shared_data: Path) -> None:
    names = {name for name, _ in printed(shared_data / "trec_eval-test" / "out.test.a")}
    covered = {name: case for name in names if (case := case_of(name)) is not None}
    assert names - set(covered) == {"runid", "rbp", "rbp_resid"}
    for name, case in covered.items():
        assert rm.measure(name) == case.ours


def test_a_topic_interrupted_by_another_is_whole(shared_data: Path) -> None:
    # results.trunc returns to topic 301 again and again; results.test has each in one piece.
    folder = shared_data / "trec_eval-test"
    lines = (folder / "results.trunc").read_text().splitlines()
    changes = sum(a.split()[0] != b.split()[0] for a, b in itertools.pairwise(lines))
    ev = rm.evaluate(folder / "qrels.test", folder / "results.trunc", ["NumRet"])
    assert changes > 10
    assert ev.per_query("NumRet") == {"301": 500, "302": 0, "303": 84}


def test_an_id_with_a_hash_is_an_id(shared_data: Path) -> None:
    folder = shared_data / "trec_eval-test"
    with_hashes = [
        fields
        for line in (folder / "qrels.comment.test").read_text().splitlines()
        if "#" in (fields := line.split())[2] and re.fullmatch(r"[12]", fields[3])
    ]
    query_id, _, doc_id, label = with_hashes[0]
    run = {query_id: {doc_id: 1.0}}
    ev = rm.evaluate(folder / "qrels.comment.test", run, ["CG"], queries="both")
    assert ev["CG"] == float(label)
