"""Under their profiles, we give what trec_eval 10 and 9 printed, and MS MARCO's script."""

from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from conformance.oracles.trec_eval_names import printed

pytestmark = pytest.mark.filterwarnings("ignore:.*may differ from")

WITHOUT_NUMBER = {"runid", "relstring", "relstring_20", "rbp", "rbp_resid"}
# The file that trec_eval 10 wrote, its inputs, our conventions, and how many figures it has, other
# than those above: counted by hand.
OUTPUTS: dict[str, tuple[str, str, dict[str, Any], int]] = {
    "out.test": ("qrels.test", "results.test", {}, 29),
    "out.test.a": ("qrels.test", "results.test", {}, 96),
    "out.test.aq": ("qrels.test", "results.test", {}, 375),
    "out.test.aqc": ("qrels.test", "results.trunc", {}, 375),
    "out.test.aqcM": ("qrels.test", "results.trunc", {"depth": 100}, 375),
    "out.test.aql": ("qrels.rel_level", "results.test", {"rel": 2}, 375),
    "out.test.meas_params": ("qrels.test", "results.test", {}, 88),
    "out.comment.test": ("qrels.comment.test", "results.comment.test", {}, 29),
    "out.test.qrels_jg": ("qrels.123", "results.test", {"qrels_format": "qrels_jg"}, 81),
}


def differing(theirs: dict[tuple[str, str], str], ev: rm.Evaluation) -> list[str]:
    """List the figures that differ as printed."""
    found = []
    for (name, query), figure in theirs.items():
        value = ev[name] if query == "all" else ev.per_query(name)[query]
        ours = f"{value:.4f}" if "." in figure else f"{value:.0f}"
        if ours != figure:
            found.append(f"{name} of {query}: {ours}, trec_eval {figure}")
    return found


@pytest.mark.parametrize("output", OUTPUTS)
def test_every_name_that_trec_eval_10_printed_gives_its_figure(
    shared_data: Path, output: str
) -> None:
    folder = shared_data / "trec_eval-test"
    qrels, run, chosen, figures = OUTPUTS[output]
    every = printed(folder / output)
    theirs = {at: figure for at, figure in every.items() if at[0] not in WITHOUT_NUMBER}
    assert len(theirs) == figures
    names = list(dict.fromkeys(name for name, _ in theirs))
    ev = rm.evaluate(folder / qrels, folder / run, names, profile="trec_eval10", **chosen)
    assert differing(theirs, ev) == []


def test_published_figures_of_trec_eval_9_come_out(shared_data: Path) -> None:
    folder = shared_data / "dl-hard-passage"
    theirs = printed(folder / "bm25.run.eval")  # by trec_eval -c -l 2
    del theirs["num_rel", "all"]  # it counts labels from 1, whatever -l is
    others = {*WITHOUT_NUMBER, "Rndcg"}  # which is 0 for queries without a label of 2
    theirs = {at: figure for at, figure in theirs.items() if at[0] not in others}
    ev = rm.evaluate(
        folder / "dl_hard-passage.qrels",
        folder / "bm25.run",
        list(dict.fromkeys(name for name, _ in theirs)),
        profile="trec_eval9(queries=judged)",
        rel=2,
    )
    assert len(theirs) > 80
    assert differing(theirs, ev) == []


def script(reference: str, candidate: str) -> float:
    """Compute MRR @10 as MS MARCO's ms_marco_eval.py does: ranks, and all queries judged."""
    relevant: dict[int, list[int]] = {}
    for line in reference.splitlines():
        query, _, passage, _ = line.split("\t")
        relevant.setdefault(int(query), []).append(int(passage))
    ranked: dict[int, list[int]] = {}
    for line in candidate.splitlines():
        query, passage, rank = map(int, line.split("\t"))
        ranked.setdefault(query, [0] * 1000)[rank - 1] = passage
    total = 0.0
    for query, passages in ranked.items():
        for place, passage in enumerate(passages[:10] if query in relevant else [], 1):
            if passage in relevant[query]:
                total += 1 / place
                break
    return total / len(relevant)


def test_ms_marcos_script_is_its_profile(tmp_path: Path) -> None:
    reference = "1\t0\t10\t1\n1\t0\t11\t1\n2\t0\t20\t1\n3\t0\t30\t1\n4\t0\t40\t1\n"
    # Out of order, one hit beyond rank 10, one query missing, and one that is not judged.
    candidate = "".join(
        f"{query}\t{passage}\t{rank}\n"
        for query, passages in {
            2: range(9, 21),
            1: [99, 98, 11, 10],
            3: [30, 97],
            9: [1],
        }.items()
        for rank, passage in reversed([*enumerate(passages, 1)])
    )
    qrels, run = tmp_path / "qrels.tsv", tmp_path / "run.tsv"
    qrels.write_text(reference)
    run.write_text(candidate)
    ev = rm.evaluate(qrels, run, "MRR @10", profile="msmarco", run_format="msmarco")
    assert ev["MRR @10"] == ev["RR@10"] == script(reference, candidate)
    assert ev["MRR @10"] == pytest.approx((1 / 3 + 1) / 4)
    chosen = rm.evaluate(qrels, run, profile="msmarco", run_format="msmarco")
    assert chosen.names == ["RR@10"]
