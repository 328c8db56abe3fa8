"""Runs compared on queries that were drawn by traffic: every draw counts as a query of its own."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from rankmark.errors import InputError
from unit.commands import rankmark_here

QRELS = {f"q{n:02}": {"a": 1} for n in range(15)}
RUNS = {
    name: {
        q: {"a": 1.0, "b": (n * step) % 2, "c": (n * step) % 3 - 0.5} for n, q in enumerate(QRELS)
    }
    for name, step in (("old", 1.0), ("new", 0.7))
}
DRAWS = {query: n % 4 for n, query in enumerate(QRELS)}


def repeated(of: dict[str, Any]) -> dict[str, Any]:
    """Return what a query has once for each time that it was drawn, under other ids."""
    return {
        f"{query} {number}": of[query] for query, count in DRAWS.items() for number in range(count)
    }


@pytest.mark.parametrize("test", ["t", "randomisation", "wilcoxon"])
def test_draws_are_compared_as_that_many_queries(test: Any) -> None:
    found = rm.compare(QRELS, RUNS, ["RR", "P@1"], test=test, draws=DRAWS)
    runs = {name: repeated(run) for name, run in RUNS.items()}
    wanted = rm.compare(repeated(QRELS), runs, ["RR", "P@1"], test=test)
    assert len(found.queries) == sum(DRAWS.values()) == 21
    for one, other in zip(found.differences, wanted.differences, strict=True):
        assert one.n == other.n
        for name in ("difference", "low", "high", "p", "adjusted_p", "wins", "losses"):
            assert getattr(one, name) == pytest.approx(
                getattr(other, name), abs=1e-12, nan_ok=True
            ), name
    for one, other in zip(found.leaderboard, wanted.leaderboard, strict=True):
        assert (one.mean, one.low, one.high) == pytest.approx(
            (other.mean, other.low, other.high), abs=1e-12, nan_ok=True
        )


def test_draws_are_said_and_kept_in_slices() -> None:
    by = {query: "even" if n % 2 == 0 else "odd" for n, query in enumerate(QRELS)}
    found = rm.compare(QRELS, RUNS, "RR", draws=DRAWS, by=by)
    drawn = {query: count for query, count in DRAWS.items() if count}
    assert found.settings["draws"] == drawn
    assert "21 draws of 11 queries, each of which counts once" in found.to_text(verbose=True)
    sizes = {name: len(one.queries) for name, one in found.slices.items()}
    assert sizes == {
        name: sum(count for query, count in DRAWS.items() if by[query] == name)
        for name in ("even", "odd")
    }
    assert rm.compare(QRELS, RUNS, "RR").settings["draws"] is None


def test_scores_from_elsewhere_take_draws_too() -> None:
    scores = {
        name: {query: n / 20 + step * (n % 3) / 10 for n, query in enumerate(QRELS)}
        for name, step in (("a", 0.0), ("b", 1.0))
    }
    found = rm.compare_scores(scores, draws=DRAWS).differences[0]
    wanted = rm.compare_scores({name: repeated(one) for name, one in scores.items()}).differences[0]
    assert (found.n, found.difference, found.p) == pytest.approx(
        (wanted.n, wanted.difference, wanted.p)
    )


@pytest.mark.parametrize("other", ["weights", "clusters"])
def test_draws_take_the_place_of_weights_and_clusters(other: str) -> None:
    with pytest.raises(InputError, match=f"draws and {other} are given"):
        rm.compare(QRELS, RUNS, "RR", draws=DRAWS, **{other: dict.fromkeys(QRELS, 1)})  # type: ignore[arg-type]


def test_the_command_takes_a_plan(tmp_path: Path) -> None:
    example = Path(rm.__file__).parent / "example"
    qrels, old, new = (str(example / name) for name in ("qrels.txt", "bm25.run", "lsa.run"))
    plan = tmp_path / "plan.csv"
    plan.write_text("query_id,to_judge,draws\n" + "".join(f"q{n:02},true,2\n" for n in (1, 5, 9)))
    done = rankmark_here(
        "compare", qrels, old, new, "-m", "RR", "--draws", str(plan), "--format", "json"
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["settings"]["draws"] == {"q01": 2, "q05": 2, "q09": 2}


@pytest.mark.parametrize("number", [math.inf, 1e300, -1, 0.5])
def test_draws_that_are_no_number_of_draws_are_refused(number: float) -> None:
    with pytest.raises(rm.InputError, match="for query 'q1'; need a whole number from 0 to"):
        rm.compare(QRELS, RUNS, "RR", draws={**DRAWS, "q1": number})
