"""``rankmark estimate`` and ``rankmark choose-queries``: a few human labels and many LLM labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.tables import by_names, named_baseline
from rankmark.commands.parts.verb_options import further_own, own, parsed
from rankmark.commands.parts.writing import width_of, write_output
from rankmark.results.details import ON_COMMAND_LINE


@command_of(
    "judges.estimate.estimate:estimate",
    ["people", "model", options.files("runs...")],
    options.asked("A measure, such as nDCG@10; can be repeated. [default: nDCG@10]"),
    options.corpus,
    own("strata", "probabilities"),
    further_own("clusters", "finite", "random", "method"),
    own("baseline", "half_width"),
    further_own("confidence", "correction", "family", "interval"),
    options.seed,
    options.form,
    options.plot("Also write a plot of the intervals; requires matplotlib."),
    options.closing,
    options.verbose,
    options.reading,
    strata={"metavar": "FILE|COLUMN"},
    clusters=options.CLUSTERS,
    baseline={"metavar": "RUN"},
    half_width={"metavar": "NUMBER"},
)
def estimate(
    call: Call,
    people: str,
    model: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    baseline: str | None,
) -> None:
    """Estimate scores by human labels, if people judged few queries and a model many.

    PEOPLE holds human judgments of some queries, and MODEL those of an LLM of these and of many
    others. The model's mean is corrected by how far it was off where people
    judged too, so the result is valid however wrong the model is (prediction-powered inference).
    The first line is the answer; each estimate stands beside those of human labels alone and of
    the model's alone.

    \b
      rankmark estimate people.txt model.txt old.run new.run -m nDCG@10
      rankmark estimate people.txt model.txt *.run --probabilities plan.csv
      rankmark estimate people.txt model.txt new.run --half-width 0.02
    """  # noqa: D301  (click reads the backspace)
    call.prepare()
    from rankmark.judges.estimate.estimate_result import drawn_size  # noqa: PLC0415
    from rankmark.results.details import shown  # noqa: PLC0415

    named = by_names(runs)
    found = call.result(
        people,
        model,
        named,
        measures or "nDCG@10",
        baseline=None if baseline is None else named_baseline(baseline, runs, [*named]),
        told=[people, *runs, model, *runs],
    )
    how: dict[str, Any] = {"verbose": call.verbose, "how": ON_COMMAND_LINE}
    width = width_of(call.output)
    notes = shown(found.notes, **how)
    call.write(
        found,
        as_text=lambda: found.to_text(width=width, **how),
        notes=[found.decision, *notes[: 1 if call.quiet else None]],
        size=drawn_size(len(found.differences or found.means)),
    )


def _as_strata(given: str) -> int | str:
    """Parse --strata: a number of strata, or where to find them."""
    if not given.isdecimal():
        return given
    if int(given) < 1:
        raise click.BadParameter("0; need at least 1")
    return int(given)


@command_of(
    "judges.estimate.choose_queries:choose_queries",
    ["[model]", options.files("[runs...]", metavar="[RUNS]...")],
    own("n", "method", "strata", "weights"),
    further_own("allocation", "uncertainty", "uniform"),
    options.asked("One measure, such as RR@10. [default: nDCG@10]"),
    options.corpus,
    options.seed,
    options.table_or_json,
    options.also("to-judge", "the queries to judge, one per line"),
    options.output,
    options.quiet,
    options.reading,
    n={"flag": "-n", "required": True, "metavar": "N"},
    strata={"metavar": "N|FILE|COLUMN", "callback": parsed(_as_strata)},
    weights={"metavar": "FILE"},
    uniform={"type": click.FloatRange(0, 1, min_open=True), "metavar": "SHARE"},
)
def choose_queries(
    call: Call,
    model: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    to_judge: Path | None,
) -> None:
    """Choose which queries people should judge, of a log or among those that a model judged.

    MODEL holds LLM judgments. csv has a row for each query, with the probability
    with which it was chosen, which `rankmark estimate --probabilities` needs, and its stratum, for
    `rankmark estimate --strata`.

    With --method traffic, there is no MODEL: queries are drawn from those of --weights as often as
    users ask them, and csv has how often each was drawn, for `rankmark gate --draws`.

    \b
      rankmark choose-queries model.txt *.run -n 50 --to-judge queries.txt
      rankmark choose-queries model.txt *.run -n 50 --format csv -o plan.csv
      rankmark choose-queries --method traffic --weights log.txt -n 200
    """  # noqa: D301  (click reads the backspace)
    options.one_measure(measures)
    by_traffic = call.given["method"] == "traffic"
    if by_traffic and model is not None:
        raise click.UsageError("--method traffic draws from --weights, and takes no MODEL")
    if not by_traffic and not runs:
        missing = "MODEL" if model is None else "RUNS..."
        raise click.UsageError(f"Missing argument '{missing}'; only --method traffic needs none")
    strata = call.given["strata"]
    call.prepare(strata if isinstance(strata, str) else None)
    if by_traffic or model is None:
        found = call.result(None, None, told=None)
    else:
        found = call.result(model, by_names(runs), *(measures or ("nDCG@10",)), told=[model, *runs])
    if to_judge is not None:
        write_output("".join(f"{query}\n" for query in found.chosen), to_judge)
    call.write(found, notes=[])
