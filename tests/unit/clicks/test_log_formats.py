"""Forms of logs other than a row for each document: lists, UBI, and public logs."""

import json

import pytest

import rankmark as rm

nw = pytest.importorskip("narwhals")
pytest.importorskip("duckdb")

from rankmark.clicks.logs.counting import arrays  # noqa: E402
from unit.clicks.test_read_log import COLUMNS, LISTS, PAIRS, pairs, two_engines  # noqa: E402

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def listed(log, *names):
    """Return some columns of a log, row by row, in the order of issues and ranks."""
    have = log.frame.collect_schema().names()
    found = arrays(log.frame, ["query_id", *(name for name in ("rank", "doc") if name in have)])
    return [*zip(*(found[name].tolist() for name in names), strict=True)]


WIDE = {
    "query_id": [issue for issue, _, _ in LISTS],
    "query": ["q"] * 5,
    "docs": [[*docs] for _, docs, _ in LISTS],
}
CLICKED = [
    [doc for doc, click in zip(docs, clicks, strict=True) if click == "1"]
    for _, docs, clicks in LISTS
]
CLICKS = [[*map(int, clicks)] for _, _, clicks in LISTS]


@two_engines
@pytest.mark.parametrize("clicks", [{"clicks": CLICKS}, {"clicked": CLICKED}], ids=[*"kd"])
def test_lists_of_an_issue_become_rows(form, clicks):
    log = rm.read_log(form(WIDE | clicks))
    assert pairs(log) == PAIRS


@two_engines
def test_an_empty_list_is_an_issue_without_documents(form):
    wide = {"query_id": ["i", "j"], "docs": [[], ["a", "b"]], "clicked": [["x"], ["b", "y"]]}
    log = rm.read_log(form(wide))
    assert listed(log, "query_id", "doc", "rank", "click") == [("j", "a", 1, 0), ("j", "b", 2, 1)]
    assert (log.audit.issues, log.audit.empty, log.audit.orphans) == (2, 1, 2)


@two_engines
def test_lists_of_different_lengths_are_refused(form):
    with pytest.raises(rm.SchemaError, match="docs and clicks have different lengths in 1 row"):
        rm.read_log(form({"query_id": ["i"], "docs": [["a", "b"]], "clicks": [[1]]}))
    with pytest.raises(rm.SchemaError, match="docs has lists, and click has none"):
        rm.read_log(form({"query_id": ["i"], "docs": [["a", "b"]], "click": [1]}))


IDS = {
    "UUIDs": ["B62EABB4-0475-4B70-8C02-778E51826377", "0475EABB-0475-4B70-8C02-778E51826377"],
    "times": ["2026-01-01T00:00:00", "2026-01-02T00:00:00Z"],
    "dates": ["2026-01-01", "2026-01-02"],
}


@pytest.mark.parametrize("ids", IDS.values(), ids=IDS)
@pytest.mark.parametrize("of", ["json", "jsonl", "wide.json"])
def test_ids_in_json_are_as_written(tmp_path, ids, of):
    rows = [
        {"query_id": 1, "query": ids[0], "doc": doc, "rank": at, "click": at == 1, "day": ids[0]}
        for at, doc in enumerate(ids, 1)
    ]
    if of == "wide.json":
        rows = [{"query_id": 1, "query": ids[0], "docs": ids, "clicked": ids[:1]}]
    path = tmp_path / f"log.{of}"
    text = "\n".join(map(json.dumps, rows)) if of == "jsonl" else json.dumps(rows)
    path.write_text(text, encoding="utf-8")
    assert listed(rm.read_log(path), "query", "doc", "click") == [
        (ids[0], ids[0], 1), (ids[0], ids[1], 0)
    ]  # fmt: skip


def ubi_query(number, hits, at=0, **more):
    query = {"query_id": number, "user_query": "cat", "client_id": "c1", "application": "shop",
             "timestamp": f"2026-03-01T10:00:0{at}Z"}  # fmt: skip
    return query | {"query_response_hit_ids": hits} | more


def ubi_event(number, doc, ordinal=None, action="click", **more):
    attributes = {"object": {"object_id": doc}}
    if ordinal is not None:
        attributes["position"] = {"ordinal": ordinal}
    event = {"action_name": action, "query_id": number, "timestamp": "2026-03-01T10:00:09Z"}
    return event | {"event_attributes": attributes} | more


QUERIES = [
    ubi_query("1", ["a", "b"]),
    ubi_query("1", ["b", "c"], at=5),  # the next page
    ubi_query("2", []),
    ubi_query("3", None),
    ubi_query(None, ["d"], query_attributes={"variant": "B"}),
]
EVENTS = [
    ubi_event("1", "b", 2, session_id="s1", user_id="u1"),
    ubi_event("1", "b", 2, session_id="s1", user_id="u1"),
    ubi_event("1", "c", 1, session_id="s1", user_id="u1"),
    ubi_event("1", "x", 1, session_id="s1", user_id="u1"),
    ubi_event("9", "a", 1),
    ubi_event("1", "a", action="product_click"),
]


def write_ubi(folder, form, queries=QUERIES, events=EVENTS):
    paths = []
    for name, rows in {"queries": queries, "events": events}.items():
        path = folder / f"{name}.{form}"
        if form == "json":
            path.write_text(json.dumps(rows))
        elif form == "dump.jsonl":
            path.write_text("\n".join(json.dumps({"_id": "x", "_source": row}) for row in rows))
        elif form == "jsonl":
            path.write_text("\n".join(map(json.dumps, rows)))
        else:
            pq.write_table(pa.Table.from_pylist(rows), path)
        paths.append(path)
    return paths


@pytest.mark.parametrize("form", ["json", "jsonl", "dump.jsonl", "parquet"])
def test_hits_of_ubi_are_what_was_shown(tmp_path, form):
    log = rm.read_log(*write_ubi(tmp_path, form))
    assert listed(log, "query_id", "doc", "rank", "click", "query", "user")[:3] == [
        ("1", "a", 1, 0, "cat", "u1"),
        ("1", "b", 2, 2, "cat", "u1"),
        ("1", "c", 3, 1, "cat", "u1"),
    ]
    found = log.audit
    assert (found.issues, found.empty, found.impressions, found.clicked) == (3, 1, 4, 2)
    assert (found.orphans, found.ordinals) == (2, 1)
    assert found.dropped == {"no hit ids": 1, "hits again on other pages": 1}
    assert (log.form, log.has("time"), log.has("session")) == ("ubi", True, True)


def test_ids_in_ubi_are_as_written(tmp_path):
    ids = IDS["UUIDs"]
    queries, events = tmp_path / "queries.json", tmp_path / "events.json"
    queries.write_text(json.dumps([ubi_query("i", ids)]), encoding="utf-8")
    events.write_text(json.dumps([ubi_event("i", ids[1])]), encoding="utf-8")
    assert listed(rm.read_log(queries, events), "doc", "click") == [(ids[0], 0), (ids[1], 1)]


def test_ids_in_text_of_ubi_are_as_written(tmp_path):
    doc = IDS["times"][0]
    queries, events = tmp_path / "queries.csv", tmp_path / "events.csv"
    queries.write_text(
        f"query_id,user_query,query_response_hit_ids,timestamp\n{doc},cat,[{doc}],1772359200000\n",
        encoding="utf-8",
    )
    events.write_text(
        "query_id,action_name,event_attributes.object.object_id,timestamp\n"
        f"{doc},click,{doc},1772359201000\n",
        encoding="utf-8",
    )
    log = rm.read_log(queries, events)
    assert listed(log, "query_id", "doc", "click") == [(doc, doc, 1)]


def test_names_of_actions_and_fields_of_ubi_are_said(tmp_path):
    files = write_ubi(tmp_path, "jsonl")
    log = rm.read_log(
        *files, click=["click", "product_click"], columns={"variant": "query_attributes.variant"}
    )
    assert listed(log, "doc", "click", "variant")[:2] == [("a", 1, None), ("b", 2, None)]
    assert {"B", None} == {variant for (variant,) in listed(log, "variant")}
    with pytest.raises(rm.InputError, match=r"no event is one of tap; there are click, product_cl"):
        rm.read_log(*files, click="tap")
    with pytest.raises(rm.SchemaError, match=r"no field query_attributes\.arm for variant"):
        rm.read_log(*files, columns={"variant": "query_attributes.arm"})
    with pytest.raises(rm.InputError, match="no events of UBI"):
        rm.read_log(files[0])
    with pytest.raises(rm.InputError, match="click is for"):
        rm.read_log(COLUMNS, click="tap")


def test_ordinals_of_ubi_from_0_are_refused_until_said(tmp_path):
    events = [ubi_event("1", "a", 0), ubi_event("1", "c", 2), ubi_event("1", "b", 2)]
    files = write_ubi(tmp_path, "jsonl", events=events)
    with pytest.raises(rm.InputError, match=r"1 click with ordinal 0.*first_rank=0"):
        rm.read_log(*files)
    log = rm.read_log(*files, first_rank=0)
    assert [rank for (rank,) in listed(log, "rank")][:3] == [1, 2, 3]
    assert log.audit.ordinals == 1


def test_yandex_clicks_belong_to_the_last_query_that_showed_the_url(tmp_path):
    file = tmp_path / "yandex.txt"
    lines = ["0 0 Q 7 1 10 11 12", "0 5 C 11", "0 9 Q 8 1 13 11", "0 11 C 11", "0 12 C 12",
             "0 13 C 99", "1 0 Q 7 2 10 11"]  # fmt: skip
    file.write_text("\n".join(lines).replace(" ", "\t") + "\n")
    log = rm.read_log(file)
    assert listed(log, "query_id", "query", "doc", "rank", "click") == [
        ("0-1", "7", "10", 1, 0),
        ("0-1", "7", "11", 2, 1),
        ("0-1", "7", "12", 3, 1),
        ("0-2", "8", "13", 1, 0),
        ("0-2", "8", "11", 2, 1),
        ("1-1", "7", "10", 1, 0),
        ("1-1", "7", "11", 2, 0),
    ]
    assert (log.audit.orphans, log.form) == (1, "yandex")
    file.write_text(file.read_text() + "1\t4\tX\t11\n")
    with pytest.raises(rm.ParseError, match=r"yandex\.txt:8: the line is '1 4 X 11'"):
        rm.read_log(file)


def test_mind_has_no_ranks(tmp_path):
    file = tmp_path / "behaviors.tsv"
    file.write_text(
        "1\tU1\t11/13/2019 8:36:57 AM\tN9 N8\tN1-1 N2-0\n2\tU2\t11/15/2019 3:00:00 PM\t\tN3-0\n"
    )
    log = rm.read_log(file)
    assert listed(log, "query_id", "doc", "click") == [
        ("1", "N1", 1),
        ("1", "N2", 0),
        ("2", "N3", 0),
    ]
    assert log.frame.collect_schema()["time"] == nw.Datetime
    with pytest.raises(rm.InputError, match=r"ClickRR@10 needs rank.*order of documents"):
        log.need("rank", for_="ClickRR@10")
    file.write_text("1\tU1\t11/13/2019 8:36:57 AM\tN9\tN1 N2\n")
    with pytest.raises(rm.SchemaError, match="2 rows of 2 with no click"):
        rm.read_log(file, format="mind")


SESSIONS = """<?xml version="1.0"?>
<sessiontrack2013><session num="4" userid="u" starttime="0"><topic num="3"/>
<interaction num="1" starttime="12.5"><query>cats</query>
<results><result rank="1"><url>http://x</url><clueweb12id>cw-1</clueweb12id></result>
<result rank="2"><clueweb12id>cw-2</clueweb12id></result></results>
<clicked><click num="1" starttime="00:00:20" endtime="00:01:05"><rank>2</rank></click>
<click num="2" starttime="70" endtime="80"><rank>9</rank></click></clicked></interaction>
<interaction num="2" starttime="99"><query>dogs</query><results/></interaction>
<currentquery><query>birds</query></currentquery></session></sessiontrack2013>"""


def test_trec_sessions_have_dwell(tmp_path):
    file = tmp_path / "sessions.xml"
    file.write_text(SESSIONS)
    log = rm.read_log(file)
    assert listed(log, "query_id", "query", "doc", "rank", "click", "dwell", "time")[1] == (
        *("4-1", "cats", "cw-2", 2, 1, 45.0, 12.5),
    )
    assert (log.audit.issues, log.audit.empty, log.audit.orphans) == (2, 1, 1)
    assert listed(rm.read_log(file, columns={"query": "topic"}), "query") == [("3",), ("3",)]
    file.write_text(SESSIONS[:-3])
    with pytest.raises(rm.ParseError, match=r"sessions\.xml:9: it is no XML"):
        rm.read_log(file)
