"""A tool's name means the same measure under its profile, in its interface, and everywhere else."""

import json
import math
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.compat import pytrec_eval, ranx, sklearn
from rankmark.compat.torchmetrics import retrieval_metrics
from rankmark.compat.trec_eval.evaluating import evaluated
from rankmark.compat.trec_eval.given_options import options_of
from rankmark.compat.trec_eval.requested import columns_for
from rankmark.conventions import Conventions
from rankmark.measures import EVERY, Measure
from rankmark.measures.names import measures
from rankmark.measures.thresholds import takes_rel
from rankmark.measures.trec_eval_names import FAMILIES
from rankmark.profiles.profile import Meaning
from rankmark.profiles.requests import in_notation, meanings
from rankmark.verbs.reconcile.tools import meant_by
from unit.commands import rankmark_here

NUMBERS = {
    "k": "5", "rel": "2", "recall": "0.5", "hundredths": "0.25", "multiple": "0.6",
    "recalls": "0.25,0.5", "decimals": "95", "beta_squared": "4", "gains": "1=3,2=9", "level": "2",
    "parameters": "(rel=2)", "hit": "2", "noise": "-1", "miss": "0", "rest": "0", "beta": "2",
    "pairs": "p=0.9", "decay": "0.6",
}  # fmt: skip
# Terms of the literature, which LightGBM has for something else.
TERMS = {"average_precision", "mean_average_precision", "mean_average_precision@5"}


def examples_of(notation: str) -> Iterator[str]:
    """Write names in a notation, with and without what may be left out."""
    parts = re.split(r"\[(.*?)\]", notation)
    choices = [(part, "") if number % 2 else (part,) for number, part in enumerate(parts)]
    for chosen in product(*choices):
        yield re.sub(r"\{(\w+)\}", lambda field: NUMBERS[field[1]], "".join(chosen))


def named(row: Meaning) -> list[str]:
    return [name for pattern in row.patterns for name in examples_of(pattern.text)]


def meant(profile: rm.Profile, name: str) -> tuple[Measure, ...]:
    """Return what a name means under a profile; nothing if it is refused."""
    try:
        return meanings(profile, name)[name]
    except rm.MeasureError:
        return ()


def meant_by_any(name: str) -> tuple[Measure, ...]:
    try:
        return measures(name)
    except rm.MeasureError:
        return ()


def names_of(profile: rm.Profile) -> list[str]:
    """Return the names that are computed."""
    return [name for row in profile.measures for name in named(row) if meant(profile, name)]


def a_collection(seed: int = 1) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Draw judgments and a run with ties, unjudged documents, and some that are not retrieved."""
    rng = np.random.default_rng(seed)
    ids = [f"d{number}" for number in range(14)]
    qrels, run = {}, {}
    for query in ("q1", "q2", "q3"):
        judged, retrieved = rng.permutation(ids)[:10], rng.permutation(ids)[:9]
        qrels[query] = {
            str(doc): int(label)
            for doc, label in zip(judged, [0, 1, 2, 3, 0, 1, 2, 3, 0, 1], strict=True)
        }
        run[query] = {str(doc): float(rng.integers(1, 5)) for doc in retrieved}
    return qrels, run


QRELS, RUN = a_collection()


def written(folder: Path) -> list[str]:
    """Write the collection as files, and return their paths."""
    lines = [f"{q} 0 {doc} {label}\n" for q, of in QRELS.items() for doc, label in of.items()]
    (folder / "qrels").write_text("".join(lines))
    rows = [f"{q} Q0 {doc} 1 {score} t\n" for q, of in RUN.items() for doc, score in of.items()]
    (folder / "run").write_text("".join(rows))
    return [str(folder / "qrels"), str(folder / "run")]


@pytest.mark.parametrize("profile", rm.profiles(), ids=lambda profile: profile.name)
def test_reconcile_asks_a_tool_for_what_its_names_mean(profile: rm.Profile) -> None:
    for row in profile.measures:
        for name in named(row):
            for one in meant(profile, name):
                found = meant_by(profile, one, {})
                assert found.measure == one, name
                if "{parameters}" not in row.theirs:
                    conventions = {**profile.conventions, **row.conventions}
                    assert found.conventions == Conventions(**conventions), name


@pytest.mark.parametrize("profile", rm.profiles(), ids=lambda profile: profile.name)
def test_without_a_profile_a_name_means_the_same_or_what_another_tool_means(
    profile: rm.Profile,
) -> None:
    own = {spelling for one in EVERY for spelling in (one.name, one.name.lower())}
    for name in names_of(profile):
        here, there = meant_by_any(name), meant(profile, name)
        is_own = re.split(r"[@(]|-l", name)[0] in own
        if here and here != there and not is_own and name not in TERMS:
            assert here in [meant(other, name) for other in rm.profiles()], name


@pytest.mark.parametrize("name", ["ndcg", "ndcg@5", "map", "map@5", "pre", "pre@5"])
def test_a_minus_of_xgboost_changes_a_convention_and_no_measure(name: str) -> None:
    assert measures(f"{name}-") == meant(rm.profile("xgboost"), name)


def names_of_judgments(profile: rm.Profile) -> list[str]:
    others = {"subtopics", "preferences", "lists", "run"}  # need more than judgments
    return [n for n in names_of(profile) if meant(profile, n)[0].depends_on not in others]


@pytest.mark.parametrize(
    "profile", [*filter(names_of_judgments, rm.profiles())], ids=lambda profile: profile.name
)
def test_the_command_line_reads_names_as_evaluate_does(profile: rm.Profile, tmp_path: Path) -> None:
    names = names_of_judgments(profile)
    arguments = [word for name in names for word in ("-m", name)]
    files = written(tmp_path)
    options = ("--profile", profile.name, "--format", "json")
    done = rankmark_here("evaluate", *files, *options, *arguments)
    assert done.returncode == 0, done.stderr
    ours = rm.evaluate(*files, names, profile=profile)
    assert json.loads(done.stdout)["runs"][0]["scores"] == dict(ours)


@pytest.mark.parametrize("version", [9, 10])
@pytest.mark.parametrize("name", FAMILIES)
def test_the_command_of_trec_eval_computes_the_measures_of_its_profile(
    name: str, version: int
) -> None:
    family = FAMILIES[name]
    if family.version > version:
        assert not in_notation(rm.profile(f"trec_eval{version}"), name)
        return
    judged = {"any": "qrels"}.get(family.judged, family.judged)
    profile = rm.profile(f"trec_eval{version}")
    for row in profile.measures:
        if row.name != name or not meant(profile, named(row)[0]):
            continue
        for asked in named(row):
            dotted = asked if asked == name else f"{name}.{asked[len(name) + 1 :]}"
            arguments = ["-m", dotted, "--as", str(version), "-R", judged, "qrels", "run"]
            columns, _ = columns_for(options_of(arguments))
            found = tuple(column.measure for column in columns)
            if family.printed == "log":
                found = tuple(one(aggregate="gmean") for one in found if one is not None)
            if columns[0].gains:
                found = tuple(one(gain=in_gains(columns[0].gains)) for one in found if one)
            assert found == in_notation(profile, asked)


def in_gains(gains: tuple[tuple[int, float], ...]) -> dict[Any, Any]:
    return {**dict(gains), "other": "linear"}


def by_query(profile: str, name: str, level: int = 1) -> dict[str, float]:
    """Evaluate a measure; whether it depends on the level is its own affair."""
    depends = takes_rel(meant(rm.profile(profile), name)[0])
    with rm.quiet():
        ev = rm.evaluate(QRELS, RUN, name, profile=profile, rel=level if depends else None)
    return ev.per_query(ev.names[0])


@pytest.mark.parametrize("level", [1, 2])
def test_the_interface_of_pytrec_eval_has_the_numbers_of_its_profile(level: int) -> None:
    profile = rm.profile("pytrec_eval")
    names = {
        name
        for row in profile.measures
        for name in named(row)
        if len(meant(profile, name)) == 1 and FAMILIES[row.name].printed == "as it is"
        and "=" not in name and row.name != "utility"
    }  # fmt: skip
    for name in names:
        values = pytrec_eval.RelevanceEvaluator(QRELS, {name}, level).evaluate(RUN)
        (found,) = ({query: of[key] for query, of in values.items()} for key in values["q1"])
        # Its set_F is computed from precision and recall, as trec_eval does.
        same = pytest.approx(found, rel=1e-15) if name.startswith("set_F") else found
        assert by_query("pytrec_eval", name, level) == same, name


def test_the_interface_of_ranx_has_the_numbers_of_its_profile() -> None:
    profile = rm.profile("ranx")
    for name in names_of(profile):
        qrels, run = ranx.Qrels(QRELS), ranx.Run(RUN)
        values = ranx.evaluate(qrels, run, name, return_mean=False)
        assert [*by_query("ranx", name).values()] == values.tolist(), name


def test_the_provider_of_ir_measures_has_the_measures_and_conventions_of_its_profile() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    from rankmark.compat.ir_measures.provider import meaning_of

    profile = rm.profile("ir_measures")
    for row in profile.measures:
        for name in named(row):
            try:
                asked = ir_measures.parse_measure(name)
                asked.validate_params()
            except (NameError, AssertionError, ValueError, TypeError):
                continue  # it has no such measure, or the measure no such parameter
            found = meaning_of(asked)
            if found is None or row.name == "Compat":
                assert not meant(profile, name) or row.name == "RBP", name
                continue
            assert (found.measure,) == meant(profile, name)
            chosen = {**profile.conventions_of(found.measure)}
            chosen.pop("queries", None)
            assert found.conventions == Conventions(**chosen)


def scored_rows(seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, (20, 9)).astype(float)
    return labels, rng.integers(1, 6, labels.shape).astype(float)


def test_the_interface_of_scikit_learn_has_the_numbers_of_its_profile() -> None:
    labels, scores = scored_rows(1)
    for name in sklearn.__all__:
        graded = name in {"ndcg_score", "dcg_score"}
        given = labels if graded else (labels > 1).astype(float)
        with rm.quiet():
            ours = rm.evaluate(given, scores, name, profile="sklearn")[name]
        if name == "average_precision_score":  # each column is a query
            given, scores = given.T, scores.T
            found = sklearn.average_precision_score(given, scores)
            given, scores = given.T, scores.T
        else:
            found = getattr(sklearn, name)(given, scores)
        assert found == pytest.approx(ours, rel=1e-15), name


def test_the_metrics_of_torchmetrics_have_the_numbers_of_its_profile() -> None:
    labels, scores = scored_rows(2)
    indexes = np.repeat(np.arange(len(labels)), labels.shape[1])
    for name in retrieval_metrics.__all__[1:]:
        graded = name == "RetrievalNormalizedDCG"
        given = labels if graded else (labels > 1).astype(float)
        metric = getattr(retrieval_metrics, name)()
        metric.update(scores.ravel(), given.ravel(), indexes)
        with rm.quiet():
            ours = rm.evaluate(given, scores, name, profile="torchmetrics")[name]
        assert metric.compute() == pytest.approx(ours, rel=1e-15), name


def test_a_gate_prints_a_command_only_if_it_names_the_measure_under_the_profile(
    tmp_path: Path,
) -> None:
    queries = [f"q{number}" for number in range(9)]
    (tmp_path / "qrels").write_text("".join(f"{query} 0 a 1\n" for query in queries))
    for run, docs in (("old", "ax"), ("new", "xya")):
        lines = [f"{q} Q0 {doc} 0 {-rank} t\n" for q in queries for rank, doc in enumerate(docs)]
        (tmp_path / run).write_text("".join(lines))
    files = [str(tmp_path / file) for file in ("qrels", "old", "new")]
    for name, is_named in (("P_1", True), ("set_P", False)):  # P alone is nine measures there
        gated = rm.gate(*files, name, profile="trec_eval9", max_drop=0)
        assert ("to explain one: rankmark explain" in str(gated)) == is_named


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("profile", ["trec_eval9", "trec_eval10"])
def test_the_command_of_trec_eval_prints_the_numbers_of_its_profile(
    profile: str, level: int, tmp_path: Path
) -> None:
    options = ["-q", "--as", profile.removeprefix("trec_eval"), "-l", str(level)]
    files = written(tmp_path)
    for name in names_of(rm.profile(profile)):
        family = next(
            one for one in sorted(FAMILIES, key=len, reverse=True) if name.startswith(one)
        )
        if (
            FAMILIES[family].judged not in {"any", "qrels"}
            or len(meant(rm.profile(profile), name)) > 1
        ):
            continue
        dotted = name if name == family else f"{family}.{name[len(family) + 1 :]}"
        found = evaluated(options_of([*options, "-m", dotted, *files]))
        values = dict(zip(found.queries, found.values[:, 0].tolist(), strict=True))
        if FAMILIES[family].printed == "log":
            values = {query: math.exp(value) for query, value in values.items()}
        assert values == pytest.approx(by_query(profile, name, level), rel=1e-15), name
