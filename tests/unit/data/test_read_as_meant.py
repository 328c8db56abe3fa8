"""Whatever somebody holds is read as meant, or refused: runs as judgments, ranks, distances."""

from __future__ import annotations

import json
import math
import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import rankmark as rm
from rankmark.data.evidence.distances import log_chance_of_rising
from unit.commands import rankmark_here

QUERIES = [f"q{number}" for number in range(6)]
RANKED = {q: [f"d{(n + 3 * at) % 8}" for n in range(8)] for at, q in enumerate(QUERIES)}
"""The same documents in another order for each query."""
SCORES = {q: {d: 12.5 - 1.25 * n for n, d in enumerate(ds)} for q, ds in RANKED.items()}
DISTANCES = {q: {d: 20 - score for d, score in held.items()} for q, held in SCORES.items()}
QRELS = {q: {ds[0]: 2, ds[5]: 1, ds[6]: 0} for q, ds in RANKED.items()}
ROWS = [(q, d, rank, held[d]) for q, held in SCORES.items() for rank, d in enumerate(held, 1)]


def trec(held: dict[str, dict[str, float]], folder: Path, name: str = "a.run") -> Path:
    path = folder / name
    rows = [(q, d, n, s) for q, ds in held.items() for n, (d, s) in enumerate(ds.items(), 1)]
    path.write_text("".join(f"{q} Q0 {d} {n} {s} tag\n" for q, d, n, s in rows))
    return path


def qrels_file(folder: Path) -> Path:
    path = folder / "qrels"
    path.write_text("".join(f"{q} 0 {d} {n}\n" for q, ds in QRELS.items() for d, n in ds.items()))
    return path


def frame(held: dict[str, dict[str, float]]) -> pd.DataFrame:
    rows = [(q, d, score) for q, of_query in held.items() for d, score in of_query.items()]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])


def written(form: str, folder: Path, columns: list[str]) -> Path:
    """Write the run as a file whose columns have names."""
    path = folder / f"run.{form}"
    table = pd.DataFrame(ROWS, columns=["query_id", "doc_id", "rank", "score"])[columns]
    if form == "csv":
        table.to_csv(path, index=False)
    elif form == "parquet":
        parquet.write_table(pa.Table.from_pandas(table), path)
    else:
        table.to_json(path, orient="records", lines=True)
    return path


RUNS: dict[str, Callable[[Path], Any]] = {
    "TREC": lambda folder: trec(SCORES, folder),
    "CSV": lambda folder: written("csv", folder, ["query_id", "doc_id", "rank", "score"]),
    "CSV of ranks": lambda folder: written("csv", folder, ["query_id", "doc_id", "rank"]),
    "CSV of scores": lambda folder: written("csv", folder, ["query_id", "doc_id", "score"]),
    "JSONL": lambda folder: written("jsonl", folder, ["query_id", "doc_id", "rank", "score"]),
    "Parquet": lambda folder: written("parquet", folder, ["query_id", "doc_id", "rank", "score"]),
    "dict": lambda _: SCORES,
    "dict of ranks": lambda _: {q: {f"d{n}": n + 1 for n in range(8)} for q in QUERIES},
    "pandas": lambda _: pd.DataFrame(ROWS, columns=["query_id", "doc_id", "rank", "score"]),
    "pandas without ranks": lambda _: frame(SCORES),
    "Polars": lambda _: pl.DataFrame(ROWS, ["qid", "docno", "rank", "score"], orient="row"),
    "dict of columns": lambda _: dict(
        zip(
            ["query_id", "doc_id", "rank", "score"], map(list, zip(*ROWS, strict=True)), strict=True
        )
    ),
    "records": lambda _: [
        dict(zip(["query_id", "doc_id", "rank", "score"], row, strict=True)) for row in ROWS
    ],
}
VERBS: dict[str, Callable[[Any, Any], object]] = {
    "Qrels": lambda qrels, _: rm.Qrels(qrels),
    "evaluate": lambda qrels, run: rm.evaluate(qrels, run, ["RR"]),
    "compare": lambda qrels, run: rm.compare(qrels, {"a": run, "b": run}, ["RR"]),
    "gate": lambda qrels, run: rm.gate(qrels, run, run, "RR", max_drop=0.1),
    "explain": lambda qrels, run: rm.explain(qrels, run, "q1", "RR"),
    "power": lambda qrels, run: rm.power(qrels, run, run, "RR"),
    "reconcile": lambda qrels, run: rm.reconcile(qrels, run, "RR", 0.5),
    "Accumulator": lambda qrels, run: rm.Accumulator(["RR"]).update(qrels, run),
}


@pytest.mark.parametrize("form", RUNS)
def test_a_run_in_the_place_of_the_judgments_is_refused(form: str, tmp_path: Path) -> None:
    run = RUNS[form](tmp_path)
    for verb, call in VERBS.items():
        with pytest.raises(
            rm.SchemaError, match=r"not judgments|this seems to be a run"
        ) as refused:
            call(run, SCORES)
        assert refused.value.remedy, verb
    report = rm.check(run, SCORES)
    assert not report.ok
    assert {finding.code for finding in report.files[0].findings} & {"refused", "kind"}


@pytest.mark.parametrize("command", ["evaluate", "compare", "gate", "power", "plot", "report"])
def test_commands_refuse_a_run_in_the_place_of_the_judgments(command: str, tmp_path: Path) -> None:
    if command == "plot":
        pytest.importorskip("matplotlib")
    run, other = trec(SCORES, tmp_path), trec(SCORES, tmp_path, "b.run")
    new = trec(SCORES, tmp_path, "c.run")
    more = {"plot": ["curve"], "gate": ["--max-drop", "5%"]}.get(command, [])
    target = tmp_path / ("out.svg" if command == "plot" else "out.html")
    done = rankmark_here(command, *more, run, other, new, "-o", target)
    assert done.returncode == 1
    assert f"{run}: these are not judgments: the lines look like a run" in done.stderr
    assert "--qrels-format trec" in done.stderr


def test_convert_refuses_a_run_as_judgments(tmp_path: Path) -> None:
    with pytest.raises(rm.SchemaError, match="not judgments"):
        rm.convert(trec(SCORES, tmp_path), tmp_path / "out.csv", kind="qrels")
    assert not (tmp_path / "out.csv").exists()


def test_labels_that_look_like_scores_are_read_if_somebody_says_so(tmp_path: Path) -> None:
    assert rm.Qrels(SCORES, contents="labels").rows == 48
    assert rm.Qrels(trec(SCORES, tmp_path), format="trec").rows == 48
    assert rm.Qrels(frame(SCORES), columns={"label": "score"}).rows == 48
    done = rankmark_here(
        "evaluate", trec(SCORES, tmp_path), trec(SCORES, tmp_path), "--qrels-format", "trec"
    )
    assert done.returncode == 0


def test_a_few_falling_fractions_are_a_warning() -> None:
    with pytest.warns(rm.RankmarkWarning, match="as scores do: this may be a run"):
        rm.Qrels({q: {"a": 9.25, "b": 8.5, "c": 8.25, "d": 3.5} for q in ("q1", "q2", "q3")})


@pytest.mark.parametrize(
    "labels",
    [
        {q: {f"d{n}": 3 - n // 3 for n in range(10)} for q in QUERIES},
        {q: {"a": 2, "b": 1} for q in map(str, range(50))},
        {q: {f"d{n}": 10 - n for n in range(10)} for q in QUERIES},
        {q: {f"d{n}": (n * 7 % 10) / 10 for n in range(10)} for q in QUERIES},
        {q: {"a": 1.5} for q in map(str, range(50))},
        {"q": {"a": 0.5, "b": 0.25}},
        {"q1": {"a": 2.0, "b": 1.0, "c": 0.5}, "q2": {"a": 1.0, "b": 0.5}},
    ],
    ids=["sorted grades", "two each", "levels", "soft labels", "one each", "a pair", "a few"],
)
def test_judgments_are_not_taken_for_a_run(labels: dict[str, dict[str, float]]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rm.Qrels(labels)


@pytest.mark.slow
def test_no_real_judgments_are_refused_and_no_real_run_is_doubted(shared_data: Path) -> None:
    judgments = [
        *(shared_data / "qrels").glob("qrels*.txt"),
        *(shared_data / "rag25").glob("*.txt"),
        *(shared_data / "ranx").glob("*qrels*"),
        *shared_data.glob("ir_measures-tests/*.qrels"),
        shared_data / "cwl-tests/qrel_file",
        shared_data / "dl-hard-passage/dl_hard-passage.qrels",
        shared_data / "movielens-small/ratings.csv",
        shared_data / "pyserini-tests/nfcorpus-qrels.tsv",
        *(shared_data / "trec_eval-test" / name for name in ("qrels.test", "qrels.rel_level")),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for path in judgments:
            assert rm.Qrels(path).rows, path
        for path in [
            *shared_data.glob("dl-hard-passage/*.run"),
            *shared_data.glob("ir_measures-tests/*.run"),
            *(shared_data / "trec_eval-test" / name for name in ("results.test", "results.trunc")),
            *shared_data.glob("pyserini-tests/*.trec"),
        ]:
            assert rm.evaluate(everything_in(path), path, ["RR"])["RR"] == 1, path
    assert len(judgments) > 20


def everything_in(path: Path) -> dict[str, set[str]]:
    """Judge all documents of a run, so that each of its queries counts."""
    judged: dict[str, set[str]] = {}
    for line in path.read_text().splitlines():
        query, _, document, *_ = line.split()
        judged.setdefault(query, set()).add(document)
    return judged


def test_a_file_in_both_places_is_told(tmp_path: Path) -> None:
    path = tmp_path / "both.json"
    path.write_text('{"q": {"a": 1, "b": 0}}')
    with pytest.warns(rm.RankmarkWarning, match="are the same file"):
        assert rm.evaluate(path, str(path), ["AP"])["AP"] == 1
    done = rankmark_here("evaluate", path, path)
    assert "the judgments and the run are the same file" in done.stderr


SWAPPED = "q1 Q0 a 9.5 1 t\nq1 Q0 b 8.5 2 t\nq1 Q0 c 8 3 t\nq2 Q0 a 7.5 1 t\n"


def test_swapped_ranks_and_scores_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "swapped.run"
    for text in (
        SWAPPED,
        SWAPPED.replace(" 1 t", " 0 t").replace(" 2 t", " 1 t").replace("3 t", "2 t"),
    ):
        path.write_text(text)
        with pytest.raises(rm.SchemaError, match="rank and score seem to be swapped"):
            rm.evaluate({"q1": {"a": 1}}, path, ["RR"])
        with pytest.raises(rm.SchemaError, match="rank and score seem to be swapped"):
            rm.convert(path, tmp_path / "out.csv", kind="run")
        report = rm.check({"q1": {"a": 1}}, path)
        assert "refused" in {finding.code for finding in report.files[1].findings}
        done = rankmark_here("similarity", path, path)
        assert (done.returncode, "swapped" in done.stderr) == (1, True)
    assert rm.evaluate({"q1": {"a": 1}}, rm.Run(path, contents="scores"), ["RR"])["RR"] == 1 / 3


def test_a_mistaken_file_that_is_not_utf8_is_shown_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "latin1.run"
    path.write_bytes(SWAPPED.replace(" a ", " \xe9 ").encode("latin-1"))
    with pytest.raises(rm.SchemaError, match=r"seem to be swapped: 'q1 Q0 \\xe9 9.5 1 t'; "):
        rm.evaluate({"q1": {"a": 1}}, path, ["RR"])
    path.write_bytes(b"q1 Q0 \xe9 1 9.5 t\nq1 Q0 b 2 8.5 t\n")
    with pytest.raises(rm.SchemaError, match=r"look like a run .* 'q1 Q0 \\xe9 1 9.5 t', and"):
        rm.evaluate(path, {"q1": {"a": 1.0}}, ["RR"])


@pytest.mark.parametrize(
    "text",
    [
        "q1 Q0 a 1 9.5 t\nq1 Q0 b 2 8.5 t\n",
        "q1 Q0 a 2 1 t\nq1 Q0 b 1 2 t\n",
        "q1 Q0 a 1.5 1 t\nq1 Q0 b 1.5 1 t\nq1 Q0 c 3 0.5 t\n",
        "q1 Q0 a 0.5 1.0 t\nq1 Q0 b 1.5 0.5 t\n",
    ],
    ids=["as usual", "the best last", "ranks of ties", "fractions of both"],
)
def test_columns_in_their_places_are_not_taken_for_swapped(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text(text)
    rm.evaluate({"q1": {"a": 1}}, tmp_path / "a.run", ["RR"])


class Hit:
    def __init__(self, id: str, score: float) -> None:  # noqa: A002
        self.id, self.score = id, score


LISTS: dict[str, Callable[[dict[str, dict[str, float]]], Any]] = {
    "pairs": lambda held: {q: [*ds.items()] for q, ds in held.items()},
    "dicts of hits": lambda held: {
        q: [{"id": d, "score": s} for d, s in ds.items()] for q, ds in held.items()
    },
    "objects": lambda held: {q: [Hit(d, s) for d, s in ds.items()] for q, ds in held.items()},
    "arrays": lambda held: {
        q: (np.array([*ds.values()]), np.array([*ds])) for q, ds in held.items()
    },
}
TABLES: dict[str, Callable[[dict[str, dict[str, float]]], Any]] = {
    "dict": lambda held: held,
    "series": lambda held: {q: pd.Series(ds) for q, ds in held.items()},
    "pandas": frame,
    "Polars": lambda held: pl.from_pandas(frame(held)),
    "Arrow": lambda held: pa.Table.from_pandas(frame(held)),
    "batches": lambda held: pa.Table.from_pandas(frame(held)).to_reader(10),
    "records": lambda held: frame(held).to_dict("records"),
}


@pytest.mark.parametrize("form", [*LISTS, *TABLES])
def test_distances_are_refused_in_every_form(form: str) -> None:
    made = (LISTS | TABLES)[form]
    with pytest.raises(rm.SchemaError, match=r"rise .* never fall, so these seem to be distances"):
        rm.evaluate(QRELS, made(DISTANCES), ["AP"])
    expected = rm.evaluate(QRELS, made(SCORES), ["AP"])["AP"]
    negated = {q: {d: -s for d, s in held.items()} for q, held in DISTANCES.items()}
    assert rm.evaluate(QRELS, made(negated), ["AP"])["AP"] == expected
    said = rm.evaluate(QRELS, made(DISTANCES), ["AP"], contents="scores")["AP"]
    assert said < expected
    assert rm.evaluate(QRELS, rm.Run(made(DISTANCES), contents="scores"), ["AP"])["AP"] == said


@pytest.mark.parametrize("ending", ["trec", "csv", "json", "jsonl", "parquet"])
def test_distances_in_files_are_refused(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"distances.{ending}"
    rm.convert(frame(SCORES), path, kind="run")
    rows = frame(DISTANCES)
    if ending == "trec":
        path = trec(DISTANCES, tmp_path)
    elif ending == "csv":
        rows.to_csv(path, index=False)
    elif ending == "json":
        path.write_text(json.dumps(DISTANCES))
    elif ending == "jsonl":
        rows.to_json(path, orient="records", lines=True)
    else:
        rows.to_parquet(path, index=False)
    with pytest.raises(rm.SchemaError, match="these seem to be distances"):
        rm.evaluate(QRELS, path, ["AP"])
    judged = qrels_file(tmp_path)
    done = rankmark_here("evaluate", judged, path)
    assert (done.returncode, "--contents scores" in done.stderr) == (1, True)
    assert rankmark_here("evaluate", judged, path, "--contents", "scores").returncode == 0
    report = rm.check(judged, path)
    assert "refused" in {finding.code for finding in report.files[1].findings}
    other, out = trec(SCORES, tmp_path, "other.run"), tmp_path / "out.csv"
    for command in (("similarity", path, other), ("convert", path, out, "--as", "run")):
        done = rankmark_here(*command)
        assert (done.returncode, "--contents scores" in done.stderr) == (1, True), command
        assert rankmark_here(*command, "--contents", "scores").returncode == 0, command


WITHOUT_JUDGMENTS: dict[str, Callable[[Any, Path], object]] = {
    "similarity": lambda run, _: rm.compare_rankings(run, SCORES, "overlap@3"),
    "similarity to it": lambda run, _: rm.compare_rankings(SCORES, run, "overlap@3"),
    "convert": lambda run, out: rm.convert(run, out, kind="run"),
}


@pytest.mark.parametrize("form", [*LISTS, *TABLES])
def test_distances_are_refused_where_there_are_no_judgments(form: str, tmp_path: Path) -> None:
    made, out = (LISTS | TABLES)[form], tmp_path / "out.csv"
    for verb, call in WITHOUT_JUDGMENTS.items():
        with pytest.raises(rm.SchemaError, match=r"rise .* never fall, so these seem to be dist"):
            call(made(DISTANCES), out)
        assert not out.exists(), verb
    for call in WITHOUT_JUDGMENTS.values():
        call(rm.Run(made(DISTANCES), contents="scores"), out)
        call(made(SCORES), out)


def test_distances_are_refused_by_every_verb() -> None:
    for call in (
        lambda: rm.compare(QRELS, {"a": SCORES, "b": DISTANCES}, ["AP"]),
        lambda: rm.gate(QRELS, SCORES, DISTANCES, "AP", max_drop=0.5),
        lambda: rm.power(QRELS, SCORES, DISTANCES, "AP"),
        lambda: rm.reconcile(QRELS, DISTANCES, "AP", 0.5),
        lambda: rm.Accumulator(["AP"]).update(QRELS, DISTANCES),
    ):
        with pytest.raises(rm.SchemaError, match="seem to be distances"):
            call()


def test_a_run_of_ranks_alone_may_begin_with_the_worst(tmp_path: Path) -> None:
    rows = [f"{q},d{n},{n}\n" for q in QUERIES for n in range(10, 0, -1)]
    path = tmp_path / "ranks.csv"
    path.write_text("".join(["query_id,doc_id,rank\n", *rows]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rm.compare_rankings(path, path, "RBO(p=0.9)")["RBO(p=0.9)"] == pytest.approx(1)
        rm.convert(path, tmp_path / "out.trec", kind="run")


def test_ranks_say_that_the_highest_score_is_the_best() -> None:
    rows = frame(DISTANCES)
    for by_score in (8 - np.arange(48) % 8, 7 - np.arange(48) % 8):
        rm.evaluate(QRELS, rows.assign(rank=by_score), ["AP"])
    with pytest.raises(rm.SchemaError, match="seem to be distances"):
        rm.evaluate(QRELS, rows.assign(rank=1 + np.arange(48) % 8), ["AP"])
    with pytest.raises(rm.SchemaError, match="seem to be distances"):  # scores called ranks
        rm.evaluate(QRELS, rows.assign(rank=1000 - np.arange(48) % 8), ["AP"])
    by_rank = rm.evaluate(QRELS, rows.assign(rank=1 + np.arange(48) % 8), ["AP"], ties="rank")
    assert by_rank["AP"] == rm.evaluate(QRELS, SCORES, ["AP"])["AP"]


def test_explain_of_a_query_warns_and_of_means_refuses() -> None:
    with pytest.warns(rm.RankmarkWarning, match="seem to be distances"):
        rm.explain(QRELS, DISTANCES, "q1", "AP")
    with pytest.raises(rm.SchemaError, match="seem to be distances"):
        rm.explain(QRELS, DISTANCES, measure="AP", against=DISTANCES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rm.explain(QRELS, DISTANCES, "q1", "AP", contents="scores")
        rm.explain(QRELS, rm.Run(DISTANCES, contents="scores"), "q1", "AP")


def test_one_list_that_falls_clears_all_others() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rm.evaluate(QRELS, DISTANCES | {"q3": SCORES["q3"]}, ["AP"])


def test_what_has_no_order_is_not_doubted() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rm.evaluate(np.ones((3, 20)), np.tile(np.arange(20.0), (3, 1)), ["AP"])
        rm.evaluate({"q": ["h"]}, {"q": [*"abcdefghijkl"]}, ["AP"])


@pytest.mark.parametrize(
    ("rises", "chance"),
    [([9], 1 / math.factorial(10)), ([1] * 20, 2.0**-20), ([0, 3], 1 / 24), ([3, -1], 1), ([0], 1)],
)
def test_the_chance_is_that_of_lists_in_random_order(rises: list[int], chance: float) -> None:
    assert log_chance_of_rising(np.array(rises)) == pytest.approx(math.log(chance))


@pytest.mark.slow
def test_lists_in_random_order_are_hardly_ever_doubted() -> None:
    """Of lists of 2 to 10 documents in random order, at most 1 in 20 looks like distances."""
    rng = random.Random(7)
    refused = warned = 0
    for trial in range(2000):
        scores = [rng.random() for _ in range(2 + trial % 9)]
        held = {"q": {f"d{n}": score for n, score in enumerate(scores)}}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                rm.evaluate({"q": {"d0": 1}}, held, ["RR"])
            except rm.SchemaError:
                refused += 1
        warned += len(caught)
    assert refused == 0
    assert warned <= 10
