"""Measures of lists and of a run in Spark: the numbers of rankmark.evaluate on the same rows."""

import json
import random
from typing import Any

import pytest

import rankmark as rm
import rankmark.spark
from conformance.test_measures_of_lists import KNOWN, LISTED, LISTS, OF_COSTS, OF_GROUPS
from generators.recommendations import CATEGORIES, HISTORY, TEST
from generators.recommendations import LISTS as FEW_LISTS
from rankmark.errors import InputError, MeasureError, MismatchError, SchemaError
from rankmark.measures import EVERY
from spark.spark_frames import assert_same, frame

OF_RUNS = [
    *("ItemCoverage@3", "UserCoverage@3", "UserCoverage(least=2)@3", "Gini@3", "Gini(norm='n-1')"),
    *("Gini(items='recommended')@2", "Entropy@3", "Entropy(norm='evenness')@3", "HHI@3"),
    *("Personalization@3", "Personalization(norm='shorter')@3"),
]
OF_COUNTS = [
    *(
        "MIUF@3",
        "MIUF(of='interactions')@2",
        "Surprisal@3",
        "EFD@3",
        "EPC@3",
        "EPC(weights='log2')",
    ),
    *("ARP@3", "ARP(scale='rank')@3", "TailShare@3", "EPC(ties='input')@2"),
]
JUDGED = {user: dict.fromkeys(items, 1) for user, items in KNOWN.relevant.items()}
NAMES = ["user_id", "item_id", "rank"]


def ranked(lists: dict[str, list[str]]) -> list[tuple[Any, ...]]:
    return [(user, item, at) for user, items in lists.items() for at, item in enumerate(items, 1)]


def judged_frame(spark: Any, judged: dict[str, dict[str, int]]) -> Any:
    rows = [
        (user, item, label) for user, labels in judged.items() for item, label in labels.items()
    ]
    return frame(spark, rows, ["user_id", "item_id", "relevance"])


def assert_alike(found: Any, whole: rm.Evaluation) -> None:
    """Assert that all numbers are the same to the bit, and all that is said of lists."""
    assert_same(found, whole)
    assert found.evaluation.left_out.keys() == whole.left_out.keys()
    assert repr(found.of_run) == repr(whole.of_run)
    for measure, one in whole.left_out.items():
        assert found.evaluation.left_out[measure].without.tobytes() == one.without.tobytes()
    assert found.evaluation.list_notes == whole.list_notes
    assert [*found] == [*whole]


@pytest.mark.parametrize("chosen", [{}, {"queries": "both"}, {"queries": ["u2", "u4", "u7"]}])
def test_every_measure_has_the_numbers_of_one_process(spark: Any, chosen: dict[str, Any]) -> None:
    left_out = {one.replace("_", "") for one in (*OF_COSTS, *OF_GROUPS)}
    named = [one for stem, one in LISTED.items() if stem not in left_out]
    measures = ["nDCG@3", *named, *OF_COUNTS, *OF_RUNS, "PopularityLift@3", "PopRSP@3"]
    known = {"history": KNOWN.history, "catalogue": KNOWN.catalogue, "items": KNOWN.categories}
    rows = ranked(LISTS)
    columns = dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True))
    order = [*JUDGED]
    whole = rm.evaluate(JUDGED, columns, measures, **known, **chosen)
    found = rankmark.spark.evaluate(
        judged_frame(spark, JUDGED),
        frame(spark, rows, NAMES),
        measures,
        order=order,
        **known,
        **chosen,
    )
    assert found.names == [one for one in found if one not in whole.of_run]
    assert_alike(found, whole)
    with pytest.raises(MeasureError, match="which no query has by itself"):
        found.evaluation.per_query("Gini@3")


def test_groups_and_a_union_have_the_numbers_of_one_process(spark: Any) -> None:
    measures = [
        *(LISTED[stem.replace("_", "")] for stem in sorted(OF_GROUPS - {"rnd"})),
        "rND(group='A', step=2)",
        *OF_RUNS,
    ]
    rows = ranked(LISTS)
    columns = dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True))
    known = {"history": {"u1": ["i00"]}, "catalogue": "union", "groups": KNOWN.groups}
    whole = rm.evaluate(JUDGED, columns, measures, **known)
    found = rankmark.spark.evaluate(
        judged_frame(spark, JUDGED), frame(spark, rows, NAMES), measures, order=[*JUDGED], **known
    )
    # The entropy adds up items in the order of their ids, not of the rows.
    assert dict(found) == pytest.approx(dict(whole), rel=1e-12, abs=1e-12)
    for name, one in whole.of_run.items():
        assert found.of_run[name].low == pytest.approx(one.low, rel=1e-9, nan_ok=True)
    assert found.evaluation.list_notes[0] == whole.list_notes[0]
    assert found.per_query.count() == len(JUDGED)


def test_everything_known_of_items_may_be_a_dataframe(spark: Any) -> None:
    draw = random.Random(3)
    had = [
        (user, item, draw.choice([0, 1, 5]))
        for user, items in KNOWN.history.items()
        for item in items
    ]
    had += [("u1", "i00", 2), ("u1", "i00", 2), ("nobody", "unliked", 0)]
    history = frame(spark, had, ["user_id", "item_id", "rating"], parts=3)
    items = [(item, one) for item, of in KNOWN.categories.items() for one in of]
    catalogue = frame(spark, [(item,) for item in KNOWN.catalogue], ["item_id"])
    groups = [
        (item, name, share) for item, of in KNOWN.groups.items() for name, share in of.items()
    ]
    measures = ["nDCG@3", *OF_COUNTS, *OF_RUNS, "ILD@3", "CategoryCoverage@3", "AWRF@3"]
    rows = ranked(LISTS)
    columns = dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True))
    given = judged_frame(spark, JUDGED), frame(spark, rows, NAMES)
    known = {
        "items": frame(spark, items, ["item_id", "category"]),
        "groups": frame(spark, groups, ["item_id", "group", "share"]),
    }
    for of_spark, in_memory in ((catalogue, KNOWN.catalogue), (None, None)):
        whole = rm.evaluate(
            JUDGED,
            columns,
            measures,
            history=had,
            catalogue=in_memory,
            items=KNOWN.categories,
            groups=KNOWN.groups,
        )
        found = rankmark.spark.evaluate(
            *given, measures, order=[*JUDGED], history=history, catalogue=of_spark, **known
        )
        assert repr(found).endswith(": not computed yet)")
        if in_memory is not None:  # the order of all items is the same
            assert_alike(found, whole)
            continue
        assert dict(found) == pytest.approx(dict(whole), rel=1e-12, abs=1e-12)
        assert found.settings["history"]["documents"] == whole.settings["history"]["documents"]
    popularity = frame(spark, [("i00", 3.0), ("i01", 0.5)], ["item_id", "popularity"])
    found = rankmark.spark.evaluate(*given, "ARP@3", popularity=popularity)
    whole = rm.evaluate(JUDGED, columns, "ARP@3", popularity={"i00": 3.0, "i01": 0.5})
    assert found["ARP@3"] == pytest.approx(whole["ARP@3"], rel=1e-15)


def test_whole_numbers_are_the_same_items_wherever_they_are(spark: Any) -> None:
    lists = {str(number): [str(item) for item in (7, 10, number)] for number in range(3)}
    rows = [(int(user), int(item), at) for user, item, at in ranked(lists)]
    had = frame(spark, [(0, 7, 1.0), (1, 7, 1.0), (2, 11, 0.5)], ["user_id", "item_id", "rating"])
    judged = frame(spark, [(user, 7, 1) for user in range(3)], ["user_id", "item_id", "relevance"])
    found = rankmark.spark.evaluate(
        judged, frame(spark, rows, NAMES), ["MIUF@1", "ItemCoverage@2"], history=had
    )
    assert found["ItemCoverage@2"] == 1 / 2
    assert found["MIUF@1"] == pytest.approx(0.5849625007211562)
    assert "catalogue 2 items, from history; 1 item of the lists not in it: '10'" in str(found)


def test_runs_are_compared_with_a_user_left_out_of_both(spark: Any) -> None:
    other = {user: items[::-1] for user, items in LISTS.items() if user != "u6"}
    runs = {"a": LISTS, "b": other}
    measures = ["MIUF@2", "ItemCoverage@2", "Gini@2", "UserCoverage@2"]
    known = {"history": KNOWN.history, "catalogue": KNOWN.catalogue}
    rows = [(name, *row) for name, lists in runs.items() for row in ranked(lists)]
    found = rankmark.spark.compare(
        judged_frame(spark, JUDGED),
        frame(spark, rows, ["run", *NAMES]),
        measures,
        order=[*JUDGED],
        **known,
    )
    whole = rm.compare(JUDGED, runs, measures, **known)
    assert str(found) == str(whole)
    told, expected = json.loads(found.to_json()), json.loads(whole.to_json())
    for name in ("leaderboard", "differences", "of_run"):
        assert told[name] == expected[name]


def test_a_run_may_have_numbers_of_its_own_alone(spark: Any) -> None:
    given = judged_frame(spark, JUDGED), frame(spark, ranked(LISTS), NAMES)
    found = rankmark.spark.evaluate(*given, "Gini@2", catalogue=KNOWN.catalogue)
    assert found.per_query.columns == ["query_id"]
    assert [*found] == ["Gini@2"]
    assert "Gini@2" in found
    assert dict(found) == dict(rm.evaluate(JUDGED, LISTS, "Gini@2", catalogue=KNOWN.catalogue))


def test_nothing_is_refused_that_a_slice_can_have(spark: Any) -> None:
    country = {user: "DE" if at % 2 else "FR" for at, user in enumerate(JUDGED)}
    ev = rankmark.spark.evaluate(
        judged_frame(spark, JUDGED),
        frame(spark, ranked(LISTS), NAMES),
        ["MIUF@3"],
        history=KNOWN.history,
        by=country,
        order=[*JUDGED],
    )
    whole = rm.evaluate(JUDGED, LISTS, ["MIUF@3"], history=KNOWN.history)
    expected = rm.compare(None, {"run": whole}, by=country).slices["DE"]
    assert str(ev.slices["DE"].leaderboard) == str(expected.leaderboard)


@pytest.mark.parametrize(
    ("measure", "known", "found"),
    [
        ("MIUF@2", {}, "MIUF@2: it needs the history; give history"),
        ("Gini@2", {}, "Gini@2: it needs a catalogue; give catalogue"),
        ("nDCG@2", {"history": HISTORY}, "history is given, and no measure needs it"),
        ("PopREO@2", {"history": HISTORY}, "GroupRates@2: it needs the judgments of all queries"),
        ("Cost@2", {"history": HISTORY}, "Cost@2 needs weights, slices or costs of documents"),
        ("Gini@2", {"catalogue": []}, "the catalogue is empty"),
    ],
)
def test_what_is_missing_is_named(
    spark: Any, measure: str, known: dict[str, Any], found: str
) -> None:
    judged = {user: dict.fromkeys(items, 1) for user, items in TEST.items()}
    given = judged_frame(spark, judged), frame(spark, ranked(FEW_LISTS), NAMES)
    with pytest.raises(rm.RankmarkError, match=found.replace("(", r"\(")):
        _ = rankmark.spark.evaluate(*given, measure, **known).means


@pytest.mark.parametrize(
    ("rows", "measure", "error", "found"),
    [
        ([("u1", "a", 1.0)], "Unexpectedness(base='history')", InputError, "what each user had"),
        ([("u1", "a", 1.0)], "PopularityLift@2", InputError, "what each user had before"),
        ([("u1", "a", 1.0), ("u1", None, 1.0)], "MIUF", SchemaError, "'item_id' is null"),
        ([("u1", "a", 1.0), (None, "b", 1.0)], "MIUF", SchemaError, "'user_id' is null"),
        ([("u1", "a", None), ("u1", "b", 1.0)], "MIUF", SchemaError, "'rating' is null or NaN"),
        ([("u1", "a", float("nan"))], "MIUF", SchemaError, "'rating' is null or NaN"),
        ([("u1", "a", 0.0)], "MIUF", InputError, "history is empty"),
    ],
)
def test_a_counted_history_refuses_what_it_does_not_know(
    spark: Any, rows: Any, measure: str, error: Any, found: str
) -> None:
    history = frame(spark, rows, ["user_id", "item_id", "rating"])
    judged = {user: dict.fromkeys(items, 1) for user, items in TEST.items()}
    given = judged_frame(spark, judged), frame(spark, ranked(FEW_LISTS), NAMES)
    with pytest.raises(error, match=found):
        _ = rankmark.spark.evaluate(*given, measure, history=history).means


def test_every_measure_of_a_run_is_refused_or_computed_before_the_job(spark: Any) -> None:
    judged = {user: dict.fromkeys(items, 1) for user, items in TEST.items()}
    given = judged_frame(spark, judged), frame(spark, ranked(FEW_LISTS), NAMES)
    for one in (one for one in EVERY if one.depends_on == "run" and not one.of_scores):
        groups = {item: one[0] for item, one in CATEGORIES.items()}
        try:
            rankmark.spark.evaluate(*given, one, history=HISTORY, groups=groups)
        except InputError as error:
            assert "needs the judgments of all queries at once" in str(error)  # noqa: PT017


def test_evaluations_with_histories_of_their_own_are_not_merged(spark: Any) -> None:
    judged = {user: dict.fromkeys(items, 1) for user, items in TEST.items()}
    given = judged_frame(spark, judged), frame(spark, ranked(FEW_LISTS), NAMES)
    one, other = (
        rankmark.spark.evaluate(*given, "MIUF@2", history=history)
        for history in (HISTORY, {"u1": ["a"], "u2": ["b"]})
    )
    with pytest.raises(MismatchError, match="one history and catalogue"):
        one.merge(other)
