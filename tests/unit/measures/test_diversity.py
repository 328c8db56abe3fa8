"""Judgments by subtopic: what is taken for them, what is refused, and what they come to."""

import io
import itertools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rankmark as rm
from rankmark.measures import ALL
from unit.commands import rankmark_here

DIVERSE = {"q": {"1": {"a": 1, "b": 1}, "2": {"a": 1, "c": 1}, "3": {"d": 1}}}
RUN = {"q": {"a": 4.0, "x": 3.0, "c": 2.0, "b": 1.0}}
TREC = "q 1 a 1\nq 1 b 1\nq 2 a 1\nq 2 c 1\nq 3 d 1\n"
HINT = "if these are judgments by subtopic, as it seems, ask for a measure of diversity"


def frame(**renamed: str) -> pd.DataFrame:
    rows = [line.split() for line in TREC.splitlines()]
    names = ["qid", "subtopic", "docid", "label"]
    table = pd.DataFrame(rows, columns=names).astype({"label": float})
    return table.rename(columns=renamed)


def test_the_names_of_ndeval_find_measures_over_subtopics() -> None:
    names = {
        "alpha-nDCG@10": rm.alpha_nDCG @ 10,
        "α-nDCG@10": rm.alpha_nDCG @ 10,
        "alpha_nDCG(alpha=0.5)@20": rm.alpha_nDCG @ 20,
        "alpha_nDCG(alpha=.25, rel=2)@20": rm.alpha_nDCG(alpha=0.25, rel=2) @ 20,
        "alpha-DCG@5": rm.alpha_DCG @ 5,
        "ERR-IA@10": rm.ERR_IA @ 10,
        "nERR-IA@10": rm.nERR_IA @ 10,
        "NRBP(alpha=0.5, beta=0.5)": rm.NRBP,
        "nNRBP": rm.nNRBP,
        "MAP-IA": rm.AP_IA,
        "P-IA@10": rm.P_IA @ 10,
        "strec@10": rm.StRecall @ 10,
        "ERR_IA_20": rm.ERR_IA @ 20,
    }
    for name, wanted in names.items():
        assert rm.measure(name) == wanted, name
    with pytest.raises(rm.MeasureError, match="alpha is 2; need a number from 0 to 1"):
        rm.alpha_nDCG(alpha=2)
    with pytest.raises(rm.MeasureError, match="NRBP has no cutoff"):
        rm.measure("NRBP@10")


def test_the_greedy_ideal_takes_the_greatest_id_of_equal_documents_and_may_be_beaten() -> None:
    first = {"1": ["a", "c"], "2": ["a", "c"], "3": ["a"], "4": ["b", "c"], "5": ["b"], "6": ["b"]}
    run = {"q": ["a", "b"]}
    beaten = rm.evaluate({"q": first}, run, "alpha_nDCG(alpha=1)@2")
    best, greedy = 3 + 3 / np.log2(3), 3 + 2 / np.log2(3)
    assert beaten["alpha_nDCG(alpha=1)@2"] == pytest.approx(best / greedy)
    assert best / greedy > 1
    renamed = json.loads(json.dumps(first).replace('"c"', '"Z"'))
    assert tuple(rm.evaluate({"q": renamed}, run, "alpha_nDCG(alpha=1)@2").values()) == (1.0,)


def test_one_ranking_may_be_given_by_labels_lists_or_ids() -> None:
    wanted = 2 / (2 + 1 / np.log2(3))
    one = rm.alpha_nDCG @ 2
    assert one([["1", "2"], None], missed=[["3"]]) == pytest.approx(wanted)
    assert one([{"1": 1, "2": 3}, {"3": 0}], missed=[{"3": 1}]) == pytest.approx(wanted)
    assert one([{"1", "2"}, []], missed=[("3",)]) == pytest.approx(wanted)
    assert one(ranking=["a", "x"], relevant={"1": {"a": 1}, "2": ["a"], "3": {"d"}}) == (
        pytest.approx(wanted)
    )
    assert one(ranking=[7, 8], relevant={1: [7], 2: {7: 1}, 3: [9]}) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"labels": [1, 0]}, "found 1 at rank 1; need {subtopic: label} or a list of subtopics"),
        ({"labels": ["1"]}, "found '1' at rank 1"),
        ({"labels": "12"}, "labels is '12'"),
        ({"labels": [{"1": "x"}]}, "the label at rank 1, for '1', is 'x'"),
        ({"labels": [{"1": None}]}, "a label at rank 1 is None"),
        ({"labels": [], "missed": [None]}, "missed documents must be judged"),
        ({"ranking": ["a"], "relevant": ["a"]}, "need {subtopic: {document id: label}}"),
        ({"ranking": ["a", "a"], "relevant": {}}, "'a' appears twice in the ranking, again at 2"),
    ],
)
def test_one_ranking_without_subtopics_is_refused(arguments: Any, said: str) -> None:
    with pytest.raises(rm.InputError) as caught:
        rm.ERR_IA(**arguments)
    assert said in str(caught.value)


def test_an_alignment_without_subtopics_is_refused_by_who_needs_them() -> None:
    from rankmark.measures.base.single_ranking import align_labels

    with pytest.raises(rm.MeasureError, match="NRBP depends on subtopics"):
        rm.NRBP.score(align_labels([1, 0]))


def test_prepared_judgments_by_subtopic_serve_any_measure() -> None:
    qrels = rm.Qrels(io.BytesIO(TREC.encode()), subtopics=True)
    assert len(qrels) == 5
    ev = rm.evaluate(qrels, RUN, ["StRecall", "NumRel", "R"])
    assert tuple(ev.values()) == (2 / 3, 4.0, 3 / 4)
    assert ev.settings["qrels"] == {"form": "trec", "subtopics": True}
    assert "<file object> read as trec by subtopic" in str(ev)
    again = rm.evaluate(qrels, {"q": ["d"]}, ["StRecall", "alpha_nDCG@1"])
    assert tuple(again.values()) == (1 / 3, 1 / 2)


def test_naming_the_column_of_subtopics_is_enough_to_have_them_read() -> None:
    table = frame(subtopic="facet")
    ev = rm.evaluate(table, RUN, ["AP", "NumRel"], columns={"subtopic": "facet"})
    assert tuple(ev.values()) == ((1 + 2 / 3 + 3 / 4) / 4, 4.0)
    assert ev.settings["qrels"]["columns"]["subtopic"] == "facet"
    assert "subtopic=facet" in str(ev)
    qrels = rm.Qrels(table, columns={"subtopic": "facet"})
    assert rm.evaluate(qrels, RUN, "StRecall")["StRecall"] == 2 / 3


def test_judgments_prepared_without_subtopics_are_refused_with_what_to_do() -> None:
    qrels = rm.Qrels({"q": {"a": 1}})
    with pytest.raises(rm.InputError, match=r"prepare them with rm\.Qrels\(\.\.\., subtopics=True"):
        rm.evaluate(qrels, RUN, "NRBP")


@pytest.mark.parametrize(
    "qrels",
    [
        DIVERSE,
        frame(),
        frame(subtopic="Intent").to_dict("records"),
    ],
    ids=["mapping", "frame", "records"],
)
def test_plain_measures_beside_see_the_greatest_label(qrels: Any) -> None:
    ev = rm.evaluate(qrels, RUN, ["alpha_nDCG@3", "AP", "NumRel"])
    wanted = (2 + 0.5 / 2) / (2 + 1 / np.log2(3) + 0.5 / 2)
    assert tuple(ev.values()) == (pytest.approx(wanted), (1 + 2 / 3 + 3 / 4) / 4, 4.0)


@pytest.mark.parametrize(
    "qrels",
    [
        DIVERSE,
        io.BytesIO(json.dumps(DIVERSE).encode()),
        frame(),
        frame().to_dict("records"),
    ],
    ids=["mapping", "JSON", "frame", "records"],
)
def test_judgments_by_subtopic_are_told_where_only_plain_measures_are_asked(qrels: Any) -> None:
    with pytest.raises((rm.DuplicateError, rm.SchemaError)) as caught:
        rm.evaluate(qrels, RUN, "AP")
    if not isinstance(qrels, io.BytesIO):  # read already
        assert HINT in str(caught.value)
    with pytest.raises(rm.InputError):
        rm.Qrels(qrels)


def test_a_file_by_subtopic_is_told_with_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "div.qrels"
    path.write_text(TREC)
    with pytest.raises(rm.DuplicateError) as caught:
        rm.evaluate(path, RUN, "AP")
    assert str(caught.value).startswith(f"{path}:3: document 'a' appears twice for query 'q'")
    assert HINT in str(caught.value)
    assert (caught.value.where, caught.value.line) == (str(path), 3)
    path.write_text(TREC + "q 1 a 0\n")
    with pytest.raises(rm.DuplicateError) as caught:  # by subtopic or not, this is a mistake
        rm.evaluate(path, RUN, "AP")
    assert HINT not in str(caught.value)


MISTAKES: list[tuple[Any, str]] = [
    ({"q": {"a": 1}}, "qrels: query 'q': found 1 for 'a'; need the documents of a subtopic"),
    ({"q": {"a"}}, "need {query id: {subtopic: {document id: label}}}"),
    ({"q": ["a"]}, "need {query id: {subtopic: {document id: label}}}"),
    ({"q": {"1": {"a": "x"}}}, "query 'q', subtopic '1', document 'a': 'label' is 'x'"),
    ({"q": {"1": {"a": np.nan}}}, "query 'q', document 'a': the label is nan"),
    ({"q": {}}, "qrels: there are no judgments"),
    ({"q": {"1": ["a"]}, "r": {"1": {"a": 1, 1.5: 1}}}, "1.5"),
    ({"1": {"1": {"a": 1}}, 1: {"2": {"a": 1}}}, "a query appears twice"),
    ({"q": {"1": {"a": 1}, 1: {"a": 1}}}, "'a' appears twice for subtopic '1' of query 'q'"),
    (np.eye(2), "qrels <array>: these judgments have no subtopics, which measures of"),
    ([{"a"}, {"b"}], "need {query id: {subtopic: {document id: label}}}"),
    (frame()[["qid", "docid", "label"]], "no column has a usual name for subtopic"),
    ([("q", "1", "a", 1)], "columns={'query_id': 0, 'subtopic': 1, 'doc_id': 2, 'label': 3}"),
    (frame().assign(aspect="1"), "'subtopic' and 'aspect' could both be subtopic"),
    (pd.concat([frame(), frame()]), "row 5 (from 0): document 'a' appears twice for subtopic '1'"),
    (io.BytesIO(b"q 1 a 1\nq 2 a x\n"), "<file object>:2: label 'x' is not a number"),
    (io.BytesIO(b"q 1 a 1\nq 2 a 1\nq 1 a 1\n"), ":3: document 'a' appears twice for subtopic '1'"),
    (io.BytesIO(b"q 1 a 1\nq 2 a 1\nq 1 a 1\n"), "query 'q', first on line 1; keep one of the two"),
    (io.BytesIO(b"qid,docid,label\nq,a,1\n"), "--column subtopic=NAME"),
    (io.BytesIO(b"[1, 2]"), ""),
    (io.BytesIO(b'[{"qid": "q", "docid": "a"}]'), "no column has a usual name for subtopic"),
    (io.BytesIO(b"# nothing\n"), "holds no judgments"),
]


@pytest.mark.parametrize(("qrels", "said"), MISTAKES, ids=[said[:40] for _, said in MISTAKES])
def test_what_holds_no_subtopics_is_refused_with_what_to_do(qrels: Any, said: str) -> None:
    with pytest.raises(rm.InputError) as caught:
        rm.evaluate(qrels, RUN, "alpha_nDCG")
    assert said in str(caught.value)


def test_a_query_judged_for_nothing_counts_as_judged() -> None:
    qrels: dict[str, Any] = {**DIVERSE, "empty": {}, "hollow": {"1": {}}, 7: {"1": {"a": 1}}}
    ev = rm.evaluate(qrels, RUN, ["StRecall", "NumQ"])
    assert ev.per_query("StRecall") == {"q": 2 / 3, "empty": 0, "hollow": 0, "7": 0}
    assert ev["NumQ"] == 4


def test_plain_judgments_asked_for_diversity_are_warned_of() -> None:
    plain = io.BytesIO(b"q 0 a 1\nr 0 b 1\n")
    with pytest.warns(rm.RankmarkWarning, match=r"subtopics are '0', .*are these plain judgments"):
        ev = rm.evaluate(plain, RUN, "alpha_nDCG@3")
    assert ev.per_query("alpha_nDCG@3") == {"q": 1.0, "r": 0.0}


def test_labels_below_one_are_warned_of_where_subtopics_are_seen() -> None:
    qrels = {"q": {"1": {"a": 0.5}, "2": {"b": 0.25}}}
    with pytest.warns(rm.RankmarkWarning, match="ERR_IA: no label reaches rel=1"):
        ev = rm.evaluate(qrels, RUN, "ERR_IA")
    assert ev["ERR_IA"] == 0
    assert tuple(rm.evaluate(qrels, RUN, "StRecall(rel=0.5)").values()) == (1.0,)


@pytest.mark.slow
def test_public_judgments_without_subtopics_are_warned_of(shared_data: Path) -> None:
    qrels = shared_data / "qrels" / "qrels.web.251-300.txt"
    with pytest.warns(rm.RankmarkWarning, match="no query is judged for more than one subtopic"):
        prepared = rm.Qrels(qrels, subtopics=True)
    plain = rm.Qrels(qrels)
    assert prepared.query_ids == plain.query_ids
    assert len(prepared) == len(plain)
    run = {query_id: ["clueweb12-0000tw-05-12114"] for query_id in plain.query_ids}
    with pytest.warns(rm.RankmarkWarning):
        both = [rm.evaluate(one, run, "NumRel")["NumRel"] for one in (prepared, plain)]
    assert both[0] == both[1] > 0


def test_files_by_subtopic_may_be_as_messy_as_plain_ones() -> None:
    text = "\ufeffq 1  文書 1\r\nq\t2 文書 1\r\nq 2 b 1 more\r\n\r\n# a comment\r\n".encode()
    run = io.BytesIO("q Q0 文書 1 9.5 t\nq Q0 b 2 3 t\n".encode())
    ev = rm.evaluate(io.BytesIO(text), run, ["StRecall@1", "P_IA@2"])
    assert tuple(ev.values()) == (1.0, 3 / 4)
    assert ev.audit.qrels_extra_columns == 1


@pytest.mark.slow
def test_many_blocks_and_threads_read_the_same_subtopics(tmp_path: Path) -> None:
    dice = np.random.default_rng(7)
    lines = [
        f"{q} {s} doc{d} {dice.integers(0, 2)}\n"
        for q in range(20)
        for d in range(60)
        for s in dice.permutation(40)[:15]
    ]
    path = tmp_path / "qrels"
    path.write_text("".join(lines))
    run = {str(q): {f"doc{d}": float(dice.random()) for d in range(80)} for q in range(20)}
    names = ["alpha_nDCG@20", "nERR_IA", "AP_IA", "P_IA@10"]
    one, two = (rm.evaluate(path, run, names, threads=threads) for threads in (1, 2))
    assert one.scores.tobytes() == two.scores.tobytes()
    by_row = [(q, s, d, float(v)) for q, s, d, v in map(str.split, lines)]
    columns = {"query_id": 0, "subtopic": 1, "doc_id": 2, "label": 3}
    three = rm.evaluate(rm.Qrels(by_row, columns=columns), run, names)
    assert three.scores.tobytes() == one.scores.tobytes()


def test_the_command_line_evaluates_diversity(tmp_path: Path) -> None:
    qrels, run = tmp_path / "div.qrels", tmp_path / "a.run"
    qrels.write_text(TREC)
    run.write_text("q Q0 a 1 4 t\nq Q0 x 2 3 t\nq Q0 c 3 2 t\nq Q0 b 4 1 t\n")
    done = rankmark_here(
        "evaluate", qrels, run, "-m", "alpha-nDCG@10", "-m", "strec@10", "-m", "AP"
    )
    assert done.returncode == 0, done.stderr
    assert "alpha_nDCG@10" in done.stdout
    assert "0.6667" in done.stdout
    assert "div.qrels read as trec by subtopic" in done.stdout
    refused = rankmark_here("evaluate", qrels, run, "-m", "AP")
    assert refused.returncode == 1
    assert HINT in refused.stderr
    table = tmp_path / "div.csv"
    table.write_text("qid,facet,docid,label\nq,1,a,1\nq,2,a,1\n")
    named = rankmark_here("evaluate", table, run, "-m", "AP", "--column", "subtopic=facet")
    assert named.returncode == 0, named.stderr
    listed = rankmark_here("measures").stdout
    group = listed.partition("subtopics: ")[2].partition("\n\n")[0]
    assert [line.split()[0] for line in group.splitlines()[1:]] == [
        one.name for one in ALL if one.depends_on == "subtopics"
    ]


@pytest.mark.slow
def test_plain_evaluation_loads_nothing_of_subtopics() -> None:
    code = (
        "import sys, rankmark as rm; rm.evaluate({'q': {'a': 1}}, {'q': ['a']});"
        "assert 'rankmark.data.judgments.subtopic_judgments' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.slow
def test_ties_over_subtopics_are_averaged_over_all_orders() -> None:
    run = {"q": {"a": 1.0, "c": 1.0, "d": 1.0, "x": 1.0, "b": 0.5}}
    names = ["alpha_nDCG@2", "ERR_IA", "NRBP", "AP_IA", "P_IA@2", "StRecall@2", "AP"]
    orders = [[*order, "b"] for order in itertools.permutations("acdx")]
    values = [tuple(rm.evaluate(DIVERSE, {"q": order}, names).values()) for order in orders]
    by_rule = {
        rule: rm.evaluate(DIVERSE, run, names, ties=rule) for rule in ("mean", "best", "worst")
    }
    assert tuple(by_rule["mean"].values()) == pytest.approx(np.mean(values, axis=0))
    assert tuple(by_rule["best"].values()) == pytest.approx(np.max(values, axis=0))
    assert tuple(by_rule["worst"].values()) == pytest.approx(np.min(values, axis=0))
    ev = rm.evaluate(DIVERSE, run, names)
    low, high = zip(*ev.tie_interval.values(), strict=True)
    assert low == pytest.approx(np.min(values, axis=0))
    assert high == pytest.approx(np.max(values, axis=0))
    assert "another order of ties could give" in str(ev)


@pytest.mark.parametrize("judged_only", [False, True])
def test_a_depth_cuts_ties_over_subtopics_in_every_order(judged_only: bool) -> None:
    run = {"q": {"a": 1.0, "c": 1.0, "d": 1.0, "x": 1.0}}
    names = ["StRecall", "NRBP", "P_IA@3"]
    values = [
        tuple(
            rm.evaluate(
                DIVERSE, {"q": [*order][:2]}, names, judged_only=judged_only, depth=2
            ).values()
        )
        for order in itertools.permutations("acdx")
    ]
    ev = rm.evaluate(DIVERSE, run, names, ties="mean", depth=2, judged_only=judged_only)
    assert tuple(ev.values()) == pytest.approx(np.mean(values, axis=0))


def test_bounds_are_refused_where_nobody_knows_subtopics_of_the_unjudged() -> None:
    ev = rm.evaluate(DIVERSE, RUN, ["alpha_nDCG", "AP"])
    with pytest.raises(rm.MeasureError, match="bounds are unavailable for subtopic"):
        ev.bounds  # noqa: B018
    assert rm.evaluate(rm.Qrels(DIVERSE, subtopics=True), RUN, "AP").bounds["AP"]


def test_the_line_about_ties_has_two_different_ends() -> None:
    qrels = {"q": {"n1": {"a": 1, "b": 1}, "n2": {"c": 1}, "n3": {"a": 1, "d": 1}}}
    tied = {"q": {"a": 1, "b": 1, "c": 1, "d": 1}}
    ev = rm.evaluate(qrels, tied, "StRecall@2", ties="mean")
    assert "another order of ties" not in str(ev)  # sorting by merit does not find the ends
    assert ev.tie_interval["StRecall@2"] == (2 / 3, 1.0)


def test_weights_of_subtopics_must_not_fall_with_the_label() -> None:
    qrels = {"q": {"n1": {"a": 2, "b": 1}, "n2": {"c": 1}}}
    with pytest.raises(rm.MeasureError, match="the gain of label 2 is below that of label 1"):
        rm.evaluate(qrels, {"q": ["a"]}, rm.StRecall(gain={1: 2, 2: 1}))
    with pytest.raises(rm.MeasureError, match="label 2 has no gain"):
        rm.evaluate(qrels, {"q": ["a"]}, rm.StRecall(gain={1: 2}))


def test_what_subtopics_weigh_is_explained_and_expected_over_ties() -> None:
    qrels = {"q": {"n1": {"a": 2, "b": 1}, "n2": {"c": 1}, "n3": {"a": 1, "d": 2}}}
    measure = rm.StRecall(gain="linear") @ 2
    found = rm.explain(qrels, {"q": ["b", "a", "c", "d"]}, "q", measure)
    assert found.value == 3 / 5
    orders = [[*order] for order in itertools.permutations("abcd")]
    values = [rm.evaluate(qrels, {"q": order}, measure)[str(measure)] for order in orders]
    ev = rm.evaluate(qrels, {"q": dict.fromkeys("abcd", 1.0)}, measure, ties="mean")
    assert ev[str(measure)] == pytest.approx(sum(values) / len(values), abs=1e-12)
