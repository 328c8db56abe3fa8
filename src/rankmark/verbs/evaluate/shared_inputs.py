"""What several runs have in common, read once: judgments, items, a corpus, seen documents."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rankmark.data.contract.reading_options import OF_JUDGMENTS, Reading
from rankmark.data.preparing.pair_options import PairOptions, refuse_unused_columns
from rankmark.data.preparing.parents import prepared_once
from rankmark.data.preparing.qrels import Qrels
from rankmark.errors import InputError
from rankmark.named_tuples import NamedTuple
from rankmark.scoring.kept_data import remembered
from rankmark.scoring.rejudged import refuse_unused

if TYPE_CHECKING:
    from rankmark.data.preparing.run import Run
    from rankmark.scoring.kept_data import Remembered
    from rankmark.scoring.request import Asked
    from rankmark.verbs.evaluate.evaluation import Evaluation
    from rankmark.verbs.evaluate.query_attributes import Weights


class SharedInputs(NamedTuple):
    """What the evaluations of several runs take.

    Parameters
    ----------
    qrels, runs, seen
        As ``evaluate`` takes them, or prepared.
    reading
        How runs are read, with what is known of items, the corpus, parents and costs prepared.
    given_qrels
        What is read if judgments are needed again, where the prepared ones are not kept.
    """

    qrels: Any
    runs: Sequence[Any]
    reading: Reading
    seen: Any
    given_qrels: Qrels | Remembered | None

    @classmethod
    def read(
        cls, qrels: Any, runs: Sequence[Any], asked: Asked, reading: Reading, seen: Any
    ) -> SharedInputs:
        """Read what is given for all runs, whose progress is told of file 0."""
        if reading.user_groups is not None:
            from rankmark.verbs.evaluate.query_attributes import column_or_file  # noqa: PLC0415

            groups = column_or_file(reading.user_groups, qrels, "user_groups")
            reading = reading._replace(user_groups=groups)
        refuse_unused(reading, asked.measures)
        reading = reading._replace(parents=prepared_once(reading.parents))
        if reading.document_costs is not None:
            from rankmark.data.preparing.document_weights import ByDocument  # noqa: PLC0415

            costs = ByDocument.of(reading.document_costs, "document_costs")
            reading = reading._replace(document_costs=costs)
        prepared, given_qrels = qrels, None
        if is_nothing(qrels):
            prepared, runs, reading = unjudged(runs, asked, reading)
        elif not isinstance(qrels, Qrels):
            own = reading._replace(run_format=None, run_columns=None, contents=None, parents=None)
            pair = PairOptions(own, subtopics=asked.needs.subtopics)
            source = pair.source_of(qrels, "qrels")
            prepared = Qrels.of_given(qrels, source, pair.of_qrels, own.of_file(0))
            refuse_unused_columns(own.qrels_columns, "qrels", (source.description(),))
            reading = reading._replace(**dict.fromkeys(OF_JUDGMENTS))
            given_qrels = remembered(prepared, qrels, pair)
        reading, seen = _for_all(runs, prepared, asked, reading, seen)
        return cls(prepared, runs, reading, seen, given_qrels)

    def finish(self, evaluations: Sequence[Evaluation], weights: Weights | None) -> None:
        """Let evaluations refer to the judgments that were given, and weigh their queries."""
        if self.given_qrels is not None:
            # The same for all, so that judgments that are needed again can be read once.
            for evaluation in evaluations:
                evaluation.refer_to(self.given_qrels)
        if weights is not None:
            from rankmark.verbs.evaluate.query_attributes import weights_by_query  # noqa: PLC0415

            by_query = weights_by_query(weights)
            for evaluation in evaluations:
                evaluation._weigh(by_query)


def _for_all(
    runs: Sequence[Any], qrels: Any, asked: Asked, reading: Reading, seen: Any
) -> tuple[Reading, Any]:
    """Read once what is given for all runs: items, a corpus, and seen documents."""
    if reading.corpus is not None or reading.unwinnable is not None:
        from rankmark.scoring.unwinnable import judged_in_corpus  # noqa: PLC0415

        reading = reading._replace(corpus=judged_in_corpus(qrels, asked, reading))
    if seen is not None:
        from rankmark.data.preparing.seen import Seen  # noqa: PLC0415

        seen = seen if isinstance(seen, Seen) else Seen(seen, reading)
    if asked.items:
        from rankmark.data.preparing.item_data import ItemData  # noqa: PLC0415

        reading = reading.of_items(ItemData.of(reading))
        if len(runs) > 1 and reading.history.is_union:
            raise InputError(
                'catalogue is "union", which differs between runs',
                'give the ids of all items, or "history"',
            )
    return reading, seen


def is_nothing(qrels: Any) -> bool:
    """Return whether there are no judgments: None, or on the command line the word none."""
    is_word = isinstance(qrels, str) and qrels == "none"
    return qrels is None or (is_word and not os.path.exists(qrels))  # noqa: PTH110


def unjudged(
    runs: Sequence[Any], asked: Asked, reading: Reading
) -> tuple[Qrels, list[Run], Reading]:
    """Prepare runs without judgments, and judgments of nothing, for measures of lists alone."""
    for measure in asked.measures:
        if measure.depends_on not in {"lists", "run"}:
            raise InputError(
                f"qrels is None, and {measure} needs judgments",
                "give judgments, unless the runs are evaluations; measures of lists, such as "
                "MIUF@10 and ItemCoverage@10, need none",
            )
    from rankmark.data.preparing.no_judgments import without_judgments  # noqa: PLC0415

    options = PairOptions.of(reading, subtopics=False)
    prepared = [options.run_of(run) for run in runs]
    return without_judgments(prepared, reading), prepared, reading.of_prepared()
