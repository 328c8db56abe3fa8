"""The examples do what they say, on data made here and on MovieLens."""

import doctest
import runpy
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from unit.test_documentation import examples_of, run_examples

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def movielens() -> dict[str, Any]:
    """Give what the example defines."""
    return runpy.run_path(str(ROOT / "examples" / "movielens.py"))


@pytest.fixture
def made_up(tmp_path: Path) -> Path:
    """Write ratings of 60 users, each of whom likes the films of one genre of four.

    Every fifth user has rated many.
    """
    rng = np.random.default_rng(0)
    path = tmp_path / "ratings.csv"
    with path.open("w", encoding="utf-8") as file:
        file.write("userId,movieId,rating,timestamp\n")
        for user in range(1, 61):
            films = rng.choice(np.arange(user % 4, 120, 4), 15, replace=False)
            if user % 5 == 0:
                films = np.append(films, rng.choice(np.arange(120, 190), 40, replace=False))
            for time, film in enumerate(
                [*films, *rng.choice(np.arange(200, 230), 5, replace=False)]
            ):
                file.write(f"{user},{10 * film},{4.5 if film < 200 else 2.0},{time % 17}\n")
    return path


@pytest.fixture
def published(shared_data: Path) -> Path:
    """Give MovieLens' ratings, or skip."""
    path = shared_data / "movielens-small" / "ratings.csv"
    if not path.is_file():
        pytest.skip(f"MovieLens is not here ({path} is no file)")
    return path


@pytest.fixture(params=["made_up", "published"])
def ratings(request: pytest.FixtureRequest) -> Path:
    """Give one file of ratings after the other."""
    path: Path = request.getfixturevalue(request.param)
    return path


@pytest.mark.slow
def test_four_forms_of_the_same_recommendations_score_the_same(
    movielens: dict[str, Any], ratings: Path
) -> None:
    data = movielens["read"](ratings)
    for name in ("popularity", "neighbours"):
        top = movielens["recommend"](movielens[name](data.seen), data.seen)
        evaluations = movielens["evaluate"](data, top)
        assert set(evaluations) == {"arrays", "scipy.sparse", "Polars", "pandas"}
        assert len({evaluation.scores.tobytes() for evaluation in evaluations.values()}) == 1, name


@pytest.mark.slow
def test_a_film_that_was_seen_is_never_recommended(
    movielens: dict[str, Any], ratings: Path
) -> None:
    data = movielens["read"](ratings)
    seen = data.seen.toarray()
    for name in ("popularity", "neighbours"):
        top = movielens["recommend"](movielens[name](data.seen), data.seen)
        assert not np.take_along_axis(seen, top.films, axis=1).any(), name


@pytest.mark.slow
def test_what_is_held_out_is_later_than_what_was_seen(
    movielens: dict[str, Any], ratings: Path
) -> None:
    data = movielens["read"](ratings)
    times = {}
    for line in ratings.read_text("utf-8").splitlines()[1:]:
        user, film, _, time = line.split(",")
        times[int(user), int(film)] = int(time)
    for row, user in enumerate(data.users):
        earlier, later = (
            [times[user, data.films[column]] for column in matrix[[row]].tocoo().col]
            for matrix in (data.seen, data.truth)
        )
        assert max(earlier) <= min(later), user


@pytest.mark.slow
def test_neighbours_recommend_better_than_popularity(
    movielens: dict[str, Any], ratings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    movielens["main"](ratings)
    printed = capsys.readouterr().out
    assert printed.count("all four are identical") == 2
    means = {
        name: [float(word) for word in words]
        for name, form, *words in (line.split() for line in printed.splitlines() if line)
        if form == "arrays"
    }
    assert len(means["popularity"]) == 4
    pairs = zip(means["popularity"], means["neighbours"], strict=True)
    assert all(popular < near for popular, near in pairs)


def example(name: str) -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "examples" / f"{name}.py"))


def test_documents_of_a_rag_system_stand_where_their_best_chunks_do(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rag = example("rag_evaluation")
    ev = rag["main"]()
    printed = capsys.readouterr().out
    assert "rows left out as duplicates: 28" in printed
    assert "q4: how long is the warranty of the machine?" in printed
    assert ev.per_query("RR@10")["q4"] == 0.25
    chunks = rag["cut"](rag["DOCUMENTS"])
    hits = [[{"corpus_id": place, "score": -float(place)} for place in (3, 0, 1)]] * 6
    pairs = rag["by_document"](hits, chunks)["q1"]
    assert pairs == [("shipping", -3.0), ("returns", 0.0), ("returns", -1.0)]


def test_chunkers_are_compared_by_the_spans_that_answer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    chunking = example("chunking")
    for query, spans in chunking["gold"]().items():
        texts = [chunking["DOCUMENTS"][document][start:end] for document, start, end in spans]
        assert texts == chunking["QUESTIONS"][query][1]
    found = chunking["main"]()
    assert list(found) == ["paragraphs", "windows", "overlapping"]
    printed = capsys.readouterr().out
    assert "overlapping: 20 chunks" in printed
    assert "SpanPrecision@3: windows minus paragraphs" in printed
    assert printed.count("StRecall@3") == 3
    # A window has fewer characters around the answer than a whole paragraph does.
    assert found["windows"]["SpanPrecision@3"] > found["paragraphs"]["SpanPrecision@3"]
    assert all(0.8 < one["SpanRecall@3"] <= 1 for one in found.values())


def test_chunks_are_refused_mapped_compared_and_put_through_a_gate(
    capsys: pytest.CaptureFixture[str],
) -> None:
    steps = example("chunks_to_documents")
    compared, gate = steps["main"]()
    printed = capsys.readouterr().out
    assert "document 'bread-01' appears twice for query 'q01'" in printed
    assert "no document that it holds is judged for its query: it has 'c1'" in printed
    assert "units -> " in printed
    assert [*compared.evaluations] == ["whole", "sentences", "pairs"]
    whole, sentences, pairs = compared.evaluations.values()
    assert whole.audit.units_per_document == 1.0
    assert pairs.audit.units_per_document > sentences.audit.units_per_document > 1
    assert all((one.scores <= 1).all() for one in compared.evaluations.values())
    assert gate.verdict == "cannot tell"
    # Documents that are ranked by hand, by their best chunk, have the same value.
    best: dict[str, dict[str, float]] = {}
    hits = steps["search"](steps["sentences"])
    for hit in hits:
        of_query = best.setdefault(hit["query_id"], {})
        of_query[hit["doc_id"]] = max(hit["score"], of_query.get(hit["doc_id"], hit["score"]))
    by_hand = rm.evaluate(steps["QRELS"], best, "nDCG@5")
    mapped = rm.evaluate(steps["QRELS"], hits, "nDCG@5", run_columns=steps["OF_HITS"])
    assert mapped.scores.tobytes() == by_hand.scores.tobytes()


def test_an_agent_that_searches_again_finds_more_and_reads_more(
    capsys: pytest.CaptureFixture[str],
) -> None:
    agents = example("agent_searches")["main"]()
    printed = capsys.readouterr().out
    assert "recall after each search:" in printed
    assert "R: patient minus once +" in printed
    recall = [row["R"] for row in agents["patient"].curve.to_dict()["rows"]]
    assert recall[0] < recall[1] < recall[2] == agents["patient"]["R"]
    costs = {name: agent.total_costs() for name, agent in agents.items()}
    assert costs["patient"]["words"] > costs["once"]["words"]
    assert agents["patient"].ways["best"]["nDCG@5"] >= agents["patient"].ways["last"]["nDCG@5"]


def test_a_model_is_measured_after_each_epoch(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    history = example("training_loop")["main"]()
    assert len(history) == len(capsys.readouterr().out.splitlines()) == 5
    assert history[-1]["nDCG@10"] > history[0]["nDCG@10"] + 0.1


def test_a_policy_learns_from_its_rewards(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    history = example("reward_loop")["main"]()
    assert len(capsys.readouterr().out.splitlines()) == 7
    (first_reward, first), *_, (last_reward, last) = history
    assert last_reward > first_reward + 0.3
    assert last > max(first, 0.5) + 0.2


@pytest.mark.parametrize("name", ["training_loop", "reward_loop"])
def test_without_torch_a_training_loop_says_what_to_install(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(SystemExit, match="this example needs torch: pip install torch"):
        example(name)["main"]()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning:lightgbm")
def test_a_ranker_is_measured_as_lightgbm_measures_it(capsys: pytest.CaptureFixture[str]) -> None:
    alone, learned = example("learning_to_rank")["main"]()
    last = capsys.readouterr().out.splitlines()[-1].split()
    own, same = last[3].rstrip(",;"), last[-1]
    assert own == same
    assert all(
        low < high for low, high in zip(tuple(alone.values()), tuple(learned.values()), strict=True)
    )


@pytest.fixture(scope="module")
def recommender() -> dict[str, Any]:
    """Give what the example defines."""
    return runpy.run_path(str(ROOT / "examples" / "recommender.py"))


@pytest.mark.slow
def test_a_recommenders_lists_and_frames_score_as_dicts_of_the_same_do(
    recommender: dict[str, Any],
) -> None:
    train, test = recommender["split"](recommender["made_up_log"]())
    gold = test.groupby("user_id")["item_id"].agg(list)
    lists, frame = recommender["popular"](train), recommender["bought_together"](train)
    scored: dict[Any, dict[Any, float]] = {}
    for user, item, score in frame.itertuples(index=False):
        scored.setdefault(user, {})[item] = score
    for given, plain in ((lists, lists.to_dict()), (frame, scored)):
        ours = rm.evaluate(gold, given, recommender["MEASURES"])
        theirs = rm.evaluate(gold.to_dict(), plain, recommender["MEASURES"])
        assert ours.scores.tobytes() == theirs.scores.tobytes()
        assert ours.audit.averaged == train["user_id"].nunique()


@pytest.mark.slow
def test_what_a_user_has_is_not_recommended_and_what_is_held_out_is_later(
    recommender: dict[str, Any],
) -> None:
    train, test = recommender["split"](recommender["made_up_log"]())
    latest, first = (
        train.groupby("user_id")["timestamp"].max(), test.groupby("user_id")["timestamp"].min(),
    )  # fmt: skip
    assert (latest < first).all()
    has = set(zip(train["user_id"], train["item_id"], strict=True))
    assert not has & {
        (user, item) for user, items in recommender["popular"](train).items() for item in items
    }
    together = recommender["bought_together"](train)
    assert not has & set(zip(together["user_id"], together["item_id"], strict=True))
    assert together.groupby("user_id").size().max() == recommender["DEPTH"]


@pytest.mark.slow
@pytest.mark.parametrize("given", [False, True])
def test_what_is_bought_together_is_recommended_better_than_what_sells(
    recommender: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str], given: bool
) -> None:
    path = tmp_path / "log.csv"
    recommender["made_up_log"](seed=1).to_csv(path, index=False)
    recommender["main"](path if given else None)
    printed = capsys.readouterr().out.splitlines()
    popular, together = (
        list(map(float, next(line for line in printed if line.startswith(name)).split()[-4:]))
        for name in ("popular", "bought together")
    )
    assert all(less < more for less, more in zip(popular, together, strict=True))
    assert any("users, " in line and " gain and " in line for line in printed)


def page_of_recommenders() -> doctest.DocTest:
    return examples_of(ROOT / "docs" / "how-to" / "recommender.md")


def test_the_page_of_recommenders_runs_on_other_ratings(
    made_up: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made_up.parent)
    found: dict[str, Any] = {}
    for example in page_of_recommenders().examples:
        exec(example.source, found)
    compared, train, runs = (found[name] for name in ("compared", "train", "runs"))
    had = {user: {*items} for user, items in train.groupby("user").item}
    assert not any(had[user] & {*items} for run in runs.values() for user, items in run.items())
    ratings = found["ratings"]
    is_test = ratings.index.isin(found["test"].index)
    first, last = (ratings[rows].groupby("user").time for rows in (is_test, ~is_test))
    assert (first.min() >= last.max()).all()
    assert list(compared["neighbours"]) == found["asked"][:4]
    assert compared["neighbours"]["nDCG@10"] > compared["popularity"]["nDCG@10"]
    assert found["ax"].get_xlabel() == "MIUF@10"
    assert [one.name for one in found["decision"].conditions] == ["nDCG@10", "ItemCoverage@10"]


@pytest.mark.slow
def test_the_page_of_recommenders_shows_what_it_prints(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(published, tmp_path)
    monkeypatch.chdir(tmp_path)
    run_examples(page_of_recommenders())
