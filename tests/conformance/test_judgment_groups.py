"""Judgments in groups are what each group says on its own: against slow plain Python."""

import statistics
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from conformance.agreement import agrees
from conformance.cases import cases_of
from conformance.reference.by_group import Parts, num_prefs_by_group, prefs_by_group
from conformance.reference.ranking import ranked
from generators.effort import examples
from generators.random_collections import dice
from rankmark.conventions import Conventions
from rankmark.data.alignment import Needs
from rankmark.data.preparing.matching import match
from rankmark.scoring.query_scores import by_group

DOC_IDS = ("a", "b", "B", "c10", "c9", "ü", "d#1", "7")
SCORES = (0.0, 1.0, 1.0 + 2**-50, 2.5, -3.0)
LEVELS = (0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0, -1.0)
Judgments = dict[str, dict[str, Parts]]


class Collection(NamedTuple):
    """Judgments by query, group and part, and a run."""

    qrels: Judgments
    run: dict[str, dict[str, float]]

    def write(self, folder: str, columns: int) -> Path:
        """Write the judgments as trec_eval reads them, all of a document far apart."""
        lines = [
            [query_id, group, part, doc_id, str(label)]
            for query_id, groups in self.qrels.items()
            for group, parts in groups.items()
            for part, labels in parts.items()
            for doc_id, label in labels.items()
        ]
        path = Path(folder, "judgments")
        text = "".join(
            " ".join(line if columns == 5 else [*line[:2], *line[3:]]) + "\n"
            for line in sorted(lines, key=lambda line: (line[0] != "q", line[3]))
        )
        path.write_text(text, "utf-8")
        return path


names_of_groups = st.lists(st.sampled_from(["0", "1", "x,y"]), unique=True, min_size=1)
numbers_of_documents = st.integers(1, len(DOC_IDS))


@st.composite
def collections(draw: st.DrawFn, most_parts: int = 3) -> Collection:
    """Give consistent judgments of up to three groups, with up to three parts each.

    The labels of a part say no more than the order of its documents and which are 0.
    """
    thrown = draw(dice)

    def some(of: Sequence[str], most: int) -> list[str]:
        return thrown.sample(of, thrown.randint(1, min(most, len(of))))

    qrels: Judgments = {}
    run = {}
    for query_id in ["q", "other"][: draw(st.integers(1, 2))]:
        qrels[query_id] = {}
        for name in draw(names_of_groups):
            levels = {one: thrown.choice(LEVELS) for one in some(DOC_IDS, len(DOC_IDS))}
            qrels[query_id][name] = {}
            for at in range(thrown.randint(1, most_parts)):
                times = thrown.choice([1.0, 2.5])
                part = some([*levels], len(levels))
                qrels[query_id][name][str(at)] = {one: levels[one] * times for one in part}
        if query_id == "q" or thrown.random() < 0.5:
            scored = some([*DOC_IDS, "unjudged"], draw(numbers_of_documents))
            run[query_id] = {one: thrown.choice(SCORES) for one in scored}
    return Collection(qrels, run)


ties = st.sampled_from(["docid", "docid-asc", "input"])


@examples(200)
@given(collection=collections(), ties=ties)
def test_preferences_of_groups_are_what_pairs_say(collection: Collection, ties: Any) -> None:
    cases = [*cases_of("prefs"), *cases_of("num_prefs")]
    with tempfile.TemporaryDirectory() as folder:
        path = collection.write(folder, 5)
        asked = [case.ours for case in cases]
        ev = rm.evaluate(path, collection.run, asked, qrels_format="prefs", ties=ties)
    assert set(ev.queries) == set(collection.qrels)
    for case in cases:
        slow = prefs_by_group if case.stem == "prefs" else num_prefs_by_group
        wanted = {}
        for query_id, groups in collection.qrels.items():
            ranking = ranked(collection.run.get(query_id, {}), ties)
            wanted[query_id] = slow(groups, ranking, **case.parameters)
        found = ev.per_query(case.ours)
        agrees("reference", case.ours, found, wanted, rel=1e-12, abs=1e-12)


NAMES = (
    *("P@2", "AP", "nDCG@3", "RR(rel=2)", "Judged@2", "R", "Rprec", "NumRel", "NumRet"),
    'Prefs(average="groups")',
)


@given(
    collection=collections(most_parts=1),
    ties=ties,
    depth=st.sampled_from([None, 1, 3]),
    judged_only=st.booleans(),
)
def test_a_query_is_the_mean_of_its_groups(
    *, collection: Collection, ties: Any, depth: int | None, judged_only: bool
) -> None:
    conventions: dict[str, Any] = {"ties": ties, "depth": depth, "judged_only": judged_only}
    with tempfile.TemporaryDirectory() as folder:
        path = collection.write(folder, 4)
        ev = rm.evaluate(path, collection.run, NAMES, qrels_format="qrels_jg", **conventions)
    for query_id, groups in collection.qrels.items():
        run = {"q": collection.run.get(query_id, {})}
        each = [
            rm.evaluate({"q": parts["0"]}, run, NAMES, **conventions) for parts in groups.values()
        ]
        for name in NAMES:
            wanted = statistics.fmean(one[name] for one in each)
            assert ev.per_query(name)[query_id] == pytest.approx(wanted, rel=1e-12), name


@given(collection=collections(most_parts=1))
def test_ties_of_condensed_lists_are_those_of_each_group(collection: Collection) -> None:
    groups, scores = collection.qrels["q"], collection.run["q"]
    only = Collection({"q": groups}, {"q": scores})
    with tempfile.TemporaryDirectory() as folder:
        qrels = rm.Qrels(only.write(folder, 4), format="qrels_jg")
    condensed = Conventions(judged_only=True)
    found = by_group(match(qrels, rm.Run(only.run), condensed, needs=Needs())[0])
    told = []
    for begin, end in pairwise(found.starts.tolist()):
        first, last = found.tie_first, found.tie_last
        if first is not None and last is not None:
            told.append(list(zip(first[begin:end].tolist(), last[begin:end].tolist(), strict=True)))
    wanted = []
    for parts in groups.values():
        kept = sorted(-scores[d] for d in parts["0"] if d in scores)
        wanted.append([(kept.index(x) + 1, kept.index(x) + kept.count(x)) for x in kept])
    if told:
        assert sorted(told) == sorted(wanted)
    else:
        assert all(first == last for one in wanted for first, last in one)


@examples(150)
@given(collection=collections(most_parts=1), order=ties, data=st.data())
def test_contributions_over_groups_add_up_to_what_evaluate_gives(
    collection: Collection, order: Any, data: st.DataObject
) -> None:
    names = [
        "P@3",
        "AP",
        "nDCG@5",
        "RR",
        "Unjudged@4",
        "NumRel",
        "MeanRank",
        "Bpref",
        "RBPResidual",
    ]
    name = data.draw(st.sampled_from(names))
    with tempfile.TemporaryDirectory() as folder:
        qrels = rm.Qrels(collection.write(folder, 4), format="qrels_jg")
        told = rm.explain(qrels, collection.run, "q", name, ties=order)
        value = rm.evaluate(qrels, collection.run, name, ties=order).per_query(name)["q"]
    assert told.value == pytest.approx(value, abs=1e-12)
    total = sum(row["contribution"] for row in told.rows)
    assert total == pytest.approx(value, abs=1e-12)
