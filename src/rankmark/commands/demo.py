"""``rankmark demo``: evaluate the bundled example collection."""

from __future__ import annotations

import os
from pathlib import Path

from rankmark.commands.evaluate import laid_out
from rankmark.commands.parts.faults import reported_errors
from rankmark.commands.parts.grouped_help import command
from rankmark.commands.parts.writing import write_result

FOLDER = Path(__file__).parents[1] / "example"


@command()
def demo() -> None:
    """Evaluate the bundled example collection, and point out what the numbers show.

    It is a small corpus about cooking, with 24 queries judged from 0 to 3, and three systems: BM25,
    latent semantic analysis, and the number of common words, where nearly all scores are tied.
    """
    with reported_errors():
        os.chdir(FOLDER)  # for short file names
        print(f"$ cd {FOLDER}")
        print("$ rankmark evaluate qrels.txt bm25.run lsa.run overlap.run\n")
        runs = ["bm25.run", "lsa.run", "overlap.run"]
        from rankmark.results.table_options import TableOptions  # noqa: PLC0415
        from rankmark.verbs.evaluate.evaluate_runs import evaluate_runs  # noqa: PLC0415

        evaluations = evaluate_runs("qrels.txt", runs)
        shown, _ = laid_out(evaluations, "table", TableOptions())
        write_result(shown, "table", None)
        print(_LESSONS)


_LESSONS = """
What to see here:
- lsa is missing one query (missing 1), which counts 0: --queries both leaves it out.
- one query has no relevant documents (without relevant 1), and counts 0: --no-relevant skip.
- most documents in overlap are tied, so tie-breaking decides its numbers: --ties mean.
- some of the top 10 are unjudged, and count as not relevant: --bounds, -m Judged@10."""
