"""What is converted is read back without options, to the same bits, tags and subtopics kept."""

import os
import struct
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from generators.random_collections import DOC_IDS, QUERY_IDS
from rankmark.data.contract.reading_options import ONE_THREAD
from rankmark.verbs.convert.row_formats import ROW_FORMATS
from unit.commands import rankmark_here, told

Pairs = dict[str, dict[str, float]]

PACKINGS = ["", ".gz", ".bz2", ".xz", ".zst"]
NUMBERS = (0.1, 1e-300, -0.0, 0.0, 5.0, 2.0**53, 1e22, 1 / 3, -7.25, 5e-324, 1.7976931348623157e308)
ODD_IDS = (
    *DOC_IDS,
    "a b",
    " a",
    "a\tb",
    "#x",
    "q\x0b1",
    "\u2028",
    "1e3",
    "true",
)


def numbers_of(path: Path | str, kind: str) -> dict[str, dict[str, bytes]]:
    """Read a file without options: the bits of each number by query and document."""
    source = (rm.Qrels(path) if kind == "qrels" else rm.Run(path)).source
    rows = source.rows(ONE_THREAD, lenient=False)
    found: dict[str, dict[str, bytes]] = {}
    numbers = -rows.rank if rows.number is None and rows.rank is not None else rows.number
    assert numbers is not None
    for query, document, number in zip(
        rows.query_codes.tolist(), rows.doc_codes.tolist(), numbers.tolist(), strict=True
    ):
        inner = found.setdefault(rows.query_ids[query], {})
        inner[rows.doc_ids(document)] = struct.pack("d", number)
    return found


def bits(pairs: Pairs) -> dict[str, dict[str, bytes]]:
    return {
        query: {doc: struct.pack("d", number) for doc, number in docs.items()}
        for query, docs in pairs.items()
    }


def last_words(path: Path) -> list[str]:
    return [line.split()[-1] for line in path.read_text().splitlines()]


def rank_bits(run: Pairs) -> dict[str, dict[str, bytes]]:
    """Give what is left where a format holds ranks alone: they fall from -1."""
    return {
        query: {
            doc: struct.pack("d", -float(place))
            for place, doc in enumerate(
                sorted(docs, key=lambda doc: (docs[doc], doc.encode()), reverse=True), 1
            )
        }
        for query, docs in run.items()
    }


pairs = st.dictionaries(
    st.sampled_from((*QUERY_IDS, "a b", "#q")),
    st.dictionaries(
        st.sampled_from(ODD_IDS) | st.text(min_size=1, max_size=4),
        st.sampled_from(NUMBERS) | st.floats(allow_nan=False, allow_infinity=False),
        min_size=1,
        max_size=5,
    ),
    min_size=1,
    max_size=3,
)


@given(
    held=pairs,
    kind=st.sampled_from(["qrels", "run"]),
    first=st.sampled_from(ROW_FORMATS),
    second=st.sampled_from(ROW_FORMATS),
    packing=st.sampled_from(PACKINGS),
)
def test_what_is_written_is_read_back_without_options(
    held: Pairs, kind: Any, first: Any, second: Any, packing: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        there, back = (Path(folder, f"{kind}.{number}{packing}") for number in (1, 2))
        try:
            rm.convert(held, there, kind=kind, to=first)
        except rm.InputError as error:
            assert "choose" in str(error)  # noqa: PT017  (an id that the format cannot hold)
            assert not there.exists()
            return
        wanted = rank_bits(held) if (first, kind) == ("msmarco", "run") else bits(held)
        assert numbers_of(there, kind) == wanted
        try:
            rm.convert(there, back, to=second)
        except rm.InputError as error:
            assert "choose" in str(error)  # noqa: PT017
            return
        if (first, kind) == ("msmarco", "run"):
            return  # it has no scores, so that others are made
        wanted = rank_bits(held) if (second, kind) == ("msmarco", "run") else bits(held)
        assert numbers_of(back, kind) == wanted


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("kind", ["qrels", "run"])
@pytest.mark.parametrize("form", ROW_FORMATS)
def test_plain_ids_and_awkward_numbers_pass_through_every_format(
    form: Any, kind: Any, packing: str, tmp_path: Path
) -> None:
    held = {"q1": {f"d{i}": number for i, number in enumerate(NUMBERS)}, "q0": {"x": 2.5}}
    path, again = tmp_path / f"{kind}.{form}{packing}", tmp_path / f"again.{kind}.trec"
    if (form, kind) == ("beir", "run"):
        with pytest.raises(rm.InputError, match=r"BEIR has no table of runs.*--to json"):
            rm.convert(held, path, kind=kind, to=form)
        return
    rm.convert(held, path, kind=kind, to=form)
    assert numbers_of(path, kind) == (
        rank_bits(held) if (form, kind) == ("msmarco", "run") else bits(held)
    )
    rm.convert(path, again)  # no option says what it holds
    if (form, kind) != ("msmarco", "run"):
        assert numbers_of(again, kind) == bits(held)


@pytest.mark.parametrize(
    ("form", "kind", "text"),
    [
        ("beir", "qrels", "query-id\tcorpus-id\tscore\nq\ta\t1\nq\tb\t0\n"),
        ("msmarco", "qrels", "q\t0\ta\t1\nq\t0\tb\t0\n"),
        ("msmarco", "run", "q\ta\t1\nq\tb\t2\n"),
        ("json", "qrels", '{\n"q": {"a": 1, "b": 0}\n}\n'),
    ],
)
def test_other_projects_formats_look_as_they_write_them(
    form: Any, kind: Any, text: str, tmp_path: Path
) -> None:
    rm.convert({"q": {"a": 1, "b": 0}}, tmp_path / "out", kind=kind, to=form)
    assert (tmp_path / "out").read_text() == text


def test_a_run_of_ranks_alone_scores_as_its_ties_were_ordered(tmp_path: Path) -> None:
    run = {"q": {"a": 1.0, "c": 1.0, "b": 1.0, "d": 0.0}}
    rm.convert(run, tmp_path / "run.tsv", kind="run", to="msmarco")
    assert (tmp_path / "run.tsv").read_text() == "q\tc\t1\nq\tb\t2\nq\ta\t3\nq\td\t4\n"
    qrels = {"q": {"a": 1, "d": 2}}
    measures = ["nDCG", "AP", "RR"]
    read = rm.evaluate(qrels, tmp_path / "run.tsv", measures)
    assert tuple(read.values()) == tuple(rm.evaluate(qrels, run, measures).values())


@pytest.mark.parametrize("form", ["trec", "csv", "tsv", "jsonl", "parquet"])
def test_tags_are_kept_wherever_there_is_a_column_for_them(form: str, tmp_path: Path) -> None:
    lines = "q Q0 a 1 0.5 bm25\nq Q0 b 2 0.25 dense\np Q0 a 1 7 bm25\nq Q0 c 3 0.125 bm25\n"
    (tmp_path / "run.txt").write_text(lines)
    rm.convert(tmp_path / "run.txt", tmp_path / f"run.{form}")
    rm.convert(tmp_path / f"run.{form}", tmp_path / "back.txt")
    first, second, third, fourth = lines.splitlines(keepends=True)
    assert (tmp_path / "back.txt").read_text() == first + second + fourth + third
    rm.convert(tmp_path / f"run.{form}", tmp_path / "named.txt", tag="mine")
    assert last_words(tmp_path / "named.txt") == ["mine"] * 4


def test_a_tag_that_is_empty_or_holds_blanks(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("query_id,doc_id,score,tag\nq,a,2,\nq,b,1,mine\n")
    rm.convert(path, tmp_path / "run.txt")
    assert last_words(tmp_path / "run.txt") == ["rankmark", "mine"]
    path.write_text("query_id,doc_id,score,tag\nq,a,2,my run\n")
    rm.convert(path, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text().endswith("q,a,2,1,my run\n")
    with pytest.raises(rm.InputError, match=r"a tag that cannot be written: 'my run'.*--tag"):
        rm.convert(path, tmp_path / "run.txt")
    with pytest.raises(rm.InputError, match="judgments have no tags"):
        rm.convert({"q": ["a"]}, tmp_path / "qrels.txt", kind="qrels", tag="x")


@pytest.mark.parametrize("form", ["trec", "msmarco", "csv", "tsv", "jsonl", "parquet"])
def test_subtopics_are_kept(form: Any, tmp_path: Path) -> None:
    lines = "q 1 a 1\nq 2 a 0\nq 2 b 1\np 1 c 1\n"
    (tmp_path / "div.qrels").write_text(lines)
    rm.convert(tmp_path / "div.qrels", tmp_path / f"x.{form}", to=form)
    rm.convert(tmp_path / f"x.{form}", tmp_path / "back.qrels")
    assert (tmp_path / "back.qrels").read_text() == lines
    run = {"q": ["b", "a"], "p": ["c"]}
    wanted = rm.evaluate(tmp_path / "div.qrels", run, "alpha_nDCG@2")
    read = rm.evaluate(tmp_path / f"x.{form}", run, "alpha_nDCG@2")
    assert read.scores.tobytes() == wanted.scores.tobytes()


@pytest.mark.parametrize("form", ["beir", "json"])
def test_subtopics_that_have_no_place_are_refused(form: Any, tmp_path: Path) -> None:
    (tmp_path / "div.qrels").write_text("q 1 a 1\nq 2 a 0\n")
    with pytest.raises(rm.InputError, match="subtopics, which these judgments have; choose --to"):
        rm.convert(tmp_path / "div.qrels", tmp_path / "out", to=form)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("name", "kind"),
    [("qrels.json", "qrels"), ("my-run.json.gz", "run"), ("test.qrels.json", "qrels")],
)
def test_the_name_tells_what_json_by_query_holds(name: str, kind: Any, tmp_path: Path) -> None:
    rm.convert({"q": {"a": 1}}, tmp_path / name, kind=kind)
    rm.convert(tmp_path / name, tmp_path / "out.csv")
    assert ("label" if kind == "qrels" else "score") in (tmp_path / "out.csv").read_text()
    (tmp_path / "qrels-and-run.json").write_text('{"q": {"a": 1}}')
    with pytest.raises(rm.InputError, match="say which: --as qrels or --as run"):
        rm.convert(tmp_path / "qrels-and-run.json", tmp_path / "out.csv")


def spellings(folder: Path) -> list[Path | str]:
    """Give other names of one file: links, and paths that lead round about."""
    (folder / "link").symlink_to(folder / "run.txt")
    os.link(folder / "run.txt", folder / "hard")
    (folder / "sub").mkdir()
    relative = os.path.relpath(folder / "run.txt")
    return [
        folder / "run.txt", folder / "link", folder / "hard",
        f"{folder}/sub/../run.txt", f"{folder}//./run.txt", relative,
    ]  # fmt: skip


@pytest.mark.parametrize("number", range(6))
def test_the_output_may_be_the_input(number: int, tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_text("q Q0 b 2 0.25 t\nq Q0 a 1 0.5 t\n")
    target = spellings(tmp_path)[number]
    rm.convert(tmp_path / "run.txt", target, to="trec")
    assert Path(target).read_text() == "q Q0 a 1 0.5 t\nq Q0 b 2 0.25 t\n"
    assert (tmp_path / "link").is_symlink()
    before = Path(target).read_bytes()
    with pytest.raises(rm.InputError):
        rm.convert(tmp_path / "run.txt", target, to="beir")
    assert Path(target).read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["hard", "link", "run.txt", "sub"]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["evaluate", "check", "similarity", "explain"])
def test_results_never_take_the_place_of_what_they_are_about(command: str, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q 0 a 1\n")
    (tmp_path / "run.txt").write_text("q Q0 a 1 0.5 t\n")
    (tmp_path / "link").symlink_to(tmp_path / "run.txt")
    inputs = ["run.txt", "run.txt"] if command == "similarity" else ["qrels.txt", "run.txt"]
    paths = [tmp_path / name for name in inputs]
    more = ["--query", "q"] if command == "explain" else []
    done = rankmark_here(command, *paths, *more, "-o", tmp_path / "link")
    assert done.returncode == 2
    assert "link is an input file; choose another name" in done.stderr
    assert (tmp_path / "run.txt").read_text() == "q Q0 a 1 0.5 t\n"


def test_judged_queries_without_documents_are_never_lost(tmp_path: Path) -> None:
    (tmp_path / "qrels.json").write_text(
        '{"p": {}, "q": {"a": 1}, "r": {}, "s": {"b": 1}, "t": {}}'
    )
    rm.convert(tmp_path / "qrels.json", tmp_path / "back.qrels.json")
    assert rm.Qrels(tmp_path / "back.qrels.json").query_ids == ("p", "q", "r", "s", "t")
    with pytest.raises(
        rm.InputError, match=r"judged queries without documents: 'p', 'r', 't'.*--to json"
    ):
        rm.convert(tmp_path / "qrels.json", tmp_path / "out.trec")


def test_frames_are_read_back_by_pandas(tmp_path: Path) -> None:
    frame = pd.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "score": [0.1, np.float64(-0.0)]})
    rm.convert(frame, tmp_path / "run.csv", kind="run")
    read = pd.read_csv(tmp_path / "run.csv")
    assert [struct.pack("d", one) for one in read["score"]] == [
        struct.pack("d", one) for one in frame["score"]
    ]


@pytest.mark.slow
def test_a_document_that_stands_twice_has_no_place_in_json(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_text("q Q0 a 1 2 t\nq Q0 a 2 1 t\n")
    with pytest.raises(rm.DuplicateError, match=r"'a' appears twice for query 'q'.*--to jsonl"):
        rm.convert(tmp_path / "run.txt", tmp_path / "run.json")
    assert not (tmp_path / "run.json").exists()
    done = rankmark_here("convert", tmp_path / "run.txt", tmp_path / "run.json")
    assert told(done).startswith("document 'a' appears twice")


@pytest.mark.parametrize("tag", [-1, "", b"bm25", 0.5])
def test_a_tag_is_text(tag: Any, tmp_path: Path) -> None:
    with pytest.raises(rm.InputError, match="tag is "):
        rm.convert({"q": {"a": 1.0}}, tmp_path / "new.run", kind="run", tag=tag)
    assert not (tmp_path / "new.run").exists()
