"""``leaderboard``: ranks, separated pairs, missing tasks, and every form of the table."""

import hashlib
import io
import json
import math
import pickle
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import rankmark as rm
from rankmark.errors import DuplicateError, InputError, SchemaError
from rankmark.statistics import bootstrap_max_t
from rankmark.verbs.leaderboard.leaderboard import rank_intervals, tiers

TASKS = [f"t{number}" for number in range(8)]
RANDOM = np.random.default_rng(7)
MATRIX = (
    RANDOM.normal(0.5, 0.1, (8, 1)) + RANDOM.normal(0, 0.02, (8, 5)) + [0.21, 0.19, 0.1, 0.05, 0.0]
)
NAMES = ["a", "b", "c", "d", "e"]
TABLE = {
    name: dict(zip(TASKS, MATRIX[:, at].tolist(), strict=True)) for at, name in enumerate(NAMES)
}


def by_query(count: int = 12, seed: int = 0) -> dict[str, Any]:
    """Return scores by query around those of the table."""
    noise = np.random.default_rng(seed).normal(0, 0.1, (8, count, 5))
    noise -= noise.mean(axis=1, keepdims=True)
    return {
        name: {
            task: {f"q{q}": float(MATRIX[t, at] + noise[t, q, at]) for q in range(count)}
            for t, task in enumerate(TASKS)
        }
        for at, name in enumerate(NAMES)
    }


def without(*pairs: tuple[str, str]) -> dict[str, Any]:
    """Return the table without some scores."""
    return {
        name: {task: value for task, value in of.items() if (name, task) not in pairs}
        for name, of in TABLE.items()
    }


def test_the_order_is_that_of_the_means() -> None:
    board = rm.leaderboard(TABLE)
    means = MATRIX.mean(axis=0)
    assert [one.model for one in board.standings] == [NAMES[at] for at in np.argsort(-means)]
    assert [one.rank for one in board.standings] == [1, 2, 3, 4, 5]
    assert [board[name].mean for name in NAMES] == pytest.approx(means.tolist())
    assert sum(one.first for one in board.standings) == pytest.approx(1.0)


def test_pairs_are_those_of_the_bootstrap_and_rank_intervals_follow() -> None:
    board = rm.leaderboard(TABLE)
    order = [NAMES.index(one.model) for one in board.standings]
    wanted = bootstrap_max_t(MATRIX[:, order], [*combinations(range(5), 2)])
    assert [pair.p for pair in board.pair_list()] == pytest.approx(wanted.adjusted[:, 0].tolist())
    halves = (wanted.critical * wanted.error)[:, 0]
    reached = [(pair.high - pair.low) / 2 for pair in board.pair_list()]
    assert reached == pytest.approx(halves.tolist())
    for one in board.standings:
        above = [pair for pair in board.pair_list() if pair.separated and pair.worse == one.model]
        below = [pair for pair in board.pair_list() if pair.separated and pair.better == one.model]
        assert (one.rank_low, one.rank_high) == (1 + len(above), 5 - len(below))
    assert board.counts["separated"] == sum(pair.separated for pair in board.pair_list()) > 0
    assert board.counts["maybe_first"] == len(board.maybe_first) == 2


@pytest.mark.parametrize("over", ["tasks", "queries", "both"])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_p_values_intervals_letters_and_json_have_one_verdict(over: Any, confidence: float) -> None:
    for seed in range(4):
        board = rm.leaderboard(
            by_query(seed=seed), over=over, confidence=confidence, resamples=499, seed=seed
        )
        letters, pairs = board.letters(), board.to_dict(pairs=True)["pairs"]
        for pair, written in zip(board.pair_list(), pairs, strict=True):
            assert pair.separated == (pair.p <= 1.0 - confidence)
            assert pair.separated == (pair.low > 0.0)
            assert pair.low <= pair.difference <= pair.high
            assert pair.separated is not bool({*letters[pair.better]} & {*letters[pair.worse]})
            assert written["separated"] == pair.separated
            assert (written["low"], written["p"]) == (pair.low, pair.p)
        assert board.counts["separated"] == sum(pair.separated for pair in board.pair_list())


def test_who_is_better_on_more_tasks_is_holms_sign_test() -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    random = np.random.default_rng(4)
    scores = random.normal([0.56, 0.54, 0.5, 0.49], 0.03, (24, 4))
    scores[0, 3] += 1.6  # better on one task by far, so that its mean is the best
    scores[5] = 0.5
    table = {
        f"m{at}": {f"t{task}": float(value) for task, value in enumerate(column)}
        for at, column in enumerate(scores.T)
    }
    board = rm.leaderboard(table, resamples=199)
    pairs, single = board.pair_list(), []
    for pair in pairs:
        away = scores[:, int(pair.better[1])] - scores[:, int(pair.worse[1])]
        ahead, behind = int((away > 0).sum()), int((away < 0).sum())
        assert (pair.tasks_ahead, pair.tasks_behind) == (ahead, behind)
        single.append(binomtest(ahead, ahead + behind).pvalue)
    rejected, holm = multitest.multipletests(single, method="holm")[:2]
    assert [pair.sign_p for pair in pairs] == pytest.approx(holm.tolist())
    assert [pair.ahead_on_more is not None for pair in pairs] == rejected.tolist()
    beaten = next(pair for pair in pairs if (pair.better, pair.worse) == ("m3", "m1"))
    assert beaten.ahead_on_more == "m1"
    assert board.counts["ahead_on_more"] == sum(rejected)
    said = "better on more tasks, by whatever amount (sign test, exact, with Holm's correction): "
    assert f"{said}{sum(rejected)} of 6 pairs" in board.notes


def test_a_board_says_which_differences_rare_tasks_could_reverse() -> None:
    """A gap g on all tasks but a share of g / (1 + g), which none of T has in (1 + g)^-T cases."""
    random = np.random.default_rng(1)
    means = {"a": 0.9, "b": 0.88, "c": 0.2}
    table = {
        name: {f"t{task}": mean + float(random.normal(0, 0.002)) for task in range(12)}
        for name, mean in means.items()
    }
    board = rm.leaderboard(table)
    assert board.counts["separated"] == 3
    least = min(pair.difference for pair in board.pair_list())
    (line,) = (note for note in board.notes if "rare tasks" in note)
    gap = 20 ** (1 / 12) - 1
    assert (
        f"12 tasks tell no difference below {gap:.3g}, whatever the test (scores up to 1)" in line
    )
    assert "1 of the separated pairs differs by less" in line
    needed = math.ceil(math.log(20) / math.log(1 + least))
    assert f"would take {needed} tasks" in line
    in_percent = {name: {t: 100 * v for t, v in of.items()} for name, of in table.items()}
    (percent,) = (note for note in rm.leaderboard(in_percent).notes if "rare tasks" in note)
    assert f"no difference below {100 * gap:.3g}, whatever the test (scores up to 100)" in percent
    apart = {name: of for name, of in table.items() if name != "b"}
    assert not any("rare tasks" in note for note in rm.leaderboard(apart).notes)


def test_no_two_models_of_a_tier_are_separated_and_tiers_are_as_few_as_chains_allow() -> None:
    random = np.random.default_rng(3)
    for _ in range(50):
        totals = random.normal(size=7)
        told = random.random((7, 7)) < 0.4
        better = told & (totals[:, None] > totals)
        found = tiers(totals, better)
        assert all(found[one] < found[other] for one, other in np.argwhere(better))

        def longest(model: int, better: Any = better) -> int:
            return 1 + max(
                (longest(other) for other in np.flatnonzero(better[:, model])), default=0
            )

        assert found.tolist() == [longest(model) for model in range(7)]
        low, high = rank_intervals(better)
        assert (low <= high).all()


def test_letters_are_shared_by_models_that_are_not_separated() -> None:
    board = rm.leaderboard(TABLE)
    letters = board.letters()
    for pair in board.pair_list():
        assert pair.separated is not bool({*letters[pair.better]} & {*letters[pair.worse]})


def test_borda_counts_as_mteb_does() -> None:
    table = {"a": {"x": 1.0, "y": 0.0}, "b": {"x": 0.5, "y": 0.5}, "c": {"x": 0.5, "y": 0.9}}
    board = rm.leaderboard(table, by="borda", resamples=10)
    # Points in x: 2, 0.5, 0.5; in y: 0, 1, 2.
    assert {one.model: one.borda for one in board.standings} == {"c": 2.5, "a": 2.0, "b": 1.5}
    assert [one.model for one in board.standings] == ["c", "a", "b"]
    assert board["c"].mean_rank == pytest.approx((2.5 + 1) / 2)


def test_models_with_equal_means_share_a_rank() -> None:
    table = {"a": {"x": 0.1, "y": 0.7}, "b": {"x": 0.6, "y": 0.2}, "c": {"x": 0.0, "y": 0.0}}
    board = rm.leaderboard(table, resamples=10)
    assert [(one.model, one.rank) for one in board.standings] == [("a", 1), ("b", 1), ("c", 3)]
    assert board.headline == (
        "a and b share the first place of 3 models over 2 tasks; 1 other model may be first"
    )
    equal = {name: {"x": 0.5, "y": 0.7} for name in "abcdef"}
    assert rm.leaderboard(equal, resamples=10).headline == (
        "a, b, c and 3 others share the first place of 6 models over 2 tasks"
    )


def test_a_task_of_which_lower_is_better_is_turned_around_for_borda_alone() -> None:
    table = {"a": {"x": 0.9, "ms": 20.0}, "b": {"x": 0.5, "ms": 30.0}}
    board = rm.leaderboard(table, by="borda", lower_is_better="ms", resamples=10)
    assert board["a"].borda == 2.0
    assert board["b"].mean == 15.25
    with pytest.raises(InputError, match="1 of 2 tasks, and a mean of scores in both"):
        rm.leaderboard(table, lower_is_better="ms")
    with pytest.warns(rm.RankmarkWarning, match="'ms' has scores from 20 to 30"):
        all_lower = rm.leaderboard(table, lower_is_better=["x", "ms"], resamples=10)
    assert all_lower.standings[0].model == "a"
    assert all_lower["a"].mean == 10.45


def test_models_without_a_task_are_listed_without_a_rank() -> None:
    board = rm.leaderboard(without(("a", "t1"), ("a", "t5")))
    assert [one.model for one in board.ranked] == ["b", "c", "d", "e"]
    last = board.standings[-1]
    assert (last.model, last.rank, last.tasks, last.missing) == ("a", None, 6, ("t1", "t5"))
    said = "not ranked: 1 model without scores of all tasks (number of missing ones): a (2)"
    assert said in board.notes


def test_only_common_tasks_count_if_asked_for_and_the_others_are_named() -> None:
    board = rm.leaderboard(without(("a", "t1"), ("b", "t1"), ("a", "t5")), missing="common")
    assert board.dropped == {"t1": 2, "t5": 1}
    kept = {
        name: {task: value for task, value in of.items() if task not in {"t1", "t5"}}
        for name, of in TABLE.items()
    }
    assert board.to_dict()["models"] == rm.leaderboard(kept).to_dict()["models"]
    assert any("not counted: 2 tasks without scores of all models" in note for note in board.notes)


@pytest.mark.parametrize(
    ("table", "options", "said"),
    [
        (without(("a", "t1")), {"missing": "error"}, "1 of 5 models lacks scores"),
        ({"a": {"x": 1, "y": 1}, "b": {"x": 1, "z": 2}}, {}, "none of the 2 models has scores of"),
        ({"a": {"x": 1}, "b": {"y": 1}}, {"missing": "common"}, "no task has a score of every"),
        ({"a": {"x": 1, "y": 2}}, {}, "1 of 1 models can be ranked"),
        ({"a": {"x": 1}, "b": {"x": 2}}, {}, "there is one task"),
        (TABLE, {"over": "queries"}, "there are no scores by query"),
        (TABLE, {"tasks": ["t1", "t99"]}, "no model has a score of task 't99'"),
        (TABLE, {"lower_is_better": "t99"}, "which is no task"),
        (TABLE, {"languages": "eng"}, "folder of MTEB results"),
        (TABLE, {"by": "median"}, "by is 'median'"),
        ({}, {}, "table is {}"),
        ({"a": {"x": {"q1": 1}, "y": 2}, "b": {"x": {"q1": 1}, "y": 2}}, {}, "some scores are by"),
        ({"a": {"x": {"q1": 1}}, "b": {"x": {"q2": 1}}}, {}, "different queries of task 'x'"),
        ({"a": {"x": "good"}, "b": {"x": 1}}, {}, "the score of 'a' on 'x' is 'good'"),
        ({"a": {"x": math.inf}, "b": {"x": 1}}, {}, "the score of 'a' on 'x' is inf"),
    ],
)
def test_mistakes_are_refused(table: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as caught:
        rm.leaderboard(table, **options)
    assert said in str(caught.value)


def test_two_scores_of_a_model_on_a_task_are_refused() -> None:
    rows = [{"model": "a", "task": "x", "score": 1.0}] * 2
    with pytest.raises(DuplicateError, match="two scores of task 'x'"):
        rm.leaderboard(rows)


def test_a_summary_is_no_task() -> None:
    rows = [{"model": "a", "x": 1.0, "y": 1.0, "Mean (Task)": 1.0}]
    with pytest.raises(SchemaError, match="looks like a summary"):
        rm.leaderboard(rows)


def long_rows(table: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"model_name": name, "task_name": task, "main_score": value}
        for name, of in table.items()
        for task, value in of.items()
    ]


def wide_rows(table: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"model": name, **of} for name, of in table.items()]


def found_in(table: Any, **options: Any) -> dict[str, Any]:
    """Return what is found in a table, whatever its form."""
    return rm.leaderboard(table, **options).to_dict() | {"table": None}


@pytest.mark.slow
def test_every_form_of_a_table_gives_the_same_leaderboard(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    wanted = found_in(TABLE)
    wide, long = wide_rows(TABLE), long_rows(TABLE)
    frame = pd.DataFrame(wide)
    frame.to_csv(tmp_path / "w.csv", index=False)
    frame.to_csv(tmp_path / "w.tsv", index=False, sep="\t")
    frame.to_parquet(tmp_path / "w.parquet")
    pd.DataFrame(long).to_csv(tmp_path / "long.csv", index=False)
    (tmp_path / "w.json").write_text(json.dumps(TABLE))
    (tmp_path / "w.jsonl").write_text("".join(json.dumps(row) + "\n" for row in long))
    forms: list[Any] = [
        wide,
        long,
        frame,
        frame.set_index("model"),
        frame.set_index("model").rename_axis(None),
        pl.DataFrame(wide),
        pd.DataFrame(long),
        {name: [row[name] for row in wide] for name in wide[0]},
        [{"task": task, **{name: TABLE[name][task] for name in NAMES}} for task in TASKS],
        *(tmp_path / name for name in ("w.csv", "w.tsv", "w.parquet", "long.csv", "w.json")),
        tmp_path / "w.jsonl",
        io.StringIO((tmp_path / "w.csv").read_text()),
    ]
    for form in forms:
        assert found_in(form) == wanted, form


def test_what_was_read_is_named_and_hashed(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    file.write_text("model,x,y\na,1,2\nb,2,2\n")
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
    read = rm.leaderboard(file).to_dict()["table"]
    assert read == {"name": str(file), "sha256": sha256, "form": "file"}
    given = {"a": {"x": 1, "y": 2}, "b": {"x": 2, "y": 2}}
    assert rm.leaderboard(given).read == {"name": "<dict>", "sha256": None, "form": "mapping"}


@pytest.mark.parametrize(
    "table", [{"model": "a", "x": 1.0}, {"model": None, "x": None}, {"model": {"a"}, "x": {1}}]
)
def test_a_mapping_without_columns_is_no_table(table: Any) -> None:
    with pytest.raises(SchemaError, match="the table is"):
        rm.leaderboard(table)


def test_a_wide_table_without_any_of_the_tasks_says_which_it_has() -> None:
    with pytest.raises(InputError, match="score of task 't98'; choose from 't0', 't1', 't2'"):
        rm.leaderboard(wide_rows(TABLE), tasks=["t98", "t99"])


def test_columns_can_be_named() -> None:
    rows = [{"who": n, "what": t, "nDCG": v} for n, of in TABLE.items() for t, v in of.items()]
    columns = {"model": "who", "task": "what", "score": "nDCG"}
    assert found_in(rows, columns=columns) == found_in(TABLE)
    with pytest.raises(SchemaError, match="there is no column 'why'"):
        rm.leaderboard(rows, columns={"model": "why"})
    with pytest.raises(SchemaError, match="no column has a usual name for the model"):
        rm.leaderboard(rows)


def test_a_model_without_any_score_is_named() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"model": ["a", "b", "c"], "x": [1, 2, None], "y": [2, 3, None]})
    board = rm.leaderboard(frame)
    assert [one.model for one in board.ranked] == ["b", "a"]
    assert board.notes[-1] == "1 model has no score, left out: 'c'"
    assert found_in({"a": {"x": 1, "y": 2}, "b": {"x": 2, "y": 3}, "c": {"x": None}}) == found_in(
        {"a": {"x": 1, "y": 2}, "b": {"x": 2, "y": 3}}
    )


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([["a", 1, 2], ["b", 2, 3]], columns=["model", "x", "x"])
    with pytest.raises(SchemaError, match="two columns have the name 'x'; rename one"):
        rm.leaderboard(frame)
    pytest.importorskip("pyarrow")
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table([["a", "b"], [1, 2], [2, 3]], names=["model", "x", "x"])
    parquet.write_table(table, tmp_path / "twice.parquet")
    for given in (table, tmp_path / "twice.parquet"):
        with pytest.raises(SchemaError, match="two columns have the name 'x'"):
            rm.leaderboard(given)


def test_a_task_may_be_an_overall_one() -> None:
    rows = [
        {"model": "a", "x": 1, "Overall emotion": 1},
        {"model": "b", "x": 2, "Overall emotion": 2},
    ]
    assert "Overall emotion" in rm.leaderboard(rows).tasks
    with pytest.raises(SchemaError, match="'Overall score' looks like a summary"):
        rm.leaderboard(
            [{"model": "a", "x": 1, "Overall score": 2}, {"model": "b", "x": 2, "Overall score": 3}]
        )


def test_percents_and_commas_have_remedies() -> None:
    for written, remedy in (("71.3%", "without the percent sign"), ("1,5", "a decimal point")):
        with pytest.raises(SchemaError, match=remedy):
            rm.leaderboard([{"model": "a", "x": written}, {"model": "b", "x": 1}])


def test_scores_by_query_have_the_means_of_their_tasks() -> None:
    table = by_query()
    board, plain = rm.leaderboard(table), rm.leaderboard(TABLE)
    assert board.queries == 8 * 12
    assert [one.model for one in board.ranked] == [one.model for one in plain.ranked]
    assert (board.separated == plain.separated).all()
    rows = [
        {"model": n, "task": t, "query_id": q, "score": v}
        for n, of in table.items()
        for t, queries in of.items()
        for q, v in queries.items()
    ]
    assert found_in(rows) == board.to_dict() | {"table": None}


def test_other_queries_change_less_than_other_tasks_and_both_most() -> None:
    table = by_query()
    widths = {
        over: rm.leaderboard(table, over=over, resamples=500)["c"].high  # type: ignore[arg-type]
        - rm.leaderboard(table, over=over, resamples=500)["c"].low  # type: ignore[arg-type]
        for over in ("queries", "tasks", "both")
    }
    assert widths["queries"] < widths["tasks"] < widths["both"]


def test_evaluations_are_scores_by_query() -> None:
    qrels = {f"q{n}": {"x": 1} for n in range(6)}
    good = {f"q{n}": {"x": 2.0, "y": 1.0} for n in range(6)}
    bad = {f"q{n}": {"x": 1.0, "y": 2.0} for n in range(6)}
    runs = {"good": good, "bad": bad}
    given = {
        name: {task: rm.evaluate(qrels, run, "RR") for task in ("one", "two")}
        for name, run in runs.items()
    }
    board = rm.leaderboard(given, over="queries", resamples=50)
    assert board["good"].mean == 1.0
    assert board["bad"].mean == 0.5
    given["bad"]["two"] = rm.evaluate(qrels, bad, ["RR", "AP"])
    with pytest.raises(InputError, match="has 2 measures"):
        rm.leaderboard(given)


def test_a_few_tasks_cannot_separate_anything_and_the_notes_say_so() -> None:
    few = {name: {task: of[task] for task in TASKS[:3]} for name, of in TABLE.items()}
    board = rm.leaderboard(few)
    assert board.counts["separated"] == 0
    assert any("3 tasks are too few to separate any two models" in note for note in board.notes)
    assert all(math.isnan(pair.low) and pair.p > 0.05 for pair in board.pair_list())


def test_the_seed_and_the_order_of_the_table_are_all_that_matter() -> None:
    board = rm.leaderboard(TABLE, seed=3)
    assert rm.leaderboard(TABLE, seed=3, threads=2).to_dict() == board.to_dict()
    assert rm.leaderboard(TABLE, seed=4)["a"].first != board["a"].first


def test_a_leaderboard_travels_as_pickle_json_and_frames() -> None:
    board = rm.leaderboard(without(("a", "t1")))
    again = pickle.loads(pickle.dumps(board))
    assert again.to_dict(pairs=True) == board.to_dict(pairs=True)
    assert json.loads(board.to_json(pairs=True))["pairs"][0]["better"] == "b"
    frame = board.to_pandas()
    assert frame["rank"].tolist()[:4] == [1, 2, 3, 4]
    assert board.pairs().to_csv().splitlines()[0] == (
        "better,worse,difference,low,high,p,separated,"
        "tasks_ahead,tasks_behind,sign_p,ahead_on_more,wins"
    )
    assert "b" in board._repr_html_()


def test_text_has_the_headline_first_and_what_is_not_shown_last() -> None:
    board = rm.leaderboard(TABLE)
    text = board.to_text(top=2)
    assert text.startswith(board.headline)
    assert "3 more models are not shown" in text
    assert board.to_markdown().startswith("| model | rank |")
    assert r"\label{tab:leaderboard}" in board.to_latex()


@pytest.mark.slow
def test_a_plot_has_a_row_for_each_model_shown() -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert rm.leaderboard(TABLE).plot(top=3, ax=ax) is ax
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "c"]
