"""Every table is read alike: each kind of mistake, in a table of each verb."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from rankmark.data.contract.reading_options import AS_USUAL
from rankmark.data.given_tables.table_files import scores_in
from rankmark.errors import ParseError
from unit.commands import rankmark_here, told

Cells = list[list[str]]
ODD_ENDS = {"U+2028": "\u2028", "NEL": "\x85", "VT": "\x0b", "FF": "\x0c", "FS": "\x1c"}


class Verb(NamedTuple):
    """A verb that reads a table: what it computes, its cells, and how the command is called.

    The first row names the columns, and the third has the mistakes: its id in column ``id`` and its
    number in ``number``. What is computed does not depend on the letters of ids.
    """

    read: Callable[[Path], Any]
    cells: Cells
    id: int
    number: int | None = None
    needs_number: bool = False
    allows_no_id: bool = False
    ids_meet: bool = False  # with those of runs
    command: tuple[Any, ...] = ()


NUMERIC = {"weight", "t", "u", "label", "score", "m", "start", "end", "recall", "qps"}
QRELS = {"q": {"d1": 1}}
TWO = {"q1": {"a": 1}, "q2": {"a": 1}}
RUNS = {"a": {"q1": ["a"], "q2": ["x", "a"]}, "b": {"q1": ["x", "a"], "q2": ["a"]}}
SPANS = {"q": [("d", 0, 9)]}
VERBS = {
    "judgments": Verb(
        lambda path: rm.evaluate(path, {"q": ["d1"]}, "RR")["RR"],
        [["query_id", "doc_id", "label"], ["q", "d1", "1"], ["q", "d2", "1"]],
        1,
        2,
        needs_number=True,
        command=("evaluate", "TABLE", "TABLE"),
    ),
    "run": Verb(
        lambda path: rm.evaluate(QRELS, path, "RR")["RR"],
        [["query_id", "doc_id", "score"], ["q", "d1", "3"], ["q", "d2", "2"]],
        1,
        2,
        needs_number=True,
    ),
    "scores": Verb(
        lambda path: rm.compare_scores(path)["b"]["m"],
        [["run", "query_id", "m"], ["b", "q1", "1"], ["b", "q2", "0"]],
        1,
        2,
    ),
    "scores of a gate": Verb(
        lambda path: rm.gate(None, path, path, "m", max_drop=0.5, score_range=(0, 9)).holds,
        [["query_id", "m"], ["q1", "1"], ["q2", "0"]],
        0,
        1,
    ),
    "gold spans": Verb(
        lambda path: rm.evaluate_spans(path, SPANS, "SpanRecall")["SpanRecall"],
        [["query_id", "doc_id", "start", "end"], ["q", "d", "0", "9"], ["q", "e", "1", "9"]],
        1,
        3,
        needs_number=True,
        command=("spans", "TABLE", "TABLE"),
    ),
    "retrieved spans": Verb(
        lambda path: rm.evaluate_spans(SPANS, path, "SpanRecall")["SpanRecall"],
        [["query_id", "doc_id", "start", "end"], ["q", "d", "0", "9"], ["q", "e", "1", "9"]],
        1,
        3,
        needs_number=True,
    ),
    "chunks": Verb(
        lambda path: rm.evaluate_spans(SPANS, SPANS, chunks=path)["PrecisionOmega"],
        [["doc_id", "start", "end"], ["d", "0", "9"], ["e", "1", "9"]],
        0,
        2,
        needs_number=True,
    ),
    "nuggets": Verb(
        lambda path: rm.nuggets(path, "vital")["vital"],
        [
            ["query_id", "nugget", "importance", "support"],
            ["q", "n1", "vital", "support"],
            ["q", "n2", "vital", "no"],
        ],
        1,
        allows_no_id=True,
        command=("nuggets", "TABLE"),
    ),
    "citations": Verb(
        lambda path: rm.citations(path, "recall", method="trec_rag")["recall"],
        [
            ["query_id", "sentence", "passage", "support"],
            ["q", "1", "a", "full"],
            ["q", "2", "b", "no"],
        ],
        2,
        allows_no_id=True,
        command=("citations", "TABLE"),
    ),
    "calls": Verb(
        lambda path: rm.evaluate_calls(QRELS, path, "RR")["RR"],
        [["query_id", "call", "doc_id", "score"], ["q", "1", "d1", "2"], ["q", "1", "d2", "1"]],
        2,
        3,
        needs_number=True,
        allows_no_id=True,
        command=("search-calls", "QRELS", "TABLE"),
    ),
    "labels of a judge": Verb(
        # As text, since NaN is not equal to itself.
        lambda path: repr(rm.compare_judgments({"q": {"d1": 1, "d2": 0}}, path).agreement),
        [["query_id", "doc_id", "label"], ["q", "d1", "1"], ["q", "d2", "0"]],
        1,
        2,
        needs_number=True,
        ids_meet=True,
        command=("judges", "QRELS", "TABLE"),
    ),
    "weights": Verb(
        lambda path: rm.compare(TWO, RUNS, "RR", weights=path)["a"]["RR"],
        [["query_id", "weight"], ["q1", "3"], ["q2", "1"]],
        0,
        1,
        ids_meet=True,
        command=("compare", "QRELS", "RUN", "RUN2", "--weights", "TABLE"),
    ),
    "clusters": Verb(
        lambda path: rm.compare(TWO, RUNS, "RR", clusters=path)["a"]["RR"],
        [["query_id", "cluster"], ["q1", "x"], ["q2", "y"]],
        0,
        ids_meet=True,
    ),
    "attributes": Verb(
        lambda path: rm.compare(TWO, RUNS, "RR", by=path)["a"]["RR"],
        [["query_id", "language"], ["q1", "x"], ["q2", "y"]],
        0,
    ),
    "leaderboard": Verb(
        lambda path: [one.mean for one in rm.leaderboard(path).standings],
        [["model", "t", "u"], ["a", "1", "0"], ["b", "0.5", "1"]],
        0,
        2,
        command=("leaderboard", "TABLE"),
    ),
    "trade-off": Verb(
        lambda path: rm.ann_tradeoff(path).front.tolist(),
        [["algorithm", "recall", "qps"], ["x", "0.5", "9"], ["y", "0.6", "1"]],
        0,
        2,
        needs_number=True,
    ),
}


def text(cells: Sequence[Sequence[str]], end: str = "\n") -> str:
    return "".join(",".join(row) + end for row in cells)


def with_cell(verb: Verb, at: int, value: str) -> str:
    head, first, last = verb.cells
    return text([head, first, [*last[:at], value, *last[at + 1 :]]])


def rows(verb: Verb) -> list[dict[str, Any]]:
    head, *others = verb.cells
    return [
        {
            name: float(value) if name in NUMERIC else value
            for name, value in zip(head, row, strict=True)
        }
        for row in others
    ]


def lines(verb: Verb) -> list[str]:
    return [json.dumps(row) for row in rows(verb)]


def id_of(verb: Verb) -> str:
    return verb.cells[2][verb.id]


Mistake = Callable[[Verb], str | bytes]
REFUSED: dict[str, tuple[str, int | None, Mistake]] = {
    "UTF-16": (".csv", 1, lambda v: text(v.cells).encode("utf-16")),
    "a NUL byte": (".csv", 3, lambda v: with_cell(v, v.id, "a\0")),
    "a line break in a field": (".csv", 3, lambda v: with_cell(v, v.id, '"a\nb"')),
    "an open quote": (".csv", 3, lambda v: with_cell(v, v.id, '"a')),
    "text behind a quote": (".csv", 3, lambda v: with_cell(v, v.id, '"a"b')),
    "a short row": (".csv", 3, lambda v: text([*v.cells[:2], v.cells[2][:-1]])),
    "a long row": (".csv", 3, lambda v: text([*v.cells[:2], [*v.cells[2], "9"]])),
    "a row of blanks": (".csv", 4, lambda v: text(v.cells) + "   \n"),
    "ends of an old Mac": (".csv", 1, lambda v: text(v.cells, "\r")),
    "a carriage return in a short row": (".csv", 3, lambda v: text([*v.cells[:2], ["a\rb"]])),
    "a spreadsheet": (".csv", None, lambda v: b"PK\x03\x04" + text(v.cells).encode()),
    "an empty id": (".csv", 3, lambda v: with_cell(v, v.id, "")),
    "an empty first id": (".csv", 3, lambda v: with_cell(v, 0, "")),
    "cut JSON": (".json", 1, lambda v: "[" + lines(v)[0]),
    "a cut line": (".jsonl", 2, lambda v: "\n".join([lines(v)[0], lines(v)[1][:-1]])),
    "a key twice": (
        ".jsonl",
        2,
        lambda v: "\n".join([lines(v)[0], lines(v)[1][:-1] + f', "{v.cells[0][v.id]}": "z"}}']),
    ),
    "a key twice in a list": (
        ".json",
        None,
        lambda v: f'[{lines(v)[0]}, {lines(v)[1][:-1]}, "{v.cells[0][v.id]}": "z"}}]',
    ),
    "JSON in UTF-16": (".json", 1, lambda v: f"[{','.join(lines(v))}]".encode("utf-16")),
    "JSON in Latin-1": (
        ".jsonl",
        2,
        lambda v: "\n".join(lines(v)).replace(f'"{id_of(v)}"', '"\xe9"').encode("latin-1"),
    ),
    "half a character": (
        ".jsonl",
        2,
        lambda v: "\n".join([lines(v)[0], json.dumps(rows(v)[1] | {v.cells[0][v.id]: "\ud800"})]),
    ),
    "no id in JSON": (
        ".jsonl",
        2,
        lambda v: "\n".join([lines(v)[0], json.dumps(rows(v)[1] | {v.cells[0][v.id]: True})]),
    ),
    "deep JSON": (".json", None, lambda _: "[" * 200_000),
    "a number of 5,000 digits": (
        ".jsonl",
        2,
        lambda v: "\n".join([lines(v)[0], lines(v)[1][:-1] + ', "x": ' + "9" * 5000 + "}"]),
    ),
}
NUMBERS = {
    "signs between digits": "1_0",
    "Arabic digits": "\u0661",
    "full-width digits": "\uff11",
    "hexadecimal": "0x1",
    "NaN": "nan",
    "a word": "much",
    "a decimal comma": '"1,5"',
    "two numbers": "1 2",
    "an escape": "\x1b[31m1",
}
READ: dict[str, Callable[[Verb], str | bytes]] = {
    **{
        f"{name} in an id": lambda v, sign=sign: with_cell(v, v.id, f"a{sign}b")
        for name, sign in ODD_ENDS.items()
    },
    "an id that is no UTF-8": lambda v: with_cell(v, v.id, "a\xe9").encode("latin-1"),
    "a quote within an id": lambda v: with_cell(v, v.id, 'a"b'),
    "a quoted separator": lambda v: with_cell(v, v.id, '"a,""b"""'),
    "a byte order mark": lambda v: b"\xef\xbb\xbf" + text(v.cells).encode(),
    "ends of Windows": lambda v: text(v.cells, "\r\n"),
    "empty lines": lambda v: text(v.cells, "\n\n"),
    "no last end": lambda v: text(v.cells).rstrip("\n"),
    "a line that names the separator": lambda v: "sep=,\n" + text(v.cells),
    "semicolons": lambda v: text(v.cells).replace(",", ";"),
    "quotes around all": lambda v: text([[f'"{one}"' for one in row] for row in v.cells]),
    "blanks around numbers": lambda v: (
        text(v.cells) if v.number is None else with_cell(v, v.number, f" {v.cells[2][v.number]} ")
    ),
}


ALTERED = [way for way in READ if way.endswith("an id")]
ALTERED += ["an id that is no UTF-8", "a quoted separator"]


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("name", VERBS)
@pytest.mark.parametrize("mistake", REFUSED)
def test_a_mistake_is_refused_with_its_line(name: str, mistake: str, tmp_path: Path) -> None:
    ending, line, make = REFUSED[mistake]
    if mistake == "an empty id" and VERBS[name].allows_no_id:
        return
    path = written(tmp_path / f"table{ending}", make(VERBS[name]))
    with pytest.raises(rm.InputError) as caught:
        VERBS[name].read(path)
    assert type(caught.value) in {rm.ParseError, rm.SchemaError, rm.DuplicateError}
    assert str(path) in str(caught.value)
    assert str(caught.value).isprintable()
    if line is not None and name not in {"judgments", "run", "labels of a judge"}:
        assert caught.value.line == line


@pytest.mark.parametrize("name", [name for name, verb in VERBS.items() if verb.number is not None])
@pytest.mark.parametrize("number", [*NUMBERS, "nothing"])
def test_a_number_is_what_is_one_in_files_of_runs(name: str, number: str, tmp_path: Path) -> None:
    verb = VERBS[name]
    assert verb.number is not None
    if number == "nothing" and not verb.needs_number:
        return
    if number in {"nothing", "NaN"} and name == "labels of a judge":
        return  # which says that the judge failed
    content = with_cell(verb, verb.number, NUMBERS.get(number, ""))
    path = written(tmp_path / "table.csv", content)
    with pytest.raises((rm.ParseError, rm.SchemaError)) as caught:
        verb.read(path)
    assert caught.value.line == 3
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", VERBS)
@pytest.mark.parametrize("way", READ)
def test_what_can_be_read_has_the_same_numbers(name: str, way: str, tmp_path: Path) -> None:
    verb = VERBS[name]
    if verb.ids_meet and way in ALTERED:
        return
    clean = written(tmp_path / "clean.csv", text(verb.cells))
    other = written(tmp_path / "other.csv", READ[way](verb))
    if (name, way) == ("calls", "an id that is no UTF-8"):
        with pytest.raises(
            rm.SchemaError, match="need an id of Unicode text"
        ):  # as in runs in memory
            verb.read(other)
        return
    assert verb.read(other) == verb.read(clean)


OTHERS = {
    "QRELS": "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\n",
    "RUN": "q1 Q0 d1 1 2 a\nq2 Q0 d2 1 2 a\n",
    "RUN2": "q1 Q0 d2 1 2 b\nq2 Q0 d1 1 2 b\n",
}


@pytest.mark.parametrize("name", [name for name, verb in VERBS.items() if verb.command])
@pytest.mark.parametrize("mistake", REFUSED)
def test_commands_fail_with_one_line(name: str, mistake: str, tmp_path: Path) -> None:
    ending, _, make = REFUSED[mistake]
    path = written(tmp_path / f"table{ending}", make(VERBS[name]))
    files = {"TABLE": path}
    for word, content in OTHERS.items():
        files[word] = written(tmp_path / f"{word}.txt", content)
    words = [files.get(word, word) for word in VERBS[name].command]
    if mistake == "an empty id" and VERBS[name].allows_no_id:
        return
    done = rankmark_here(*words)
    assert done.returncode == 1
    assert str(path) in told(done)
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize("number", ["1_0", "\u0661", "\uff11", "0x1"])
def test_numbers_in_other_places_are_written_alike(number: str, tmp_path: Path) -> None:
    labels = f"query_id,doc_id,label\nq,a,{number}\nq,b,\nr,a,1\n"  # one of a model is missing
    for read in (
        lambda: rm.reconcile(QRELS, {"q": ["d1"]}, "RR", number),
        lambda: rm.compare_judgments(
            {"q": {"a": 1, "b": 1}, "r": {"a": 1}}, written(tmp_path / "labels.csv", labels)
        ),
    ):
        with pytest.raises(rm.InputError, match="need a number"):
            read()


FIELD = st.text(st.sampled_from('a",;\t\r \x0b\x1c'), max_size=4)


@given(cells=st.lists(st.tuples(FIELD, FIELD), min_size=1, max_size=3))
def test_lines_are_cut_as_the_core_cuts_them(
    cells: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("cut") / "table.csv"
    content = "".join(f"x{at}{a},y{b}\n" for at, (a, b) in enumerate(cells))
    written(path, "query_id,doc_id\n" + content)

    def outcome(read: Callable[[], Any]) -> Any:
        try:
            return read()
        except ParseError as error:
            return error.line, error.found.partition(":")[0]

    def by_core() -> Any:
        found = rm.Run(path).source.rows(AS_USUAL, lenient=False)
        return [
            (found.query_ids[query], found.doc_ids(document))
            for query, document in zip(found.query_codes, found.doc_codes, strict=True)
        ]

    def by_columns() -> Any:
        columns = scores_in(path)
        return [*zip(columns["query_id"], columns["doc_id"], strict=True)]

    assert outcome(by_columns) == outcome(by_core)
