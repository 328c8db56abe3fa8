"""Chunks become documents before their lists are fused, tuned or learnt from."""

import json
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from unit.commands import rankmark_here as ran

CHUNKS = {
    "q": {"D1#3": 0.92, "D4#1": 0.9, "D1#1": 0.88, "D2#7": 0.6, "D1#9": 0.55, "D3#1": 0.4},
    "p": {"D9#1": 0.3, "D8#1": 0.2},
}
OF_CHUNKS = {chunk: chunk.partition("#")[0] for chunks in CHUNKS.values() for chunk in chunks}
BEST = {"q": {"D1": 0.92, "D4": 0.9, "D2": 0.6, "D3": 0.4}, "p": {"D9": 0.3, "D8": 0.2}}
DOCUMENTS = {"q": {"D1": 3.0, "D3": 2.0, "D7": 1.0}, "p": {"D8": 5.0, "D5": 4.0}}
QRELS = {"q": {"D1": 1, "D3": 2}, "p": {"D8": 1}}


def written(path: Path, run: dict[str, dict[str, float]]) -> Path:
    path.write_text(
        "".join(
            f"{q} Q0 {d} 1 {s} x\n" for q, documents in run.items() for d, s in documents.items()
        )
    )
    return path


@pytest.mark.parametrize("method", ["RRF(k=60)", "wsum", "CombSUM(norm='z')"])
@pytest.mark.parametrize("unit", ["#", None])
def test_a_list_of_chunks_and_one_of_documents_are_fused(method: str, unit: str | None) -> None:
    wanted = rm.fuse({"a": BEST, "b": DOCUMENTS}, method)
    chunks: Any = CHUNKS if unit else rm.Run(CHUNKS, parents=OF_CHUNKS)
    found = rm.fuse({"a": chunks, "b": DOCUMENTS}, method, unit=unit)
    assert found.to_dict() == wanted.to_dict()
    assert found.audit.units["a"] == 8
    assert "a: 2 queries, 8 units -> 6 documents, 0.0% tied" in str(found.audit)
    assert wanted.audit.units == {}


def test_options_and_notes_name_what_was_chosen() -> None:
    found = rm.fuse([CHUNKS, DOCUMENTS], "wsum", unit="#", combine="sum@2", unit_depth=5)
    assert (found.settings["unit"], found.settings["combine"]) == ("#", "sum@2")
    assert "unit #; combine sum@2; unit_depth 5" in str(found)
    assert found.audit.units == {"run 1": 7, "run 2": 5}


def test_a_number_of_units_or_a_sum_of_ranks_is_a_score() -> None:
    ordered = rm.Run({q: [*chunks] for q, chunks in CHUNKS.items()}, parents=OF_CHUNKS)
    counts = {"q": {"D1": 3.0, "D4": 1.0, "D2": 1.0, "D3": 1.0}, "p": {"D9": 1.0, "D8": 1.0}}
    found = rm.fuse([ordered, DOCUMENTS], "wsum", combine="count")
    assert found.to_dict() == rm.fuse([counts, DOCUMENTS], "wsum").to_dict()
    with pytest.raises(rm.InputError, match="has only an order"):
        rm.fuse([ordered, DOCUMENTS], "wsum")
    with pytest.raises(rm.InputError, match="have no scores, so there is no sum or mean"):
        rm.fuse([ordered, DOCUMENTS], combine="sum")


def test_distances_are_negated_before_the_best_chunk_is_found() -> None:
    far = {q: {chunk: 1 - score for chunk, score in chunks.items()} for q, chunks in CHUNKS.items()}
    wanted = {q: {d: 1 - score for d, score in documents.items()} for q, documents in BEST.items()}
    options: dict[str, Any] = {"lower_better": [True, False]}
    found = rm.fuse([far, DOCUMENTS], "wsum", unit="#", **options)
    assert found.to_dict() == rm.fuse([wanted, DOCUMENTS], "wsum", **options).to_dict()


def test_what_does_not_fit_is_said() -> None:
    with pytest.raises(rm.InputError, match="unit 'D4#1' has no document in parents"):
        rm.fuse([CHUNKS, DOCUMENTS], parents={"D1#3": "D1"})
    with pytest.raises(rm.InputError, match="combine is about units"):
        rm.fuse([CHUNKS, DOCUMENTS], combine="sum")
    with pytest.raises(rm.InputError, match="the run has parents, and unit is given, too"):
        rm.fuse([rm.Run(CHUNKS, parents=OF_CHUNKS), DOCUMENTS], unit="#")
    with pytest.warns(rm.RankmarkWarning, match="none of the 13 retrieved ids contains it"):
        rm.fuse([CHUNKS, DOCUMENTS], unit="::")
    negative = {"q": {"D1#1": -1.0, "D1#2": -2.0, "D2#1": 1.0}}
    with pytest.warns(rm.RankmarkWarning, match="2 of 6 units have scores below 0"):
        rm.fuse([negative, {"q": DOCUMENTS["q"]}], unit="#", combine="sum")


def test_files_that_are_read_a_few_queries_at_a_time_have_units(tmp_path: Path) -> None:
    many = {f"q{at}": CHUNKS["q"] for at in range(4000)}
    a = written(tmp_path / "a.run", many)
    b = written(tmp_path / "b.run", dict.fromkeys(many, DOCUMENTS["q"]))
    wanted = rm.fuse([a, b], "wsum", unit="#")
    found = rm.fuse([a, b], "wsum", unit="#", memory="64K")
    assert found.to_dict() == wanted.to_dict()
    assert found.audit == wanted.audit
    given = rm.fuse([rm.Run(a, parents=OF_CHUNKS), b], "wsum", memory="64K")
    assert given.to_dict() == wanted.to_dict()


@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "RR"])
def test_tuning_and_its_bounds_see_documents(measure: str) -> None:
    qrels = {f"{q}{at}": labels for at in range(6) for q, labels in QRELS.items()}
    a, best, b = (
        {f"{q}{at}": ranking for at in range(6) for q, ranking in run.items()}
        for run in (CHUNKS, BEST, DOCUMENTS)
    )
    options: dict[str, Any] = {"k": [1, 60], "step": 0.5, "repeats": 1}
    wanted = rm.tune_fusion(qrels, {"a": best, "b": b}, measure, **options)
    judged = {q: {f"{d}#0": label for d, label in labels.items()} for q, labels in qrels.items()}
    found = rm.tune_fusion(judged, {"a": a, "b": b}, measure, unit="#", qrels_unit="#", **options)
    assert found.scores.tobytes() == wanted.scores.tobytes()
    assert found.run.to_dict() == wanted.run.to_dict()
    assert found.settings["unit"] == "#"
    assert "unit=# qrels_unit=#" in str(found)
    lift = {f"{d}#0": d for labels in QRELS.values() for d in labels}
    given = {"a": rm.Run(a, parents=OF_CHUNKS), "b": b}
    bounds = rm.fusion_bounds(judged, given, measure, qrels_parents=lift)
    assert bounds.means == rm.fusion_bounds(qrels, {"a": best, "b": b}, measure).means
    alone = rm.evaluate(qrels, a, measure, unit="#").scores[:, 0]
    assert found.bounds.scores[:, 0].tolist() == alone.tolist()


def test_documents_whose_ids_have_the_separator_are_not_cut_again() -> None:
    chunks = {"q": {"a#b#1": 2.0, "a#b#2": 1.5, "c#1": 1.0}}
    other = {"q": {"a#b#9": 1.0, "c#2": 3.0}}
    bounds = rm.fusion_bounds({"q": {"a#b": 1}}, [chunks, other], "RR", unit="#")
    assert [*bounds.means.values()][:2] == [1.0, 0.5]


def test_the_commands_take_the_options(tmp_path: Path) -> None:
    a, b = written(tmp_path / "a.run", CHUNKS), written(tmp_path / "b.run", DOCUMENTS)
    best = written(tmp_path / "best.run", BEST)
    parents = tmp_path / "parents"
    parents.write_text("".join(f"{d} {d}\n" for d in ("D1", "D3", "D7", "D8", "D5")))
    with parents.open("a") as file:
        file.writelines(f"{chunk} {document}\n" for chunk, document in OF_CHUNKS.items())
    wanted = ran("fuse", best, b).stdout
    for option in (("--unit", "#"), ("--parents", parents)):
        told = ran("fuse", a, b, *option)
        assert told.stdout == wanted
        assert "8 units -> 6 documents" in told.stderr
    explained = ran("fuse", a, b, "--unit", "#", "--explain", "q").stdout
    assert explained.count("D1") == 1
    similar = json.loads(ran("similarity", a, b, "--unit", "#", "--format", "json").stdout)
    plain = json.loads(ran("similarity", best, b, "--format", "json").stdout)
    assert similar["scores"] == plain["scores"]
    assert (similar["audit"]["units_a"], similar["audit"]["unit_documents_a"]) == (8, 6)
    assert similar["settings"]["unit"] == "#"
    assert ran("similarity", a, b, "--parents", parents).stdout.count("units ->") == 2
