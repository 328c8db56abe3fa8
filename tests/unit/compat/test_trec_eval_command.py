"""The command line of trec_eval: its options, exit codes, and what it says on standard error."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import rankmark as rm
from rankmark.compat.trec_eval import main

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n"
RUN = "1 Q0 b 1 3.0 first\n1 Q0 a 2 2.0 first\n1 Q0 x 3 1.0 last\n"


class Printed(NamedTuple):
    """What a command printed."""

    code: int
    out: str
    err: str

    def values(self) -> dict[tuple[str, str], str]:
        """Give the fields of each line: measure and query to value."""
        lines = [line.split("\t") for line in self.out.splitlines()]
        return {(name.rstrip(), query): value for name, query, value in lines}


Command = Callable[..., Printed]


@pytest.fixture
def trec_eval(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Run the command on files with these contents."""
    monkeypatch.chdir(tmp_path)

    def run(*options: Any, qrels: str = QRELS, run: str = RUN) -> Printed:
        Path("qrels").write_text(qrels)
        Path("run").write_text(run)
        code = main([*options, "qrels", "run"])
        return Printed(code, *capsys.readouterr())

    return run


def test_options_stand_anywhere_and_together_and_at_length(trec_eval: Command) -> None:
    plain = trec_eval("-q", "-c", "-l", "2", "-m", "map", "-m", "P.1,2")
    assert plain.code == 0
    assert trec_eval("-qcl2", "-mmap", "-mP.1,2") == plain
    assert (
        trec_eval("--query", "--complete", "--level=2", "--measure", "map", "--mea=P.1,2") == plain
    )
    code = main(["-q", "qrels", "-c", "run", "-l2", "-mmap", "-mP.1,2"])
    assert code == plain.code


def test_lines_have_a_padded_name_the_query_and_four_decimals(trec_eval: Command) -> None:
    found = trec_eval("-q", "-c", "-m", "map", "-m", "num_rel", "-m", "runid", "-mrelstring.2")
    assert found.out == (
        "num_rel               \t1\t2\n"
        "map                   \t1\t0.2500\n"
        "relstring_2           \t1\t'01'\n"
        "num_rel               \t2\t1\n"
        "map                   \t2\t0.0000\n"
        "relstring_2           \t2\t''\n"
        "runid                 \tall\tlast\n"
        "num_rel               \tall\t3\n"
        "map                   \tall\t0.1250\n"
    )
    assert trec_eval("-n", "-c").out == ""


def test_a_query_missing_in_the_run_is_left_out_and_named(trec_eval: Command) -> None:
    # Trap 3.
    found = trec_eval("-q", "-m", "map")
    assert (found.code, len(found.values())) == (0, 2)
    assert "1 judged query is missing in the run, and left out: '2'" in found.err
    assert "exit code 4" in found.err
    theirs = trec_eval("-q", "-m", "map", "--bug-compatible")
    assert theirs.code == 4
    assert theirs.values() == {("map", "1"): "0.2500"}
    assert theirs.err == "trec_eval: result qid '2' not found in qrels\n"
    nine = trec_eval("-q", "-m", "map", "--as", "9", "--bug-compatible")
    assert nine == found._replace(err="")


def test_gains_are_compared_with_their_fractions(trec_eval: Command) -> None:
    # Trap 4.
    qrels = "1 0 a 1\n1 0 b 0\n"
    right = trec_eval("-m", "ndcg.1=0.5", qrels=qrels)
    assert right.values()["ndcg_1=0.5", "all"] == "0.6309"
    assert "compares gains as whole numbers" in right.err
    wrong = trec_eval("-m", "ndcg.1=0.5", "--bug-compatible", qrels=qrels)
    assert wrong.values()["ndcg_1=0.5", "all"] == "0.0000"


def test_rbp_is_scaled_by_what_occurs(trec_eval: Command) -> None:
    # Trap 5: label 2 does not occur, and its gain would be 2.
    found = trec_eval("-m", "rbp.1=.5,3=1", qrels="1 0 b 1\n1 0 a 3\n")
    assert found.values()["rbp_1=.5,3=1", "all"] == "0.1400"  # 0.1 (0.5 + 0.9)
    assert "counts labels that do not occur" in found.err
    found = trec_eval("-m", "rbp.p=0.5", qrels="1 0 b 1\n1 0 a 4\n")
    assert found.values()["rbp_p=0.5", "all"] == "0.3750"  # 0.5 (1/4 + 1/2)
    assert "variables that it never sets" in found.err


def test_relevant_documents_are_counted_at_the_level(trec_eval: Command) -> None:
    # Trap 6.
    options = ("-c", "-l2", "-m", "num_rel")
    found = trec_eval(*options)
    assert found.values() == {("num_rel", "all"): "1"}
    assert "-c counts labels from 1, 3" in found.err
    assert trec_eval("-c", "-l2", "-m", "map").err == ""
    for choice in (["--bug-compatible"], ["--as", "9"]):
        theirs = trec_eval(*options, *choice)
        assert theirs.values() == {("num_rel", "all"): "3"}
        assert "from -l 2 it is 1" in theirs.err


def test_precision_of_nothing_is_zero(trec_eval: Command) -> None:
    # Trap 7.
    run = "1 Q0 x 1 1.0 t\n2 Q0 a 1 1.0 t\n"
    options = ("-J", "-q", "-m", "iprec_at_recall.0,1", "-m", "11pt_avg")
    found = trec_eval(*options, run=run)
    assert found.values()["iprec_at_recall_0.00", "1"] == "0.0000"
    assert found.values()["11pt_avg", "all"] == "0.5000"
    assert "trec_eval prints -nan" in found.err
    theirs = trec_eval(*options, "--bug-compatible", run=run).values()
    assert theirs["iprec_at_recall_0.00", "1"] == theirs["11pt_avg", "all"] == "  -nan"
    assert theirs["iprec_at_recall_1.00", "1"] == "0.0000"


def test_the_versions_differ_in_precision_rounding_and_measures(trec_eval: Command) -> None:
    # Traps 1 and 2, and the sets of both.
    qrels = "".join(f"1 0 r{number} 1\n" for number in range(12))
    close = "1 Q0 r1 0 1.00000001 t\n1 Q0 z 0 1 t\n"
    values = {
        version: trec_eval("--as", version, "-m", "all_trec", qrels=qrels, run=close).values()
        for version in ("9", "10")
    }
    assert values["10"]["recip_rank", "all"] == "1.0000"
    assert values["9"]["recip_rank", "all"] == "0.5000"
    assert values["10"]["iprec_at_recall_0.10", "all"] == "1.0000"
    assert values["9"]["iprec_at_recall_0.10", "all"] == "0.0000"
    more = {name for name, _ in values["10"].keys() - values["9"].keys()}
    assert more == {"rbp", "rbp_resid", "unj_5", "unj_10", "unj_20"}
    found = trec_eval("--as", "9", "-m", "rbp")
    assert (found.code, found.err) == (
        1,
        "trec_eval: illegal measure 'rbp': trec_eval 9 does not have it; leave out --as 9\n",
    )


def test_zscores_are_deviations_from_the_means_given(trec_eval: Command) -> None:
    Path("z").write_text("1 map 0.5 0.25\n1 num_ret 3 0\n2 map 0 0\n")
    found = trec_eval("-Z", "z", "-q", "-c", "-m", "map", "-m", "num_ret").values()
    assert found["Zmap", "1"] == "-1.0000"
    assert found["Znum_ret", "1"] == found["Zmap", "2"] == "0.0000"
    assert found["Znum_ret", "2"] == "-1000000.0000"
    Path("z").write_text("1 map 0.5\n")
    failed = trec_eval("-Z", "z")
    assert (failed.code, failed.out) == (255, "")
    assert "z:1: found 3 columns, need 4" in failed.err


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["-x"], 1, "option -x not recognized"),
        (["-m", "mapp"], 1, "illegal measure 'mapp'"),
        (["-m", "ndcg_cut_10"], 1, "write ndcg_cut.10"),
        (["-m", "P."], 1, "improper measure in parameter 'P'"),
        (["-m", "P.0,5"], 2, "Negative cutoff detected"),
        (["-m", "P.5,5"], 2, "duplicate cutoffs detected"),
        (["-m", "P.five"], 2, "parameter 'five' is not a number"),
        (["-m", "P.1e3"], 2, "'1e3' has an exponent"),
        (["-m", "P.inf"], 2, "parameter 'inf' is not a number"),
        (["-m", "relstring.nan"], 2, "parameter 'nan' is not a number"),
        (["-m", "MAP"], 1, "did you mean map"),
        (["-m", "NDCG@10"], 1, "write ndcg_cut.10"),
        (["-m", "P@5,10"], 1, "write P.5,10"),
        (["-D", "0.9"], 7, "-D names the query '9', which the judgments lack"),
        (["-D", "0.2"], 7, "-D names the query '2', which the run lacks"),
        (["-m", "ndcg.1,2"], 2, "malformed pair parameters in '1,2'"),
        (["-m", "ndcg.1=-1"], 2, "need gains from 0"),
        (["-m", "utility.1,2"], 4, "improper number of coefficients: 2, need 4"),
        (["-m", "utility.1,2,3,4"], 2, "give their number, -N"),
        (["-l", "high"], 1, "option -l is high: need a whole number from 0"),
        (["-M0"], 1, "need a whole number from 1"),
        (["-R", "qrel"], 2, "Illegal rel_format 'qrel'"),
        (["-R", "qrels_prefs"], 4, "it needs -R qrels"),
        (["-m", "prefs"], 4, "it needs -R prefs or qrels_prefs"),
        (["-T", "json"], 2, "Illegal retrieval results format 'json'"),
        (["--as", "8"], 1, "--as is 8: need 9 or 10"),
        (["third"], 1, "3 files are given"),
    ],
)
def test_what_cannot_be_done_has_trec_evals_exit_code(
    trec_eval: Command, options: list[str], code: int, said: str
) -> None:
    found = trec_eval(*options)
    assert (found.code, found.out) == (code, "")
    assert said in found.err


@pytest.mark.parametrize(
    ("qrels", "run", "code", "said"),
    [
        ("1 0 a 1 9\n", RUN, 2, "qrels:1: found 5 columns, need 4 (qid iter docno rel)"),
        ("1 0 a 1 9\n1 0 a 1 8\n", RUN, 2, "qrels:1: found 5 columns, need 4"),
        ("1 0 a\n", RUN, 2, "trec_eval.get_qrels: qrels:1: found 3 columns, need 4"),
        (QRELS, RUN + "1 Q0 d 4 0.5\n", 2, "get_results: run:4: found 5 columns, need 6"),
        (QRELS, "1 Q0 a 1 high t\n", 2, "run:1: score 'high' is not a number"),
        ("1 0 a 1.5\n", RUN, 2, "label 1.5 is not a whole number"),
        ("", RUN, 2, "Quit in file 'qrels'"),
        (QRELS, "", 2, "Cannot read results file 'run': it is empty"),
        ("1 0 a 1\n1 0 a 0\n", RUN, 4, "duplicate docs: qrels:2: document 'a' appears twice"),
        (QRELS, RUN + "1 Q0 a 4 9 t\n", 4, "duplicate docs: run:4: document 'a' appears twice"),
        ("9 0 a 1\n", RUN, 7, "No queries with both results and relevance info"),
    ],
)
def test_what_cannot_be_read_is_named_with_file_and_line(
    trec_eval: Command, qrels: str, run: str, code: int, said: str
) -> None:
    found = trec_eval(qrels=qrels, run=run)
    assert (found.code, found.out) == (code, "")
    assert said in found.err


def test_with_c_a_run_that_answers_nothing_is_zero(trec_eval: Command) -> None:
    found = trec_eval("-c", "-m", "map", "-m", "num_q", qrels="9 0 a 1\n")
    assert found.values() == {("num_q", "all"): "1", ("map", "all"): "0.0000"}
    assert "none of its 1 queries is judged" in found.err
    nine = trec_eval("-c", "--as", "9", qrels="9 0 a 1\n")
    assert nine.code == 7
    assert "none of its 1 queries is judged: it has '1', qrels has '9'" in nine.err


def test_parameters_that_trec_eval_ignores_are_named(trec_eval: Command) -> None:
    found = trec_eval("-m", "P.1", "-m", "P.2")
    assert found.values().keys() == {("P_1", "all")}
    assert "give all at once, as in -m P.1,2" in found.err


def test_one_query_is_evaluated_alone(trec_eval: Command) -> None:
    found = trec_eval("-D", "0.1", "-q", "-m", "map")
    assert found.values() == {("map", "1"): "0.2500", ("map", "all"): "0.2500"}
    assert found.err == ""


def test_help_explains_what_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-h"]) == 0
    assert "--bug-compatible" in capsys.readouterr().out
    assert main(["-h", "-m", "rbp", "-m", "all_prefs", "-m", "qrels_jg"]) == 0
    out = capsys.readouterr().out
    assert "p=0.8" in out
    assert "\nprefs_avgjg_Rnonrel\n" in out
    assert "\nmap_avgjg\n" in out
    assert main(["-v"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("trec_eval version 10.0, computed by rankmark")


@pytest.mark.slow
def test_it_is_a_command_of_rankmark_and_a_module(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(QRELS)
    shown = [
        subprocess.run(
            [sys.executable, "-m", *command, "-c", "-mmap", "qrels", "-"],
            cwd=tmp_path,
            input=RUN,
            capture_output=True,
            text=True,
            check=True,
        )
        for command in (["rankmark", "trec_eval"], ["rankmark.compat.trec_eval"])
    ]
    assert [(one.stdout, one.stderr) for one in shown] == [
        ("map                   \tall\t0.1250\n", "")
    ] * 2


def test_set_f_without_weight_on_recall_is_precision(trec_eval: Command) -> None:
    values = trec_eval("-c", "-m", "set_F.0", "-m", "set_P").values()
    assert values["set_F_0", "all"] == values["set_P", "all"] == "0.1667"


def test_arguments_are_a_list_that_may_hold_paths_and_numbers(trec_eval: Command) -> None:
    expected = trec_eval("-M", "1", "-c", "-m", "num_ret")
    found = trec_eval("-M", 1, "-c", "-m", "num_ret")
    assert found == expected
    assert main(["-c", Path("qrels"), Path("run")]) == 0
    with pytest.raises(rm.InputError, match="need a list"):
        main("-c qrels run")
