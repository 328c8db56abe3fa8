"""A measure over records: their order, what changed, and what is refused."""

import json
import math
import re
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.statistics import adjust, mean_interval, t_test
from unit.commands import rankmark_here

QUERIES = 40


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return a record of a run in which each query has its document at rank 2, as a template."""
    folder = tmp_path_factory.mktemp("recorded")
    qrels, run = folder / "qrels", folder / "new.run"
    qrels.write_text("".join(f"q{n} 0 d 1\n" for n in range(QUERIES)))
    run.write_text(
        "".join(f"q{n} 0 {d} 1 {s} x\n" for n in range(QUERIES) for d, s in ("x2", "d1"))
    )
    done = rankmark_here("evaluate", qrels, run, "-m", "RR,P@1", "--record", folder / "r.json")
    assert done.returncode == 0
    record: dict[str, Any] = json.loads((folder / "r.json").read_text())
    return record


class Series:
    """Records written one after the other, a day apart."""

    def __init__(self, folder: Path, template: dict[str, Any]) -> None:
        self.folder, self.template, self.paths = folder, template, list[Path]()

    def add(self, scores: Any, **changed: Any) -> Path:
        record = json.loads(json.dumps(self.template))
        (run,) = record["per_query"]["runs"]
        values = [float(one) for one in scores]
        lines = [f"q{n}\t{value!r}\t0.0" for n, value in enumerate(values)]
        record["per_query"]["runs"][run] = lines
        record["values"]["means"][run]["RR"] = float(np.mean(values))
        record["date"] = f"2026-11-{len(self.paths) + 1:02}T00:00:00+00:00"
        record |= {"commit": None} | changed
        self.paths.append(self.folder / f"r{len(self.paths)}.json")
        self.paths[-1].write_text(json.dumps(record))
        return self.paths[-1]

    def trend(self, **options: Any) -> rm.Trend:
        return rm.trend(self.paths, **options)


@pytest.fixture
def series(tmp_path: Path, recorded: dict[str, Any]) -> Series:
    return Series(tmp_path, recorded)


RNG = np.random.default_rng(0)
START = RNG.random(QUERIES) / 2 + 0.25


def test_a_record_has_the_scores_whose_hash_it_has(recorded: dict[str, Any]) -> None:
    assert recorded["per_query"]["measures"] == ["RR", "P@1"]
    (lines,) = recorded["per_query"]["runs"].values()
    assert lines[:2] == ["q0\t0.5\t0.0", "q1\t0.5\t0.0"]
    assert recorded["date"].endswith("+00:00")


def test_a_change_is_found_where_it_is_and_later_ones_from_there(series: Series) -> None:
    worse, again = START - 0.1 - RNG.random(QUERIES) / 10, START + 0.2 * RNG.random(QUERIES)
    small = START.copy()
    small[3] += 0.01
    for scores in (START, START, small, worse, worse, again):
        series.add(scores)
    found = series.trend()
    assert [row.compared_with for row in found.rows] == [None, "r0", "r0", "r0", "r3", "r3"]
    assert [row.record for row in found.changes] == ["r3", "r5"]
    first = found.change
    assert first is not None
    assert first.difference == pytest.approx((worse - START).mean())
    test = t_test(START, worse)
    assert first.p == test.p
    assert first.adjusted_p == pytest.approx(6 * test.p)  # the second record with other scores
    ends = mean_interval(worse - START, method="t", confidence=1 - 0.05 / 6)
    assert (first.low, first.high) == (ends.low, ends.high)
    assert (first.improved, first.worsened) == (0, QUERIES)
    assert len(first.since) == QUERIES
    assert next(iter(first.since.values())) == min((worse - START).tolist())
    assert found.rows[1].difference == found.rows[4].difference == 0
    assert found.rows[2].moved == {"q3": pytest.approx(0.01)}
    assert str(found).startswith("RR over 6 records: first change with r3, -0.1")
    assert "Queries that moved most with r3, since r0:" in str(found)


def test_later_records_never_take_back_what_was_found(series: Series) -> None:
    found = []
    for at in range(8):
        series.add(START + (0.02 if at > 3 else 0) + RNG.normal(0, 0.03, QUERIES))
        if at:
            found.append(series.trend().rows)
    for fewer, more in pairwise(found):
        assert more[: len(fewer)] == fewer


def test_levels_add_up_so_that_all_looks_together_keep_theirs() -> None:
    levels = [0.05 / (i * (i + 1)) for i in range(1, 10_000)]
    assert math.fsum(levels) < 0.05
    assert adjust([0.001, 1.0], "bonferroni").adjusted[0] == 0.001 * 2  # as the first look has


def test_the_same_difference_of_all_queries_is_a_change(series: Series) -> None:
    series.add(START)
    series.add(START - 0.125)
    (row,) = series.trend().changes
    assert row.p == 2.0 ** (1 - QUERIES)
    assert math.isnan(row.low)


def test_lower_may_be_better(series: Series) -> None:
    for scores in (START, START - 0.2 * RNG.random(QUERIES)):
        path = series.add(scores)
        path.write_text(path.read_text().replace('"RR"', '"MeanRank"'))
    found = series.trend()
    assert found.headline.endswith("from r0, better")
    assert found.rows[1].improved == QUERIES


def test_records_are_in_the_order_of_their_commits(series: Series) -> None:
    def commit(day: int) -> dict[str, str]:
        return {"id": f"{day}" * 40, "date": f"2026-10-{day:02}T00:00:00+02:00"}

    series.add(START, commit=commit(3))
    series.add(START, commit=commit(1))
    found = series.trend()
    assert [row.record for row in found.rows] == ["r1", "r0"]
    assert found.notes[0] == "in the order of commits"
    assert found.rows[0].date.startswith("2026-10-01")
    assert "1111111" in str(found)
    series.add(START)
    found = series.trend()
    assert [row.record for row in found.rows] == ["r0", "r1", "r2"]
    assert found.notes[0] == "in the order of dates"


def test_other_judgments_and_conventions_are_refused_or_marked(series: Series) -> None:
    series.add(START)
    other = json.loads(json.dumps(series.template["inputs"]))
    other[0]["sha256"] = "0" * 64
    series.add(START - 0.2 * RNG.random(QUERIES), inputs=other)
    with pytest.raises(rm.InputError, match=r"r1.*it has other judgments than r0"):
        series.trend()
    conventions = series.template["conventions"] | {"ties": "mean"}
    series.add(START, inputs=other, conventions=conventions)
    found = series.trend(different="mark")
    assert [row.note for row in found.rows] == ["", "other judgments", "other conventions"]
    assert found.changes == []
    assert all(math.isnan(row.difference) for row in found.rows)


def test_records_of_other_averaged_queries_are_refused_or_marked(series: Series) -> None:
    def corpus(sha256: str) -> dict[str, Any]:
        template = series.template
        file = template["inputs"][0] | {"role": "corpus", "sha256": sha256 * 64}
        conventions = template["conventions"] | {"unwinnable": "skip"}
        return {"inputs": [*template["inputs"], file], "conventions": conventions}

    series.add(START, **corpus("0"))
    series.add(START, **corpus("1"))  # another corpus, of the same queries
    assert series.trend().rows[1].difference == 0
    series.add(START[:-5], **corpus("1"))
    message = r"r2: it has other averaged queries \(40 before, 35 now: 5 missing\) than r1"
    with pytest.raises(rm.InputError, match=message):
        series.trend()
    ends = [series.paths[0], series.paths[2]]
    with pytest.raises(rm.InputError, match="it has other corpus and averaged queries"):
        rm.trend(ends)
    found = rm.trend(ends, different="mark")
    assert [row.n for row in found.rows] == [40, 35]
    assert math.isnan(found.rows[1].difference)
    assert found.headline.endswith("no significant change within each of 2 series")
    assert re.search("record +date +queries +RR", str(found))
    assert "5 missing" in str(found)
    path = series.add(START[:-5], **corpus("1"))
    path.write_text(path.read_text().replace("q3\\t", "q99\\t"))
    with pytest.raises(rm.InputError, match=r"35 before, 35 now: 1 missing, 1 new"):
        rm.trend(series.paths[-2:])


def test_a_commit_that_a_record_is_called_after_is_said_once(series: Series) -> None:
    for at, day in enumerate("12"):
        commit = {"id": day * 40, "date": f"2026-10-0{day}", "changed": at == 1}
        path = series.add(START - at * RNG.random(QUERIES) / 5, commit=commit)
        series.paths[-1] = path.rename(path.with_name(f"{day * 8}.json"))
    found = series.trend()
    assert "with 22222222 (2222222+changes), -0." in found.headline
    assert found.rows[1].commit == "2" * 40 + "+changes"
    path = series.paths[1]
    path.write_text(path.read_text().replace('"changed": true', '"changed": false'))
    found = series.trend()
    assert "with 22222222, -0." in found.headline
    assert "commit" not in str(found).splitlines()[2]
    assert "\\caption{RR over 2 records: first change with 22222222, " in found.to_latex()
    assert "\\label{tab:trend}" in found.to_latex()


def test_another_run_file_is_no_other_judgment(series: Series) -> None:
    series.add(START)
    other = json.loads(json.dumps(series.template["inputs"]))
    other[1]["sha256"] = "0" * 64
    series.add(START, inputs=other)
    assert len(series.trend().rows) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda record: record.pop("per_query"), "it has no date, commit, conventions or scores"),
        (lambda record: record.update(date="yesterday"), "it has no date"),
        (lambda record: record["per_query"]["runs"].update(x=[]), "it has several runs"),
        (lambda record: record["choices"].update(weights="w"), "its queries are weighted"),
        (lambda record: record["per_query"].update(measures=["AP", "P@1"]), "it has no RR"),
        (
            lambda record: record["per_query"]["runs"].update(
                {run: ["q1\tx\t0"] for run in record["per_query"]["runs"]}
            ),
            "its scores cannot be read",
        ),
        (lambda record: record.update(schema=2), "its schema is 2"),
    ],
)
def test_what_is_no_such_record_is_refused(series: Series, change: Any, message: str) -> None:
    series.add(START)
    path = series.add(START)
    record = json.loads(path.read_text())
    change(record)
    path.write_text(json.dumps(record))
    with pytest.raises(rm.InputError, match=message):
        series.trend(measure="RR")


def test_one_record_is_no_trend(series: Series) -> None:
    path = series.add(START)
    with pytest.raises(rm.InputError, match="give two records at least"):
        rm.trend([path, path])
    with pytest.raises(rm.InputError, match="nofolder: there is no such file"):
        rm.trend("nofolder/")
    with pytest.raises(rm.MeasureError, match="one measure is followed"):
        rm.trend([path, series.add(START)], "RR@1,2")


def test_a_run_is_named_as_its_file_or_without_its_ending(series: Series) -> None:
    for _ in range(2):
        path = series.add(START)
        record = json.loads(path.read_text())
        (run,) = record["per_query"]["runs"]
        for part in (record["per_query"]["runs"], record["values"]["means"]):
            part["old.run"] = part[run]
        path.write_text(json.dumps(record))
    assert len(series.trend(run="old").rows) == len(series.trend(run="old.run").rows) == 2
    with pytest.raises(rm.InputError, match="has no run 'other'"):
        series.trend(run="other")


def test_the_command_reads_folders_and_writes_every_form(series: Series, tmp_path: Path) -> None:
    for scores in (START, START - 0.2 * RNG.random(QUERIES)):
        series.add(scores)
    told = json.loads(rankmark_here("trend", tmp_path, "--format", "json").stdout)
    assert told["change"] == "r1"
    assert len(told["rows"][1]["moved"]) == QUERIES
    bracketed = tmp_path / "records[1]"
    bracketed.mkdir()
    for path in series.paths:
        (bracketed / path.name).write_text(path.read_text())
    assert [row.record for row in rm.trend(bracketed).rows] == ["r0", "r1"]
    csv = rankmark_here("trend", *series.paths, "--format", "csv").stdout.splitlines()
    assert csv[0].startswith("record,date,commit,mean,n,improved,worsened,compared_with,difference")
    assert "| r1 |" in rankmark_here("trend", tmp_path, "--format", "markdown").stdout
    assert rankmark_here("trend", tmp_path, "-m", "RR", "-m", "P@1").returncode == 2


@pytest.mark.slow
def test_the_picture_is_drawn_and_the_commit_is_that_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = ["-c", "user.name=a", "-c", "user.email=a@b"]
    (tmp_path / "qrels").write_text("".join(f"q{n} 0 d 1\n" for n in range(9)))
    ids: list[str] = []
    subprocess.run(["git", "init", "-q"], check=True)
    for at in range(3):
        rows = "".join(f"q{n} 0 d 1 {at * n % 4} x\nq{n} 0 e 1 1 x\n" for n in range(9))
        (tmp_path / "a.run").write_text(rows)
        subprocess.run(["git", *name, "commit", "-qm", "x", "--allow-empty"], check=True)
        said = subprocess.run(["git", "rev-parse", "HEAD"], check=True, capture_output=True)
        ids.append(said.stdout.decode().strip())
        if at == 2:
            subprocess.run(["git", "add", "qrels"], check=True)
            ids[-1] += "+changes"
        done = rankmark_here("evaluate", "qrels", "a.run", "-m", "RR", "--record", f"{at}.json")
        assert done.returncode == 0
    done = rankmark_here("trend", ".", "--plot", "t.svg")
    assert done.returncode == 0
    assert [row.commit for row in rm.trend(tmp_path).rows] == ids
    assert ids[1][:7] in (tmp_path / "t.svg").read_text()


def test_queries_without_a_value_are_left_out(series: Series) -> None:
    scores = START.copy()
    scores[0] = math.nan
    for _ in range(2):
        series.add(scores)
        text = series.paths[-1].read_text().replace('"RR": NaN', '"RR": 0.5')
        series.paths[-1].write_text(text)
    found = series.trend()
    assert [row.n for row in found.rows] == [QUERIES - 1] * 2
    assert found.rows[1].difference == 0


def test_a_date_without_a_zone_and_a_record_without_scores(series: Series) -> None:
    series.add(START)
    series.add(START, date="2025-01-01T00:00:00")
    assert [row.record for row in series.trend().rows] == ["r1", "r0"]
    series.add(START, date="2024-01-01", per_query={"measures": [], "runs": {}})
    with pytest.raises(rm.InputError, match="r2: it has no scores by query"):
        series.trend()
