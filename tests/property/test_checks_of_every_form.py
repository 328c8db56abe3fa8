"""A check finds the same in whatever form the same rows come."""

import io
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

import rankmark as rm
from generators.file_formats import DOCUMENTS, HEADERS, parquet, table, trec
from generators.forms import (
    BY_QUERY,
    OF_FULL_GRIDS,
    OF_GRIDS,
    WITH_IDS,
    WITH_NUMBERS,
    Nested,
)
from generators.random_collections import LABELS, SCORES, Collection, collections
from generators.random_grids import grids

OF_BYTES = {"form", "bytes", "encoding", "byte_order_mark", "line_ends", "last_line_ends"}
BY_ID = {"self"}  # what only ids can tell, which numbers of rows and columns are not
IN_ORDER = {"row-order", "reversed"}  # what only rows can tell, which stand in an order
APART = {"queries-apart", "documents-apart"}


def found(report: rm.CheckReport, *, but: set[str]) -> list[Any]:
    """Give facts and findings but for some, and but for what is of bytes, lines and row numbers."""
    return [
        (
            {name: fact for name, fact in file.facts.items() if name not in OF_BYTES},
            [
                (
                    *(one.code, one.severity, one.count),
                    "" if one.code in APART and but else one.what,
                    tuple((place.query_id, place.doc_id) for place in one.places),
                )
                for one in file.findings
                if one.code not in but
            ],
        )
        for file in report.files
    ]


def of_text(qrels: Nested, run: Nested, *, but: set[str] | None = None) -> list[Any]:
    """Give what there is to find in TREC text; its ranks contradict nothing."""
    files = io.BytesIO(trec(qrels, "qrels")), io.BytesIO(trec(run, "run"))
    told = found(rm.check(*files), but=but or set())
    told[1][0]["rank_column"] = False
    return told


@given(
    collection=collections(least=1),
    qrels_form=st.sampled_from(sorted(WITH_IDS)),
    run_form=st.sampled_from(sorted(WITH_IDS)),
)
def test_whatever_holds_ids_is_checked_as_its_rows_in_text(
    collection: Collection, qrels_form: str, run_form: str
) -> None:
    but = IN_ORDER if run_form in BY_QUERY else set()
    qrels, run = WITH_IDS[qrels_form](collection.qrels), WITH_IDS[run_form](collection.run)
    assert found(rm.check(qrels, run), but=but) == of_text(*collection, but=but)


@given(
    collection=collections(least=1),
    form=st.sampled_from([*HEADERS, *DOCUMENTS, "parquet"]),
)
@example(
    collection=Collection({"q": {"d": 0.0}}, {"q": {"d": 0.0, "d1": 1.0}}),
    form="parquet",
)
def test_files_of_every_format_are_checked_as_their_rows_in_text(
    collection: Collection, form: str
) -> None:
    def written(rows: Nested, kind: str) -> io.BytesIO:
        if form in HEADERS:
            return io.BytesIO(table(rows, form, kind))
        return io.BytesIO(parquet(rows, kind) if form == "parquet" else DOCUMENTS[form](rows, kind))

    but = set() if form in HEADERS or form == "parquet" else IN_ORDER
    qrels, run = written(collection.qrels, "qrels"), written(collection.run, "run")
    assert found(rm.check(qrels, run), but=but) == of_text(*collection, but=but)


shapes = st.tuples(st.integers(1, 4), st.integers(2, 12))


@given(data=st.data(), shape=shapes)
def test_whole_numbers_for_ids_are_checked_as_text(
    data: st.DataObject, shape: tuple[int, int]
) -> None:
    labels, scores = data.draw(grids(shape, LABELS)).nested, data.draw(grids(shape, SCORES)).nested
    qrels = WITH_NUMBERS[data.draw(st.sampled_from(sorted(WITH_NUMBERS)))](labels)
    form = data.draw(st.sampled_from(sorted(WITH_NUMBERS)))
    run = WITH_NUMBERS[form](scores)
    but = IN_ORDER if form in BY_QUERY else set()
    assert found(rm.check(qrels, run), but=but) == of_text(labels, scores, but=but)


@given(data=st.data(), shape=shapes)
def test_arrays_are_checked_as_their_rows_but_for_ids_and_order(
    data: st.DataObject, shape: tuple[int, int]
) -> None:
    labels, scores = data.draw(grids(shape, LABELS)), data.draw(grids(shape, SCORES))
    full = data.draw(st.booleans())
    if full:
        labels.present[:] = scores.present[:] = True
        form = data.draw(st.sampled_from(sorted({*OF_FULL_GRIDS} - {"wide frame"})))
        (judged, told), (scored, said) = (
            OF_FULL_GRIDS[form](one.values) for one in (labels, scores)
        )
    else:
        forms = st.sampled_from(sorted(OF_GRIDS))
        judged, told = OF_GRIDS[data.draw(forms)](labels)
        scored, said = OF_GRIDS[data.draw(forms)](scores)
    report = rm.check(rm.Qrels(judged, **told), rm.Run(scored, **said))
    but = BY_ID | IN_ORDER
    assert not {finding.code for finding in report.findings} & but
    assert not any("the reason may be" in finding.what for finding in report.findings)
    assert found(report, but=but) == of_text(labels.nested, scores.nested, but=but)


@given(data=st.data(), shape=shapes)
def test_lists_are_checked_as_runs_without_scores(
    data: st.DataObject, shape: tuple[int, int]
) -> None:
    labels, scores = data.draw(grids(shape, [1.0])).nested, data.draw(grids(shape, [0.0])).nested
    report = rm.check([*map(set, labels.values())], [*map(list, scores.values())])
    facts = report.files[1].facts
    assert (facts["scores"], facts["ties"], facts["rank_column"]) == (None, None, False)
    wanted = of_text(labels, scores, but=BY_ID | IN_ORDER | {"ties"})
    wanted[1][0].update({"scores": None, "ties": None})
    # Among equal scores the highest ids come first, in a list those that stand first.
    wanted[1][0]["judged_at_10"] = facts["judged_at_10"]
    # Few short lists of numbers may be rows.
    assert found(report, but=BY_ID | IN_ORDER | {"no-numbers"}) == wanted
