"""``rankmark abstention``: when a system should return nothing."""

from __future__ import annotations

from rankmark.commands.parts import options
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.verb_options import further_own, own


@command_of(
    "answers.abstention.abstention:abstention",
    ["qrels", "run"],
    options.asked("One measure from 0 to 1, such as RR@10. [default: nDCG@10]"),
    own("signal", "thresholds"),
    further_own("tied", "confidence", "resamples", "seed"),
    options.per_query,
    options.form,
    options.plot(
        "Also write a plot of the risk at each share of queries answered; requires matplotlib."
    ),
    options.closing,
    options.formats,
    options.threads,
    thresholds={"flag": "--threshold", "type": float, "multiple": True, "metavar": "NUMBER"},
)
def abstention(
    call: Call, qrels: str, run: str, measures: tuple[str, ...], per_query: bool
) -> None:
    """Show how well scores tell when RUN should return nothing.

    A judged query without relevant documents is unanswerable: an empty result is right for it, and
    wrong for any other. The table has the AUROC of answerable against unanswerable queries, the
    area under the risk-coverage curve (AURC), MTEB's nAUC, the threshold with the highest F1, and
    what happens at some thresholds.

    \b
      rankmark abstention qrels.txt bm25.run -m RR@10
      rankmark abstention qrels.txt dense.run --threshold 0.5 --threshold 0.7
      rankmark abstention qrels.txt dense.run --signal diff1 --plot risk.svg
    """  # noqa: D301  (click reads the backspace)
    found = call.result(qrels, run, *options.one_measure(measures), told=1)
    call.write_shown(found, per_query=per_query)
