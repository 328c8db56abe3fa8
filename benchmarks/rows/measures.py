"""What more measures cost."""

from collections.abc import Iterator

from bench import MEASURES, Bench, evaluate
from sample import interleave
from table import Goal, Row

# The four, and others of every kind: with and without a cutoff, seeing order, grades, the
# unjudged, ties and users.
THIRTY = (
    *MEASURES,
    *("nDCG", "nDCG@5", "nDCG@100", 'nDCG(gain="exp2")@10', "DCG@10"),
    *("AP@100", "AP(rel=2)", "RR", "R@10", "R@1000", "P@5", "P@10", "F@10"),
    *("Success@1", "Success@5", "Rprec", "Bpref", "infAP", "IPrec", "binG"),
    *("RBP", "ERR@20", "INST", "AUC", "Judged@10", "Unjudged@10"),
)


def measures(bench: Bench) -> Iterator[Row]:
    """Measure thirty measures against four on the large collection's files."""
    marco = bench.inputs.marco()
    four, thirty = "rankmark, 4 measures", "rankmark, 30 measures"
    works = {
        four: evaluate(marco).seconds,
        thirty: evaluate(marco, measures=THIRTY).seconds,
    }
    taken = interleave(works, bench.runs)
    yield Row("30 measures, 7M rows", taken[thirty], four, taken[four], Goal("at most", 1.5))
