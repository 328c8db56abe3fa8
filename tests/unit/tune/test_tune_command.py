"""``rankmark tune``: its table, its files, and what it refuses."""

import csv
import io
import json
from pathlib import Path

import pytest

import rankmark as rm
from unit.commands import rankmark_here

EXAMPLE = Path(rm.__file__).parent / "example"
FILES = [EXAMPLE / name for name in ("qrels.txt", "bm25.run", "lsa.run")]
FAST = ["--step", "0.5", "--k", "1,60", "--repeats", "2"]


@pytest.mark.slow
def test_the_table_says_what_to_deploy_and_what_it_gives_held_out() -> None:
    done = rankmark_here("tune", *FILES, *FAST)
    assert (done.returncode, done.stderr) == (0, "")
    tuned = rm.tune_fusion(FILES[0], FILES[1:], step=0.5, k=[1, 60], repeats=2)
    assert done.stdout == tuned.to_text().replace("to_text(verbose=True)", "--verbose") + "\n"
    assert rankmark_here("tune", *FILES, *FAST, "-v").stdout == tuned.to_text(verbose=True) + "\n"
    first, second, *_ = done.stdout.splitlines()
    assert first == "Best on all 24 queries: wsum, weights bm25=0.5 lsa=0.5"
    assert second.startswith(f"nDCG@10: {tuned.held_out_mean:.4f} held out")
    for line in ("tuned, held out", "RRF(k=60)", "union in ideal order", "recall at depth"):
        assert f"\n{line}" in done.stdout


@pytest.mark.slow
def test_options_are_those_of_the_function(tmp_path: Path) -> None:
    clusters = tmp_path / "clusters.txt"
    queries = rm.Qrels(FILES[0]).query_ids
    clusters.write_text("".join(f"{query} {int(query[1:]) % 7}\n" for query in queries))
    done = rankmark_here(
        "tune", *FILES, "-m", "AP(rel=2)", "--method", "wsum", "--norm", "z", "--norm", "max",
        "--step", "0.5", "--folds", 3, "--repeats", 2, "--seed", 4, "--clusters", clusters,
        "--depth", 20, "--ties", "mean", "--no-relevant", "skip", "--format", "json",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    tuned = rm.tune_fusion(
        FILES[0], FILES[1:], "AP(rel=2)", methods="wsum", norms=["z", "max"], step=0.5, folds=3,
        repeats=2, seed=4, clusters=clusters, depth=20, ties="mean", no_relevant="skip",
    )  # fmt: skip
    assert json.loads(done.stdout) == json.loads(tuned.to_json())


def test_weights_can_be_left_alone() -> None:
    done = rankmark_here("tune", *FILES, "--equal-weights", "--method", "RRF", "--format", "json")
    found = json.loads(done.stdout)
    tuned = rm.tune_fusion(FILES[0], FILES[1:], methods="RRF", step=None)
    assert found["best"] == {"method": tuned.best.method, "weights": {"bm25": 1, "lsa": 1}}
    assert len(found["points"]) == 10


def test_csv_has_a_row_for_each_point() -> None:
    done = rankmark_here("tune", *FILES, *FAST, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert len(rows) == 9
    assert rows[0]["method"] == "RRF(k=1)"
    assert {row["weight_lsa"] for row in rows} == {"0.0", "0.5", "1.0"}


@pytest.mark.slow
def test_fused_runs_are_written_with_their_scores(tmp_path: Path) -> None:
    fused, held_out = tmp_path / "fused.run", tmp_path / "held_out.jsonl"
    done = rankmark_here("tune", *FILES, *FAST, "--fused", fused, "--held-out", held_out)
    assert done.returncode == 0, done.stderr
    tuned = rm.tune_fusion(FILES[0], FILES[1:], step=0.5, k=[1, 60], repeats=2)
    assert rm.evaluate(FILES[0], fused, "nDCG@10")["nDCG@10"] == tuned.training_mean
    assert rm.evaluate(FILES[0], held_out, "nDCG@10")["nDCG@10"] == tuned.held_out_mean


@pytest.mark.slow
def test_pictures_are_written(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    weights, recall = tmp_path / "weights.svg", tmp_path / "recall.svg"
    done = rankmark_here("tune", *FILES, *FAST, "--plot", weights, "--plot-recall", recall)
    assert done.returncode == 0, done.stderr
    assert "weight of lsa" in weights.read_text()
    assert "depth at which lists are cut" in recall.read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [(FILES[:2], 2, "at least two runs"), ([*FILES, "-m", "AP", "-m", "RR"], 2, "one measure"),
     ([*FILES, "--step", "0.3"], 1, "need 1 divided by a whole number"),
     ([*FILES, "--k", "1;2"], 2, "not a list of numbers"),
     ([*FILES, "--method", "RFF"], 2, "unknown method"),
     ([*FILES, "--folds", "25"], 1, "25 folds, and 24 queries to deal"),
     ([FILES[0], FILES[1], "missing.run"], 1, "missing.run: there is no such file"),
     ([*FILES, "--plot", "weights.gif"], 2, "end it in .svg"),
     ([*FILES, "--plot-recall", "recall"], 2, "'--plot-recall': 'recall' has no known format"),
     ([*FILES, "--equal-weights", "--plot", "weights.svg"], 2, "--plot draws weights"),
     ([*FILES, "--quiet", "--verbose"], 2, "exclude each other"),
     ([*FILES, "--fused", FILES[1]], 2, "is an input file")],
)  # fmt: skip
def test_what_cannot_be_tuned_is_refused(arguments: list[str], code: int, error: str) -> None:
    done = rankmark_here("tune", *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert error in done.stderr
    assert "Traceback" not in done.stderr
