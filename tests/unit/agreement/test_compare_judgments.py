"""Two sets of judgments compared, and more: figures, intervals over queries, what is left out."""

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.statistics.resampling import sample_blocks, sample_counts
from unit.agreement import reference
from unit.agreement.test_coefficients import RELIABILITY

Judgments = dict[str, dict[str, float]]
PEOPLE: Judgments = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1, "e": 0}}
MODEL: Judgments = {"q1": {"a": 2, "b": 1, "c": 2}, "q2": {"d": 1, "e": 0}}


def drawn(seed: int, queries: int = 6, documents: int = 12) -> tuple[Judgments, Judgments]:
    """Draw judgments of two who agree more in some queries than in others."""
    generator = random.Random(seed)
    people: Judgments = {}
    model: Judgments = {}
    for q in range(queries):
        share = generator.random()
        people[f"q{q}"] = {f"d{d}": generator.choice([0, 1, 2, 3]) for d in range(documents)}
        model[f"q{q}"] = {
            doc: label if generator.random() < share else generator.choice([0, 1, 2, 3])
            for doc, label in people[f"q{q}"].items()
        }
    return people, model


def pairs_of(people: Judgments, model: Judgments, left_out: str = "") -> reference.Pairs:
    """Return the labels of all pairs."""
    return [
        (label, model[query][doc])
        for query, labels in people.items()
        if query != left_out
        for doc, label in labels.items()
    ]


@pytest.fixture(scope="module")
def rag25(shared_data: Path) -> Any:
    """The judgments of TREC RAG 2025 by people and by UMBRELA2."""
    folder = shared_data / "rag25"
    files = [folder / "qrels.rag25.test.txt", folder / "qrels.rag25.test-umbrela2.txt"]
    return rm.compare_judgments(*files, names=["people", "UMBRELA2"])


GOLDEN = {
    "agreement": 0.4411707507,
    "kappa": 0.2333164535,
    "kappa_linear": 0.3728767974,
    "kappa_quadratic": 0.4918106071,
    "alpha_nominal": 0.2281941689,
    "alpha_ordinal": 0.4925550723,
    "alpha_interval": 0.4890238823,
    "alpha_ratio": 0.3486381846,
    "bias": 0.1628743679,
    "over_rated": 0.3325554259,
    "under_rated": 0.2262738234,
    "absolute_difference": 0.7589459354,
}
OF_IRRCAC = {
    "ac1": 0.31766,
    "ac2_linear": 0.58481,
    "ac2_quadratic": 0.76164,
    "ac2_ordinal": 0.71525,
    "pi": 0.22816,
    "brennan_prediger": 0.30146,
}


def test_figures_of_trec_rag_2025(rag25: Any) -> None:
    assert {name: rag25[name].estimate for name in GOLDEN} == pytest.approx(GOLDEN, abs=1e-9)
    found = {name: rag25[name].estimate for name in OF_IRRCAC}
    assert found == pytest.approx(OF_IRRCAC, abs=6e-6)
    assert rag25.confusion.tolist() == [
        [1690, 1074, 681, 150, 24],
        [348, 446, 566, 113, 26],
        [405, 735, 1971, 547, 102],
        [80, 136, 554, 411, 137],
        [1, 8, 18, 42, 19],
    ]


def test_errors_of_trec_rag_2025_are_over_queries(rag25: Any, shared_data: Path) -> None:
    stats = pytest.importorskip("scipy.stats")
    folder = shared_data / "rag25"
    files = [folder / "qrels.rag25.test.txt", folder / "qrels.rag25.test-umbrela2.txt"]
    found = rm.compare_judgments(*files, interval="jackknife")
    sizes = found.pairs[0].tables.sum((1, 2))
    t = stats.t.ppf(0.975, sizes.sum() ** 2 / (sizes**2).sum() - 1)
    wanted = {
        "agreement": 0.015022,
        "kappa": 0.020140,
        "kappa_quadratic": 0.033913,
        "bias": 0.084326,
    }
    for name, error in wanted.items():
        assert (found[name].high - found[name].low) / 2 / t == pytest.approx(error, abs=6e-7)
    kappa = found.by_threshold[2.0]["kappa"]
    assert (kappa.high - kappa.low) / 2 / t == pytest.approx(0.026837, abs=6e-7)
    assert (rag25.bias.low, rag25.bias.high) == (found.bias.low, found.bias.high)
    # The lower ends allow for queries that a sample of 22 may lack, the upper ones for less.
    assert rag25.kappa.low < found.kappa.low
    assert found.kappa.high < rag25.kappa.high < found.kappa.high + 0.01


def test_thresholds_of_trec_rag_2025(rag25: Any) -> None:
    wanted = {
        1.0: (0.731330, 0.367239, 0.53763, 0.751418, 0.874869, 0.648094, 0.754570),
        2.0: (0.715578, 0.431042, 0.43147, 0.709009, 0.735772, 0.502334, 0.521295),
        3.0: (0.828958, 0.309501, 0.77268, 0.387651, 0.433143, 0.136717, 0.152762),
    }
    for lowest, figures in wanted.items():
        found = [one.estimate for one in rag25.by_threshold[lowest].values()]
        assert found == pytest.approx(figures, abs=6e-6)


def test_queries_of_trec_rag_2025(rag25: Any) -> None:
    rows = {row["query_id"]: row for row in rag25.by_query.to_dict()["rows"]}
    kappas = np.array([row["kappa"] for row in rows.values()])
    assert len(kappas) == 22
    summary = (kappas.mean(), kappas.std(ddof=1), kappas.min(), np.median(kappas), kappas.max())
    assert summary == pytest.approx((0.205384, 0.078236, 0.068677, 0.173301, 0.384918), abs=6e-7)
    wanted = {
        "14": (486, 0.2475, 0.4650, 0.4218),
        "144": (513, 0.2680, 0.4834, -0.3411),
        "161": (463, 0.1653, 0.3758, 0.5594),
        "200": (470, 0.3115, 0.5085, 0.3277),
        "213": (475, 0.2749, 0.4463, -0.3958),
    }
    for query, figures in wanted.items():
        found = [rows[query][name] for name in ("n", "kappa", "agreement", "bias")]
        assert found == pytest.approx(figures, abs=5e-5)
    means = rag25.pairs[0].query_means
    assert means["agreement"].estimate == pytest.approx(0.437817, abs=6e-7)
    assert means["bias"].estimate == pytest.approx(0.158003, abs=6e-7)


def test_the_first_line_says_what_was_found(rag25: Any) -> None:
    assert rag25.to_text().startswith(
        "UMBRELA2 labels 0.16 higher than people on average (95% over queries: -0.01 to +0.34); "
        "with labels >= 2 as relevant, it has a recall of 74% of what is relevant by people, a "
        "precision of 71%, and a kappa of 0.43 (0.34 to 0.49)\n"
    )


def test_labels_that_are_as_high_are_not_called_higher() -> None:
    found = rm.compare_judgments(PEOPLE, PEOPLE)
    assert found.summary.startswith("model labels as high as people on average; with labels >= 1")


def test_intervals_leave_out_each_query() -> None:
    stats = pytest.importorskip("scipy.stats")
    people, model = drawn(1)
    found = rm.compare_judgments(people, model, interval="jackknife")
    scale = [0.0, 1.0, 2.0, 3.0]
    values = [
        reference.coefficient("kappa", "quadratic", pairs_of(people, model, query), scale)
        for query in people
    ]
    whole = reference.coefficient("kappa", "quadratic", pairs_of(people, model), scale)
    half = stats.t.ppf(0.975, len(people) - 1) * reference.jackknife(values)
    one = found.weighted_kappa
    assert (one.estimate, one.low, one.high) == pytest.approx(
        (whole, whole - half, min(whole + half, 1.0)), abs=1e-12
    )


def test_drawn_queries_give_what_drawn_pairs_would() -> None:
    """Tables are resampled, which is the same as drawing whole queries with their pairs."""
    people, model = drawn(2, queries=5)
    found = rm.compare_judgments(people, model, interval="bootstrap", resamples=200, seed=3)
    scale, values = [0.0, 1.0, 2.0, 3.0], []
    tables = []
    for query in people:
        table = np.zeros((4, 4))
        for one, other in pairs_of({query: people[query]}, model):
            table[scale.index(one), scale.index(other)] += 1
        tables.append(table.ravel())
    queries = np.array([*people])[np.lexsort(np.array(tables).T)].tolist()
    for block, samples in enumerate(sample_blocks(5, 200)):
        for counts in sample_counts(5, samples, block, 3):
            pairs = [
                pair
                for query, count in zip(queries, counts, strict=True)
                for pair in pairs_of({query: people[query]}, model) * int(count)
            ]
            values.append(reference.coefficient("kappa", "identity", pairs, scale))
    ends = np.quantile(values, [0.025, 0.975])
    assert (found.kappa.low, found.kappa.high) == pytest.approx(tuple(ends), abs=1e-12)
    assert found.kappa.method == "percentile bootstrap by query"


def test_every_form_of_judgments_gives_the_same() -> None:
    pd = pytest.importorskip("pandas")
    wanted = rm.compare_judgments(PEOPLE, MODEL).to_dict()["pairs"]
    rows = [(q, d, label) for q, of in MODEL.items() for d, label in of.items()]
    frame = pd.DataFrame(rows[::-1], columns=["query_id", "doc_id", "label"])
    for model in (
        frame,
        rm.Qrels(MODEL),
        {q: dict(reversed(of.items())) for q, of in MODEL.items()},
    ):
        assert rm.compare_judgments(PEOPLE, model).to_dict()["pairs"] == wanted


def test_files_are_named_after_themselves(tmp_path: Path) -> None:
    paths = []
    for name, judgments in (("people", PEOPLE), ("llm", MODEL)):
        paths.append(tmp_path / f"{name}.txt")
        lines = [f"{q} 0 {d} {x:g}\n" for q, of in judgments.items() for d, x in of.items()]
        paths[-1].write_text("".join(lines))
    found = rm.compare_judgments(*paths)
    assert found.names == ("people", "llm")
    assert found.to_dict()["judges"][0]["source"]["sha256"]


def test_pairs_of_one_judge_are_counted_and_left_out() -> None:
    model = {"q1": {"a": 2, "x": 0}, "q3": {"z": 1}}
    found = rm.compare_judgments(PEOPLE, model)
    pair = found.pairs[0]
    assert (pair.n, pair.only_first, pair.only_second) == (1, 2, 1)
    assert found.queries == ("q1",)
    filled = rm.compare_judgments(PEOPLE, model, missing=0).pairs[0]
    assert (filled.n, filled.only_first, filled.only_second) == (4, 0, 0)
    assert filled.confusion.tolist() == [[2, 0, 0], [1, 0, 0], [0, 0, 1]]


def test_failures_are_missing_and_never_0() -> None:
    model = {"q1": {"a": -1, "b": 0, "c": 1}, "q2": {"d": 1, "e": 0}}
    as_labels = rm.compare_judgments(PEOPLE, model)
    assert as_labels.labels.tolist() == [-1, 0, 1, 2]
    assert [doubt.code for doubt in as_labels.doubts] == ["few-queries", "negative-labels"]
    found = rm.compare_judgments(PEOPLE, model, failed=-1)
    assert found.agreement.estimate == 1.0
    assert (found.judges[1].failed, found.pairs[0].n) == (1, 4)
    assert [doubt.code for doubt in found.doubts] == ["few-queries"]
    assert "model failed to label 1 documents, which are left out" in found.notes
    again = rm.compare_judgments(PEOPLE, model, failed=[-1, 9], missing=0)
    assert again.pairs[0].n == 4  # what failed is no hole


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.csv", "query_id,doc_id,label\nq1,a,\nq1,b,1\nq1,c,2\nq2,d,NaN\nq2,e,0\n"),
        ("m.tsv", "qid\tdocid\tlabel\nq1\ta\t\nq1\tb\t1\nq1\tc\t2\nq2\td\tnull\nq2\te\t0\n"),
        ("m.txt", "q1 0 a None\nq1 0 b 1\nq1 0 c 2\nq2 0 d nan\nq2 0 e 0\n"),
        ("m.json", '{"q1": {"a": null, "b": 1, "c": 2}, "q2": {"d": null, "e": 0}}'),
        (
            "m.jsonl",
            '{"qid": "q1", "docid": "a", "label": null}\n{"qid": "q1", "docid": "b", "label": 1}\n'
            '{"qid": "q1", "docid": "c", "label": 2}\n{"qid": "q2", "docid": "d"}\n'
            '{"qid": "q2", "docid": "e", "label": 0}\n',
        ),
    ],
)
def test_empty_labels_in_files_failed_and_are_no_holes(
    tmp_path: Path, name: str, text: str
) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    found = rm.compare_judgments(PEOPLE, file)
    wanted = rm.compare_judgments(
        PEOPLE, {"q1": {"a": -1, "b": 1, "c": 2}, "q2": {"d": -1, "e": 0}}, failed=-1
    )
    wanted_figures = wanted.to_dict()["pairs"][0]["figures"]
    assert found.to_dict()["pairs"][0]["figures"] == wanted_figures
    assert (found.judges[1].judged, found.judges[1].failed) == (3, 2)
    assert (found.pairs[0].only_first, found.pairs[0].only_second) == (0, 0)
    assert found.judges[1].name == "m"
    assert found.to_dict()["judges"][1]["source"]["sha256"]


def test_empty_labels_in_memory_are_missing_for_every_judge() -> None:
    pd = pytest.importorskip("pandas")
    rows = [("q1", "a", None), ("q1", "b", 1), ("q1", "c", 2), ("q2", "d", None), ("q2", "e", 0)]
    by_query: Any = {"q1": {"a": None, "b": 1, "c": 2}, "q2": {"d": float("nan"), "e": 0}}
    names = ["query_id", "doc_id", "label"]
    forms = [
        by_query,
        rows,
        [dict(zip(names, row, strict=True)) for row in rows],
        pd.DataFrame(rows, columns=names),
        {name: [row[at] for row in rows] for at, name in enumerate(names)},
    ]
    for form in forms:
        for judges in ((PEOPLE, form), (form, PEOPLE)):
            found = rm.compare_judgments(*judges)
            assert found.pairs[0].n == 3
            assert sorted(judge.failed for judge in found.judges) == [0, 2]
    assert by_query["q1"]["a"] is None


def test_empty_labels_do_not_reach_the_scores_of_systems() -> None:
    runs = {"s": {"q1": ["a", "b"], "q2": ["e", "d"]}, "t": {"q1": ["b", "c"], "q2": ["d"]}}
    empty = rm.compare_judgments(PEOPLE, {"q1": {"a": None, "b": 1}, "q2": {"d": 1}}, runs=runs)
    without = rm.compare_judgments(PEOPLE, {"q1": {"b": 1}, "q2": {"d": 1}}, runs=runs)
    assert empty.leaderboards is not None
    assert without.leaderboards is not None
    assert empty.leaderboards.systems == without.leaderboards.systems


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ({"q1": {"a": None, "b": "x"}}, "label is 'x'; need a number, or nothing"),
        ({"q1": {"a": None}}, "no document has a label"),
        ([("q1", "a", None), ("q1", "a", 1)], "'a' is judged twice for query 'q1'"),
    ],
)
def test_what_is_wrong_beside_empty_labels_is_still_refused(model: Any, message: str) -> None:
    with pytest.raises(rm.errors.InputError, match=message):
        rm.compare_judgments(PEOPLE, model)


@pytest.mark.parametrize(("rel", "which"), [(3, "no label is"), (0, "all labels are")])
def test_a_threshold_needs_labels_on_both_sides(rel: float, which: str) -> None:
    with pytest.raises(rm.errors.InputError, match=f"{which} relevant then: the labels are 0, 1"):
        rm.compare_judgments(PEOPLE, MODEL, rel=rel)
    assert "with labels >= 1.5 as relevant" in rm.compare_judgments(PEOPLE, MODEL, rel=1.5).summary


def test_intervals_by_pair_are_those_of_irrcac(rag25: Any, shared_data: Path) -> None:
    counts = [(0, 0, 45), (0, 1, 15), (1, 0, 25), (1, 1, 15)]
    labels = [(one, other) for one, other, times in counts for _ in range(times)]
    people, model = ({"q": {str(at): of[side] for at, of in enumerate(labels)}} for side in (0, 1))
    found = rm.compare_judgments(people, model, interval="pairs")
    t = 1.9842169515086827  # of 99 degrees of freedom
    assert (found.kappa.high - found.kappa.low) / 2 / t == pytest.approx(0.09916, abs=5e-6)
    assert (found.ac1.high - found.ac1.low) / 2 / t == pytest.approx(0.10392, abs=5e-6)
    ends = found.ac1.low, found.ac1.high
    assert ends == pytest.approx((0.05985, 0.47226), abs=5e-6)
    folder = shared_data / "rag25"
    files = [folder / "qrels.rag25.test.txt", folder / "qrels.rag25.test-umbrela2.txt"]
    one = rm.compare_judgments(*files, interval="pairs").ac1
    assert (one.low, one.high) == pytest.approx((0.30576, 0.32957), abs=5e-6)
    assert one.estimate == rag25.ac1.estimate
    with pytest.raises(rm.errors.InputError, match="intervals by pair are for two judges"):
        rm.compare_judgments(people, model, model, interval="pairs")


def test_no_interval_leaves_the_range_of_its_figure() -> None:
    found = rm.compare_judgments(*drawn(3, queries=2))
    pair = found.pairs[0]
    for name, one in (*pair.figures.items(), *pair.query_means.items()):
        assert not one.high > (3.0 if name in {"bias", "absolute_difference"} else 1.0)


def test_labels_below_0_are_labels_and_count_0_where_differences_do() -> None:
    people = {"q": {"a": -2, "b": 0, "c": 1, "d": 1}}
    model = {"q": {"a": 0, "b": 0, "c": 1, "d": 0}}
    found = rm.compare_judgments(people, model)
    assert found.agreement.estimate == 0.5
    assert found.bias.estimate == -0.25
    clamped = rm.compare_judgments({"q": {"a": 0, "b": 0, "c": 1, "d": 1}}, model)
    for name in ("kappa_linear", "alpha_ordinal", "alpha_ratio", "ac2_quadratic"):
        assert found[name].estimate == clamped[name].estimate
    assert found.kappa.estimate != clamped.kappa.estimate


def test_other_scales_are_mapped() -> None:
    model = {q: {d: 2 * x for d, x in of.items()} for q, of in MODEL.items()}
    found = rm.compare_judgments(PEOPLE, model, relabel={2: 1, 4: 2})
    assert found.confusion.tolist() == rm.compare_judgments(PEOPLE, MODEL).confusion.tolist()


def test_the_scale_decides_what_chance_is() -> None:
    wide = rm.compare_judgments(PEOPLE, MODEL, labels=[0, 1, 2, 3])
    assert wide.kappa.estimate == rm.compare_judgments(PEOPLE, MODEL).kappa.estimate
    assert wide["brennan_prediger"].estimate == pytest.approx((0.6 - 0.25) / 0.75)
    with pytest.raises(rm.InputError, match="model has labels that are not on the scale: 2"):
        rm.compare_judgments({"q": {"a": 1}}, {"q": {"a": 2}}, labels=[0, 1])


def test_one_label_leaves_coefficients_without_a_value_and_says_why() -> None:
    same = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}
    found = rm.compare_judgments(same, same)
    assert math.isnan(found.kappa.estimate)
    assert found.kappa.undefined == "it is not defined for these labels"
    assert found.ac1.estimate == 1.0
    assert found.summary == "people and model give every document the same label"
    assert found.to_dict()["pairs"][0]["figures"]["kappa"]["estimate"] is None
    assert str(found)


def test_where_one_judge_finds_nothing_relevant_the_first_line_says_so() -> None:
    some, none = {"q": {"a": 0, "b": 3, "c": 1}}, {"q": {"a": 0, "b": 1, "c": 1}}
    told = rm.compare_judgments(none, some).summary
    assert told.endswith("with labels >= 2 as relevant, nothing is relevant by people")
    assert "no precision, as it labels nothing relevant" in rm.compare_judgments(some, none).summary
    assert "1 query; only" in str(rm.compare_judgments(some, none))


@pytest.mark.parametrize(
    ("labels", "rel"),
    [
        ((0, 1, 2, 3), 2),
        ((0, 1, 3), 2),
        ((0, 4), 2),
        ((-2, 0, 1, 3), 2),
        ((0, 1, 2), 1),
        ((2, 3), 3),
        ((0, 10, 20), 10),
        ((-1, 0), 0),
    ],
)
def test_the_lowest_relevant_label_depends_on_the_scale(labels: tuple[int, ...], rel: int) -> None:
    judged = {"q": {f"d{at}": label for at, label in enumerate(labels)}}
    assert rm.compare_judgments(judged, judged).pairs[0].rel == rel


def test_one_query_has_no_interval() -> None:
    found = rm.compare_judgments({"q": PEOPLE["q1"]}, {"q": MODEL["q1"]})
    assert math.isnan(found.agreement.low)
    assert found.agreement.undefined == "there is only one query"


def test_judgments_that_never_meet_are_refused() -> None:
    with pytest.raises(rm.MismatchError, match="no query is judged by both"):
        rm.compare_judgments(PEOPLE, {"x": {"a": 1}})
    with pytest.raises(rm.MismatchError, match="no pair of a query and a document"):
        rm.compare_judgments(PEOPLE, {"q1": {"x": 1}})


def test_three_judges_have_alpha_over_all_and_each_pair() -> None:
    third = {"q1": {"a": 1, "b": 0}, "q2": {"d": 1, "e": 1, "f": 2}}
    found = rm.compare_judgments(PEOPLE, MODEL, third)
    units: dict[tuple[str, str], list[float]] = {}
    for judge in (PEOPLE, MODEL, third):
        for query, labels in judge.items():
            for doc, label in labels.items():
                units.setdefault((query, doc), []).append(label)
    for level in ("nominal", "ordinal", "interval", "ratio"):
        wanted = reference.alpha([*units.values()], level)
        assert found.alphas[f"alpha_{level}"].estimate == pytest.approx(wanted, abs=1e-12)
    assert [(one.first, one.second) for one in found.pairs] == [
        ("people", "model"),
        ("people", "model 2"),
        ("model", "model 2"),
    ]
    direct = rm.compare_judgments(MODEL, third)
    assert found.pair("model", "model 2").confusion.tolist() == direct.confusion.tolist()
    assert len(found.summary.split("\n")) == 3


def test_alpha_of_krippendorffs_reliability_data_through_judgments() -> None:
    judges: list[Judgments] = [{f"q{query}": {} for query in range(3)} for _ in RELIABILITY]
    for judge, labels in zip(judges, RELIABILITY, strict=True):
        for unit, label in enumerate(labels):
            if not math.isnan(label):
                judge[f"q{unit % 3}"][f"u{unit}"] = label
    found = rm.compare_judgments(*judges)
    wanted = [0.743421, 0.815388, 0.849107, 0.797403]
    assert [one.estimate for one in found.alphas.values()] == pytest.approx(wanted, abs=5e-7)


def test_slices_are_comparisons_of_their_queries() -> None:
    people, model = drawn(3)
    kinds = {query: "even" if int(query[1:]) % 2 == 0 else "odd" for query in people}
    found = rm.compare_judgments(people, model, by=kinds)
    assert [*found.slices] == ["even", "odd"]
    even = [query for query, kind in kinds.items() if kind == "even"]
    alone = rm.compare_judgments({q: people[q] for q in even}, model)
    assert found.slices["even"].figures["kappa"].estimate == alone.kappa.estimate
    assert found.slices["even"].figures["bias"].low == pytest.approx(alone.bias.low)
    assert "even" in found.to_text()


def test_the_worst_pairs_come_first() -> None:
    people, model = drawn(4, queries=40, documents=120)
    worst = rm.compare_judgments(people, model).worst(5000)
    assert len(worst) == 1000
    steps = [abs(one.difference) for one in worst]
    assert steps == sorted(steps, reverse=True)
    first = worst[0]
    assert people[first.query_id][first.doc_id] == first.label
    assert model[first.query_id][first.doc_id] == first.label_model
    assert steps[0] == max(abs(a - b) for a, b in pairs_of(people, model))


def test_what_a_label_becomes() -> None:
    found = rm.compare_judgments(PEOPLE, MODEL).by_label
    shown = {label: [one.estimate for one in of.values()] for label, of in found.items()}
    assert shown == {
        0.0: [0.5, 0.5, 0.5, 0.0],
        1.0: [1.5, 0.5, 0.5, 0.0],
        2.0: [2.0, 1.0, 0.0, 0.0],
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"interval": "normal"}, "interval is 'normal'"),
        ({"names": ["one"]}, "names has 1 of 2 names"),
        ({"names": ["one", "one"]}, "two judges have the name 'one'"),
        ({"relabel": {1: "x"}}, "relabel has 'x'"),
        ({"relabel": [1]}, "relabel is"),
        ({"failed": "x"}, "failed is 'x'"),
        ({"missing": math.inf}, "missing is inf"),
        ({"labels": ["x"]}, "labels is"),
        ({"labels": []}, "labels is"),
        ({"confidence": 2}, "confidence is 2"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(rm.InputError, match=message):
        rm.compare_judgments(PEOPLE, MODEL, **options)


def test_too_many_labels_are_refused() -> None:
    many = {"q": {f"d{at}": at / 7 for at in range(150)}}
    with pytest.raises(rm.InputError, match="150 different labels"):
        rm.compare_judgments(rm.Qrels(many, contents="labels"), rm.Qrels(many, contents="labels"))


def test_labels_need_not_be_whole() -> None:
    people = {"q": {"a": 0.5, "b": 0.0, "c": 300.0}}
    found = rm.compare_judgments(people, people)
    assert found.labels.tolist() == [0.0, 0.5, 300.0]
    assert found.agreement.estimate == 1.0
