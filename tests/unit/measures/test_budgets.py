"""Cutoffs by what documents cost."""

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import rankmark as rm
from rankmark.verbs.plot.numbers_by_rank import curves_of_budgets
from unit.commands import rankmark_here

# The figures of "token_budget" in the project's own oracle: documents, tokens and labels in the
# order of their ranks; a fourth relevant document is not retrieved.
DOCUMENTS = [("d1", 400, 0), ("d2", 300, 1), ("d3", 900, 1), ("d4", 200, 1), ("d5", 100, 0)]
TOKENS = {name: tokens for name, tokens, _ in DOCUMENTS}
QRELS = {"q": {**{name: label for name, _, label in DOCUMENTS}, "d9": 1}, "p": {"d1": 1}}
ROWS = pd.DataFrame(
    {
        "query_id": ["q"] * 5 + ["p"] * 5,
        "doc_id": [*TOKENS, *TOKENS],
        "score": [5.0, 4, 3, 2, 1, 1, 2, 3, 4, 5],
        "n_tokens": [*TOKENS.values(), *TOKENS.values()],
    }
)
NAMES = ["R@tokens(1000)", "R@tokens(1000, skip)", "nDCG@tokens(1000, skip)", "P@2@tokens(1900)"]
COLUMN = {"tokens": "n_tokens"}


@pytest.mark.parametrize(
    ("budget", "recall", "precision", "taken"),
    [
        ("tokens(700)", 0.25, 0.5, 2),
        ("tokens(700, skip)", 0.25, 0.5, 2),
        ("tokens(1000)", 0.25, 0.5, 2),
        ("tokens(1000, skip)", 0.5, 0.5, 4),
        ("tokens(1900)", 0.75, 0.6, 5),
        ("tokens(1900, skip)", 0.75, 0.6, 5),
    ],
)
def test_a_budget_cuts_where_the_next_document_does_not_fit(
    budget: str, recall: float, precision: float, taken: int
) -> None:
    names = [f"{name}@{budget}" for name in ("R", "P", "NumRet")]
    found = rm.evaluate({"q": QRELS["q"]}, {"q": [*TOKENS]}, names, document_costs=TOKENS)
    assert found.scores.tolist() == [[recall, precision, taken]]


def test_a_measure_of_judged_documents_alone_pays_for_these_alone() -> None:
    qrels = {"q": {"d2": 1, "d4": 1, "d9": 1}}
    run = {"q": [*TOKENS]}
    own = "R(judged_only=True)@tokens(500)"
    found = rm.evaluate(qrels, run, [own, "R@tokens(500)"], document_costs=TOKENS)
    assert found.scores.tolist() == [[2 / 3, 0.0]]
    whole = rm.evaluate(qrels, run, "R@tokens(500)", document_costs=TOKENS, judged_only=True)
    assert whole.scores[0, 0] == found.explain("q", own).value == 2 / 3


def test_an_explanation_says_what_was_spent() -> None:
    found = rm.evaluate({"q": QRELS["q"]}, {"q": [*TOKENS]}, NAMES[0], document_costs=TOKENS)
    assert (
        "Within tokens(1000), 2 rows cost 700; the first that does not fit, 'd3', costs 900."
        in str(found.explain("q")).replace("\n  ", " ")
    )


def test_names_are_read_again_and_cutoffs_are_those_of_other_measures() -> None:
    for name in (
        "R@tokens(1000)",
        "nDCG@cost(0.5, skip)",
        "AP(rel=2)@10@seconds(1.25)",
        "R@cost(1e-05)",
    ):
        measure = rm.measure(name)
        assert str(measure) == name
        assert pickle.loads(pickle.dumps(measure)) == measure
    assert rm.R @ "tokens(1e3)" == rm.R(budget="tokens(1000)") == rm.measure("R@tokens( 1000 )")
    assert rm.R @ [5, "tokens(9)"] == (rm.R @ 5, rm.R @ "tokens(9)")


@pytest.mark.parametrize(
    "name",
    [
        "R@foo(3)",
        "R@tokens(0)",
        "R@tokens(-1)",
        "R@tokens(x)",
        "R@tokens(3, cut)",
        "R@tokens()",
        "R@tokens(inf)",
    ],
)
def test_what_is_no_budget_is_refused(name: str) -> None:
    with pytest.raises(rm.MeasureError, match=r"tokens has no amount; write tokens\(1000\)"):
        rm.measure("R@tokens")
    with pytest.raises(rm.MeasureError, match=r"need a cost and how much of it"):
        rm.measure(name)


def test_every_form_of_a_run_has_a_column_of_costs(tmp_path: Path) -> None:
    wanted = rm.evaluate(QRELS, ROWS.drop(columns="n_tokens"), NAMES, document_costs=TOKENS)
    assert wanted["R@tokens(1000, skip)"] == 0.75
    for name, write in {
        "run.csv": lambda path: ROWS.to_csv(path, index=False),
        "run.jsonl": lambda path: ROWS.to_json(path, orient="records", lines=True),
        "run.parquet": ROWS.to_parquet,
    }.items():
        write(tmp_path / name)
    files = [tmp_path / name for name in ("run.csv", "run.jsonl", "run.parquet")]
    table = pa.table(ROWS)
    for run in (ROWS, table, table.to_reader(), ROWS.to_dict("records"), *files):
        found = rm.evaluate(QRELS, run, NAMES, run_columns=COLUMN)
        assert found.scores.tolist() == wanted.scores.tolist()
        assert found.explain("q", "R@tokens(1000, skip)").value == 0.5
    prepared = pickle.loads(pickle.dumps(rm.Run(ROWS, columns=COLUMN)))
    assert rm.evaluate(QRELS, prepared, NAMES).scores.tolist() == wanted.scores.tolist()
    assert rm.explain(QRELS, prepared, "q", NAMES[1]).value == 0.5
    lines = tmp_path / "costs.txt"
    lines.write_text("".join(f"{name} {tokens}\n" for name, tokens in TOKENS.items()))
    plain = ROWS.drop(columns="n_tokens")
    of_pairs = dict.fromkeys(QRELS, TOKENS)
    for costs in (
        lines,
        of_pairs,
        pd.Series(TOKENS),
        pd.DataFrame(TOKENS.items(), columns=["doc_id", "n"]),
    ):
        found = rm.evaluate(QRELS, plain, NAMES, document_costs=costs)
        assert found.scores.tolist() == wanted.scores.tolist()
    (tmp_path / "qrels.txt").write_text("".join(f"q 0 {d} {x}\n" for d, x in QRELS["q"].items()))
    shown = rankmark_here(
        *("evaluate", tmp_path / "qrels.txt", files[0], "-m", NAMES[1]),
        *("--run-column", "tokens=n_tokens"),
    )
    assert "0.5000" in shown.stdout


def _within(costs: list[float], most: float, rule: str) -> list[int]:
    spent, taken = 0.0, []
    for place, cost in enumerate(costs):
        if spent + cost <= most:
            spent += cost
            taken.append(place)
        elif rule == "stop":
            break
    return taken


@pytest.mark.parametrize("rule", ["stop", "skip"])
@pytest.mark.parametrize(
    "options", [{}, {"depth": 7}, {"judged_only": True}, {"ties": "input"}, {"unit": "#"}]
)
def test_values_are_those_of_a_run_cut_by_hand(rule: str, options: dict[str, Any]) -> None:
    draw = np.random.default_rng(7)
    names = ["R", "AP", "nDCG", "RR@3", "P@5", "Judged@5"]
    qrels, run, costs, cut = {}, {}, {}, {}
    for query in map(str, range(20)):
        ids = [f"d{number}#{part}" for number in range(8) for part in range(2)]
        ids = [ids[place] for place in draw.permutation(len(ids))][: draw.integers(1, 16)]
        judged = {one: int(draw.integers(0, 3)) for one in [*ids[::2], "d9"]}
        if "unit" in options:
            judged = {f"d{number}": int(draw.integers(0, 3)) for number in range(0, 10, 2)}
        qrels[query], run[query] = judged, ids
        costs[query] = {one: float(draw.integers(0, 60)) for one in ids}
        ranked = ids
        if options.get("judged_only"):
            ranked = [one for one in ids if one in judged]
        ranked = ranked[: options.get("depth")]
        taken = _within([costs[query][one] for one in ranked], 100, rule)
        cut[query] = [ranked[place] for place in taken]
    budgeted = [f"{name}@tokens(100{'' if rule == 'stop' else ', skip'})" for name in names]
    found = rm.evaluate(qrels, run, budgeted, document_costs=costs, **options)
    assert found.scores.tolist() == rm.evaluate(qrels, cut, names, **options).scores.tolist()


def test_seen_documents_cost_nothing() -> None:
    measure = "R@tokens(1200)"
    found = rm.evaluate(
        {"q": QRELS["q"]}, {"q": [*TOKENS]}, measure, document_costs=TOKENS, seen={"q": ["d1"]}
    )
    assert found[measure] == 0.5
    assert found.explain("q").value == 0.5


def test_measures_of_lists_look_at_what_fits() -> None:
    found = rm.evaluate(
        None,
        ROWS,
        ["ItemCoverage@tokens(700)", "ItemCoverage", "ILD@tokens(700)"],
        run_columns=COLUMN,
        catalogue=[*TOKENS],
        items={name: "x" if name == "d1" else "y" for name in TOKENS},
    )
    assert found["ItemCoverage@tokens(700)"] == 0.8
    assert found["ItemCoverage"] == 1.0
    assert found.scores.tolist() == [[1.0], [0.0]]
    explained = found.explain("q", "ILD@tokens(700)")
    assert [row["doc_id"] for row in explained.rows] == ["d1", "d2"]
    assert explained.value == 1.0


@pytest.mark.parametrize("depth", [None, 4])
def test_orders_of_ties_in_lists_are_those_of_what_fits(depth: int | None) -> None:
    run = {"q": {"d1": 3.0, "d2": 2.0, "d3": 2.0, "d4": 1.0}}
    popularity = {"d1": 1, "d2": 2, "d3": 3, "d4": 100}
    name = "ARP@tokens(1600)"
    known = {"document_costs": TOKENS, "popularity": popularity, "depth": depth}
    found = rm.evaluate(QRELS, run, name, **known, queries="both")
    assert found.tie_interval == {name: (found[name], found[name])} == {name: (2.0, 2.0)}


def test_functions_give_one_number() -> None:
    cheaper = ROWS.assign(n_tokens=1)
    runs = {"a": ROWS, "b": cheaper}
    compared = rm.compare(QRELS, runs, NAMES[0], run_columns=COLUMN)
    assert [compared.evaluations[name][NAMES[0]] for name in runs] == [0.125, 0.875]
    gated = rm.gate(QRELS, ROWS, cheaper, {NAMES[0]: 0.5}, run_columns=COLUMN)
    assert f"{0.875 - 0.125:.4f}" in str(gated)
    bounds = rm.evaluate(QRELS, ROWS, NAMES[0], run_columns=COLUMN).bounds
    assert bounds[NAMES[0]][0] <= 0.125 <= bounds[NAMES[0]][1]


def test_documents_without_a_cost_count_0_and_are_told() -> None:
    found = rm.evaluate(QRELS, ROWS, NAMES[0], document_costs={"d1": 400, "d2": 300})
    assert "6 of 10 documents that were retrieved have no known tokens: counted as 0" in str(found)
    assert found[NAMES[0]] == 0.875
    assert any("no known tokens" in note for note in found.to_dict()["notes"])


def test_unknown_costs_are_told_once_and_also_of_what_fits() -> None:
    names = [NAMES[0], "Cost", "CostUntil", 'Cost(of="seconds")@tokens(700)']
    known = {"document_costs": {"d1": 400}, "run_columns": {"seconds": "n_tokens"}}
    told = rm.evaluate(QRELS, ROWS, names, **known).list_notes
    assert sum("have no known tokens" in note for note in told) == 1
    known = {"document_costs": {"d1": 400}, "run_columns": COLUMN}
    told = rm.evaluate(QRELS, ROWS, names[3], **known).list_notes
    assert "3 of 4 documents that were retrieved have no known seconds: counted as 0" in told


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "it needs the tokens of each document, and the run has none"),
        (
            {"document_costs": {"d1": -1}},
            "a cost is -1, of document 'd1'; need finite numbers from 0",
        ),
        ({"document_costs": {"d1": float("nan")}}, "a cost is nan"),
        ({"document_costs": TOKENS | {"d1": False}}, "a cost is False, of document 'd1'"),
        ({"document_costs": {"d1": 1, "d2": True}}, "a cost is True, of document 'd2'"),
        ({"document_costs": TOKENS | {"d1": 10**400}}, r"a cost is 10+\.\.\., of document 'd1'"),
        ({"document_costs": {1: 5, "1": 7}}, "document_costs: '1' appears twice"),
        ({"document_costs": {"q": {1: 5, "1": 7}}}, "document_costs: '1' appears twice"),
        ({"document_costs": {"q": {"d1": [9]}, "p": {}}}, r"a cost is \[9\], of document 'd1'"),
        (
            {"document_costs": pd.DataFrame({"doc_id": ["{0}"] * 2, "tokens": [1, 2]})},
            r"document '\{0\}' has two costs, 1 and 2",
        ),
        ({"document_costs": {"z": 1}}, "the cost of no document that was retrieved"),
        (
            {"run_columns": {"tokens": "score"}, "ties": "mean"},
            "without an order, .* or --ties docid$",
        ),
    ],
)
def test_what_cannot_be_spent_is_refused(options: dict[str, Any], told: str) -> None:
    tied = ROWS.assign(score=[1.0] * 10) if "ties" in options else ROWS
    with pytest.raises(rm.RankmarkError, match=told):
        rm.evaluate(QRELS, tied, NAMES[0], **options)


def test_a_column_of_costs_has_no_negative_numbers() -> None:
    with pytest.raises(rm.InputError, match=r"a cost is -5"):
        rm.evaluate(QRELS, ROWS.assign(n_tokens=-5), NAMES[0], run_columns=COLUMN)


def test_a_document_that_is_repeated_costs_what_its_best_row_says() -> None:
    dearer = ROWS.assign(score=ROWS.score + 100, n_tokens=ROWS.n_tokens * 10)
    names = [*NAMES, "R@tokens(9000)", "Cost@2", "Cost@tokens(7000)"]
    wanted = rm.evaluate(QRELS, dearer, names, run_columns=COLUMN).scores.tolist()
    for rows in ([ROWS, dearer], [dearer, ROWS]):
        given = {"duplicates": "best", "run_columns": COLUMN}
        found = rm.evaluate(QRELS, pd.concat(rows, ignore_index=True), names, **given)
        assert found.scores.tolist() == wanted


def test_one_cost_is_not_taken_for_two() -> None:
    both = ["R@tokens(700)", "R@seconds(700)"]
    with pytest.raises(rm.InputError, match="one cost, and the measures name 2: tokens, seconds"):
        rm.evaluate(QRELS, ROWS, both, document_costs=TOKENS)
    found = rm.evaluate(QRELS, ROWS, both, document_costs=TOKENS, run_columns=COLUMN)
    assert found.scores.tolist() == [[0.25, 0.25], [0.0, 0.0]]


def test_a_budget_that_fits_nothing_is_spent_on_nothing() -> None:
    names = [f"{name}@tokens(1)" for name in ("R", "P", "nDCG", "Judged", "Cost", "ItemCoverage")]
    found = rm.evaluate(QRELS, ROWS, names, document_costs=TOKENS, catalogue=[*TOKENS])
    assert not found.scores.any()
    assert found["ItemCoverage@tokens(1)"] == 0


def test_costs_that_no_measure_uses_are_refused() -> None:
    with pytest.raises(rm.InputError, match="none of these measures uses them"):
        rm.evaluate(QRELS, ROWS, "R@10", document_costs=TOKENS)
    with pytest.raises(rm.MeasureError, match="a list of labels has no costs"):
        (rm.R @ "tokens(100)")([1, 0])
    with pytest.raises(rm.MeasureError, match="tokens"):
        rm.reward(QRELS, NAMES[0])("q", ["d1"])


def test_what_lists_cost_is_a_measure_in_every_function() -> None:
    run = {"q": [*TOKENS], "p": ["d2", "d1"]}
    qrels = {**QRELS, "missing": {"d1": 1}}
    names = ["Cost", "Cost@2", "Cost@tokens(1000, skip)", "tokens until R >= 0.75"]
    found = rm.evaluate(qrels, run, names, document_costs=TOKENS)
    assert found.scores[:, :3].tolist() == [[1900, 700, 1000], [700, 700, 700], [0, 0, 0]]
    until = found.per_query("CostUntil(recall=0.75)")
    assert until == {"q": 1800.0, "p": 700.0}
    assert "Cost: 2,600 in total" in str(found)
    assert "CostUntil(recall=0.75): 1 of 3 queries never reach it, and are in no mean" in str(found)
    assert rm.evaluate(None, run, "Cost@1", document_costs=TOKENS)["Cost@1"] == 350
    cheaper = {query: ids[::-1] for query, ids in run.items()}
    budget = "tokens(1000)"
    runs = {"a": run, "b": cheaper}
    asked = [f"R@{budget}", f"Cost@{budget}"]
    compared = rm.compare(qrels, runs, asked, document_costs=TOKENS)
    front = compared.trade_off(f"Cost@{budget}", f"R@{budget}")
    assert (list(front.names), list(front.front)) == (["a", "b"], [False, True])
    with pytest.raises(rm.MeasureError, match="take its values from evaluate"):
        found.explain("q", "Cost")


def test_rows_may_have_the_cost_of_their_whole_query() -> None:
    timed = ROWS.assign(seconds=[0.5] * 5 + [0.25] * 5)
    measure = 'Cost(of="seconds", per="query")'
    columns = {"seconds": "seconds"} | COLUMN
    found = rm.evaluate(QRELS, timed, [measure, "R@tokens(700)"], run_columns=columns)
    assert found.scores.tolist() == [[0.5, 0.25], [0.25, 0.0]]
    with pytest.raises(rm.InputError, match="the rows of query 'q' have different tokens"):
        rm.evaluate(QRELS, ROWS, 'Cost(per="query")', run_columns=COLUMN)


def test_the_formula_of_the_cost_until_a_recall_names_what_it_divides() -> None:
    symbols = rm.CostUntil.symbols
    assert [*symbols] == ["i", "h_i", "R", "recall"]
    assert [*rm.Cost.symbols] == ["k"]


def test_a_document_of_several_chunks_is_found_with_the_first() -> None:
    run = {"q": ["d1#1", "d2#1", "d1#2", "d3#1"]}
    costs = {"d1#1": 10, "d2#1": 20, "d1#2": 5, "d3#1": 1}
    names = ["Cost", "CostUntil(recall=1)", "CostUntil(recall=1)@tokens(29)"]
    found = rm.evaluate({"q": ["d2", "d1"]}, run, names, unit="#", document_costs=costs)
    assert found.scores.tolist() == pytest.approx(np.array([[36, 30, np.nan]]), nan_ok=True)


@pytest.mark.parametrize("seed", range(3))
def test_the_cost_until_a_recall_is_that_of_the_first_cutoff_that_reaches_it(seed: int) -> None:
    draw = np.random.default_rng(seed)
    ids = [f"d{place}" for place in draw.permutation(30)]
    costs = {one: float(draw.integers(0, 90)) for one in ids}
    qrels = {"q": [f"d{place}" for place in draw.permutation(33)[:9]]}
    names = [f"R@{k}" for k in range(1, 31)]
    by_cutoff = rm.evaluate(qrels, {"q": ids}, names).scores[0]
    for recall in (0.1, 1 / 3, 0.5, 2 / 3, 1.0):
        measure = rm.CostUntil(recall=recall)
        value = rm.evaluate(qrels, {"q": ids}, measure, document_costs=costs).scores[0, 0]
        reached = np.flatnonzero(by_cutoff >= recall - 1e-12)
        wanted = sum(costs[one] for one in ids[: reached[0] + 1]) if len(reached) else np.nan
        assert value == pytest.approx(wanted, nan_ok=True)


@pytest.mark.parametrize("query", [None, "q"])
def test_a_curve_over_budgets_has_the_values_of_evaluations(query: str | None) -> None:
    asked = [rm.R @ "tokens(2000)", rm.P @ "tokens(1500)"]
    found = rm.evaluate(QRELS, ROWS, asked, run_columns=COLUMN)
    curves = curves_of_budgets([found], asked, None, query)
    assert curves.k.tolist() == [50.0 * step for step in range(1, 41)]
    for column in (9, 19, 39):
        names = [f"{name}@tokens({curves.k[column]:.0f})" for name in "RP"]
        at = rm.evaluate(QRELS, ROWS, names, run_columns=COLUMN)
        wanted = at.scores[0] if query else [*at.means.values()]
        assert curves.values[0, :, column].tolist() == [*wanted]
    drawn = found.plot("curve", measures=asked[0], query=query)
    assert drawn.get_xlabel() == "budget of tokens"
    assert drawn.get_ylabel() == "R@tokens"
    for mixed in ([asked[0], rm.R @ 10], [asked[0], rm.R @ "tokens(9, skip)"]):
        with pytest.raises(rm.InputError, match="budgets of one cost"):
            found.plot("curve", measures=mixed)


TIED = {"d1": (5.0, 900), "d2": (5.0, 300), "d3": (5.0, 400), "d4": (4.0, 9)}


@pytest.mark.parametrize(
    ("measure", "known"),
    [
        ("R@tokens(1000)", False),
        ("R@tokens(1000, skip)", False),
        ("R@tokens(1600)", True),
        ("R@tokens(1700)", True),
        ("R@tokens(299)", True),
        ("R@tokens(400)", False),
        ("Cost", True),
        ("Cost@2", False),
        ("Cost@3", True),
        ("Cost@tokens(1000)", False),
        ("CostUntil(recall=0.2)", False),
        ("ItemCoverage@tokens(1000)", None),
        ("ILD@tokens(1000)", False),
    ],
)
@pytest.mark.parametrize("depth", [None, 2])
def test_orders_of_ties_that_a_budget_parts_are_said_to_be_unknown(
    measure: str, known: bool | None, depth: int | None
) -> None:
    run = {"q1": {one: score for one, (score, _) in TIED.items()}}
    costs = {one: cost for one, (_, cost) in TIED.items()}
    of_items = {"items": dict.fromkeys(TIED, "x")} if "ILD" in measure else {}
    if "Item" in measure:
        of_items = {"catalogue": [*TIED]}
    found = rm.evaluate(
        QRELS | {"q1": {"d2": 1, "d3": 1, "d9": 1}},
        run,
        [measure, "R@2"],
        document_costs=costs,
        depth=depth,
        **of_items,
    )
    is_told = "what is paid for; what it would give is not known" in str(found)
    if known is not None:
        low, high = found.tie_interval[measure]
        assert math.isnan(low) == math.isnan(high) == is_told
    assert is_told == (not known or depth == 2)


def test_what_ties_could_reverse_is_not_claimed_for_budgets(tmp_path: Path) -> None:
    qrels = {"q1": ["d2", "d3", "d4", "d9"]}
    rows = [("q1", one, score, cost) for one, (score, cost) in TIED.items()]
    columns = ["query_id", "doc_id", "score", "n_tokens"]
    tied = pd.DataFrame(rows[:3], columns=columns)
    other = pd.DataFrame([("q1", "d2", 5, 900), ("q1", "d8", 4, 300)], columns=columns)
    options: dict[str, Any] = {"run_columns": COLUMN}
    compared = rm.compare(qrels, {"a": tied, "b": other}, NAMES[0], **options)
    assert [one.reversible_by for one in compared.differences] == [""]
    gated = rm.gate(qrels, tied, other, {NAMES[0]: 0.9}, max_query_drop=None, **options)
    assert "order of ties could not" not in str(gated)
    (tmp_path / "qrels.txt").write_text("".join(f"q1 0 {one} 1\n" for one in qrels["q1"]))
    tied.to_csv(tmp_path / "tied.csv", index=False)
    given = tmp_path / "qrels.txt", tmp_path / "tied.csv"
    asked = "-m", NAMES[0], "--run-column", "tokens=n_tokens"
    assert "no order of them" not in rankmark_here("check", *given, *asked).stdout
    shown = rankmark_here("evaluate", *given, *asked, "--tie-interval").stdout
    assert "could give" not in shown


def test_a_document_that_ties_where_the_budget_ends_is_tied_across_the_cutoff() -> None:
    run = {"q1": {one: score for one, (score, _) in TIED.items()}}
    costs = {one: cost for one, (_, cost) in TIED.items()}
    qrels = {"q1": [*TIED, "d9"]}
    causes = rm.failure_causes(qrels, run, "R@tokens(1000)", document_costs=costs).rows
    assert {one["doc_id"]: one["cause"] for one in causes} == {
        "d1": "tied across the cutoff",
        "d4": "below the cutoff",
        "d9": "not retrieved",
    }
    causes = rm.failure_causes(qrels, run, "R@1@tokens(1000)", document_costs=costs).rows
    assert [one["cause"] for one in causes if one["doc_id"] == "d2"] == ["tied across the cutoff"]
    untied = rm.failure_causes(qrels, {"q1": [*TIED]}, "R@tokens(1000)", document_costs=costs)
    assert [one.cause for one in untied.causes] == ["not retrieved", "below the cutoff"]


def test_ranks_among_those_that_fit_decide_what_is_found() -> None:
    run, costs = {"q": ["a", "b", "c"]}, {"a": 1, "b": 99, "c": 1}
    measure = "R@2@tokens(9, skip)"
    assert rm.evaluate({"q": ["c"]}, run, measure, document_costs=costs)[measure] == 1
    assert not rm.failure_causes({"q": ["c"]}, run, measure, document_costs=costs).rows


def test_an_explanation_tells_what_did_not_fit_from_what_was_not_retrieved() -> None:
    qrels = {"q": {**QRELS["q"], "d3": 1, "d5": 0}}
    for options in ({}, {"judged_only": True}):
        found = rm.explain(qrels, {"q": [*TOKENS]}, "q", NAMES[0], document_costs=TOKENS, **options)
        assert [one["doc_id"] for one in found.missed] == ["d9"]
        assert [(one["rank"], one["doc_id"]) for one in found.below] == [(3, "d3"), (4, "d4")]
    assert "d3" not in str(found).partition("not retrieved")[2].partition("below")[0]


def test_a_query_without_documents_is_told_as_it_looks_cheap() -> None:
    qrels = {"q1": ["d1"], "q2": ["d1"]}
    runs = {"full": {"q1": ["d1"], "q2": ["d1"]}, "less": {"q1": ["d1"]}}
    found = rm.compare(qrels, runs, ["Cost@5", "CostUntil(recall=0.5)"], document_costs={"d1": 9})
    notes = {name: one.list_notes for name, one in found.evaluations.items()}
    assert notes == {
        "full": ("Cost@5: 18 in total",),
        "less": (
            "Cost@5: 9 in total; 1 of 2 queries have no documents and cost 0, which looks cheap",
            "CostUntil(recall=0.5): 1 of 2 queries never reach it, and are in no mean",
        ),
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "d1 400\nd2 -300\n",
            r"costs.txt:2: 'd2 -300' does not end in a cost; .*the cost a number",
        ),
        ("d1 abc\n", "costs.txt:1: 'd1 abc' does not end in a cost"),
        ("d1,400\n", r"costs.txt: .*write a document and its cost on each line"),
        ("doc_id,tokens\nd1,400,5\n", "costs.txt:2: "),
        ("doc_id,tokens\nd1,-4\n", "a cost is -4.0, of document 'd1'"),
    ],
)
def test_a_mistake_in_a_file_of_costs_is_told_where_it_is(
    text: str, told: str, tmp_path: Path
) -> None:
    (tmp_path / "costs.txt").write_text(text)
    with pytest.raises(rm.InputError, match=told):
        rm.evaluate(QRELS, ROWS, NAMES[0], document_costs=tmp_path / "costs.txt")


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ("", "tokens '' is not a number"),
        ("-300", "run.csv: tokens: a cost is -300.0, of document 'd2'"),
    ],
)
def test_a_mistake_in_a_column_of_costs_names_the_column(
    cell: str, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "run.csv"
    path.write_text(f"query_id,doc_id,score,n_tokens\nq,d1,5,400\nq,d2,4,{cell}\n")
    with pytest.raises(rm.InputError, match=told):
        rm.evaluate(QRELS, path, NAMES[0], run_columns=COLUMN)


def test_an_accumulator_does_not_know_orders_of_ties_that_a_budget_parts() -> None:
    costs = {one: cost for one, (_, cost) in TIED.items()}
    run = rm.Run({"q1": {one: score for one, (score, _) in TIED.items()}}, document_costs=costs)
    for budget, is_known in (("tokens(1000)", False), ("tokens(1700)", True)):
        accumulator = rm.Accumulator(rm.R @ budget)
        accumulator.update({"q1": [*TIED]}, run)
        found = accumulator.result()
        if is_known:
            assert found.tie_interval == {f"R@{budget}": (1.0, 1.0)}
            continue
        with pytest.raises(rm.MeasureError, match="where ties decide what fits into a budget"):
            _ = found.tie_interval
