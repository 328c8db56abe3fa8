"""Units of documents through the verbs: the golden example, what is said, and what is refused."""

import json
import math
import pickle
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from unit.commands import rankmark_here as ran

QRELS = {"q": {"D1": 2, "D2": 1, "D3": 1}}
CHUNKS = {
    "q": {
        "D1#3": 0.92,
        "D4#1": 0.90,
        "D1#1": 0.88,
        "D2#7": 0.60,
        "D1#9": 0.55,
        "D5#2": 0.50,
        "D3#1": 0.40,
    }
}
MEASURES = ["nDCG@5", "R@5", "P@5", "RR"]


@pytest.mark.parametrize(
    ("chosen", "wanted"),
    [
        ({"combine": "best"}, (0.922043, 1.0, 0.6, 1.0)),
        ({"combine": "first"}, (0.922043, 1.0, 0.6, 1.0)),
        ({"combine": "sum"}, (0.922043, 1.0, 0.6, 1.0)),
        ({"combine": "sum@2"}, (0.922043, 1.0, 0.6, 1.0)),
        ({"combine": "mean"}, (0.686286, 1.0, 0.6, 0.5)),
        ({"combine": "count", "ties": "docid-asc"}, (1.0, 1.0, 0.6, 1.0)),
        ({"combine": "rrf"}, (0.922043, 1.0, 0.6, 1.0)),
        ({"combine": "rrf@1"}, (0.922043, 1.0, 0.6, 1.0)),
        ({"unit_depth": 5}, (0.798485, 2 / 3, 0.4, 1.0)),
    ],
)
def test_the_golden_example(chosen: Any, wanted: tuple[float, ...]) -> None:
    ev = rm.evaluate(QRELS, CHUNKS, MEASURES, unit="#", rel=1, **chosen)
    assert ev.scores[0].tolist() == pytest.approx(wanted, abs=5e-7)


def test_duplicates_are_refused_or_dropped_and_never_counted_twice() -> None:
    documents = {"q": [unit.partition("#")[0] for unit in [*CHUNKS["q"]][:5]]}
    with pytest.raises(rm.DuplicateError):
        rm.evaluate(QRELS, documents, "nDCG@5")
    dropped = rm.evaluate(QRELS, documents, MEASURES, duplicates="first")
    assert dropped["nDCG@5"] == pytest.approx(0.798485, abs=5e-7)  # and not 1.342854
    assert dropped["R@5"] == pytest.approx(2 / 3)  # and not 4 / 3
    gains = [2, 0, 2, 1, 2]
    naive = sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
    ideal = sum(gain / math.log2(rank + 1) for rank, gain in enumerate([2, 1, 1], 1))
    assert naive / ideal == pytest.approx(1.342854, abs=5e-7)


def test_how_many_units_became_how_many_documents_is_said() -> None:
    ev = rm.evaluate(QRELS, CHUNKS, "nDCG@5", unit="#", unit_depth=5)
    assert (ev.audit.units, ev.audit.unit_documents) == (5, 3)
    assert ev.audit.units_per_document == pytest.approx(5 / 3)
    assert "5 units -> 3 documents, 1.67 each" in str(ev)
    assert "unit=# unit_depth=5" in str(ev)
    assert ev.settings["unit"] == "#"
    assert ev.audit.to_dict()["units"] == 5
    plain = rm.evaluate(QRELS, {"q": {"D1": 1.0}}, "nDCG@5").audit
    assert plain.units is plain.units_per_document is None


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        ({"unit": ""}, "unit is ''; need text"),
        ({"unit": 3}, "unit is 3; need text"),
        ({"qrels_unit": ""}, "qrels_unit is ''; need text"),
        ({"combine": "sum"}, "unit is not given"),
        ({"unit_depth": 3}, "unit_depth is about units"),
        ({"unit": "#", "combine": "top"}, "combine is 'top'; need one of best, first, sum"),
        ({"unit": "#", "combine": "best@2"}, "combine is 'best@2'"),
        ({"unit": "#", "combine": "sum@0"}, "combine is 'sum@0'"),
        ({"unit": "#", "combine": 2}, "combine is 2"),
        ({"unit": "#", "unit_depth": 0}, "unit_depth is 0; need a whole number"),
    ],
)
def test_what_makes_no_sense_is_refused(chosen: Any, found: str) -> None:
    with pytest.raises(rm.InputError) as caught:
        rm.evaluate(QRELS, CHUNKS, "nDCG@5", **chosen)
    assert found in str(caught.value)


def test_positions_have_no_units() -> None:
    np = pytest.importorskip("numpy")
    labels, scores = np.array([[1, 0, 2]]), np.array([[0.3, 0.9, 0.7]])
    with pytest.raises(rm.InputError, match="numbers of columns"):
        rm.evaluate(labels, scores, "RR", unit="#")
    with pytest.raises(rm.InputError, match="numbers of columns"):
        rm.evaluate(labels, scores, "RR", qrels_unit="#")


def _as_list(ids: list[list[str]]) -> Any:
    return ids


def _as_array(ids: list[list[str]]) -> Any:
    return pytest.importorskip("numpy").array(ids)


@pytest.mark.parametrize("make", [_as_list, _as_array])
@pytest.mark.parametrize("chosen", [{}, {"combine": "count"}, {"unit_depth": 5}])
def test_lists_and_arrays_of_ids_may_be_of_units(make: Any, chosen: dict[str, Any]) -> None:
    ids = [*CHUNKS["q"]]
    wanted = rm.evaluate(QRELS, {"q": ids}, MEASURES, unit="#", **chosen)
    judged = [{"D1": 2, "D2": 1, "D3": 1}]
    for given in ({"unit": "#"}, {"parents": {unit: unit[:2] for unit in ids}}):
        found = rm.evaluate(judged, make([ids]), MEASURES, **given, **chosen)
        assert found.scores.tobytes() == wanted.scores.tobytes()
        assert found.audit.units == wanted.audit.units
    runs = {"given": make([ids]), "turned": make([ids[::-1]])}
    compared = rm.compare(judged, runs, "nDCG@5", unit="#", **chosen)
    assert compared["given"]["nDCG@5"] == wanted["nDCG@5"]
    lifted = rm.evaluate([["D1#1", "D2#1"]], make([ids]), "RR", unit="#", qrels_unit="#")
    assert lifted["RR"] == 1.0


@pytest.mark.parametrize("named", ["dict", "list", "array", "function"])
@pytest.mark.parametrize("form", ["ids", "scores and ids"])
def test_numbers_of_a_vector_search_may_be_those_of_chunks(form: str, named: str) -> None:
    np = pytest.importorskip("numpy")
    of_chunk = [0, 0, 0, 1, 1, 2, 4, 3]  # a chunk's document
    ids = np.array([[1, 7, 0, 2, 6, -1], [3, 5, 4, 0, -1, -1]])
    scores = np.array([[0.9, 0.8, 0.7, 0.6, 0.5, 0.0], [0.9, 0.8, 0.7, 0.6, 0.0, 0.0]])
    run = ids if form == "ids" else (scores, ids)
    parents: Any = {
        "dict": dict(enumerate(of_chunk)),
        "list": of_chunk,
        "array": np.array(of_chunk),
        "function": lambda chunk: of_chunk[int(chunk)],
    }[named]
    labels = np.array([[2.0, 0, 0, 0, 1.0], [0, 1.0, 0, 0, 0]])
    documents = {"0": ["0", "3", "4"], "1": ["1", "2", "0"]}
    wanted = rm.evaluate({"0": {"0": 2, "4": 1}, "1": {"1": 1}}, documents, MEASURES)
    for judged in (labels, [{0: 2, 4: 1}, {1: 1}], rm.Qrels(labels)):
        found = rm.evaluate(judged, rm.Run(run, parents=parents), MEASURES)
        assert found.scores.tolist() == wanted.scores.tolist()
        assert (found.audit.units, found.audit.unit_documents) == (9, 6)
    explained = rm.explain(labels, rm.Run(run, parents=parents), "0", "RR")
    assert explained.value == wanted.per_query("RR")["0"]
    with pytest.raises(rm.InputError, match="unit '7' has no document in parents"):
        rm.evaluate(labels, rm.Run(run, parents=[0, 0, 0, 1, 1, 2, 4]), "RR")


def test_judgments_by_subtopic_are_not_combined() -> None:
    judged = rm.Qrels({"q": {"1": {"D1#1": 1}, "2": {"D2#1": 1}}}, subtopics=True)
    with pytest.raises(rm.InputError, match="judged by subtopic"):
        rm.evaluate(judged, CHUNKS, "alpha_nDCG@5", unit="#", qrels_unit="#")
    of_documents = rm.Qrels({"q": {"1": {"D1": 1}, "2": {"D2": 1}}}, subtopics=True)
    mapped = {"q": {"D1": 0.92, "D4": 0.90, "D2": 0.60, "D5": 0.50, "D3": 0.40}}
    assert (
        rm.evaluate(of_documents, CHUNKS, "alpha_nDCG@5", unit="#")["alpha_nDCG@5"]
        == (rm.evaluate(of_documents, mapped, "alpha_nDCG@5")["alpha_nDCG@5"])
    )


def test_infinite_scores_have_no_sum() -> None:
    run = {"q": {"D1#1": float("inf"), "D1#2": float("-inf"), "D2#1": 0.5}}
    assert rm.evaluate(QRELS, run, "RR", unit="#")["RR"] == 1.0
    with pytest.raises(rm.InputError, match="infinite, and have no sum"):
        rm.evaluate(QRELS, run, "RR", unit="#", combine="sum")


def test_what_is_probably_a_mistake_is_said() -> None:
    with pytest.warns(rm.RankmarkWarning, match="none of the 7 retrieved ids contains it"):
        rm.evaluate(QRELS | {"q2": {"D1#3": 1}}, CHUNKS, "RR", unit=":")
    low = {"q": {unit: score - 1 for unit, score in CHUNKS["q"].items()}}
    with pytest.warns(rm.RankmarkWarning, match="7 of 7 units have scores below 0"):
        rm.evaluate(QRELS, low, "RR", unit="#", combine="sum")
    with pytest.warns(rm.RankmarkWarning, match="which unit='#' would map"):
        rm.evaluate(
            {"q": {f"D{i}": 1 for i in range(9)}},
            {"q": {f"D{i}#{i % 3}": float(9 - i) for i in range(9)}},
            "RR",
        )


def test_documents_whose_own_ids_contain_the_separator_are_found() -> None:
    qrels, run = {"q": {"a:b": 1}}, {"q": {"a:b:3": 0.9, "a:c:1": 0.5}}
    assert rm.evaluate(qrels, run, "RR", unit=":")["RR"] == 1.0
    judged = {"q": {"a:b:7": 1, "a:b:9": 2, "a:c:1": 0}}
    ev = rm.evaluate(judged, run, ["RR", "NumRel"], unit=":", qrels_unit=":")
    assert (ev["RR"], ev["NumRel"]) == (1.0, 1.0)
    again = pickle.loads(pickle.dumps(ev))
    assert again.explain("q", "nDCG@5").value == ev.explain("q", "nDCG@5").value == 1.0


def test_seen_documents_and_the_query_itself_are_documents() -> None:
    ev = rm.evaluate(QRELS, CHUNKS, "RR", unit="#", seen={"q": {"D4": 1}}, combine="mean")
    assert ev["RR"] == 1.0
    run = {"D4": CHUNKS["q"]}
    ev = rm.evaluate({"D4": QRELS["q"]}, run, "RR", unit="#", combine="mean", drop_self=True)
    assert ev["RR"] == 1.0


def test_all_verbs_rank_documents_by_their_units(tmp_path: Path) -> None:
    many = {f"q{i}": QRELS["q"] for i in range(12)}
    units = {query: dict(CHUNKS["q"]) for query in many}
    other = {query: {**CHUNKS["q"], "D4#1": 0.95} for query in many}
    wanted = [rm.evaluate(many, run, "nDCG@5", unit="#")["nDCG@5"] for run in (units, other)]
    compared = rm.compare(many, {"a": units, "b": other}, "nDCG@5", unit="#")
    assert [ev["nDCG@5"] for ev in compared.evaluations.values()] == wanted
    acc = rm.Accumulator("nDCG@5", unit="#")
    for query, judged in many.items():
        acc.update({query: judged}, {query: units[query]})
    result = acc.result()
    assert result["nDCG@5"] == pytest.approx(wanted[0], abs=1e-14)
    assert (result.audit.units, result.audit.unit_documents) == (84, 60)
    assert not rm.gate(many, units, other, "nDCG@5", max_drop=0.01, unit="#").holds

    qrels, a, b = tmp_path / "qrels.txt", tmp_path / "a.run", tmp_path / "b.run"
    qrels.write_text(
        "".join(f"{q} 0 {d} {label}\n" for q, of in many.items() for d, label in of.items())
    )
    for path, run in ((a, units), (b, other)):
        path.write_text(
            "".join(f"{q} Q0 {d} 1 {s} x\n" for q, of in run.items() for d, s in of.items())
        )
    done = ran("evaluate", qrels, a, "-m", "nDCG@5", "--unit", "#", "--format", "json")
    told = json.loads(done.stdout)["runs"][0]
    assert told["scores"]["nDCG@5"] == wanted[0]
    assert (told["audit"]["units"], told["audit"]["unit_documents"]) == (84, 60)
    explained = ran("explain", qrels, a, "--query", "q0", "-m", "nDCG@5", "--unit", "#")
    assert "0.922043" in explained.stdout
    report = ran("report", qrels, a, b, "-o", tmp_path / "report.html", "--unit", "#")
    assert report.returncode == 0, report.stderr
    assert "84 units -&gt; 60 documents" in (tmp_path / "report.html").read_text()


def test_the_report_lists_documents() -> None:
    from rankmark.verbs.evaluate.ranked_lists import ranked_lists

    for combine in ("best", "mean", "count"):
        ev = rm.evaluate(QRELS, CHUNKS, "nDCG@5", unit="#", combine=combine, judged_only=False)
        lists = ranked_lists(ev, ["q"], 3)
        explained = [row["doc_id"] for row in ev.explain("q", "nDCG@5").rows]
        assert lists.doc_ids[:3] == explained[:3]
        assert {*lists.doc_ids} >= {"D1", "D2", "D3"}


PARENTS = {unit: unit.partition("#")[0] for unit in CHUNKS["q"]}
OPAQUE = {"q": {f"c{place}": score for place, score in enumerate(CHUNKS["q"].values())}}
OF_OPAQUE = dict(zip(OPAQUE["q"], PARENTS.values(), strict=True))


@pytest.mark.parametrize("form", ["mapping", "file", "file with tabs", "function"])
@pytest.mark.parametrize("combine", ["best", "mean", "count", "rrf"])
def test_parents_may_be_given(tmp_path: Path, form: str, combine: Any) -> None:
    path = tmp_path / "parents"
    separator = "\t" if form == "file with tabs" else " "
    path.write_text("".join(f"{unit}{separator}{doc}\n" for unit, doc in OF_OPAQUE.items()))
    parents: Any = path if form.startswith("file") else OF_OPAQUE
    if form == "function":
        parents = OF_OPAQUE.__getitem__
    run = rm.Run(OPAQUE, parents=parents)
    wanted = rm.evaluate(QRELS, CHUNKS, MEASURES, unit="#", combine=combine)
    # Equal sums of ranks and counts are ordered by the ids of documents, which are the same.
    ev = rm.evaluate(QRELS, run, MEASURES, combine=combine)
    assert ev.scores.tobytes() == wanted.scores.tobytes()
    assert ev.audit.units == 7
    assert "with the documents of 7 units" in str(ev)
    assert [row["doc_id"] for row in ev.explain("q", "nDCG@5").rows] == [
        row["doc_id"] for row in wanted.explain("q", "nDCG@5").rows
    ]
    again = pickle.loads(pickle.dumps(run))
    assert rm.evaluate(QRELS, again, MEASURES, combine=combine).scores.tobytes() == (
        wanted.scores.tobytes()
    )
    seen = rm.evaluate(QRELS, run, "RR", combine=combine, seen={"q": {"D4": 1}})
    assert seen["RR"] == 1.0


def test_files_of_units_may_have_parents(tmp_path: Path) -> None:
    from rankmark.verbs.evaluate.ranked_lists import ranked_lists

    path = tmp_path / "run"
    path.write_text("".join(f"q Q0 {unit} 1 {score} x\n" for unit, score in OPAQUE["q"].items()))
    run = rm.Run(path, parents=OF_OPAQUE)
    ev = rm.evaluate(QRELS, run, "nDCG@4", seen={"q": {"D5": 1}})
    assert ranked_lists(ev, ["q"], 4).doc_ids == ["D1", "D4", "D2", "D3"]
    assert [row["doc_id"] for row in ev.explain("q", "nDCG@4").rows] == ["D1", "D4", "D2", "D3"]
    compared = rm.compare(QRELS | {"r": {"D1": 1}}, {"a": run, "b": run}, "nDCG@4")
    assert compared.evaluations["a"].audit.unit_documents == 5


def test_units_without_a_parent_are_named(tmp_path: Path) -> None:
    few = {unit: doc for unit, doc in OF_OPAQUE.items() if unit != "c3"}
    with pytest.raises(rm.InputError, match="unit 'c3' has no document in parents; add it there"):
        rm.evaluate(QRELS, rm.Run(OPAQUE, parents=few), "RR")
    with pytest.raises(rm.InputError, match="leave one of them out"):
        rm.evaluate(QRELS, rm.Run(OPAQUE, parents=OF_OPAQUE), "RR", unit="#")
    with pytest.raises(rm.InputError, match="parents is 3; need"):
        rm.Run(OPAQUE, parents=3)  # type: ignore[arg-type]
    path = tmp_path / "parents"
    path.write_text("c1 D1\nc2\n")
    with pytest.raises(rm.ParseError, match=r"parents:2: 'c2' is not a unit and a document"):
        rm.Run(OPAQUE, parents=path)
    path.write_text("c1 D1\nc1 D2\n")
    with pytest.raises(rm.ParseError, match="unit 'c1' has two documents, 'D1' and 'D2'"):
        rm.Run(OPAQUE, parents=path)


ROWS = [
    {"query_id": query, "chunk_id": unit, "doc_id": OF_OPAQUE[unit], "score": score}
    for query, units in OPAQUE.items()
    for unit, score in units.items()
]
COLUMNS = {"doc_id": "chunk_id", "parent": "doc_id"}


def in_columns(form: str, folder: Path) -> Any:
    """Write the chunks with their documents in a column."""
    if form == "records":
        return ROWS
    if form == "dict of columns":
        return {name: [row[name] for row in ROWS] for name in ROWS[0]}
    path = folder / f"run.{form}"
    if form == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    elif form in {"csv", "tsv"}:
        by = "," if form == "csv" else "\t"
        lines = [by.join(map(str, row.values())) for row in ROWS]
        path.write_text("\n".join([by.join(ROWS[0]), *lines]) + "\n")
    else:
        pa = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(pa.Table.from_pylist(ROWS), path)
    return path


@pytest.mark.parametrize("form", ["records", "dict of columns", "csv", "tsv", "jsonl", "parquet"])
@pytest.mark.parametrize("combine", ["best", "mean"])
def test_a_column_may_hold_the_documents_of_units(tmp_path: Path, form: str, combine: Any) -> None:
    given = in_columns(form, tmp_path)
    wanted = rm.evaluate(QRELS, CHUNKS, MEASURES, unit="#", combine=combine).scores.tobytes()
    ev = rm.evaluate(QRELS, given, MEASURES, combine=combine, run_columns=COLUMNS)
    assert ev.scores.tobytes() == wanted
    assert ev.settings["run"]["columns"]["parent"] == "doc_id"
    labels = [{"query_id": "q", "doc_id": doc, "label": one} for doc, one in QRELS["q"].items()]
    ev = rm.evaluate(labels, given, MEASURES, combine=combine, columns=COLUMNS)
    assert ev.scores.tobytes() == wanted
    prepared = rm.Run(given, columns=COLUMNS)
    assert rm.evaluate(QRELS, prepared, MEASURES, combine=combine).scores.tobytes() == wanted


def test_what_a_column_of_documents_cannot_be_is_said(tmp_path: Path) -> None:
    with pytest.raises(rm.SchemaError, match=r"could both be doc_id.*it is the column 'parent'"):
        rm.evaluate(QRELS, ROWS, "RR")
    with pytest.raises(rm.SchemaError, match="no column 'file' for parent"):
        rm.evaluate(QRELS, ROWS, "RR", run_columns=COLUMNS | {"parent": "file"})
    lists = [{"query_id": "q", "chunk_id": ["c0", "c1"], "doc_id": ["D1", "D4"], "score": [2, 1]}]
    with pytest.raises(rm.SchemaError, match=r"'chunk_id' holds lists; explode\(\) the frame"):
        rm.evaluate(QRELS, lists, "RR", run_columns=COLUMNS)
    with pytest.raises(rm.InputError, match="given twice, as parents and as a column"):
        rm.evaluate(QRELS, ROWS, "RR", run_columns=COLUMNS, parents=OF_OPAQUE)
    with pytest.raises(rm.InputError, match="no columns with names"):
        rm.evaluate(QRELS, OPAQUE, "RR", run_columns={"parent": "doc_id"})
    other = [*ROWS, {"query_id": "q2", "chunk_id": "c0", "doc_id": "D9", "score": 1.0}]
    with pytest.raises(rm.SchemaError, match="unit 'c0' has two documents in column 'doc_id'"):
        rm.evaluate(QRELS, other, "RR", run_columns=COLUMNS)
    path = in_columns("csv", tmp_path)
    with path.open("rb") as file:  # is copied, so that it can be read again
        assert rm.evaluate(QRELS, file, "RR", run_columns=COLUMNS)["RR"] == 1.0


class ExportedOnce:
    """A stream of a library that is not known, which exports its rows once."""

    def __init__(self, table: Any) -> None:
        self._reader = table.to_reader(max_chunksize=2)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._reader.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("form", ["rows", "bytes", "reader", "exported", "lists in a reader"])
def test_what_can_be_read_only_once_may_have_a_column_of_documents(form: str) -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.Table.from_pylist(ROWS)
    lines = [",".join(table.column_names), *(",".join(map(str, row.values())) for row in ROWS)]
    forms: dict[str, Any] = {
        "rows": lambda: iter(ROWS),
        "bytes": lambda: (f"{line}\n".encode() for line in lines),
        "reader": lambda: table.to_reader(max_chunksize=2),
        "exported": lambda: ExportedOnce(table),
    }
    if form not in forms:
        one = pa.table({name: [table.column(name).to_pylist()] for name in table.column_names})
        one = one.set_column(0, "query_id", [["q"]])
        with pytest.raises(rm.SchemaError, match="'chunk_id' holds lists"):
            rm.evaluate(QRELS, one.to_reader(), "RR", run_columns=COLUMNS)
        return
    wanted = rm.evaluate(QRELS, ROWS, MEASURES, run_columns=COLUMNS)
    found = rm.evaluate(QRELS, forms[form](), MEASURES, run_columns=COLUMNS)
    assert found.scores.tobytes() == wanted.scores.tobytes()
    assert found.audit.units == wanted.audit.units == len(ROWS)
    prepared = rm.Run(forms[form](), columns=COLUMNS)
    for _ in range(2):
        again = rm.evaluate(QRELS, prepared, MEASURES)
        assert again.scores.tobytes() == wanted.scores.tobytes()
    with pytest.raises(rm.SchemaError, match="no column 'file' for parent"):
        rm.evaluate(QRELS, forms[form](), "RR", run_columns=COLUMNS | {"parent": "file"})


JUDGED_UNITS = {"q": {"c0": 2, "c2": 0, "c3": 1, "c6": 1}}


@pytest.mark.parametrize("form", ["mapping", "function", "file", "column"])
def test_judged_units_with_parents_count_for_their_documents(tmp_path: Path, form: str) -> None:
    path = tmp_path / "parents"
    path.write_text("".join(f"{unit} {doc}\n" for unit, doc in OF_OPAQUE.items()))
    parents: Any = {"mapping": OF_OPAQUE, "function": OF_OPAQUE.get, "file": path}.get(form)
    given: Any = JUDGED_UNITS
    more: dict[str, Any] = {"qrels_parents": parents}
    if form == "column":
        given = [
            {"query_id": "q", "chunk_id": unit, "doc_id": OF_OPAQUE[unit], "label": label}
            for unit, label in JUDGED_UNITS["q"].items()
        ]
        more = {"qrels_columns": COLUMNS}
    wanted = rm.evaluate(QRELS, CHUNKS, [*MEASURES, "NumRel"], unit="#")
    ev = rm.evaluate(given, CHUNKS, [*MEASURES, "NumRel"], unit="#", **more)
    assert ev.scores.tobytes() == wanted.scores.tobytes()
    named = {"columns": COLUMNS} if form == "column" else {"parents": parents}
    prepared = rm.Qrels(given, **named)
    for qrels in (prepared, pickle.loads(pickle.dumps(prepared))):
        assert qrels.by_query() == {"q": {"D1": 2.0, "D2": 1.0, "D3": 1.0}}
        again = rm.evaluate(qrels, CHUNKS, [*MEASURES, "NumRel"], unit="#")
        assert again.scores.tobytes() == wanted.scores.tobytes()
    with pytest.raises(rm.InputError, match="the judgments have parents, and qrels_unit"):
        rm.evaluate(prepared, CHUNKS, "RR", unit="#", qrels_unit="#")
    with pytest.raises(rm.InputError, match="already prepared; give their parents to Qrels"):
        rm.evaluate(prepared, CHUNKS, "RR", unit="#", qrels_parents=OF_OPAQUE)


def test_judged_units_without_a_document_are_named() -> None:
    with pytest.raises(rm.InputError, match="unit 'c6' has no document in parents"):
        rm.Qrels(JUDGED_UNITS, parents={"c0": "D1", "c2": "D1", "c3": "D2"})
    by_subtopic = {"q": {"1": {"c0": 1}, "2": {"c3": 1}}}
    with pytest.raises(rm.InputError, match="judged by subtopic"):
        rm.Qrels(by_subtopic, subtopics=True, parents=OF_OPAQUE)
    with pytest.raises(rm.InputError, match="numbers of columns here"):
        rm.Qrels(pytest.importorskip("numpy").array([[1.0, 0.0]]), parents=OF_OPAQUE)


def test_every_verb_takes_parents() -> None:
    many = {f"q{i}": QRELS["q"] for i in range(6)}
    units = {query: dict(OPAQUE["q"]) for query in many}
    other = {query: {**OPAQUE["q"], "c1": 0.95} for query in many}
    wanted = [
        rm.evaluate(many, rm.Run(run, parents=OF_OPAQUE), "nDCG@5")["nDCG@5"]
        for run in (units, other)
    ]
    assert wanted[0] != wanted[1]
    asked: list[str] = []

    def parents(unit: str) -> str:
        asked.append(unit)
        return OF_OPAQUE[unit]

    for given in (OF_OPAQUE, parents):
        compared = rm.compare(many, {"a": units, "b": other}, "nDCG@5", parents=given)
        assert [ev["nDCG@5"] for ev in compared.evaluations.values()] == wanted
        assert rm.evaluate(many, units, "nDCG@5", parents=given)["nDCG@5"] == wanted[0]
        gate = rm.gate(many, units, other, "nDCG@5", max_drop=0.01, parents=given)
        assert gate.conditions[0].decision.other == pytest.approx(wanted[1])
        told = rm.explain(many, units, "q0", "nDCG@5", parents=given)
        assert told.value == wanted[0]
        acc = rm.Accumulator("nDCG@5")
        acc.update(many, units, parents=given)
        assert acc.result()["nDCG@5"] == pytest.approx(wanted[0], abs=1e-14)
        found = rm.reconcile(many, units, "nDCG@5", wanted[0], parents=given)
        assert not found.answers[0].changes
    assert {*asked} == {*OF_OPAQUE}
    with pytest.raises(rm.InputError, match="its units have parents already; leave parents out"):
        rm.evaluate(many, rm.Run(units, parents=OF_OPAQUE), "RR", parents=OF_OPAQUE)
    best = {"D1": 0.92, "D4": 0.9, "D2": 0.6, "D5": 0.5, "D3": 0.4}
    ranked = dict.fromkeys(many, best)
    assert rm.compare_rankings(rm.Run(units, parents=OF_OPAQUE), ranked, "tau")["tau"] == 1
    assert rm.fuse([rm.Run(units, parents=OF_OPAQUE), ranked]).audit.overlap == 1


def test_results_read_units_with_parents_again() -> None:
    many = {f"q{i}": QRELS["q"] for i in range(30)}  # more than a result keeps
    units = {query: dict(OPAQUE["q"]) for query in many}
    judged = dict.fromkeys(many, JUDGED_UNITS["q"])
    ev = rm.evaluate(judged, units, "nDCG@5", parents=OF_OPAQUE, qrels_parents=OF_OPAQUE)
    assert ev["nDCG@5"] == pytest.approx(0.922043, abs=5e-7)
    assert [row["doc_id"] for row in ev.explain("q3", "nDCG@5").rows[:2]] == ["D1", "D4"]


def test_a_prepared_run_may_still_be_given_parents() -> None:
    many = {f"q{i}": QRELS["q"] for i in range(30)}  # more than a result keeps
    prepared = rm.Run({query: dict(OPAQUE["q"]) for query in many})
    fused = rm.fuse([prepared, {query: {"c0": 1.0} for query in many}], "RRF")
    for run in (prepared, fused):
        ev = rm.evaluate(many, run, ["nDCG@5", "RR"], parents=OF_OPAQUE)
        assert ev["RR"] == 1.0
        assert ev.audit.unit_documents == 150
        listed = [row["doc_id"] for row in ev.explain("q3", "nDCG@5").rows]
        assert sorted(map(str, listed)) == ["D1", "D2", "D3", "D4", "D5"]
        told = rm.explain(many, run, "q3", "nDCG@5", against=run, parents=OF_OPAQUE)
        assert told.other.value == ev.per_query("nDCG@5")["q3"]
    assert rm.evaluate(many, prepared, "NumRet")["NumRet"] == 210  # it stays as it was


def test_commands_take_files_of_parents(tmp_path: Path) -> None:
    qrels, run, parents = (tmp_path / name for name in ("qrels", "run", "parents"))
    qrels.write_text("".join(f"q 0 {d} {label}\n" for d, label in QRELS["q"].items()))
    run.write_text("".join(f"q Q0 {u} 1 {score} x\n" for u, score in OPAQUE["q"].items()))
    parents.write_text("".join(f"{unit}\t{doc}\n" for unit, doc in OF_OPAQUE.items()))
    few = tmp_path / "few"
    few.write_text("c0 D1\n")
    asked = ["evaluate", qrels, run, "-m", "nDCG@5", "--format", "json", "--parents"]
    told = json.loads(ran(*asked, parents, "--record", tmp_path / "record").stdout)["runs"][0]
    assert told["scores"]["nDCG@5"] == pytest.approx(0.922043, abs=5e-7)
    assert ran("verify", tmp_path / "record").returncode == 0
    checked = ran("check", qrels, run, "--parents", parents)
    assert checked.returncode == 0, checked.stdout
    assert "judged          5 documents retrieved" in checked.stdout
    parents.write_text(parents.read_text().replace("c0\tD1", "c0\tD4"))
    assert "input changed: " in ran("verify", tmp_path / "record").stdout
    refused = ran(*asked, few)
    assert refused.returncode == 1
    assert (
        refused.stderr == f"rankmark: {run}: unit 'c1' has no document in parents; add it there\n"
    )
    checked = ran("check", qrels, run, "--parents", few)
    assert checked.returncode == 1
    assert "unit 'c1' has no document in parents" in checked.stdout


def counted_naively(units: list[str], relevant: set[str]) -> tuple[float, float]:
    """Return recall and nDCG as the twenty lines do that count every unit as a hit."""
    hits = [unit.partition("#")[0] in relevant for unit in units]
    gained = sum(hit / math.log2(rank + 1) for rank, hit in enumerate(hits, 1))
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, len(relevant) + 1))
    return sum(hits) / len(relevant), gained / ideal


@pytest.mark.parametrize(
    ("units", "relevant", "naive"),
    [
        (["a#1", "a#2"], {"a"}, (2.0, 1.6309)),  # trulens#2746, haystack#11959
        (["D1#3", "D4#1", "D1#1", "D2#7", "D1#9"], {"D1", "D2", "D3"}, (4 / 3, 1.0876)),
        (["a#1", "a#2", "b#1", "c#9"], {"a", "b"}, (1.5, 1.3066)),  # as search-relevance#191
    ],
)
def test_what_tools_counted_twice_counts_once(
    units: list[str], relevant: set[str], naive: tuple[float, float]
) -> None:
    assert counted_naively(units, relevant) == pytest.approx(naive, abs=5e-5)
    by_document = {"q": dict.fromkeys(relevant, 1)}
    found = len({unit.partition("#")[0] for unit in units} & relevant)
    ev = rm.evaluate(by_document, {"q": units}, ["R@10", "nDCG@10"], unit="#")
    assert ev["R@10"] == found / len(relevant)
    assert ev["nDCG@10"] <= 1
    with pytest.raises(rm.DuplicateError):
        rm.evaluate(by_document, {"q": [unit.partition("#")[0] for unit in units]}, "R@10")


def test_the_mean_recall_of_sessions_found_several_times_is_no_more_than_one() -> None:
    """garrytan/gbrain#4176: a mean recall of 1.43, as three of seven sessions were found twice."""
    qrels = {f"q{n}": {f"s{n}": 1} for n in range(7)}
    run = {f"q{n}": [f"s{n}#1", *([f"s{n}#2"] if n < 3 else []), "other#1"] for n in range(7)}
    naive = [counted_naively(run[query], {*qrels[query]})[0] for query in qrels]
    assert sum(naive) / 7 == pytest.approx(1.43, abs=5e-3)
    assert rm.evaluate(qrels, run, "R@10", unit="#")["R@10"] == 1.0


def test_gates_and_explanations_say_how_many_units_became_how_many_documents() -> None:
    explained = rm.explain(QRELS, CHUNKS, "q", "nDCG@5", unit="#")
    assert "Units: 7 units -> 5 documents." in str(explained)
    cut = rm.explain(QRELS, CHUNKS, "q", "nDCG@5", unit="#", unit_depth=5)
    assert "Units: 5 units -> 3 documents; only the first 5 count." in str(cut)
    assert "Units" not in str(rm.explain(QRELS, {"q": ["D1"]}, "q", "nDCG@5"))
    new = {"q": {**CHUNKS["q"], "D3#2": 0.3}}
    found = rm.gate(QRELS, CHUNKS, new, "nDCG@5", max_drop=0.1, unit="#")
    told = " ".join(str(found).split())
    assert "baseline: 7 units -> 5 documents; new: 8 units -> 5 documents" in told
