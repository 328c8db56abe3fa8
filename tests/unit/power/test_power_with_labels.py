"""How many queries people have to judge if a model judged all."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import rankmark as rm
from rankmark.commands.app import app
from rankmark.errors import InputError
from rankmark.statistics.label_planning import labels_for_difference
from unit.estimate.test_estimate import MODEL, PEOPLE, RUNS, write_files

OLD, NEW = RUNS["old"], RUNS["new"]


def planned(**choices: Any) -> rm.PowerAnalysis:
    given = {"difference": 0.05, "judge": MODEL, "half_width": 0.03, "resamples": 10, **choices}
    return rm.power(PEOPLE, OLD, NEW, "nDCG@10", **given)


def test_the_numbers_are_those_of_estimate() -> None:
    row = planned()["nDCG@10"]
    found = rm.estimate(PEOPLE, MODEL, RUNS, "nDCG@10").difference()
    assert (row.effective_n, row.correlation) == (found.effective_n, found.found.correlation)
    assert (row.n, row.others) == (found.found.n, found.found.others)
    assert (row.half_width_with_model, row.half_width_alone) == found.labels_for(0.03)
    expected = labels_for_difference(0.05, row.spread, row.correlation, queries=len(MODEL))
    assert row.required_with_model == expected.with_model
    assert row.required_queries == expected.alone


def test_what_people_show_alone_does_not_depend_on_the_model() -> None:
    with_model, alone = planned(), planned(judge=None)
    names = ("n", "observed", "low", "high", "spread", "required_queries", "half_width_alone")
    for name in names:
        found = [getattr(one["nDCG@10"], name) for one in (with_model, alone)]
        assert found[0] == found[1]
    assert alone["nDCG@10"].required_with_model is None
    assert "needed with the model" not in str(alone)
    assert "needed for an interval of ±0.03" in str(alone)


def test_a_model_that_knows_nothing_replaces_no_label() -> None:
    flat = {query: dict.fromkeys(labels, 1) for query, labels in MODEL.items()}
    row = planned(judge=flat)["nDCG@10"]
    assert row.half_width_with_model in {row.half_width_alone, None}
    assert row.effective_n == pytest.approx(row.n)


@pytest.mark.parametrize(
    ("choices", "told"),
    [
        ({"judge": None, "random": True}, "there is no judge"),
        ({"half_width": 0}, "half_width is 0"),
        ({"random": False}, "probabilities are not given"),
    ],
)
def test_what_has_no_meaning_is_refused(choices: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        planned(**choices)


def test_the_command_has_the_numbers_of_the_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)
    words = "power people.txt old.run new.run -m nDCG@10 --difference 0.05 --judge model.txt"
    given = [*words.split(), "--half-width", "0.03", "--resamples", "10", "--format", "csv"]
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 0, done.output
    row = next(csv.DictReader(io.StringIO(done.stdout)))
    expected = planned()["nDCG@10"]
    assert int(row["required_with_model"]) == expected.required_with_model
    assert int(row["half_width_with_model"]) == expected.half_width_with_model
    words = "power people.txt old.run new.run --judge model.txt --max-drop 0.1"
    done = CliRunner().invoke(app, words.split())
    assert (done.exit_code, "--judge goes without --max-drop" in done.stderr) == (2, True)
