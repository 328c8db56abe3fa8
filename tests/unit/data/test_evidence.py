"""What values are is decided by all the evidence, in every form alike, and never by chance."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankmark as rm
from rankmark.data.contract.reading_options import AS_USUAL
from rankmark.data.evidence.distances import (
    REFUSED,
    WARNED,
    log_chance,
    log_chance_of_rising,
)
from rankmark.data.evidence.mistaken_labels import look_like_scores
from rankmark.data.evidence.near_ids import near_ids
from rankmark.data.preparing.pair_options import as_run
from unit.commands import rankmark_here

Lists = dict[str, dict[str, float]]


def retrieved(documents: int, queries: int = 200, pool: int = 50, seed: int = 1) -> Lists:
    """Draw distances: each query finds other documents, the nearest first."""
    rng = random.Random(seed)
    return {
        f"q{query}": dict(
            zip(
                (f"d{n}" for n in rng.sample(range(pool), documents)),
                sorted(rng.random() for _ in range(documents)),
                strict=True,
            )
        )
        for query in range(queries)
    }


def frame(held: Lists, column: str = "score") -> pd.DataFrame:
    rows = [(q, d, number) for q, of_query in held.items() for d, number in of_query.items()]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", column])


def trec(held: Lists, path: Path, *, by: int = 1) -> Path:
    """Write a run whose ranks count the rows, or, if ``by`` is -1, count them from the end."""
    lines = []
    for query, documents in held.items():
        for rank, (document, score) in enumerate(documents.items(), 1):
            shown = rank if by > 0 else len(documents) + 1 - rank
            lines.append(f"{query} Q0 {document} {shown} {score} tag\n")
    path.write_text("".join(lines))
    return path


def as_file(ending: str) -> Callable[[Lists, Path], Any]:
    def write(held: Lists, folder: Path) -> Path:
        path = folder / f"run.{ending}"
        rows = frame(held)
        {"csv": rows.to_csv, "parquet": rows.to_parquet}[ending](path, index=False)
        return path

    return write


FORMS: dict[str, Callable[[Lists, Path], Any]] = {
    "dict": lambda held, _: held,
    "pairs": lambda held, _: {q: [*ds.items()] for q, ds in held.items()},
    "arrays": lambda held, _: {
        q: (np.array([*ds.values()]), np.array([*ds])) for q, ds in held.items()
    },
    "pandas": lambda held, _: frame(held),
    "Polars": lambda held, _: pl.from_pandas(frame(held)),
    "records": lambda held, _: frame(held).to_dict("records"),
    "TREC": lambda held, folder: trec(held, folder / "a.run"),
    "CSV": as_file("csv"),
    "Parquet": as_file("parquet"),
}


@pytest.mark.parametrize("documents", [2, 3, 4, 5])
@pytest.mark.parametrize("form", FORMS)
def test_distances_of_short_lists_are_refused_in_every_form(
    form: str, documents: int, tmp_path: Path
) -> None:
    held = retrieved(documents)
    qrels = {query: {next(iter(found)): 1} for query, found in held.items()}
    with pytest.raises(rm.SchemaError, match="seem to be distances"):
        rm.evaluate(qrels, FORMS[form](held, tmp_path), "RR")
    negated = {q: {d: -score for d, score in found.items()} for q, found in held.items()}
    assert rm.evaluate(qrels, FORMS[form](negated, tmp_path), "RR")["RR"] == 1
    run = rm.Run(FORMS[form](held, tmp_path), contents="scores")
    assert rm.evaluate(qrels, run, "RR")["RR"] == pytest.approx(1 / documents)


def test_a_gate_with_distances_as_the_baseline_does_not_hold() -> None:
    held = retrieved(4)
    qrels = {query: {next(iter(found)): 1} for query, found in held.items()}
    worse = {
        query: {d: 1.0 - n for n, d in enumerate(reversed(found))} for query, found in held.items()
    }
    with pytest.raises(rm.SchemaError, match="seem to be distances"):
        rm.gate(qrels, held, worse, "RR", max_drop=0.01)


def test_a_few_falling_lists_do_not_hide_distances() -> None:
    held = retrieved(4)
    for query in [*held][:5]:
        held[query] = dict(reversed(held[query].items()))
    with pytest.raises(rm.SchemaError, match=r"in 195 of 200 lists"):
        rm.fuse([held, held])


SORTED: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "score": lambda rows: rows.sort_values("score"),
    "score, falling": lambda rows: rows.sort_values("score", ascending=False),
    "document": lambda rows: rows.sort_values("doc_id"),
    "another column": lambda rows: rows.assign(cost=np.exp(rows.score)).sort_values("cost"),
}


@pytest.mark.parametrize("by", SORTED)
def test_a_table_sorted_as_a_whole_says_nothing(by: str, tmp_path: Path) -> None:
    run = frame(retrieved(10))
    qrels = {query: {"d1": 1, "d2": 1} for query in run.query_id.unique()}
    expected = rm.evaluate(qrels, rm.Run(run, contents="scores"), "AP")["AP"]
    rows = SORTED[by](run)[["query_id", "doc_id", "score"]]
    rows.to_csv(tmp_path / "run.csv", index=False)
    rows.to_parquet(tmp_path / "run.parquet", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for form in (rows, pl.from_pandas(rows), tmp_path / "run.csv", tmp_path / "run.parquet"):
            assert rm.evaluate(qrels, form, "AP")["AP"] == pytest.approx(expected)
        rm.fuse([rows, rows])


def test_each_querys_documents_by_rising_score_are_scores_if_labels_agree() -> None:
    rng = random.Random(3)
    qrels = {f"q{n}": {"a": 1, "b": 0, "c": 0, "d": 0, "e": 0} for n in range(30)}
    run = {
        query: dict(
            sorted(((d, label + rng.random()) for d, label in ds.items()), key=lambda x: x[1])
        )
        for query, ds in qrels.items()
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rm.evaluate(qrels, run, "RR")["RR"] == 1
    turned = {query: {"a": 0, "b": 1, "c": 1, "d": 0, "e": 0} for query in qrels}
    with pytest.raises(rm.SchemaError, match="seem to be distances"):
        rm.evaluate(turned, run, "RR")


def test_ranks_decide_what_scores_are(tmp_path: Path) -> None:
    held = retrieved(2, queries=30)
    qrels = {query: {next(iter(found)): 1} for query, found in held.items()}
    agree = trec(held, tmp_path / "agree.run", by=-1)
    assert rm.evaluate(qrels, agree, "RR")["RR"] == 0.5
    with pytest.raises(rm.SchemaError, match="seem to be distances"):
        rm.fuse([trec(held, tmp_path / "contradict.run"), agree])


def test_what_one_loop_wrote_is_one_piece_of_evidence() -> None:
    rng = random.Random(2)
    items = {f"item{n}": rng.random() for n in range(40)}
    rising = dict(sorted(items.items(), key=lambda item: item[1]))
    of_four = dict([*rising.items()][:4])
    same = {f"u{n}": {item: s + n for item, s in of_four.items()} for n in range(500)}
    some = {
        f"u{n}": {item: s for item, s in of_four.items() if rng.random() < 0.7} for n in range(500)
    }
    for run in (same, some):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            rm.fuse([run, run])
    bad_then_good = {
        f"q{n}": {f"bad{n}": rng.random(), f"good{n}": 1 + rng.random()} for n in range(500)
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rm.fuse([bad_then_good, bad_then_good])
        qrels = {f"q{n}": {f"good{n}": 1} for n in range(500)}
        assert rm.evaluate(qrels, bad_then_good, "RR")["RR"] == 1


@pytest.mark.parametrize("documents", [2, 3, 4, 6, 10, 13])
def test_lists_in_random_order_are_refused_in_1_of_a_million_cases_at_most(documents: int) -> None:
    """The chance is exact: each list rises with p = 1 / documents!, by itself."""
    rises = 1 / math.factorial(documents)
    for lists in [*range(1, 60), 100, 300]:
        refused = warned = 0.0
        for falling in range(lists + 1):
            found = np.array([documents - 1] * (lists - falling) + [-1] * falling)
            ways = math.comb(lists, falling) * rises ** (lists - falling) * (1 - rises) ** falling
            refused += ways if log_chance_of_rising(found) <= REFUSED else 0
            warned += ways if log_chance_of_rising(found) <= WARNED else 0
        assert refused <= 1e-6
        assert warned <= 0.02


@pytest.mark.slow
def test_what_a_loop_writes_is_doubted_as_rarely() -> None:
    """Scores of documents that a loop always writes in one order rise together or not at all."""
    rng = random.Random(5)
    refused = warned = 0
    for _ in range(1000):
        popular = {f"d{n}": rng.random() for n in range(rng.randrange(2, 7))}
        run = {f"q{n}": {d: s * (n + 1) for d, s in popular.items()} for n in range(20)}
        chance = log_chance(as_run(run).source.rows(AS_USUAL, lenient=False), None)
        refused += chance <= REFUSED
        warned += chance <= WARNED
    assert refused == 0
    assert warned <= 10


SWAPPED: dict[str, Callable[[Lists, str], Any]] = {
    "dict": lambda held, _: held,
    "pandas": frame,
    "Polars": lambda held, column: pl.from_pandas(frame(held, column)),
    "records": lambda held, column: frame(held, column).to_dict("records"),
}


def system_and_people(queries: int = 30) -> tuple[Lists, Lists]:
    rng = random.Random(4)
    system = {
        f"q{query}": {f"d{n}": round(rng.gauss(5, 2), 4) for n in range(20)}
        for query in range(queries)
    }
    people = {
        query: {d: float(rng.randrange(4)) for d in [*found][:8]} for query, found in system.items()
    }
    return system, people


@pytest.mark.parametrize("form", SWAPPED)
def test_swapped_arguments_are_refused_in_any_order(form: str) -> None:
    system, people = system_and_people()
    made = SWAPPED[form]
    with pytest.raises(rm.SchemaError, match="judgments and run seem to be swapped") as refused:
        rm.evaluate(made(system, "label"), made(people, "score"), "nDCG@10")
    assert "contents='labels'" in str(refused.value)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rm.evaluate(made(people, "label"), made(system, "score"), "nDCG@10")
        rm.evaluate(rm.Qrels(system, contents="labels"), made(people, "score"), "nDCG@10")


@pytest.mark.parametrize("turned", [1, 2])
def test_a_run_as_judgments_is_refused_if_a_few_queries_stand_in_another_order(turned: int) -> None:
    system, people = system_and_people(24)
    run = {q: dict(sorted(ds.items(), key=lambda d: -d[1])) for q, ds in system.items()}
    for query in [*run][:turned]:
        run[query] = dict(reversed(run[query].items()))
    with pytest.raises(rm.SchemaError, match=r"nearly every query.*this seems to be a run"):
        rm.evaluate(run, people, "RR")


def test_arrays_of_labels_and_scores_may_be_swapped_as_well() -> None:
    rng = np.random.default_rng(1)
    scores, labels = rng.random(200), rng.integers(0, 3, 200)
    with pytest.raises(rm.SchemaError, match="seem to be swapped"):
        rm.evaluate(scores, labels, "nDCG", groups=[20] * 10)
    rm.evaluate(labels, scores, "nDCG", groups=[20] * 10)


def test_a_few_swapped_numbers_are_a_warning() -> None:
    labels = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}
    scores = {"q1": {"a": 0.5, "b": 0.6}, "q2": {"c": 0.1}}
    with pytest.warns(rm.RankmarkWarning, match="judgments and run may be swapped"):
        rm.evaluate(scores, labels, "nDCG@10")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rm.evaluate(labels, scores, "nDCG@10")


@pytest.mark.parametrize("judges", [2, 3, 4, 5])
@pytest.mark.parametrize("form", SWAPPED)
def test_averaged_labels_are_known_as_labels(judges: int, form: str) -> None:
    rng, made = random.Random(judges), SWAPPED[form]
    labels: Lists = {}
    scores: Lists = {}
    for query in range(12):
        given = [sum(rng.randint(0, 3) for _ in range(judges)) / judges for _ in range(6)]
        labels[f"q{query}"] = {f"d{n}": round(label, 2) for n, label in enumerate(given)}
        scores[f"q{query}"] = {f"d{n}": rng.randint(50, 5000) for n in range(10)}
    judged = made(labels, "label")
    with pytest.warns(rm.RankmarkWarning, match="judgments and run may be swapped"):
        rm.evaluate(made(scores, "label"), made(labels, "score"), "nDCG")
    shares = {q: {d: score / 7919 for d, score in ds.items()} for q, ds in scores.items()}
    with pytest.raises(rm.SchemaError, match="judgments and run seem to be swapped"):
        rm.evaluate(made(shares, "label"), made(labels, "score"), "nDCG")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rm.evaluate(judged, made(scores, "score"), "nDCG")
        rm.evaluate(judged, made(shares, "score"), "nDCG")


def test_a_few_large_labels_beside_grades_may_be_swapped() -> None:
    scores = {"q1": {"a": 812, "b": 433, "c": 1204}, "q2": {"a": 377, "d": 951}}
    with pytest.warns(rm.RankmarkWarning, match="judgments and run may be swapped"):
        rm.evaluate(scores, {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"a": 1}}, "nDCG")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rm.evaluate(scores, {"q1": {"a": 3, "b": 2, "c": 1}}, "nDCG")  # as somebody types


@pytest.mark.parametrize("step", [1, 5, 10])
@pytest.mark.parametrize("form", SWAPPED)
def test_labels_in_percent_may_be_swapped(step: int, form: str) -> None:
    made, rng = SWAPPED[form], random.Random(step)
    system, people = system_and_people()
    percents = {
        q: {d: float(rng.randrange(0, 101, step)) for d in labels} for q, labels in people.items()
    }
    with pytest.warns(rm.RankmarkWarning, match="whole numbers from 0 to 100, as labels are"):
        rm.evaluate(made(system, "label"), made(percents, "score"), "nDCG@10")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rm.evaluate(made(percents, "label"), made(system, "score"), "nDCG@10")
        # Places counted down are scores of many systems.
        places = {q: {d: 20.0 - n for n, d in enumerate(ds)} for q, ds in system.items()}
        rm.evaluate(made(system, "label"), made(places, "score"), "nDCG@10")
        rm.evaluate(rm.Qrels(system, contents="labels"), made(percents, "score"), "nDCG@10")


def test_swapped_arguments_are_refused_if_the_first_queries_hold_nothing() -> None:
    system, people = system_and_people(60)
    people |= {query: {} for query in [*people][:20]}
    with pytest.raises(rm.SchemaError, match="judgments and run seem to be swapped"):
        rm.evaluate(system, people, "nDCG@10")


def test_soft_labels_are_not_scores() -> None:
    rng = np.random.default_rng(2)
    starts = np.arange(0, 3001, 10)
    made: list[Any] = [
        rng.integers(0, 101, 3000) / 100,
        rng.integers(0, 11, 3000) / 2,
        rng.integers(0, 1000, 3000) // 7 * 0.0,
        rng.integers(0, 8, 3000).astype(float),
    ]
    for labels in made:
        assert not look_like_scores(labels, starts)
    assert look_like_scores(rng.random(3000), starts)


def test_time_stamps_are_no_labels(tmp_path: Path) -> None:
    path = tmp_path / "u.data"
    path.write_text("".join(f"{1 + n % 9} 5 {n} {881250949 + 977 * n}\n" for n in range(50)))
    with pytest.raises(rm.SchemaError, match="time stamps, such as 881250949"):
        rm.Qrels(path)
    assert rm.Qrels(path, contents="labels").rows == 50
    done = rankmark_here("evaluate", path, path)
    assert (done.returncode, "time stamps" in done.stderr) == (1, True)


NAMES = {
    "accents": ("D\xe9j\xe0 {}.pdf", "De\u0301ja\u0300 {}.pdf", "accents were composed alike"),
    "case": ("Doc{}", "doc{}", "upper and lower case were alike"),
    "blanks": ("a b {}", "a_b_{}", "blanks, '_', '-' and '+' were alike"),
    "blanks left out": ("New York {}", "New  York{}", "blanks, '_', '-' and '+' were alike"),
    "unseen": ("doc{}", "\ufeffdoc\u200b{} ", "characters that do not show were left out"),
    "line break": ("doc{}", "doc{}\r", "characters that do not show were left out"),
    "wide": ("doc{}", "\uff44\uff4f\uff43{}", "wide characters written as usual"),
    "no accents": ("caf\xe9 {}", "cafe {}", "accents were left out"),
    "decimals": ("{}", "{}.0", "whole numbers had no '.0'"),
    "quotes": ("doc{}", "b'doc{}'", "quotes and brackets were left out"),
    "url": ("http://x.y/a{}", "https://www.x.y/a{}/", "the ends of URLs were alike"),
    "several": ("New York {}", "new_york_{}", "case, blanks, '_' and the like were alike"),
    "zeros": ("d{}", "d00{}", "leading zeros were left out"),
    "ending": ("doc{}", "doc{}.pdf", "endings were left out"),
    "prefix": ("{}0", "doc_{}0", "prefixes were left out"),
    "long prefix": ("{}", "msmarco_v2.1_doc_{}", "prefixes were left out"),
    "folder": ("{}a.txt", "kb/2024/{}a.txt", "folders were left out"),
    "quoting": ("a b {}", "a%20b%20{}", "'%20', '&amp;' and the like were decoded"),
    "chunk": ("doc{}", "doc{}#3", "parts of documents were their documents"),
}


@pytest.mark.parametrize("name", NAMES)
def test_half_of_the_ids_written_in_another_way_is_told(name: str, tmp_path: Path) -> None:
    ours, theirs, meaning = NAMES[name]
    qrels = {f"q{n}": {ours.format(n): 1} for n in range(1, 13)}
    run = {
        f"q{n}": {(theirs if n % 2 else ours).format(n): 1.0, f"other{n}": 0.5}
        for n in range(1, 13)
    }
    rows = frame(run)
    rows.to_csv(tmp_path / "run.csv", index=False)
    rows.to_parquet(tmp_path / "run.parquet", index=False)
    forms: list[Any] = [run, rows, tmp_path / "run.csv", tmp_path / "run.parquet"]
    for form in (*forms, {q: [*ds] for q, ds in run.items()}):
        with pytest.warns(rm.RankmarkWarning) as caught:
            assert rm.evaluate(qrels, form, "RR")["RR"] == 0.5
        (said,) = [str(one.message) for one in caught]
        assert "6 of 6 more judged documents, besides the 6 that it holds, would match if" in said
        assert meaning in said
        best = "0.7500" if name == "long prefix" else "1.0000"  # where other1 may be 1, too
        assert (f"; RR would be {best}, not 0.5000; " in said) == (name != "chunk")
    findings = {
        found.code: found for found in rm.check(qrels, run, measures=["RR"]).files[1].findings
    }
    if name != "chunk":
        assert findings["near-documents"].moves == {"RR": (0.5, float(best))}
        told = findings["near-documents"].consequence
        assert told.startswith("if these documents matched: RR ")


def test_the_number_that_queries_written_alike_would_change_is_told() -> None:
    qrels = {f"q{n}": {"a": n % 2, "b": 1} for n in range(12)}
    run = {(f"Q{n}" if n % 3 else f"q{n}"): {"a": 1.0, "b": 0.5} for n in range(12)}
    alike = rm.evaluate(qrels, {query.lower(): own for query, own in run.items()}, "RR")["RR"]
    with pytest.warns(rm.RankmarkWarning, match=rf"RR would be {alike:.4f}, not 0\.2500"):
        assert rm.evaluate(qrels, run, "RR")["RR"] == 0.25
    codes = {found.code: found for found in rm.check(qrels, run, measures=["RR"]).files[1].findings}
    assert codes["near-queries"].moves == {"RR": (0.25, alike)}


def test_ids_of_a_large_frame_in_any_order_are_looked_at() -> None:
    pandas = pytest.importorskip("pandas")
    qrels = {f"q{n}": {f"doc{n}_{at}": 1 for at in range(10)} for n in range(100)}
    rows = [
        (query, document.upper() if at % 2 else document, 1.0)
        for query, of in qrels.items()
        for at, document in enumerate(of)
    ]
    rows += [(query, f"other{at}", 0.5) for query in qrels for at in range(30)]
    random.Random(3).shuffle(rows)
    run = pandas.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    with pytest.warns(
        rm.RankmarkWarning, match="500 of 500 more judged documents, besides the 500"
    ):
        rm.evaluate(qrels, run, "RR")


def test_all_ids_written_in_another_way_are_told() -> None:
    qrels = {f"q{n}": {f"New York {n}": 1} for n in range(1, 13)}
    run = {f"q{n}": {f"New_York_{n}": 1.0, f"Rome_{n}": 0.5} for n in range(1, 13)}
    with pytest.warns(rm.RankmarkWarning, match="in two ways: 12 would match if blanks, '_', '-'"):
        assert rm.evaluate(qrels, run, "RR")["RR"] == 0


def test_queries_whose_ids_have_leading_zeros_on_one_side_are_told() -> None:
    qrels = {str(n): {"a": 1} for n in range(1, 25)}
    run = {f"{n:02}": {"a": 1.0} for n in range(1, 25)}
    with pytest.warns(rm.RankmarkWarning, match="9 of 9 judged queries that it lacks would match"):
        rm.evaluate(qrels, run, "RR")


def test_ids_that_are_other_documents_are_not_near() -> None:
    rng = random.Random(6)
    patterns = ("clueweb09-en{:04}-{:02}", "MB-{}-{}", "doc{}_{}", "{}.{}", "https://x.y/{}/{}")
    for pattern in patterns:
        names = [pattern.format(rng.randrange(9999), rng.randrange(99)) for _ in range(6000)]
        qrels = {f"q{n}": dict.fromkeys(rng.sample(names, 20), 1) for n in range(100)}
        run = {query: {d: rng.random() for d in rng.sample(names, 100)} for query in qrels}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            rm.evaluate(qrels, run, "RR")


def test_ranks_that_contradict_every_score_are_told_whatever_the_order_of_lines(
    tmp_path: Path,
) -> None:
    held = retrieved(4, queries=30)
    lines = trec(held, tmp_path / "in_order.run").read_text().splitlines(keepends=True)
    random.Random(9).shuffle(lines)
    path = tmp_path / "shuffled.run"
    path.write_text("".join(lines))
    qrels = {query: {next(iter(found)): 1} for query, found in held.items()}
    with pytest.raises(rm.SchemaError, match="rank 1 has the lowest score of each query"):
        rm.evaluate(qrels, path, "RR")
    with pytest.raises(rm.SchemaError, match="these seem to be distances"):
        rm.fuse([path, path])
    assert rm.evaluate(qrels, path, "RR", ties="rank")["RR"] == 1
    assert rm.evaluate(qrels, path, "RR", contents="scores")["RR"] == 0.25
    rm.fuse([path, path], lower_better=True)
    path.write_text(
        "".join(f"q{n} Q0 d{n * 5 % 7} 1 {n % 3} x\nq{n} Q0 e 1 5 x\n" for n in range(90))
    )
    rm.evaluate({"q1": {"e": 1}}, path, "RR")  # the same rank everywhere says nothing


@pytest.mark.parametrize("form", ["mapping", "file"])
def test_a_few_ids_written_in_another_way_are_told_if_they_change_a_mean(
    form: str, tmp_path: Path
) -> None:
    qrels = {f"q{n}": {f"doc{n}x{at}": 1 for at in range(10)} for n in range(60)}
    run = {query: dict.fromkeys(held, 1.0) | {"b": 0.5} for query, held in qrels.items()}
    for n in range(12):  # of which six are retrieved in capitals
        del run[f"q{n * 5}"][f"doc{n * 5}x0"]
        run[f"q{n * 5}"][f"DOC{n * 5}X{n % 2}"] = 2.0
    given = run if form == "mapping" else trec(run, tmp_path / "a.run")
    with pytest.warns(rm.RankmarkWarning) as caught:
        now = rm.evaluate(qrels, given, "R@20")["R@20"]
    (said,) = [str(one.message) for one in caught]
    assert "6 of 12 more judged documents, besides the 588 that it holds, would match" in said
    assert f"R@20 would be {now + 6 / 600:.4f}, not {now:.4f}" in said
    (near,) = rm.check(qrels, given, measures="R@20").files[1].findings[:1]
    assert near.what.startswith("6 of 12 more judged documents would match if upper and lower")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rm.evaluate(qrels, given, "Success@5")  # which they do not change


@pytest.mark.parametrize(("apart", "found"), [(True, 5), (False, None)])
def test_few_of_many_ids_are_near_unless_others_would_become_the_same(
    apart: bool, found: int | None
) -> None:
    ours = [f"gone{n}" for n in range(200)] + [f"Held{n}" for n in range(5)]
    theirs = [f"other{n}" for n in range(200)] + [f"held{n}" for n in range(5)]
    theirs += [] if apart else ["OTHER7"]
    near = near_ids([(ours, theirs)], of_all=True)
    assert (near and (near.found, near.among)) == (found and (found, 205))
    assert near_ids([(ours, theirs)]) is None


def test_titles_that_share_words_are_no_lists() -> None:
    """One title is judged and another one retrieved in each query, as with lists cut at 1."""
    qrels = {f"q{n}": [f"Annual report {n} of 2020.pdf"] for n in range(12)}
    run = {f"q{n}": [f"Annual report {n + 50} of 2020.pdf"] for n in range(12)}
    with rm.quiet():
        assert rm.evaluate(qrels, run, "RR")["RR"] == 0.0


def test_titles_with_other_accents_are_told_as_such() -> None:
    qrels = {f"q{n}": [f"D\u00e9j\u00e0 vu {n}.pdf"] for n in range(12)}
    run = {
        f"q{n}": [f"De\u0301ja\u0300 vu {n}.pdf" if n % 2 else qrels[f"q{n}"][0]] for n in range(12)
    }
    with pytest.warns(rm.RankmarkWarning, match="6 of 6 more judged documents.*accents"):
        assert rm.evaluate(qrels, run, "RR")["RR"] == 0.5


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_file_of_one_line_has_few_ids_to_look_at(end: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text(f"q Q0 b 1 1.0 t{end}")
    with pytest.warns(rm.RankmarkWarning, match="no document that it holds is judged"):
        assert rm.evaluate({"q": {"a": 1}}, path, "RR")["RR"] == 0
