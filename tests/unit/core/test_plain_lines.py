"""Lines as nearly all are take a faster way through the core, to the same outcome as any others."""

import io
import random
from itertools import pairwise, permutations

import pytest

import rankmark as rm
from rankmark.data.contract.reading_options import ONE_THREAD
from unit.readings import file_of, read_run

LENGTHS = [*range(1, 42), 63, 64, 65, 200, 9000]


def id_of(length: int, number: int) -> str:
    return f"{number:x}".zfill(length)[-length:]


@pytest.mark.parametrize("separator", [" ", "\t"])
def test_ids_of_any_length_are_found_as_in_a_dict(separator: str) -> None:
    dice = random.Random(5)
    qrels, run, lines = {}, {}, []
    for length in LENGTHS:
        query = id_of(length, 1 + length % 9)
        ids = dict.fromkeys(
            id_of(length, dice.randrange(1, 16 ** min(length, 9))) for _ in range(40)
        )
        scores = {doc: -float(place) for place, doc in enumerate(ids)}
        qrels[query], run[query] = dict.fromkeys([*ids][::3], 1), scores
        lines += [separator.join((query, "Q0", doc, "1", f"{scores[doc]}", "t")) for doc in ids]
    data = "".join(f"{line}\n" for line in lines).encode()
    for way in ("RR", "AP", "nDCG"):
        by_dict = rm.evaluate(qrels, run, way).per_query(way)
        assert rm.evaluate(qrels, io.BytesIO(data), way).per_query(way) == by_dict


@pytest.mark.parametrize("order", list(permutations(["query_id", "doc_id", "score"])))
def test_columns_may_stand_in_any_order(order: tuple[str, ...]) -> None:
    rows = [{"query_id": "q", "doc_id": f"d{place}", "score": f"{place}.5"} for place in range(9)]
    lines = [",".join(order), *(",".join(row[name] for name in order) for row in rows)]
    data = "".join(f"{line}\n" for line in lines).encode()
    for text in (data, data.replace(b"\n", b"\r\n")):
        run = rm.Run(io.BytesIO(text), contents="scores")
        assert rm.evaluate({"q": {"d6": 1}}, run, "RR")["RR"] == 1 / 3


def written_numbers() -> list[str]:
    """Write numbers with all splits of up to 18 digits around a point, signs, and none of these."""
    dice = random.Random(6)
    digits = ["".join(dice.choices("0123456789", k=count)) for count in range(1, 19)]
    split = [text[:at] + "." + text[at:] for text in digits for at in range(len(text) + 1)]
    odd = [
        "1.",
        ".5",
        "0",
        "00",
        "1e3",
        "1E-7",
        "+1",
        "+.5",
        "123456789012345.",
        "9007199254740991",
    ]
    return [
        sign + text
        for sign in ("", "-")
        for text in [*digits[:15], *split, *odd]
        if sign + text[0] != "-+"
    ]


def test_numbers_are_read_to_the_last_bit() -> None:
    texts = written_numbers()
    data = "".join(f"q 0 d{place} {text}\n" for place, text in enumerate(texts)).encode()
    rows = file_of(data, "qrels").rows(ONE_THREAD, lenient=False)
    assert [*map(repr, rows.number.tolist())] == [repr(float(text)) for text in texts]


@pytest.mark.parametrize(
    "text", ["1.2.3", "1,5", "-", ".", "1-2", "--1", "1x", "12345678x", "1.2345678x9"]
)
def test_what_only_begins_like_a_number_is_refused(text: str) -> None:
    outcome = read_run(
        f"q\t0\ta\t1\t{text}\tt\n".encode(),
        rm.Qrels({"q": {"a": 1}}),
        block=64,
        threads=1,
    )
    assert outcome[0] is rm.ParseError


@pytest.mark.parametrize("documents", [1, 7, 8, 9, 1000, 5000])
def test_a_document_twice_is_told_wherever_it_stands(documents: int) -> None:
    lines = [f"q 0 d{place} 1 {place}.5 t\n" for place in range(documents)]
    for first, again in [
        (0, documents),
        (documents // 2, documents),
        *pairwise([0, documents // 2]),
    ]:
        twice = (
            [*lines[:again], lines[first], *lines[again:]]
            if again > first
            else [*lines, lines[first]]
        )
        outcome = read_run(
            "".join(twice).encode(), rm.Qrels({"q": {"d0": 1}}), block=1 << 19, threads=1
        )
        assert outcome[0] is rm.DuplicateError
        assert f"d{first}" in outcome[2]
