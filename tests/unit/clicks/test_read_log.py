"""Logs of clicks: every engine and form of file, and what is refused."""

import importlib.util
import math
from decimal import Decimal

import numpy as np
import pytest

import rankmark as rm

nw = pytest.importorskip("narwhals")
duckdb = pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")

from rankmark.clicks.logs.counting import arrays, last_clicks, one, scalar  # noqa: E402

LISTS = [("i1", "abc", "010"), ("i2", "abc", "100"), ("i3", "abc", "110"), ("i4", "bac", "101"),
         ("i5", "abc", "000")]  # fmt: skip
ROWS = [
    {"query_id": issue, "query": "q", "doc": doc, "rank": rank, "click": int(click)}
    for issue, docs, clicks in LISTS
    for rank, (doc, click) in enumerate(zip(docs, clicks, strict=True), 1)
]
PAIRS = {
    "query": ["q"] * 3,
    "doc": ["a", "b", "c"],
    "clicks": [2, 3, 1],
    "examined": [4, 3, 1],
    "n": [5, 5, 5],
}
COLUMNS = {name: [row[name] for row in ROWS] for name in ROWS[0]}

ENGINES = {
    "columns": lambda columns: columns,
    "rows": lambda columns: [
        dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
    ],
    "pandas": pd.DataFrame,
    "pandas, Arrow types": lambda columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "PyArrow": pa.table,
    "Polars": lambda columns: pl.DataFrame(columns, strict=False),
    "Polars, lazy": lambda columns: pl.DataFrame(columns, strict=False).lazy(),
    "DuckDB": lambda columns: duckdb.connect().from_arrow(pa.table(columns)),
}
if importlib.util.find_spec("ibis") and importlib.util.find_spec("pyarrow_hotfix"):
    # Its frames in memory need the extra of its DuckDB.
    ENGINES["Ibis"] = lambda columns: importlib.import_module("ibis").memtable(pa.table(columns))
engines = pytest.mark.parametrize("form", ENGINES.values(), ids=ENGINES)
TWO = {name: ENGINES[name] for name in ("pandas", "Polars, lazy")}
"""DuckDB, which reads all but the frames of Polars and Spark, and Polars."""
two_engines = pytest.mark.parametrize("form", TWO.values(), ids=TWO)


def pairs(log):
    """Return impressions, clicks, and impressions down to the last click, of each document."""
    c = nw.col
    rows = log.frame.join(last_clicks(log.frame), on="query_id", how="left")
    counts = (
        rows.with_columns(clicks=one(c("click") > 0), examined=one(c("rank") <= c("last_rank")))
        .group_by("query", "doc")
        .agg(c("clicks").sum(), c("examined").sum(), n=nw.len())
    )
    return {name: array.tolist() for name, array in arrays(counts, ("query", "doc")).items()}


@engines
def test_every_engine_counts_the_same(form):
    log = rm.read_log(form(COLUMNS))
    assert pairs(log) == PAIRS
    assert scalar(log.issues.select(nw.len())) == 5


@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv", "json", "jsonl"])
def test_files_are_read_by_their_content(tmp_path, ending):
    frame, file = pd.DataFrame(COLUMNS), tmp_path / "log"
    write = {
        "parquet": frame.to_parquet,
        "csv": lambda path: frame.to_csv(path, index=False),
        "tsv": lambda path: frame.to_csv(path, index=False, sep="\t"),
        "json": lambda path: frame.to_json(path, orient="records"),
        "jsonl": lambda path: frame.to_json(path, orient="records", lines=True),
    }
    write[ending](file)
    assert pairs(rm.read_log(str(file))) == PAIRS


def test_several_files_and_folders_are_one_log(tmp_path):
    frame = pd.DataFrame(COLUMNS)
    one_file, other = tmp_path / "1.parquet", tmp_path / "2.parquet"
    frame[:6].to_parquet(one_file)
    frame[6:].to_parquet(other)
    assert pairs(rm.read_log(one_file, other)) == PAIRS == pairs(rm.read_log(tmp_path))


def test_ids_of_text_files_stay_as_they_are_written(tmp_path):
    file = tmp_path / "log.csv"
    file.write_text("query_id,query,doc,rank,click\n007,01,1e3,1,1\n")
    found = arrays(rm.read_log(file).frame)
    assert [found[name].tolist() for name in ("query_id", "query", "doc")] == [
        ["007"],
        ["01"],
        ["1e3"],
    ]


@two_engines
def test_nan_is_null_and_whole_floats_are_whole_numbers(form):
    changed = COLUMNS | {
        "rank": [math.nan, *map(float, COLUMNS["rank"][1:])],
        "dwell": [math.nan, 2.5] + [None] * 13,
    }
    log = rm.read_log(form(changed))
    kinds = log.frame.collect_schema()
    assert (kinds["rank"], kinds["click"], kinds["dwell"]) == (nw.Int64, nw.Int64, nw.Float64)
    known = log.frame.select(
        *(one(~nw.col(name).is_null()).alias(name) for name in ("rank", "dwell"))
    )
    found = {name: int(known.sum()) for name, known in arrays(known).items()}
    assert found == {"rank": 14, "dwell": 1}


BAD = {
    "half a rank": ({"rank": [1.5] + [2.0] * 14}, "1 row of 15 with no whole rank"),
    "endless click": ({"click": [math.inf] + [0.0] * 14}, "1 row of 15 with no whole click"),
    "negative click": ({"click": [-1] + [0] * 14}, "1 row of 15 with negative click"),
    "negative rank": ({"rank": [-1] + [1] * 14}, "1 row of 15 with negative rank"),
    "no issue": ({"query_id": [None] + ["i"] * 14}, "1 row of 15 with no query_id"),
    "no probability": (
        {"propensity": [0.0, 1.5, math.nan] + [0.5] * 12},
        "2 rows of 15 with propensity that is no probability",
    ),
}


@two_engines
@pytest.mark.parametrize(("changed", "told"), BAD.values(), ids=BAD)
def test_bad_values_are_refused(form, changed, told):
    with pytest.raises(rm.SchemaError, match=told):
        rm.read_log(form(COLUMNS | changed))


def test_ranks_from_0_are_refused_until_said():
    from_zero = COLUMNS | {"rank": [rank - 1 for rank in COLUMNS["rank"]]}
    with pytest.raises(rm.InputError, match=r"5 rows of 15 with rank 0.*first_rank=0"):
        rm.read_log(from_zero)
    with pytest.raises(rm.InputError, match="rank 0"):
        rm.read_log(from_zero, first_rank=1)
    assert pairs(rm.read_log(from_zero, first_rank=0)) == PAIRS
    with pytest.raises(rm.InputError, match="first_rank is 2"):
        rm.read_log(COLUMNS, first_rank=2)


def test_columns_have_usual_names_or_are_named():
    renamed = {"issue_id": "query_id", "query_text": "query", "doc_id": "doc", "position": "rank",
               "clicked": "click"}  # fmt: skip
    log = rm.read_log({name: COLUMNS[role] for name, role in renamed.items()})
    assert log.columns == {role: name for name, role in renamed.items()}
    named = {"x": COLUMNS["query_id"], "doc": COLUMNS["query"], "y": COLUMNS["doc"]}
    log = rm.read_log(
        named | {"click": COLUMNS["click"]}, columns={"query_id": "x", "query": "doc", "doc": "y"}
    )
    assert arrays(log.frame)["doc"].tolist() == COLUMNS["doc"]
    with pytest.raises(rm.SchemaError, match="no column 'z' for doc"):
        rm.read_log(COLUMNS, columns={"doc": "z"})
    with pytest.raises(rm.InputError, match="columns names 'document'"):
        rm.read_log(COLUMNS, columns={"document": "doc"})


@pytest.mark.parametrize("absent", ["query_id", "doc", "click"])
def test_columns_that_every_log_needs(absent):
    rest = {name: values for name, values in COLUMNS.items() if name != absent}
    with pytest.raises(rm.SchemaError, match=f"none of its columns could be {absent}"):
        rm.read_log(rest)


def test_what_a_log_lacks_is_refused_when_it_is_needed():
    log = rm.read_log({name: values for name, values in COLUMNS.items() if name != "rank"})
    assert log.has("query")
    assert not log.has("rank")
    log.need("query", for_="CTR")
    with pytest.raises(rm.InputError, match=r"ClickRR@10 needs rank, and the log has .*columns="):
        log.need("query", "rank", for_="ClickRR@10")


def test_an_issue_without_documents_is_an_issue():
    log = rm.read_log(
        {
            "query_id": [1, 1, 2],
            "doc": ["a", "b", None],
            "click": [0, 1, 0],
            "user": ["u", "u", "v"],
        }
    )
    assert log.audit.impressions == 2
    assert arrays(log.issues, ["query_id"])["user"].tolist() == ["u", "v"]
    assert arrays(log.issues, ["query_id"])["query_id"].dtype == np.int64


@pytest.mark.parametrize("source", [5, "no such file.csv", {"query_id": 3}, [], {}])
def test_what_is_no_log_is_refused(source):
    with pytest.raises(rm.InputError):
        rm.read_log(source)


def test_a_bad_line_of_text_is_named(tmp_path):
    file = tmp_path / "log.csv"
    file.write_text("query_id,query,doc,rank,click\ni,q,a,1,0\ni,q,b,second,0\n")
    with pytest.raises(rm.ParseError, match=r"log\.csv:3: .*rank.*second"):
        rm.read_log(file)
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(rm.ParseError, match="the file is empty"):
        rm.read_log(tmp_path / "empty.csv")


FILES = {
    "a short line": (b"query_id,doc,click\n1,a,1\n2,b\n", "different numbers of fields"),
    "no UTF-8": ("query_id,doc,click\n1,\xe9,1\n".encode("latin-1"), "not utf-8"),
    "no text": (bytes(range(256)) * 4, "or it is no text"),
    "no rows": (b"query_id,doc,click\n", "the log holds no rows"),
    "half of a list": (b'[{"query_id":1,"doc":"a","click":1}', "Malformed JSON"),
    "text for numbers": (b'[{"query_id":1,"doc":"a","click":"x"}]', "click is not numbers"),
    "half of Parquet": (b"PAR1 and no more, which is too short", "No magic bytes"),
}


@pytest.mark.parametrize(("content", "told"), FILES.values(), ids=FILES)
def test_broken_files_are_refused_with_their_name(tmp_path, content, told):
    file = tmp_path / "it's a log"
    file.write_bytes(content)
    with pytest.raises(rm.InputError, match=told) as caught:
        rm.read_log(file)
    assert str(caught.value).startswith(str(file))


def test_columns_of_other_types():
    half = pa.table(COLUMNS | {"rank": pa.array([Decimal("1.5")] * 15)})
    with pytest.raises(rm.SchemaError, match="15 rows of 15 with no whole rank"):
        rm.read_log(half)
    with pytest.raises(rm.SchemaError, match="doc is Struct"):
        rm.read_log(COLUMNS | {"doc": [{"a": 1}] * 15})
    with pytest.raises(rm.InputError, match="query"):
        rm.read_log(pd.DataFrame(COLUMNS).set_axis(["query", *"abc", "query"], axis=1))
    assert not rm.read_log(COLUMNS | {"rank": [None] * 15}).has("rank")
    assert not rm.read_log(pl.DataFrame(COLUMNS | {"rank": [None] * 15})).has("rank")
    log = rm.read_log(pl.DataFrame(COLUMNS).with_columns(pl.col("doc").cast(pl.Categorical)))
    assert pairs(log) == pairs(rm.read_log(pd.DataFrame(COLUMNS).set_index("query_id")))


def test_a_frame_that_is_changed_afterwards_changes_no_log():
    frame = pd.DataFrame({"query_id": [1, 2], "doc": ["a", "b"], "click": [1, 1]})
    log = rm.read_log(frame)
    frame.loc[:, "click"] = 0
    assert log.audit.clicked == 2


@pytest.mark.parametrize("form", [pd.DataFrame, pl.DataFrame, pa.table])
def test_ids_beyond_int64_are_kept(form):
    large = np.array([2**64 - 1, 1], dtype=np.uint64)
    log = rm.read_log(form({"query_id": [1, 2], "doc": large, "click": large // large[0]}))
    assert sorted(arrays(log.frame)["doc"].tolist()) == ["1", "18446744073709551615"]
    with pytest.raises(rm.SchemaError, match="1 row of 2 with no whole click"):
        rm.read_log(form({"query_id": [1, 2], "doc": [1, 2], "click": large}))


def test_numbers_of_more_than_64_bits_are_refused():
    with pytest.raises(rm.SchemaError, match="more than 64 bits; give ids as text"):
        rm.read_log({"query_id": [1, 2], "doc": [2**64, 1], "click": [0, 1]})


@pytest.mark.parametrize("form", [dict, pl.DataFrame, pd.DataFrame])
def test_a_log_that_shows_nothing_has_issues(form):
    nothing = {"query_id": [1, 2], "doc": [None, None], "click": [0, 0]}
    log = rm.read_log(form(nothing))
    assert (log.audit.issues, log.audit.empty, log.audit.impressions) == (2, 2, 0)
    with pytest.raises(rm.InputError, match="the log holds no rows"):
        rm.read_log({name: [] for name in nothing})
