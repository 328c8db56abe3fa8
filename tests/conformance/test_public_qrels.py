"""Real judgments read whole, in all their mess."""

from collections import Counter
from pathlib import Path

import pytest

import rankmark as rm
from generators.trec_files import naive_fields

QRELS = (
    "qrels.beir-v1.0.0-climate-fever.test.txt",
    "qrels.beir-v1.0.0-nfcorpus.test.txt",
    "qrels.bright-leetcode.txt",
    "qrels.covid-round5.txt",
    "qrels.dl19-passage.txt",
    "qrels.msmarco-doc.dev.txt",
    "qrels.msmarco-passage.dev-subset.txt",
    "qrels.web.251-300.txt",
)


def test_no_qrels_file_is_left_out(shared_data: Path) -> None:
    assert {path.name for path in (shared_data / "qrels").glob("qrels.*")} == set(QRELS)


@pytest.mark.parametrize("name", QRELS)
def test_judgments_read_whole(shared_data: Path, name: str) -> None:
    rows = list(naive_fields(shared_data / "qrels" / name))
    retrieved: dict[str, dict[str, float]] = {}
    for query_id, _, doc_id, label in rows:
        retrieved.setdefault(query_id.decode(), {})[doc_id.decode()] = -float(label)
    run = rm.Run(retrieved, contents="scores")  # the worst ranking on purpose
    ev = rm.evaluate(
        shared_data / "qrels" / name, run, ["NumQ", "NumRel", "NumRelRet", "Judged", "CG"]
    )
    relevant = Counter(fields[0].decode() for fields in rows if float(fields[3]) >= 1)
    gains = {
        query_id: sum(max(-score, 0) for score in scores.values())
        for query_id, scores in retrieved.items()
    }
    assert sum(len(scores) for scores in retrieved.values()) == len(rows)
    assert list(ev.queries) == list(retrieved)
    assert ev["NumQ"] == len(retrieved)
    assert ev["NumRel"] == ev["NumRelRet"] == relevant.total()
    assert ev.per_query("NumRel") == {query_id: relevant[query_id] for query_id in retrieved}
    assert ev["Judged"] == 1  # every row of the file was found again under its own id
    assert ev.per_query("CG") == gains


def test_judgments_with_inclusion_probabilities_are_refused_at_the_line(shared_data: Path) -> None:
    # A prels line is `qid docid label method probability`: the third field is a label, not an id,
    # so that line 2 seems to judge document "0" again.
    prels = shared_data / "qrels" / "prels.web.1-50.txt"
    with pytest.raises((rm.ParseError, rm.DuplicateError), match=r"prels\.web\.1-50\.txt:2\b"):
        rm.evaluate(prels, {"1": {"clueweb09-en0003-55-31884": 1.0}}, ["AP"])


def test_a_file_judged_three_times_is_refused(shared_data: Path) -> None:
    folder = shared_data / "trec_eval-test"
    seen: set[tuple[bytes, bytes]] = set()
    for fields in naive_fields(folder / "qrels.123"):
        if (fields[0], fields[2]) in seen:
            break
        seen.add((fields[0], fields[2]))
    number = len(seen) + 1
    with pytest.raises(rm.DuplicateError, match=rf"qrels\.123:{number}\b"):
        rm.evaluate(folder / "qrels.123", folder / "results.test", ["AP"])
