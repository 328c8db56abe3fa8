"""Folders of results as MTEB writes them."""

import json
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from rankmark.errors import InputError, ParseError


def entry(score: float, *languages: str, subset: str = "default") -> dict[str, Any]:
    return {"hf_subset": subset, "languages": [*languages], "main_score": score, "ndcg_at_10": 0.1}


def write(root: Path, path: str, splits: dict[str, Any], version: str = "2.1.0") -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    content = {"task_name": file.stem, "mteb_version": version, "scores": splits}
    file.write_text(json.dumps(content))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for model, up in (("org__large", 0.2), ("org__small", 0.0)):
        for task, score in (("SciFact", 0.5), ("STS17", 0.6)):
            entries = [entry(score + up, "eng-Latn")]
            if task == "STS17":
                entries.append(entry(0.1, "eng-Latn", "deu-Latn", subset="en-de"))
            write(
                tmp_path, f"results/{model}/abc/{task}.json", {"test": entries, "dev": entries[:1]}
            )
        (tmp_path / "results" / model / "abc" / "model_meta.json").write_text("{}")
    return tmp_path


def test_a_score_is_the_mean_of_the_main_scores_of_splits_and_subsets(folder: Path) -> None:
    board = rm.leaderboard(folder, resamples=10)
    assert board.tasks == ("STS17", "SciFact")
    assert [one.model for one in board.standings] == ["org/large", "org/small"]
    sts = (0.8 + 0.1 + 0.8) / 3
    assert board["org/large"].mean == pytest.approx((0.7 + sts) / 2)


def test_a_folder_is_hashed_by_the_files_that_were_read(folder: Path) -> None:
    before = rm.leaderboard(folder, resamples=10).read
    assert (before["name"], before["form"]) == (str(folder), "folder")
    file = folder / "results/org__small/abc/SciFact.json"
    content = json.loads(file.read_text())
    file.write_text(json.dumps(content | {"mteb_version": "2.1.1"}))
    assert rm.leaderboard(folder, resamples=10).read["sha256"] != before["sha256"]
    only = rm.leaderboard(folder, tasks=["STS17", "SciFact"], resamples=10).read
    file.with_name("Other.json").write_text("{}")
    again = rm.leaderboard(folder, tasks=["STS17", "SciFact"], resamples=10).read
    assert again == only


def test_languages_and_splits_choose(folder: Path) -> None:
    board = rm.leaderboard(folder, languages="eng", splits=["test"], resamples=10)
    assert board["org/large"].mean == pytest.approx((0.7 + 0.8) / 2)
    with pytest.raises(InputError, match="no results in this folder of languages 'fra'"):
        rm.leaderboard(folder, languages="fra")


def test_the_newest_revision_counts_and_the_notes_say_so(folder: Path) -> None:
    old, new = {"test": [entry(0.0, "eng-Latn")]}, {"test": [entry(1.0, "eng-Latn")]}
    write(folder, "results/org__large/def/SciFact.json", new, "2.10.0")
    write(folder, "results/org__large/external/SciFact.json", old, "9.0.0")
    board = rm.leaderboard(folder, resamples=10, tasks=["SciFact", "STS17"])
    assert board.scores[0, 0] == 1.0
    assert any("1 models have several revisions" in note for note in board.notes)


def test_old_files_by_split_and_subset_are_read(tmp_path: Path) -> None:
    for model, score in (("a", 0.5), ("b", 0.4)):
        for task in ("X", "Y"):
            file = tmp_path / model / f"{task}.json"
            file.parent.mkdir(exist_ok=True)
            by_subset = {"en": {"main_score": score}, "de": {"main_score": score + 0.2}}
            content = {"mteb_dataset_name": task, "test": by_subset, "dataset_revision": "1"}
            file.write_text(json.dumps(content))
    board = rm.leaderboard(tmp_path, resamples=10)
    assert board["a"].mean == pytest.approx(0.6)


def test_files_that_hold_no_results_are_named(folder: Path) -> None:
    (folder / "results/org__large/abc/Other.json").write_text("[]")
    board = rm.leaderboard(folder, resamples=10)
    assert any("1 files hold no results of a task" in note for note in board.notes)
    (folder / "results/org__large/abc/Other.json").write_text("{")
    with pytest.raises(ParseError, match="not valid JSON"):
        rm.leaderboard(folder)


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no results in this folder"):
        rm.leaderboard(tmp_path)
