"""Why ids do not meet: each usual reason is told, and none where there is none."""

import io
import itertools
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import rankmark as rm
from rankmark.data.ids.identity import mismatch_reason

NUMBERS = range(1, 60)


def ids(form: Callable[[int], str]) -> list[str]:
    return [form(number) for number in NUMBERS]


PLAIN = ids(str)
WORDS = ids(lambda i: f"doc{7 * i}")
OTHERS = "these are the qrels of another collection"

# What ids of one side look like, those of the other, an id of each, and the reason.
REASONS: dict[str, tuple[list[str], list[str], str, str, str]] = {
    "a point": (PLAIN, ids(lambda i: f"{i}.0"), "1", "1.0", "decimal numbers"),
    "an exponent": (PLAIN, ids(lambda i: f"{i:e}"), "1", "1.000000e+00", "decimal numbers"),
    "leading zeros": (PLAIN, ids(lambda i: f"{i:03d}"), "1", "001", "leading zeros"),
    "zeros within": (WORDS, ids(lambda i: f"doc{7 * i:05d}"), "doc7", "doc00007", "leading zeros"),
    "one suffix": (PLAIN, ids(lambda i: f"{i}.1"), "1", "1.1", "end in '.1'"),
    "a suffix each": (PLAIN, ids(lambda i: f"{i}.{i % 3}"), "1", "1.1", "a number after a dot"),
    "a file's ending": (WORDS, ids(lambda i: f"doc{7 * i}.txt"), "doc7", "doc7.txt", "in '.txt'"),
    "a prefix": (PLAIN, ids(lambda i: f"marco_p_{i}"), "1", "marco_p_1", "begin with 'marco_p_'"),
    "a letter": (PLAIN, ids(lambda i: f"q{i}"), "1", "q1", "begin with 'q'"),
    "some of a prefix": (
        ids(lambda i: f"en0003-55-{i}"),
        ids(lambda i: f"clueweb09-en0003-55-{i}"),
        "en0003-55-1",
        "clueweb09-en0003-55-1",
        "begin with 'clueweb09-'",
    ),
    "case": (WORDS, ids(lambda i: f"DOC{7 * i}"), "doc7", "DOC7", "upper and lower case"),
    "blanks": (WORDS, ids(lambda i: f" doc{7 * i}"), "doc7", " doc7", "blanks"),
    "a byte order mark": (WORDS, [f"\ufeff{one}" for one in WORDS], "doc7", "\ufeffdoc7", "blanks"),
    "quotes": (WORDS, ids(lambda i: f'"doc{7 * i}"'), "doc7", '"doc7"', "in quotes"),
    "bytes": (WORDS, ids(lambda i: f"b'doc{7 * i}'"), "doc7", "b'doc7'", "in quotes"),
    "accents": (
        ids(lambda i: f"caf\u00e9-{i}"),
        ids(lambda i: f"cafe\u0301-{i}"),
        "caf\u00e9-1",
        "cafe\u0301-1",
        "accents are encoded in two ways",
    ),
    "a prefix and zeros": (
        PLAIN,
        ids(lambda i: f"q{i:02d}"),
        "1",
        "q01",
        "begin with 'q' and have leading zeros",
    ),
    "a prefix and a suffix": (
        WORDS,
        ids(lambda i: f"data/doc{7 * i}.txt"),
        "doc7",
        "data/doc7.txt",
        "begin with 'data/' and end in '.txt'",
    ),
    "turns": (PLAIN, ids(lambda i: f"{i}_{i % 4 + 1}"), "1", "1_2", "end in a part number"),
}


@pytest.mark.parametrize("name", REASONS)
def test_a_usual_reason_is_found_on_either_side(name: str) -> None:
    ours, theirs, one, other, said = REASONS[name]
    for told, first, second in (
        (mismatch_reason(ours, theirs), one, other),
        (mismatch_reason(theirs, ours), other, one),
    ):
        assert told is not None
        assert said in told
        assert told.endswith(f", as in {first!r} and {second!r}")


def test_a_prefix_of_either_side_is_told_of_both() -> None:
    told = mismatch_reason(ids(lambda i: f"t-{i}"), ids(lambda i: f"q_{i}"))
    said = "ids of the qrels begin with 't-' and ids of the run begin with 'q_'"
    assert told == f"{said}, as in 't-1' and 'q_1'"


@pytest.mark.parametrize("join", ["#", "-", "_", "::", "/p", "_chunk_", "#part-"])
def test_parts_of_documents_are_told_from_whole_ones(join: str) -> None:
    parts = [f"{one}{join}{part}" for one in WORDS for part in range(3)]
    told = mismatch_reason(WORDS, parts, what="document")
    assert told is not None
    assert told.startswith("the run holds parts of documents, and the qrels judge whole ones")
    assert told.endswith(f"as in 'doc7' and 'doc7{join}0', which unit={join!r} would map")
    told = mismatch_reason(parts, WORDS, what="document")
    assert told is not None
    assert told.startswith("the qrels judge parts of documents, and the run holds whole ones")
    assert told.endswith(f"which qrels_unit={join!r} would map")


def test_swapped_columns_are_known_by_the_ids_of_the_other_kind() -> None:
    told = mismatch_reason(PLAIN, WORDS, qrels_others=WORDS, run_others=PLAIN)
    assert told is not None
    assert told.startswith("the query and document columns of one of the two are swapped")
    assert "query 'doc7' of the run is a document of the qrels" in told
    apart = mismatch_reason(["a"], ["b"], qrels_others=["x"], run_others=["y"])
    assert apart is not None
    assert apart.startswith(OTHERS)


def test_ids_that_meet_have_no_reason_to_be_told() -> None:
    assert mismatch_reason(PLAIN, PLAIN) is None
    assert mismatch_reason(PLAIN[:10], PLAIN[:1] + WORDS[:9]) is None
    assert mismatch_reason([], PLAIN) is None
    assert mismatch_reason(PLAIN, []) is None


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (ids(lambda i: f"{300 + i}"), ids(lambda i: f"{100 + i}")),
        (ids(lambda i: f"q{300 + i}"), ids(lambda i: f"{100 + i}")),
        (ids(lambda i: f"FBIS3-{i}"), ids(lambda i: f"FBIS3-{i + 500}")),
        (ids(lambda i: f"{i * 7919 % 10007:x}a"), ids(lambda i: f"{i * 7907 % 10009:x}b")),
        (["only"], ["other"]),
        (["1"], ["2"]),
        (["2024", "a", "b", "c", "d"], ids(lambda i: f"2024-{i}")),
    ],
)
def test_unrelated_ids_are_of_another_collection(ours: list[str], theirs: list[str]) -> None:
    for told in (mismatch_reason(ours, theirs), mismatch_reason(theirs, ours, what="document")):
        assert told == f"{OTHERS}, as the ids have nothing in common"


def test_a_few_that_meet_by_chance_are_said_to_be_few() -> None:
    ours = ids(lambda i: f"{300 + i}")
    told = mismatch_reason(ours, [*ids(lambda i: f"a{i}b"), "301"])
    assert told == f"{OTHERS}, as few ids are in both"


@pytest.mark.slow
def test_real_documents_of_other_collections_are_never_explained_away(shared_data: Path) -> None:
    documents = {}
    for path in sorted((shared_data / "qrels").glob("qrels.*")):
        lines = path.read_text(encoding="utf-8").splitlines()
        documents[path.name] = list(dict.fromkeys(line.split()[2] for line in lines))[:500]
    assert len(documents) >= 8
    for ours, theirs in itertools.permutations(documents.values(), 2):
        told = mismatch_reason(ours, theirs, what="document")
        assert told is not None
        assert told.startswith(OTHERS)


QRELS = "".join(f"q{i:02d} 0 doc{7 * i} 1\n" for i in NUMBERS)


def run_text(query: str = "q{:02d}", document: str = "doc{}") -> io.StringIO:
    """Write a run, the ids in the forms given."""
    return io.StringIO(
        "".join(f"{query.format(i)} Q0 {document.format(7 * i)} 1 1.0 t\n" for i in NUMBERS)
    )


def test_queries_that_never_meet_are_refused_with_the_reason() -> None:
    with pytest.raises(rm.MismatchError) as caught:
        rm.evaluate(io.StringIO(QRELS), run_text(query="{}"))
    told = str(caught.value)
    assert "none of its 59 queries is judged: it has '1', '2', '3' and 56 more" in told
    assert "'q01', 'q02', 'q03' and 56 more" in told
    assert told.endswith(
        "; the reason may be that ids of the qrels begin with 'q' and have leading zeros, "
        "as in 'q01' and '1'"
    )


def test_a_run_with_its_columns_swapped_is_refused_with_the_reason() -> None:
    swapped = "".join(f"doc{7 * i} Q0 q{i:02d} 1 1.0 t\n" for i in NUMBERS)
    with pytest.raises(
        rm.MismatchError, match="the query and document columns of one of the two are swapped"
    ):
        rm.evaluate(io.StringIO(QRELS), io.StringIO(swapped))


def test_documents_that_never_meet_are_warned_of_with_the_reason() -> None:
    with pytest.warns(rm.RankmarkWarning) as caught:
        rm.evaluate(io.StringIO(QRELS), run_text(document="doc{}#3"), "AP")
    told = str(caught[0].message)
    assert "no document that it holds is judged for its query: it has 'doc7#3', 'doc14#3'" in told
    assert "judges 'doc7', 'doc14', 'doc21' and 56 more" in told
    assert told.endswith("; the reason may be that ids of the run end in '#3', as in "
                         "'doc7' and 'doc7#3'")  # fmt: skip


def test_queries_that_hardly_meet_are_warned_of_with_the_reason() -> None:
    run = io.StringIO(run_text(query="{}").read() + "q01 Q0 doc7 1 1.0 t\n")
    with pytest.warns(rm.RankmarkWarning) as caught:
        rm.evaluate(io.StringIO(QRELS), run, "AP")
    told = str(caught[0].message)
    assert "only 1 of its 60 queries are among the 59 judged: it has '1', '2', '3' and 56" in told
    assert "begin with 'q' and have leading zeros, as in 'q01' and '1'" in told


@pytest.mark.parametrize(("judged", "answered", "run_only"), [(10, 1, 50), (50, 5, 5), (1, 1, 99)])
def test_a_tenth_that_meets_on_either_side_is_enough(
    judged: int, answered: int, run_only: int
) -> None:
    qrels = {f"q{i}": {"d": 1} for i in range(judged)}
    run = {f"q{i}": {"d": 1.0} for i in range(answered)}
    run |= {f"r{i}": {"d": 1.0} for i in range(run_only)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rm.evaluate(qrels, run, "AP")["AP"] == pytest.approx(answered / judged)


def test_mappings_that_never_meet_are_refused_with_the_reason_too() -> None:
    with pytest.raises(rm.MismatchError, match="leading zeros, as in '001' and '1'"):
        rm.evaluate({f"{i:03d}": {"d": 1} for i in NUMBERS}, {str(i): {"d": 1.0} for i in NUMBERS})


@pytest.mark.parametrize(
    ("measure", "given"),
    [
        ("RR", {"weights": {1: 1.0, "1": 2.0}}),
        ('Gap(of="RR")', {"user_groups": {1: "a", "1": "b", 2: "b"}}),
        ("nDCG(weighted=True)", {"document_weights": {1: 1.0, "1": 2.0}}),
        ('RR(among="new")', {"document_slices": {1: "new", "1": "old"}}),
        ("RR", {"parents": {1: "1", "1": "2"}}),
    ],
)
def test_a_number_and_its_text_are_one_id_of_which_one_thing_is_said(
    measure: str, given: dict[str, object]
) -> None:
    qrels, run = {"1": {"1": 1}, "2": {"1": 1}}, {"1": ["1"], "2": ["2"]}
    with pytest.raises(rm.DuplicateError, match=f"{next(iter(given))}: '1' appears twice"):
        rm.evaluate(qrels, run, measure, **given)
