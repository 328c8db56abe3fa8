"""Which columns and rows of a table are tasks and models, in every form of the table."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.errors import SchemaError
from rankmark.verbs.leaderboard.model_scores import ModelScores
from rankmark.verbs.leaderboard.plausible_tasks import is_no_model, is_no_task, only_tasks

Board = dict[str, dict[str, float]]
SHARES: Board = {
    "a": {"t1": 0.9, "t2": 0.8, "t3": 0.85},
    "b": {"t1": 0.8, "t2": 0.7, "t3": 0.7},
    "c": {"t1": 0.7, "t2": 0.75, "t3": 0.6},
    "d": {"t1": 0.5, "t2": 0.4, "t3": 0.5},
    "e": {"t1": 0.1, "t2": 0.2, "t3": 0.15},
}
PERCENTS: Board = {
    model: {task: round(100 * score, 1) for task, score in of.items()}
    for model, of in SHARES.items()
}


def beside(board: Board, name: str, values: list[float]) -> Board:
    """Add a column."""
    return {
        model: {**of, name: value} for (model, of), value in zip(board.items(), values, strict=True)
    }


def rows_of(board: Board) -> list[dict[str, Any]]:
    return [{"model": model, **of} for model, of in board.items()]


def long_of(board: Board) -> list[dict[str, Any]]:
    return [
        {"model": model, "task": task, "score": score}
        for model, of in board.items()
        for task, score in of.items()
    ]


def columns_of(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def written(rows: list[dict[str, Any]], path: Path) -> Path:
    names = ["" if name == "model" and "index" in path.name else name for name in rows[0]]
    lines = [names, *([str(value) for value in row.values()] for row in rows)]
    path.write_text("".join(",".join(line) + "\n" for line in lines))
    return path


def as_parquet(board: Board, path: Path) -> Path:
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet").write_table(
        pyarrow.table(columns_of(rows_of(board))), path / "t.parquet"
    )
    return path / "t.parquet"


def as_frame(board: Board, _: Path) -> Any:
    return pytest.importorskip("pandas").DataFrame(rows_of(board))


def as_folder(board: Board, path: Path) -> Path:
    for model, of in board.items():
        (path / "mteb" / model / "r1").mkdir(parents=True)
        for task, score in of.items():
            entry = {"main_score": score, "languages": ["eng-Latn"]}
            content = {"task_name": task, "scores": {"test": [entry]}}
            (path / "mteb" / model / "r1" / f"{task}.json").write_text(json.dumps(content))
    return path / "mteb"


def in_file(name: str, text: Callable[[Board], str]) -> Callable[[Board, Path], Path]:
    def write(board: Board, path: Path) -> Path:
        (path / name).write_text(text(board))
        return path / name

    return write


FORMS: dict[str, Callable[[Board, Path], Any]] = {
    "mapping": lambda board, _: board,
    "rows": lambda board, _: rows_of(board),
    "long rows": lambda board, _: long_of(board),
    "columns": lambda board, _: columns_of(rows_of(board)),
    "frame": as_frame,
    "frame by index": lambda board, path: as_frame(board, path).set_index("model"),
    "CSV": lambda board, path: written(rows_of(board), path / "t.csv"),
    "CSV without a name of the index": lambda board, path: written(
        rows_of(board), path / "index.csv"
    ),
    "long CSV": lambda board, path: written(long_of(board), path / "long.csv"),
    "nested JSON": in_file("n.json", json.dumps),
    "JSON rows": in_file("r.json", lambda board: json.dumps(rows_of(board))),
    "JSON Lines": in_file(
        "l.jsonl", lambda board: "".join(json.dumps(row) + "\n" for row in long_of(board))
    ),
    "Parquet": as_parquet,
    "folder": as_folder,
}

REFUSED: dict[str, tuple[Board, str]] = {
    "Average": (beside(SHARES, "Average", [0.85, 0.73, 0.68, 0.47, 0.15]), "'Average' looks like"),
    "Mean (Task)": (beside(PERCENTS, "Mean (Task)", [85, 73, 68, 47, 15]), "looks like a summary"),
    "Params": (beside(SHARES, "Params", [7e9, 1e9, 3e8, 3e8, 9e9]), "'Params' looks like"),
    "Max Tokens": (beside(PERCENTS, "Max Tokens", [512, 512, 512, 512, 8192]), "'Max Tokens'"),
    "Memory (MB)": (beside(PERCENTS, "Memory (MB)", [90, 90, 90, 90, 99]), r"'Memory \(MB\)'"),
    "seed": (beside(PERCENTS, "seed", [42, 42, 42, 42, 43]), "'seed' looks like"),
    "std": (beside(SHARES, "t1_std", [0.01, 0.02, 0.01, 0.3, 0.9]), "'t1_std' looks like"),
    "Rank": (beside(PERCENTS, "Rank", [1, 2, 3, 4, 5]), "'Rank' looks like"),
    "places": (beside(PERCENTS, "place", [2, 1, 3, 4, 5]), "'place' looks like"),
    "index out of order": (beside(SHARES, "index", [0.4, 0.3, 0.2, 0.1, 0.9]), "'index' looks"),
    "flags": (beside(SHARES, "Zero-shot", [1, 0, 1, 1, 0]), "'Zero-shot' looks like"),
    "bounds": (beside(SHARES, "t1_ci_low", [0.88, 0.78, 0.68, 0.48, 0.08]), "'t1_ci_low' looks"),
    "spread": (beside(SHARES, "t1 (std)", [0.01, 0.02, 0.01, 0.3, 0.9]), r"'t1 \(std\)' looks"),
    "a mean by another name": (
        beside(PERCENTS, "Score", [85.0, 73.33, 68.33, 46.67, 15.0]),
        "'Score' looks like a summary",
    ),
    "another scale": (beside(SHARES, "x", [12, 10, 11, 20, 500]), "'x' has scores from 10 to 500"),
    "beyond percents": (beside(PERCENTS, "x", [384, 384, 768, 768, 4096]), "from 384 to 4096"),
    "a task in percent": (
        beside(SHARES, "t4", [90, 80, 70, 50, 10]),
        "and the other tasks from 0.1 to 0.9",
    ),
    "a score in percent": (
        SHARES | {"e": {"t1": 0.1, "t2": 20.0, "t3": 0.15}},
        "the score of 'e' on 't2' is 20 where others are at most 0.8: is it in percent",
    ),
    "a model in percent": (SHARES | {"e": PERCENTS["e"]}, "the score of 'e' on 't1' is 10 where"),
    "a model in shares": (PERCENTS | {"c": SHARES["c"]}, "the score of 'c' on 't1' is 0.7 where"),
    "a row of means": (
        SHARES | {"Average": {"t1": 0.6, "t2": 0.57, "t3": 0.56}},
        "'Average' looks like a summary, and not like a model",
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_same_table_counts_the_same_in_every_form(form: str, tmp_path: Path) -> None:
    for board in (SHARES, PERCENTS):
        folder = tmp_path / str(board is SHARES)
        folder.mkdir()
        wanted = [(one.model, one.mean) for one in rm.leaderboard(board, resamples=10).standings]
        found = rm.leaderboard(FORMS[form](board, folder), resamples=10).standings
        assert [(one.model, one.mean) for one in found] == wanted


@pytest.mark.parametrize("form", FORMS)
def test_what_is_no_task_or_no_model_is_refused_in_every_form(form: str, tmp_path: Path) -> None:
    for at, (board, message) in enumerate(REFUSED.values()):
        folder = tmp_path / str(at)
        folder.mkdir()
        with pytest.raises(SchemaError, match=message):
            rm.leaderboard(FORMS[form](board, folder), resamples=10)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["Unnamed: 0", "index"])
def test_a_column_that_counts_rows_is_left_out_and_said(
    form: str, name: str, tmp_path: Path
) -> None:
    board = beside(SHARES, name, [0, 1, 2, 3, 4])
    found = rm.leaderboard(FORMS[form](board, tmp_path), resamples=10)
    assert found.tasks == ("t1", "t2", "t3")
    assert f"left out, as it counts the rows: '{name}'" in found.notes


def test_tasks_that_are_named_count_and_scales_are_told() -> None:
    with pytest.warns(rm.RankmarkWarning, match="'Params' has scores from 3e"):
        found = rm.leaderboard(REFUSED["Params"][0], tasks=["t1", "Params"], resamples=10)
    assert found.tasks == ("t1", "Params")
    named = rm.leaderboard(REFUSED["Average"][0], tasks=["t1", "t2", "t3"], resamples=10)
    assert [one.model for one in named.standings] == list("abcde")


def test_one_share_among_percents_is_told() -> None:
    board = PERCENTS | {"c": {"t1": 70.0, "t2": 0.75, "t3": 60.0}}
    with pytest.warns(rm.RankmarkWarning, match="the score of 'c' on 't2' is 0.75 where"):
        rm.leaderboard(board, resamples=10)


def test_names_of_tasks_and_models_pass() -> None:
    tasks = ["MeaningBERT", "RankingTask", "STS12", "Summ.", "date", "memory", "NQ (dev)", "count"]
    assert [task for task in tasks if is_no_task(task)] == []
    models = ["average_word_embeddings_glove.6B.300d", "all-MiniLM-L6-v2", "mean-pool", "Maximus"]
    assert [model for model in models if is_no_model(model)] == []
    for name in (
        "Retrieval Average (15 datasets)",
        "Number of Parameters (B)",
        "acc_stderr",
        "AVG",
    ):
        assert is_no_task(name)


def boards(count: int) -> Iterator[tuple[np.ndarray[Any, Any], bool]]:
    """Draw boards as benchmarks have them: hard and easy tasks, good and bad models, zeros."""
    rng = np.random.default_rng(7)
    for _ in range(count):
        tasks, models = rng.integers(2, 60), rng.integers(2, 40)
        hard = rng.normal(0.3, 1.2, tasks)
        hard[0] -= 3.0 * (rng.random() < 0.3)
        skill = rng.normal(0, 0.5, models) + rng.normal(0, 0.3, (tasks, models))
        scores = np.round(1 / (1 + np.exp(-(hard[:, None] + skill))), 4)
        scores[rng.random(scores.shape) < 0.01] = 0.0
        missing = rng.random(scores.shape) < rng.choice([0.0, 0.1])
        missing[:, 0] = False
        scale = rng.choice([1.0, 100.0])
        yield np.where(missing, np.nan, np.round(scale * scores, 4)), bool(rng.random() < 0.8)


def test_no_board_as_benchmarks_have_them_is_refused() -> None:
    for scores, by_mean in boards(120):
        tasks, models = scores.shape
        names = [f"m{at}" for at in range(models)], [f"t{at}" for at in range(tasks)]
        by_query = [row[None] for row in scores]
        given = ModelScores(*names, scores, by_query, False, [], {"name": "board"})
        assert only_tasks(given, named=False, lower=(), by_mean=by_mean) is given


def test_tasks_that_are_alike_are_no_means_of_each_other() -> None:
    generator = np.random.default_rng(4)
    names = [f"t{at}" for at in range(6)]
    for decimals in (1, 2, 3):
        for _ in range(60):
            models = generator.uniform(30, 80, 5)
            scores = np.round(models + generator.normal(0, 1, (6, 5)), decimals)
            board = {
                str(at): dict(zip(names, column, strict=True))
                for at, column in enumerate(scores.T.tolist())
            }
            assert rm.leaderboard(board, resamples=2).tasks == (*names,)
