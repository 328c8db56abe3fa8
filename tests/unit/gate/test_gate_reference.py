"""A fixed reference beside a baseline that moves."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rankmark as rm
from rankmark.commands.app import app
from rankmark.errors import InputError, MismatchError
from unit.gate.gated_runs import BETTER, OLD, WORSE, judged, run_of

EXAMPLE = Path(rm.__file__).parent / "example"


def scored(values: Any) -> dict[str, dict[str, float]]:
    return {f"q{n}": {"s": float(value)} for n, value in enumerate(values)}


def test_a_run_has_to_hold_against_the_baseline_and_against_the_reference() -> None:
    last, first, new = run_of(WORSE), run_of(BETTER), run_of(WORSE)
    assert rm.gate(judged(), last, new, "RR", max_drop=0.1).verdict == "holds"
    result = rm.gate(judged(), last, new, "RR", max_drop=0.1, reference=first)
    assert result.verdict == "does not hold"
    assert [one.name for one in result.conditions] == ["RR", "RR against reference"]
    alone = rm.gate(judged(), first, new, "RR", max_drop=0.1).conditions[0]
    assert result.conditions[1].decision == alone.decision
    assert result.conditions[1].lost == alone.lost
    assert "new against baseline and reference: the gate does not hold" in str(result)
    assert "reference is a fixed reference" in str(result)
    assert 'name="RR may fall by at most 0.1 against reference"' in result.to_junit()
    written = result.to_dict()
    assert (written["reference"], written["conditions"][1]["reference"]) == ("reference",) * 2
    assert written["conditions"][0]["reference"] is None
    assert written["runs"]["reference"]["scores"]["RR"] == alone.decision.baseline


def test_each_candidate_and_each_slice_is_held_against_the_reference() -> None:
    old, slices = run_of(OLD), {"few": [f"q{n}" for n in range(50)]}
    result = rm.gate(
        judged(), old, {"a": run_of(BETTER), "b": old}, {"RR": {"max_drop": 0.2, "slice": "few"}},
        slices=slices, reference={"old": run_of(OLD)}["old"],
    )  # fmt: skip
    for one in result.candidates.values():
        assert [c.name for c in one.conditions] == ["RR, few", "RR, few against reference"]
        assert {c.decision.confidence for c in one.conditions} == {0.975}


def test_evaluations_and_scores_have_a_reference_too() -> None:
    runs = [rm.evaluate(judged(), run_of(ranks), "RR") for ranks in (OLD, WORSE, BETTER)]
    old, new, fixed = runs
    wanted = rm.gate(judged(), run_of(OLD), run_of(WORSE), "RR", max_drop=0.2,
                     reference=run_of(BETTER))  # fmt: skip
    found = rm.gate(None, old, new, "RR", max_drop=0.2, reference=fixed)
    tables = [{q: {"RR": s} for q, s in one.per_query("RR").items()} for one in runs]
    scores = rm.gate(None, *tables[:2], "RR", max_drop=0.2, reference=tables[2])
    for one in (found, scores):
        assert [c.decision for c in one.conditions] == [c.decision for c in wanted.conditions]
        assert one.reference is not None
    with pytest.raises(MismatchError):
        rm.gate(None, *tables[:2], "RR", max_drop=0.2, reference={"q0": {"RR": 1.0}})


def test_small_losses_each_week_do_not_add_up_beyond_the_margin() -> None:
    rng = np.random.default_rng(0)
    first = rng.uniform(0.4, 1, 150)
    ways: dict[str, dict[str, Any]] = {"moving": {}, "both": {"reference": scored(first)}}
    lost = {}
    for name, also in ways.items():
        rng = np.random.default_rng(1)
        live = first.copy()
        for _ in range(26):
            change = np.where(rng.random(150) < 0.1, rng.normal(-0.08, 0.08, 150), 0)
            new = np.clip(live + change, 0, 1)
            held = rm.gate(
                None, scored(live), scored(new), "s", max_drop=0.05, score_range=(0, 1), **also
            )
            live = new if held else live
        lost[name] = first.mean() - live.mean()
    assert lost["moving"] > 0.15
    assert lost["both"] < 0.05


def test_the_command_and_the_file_take_a_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("qrels.txt", "bm25.run", "lsa.run", "overlap.run"):
        shutil.copy(EXAMPLE / name, tmp_path)
    words = ["gate", "qrels.txt", "bm25.run", "lsa.run", "--max-drop", "0.2", "--format", "json"]
    words += ["--record", "record.json"]
    done = CliRunner().invoke(app, [*words, "--reference", "overlap.run"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["reference"] == "overlap.run"
    assert found["conditions"][1]["name"] == "nDCG@10 against overlap.run"
    Path("gate.toml").write_text('reference = "overlap.run"\n')
    done = CliRunner().invoke(app, [*words[:-2], "--config", "gate.toml", "-m", "nDCG@10"])
    assert json.loads(done.stdout) == found
    assert rm.verify("record.json").moves == ()
    Path("overlap.run").write_text(Path("overlap.run").read_text().replace("q01", "q99"))
    assert not rm.verify("record.json")


def test_a_gate_with_a_reference_is_not_planned(tmp_path: Path) -> None:
    file = tmp_path / "gate.toml"
    file.write_text('reference = "first.run"\n')
    with pytest.raises(InputError, match="a reference is given, which is not planned here"):
        rm.gate_power(judged(), run_of(OLD), run_of(BETTER), "RR", max_drop=0.1, config=file)
