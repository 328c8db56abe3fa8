"""Our command prints what trec_eval prints, byte for byte: its expected outputs, and published."""

import random
from pathlib import Path

import pytest
import pytrec_eval

from rankmark.compat.trec_eval import main

# From trec_eval's Makefile, target quicktest.
ALL = ["-m", "all_trec", "-q"]
OUTPUTS = {
    "out.test": ["qrels.test", "results.test"],
    "out.test with comments": ["qrels.test.with-comments", "results.test"],
    "out.comment.test": ["qrels.comment.test", "results.comment.test"],
    "out.test.a": ["-m", "all_trec", "qrels.test", "results.test"],
    "out.test.aq": [*ALL, "qrels.test", "results.test"],
    "out.test.aqc": [*ALL, "-c", "qrels.test", "results.trunc"],
    "out.test.aqcM": [*ALL, "-c", "-M100", "qrels.test", "results.trunc"],
    "out.test.aql": [*ALL, "-mrelstring.20", "-l2", "qrels.rel_level", "results.test"],
    "out.test.prefs": ["-m", "all_prefs", "-q", "-R", "prefs", "prefs.test", "prefs.results.test"],
    "out.test.prefs with comments": [
        *("-m", "all_prefs", "-q", "-R", "prefs", "prefs.comment.test", "prefs.results.test")
    ],
    "out.test.qrels_prefs": [
        *("-m", "all_prefs", "-q", "-R", "qrels_prefs", "qrels.test", "results.test")
    ],
    "out.test.qrels_jg": [*("-m", "qrels_jg", "-q", "-R", "qrels_jg", "qrels.123", "results.test")],
    "out.test.qrels_jg with comments": [
        *("-m", "qrels_jg", "-q", "-R", "qrels_jg", "qrels.comments.123", "results.test")
    ],
    "out.test.meas_params": [
        *("-q", "-miprec_at_recall..10,.20,.25,.75,.50", "-m", "P.5,7,3", "-m", "recall.20,2000"),
        *("-m", "Rprec_mult.5.0,0.2,0.35", "-mutility.2,-1,0,0", "-m", "11pt_avg..25,.5,.75"),
        *("-mndcg.1=3,2=9,4=4.5", "-mndcg_cut.10,20,23.4", "-msuccess.2,5,20"),
        *("qrels.test", "results.test"),
    ],
    "out.test.aqZ": ["-q", "-m", "all_trec", "-Z", "zscores_file", "qrels.test", "results.test"],
}


@pytest.mark.parametrize("bug_compatible", [False, True])
@pytest.mark.parametrize("name", OUTPUTS)
def test_every_byte_is_what_trec_eval_10_printed(
    shared_data: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
    name: str,
    bug_compatible: bool,
) -> None:
    monkeypatch.chdir(shared_data / "trec_eval-test")
    choice = ["--bug-compatible"] if bug_compatible else []
    assert main(["--as", "10", *choice, *OUTPUTS[name]]) == 0
    out, err = capsysbinary.readouterr()
    assert out == Path(name.split(maxsplit=1)[0]).read_bytes()
    # Labels are above 1, and so rbp is not defined; that of the expected output is ours.
    assert (b"variables that it never sets" in err) == (name == "out.test.aql")
    assert err.count(b"\n") == (name == "out.test.aql")


@pytest.mark.parametrize("name", ["bm25", "bm25-rm3", "bm25-bertzs", "bm25-t5zs"])
def test_every_byte_is_what_version_9_printed_for_a_paper(
    shared_data: Path, capsysbinary: pytest.CaptureFixture[bytes], name: str
) -> None:
    folder = shared_data / "dl-hard-passage"
    # As SOURCES.md says. The output of bm25-bertzs names the run T5-P.
    options = ["-l", "2", "-o", "-c", "-M1000", "-q", "-m", "all_trec"]
    files = [str(folder / "dl_hard-passage.qrels"), str(folder / f"{name}.run")]
    assert main(["--as", "9", *options, *files]) == 0
    out, err = capsysbinary.readouterr()
    published = (folder / f"{name}.run.eval").read_bytes()
    if name == "bm25-bertzs":
        published = published.replace(b"\tT5-P\n", b"\tBERT-P\n")
    assert out == published
    assert b"num_rel of all queries is 1794, as trec_eval -c counts labels from 1" in err


@pytest.mark.parametrize("level", [1, 2])
def test_version_9_prints_the_numbers_of_pytrec_eval(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], level: int
) -> None:
    dice = random.Random(level)
    documents = [f"d{number}" for number in range(30)]
    judged = {
        f"q{number}": {
            document: dice.choice([-1, 0, 0, 1, 2, 4]) for document in dice.sample(documents, 15)
        }
        | {"d0": 0}
        for number in range(20)
    }
    # Some scores tie, some only in single precision.
    ranked = {
        f"q{number}": {
            document: 1 + dice.choice([1e-9, 1]) * dice.randrange(9)
            for document in dice.sample(documents, 20)
        }
        for number in range(2, 22)
    }
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text(
        "".join(f"{q} 0 {d} {label}\n" for q, row in judged.items() for d, label in row.items())
    )
    rows = [(q, d, score) for q, row in ranked.items() for d, score in row.items()]
    run.write_text("".join(f"{q} Q0 {d} 0 {score!r} t\n" for q, d, score in rows))
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {"all_trec"}, relevance_level=level)
    expected = {
        (name, query): f"{value:.4f}"
        for query, row in evaluator.evaluate(ranked).items()
        for name, value in row.items()
        if not name.startswith(("gm_", "num_q", "runid", "relstring"))
    }
    options = ["--as", "9", "-q", "-n", f"-l{level}", "-m", "all_trec"]
    assert main([*options, str(qrels), str(run)]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    found = {
        (name, query): f"{float(value):.4f}" for name, query, value in lines if name != "relstring"
    }
    assert len(found) == 18 * 90
    assert found == expected
